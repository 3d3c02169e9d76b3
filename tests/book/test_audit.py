"""The audit itself: it counts what travels, and calls nothing clean that it did not look at."""

import dataclasses
import gzip
import json
import sys
import urllib.request
from pathlib import Path

import pytest

from tools import limits
from tools.address import Address
from tools.audit import __main__ as audit
from tools.audit import copies, dependencies, lighthouse, markup, visits
from tools.audit.pages import COLUMNS, Page, line, names
from tools.audit.server import serving
from tools.audit.verdict import Verdict
from tools.audit.weights import Weight, inline_scripts, size, weigh

DATA = Path(__file__).parent / "data"
WIDGET = "export default { render({ model, el }) { el.textContent = model.get('text'); } };"
NUMBERS = list(range(2000))


@pytest.fixture
def site(tmp_path):
    """A page with a script in each place, and its files."""
    scripts = {"a": "", "b": "// b"}
    data = json.dumps({"shared": WIDGET, "scripts": scripts, "models": NUMBERS})
    (tmp_path / "page.html").write_text(
        "<!doctype html><title>A page</title><script src='file.js'></script>"
        "<script>first()</script><script type='module'>second()</script>"
        "<script type='application/json'>{}</script>"
        f"<script id='widget-data' type='application/json'>{data}</script>"
    )
    (tmp_path / "file.js").write_text("file();\n" * 500)
    (tmp_path / "picture.png").write_bytes(bytes(5000))
    return tmp_path


@pytest.fixture
def report():
    """What Lighthouse said of a page whose fonts came late, cut to what is read."""
    return json.loads((DATA / "lighthouse.json").read_text(encoding="utf-8"))


SCORES = lighthouse.Scores(
    mobile=limits.MOBILE_PERFORMANCE,
    desktop=limits.DESKTOP_PERFORMANCE,
    accessibility=limits.ACCESSIBILITY,
    best_practices=limits.BEST_PRACTICES,
    seo=limits.SEO,
    shift=0,
    requests=(),
    benchmark=(3000, 3100),
    losses=("Performance: Speed Index",),
)
WEIGHT = Weight(
    limits.WIDGET_PAGE_KB * limits.KB,
    limits.SCRIPT_KB * limits.KB,
    limits.WIDGET_SCRIPT_KB * limits.KB,
)
#: Exactly at every limit.
PAGE = Page("chapters/page.html", WEIGHT, (), limits.LAYOUT_SHIFT, SCORES, [])


# Weight


def test_scripts_are_found_wherever_they_travel(site):
    own, widgets = inline_scripts((site / "page.html").read_text())
    assert own == "first()\nsecond()"
    assert widgets == f"{WIDGET}\n// b"


def test_a_page_weighs_what_travels(site):
    files = [site / name for name in ("page.html", "file.js", "picture.png")]
    document, script = (len(gzip.compress(path.read_bytes())) for path in files[:2])
    weight = weigh(files[0], files)
    assert weight.page == document + script + 5000
    assert weight.scripts == script + size("first()\nsecond()")
    # The numbers that the widgets show are data.
    assert weight.widget_scripts == size(f"{WIDGET}\n// b") < 200 < document


def test_limits_of_weight_depend_on_the_page():
    kb = limits.KB
    plain = Weight(limits.PAGE_KB * kb, limits.SCRIPT_KB * kb, 0)
    assert not plain.misses()
    assert "all 300.0" in dataclasses.replace(plain, page=plain.page + 1).misses()[0]
    searching = dataclasses.replace(plain, scripts=limits.SEARCH_SCRIPT_KB * kb)
    assert not searching.misses(search=True)
    assert searching.misses()


# The server


@pytest.mark.parametrize(("name", "packed"), [("page.html", True), ("picture.png", False)])
def test_the_server_packs_what_can_be_packed(site, name, packed):
    with serving(site) as server, urllib.request.urlopen(f"{server}/{name}") as response:
        body = response.read()
    content = (site / name).read_bytes()
    assert (response.headers["Content-Encoding"] == "gzip") == packed
    assert (gzip.decompress(body) if packed else body) == content
    assert (len(body) < len(content)) == packed
    assert response.headers["Cache-Control"] == "max-age=600"


# A visit


def test_a_visit_sees_other_hosts_late_files_and_what_moves(site, browser):
    (site / "moves.html").write_text(
        "<!doctype html><title>Moves</title><img src='http://elsewhere.invalid/a.png' alt=''>"
        "<p id=above></p><p style='height: 400px'>text</p><div style='height: 9000px'></div>"
        "<img src='picture.png' loading=lazy alt='' width=9 height=9>"
        "<script>requestAnimationFrame(() => setTimeout(() => "
        "{ above.style.height = '300px'; }, 100));</script>"
    )
    with serving(site) as server:
        seen = visits.visit(browser, server, "moves.html", 400, 800)
    assert seen.elsewhere == ("http://elsewhere.invalid/a.png",)
    assert seen.files(site) >= {site / "moves.html", site / "picture.png"}
    assert seen.shift > limits.LAYOUT_SHIFT


