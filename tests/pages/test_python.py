"""Code that is written and run on the page: by keyboard, stopped, kept, failed.

A small worker stands in for Python (fake_worker.js) and does what the lines of a cell say: `loop()`
never ends, `fail` fails. Python itself runs every cell of the book in tests/nightly/test_python.py.
"""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import ClassVar

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.conftest import Visit, until
from tools.local_server import QuietHandler, serving

FAKE = Path(__file__).with_name("fake_worker.js").read_text(encoding="utf-8")
KEPT = "/code temperature "
# What the page asks of Python, in order.
SPY = """window.asked = [];
const { postMessage } = Worker.prototype;
Worker.prototype.postMessage = function (message, ...rest) {
  window.asked.push(message);
  return postMessage.call(this, message, ...rest);
};"""
# Lets what holds, a cell or the start, go on, whenever it comes to that.
GO = """() => {
  const channel = new BroadcastChannel("go");
  setInterval(() => channel.postMessage(""), 50);
}"""
RAN = """asked.filter(({ ask }) => ask === "run")
  .map(({ name, silent }) => silent ? `(${name})` : name)"""
STATUS, OUTPUT = ".run-status", ".run-output"
STORED = "Object.keys(localStorage)"


def faked(page: Page, **cues: object) -> None:
    """Put the stand-in in the place of Python."""
    body = f"const cues = {json.dumps(cues)};\n{FAKE}"
    page.route(
        "**/python/worker.js*", lambda r: r.fulfill(body=body, content_type="text/javascript")
    )
    page.add_init_script(SPY)


@pytest.fixture
def notebook(open_page, server) -> Callable[..., Visit]:
    """A function that opens a page, whose cells the stand-in runs."""

    def visit(*, script: str = "", **cues: object) -> Visit:
        def prepare(page: Page) -> None:
            faked(page, **cues)
            page.add_init_script(script)

        return open_page(f"{server}/chapters/temperature.html", prepare=prepare)

    return visit


def cell(page: Page, name: str) -> Locator:
    return page.locator(f"[data-cell={name}]")


def start(box: Locator) -> None:
    """Press the button that a cell has at rest, by keyboard."""
    box.locator(".run").press("Enter")
    box.locator(".cm-content").wait_for()


def write(box: Locator, text: str, key: str = "Control+Enter") -> None:
    """Write a text in place of the one that is there, and press a key."""
    box.locator(".cm-content").focus()
    keyboard = box.page.keyboard
    keyboard.press("ControlOrMeta+A")
    keyboard.insert_text(text)
    if key:
        keyboard.press(key)


def press(box: Locator, name: str) -> None:
    box.get_by_role("button", name=name, exact=True).press("Enter")


def ran(box: Locator) -> None:
    """Wait until a run has ended well."""
    expect(box.locator(STATUS)).to_contain_text("Ran in")


def begun(notebook: Callable[..., Visit]) -> tuple[Page, Locator]:
    """A page, and a cell of it that has run."""
    page = notebook().page
    box = cell(page, "odds-code")
    start(box)
    ran(box)
    return page, box


def test_nothing_of_python_is_fetched_before_a_press(notebook):
    visit = notebook()
    page = visit.page
    page.wait_for_load_state("networkidle")
    assert not [address for address in visit.requests if "/python/" in address]
    assert page.evaluate("asked.length") == 0
    assert page.locator(".run").count() == page.locator("[data-cell] .cell_input").count() > 20


def test_the_button_of_a_cell_stands_on_its_code_also_beside_a_figure(open_page, server):
    page = open_page(f"{server}/chapters/attention-mechanism.html", width=1280).page
    outside = """buttons => buttons.filter((button) => {
      const code = button.closest(".cell_input").querySelector("pre").getBoundingClientRect();
      return code.width && button.getBoundingClientRect().right > code.right;
    }).map((button) => button.closest("[data-cell]").dataset.cell)"""
    assert page.locator(".run").evaluate_all(outside) == []


