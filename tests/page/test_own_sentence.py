"""A reader writes a sentence and sees its 72 heads: by keyboard, on a phone, refused, stopped.

In the first tests a small worker stands in for Python. The last runs Python and the model.
"""

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.conftest import Visit, exhaustive
from tests.page.conftest import resize
from tests.page.test_accessibility import CONTRAST, findings
from tests.page.test_python import faked

CELL = "own-sentence-code"
HOSTILE = 'a "quoted" \\ back\\slash $& $1 <img src=x onerror=alert(1)> {x} \U0001f600 \u2028 ")#'
AMOUNT = re.compile(r"^all-MiniLM-L6-v2: (\d+\.\d) of 31\.\d MB$")
# What a screen reader hears, and what the form says: every text that stood there.
NOTES = """window.heard = [];
window.seen = [];
new MutationObserver((changes) => {
  for (const { target } of changes) {
    const { className, textContent } = target;
    if (className === "run-spoken" && heard.at(-1) !== textContent) heard.push(textContent);
    if (className === "run-status" && seen.at(-1) !== textContent) seen.push(textContent);
  }
}).observe(document, { childList: true, subtree: true });"""
MODEL = re.compile(r"/minilm-\w+/\d\d\.zip")


def parts(page: Page) -> tuple[Locator, Locator, Locator]:
    """The cell of the page, the field of its form and its button."""
    box = page.locator(f"[data-cell={CELL}]")
    form = box.locator("form")
    return box, form.get_by_label("Your sentence"), form.locator("button:not([hidden])").first


def says(box: Locator) -> Locator:
    return box.locator("form .run-status")


@pytest.fixture
def visit(open_page, server) -> Visit:
    """The page, whose cells the stand-in runs."""
    return open_page(f"{server}/chapters/trained-heads.html", prepare=faked)


def test_a_sentence_becomes_a_text_of_the_cell_and_nothing_else(visit):
    page = visit.page
    box, field, look = parts(page)
    expect(look).to_have_text(re.compile(r"^Fetch Python and the model \(4\d MB\) and look$"))
    before = len(visit.requests)
    for blank in ("", "   ", "\u3000\t "):
        field.fill(blank)
        field.press("Enter")
        expect(box.locator(".run-note").last).to_have_text("Write a sentence first.")
    assert len(visit.requests) == before

    field.fill(HOSTILE)
    field.press("Enter")
    expect(says(box)).to_have_text("Ran in 0.1 s.")
    expect(look).to_have_text("Look")
    expect(box.locator(".cm-content")).not_to_be_visible()  # the code is folded
    (source,) = page.evaluate(
        f"asked.filter(({{ name, silent }}) => name === '{CELL}' && !silent).map((x) => x.source)"
    )
    names: dict[str, object] = {}
    exec(source.partition("\n\n")[0], names)
    assert names["sentence"] == HOSTILE
    assert source.partition("\n\n")[2].startswith("if sentence.strip():")

    # The next one takes the place of that, also where the reader has spoiled the line.
    field.fill("Another one")
    look.press("Enter")
    expect(box.locator(".cm-line").nth(1)).to_contain_text('sentence = "Another one"  # @param')
    box.locator("summary").press("Enter")
    box.locator(".cm-content").focus()
    page.keyboard.press("ControlOrMeta+A")
    page.keyboard.insert_text("sentence = None")
    field.fill("A third")
    look.press("Enter")
    expect(box.locator(".cm-line").nth(1)).to_contain_text('sentence = "A third"  # @param')

    # It is kept like what is written in other cells, and stands in its field again.
    expect(says(box)).to_have_text("Ran in 0.1 s.")
    page.evaluate("dispatchEvent(new Event('pagehide'))")
    page.reload()
    expect(parts(page)[1]).to_have_value("A third")


@exhaustive
def test_the_form_on_a_phone_while_it_runs(visit):
    page = visit.page
    resize(page, 390)
    page.emulate_media(color_scheme="dark")
    box, field, look = parts(page)
    found = {"rest": findings(page, CONTRAST)}
    field.fill("A sentence")
    # The stand-in does what a line of the cell says.
    box.locator("pre").first.evaluate("(pre) => pre.append('\\nloop()\\n')")
    look.press("Enter")
    expect(says(box)).to_have_text("Running …")
    found["running"] = findings(page, CONTRAST)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    stop = box.locator("form").get_by_role("button", name="Stop")
    stop.press("Enter")
    expect(says(box)).to_contain_text("Stopped.")
    expect(stop).to_be_hidden()
    expect(look).to_be_focused()
    assert not {state: told for state, told in found.items() if told}


@exhaustive
def test_the_model_reads_a_sentence_in_the_page(open_page, server, elsewhere):
    visit = open_page(
        f"{server}/chapters/trained-heads.html", prepare=lambda page: page.add_init_script(NOTES)
    )
    page = visit.page
    box, field, look = parts(page)
    assert not [url for url in visit.requests if "/python/" in url]
    resize(page, 390)
    field.fill("The old man the boat")
    look.press("Enter")
    expect(says(box)).to_have_text(re.compile(r"^Ran in"), timeout=240_000)
    heard = page.evaluate("heard")
    assert sum(text.startswith("Getting all-MiniLM-L6-v2, 31.") for text in heard) == 1
    seen = [float(x[1]) for x in map(AMOUNT.search, page.evaluate("seen")) if x]
    assert len(seen) > 3
    assert seen == sorted(seen)
    assert len({url for url in visit.requests if MODEL.search(url)}) == 14
    output = box.locator(".run-output")
    told = re.search(r"off by at most (0\.\d+)\.", output.inner_text())
    assert told
    assert 0 < float(told[1]) < 0.02
    rows = output.locator("table th[scope=row]")
    tokens = ["[CLS]", "the", "old", "man", "the", "boat", "[SEP]"]
    expect(rows).to_have_text(tokens)
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert not findings(page, CONTRAST)

    # The next ones fetch nothing.
    before = len(visit.requests)
    for text, first, last in (
        ("\U0001f600", "[UNK]", "[UNK]"),
        ("[SEP] caf\u00e9", "[", "cafe"),
        ("\u4e2d\u6587", "\u4e2d", "\u6587"),
        ("x" * 101, "[UNK]", "[UNK]"),
        ("7 " * 999, "7", "7"),
    ):
        field.fill(text)
        field.press("Enter")
        expect(rows.nth(1)).to_have_text(first, timeout=60_000)
        expect(rows.nth(-2)).to_have_text(last)
    expect(output).to_contain_text("It has 999 word pieces; only the first 30 are read.")
    expect(rows).to_have_count(32)
    field.fill("\u200b\u200b")
    field.press("Enter")
    expect(output).to_have_text("There is no word in it.")
    home = (server, "blob:", "data:")
    assert not [url for url in visit.requests if not url.startswith(home)]
    assert not [url for url in visit.requests[before:] if url.startswith(server)]