def test_a_still_page_does_not_move(site, browser):
    with serving(site) as server:
        seen = visits.visit(browser, server, "page.html", 400, 800)
    assert not seen.elsewhere
    assert seen.shift == 0


# Lighthouse


def variant(report, performance, **other):
    """The report with other scores."""
    changed = json.loads(json.dumps(report))
    for category, score in {"performance": performance, **other}.items():
        changed["categories"][category]["score"] = score
    return changed


def test_the_median_counts_and_the_worst_of_the_rest(report):
    runs = [variant(report, score) for score in (0.5, 0.97, 0.93)]
    scores = lighthouse.summary(runs, variant(report, 0.99, seo=0.9))
    assert (scores.mobile, scores.desktop) == (93, 99)
    assert (scores.accessibility, scores.best_practices, scores.seo) == (100, 100, 90)
    assert scores.shift == pytest.approx(0.1486, abs=1e-4)
    assert len(scores.requests) == 3


def test_a_category_that_could_not_be_scored_is_not_a_pass(report):
    scores = lighthouse.summary([report], variant(report, 1, accessibility=None))
    assert scores.accessibility == 0


def test_what_costs_points_is_named(report):
    losses = lighthouse.summary([report], report).losses
    assert [loss.split(" 0.")[0].split(" 2.")[0] for loss in losses] == [
        "Performance: First Contentful Paint",
        "Performance: Cumulative Layout Shift",
        "Performance: Largest Contentful Paint",
    ]
    assert losses[1].endswith(
        "of section#notation-and-glossary > section#four-rules > ul.simple > li"
    )


# The checker of HTML


def test_errors_count_and_advice_does_not():
    output = (DATA / "nu-html-checker.json").read_text(encoding="utf-8")
    errors = markup.errors(markup.messages(output))
    assert list(errors) == [Path("/book/chapters/positional-encoding.html")]
    found = errors[Path("/book/chapters/positional-encoding.html")]
    assert len(found) == 2
    assert found[0].startswith("line 943: Element “mo” not allowed")


def test_a_checker_that_does_not_run_finds_nothing_clean(monkeypatch, tmp_path):
    with pytest.raises(markup.CheckerError, match="did not run: Unable to locate a Java"):
        markup.messages("Unable to locate a Java Runtime.")
    monkeypatch.setenv("PATH", str(tmp_path))
    verdict = Verdict()
    assert audit.audit_markup(["chapters/index.html"], verdict) is None
    assert "needs Java" in verdict.unchecked[0]
    assert dataclasses.replace(PAGE, errors=None).cells()[-1] == "not checked"


# A page


def test_a_page_at_its_limits_passes():
    assert PAGE.misses() == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"weight": dataclasses.replace(WEIGHT, page=WEIGHT.page + 100)}, "all 450.1 KB"),
        ({"weight": dataclasses.replace(WEIGHT, scripts=WEIGHT.scripts + 100)}, "scripts 15.1"),
        ({"weight": dataclasses.replace(WEIGHT, widget_scripts=47_000)}, "widgets 47.0"),
        ({"elsewhere": ("https://elsewhere.invalid/",)}, "asks other hosts"),
        ({"shift": 0.051}, "layout shift 0.051"),
        ({"scores": dataclasses.replace(SCORES, mobile=89)}, "mobile performance 89"),
        ({"scores": dataclasses.replace(SCORES, desktop=97)}, "desktop performance 97"),
        ({"scores": dataclasses.replace(SCORES, accessibility=99)}, "accessibility 99"),
        ({"scores": dataclasses.replace(SCORES, best_practices=99)}, "best practices 99"),
        ({"scores": dataclasses.replace(SCORES, seo=99)}, "SEO 99"),
        ({"errors": ["line 1: bad"]}, "1 HTML errors, such as line 1: bad"),
    ],
)
def test_a_page_beyond_one_limit_misses_that_one(change, words):
    (miss,) = dataclasses.replace(PAGE, **change).misses()
    assert miss.startswith("chapters/page.html: ")
    assert words in miss


def test_a_line_of_the_table_stands_under_its_titles():
    titles, numbers = line("page", list(COLUMNS)), line(PAGE.name, PAGE.cells())
    assert len(titles) == len(numbers)
    assert numbers.split() == [
        *("chapters/page.html", "450.0", "15.0", "46.0", "0", "0.050"),
        *("90", "98", "100", "100", "100", "0"),
    ]


def test_every_page_is_measured(site):
    (site / "_static").mkdir()
    (site / "_static" / "part.html").write_text("")
    assert names(site) == ["page.html", "search.html?q=softmax"]


# Dependencies