def test_an_exercise_from_a_wrong_answer_to_right_by_keyboard_alone(notebook):
    visit = notebook()
    page, box = visit.page, cell(visit.page, "ex-odds-answer")
    start(box)
    expect(box.locator(".cm-content")).to_be_focused()
    expect(box.locator(STATUS)).to_have_text("Python is ready.")
    press(box, "Run")
    expect(box.locator(".result")).to_have_text("Unanswered: put your answer for ...")
    page.evaluate("addEventListener('erred', ({ detail }) => { window.told = detail.told; })")
    write(box, 'print("hello")\ncheck("reads-odds", answer)')
    expect(box.locator(".run-output .stream")).to_have_text("hello")
    expect(box.locator(".result")).to_have_text("Not yet: try 1")
    assert page.evaluate("told") == "try 1"
    expect(page.locator(".run-spoken")).to_contain_text("Not yet: try 1")
    write(box, 'answer = 1\ncheck("reads-odds", answer)', "Shift+Enter")
    expect(box.locator(OUTPUT)).to_have_text("✓ Right: well done.")
    expect(page.locator(".book .done")).to_have_text("✓ 1")
    page.reload()
    expect(box.locator("pre").first).to_have_text('answer = 1\ncheck("reads-odds", answer)')
    expect(box.locator(".result")).to_have_text("✓ Right: well done.")
    start(box)
    expect(box.locator(".cm-content")).to_contain_text("answer = 1")
    assert not visit.problems


def test_lines_in_order_and_filled_gaps_are_run_and_are_there_again(open_page, server):
    page = open_page(f"{server}/chapters/attention-mechanism.html", prepare=faked).page
    box = cell(page, "ex-order-answer")

    def line(text: str) -> Locator:
        return box.locator("li button", has_text=re.compile(rf"^{re.escape(text)}$"))

    def lines() -> list[str]:
        return box.locator("li").all_text_contents()

    first, last = "top = x.max(axis=-1, keepdims=True)", "return e / total"
    line(first).focus()
    for _ in range(9):
        page.keyboard.press("ArrowUp")
    assert lines()[0] == first
    expect(box.locator("[role=status]").first).to_have_text("Line 1 of 6")
    start_, end = line("e = np.exp(x)").bounding_box(), box.locator(".order-apart").bounding_box()
    page.mouse.move(start_["x"] + 9, start_["y"] + 9)
    page.mouse.down()
    page.mouse.move(end["x"] + 9, end["y"] + end["height"] - 1)
    page.mouse.up()
    line("total = e.sum(axis=0, keepdims=True)").focus()
    for _ in range(9):
        page.keyboard.press("ArrowDown")
    line(last).focus()
    while lines()[lines().index("Left out:") - 1] != last:
        page.keyboard.press("ArrowDown")
    order = lines()
    press(box, "Check")
    expect(box.locator(".result")).to_have_text("Not yet: try 1")
    (source,) = page.evaluate(
        "asked.filter(({ name, silent }) => name && !silent).map((a) => a.source)"
    )
    assert [
        text.strip() for text in source.split("def my_softmax(x):\n")[1].split("\n")[:4]
    ] == order[:4]
    assert "answer = my_softmax" in source
    until(page, f"() => {STORED}.length === 1")
    page.reload()
    assert lines()[:5] == order[:5]

    page = open_page(f"{server}/chapters/self-attention.html", prepare=faked).page
    box = cell(page, "ex-fill-answer")
    for gap, text in enumerate(("root", "mask")):
        box.get_by_role("textbox").nth(gap).fill(text)
    press(box, "Check")
    expect(box.locator(".result")).to_have_text("Not yet: try 1")
    (source,) = page.evaluate(
        "asked.filter(({ name, silent }) => name && !silent).map((a) => a.source)"
    )
    assert "q @ k.T / root\n    scores = np.where(mask, scores" in source
    until(page, f"() => {STORED}.length === 1")
    page.reload()
    expect(box.get_by_role("textbox").nth(1)).to_have_value("mask")


