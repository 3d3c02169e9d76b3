"""The audit itself: it counts what travels, and calls nothing clean that it did not look at."""

import gzip
import json
import random
import re
import subprocess
from copy import deepcopy
from pathlib import Path
from unittest.mock import MagicMock

import pytest
from PIL import Image

from tools import limits
from tools.audit import __main__ as audit

REPORT = json.loads((Path(__file__).parent / "data" / "lighthouse.json").read_text("utf-8"))
NOISE = random.Random(0).randbytes(20_000).hex()


@pytest.fixture(autouse=True)
def nothing_found(monkeypatch):
    monkeypatch.setattr(audit, "missed", [])
    monkeypatch.setattr(audit, "unchecked", [])


@pytest.fixture
def site(tmp_path):
    """A page with a script and a style in each place, and its files."""
    data = json.dumps({"scripts": {"package.Question": {}}, "models": [*range(9000)]})
    (tmp_path / "page.html").write_text(
        "<!doctype html><title>A page</title><script src='file.js'></script>"
        f"<link rel=stylesheet href=file.css><style>/* {NOISE[:4000]} */</style>"
        f"<script type='application/json'>{NOISE}</script><script>'{NOISE[:6000]}'</script>"
        f"<script id='widget-data' type='application/json'>{data}</script>"
        "<script src='widget-01234567.js'></script><script src='widget-89abcdef.js'></script>"
        "<img src='http://elsewhere.invalid/a.png' alt=''><p style='height: 9000px'>text</p>"
        "<img src='picture.png' loading=lazy alt='' width=9 height=9>"
        "<img src='hidden.png' loading=lazy alt='' style='display: none'>"
    )
    lengths = {"file.js": 8000, "file.css": 10_000}
    lengths |= {"widget-01234567.js": 20_000, "widget-89abcdef.js": 10_000}
    for name, length in lengths.items():
        (tmp_path / name).write_text(f"/* {NOISE[:length]} */")
    for name in ("picture.png", "hidden.png"):
        Image.frombytes("L", (200, 200), random.Random(1).randbytes(40_000)).save(tmp_path / name)
    return tmp_path


def packed(text):
    """Roughly what hexadecimal noise takes with gzip, in KB."""
    return pytest.approx(len(text) * 0.58 / 1000, rel=0.12)


def test_a_page_weighs_what_travels_wherever_it_stands(site, browser):
    with audit.serving(site) as server:
        measures, asked = audit.weigh(browser, f"{server}/page.html", site)
    whole, html, scripts, widgets, styles, state, elements = measures
    assert scripts.value == packed(NOISE[:14_000])
    assert styles.value == packed(NOISE[:14_000])
    assert widgets.value == packed(NOISE[:30_000])
    # The picture that waits to be scrolled to, and not the one that nobody sees.
    texts = [path.read_bytes() for path in site.iterdir() if path.suffix != ".png"]
    travels = sum(len(gzip.compress(text)) for text in texts)
    travels += (site / "picture.png").stat().st_size
    assert whole.value == pytest.approx(travels / 1000, rel=0.02)
    assert html.value == round(len(gzip.compress((site / "page.html").read_bytes())) / 1000, 1)
    assert html.most == limits.HTML_KB
    assert (scripts.most, styles.most) == (limits.SCRIPT_KB, limits.STYLE_KB)
    assert (whole.most, widgets.most) == (limits.WIDGET_PAGE_KB, limits.WIDGET_SCRIPT_KB)
    assert (state.value, state.most) == (0, limits.STATE_KB)
    text = (site / "page.html").read_text(encoding="utf-8")
    assert elements.value == 3 + len(re.findall(r"<[a-z]", text))  # html, head and body go unsaid
    assert elements.most == limits.PAGE_ELEMENTS
    assert "http://elsewhere.invalid/a.png" in asked


def test_state_of_widgets_is_weighed_apart(site, browser):
    (site / "buffer-0123abcd.js").write_text(f"/* {NOISE[:20_000]} */")
    (site / "page.html").write_text(
        "<!doctype html><title>A</title><script src=file.js></script>"
        "<script src=buffer-0123abcd.js></script>"
    )
    with audit.serving(site) as server:
        (whole, _, scripts, _, _, state, _), _ = audit.weigh(browser, f"{server}/page.html", site)
    assert state.value == packed(NOISE[:20_000])
    assert scripts.value == packed(NOISE[:8000])
    assert whole.value >= state.value + scripts.value - 0.2