def test_a_package_that_was_skipped_is_not_called_clean():
    output = {
        "dependencies": [
            {"name": "good", "version": "1", "vulns": []},
            {"name": "bad", "version": "2", "vulns": [{"id": "PYSEC-1"}]},
            {"name": "lost", "skip_reason": "not found"},
        ]
    }
    found = dependencies.read_pip(json.dumps(output), "")
    assert found.known == ["bad 2: PYSEC-1"]
    assert found.unchecked == (
        "1 of 3 packages of requirements.lock could not be looked up, such as: not found"
    )


@pytest.mark.parametrize("output", ["", '{"dependencies": []}'])
def test_a_look_up_of_pypi_that_failed_is_not_called_clean(output):
    assert "could not be looked up" in dependencies.read_pip(output, "no route\n").unchecked


def test_what_npm_knows_is_told_once():
    advisory = {"url": "https://github.com/advisories/GHSA-1", "range": "<2"}
    output = {
        "vulnerabilities": {"deep": {"via": [advisory]}, "user": {"via": ["deep"]}},
        "metadata": {"dependencies": {"total": 4}},
    }
    found = dependencies.read_npm(json.dumps(output), "")
    assert found.known == ["deep <2: https://github.com/advisories/GHSA-1"]
    assert (found.packages, found.unchecked) == (4, "")


@pytest.mark.parametrize("output", ["", '{"message": "405 Method Not Allowed", "error": {}}'])
def test_a_look_up_of_npm_that_failed_is_not_called_clean(output):
    assert "could not be looked up" in dependencies.read_npm(output, "no route\n").unchecked


def test_an_accepted_advisory_is_told_with_its_reason(monkeypatch):
    monkeypatch.setitem(dependencies.ACCEPTED, "PYSEC-1", "only on Windows")
    package = {"name": "bad", "version": "2", "vulns": [{"id": "PYSEC-1"}]}
    found = dependencies.read_pip(json.dumps({"dependencies": [package]}), "")
    assert not found.known
    assert found.accepted == ["bad 2: PYSEC-1: only on Windows"]


# Copies


def made(folder: Path, address: Address, **other: str) -> Path:
    """A built book that names its address in all four ways."""
    folder.mkdir()
    path = address.pages.removeprefix("https://").partition("/")[2]
    text = f"{address.url} {address.pages} /gh/{address.owner}/{address.name}/main '/{path}a.html'"
    for name, content in {"page.html": text, "same.js": "same", **other}.items():
        (folder / name).write_text(content)
    return folder


def test_only_the_address_may_differ(tmp_path):
    first = made(tmp_path / "1", copies.FIRST)
    assert copies.differences(first, made(tmp_path / "2", copies.SECOND)) == []
    third = made(tmp_path / "3", copies.SECOND, **{"same.js": "other", "more.js": ""})
    assert copies.differences(first, third) == ["more.js", "same.js"]


# The verdict


@pytest.mark.parametrize("ci", [False, True])
def test_the_verdict_is_plain(monkeypatch, ci):
    monkeypatch.setenv("CI", "true" if ci else "")
    assert Verdict().status() == 0
    said = "No limit is missed, and all that was asked for was checked."
    assert Verdict().sentences() == [said]
    missed = Verdict(missed=["page: too heavy"])
    assert missed.status() == 1
    assert missed.sentences()[0] == "MISSED: page: too heavy"
    unchecked = Verdict(unchecked=["nobody looked"])
    assert unchecked.status() == int(ci)
    assert "not all was checked" in unchecked.sentences()[-1]


@pytest.mark.parametrize(("shift", "status"), [(0.05, 0), (0.06, 1)])
def test_a_missed_limit_is_the_exit_status(monkeypatch, capsys, shift, status):
    def measured(names, runs, verdict):
        assert names == ["chapters/index.html", "index.html"]
        verdict.missed += dataclasses.replace(PAGE, shift=shift).misses()

    monkeypatch.setattr(audit.build, "stamped", audit.build.wanted)
    monkeypatch.setattr(audit.pages, "names", lambda book: ["chapters/index.html", "index.html"])
    monkeypatch.setattr(audit.install, "install", lambda: None)
    monkeypatch.setattr(audit, "audit_pages", measured)
    monkeypatch.setattr(sys, "argv", ["audit", "--only", "index"])
    assert audit.main() == status
    assert ("MISSED: chapters/page.html: layout shift" in capsys.readouterr().out) == bool(status)


def test_a_page_that_is_not_there_is_refused(monkeypatch, capsys):
    monkeypatch.setattr(audit.build, "stamped", audit.build.wanted)
    monkeypatch.setattr(audit.pages, "names", lambda book: ["chapters/index.html"])
    monkeypatch.setattr(sys, "argv", ["audit", "--only", "nowhere"])
    with pytest.raises(SystemExit):
        audit.main()
    assert "no page is nowhere; there are chapters/index.html" in capsys.readouterr().err