def test_a_picture_may_be_kept_and_no_other_address_holds_what_it_leads_to(notebook):
    _, box = begun(notebook)
    kept = "<a id=kept download=card.svg href=data:image/svg+xml;base64,AA==>keep</a>"
    page = "<a id=page download href=data:text/html,x>no</a><a id=run href=javascript:x>no</a>"
    write(box, f'html("{kept}{page}")')
    expect(box.locator("#kept")).to_have_attribute("href", "data:image/svg+xml;base64,AA==")
    for name in ("page", "run"):
        assert box.locator(f"#{name}").get_attribute("href") is None


def test_a_cell_is_edited_fails_and_is_started_over(notebook):
    page = notebook().page
    box, keyboard = cell(page, "odds-code"), page.keyboard
    code, stored = (box.locator(part).first.inner_text() for part in ("pre", ".cell_output"))
    start(box)
    write(box, "if True:", "Enter")
    keyboard.press("Tab")
    assert box.locator(".cm-content").inner_text() == "if True:\n        "
    keyboard.press("Escape")
    expect(box.get_by_role("button", name="Run", exact=True)).to_be_focused()
    write(box, 'print("before")\nfail here')
    expect(box.locator(".run-offends")).to_have_text("fail here")
    expect(box.locator(OUTPUT)).to_contain_text("before")
    expect(page.locator(".run-spoken")).to_have_text("Line 2: NameError: fail here")
    write(box, 'print("on")', "Shift+Enter")
    expect(box.locator(".run-offends")).to_have_count(0)
    expect(cell(page, "limits-code").locator(".cm-content")).to_be_focused()
    expect(cell(page, "limits-code").locator(OUTPUT)).to_be_hidden()  # it was only gone to
    expect(box.locator(OUTPUT)).to_have_text("on")
    until(page, f"() => {STORED}.length === 1")
    press(box, "Start over")
    assert box.locator(".cm-content").inner_text().split() == code.split()
    assert box.locator(".cell_output").first.inner_text() == stored
    assert page.evaluate(STORED) == []


def test_what_a_cell_needs_runs_before_it_and_the_whole_page_in_order(notebook):
    page, box = begun(notebook)
    assert page.evaluate(RAN) == ["(data)", "odds-code"]
    press(box, "More")
    press(box, "Run the whole page")
    expect(box.locator(STATUS)).to_have_text("The whole page ran.")
    cells = page.locator("[data-cell]").evaluate_all("all => all.map((b) => b.dataset.cell)")
    assert [name.strip("()") for name in page.evaluate(RAN)][-len(cells) :] == cells


def test_an_endless_loop_is_stopped_and_the_next_run_begins_anew(notebook):
    page, box = begun(notebook)
    other = cell(page, "limits-code")
    write(box, 'print("so far")\nloop()')
    expect(box.locator(OUTPUT)).to_have_text("so far")
    start(other)
    expect(other.locator(STATUS)).to_have_text("Waits for the cell before it.")
    press(box, "Stop")
    expect(box.locator(STATUS)).to_contain_text("Stopped. Python’s variables are gone")
    expect(other.locator(STATUS)).to_have_text("Not run: Python was stopped.")
    expect(box.locator(OUTPUT)).to_have_text("so far")
    write(box, 'scores\nprint("again")')
    expect(box.locator(OUTPUT)).to_have_text("again")
    assert page.evaluate(RAN)[-2:] == ["(data)", "odds-code"]


class Elsewhere(QuietHandler):
    """Another host, and what was asked of it."""

    asked: ClassVar[list[str]] = []

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send_error(404)


def test_markup_is_made_harmless_and_no_other_host_is_asked(notebook):
    with serving(Elsewhere) as address:
        check_harmless(*begun(notebook), f"{address}/")
    assert Elsewhere.asked == []