def test_each_kind_of_explorer_allows_more(site, browser):
    data = {"scripts": {"package.A": "", "package.B": "", "package.Question": ""}}
    held = f"<script type=application/json id=widget-data>{json.dumps(data)}</script>"
    (site / "page.html").write_text(f"<!doctype html><title>A</title>{held}")
    with audit.serving(site) as server:
        measures, _ = audit.weigh(browser, f"{server}/page.html", site)
    assert measures[3].most == limits.WIDGET_SCRIPT_KB + 2 * limits.EXPLORER_SCRIPT_KB


@pytest.mark.parametrize(("value", "good"), [(94, False), (95, True), (97, True), (98, False)])
def test_a_number_beyond_its_limits_is_missed(value, good):
    assert (audit.Measure("score", value, 97, 95).miss() == []) == good


def judged(scores, **desktop):
    """What is said of a report of these performances on a phone; the last also on a desktop."""
    reports = [deepcopy(REPORT) for _ in (*scores, 1)]
    for report, score in zip(reports, [*scores, 0.99], strict=True):
        report["categories"]["performance"]["score"] = score
    for category, score in desktop.items():
        reports[-1]["categories"][category]["score"] = score
    return {m.title: (m.value, m.miss()) for m in audit.judge(reports[:-1], reports[-1])}


def test_the_median_counts_and_the_worst_of_the_rest():
    found = judged([0.5, 0.97, 0.94], seo=0.9, accessibility=None)
    assert found["mobile"] == (94, ["mobile 94, where tools/limits.py allows at least 95"])
    assert found["desktop"] == (99, [])
    assert found["SEO"][0] == 90
    assert found["SEO"][1]
    # An audit that failed is no pass.
    assert found["access."][0] == 0
    assert found["access."][1]
    assert found["shift"][0] == 0.149
    assert found["shift"][1]


def test_a_lighthouse_that_fails_is_no_clean_page(monkeypatch, tmp_path):
    (tmp_path / "node").write_text("#!/bin/sh\necho Chrome is gone >&2\nexit 1\n")
    (tmp_path / "node").chmod(0o755)
    monkeypatch.setattr(audit, "node_folder", lambda: tmp_path)
    monkeypatch.setattr(audit, "weigh", lambda *_: ([], set()))
    monkeypatch.setattr(audit, "sync_playwright", MagicMock())
    monkeypatch.setattr(audit.browser, "path", lambda: "chromium")
    monkeypatch.setenv("CHROME_PATH", "")  # the audit sets it; after the test it is as it was
    monkeypatch.setattr(audit, "REPORTS", tmp_path / "audit")
    audit.audit_pages([Path("page.html")], 1)
    assert audit.missed == ["page.html could not be measured: Chrome is gone"]
    assert audit.verdict() == 1


@pytest.mark.parametrize("output", ["", "no", "{}", '{"dependencies": []}', '{"message": "405"}'])
@pytest.mark.parametrize("ci", [False, True])
def test_what_could_not_be_looked_at_is_not_called_clean(monkeypatch, capsys, output, ci):
    monkeypatch.setenv("CI", "true" if ci else "")
    command = ("sh", "-c", f"echo '{output}'; echo no route >&2; exit 1")
    run = subprocess.run
    monkeypatch.setattr(subprocess, "run", lambda _, **options: run(command, **options))
    audit.audit_markup([Path("page.html")])
    audit.audit_npm(audit.ROOT / "package-lock.json")
    audit.audit_pip(audit.ROOT / "requirements.lock")
    assert len(audit.unchecked) == 3
    assert audit.verdict() == int(ci)
    assert capsys.readouterr().out.count("NOT CHECKED: ") == 3


def test_what_is_known_is_told(monkeypatch):
    advisory = {"url": "https://advisory.invalid/1", "range": "<2"}
    known = {
        "messages": [{"url": "file:/a.html", "lastLine": 3, "message": "Bad."}],
        "vulnerabilities": {"deep": {"via": [advisory]}, "user": {"via": ["deep"]}},
        "dependencies": [{"name": "bad", "version": "2", "vulns": [{"id": "PYSEC-1"}]}],
    }
    monkeypatch.setattr(audit, "answer", lambda *_, **__: known)
    audit.audit_markup([Path("a.html")])
    audit.audit_npm(audit.ROOT / "package-lock.json")
    audit.audit_pip(audit.ROOT / "requirements.lock")
    assert audit.missed == [
        "file:/a.html, line 3: Bad.",
        "package-lock.json: deep <2: https://advisory.invalid/1",
        "requirements.lock: bad 2: PYSEC-1",
    ]