def check_harmless(page: Page, box: Locator, address: str) -> None:
    """Let a cell and the page ask another host, and a cell show markup that acts."""
    write(box, f'ask("{address}worker")')
    expect(box.locator(OUTPUT)).to_contain_text("refused")
    markup = (
        f"<b>bold</b><img src='{address}image' onerror='window.owned=1'>"
        "<script>window.owned=1</script><style>body{display:none}</style>"
        "<a href='javascript:window.owned=1'>link</a><form action='/'></form>"
    )
    write(box, f'html("{markup}")\nprint("<b>plain</b>")')
    expect(box.locator(".run-output .stream")).to_have_text("<b>plain</b>")
    expect(box.locator(".run-output b")).to_have_text("bold")
    assert (
        box.locator(".run-output :is(script, style, form, [onerror], [href^=javascript])").count()
        == 0
    )
    for asks in ("fetch(address)", "import(address)", "navigator.sendBeacon(address)"):
        page.evaluate(f"address => Promise.resolve({asks}).catch(() => {{}})", address)
    assert page.evaluate("window.owned") is None


SHOWN = {"model": "m1", "widget": "TemperatureExplorer", "state": {"temperature": 1}, "buffers": []}
TOLD = "asked.filter(({ ask }) => ask === 'widget').map(({ model, state }) => [model, state])"


def test_an_explorer_and_python_move_each_other_and_no_other_widget_comes(notebook):
    visit = notebook(shows={"explorer-widget": [SHOWN]})
    page, box, data = visit.page, cell(visit.page, "odds-code"), cell(visit.page, "data")
    temperature = cell(page, "explorer-widget").get_by_role("slider")
    temperature.fill("100")
    start(data)
    write(data, 'print("no scores")')
    expect(data.locator(OUTPUT)).to_have_text("no scores")
    start(box)  # it takes the scores, which now the cell of the explorer makes
    until(page, f"() => {TOLD}.length > 0")
    assert page.evaluate(TOLD) == [["m1", {"temperature": "inf"}]]  # where the reader moved it
    temperature.fill("0")
    until(page, f"() => {TOLD}.length > 1")
    assert page.evaluate(TOLD)[1:] == [["m1", {"temperature": 0}]]
    write(box, 'move("m1")')
    expect(temperature).to_have_js_property("value", "75")
    assert len(page.evaluate(TOLD)) == 2  # what Python says is not said back to it
    assert not visit.problems
    write(box, f"widget({json.dumps({**SHOWN, 'widget': '__proto__', '_esm': 'owned = 1'})})")
    expect(box.locator(OUTPUT)).to_contain_text("The book has no picture of")
    assert page.evaluate("window.owned") is None


def test_files_that_do_not_come_are_said_and_come_later(notebook):
    page = notebook(fails="load pyodide.asm.wasm: 404").page
    box = cell(page, "odds-code")
    start(box)
    expect(box.locator(STATUS)).to_contain_text("Python’s files did not come.")
    page.unroute("**/python/worker.js*")
    faked(page)
    press(box, "Run")
    ran(box)


def test_what_was_written_in_a_cell_is_there_and_of_one_that_is_gone_too(notebook):
    texts = {f"{KEPT}odds-code": "weights = <mine>", f"{KEPT}gone": "first = 1\n# <b>"}
    page = notebook(script=f"Object.assign(localStorage, {json.dumps(texts)});").page
    expect(cell(page, "odds-code").locator("pre").first).to_have_text("weights = <mine>")
    expect(cell(page, "odds-code").get_by_role("status")).to_have_text("Your text, not run yet.")
    fold = page.locator("article > .run-old")
    fold.locator("summary").press("Enter")
    expect(fold.locator("pre")).to_have_text("first = 1\n# <b>")


def test_forget_forgets_what_was_written_and_nothing_of_others_and_undo_gives_it_back(notebook):
    page = notebook().page
    theirs = {"/other/code temperature odds-code 1": "1", "/codex": "2", "mode": "dark", "x": "3"}
    page.evaluate("all => Object.assign(localStorage, all)", theirs)
    box = cell(page, "odds-code")
    start(box)
    write(box, "mine = 1")
    ran(box)
    expect(page.locator(".progress")).to_contain_text("Your code is kept here")
    press(page.locator(".progress"), "Forget")
    assert page.evaluate("({ ...localStorage })") == theirs
    expect(box.locator(".cm-content")).not_to_contain_text("mine")
    press(page.locator(".progress"), "Undo")
    expect(box.locator(".cm-content")).to_have_text("mine = 1")
