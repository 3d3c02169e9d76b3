"""Code that is written and run on the page: by keyboard, by touch, stopped, kept, failed.

Python itself is the question in the last tests alone. In the others a small worker stands in
for it (fake_worker.js), which does what the lines of a cell say: `loop()` never ends, `fail` fails.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from _ext.python_page import SCRIPTS
from attnutils import GraphAttentionExplorer
from tests.conftest import Visit, exhaustive, some, until
from tests.page.conftest import resize, slider
from tests.page.test_accessibility import CONTRAST, findings
from tests.page.test_progress import FULL
from tests.page.test_speech import Tree
from tests.page.test_without import BLOCKED
from tools.widget_page import saved

FAKE = (Path(__file__).parent / "fake_worker.js").read_text(encoding="utf-8")
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

    def visit(name: str = "temperature", *, script: str = "", **cues: object) -> Visit:
        def prepare(page: Page) -> None:
            faked(page, **cues)
            page.add_init_script(script)

        return open_page(f"{server}/chapters/{name}.html", prepare=prepare)

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


def heard(page: Page, name: str) -> list[str]:
    """What a screen reader says of a cell, line by line."""
    tree = Tree(page, f"[data-cell={name}]")
    return "\n".join(tree.lines(tree.root)).splitlines()


def status(box: Locator) -> Locator:
    return box.locator(".run-status")


def output(box: Locator) -> Locator:
    return box.locator(".run-output")


def press(box: Locator, name: str) -> None:
    box.get_by_role("button", name=name, exact=True).press("Enter")


def ran(box: Locator) -> None:
    """Wait until a run has ended well."""
    expect(status(box)).to_contain_text("Ran in")


# ---- at rest ----------------------------------------------------------------------------------


def test_nothing_of_python_is_fetched_before_a_press(notebook):
    visit = notebook()
    page = visit.page
    page.wait_for_load_state("networkidle")
    assert not [address for address in visit.requests if "/python/" in address]
    buttons = page.locator(".run")
    # What has no code on the page, such as a question, has no button.
    assert buttons.count() == page.locator("[data-cell] .cell_input").count() > 20
    quiet = cell(page, "odds-code").locator(".run")
    assert quiet.evaluate("button => getComputedStyle(button).opacity") == "0"
    quiet.focus()
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("Tab")
    assert quiet.evaluate("button => getComputedStyle(button).opacity") == "1"
    assert page.evaluate("asked.length") == 0


def test_from_a_file_there_is_no_button_and_exercises_say_why(book, open_page):
    visit = open_page((book / "chapters" / "temperature.html").as_uri())
    expect(visit.page.locator(".run")).to_have_count(0)
    notes = visit.page.locator(".run-note")
    expect(notes).to_have_count(visit.page.locator(".exercise [data-cell]").count())
    expect(notes.first).to_contain_text("where the book comes from a web server")
    assert not visit.problems


def test_a_page_in_a_frame_of_others_never_runs_python(notebook):
    frame = "document.documentElement.dataset.framed = '';"
    early = f"new MutationObserver(() => {{ {frame} }}).observe(document, {{ childList: true }});"
    page = notebook(script=early).page
    expect(page.locator(".run")).to_have_count(0)


# ---- an exercise ------------------------------------------------------------------------------


def test_an_exercise_from_a_wrong_answer_to_right_by_keyboard_alone(notebook):
    visit = notebook(start="holds")
    page = visit.page
    box = cell(page, "ex-odds-answer")
    assert heard(page, "ex-odds-answer")[1:] == ['button "Copy"', 'button "Write your answer"']
    start(box)
    expect(box.locator(".cm-content")).to_be_focused()
    expect(status(box)).to_have_text("Python: 1.8 of 9.0 MB")
    expect(box.get_by_role("progressbar")).to_be_visible()
    page.evaluate(GO)
    expect(status(box)).to_have_text("Python is ready.")
    expect(box.get_by_role("progressbar")).to_be_hidden()
    assert "data" in page.evaluate(f"{RAN}.join()")  # what it needs ran meanwhile

    press(box, "Run")
    expect(output(box).locator(".result")).to_have_text("Unanswered: put your answer for ...")
    write(box, 'print("hello")\ncheck("reads-odds", answer)')
    expect(output(box).locator(".stream")).to_have_text("hello")
    expect(output(box).locator(".result")).to_have_text("Not yet: try 1")
    expect(page.locator(".run-spoken")).to_contain_text("Not yet: try 1")
    lines = heard(page, "ex-odds-answer")
    assert lines.pop(5).startswith("Ran in ")  # however long it took
    assert lines == [
        'textbox "Your answer to Exercise 6 (Latecomers)", print("hello")',
        'check("reads-odds", answer)',
        'button "Run"',
        'button "Start over"',
        'button "More", not open',
        "Shift+Enter runs, Tab indents, Esc leaves.",
        "hello",
        "Not yet: try 1",
    ]
    assert page.locator(".done").count() == 0

    # There is nothing to go on to: the verdict is to be read.
    write(box, 'answer = 1\ncheck("reads-odds", answer)', "Shift+Enter")
    expect(output(box)).to_have_text("✓ Right: well done.")
    expect(box.locator(".cm-content")).to_be_focused()
    expect(page.locator(".book .done")).to_have_text("✓ 1")
    title = page.locator("#ex-reads-odds > .admonition-title")
    marked = "title => getComputedStyle(title, '::after').content"
    assert "✓" in title.evaluate(marked)

    page.reload()
    expect(box.locator("pre").first).to_have_text('answer = 1\ncheck("reads-odds", answer)')
    expect(box.get_by_role("status")).to_have_text("Your text, not run yet.")
    assert "✓" in title.evaluate(marked)
    start(box)
    expect(box.locator(".cm-content")).to_contain_text("answer = 1")
    assert not visit.problems
    assert all(
        address.startswith((page.url.split("/chapters")[0], "blob:")) for address in visit.requests
    )


@exhaustive
def test_a_verdict_counts_where_a_figure_follows(notebook):
    """A figure that is not shown at once comes at the end of its cell, as in a notebook."""
    page = notebook().page
    box = cell(page, "ex-odds-answer")
    start(box)
    write(box, 'answer = 1\nprint("so far")\ncheck("reads-odds", answer)\nfigure()')
    expect(output(box).locator(".stream")).to_have_text("so far")
    expect(output(box).locator(".drawing")).to_be_visible()
    expect(output(box).locator(".result")).to_have_text("✓ Right: well done.")
    expect(page.locator(".book .done")).to_have_text("✓ 1")


def test_a_cell_by_touch_on_a_phone(browser: Browser, server):
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    page = context.new_page()
    faked(page)
    page.goto(f"{server}/chapters/temperature.html")
    box = cell(page, "odds-code")
    button = box.locator(".run")
    assert button.evaluate("button => getComputedStyle(button).opacity") == "1"
    assert button.bounding_box()["height"] >= 24
    button.tap()
    ran(box)
    editor = box.locator(".cm-content")
    expect(editor).not_to_be_focused()  # its keyboard would cover the output
    letters = "editor => parseFloat(getComputedStyle(editor).fontSize)"
    assert editor.evaluate(letters) >= 16  # for smaller ones Safari enlarges the page
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    context.close()


# ---- the editor -------------------------------------------------------------------------------


def test_keys_of_the_editor(notebook):
    page = notebook().page
    box = cell(page, "odds-code")
    start(box)
    ran(box)
    keyboard = page.keyboard
    write(box, "if True:", "End")
    keyboard.press("Enter")
    keyboard.insert_text("print(1)")
    keyboard.press("Home")
    keyboard.press("Tab")
    content = box.locator(".cm-content")
    assert content.inner_text() == "if True:\n        print(1)"
    keyboard.press("Shift+Tab")
    assert content.inner_text() == "if True:\n    print(1)"
    described = content.get_attribute("aria-describedby")
    expect(page.locator(f"[id='{described}']")).to_have_text(
        "Shift+Enter runs, Tab indents, Esc leaves."
    )
    keyboard.press("Escape")
    expect(box.get_by_role("button", name="Run", exact=True)).to_be_focused()
    keyboard.press("Tab")
    expect(box.get_by_role("button", name="Start over")).to_be_focused()

    write(box, 'print("on")', "Shift+Enter")
    expect(cell(page, "limits-code").locator(".cm-content")).to_be_focused()
    expect(output(box)).to_have_text("on")
    # It was only gone to.
    expect(output(cell(page, "limits-code"))).to_be_hidden()


@exhaustive
def test_the_line_of_an_error_is_marked_until_the_text_changes(notebook):
    page = notebook().page
    box = cell(page, "odds-code")
    start(box)
    write(box, 'print("before")\nfail here')
    marked = box.locator(".run-offends")
    expect(marked).to_have_text("fail here")
    expect(output(box)).to_contain_text("before")
    expect(output(box).locator(".traceback")).to_contain_text("NameError: fail here")
    expect(page.locator(".run-spoken")).to_have_text("Line 2: NameError: fail here")
    box.locator(".cm-content").press("Backspace")
    expect(marked).to_have_count(0)


@exhaustive
def test_the_dot_of_an_attribute_has_no_colour_of_its_own(notebook):
    box = cell(notebook().page, "odds-code")
    start(box)
    write(box, "x.real + 1")
    expect(box.locator(".cm-content .o")).to_have_text(["+"])


def test_start_over_brings_back_the_books_code_and_output(notebook):
    page = notebook().page
    box = cell(page, "odds-code")
    code, stored = (box.locator(part).first.inner_text() for part in ("pre", ".cell_output"))
    start(box)
    write(box, 'print("mine")')
    expect(output(box)).to_have_text("mine")
    expect(box.locator(".cell_output").first).to_be_hidden()
    until(page, "() => Object.keys(localStorage).length === 1")
    press(box, "Start over")
    assert box.locator(".cm-content").inner_text().strip() == code.strip()
    assert box.locator(".cell_output").first.inner_text() == stored
    expect(output(box)).to_be_hidden()
    assert page.evaluate("Object.keys(localStorage)") == []
    box.locator(".cm-content").press("ControlOrMeta+Z")
    expect(box.locator(".cm-content")).to_have_text('print("mine")')


# ---- Python -----------------------------------------------------------------------------------


def test_what_was_edited_and_run_stands_in_and_only_what_is_needed_runs(notebook):
    page = notebook().page
    data, box = cell(page, "data"), cell(page, "odds-code")
    start(box)
    ran(box)
    assert page.evaluate(RAN) == ["(explorer-widget)", "(data)", "odds-code"]
    press(box, "Run")
    expect(page.locator(".run-spoken")).to_contain_text("Ran in")
    until(page, f"() => {RAN}.length === 4")
    start(data)
    write(data, "scores = softmax = np = 1")
    ran(data)
    press(box, "Run")
    until(page, f"() => {RAN}.at(-1) === 'odds-code' && {RAN}.length > 5")
    assert [name for name in page.evaluate(RAN)[4:] if name != "data"] == ["odds-code"]


def test_an_endless_loop_is_stopped_and_the_next_run_begins_anew(notebook):
    page = notebook().page
    box, other = cell(page, "odds-code"), cell(page, "limits-code")
    start(box)
    ran(box)
    write(box, 'print("so far")\nloop()')
    expect(output(box)).to_have_text("so far")
    expect(status(box)).to_have_text("Running …")
    start(other)
    expect(status(other)).to_have_text("Waits for the cell before it.")
    press(box, "Stop")
    expect(status(box)).to_contain_text("Stopped. Python’s variables are gone")
    expect(status(other)).to_have_text("Not run: Python was stopped.")
    expect(output(box)).to_have_text("so far")
    expect(box.locator(".cm-content")).to_contain_text("loop()")
    expect(box.get_by_role("button", name="Run", exact=True)).to_be_focused()
    expect(box.get_by_role("button", name="Stop")).to_be_hidden()
    write(box, 'scores\nprint("again")')
    expect(output(box)).to_have_text("again")
    assert page.evaluate(RAN)[-2:] == ["(explorer-widget)", "odds-code"]


@exhaustive
def test_two_cells_pressed_at_once_take_turns(notebook):
    page = notebook().page
    first, second = cell(page, "odds-code"), cell(page, "limits-code")
    for box in (first, second):
        start(box)
        ran(box)
    write(first, 'hold()\nprint("one")')
    write(second, 'print("two")')
    expect(status(second)).to_have_text("Waits for the cell before it.")
    page.evaluate(GO)
    expect(output(second)).to_have_text("two")
    expect(output(first)).to_have_text("one")
    assert [name for name in page.evaluate(RAN) if name[0] != "("][-2:] == [
        "odds-code",
        "limits-code",
    ]


@exhaustive
def test_an_earlier_cell_that_fails_says_so(notebook):
    page = notebook(fails="data").page
    box = cell(page, "odds-code")
    start(box)
    expect(status(box)).to_have_text("A cell that runs before this one failed:")
    expect(output(box).locator(".traceback")).to_contain_text("NameError: on purpose")


def test_the_whole_page_runs_in_order_and_ends_at_an_error(notebook):
    page = notebook().page
    box = cell(page, "data")
    start(box)
    ran(box)
    press(box, "More")
    box.get_by_role("button", name="Run the whole page").press("Enter")
    expect(status(box)).to_have_text("The whole page ran.")
    cells = page.locator("[data-cell]").evaluate_all("all => all.map((b) => b.dataset.cell)")
    names = [name.strip("()") for name in page.evaluate(RAN)]
    assert names[-len(cells) :] == cells
    start(cell(page, "odds-code"))
    write(cell(page, "odds-code"), "fail", "")
    press(box, "More")
    box.get_by_role("button", name="Run the whole page").press("Enter")
    expect(status(box)).to_contain_text("failed; the cells after it were not run.")
    assert page.evaluate(RAN)[-1] == "odds-code"


@exhaustive
def test_ten_thousand_lines_keep_the_page_short(notebook):
    page = notebook().page
    box = cell(page, "odds-code")
    start(box)
    before = page.evaluate("document.documentElement.scrollHeight")
    write(box, "print(10000)")
    expect(output(box)).to_contain_text("\n10000\n")
    ran(box)
    assert page.evaluate("document.documentElement.scrollHeight") < before + 600
    text = output(box).locator("pre")
    expect(text).to_have_attribute("tabindex", "0")
    text.press("End")
    until(page, "pre => pre.scrollTop > 1000", text.element_handle())


@exhaustive
def test_an_output_takes_the_place_of_the_one_before_and_nothing_jumps(notebook):
    page = notebook().page
    box = cell(page, "draw-four")
    box.locator("summary").press("Enter")
    figure = box.locator("figure:visible")
    caption = figure.locator("figcaption").inner_text()
    alt = figure.locator(".drawing").get_attribute("aria-label")
    start(box)  # what it runs puts out nothing, at once or later
    write(box, "figure()")
    expect(box.locator("figure:visible #run-mark")).to_have_count(1)
    figure = box.locator("figure:visible")
    assert figure.locator("figcaption").inner_text() == caption
    assert figure.locator(".drawing[role=img]").get_attribute("aria-label") == alt
    # What it draws is drawn, in the colour of the page; what is elsewhere is not asked for.
    (mark,) = figure.locator("use").all()
    assert mark.bounding_box()["width"] > 5
    assert mark.evaluate("e => getComputedStyle(e).fill") == "rgb(0, 105, 166)"
    write(box, "picture()")
    expect(output(box).locator("img[src^='data:image/png']")).to_have_count(1)


def test_markup_is_made_harmless(notebook):
    page = notebook().page
    box = cell(page, "odds-code")
    start(box)
    write(
        box,
        "html(\"<b>bold</b><img src=x onerror='window.owned=1'><script>window.owned=1</script>"
        "<style>body{display:none}</style><a href='javascript:window.owned=1'>link</a>"
        '<form action=\'https://elsewhere.example\'></form>")\nprint("<b>plain</b>")',
    )
    ran(box)
    expect(output(box).locator("b")).to_have_text("bold")
    expect(output(box).locator(".stream")).to_have_text("<b>plain</b>")
    assert output(box).locator("script, style, form, [onerror], [href^=javascript]").count() == 0
    assert page.evaluate("window.owned") is None


# ---- widgets ----------------------------------------------------------------------------------

SHOWN = {"model": "m1", "widget": "TemperatureExplorer", "state": {"temperature": 1}, "buffers": []}
TOLD = "asked.filter(({ ask }) => ask === 'widget').map(({ model, state }) => [model, state])"


def test_an_explorer_whose_cell_ran_for_others_is_the_one_on_the_page(notebook):
    visit = notebook(shows={"explorer-widget": [SHOWN]})
    page, box = visit.page, cell(visit.page, "sparsemax-code")
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    temperature = slider(cell(page, "explorer-widget"))
    temperature.fill("100")
    start(box)  # it takes the scores, which that cell makes
    until(page, f"() => {TOLD}.length > 0")
    # Where the reader has moved it, it stays, and Python knows.
    run = "asked.find(({ name, silent }) => silent && name === 'explorer-widget').widgets"
    assert page.evaluate(run) == {"explorer-widget": [{"temperature": "inf"}]}
    assert page.evaluate(TOLD) == [["m1", {"temperature": "inf"}]]
    temperature.fill("0")
    until(page, f"() => {TOLD}.length > 1")
    assert page.evaluate(TOLD)[1:] == [["m1", {"temperature": 0}]]

    write(box, 'move("m1")')
    expect(temperature).to_have_js_property("value", "75")
    assert len(page.evaluate(TOLD)) == 2  # what Python says is not said back to it
    assert not visit.problems


@pytest.mark.parametrize("name", some(["Nothing", "../../theme", "__proto__"], "__proto__"))
def test_a_widget_is_chosen_from_the_books_and_no_other(notebook, name):
    shown = {**SHOWN, "widget": name, "script": "window.owned = 1", "_esm": "window.owned = 1"}
    page = notebook().page
    box = cell(page, "odds-code")
    start(box)
    ran(box)
    write(box, f"widget({json.dumps(shown)})")
    expect(output(box)).to_contain_text("The book has no picture of")
    assert page.evaluate("window.owned") is None


@exhaustive
def test_a_widget_of_another_page_is_shown(notebook):
    made = GraphAttentionExplorer.example()
    record = saved(made)
    buffers = [{"path": b["path"], "bytes": b["data"]} for b in record["buffers"]]
    shown = {"model": "m2", "widget": "GraphAttentionExplorer", "state": record["state"]}
    page = notebook().page
    box = cell(page, "odds-code")
    start(box)
    ran(box)
    write(box, f"widget({json.dumps({**shown, 'buffers': buffers})})")
    expect(output(box).locator(".widget-slot[data-state=live] .attn")).to_be_visible()
    assert output(box).get_by_role("slider").count() > 0


# ---- what goes wrong --------------------------------------------------------------------------


def test_the_server_is_gone_while_python_loads(notebook):
    visit = notebook(start="no files")
    page, box = visit.page, cell(visit.page, "odds-code")
    start(box)
    expect(status(box)).to_contain_text("Python’s files did not come.")
    page.unroute("**/python/worker.js*")
    page.route("**/python/worker.js*", lambda route: route.abort())
    press(box, "Run")
    expect(status(box)).to_contain_text("Python’s files did not come.")
    page.unroute("**/python/worker.js*")
    faked(page)
    press(box, "Run")
    ran(box)


@pytest.mark.parametrize("script", some(SCRIPTS, "editor.js"))
def test_the_editor_does_not_come(notebook, script):
    page = notebook().page
    page.route(f"**/{script}*", lambda route: route.abort())
    box = cell(page, "odds-code")
    box.locator(".run").press("Enter")
    expect(box.get_by_role("status")).to_contain_text("The editor did not come.")
    page.unroute(f"**/{script}*")
    start(box)
    ran(box)
    assert len(page.workers) == 1  # what was started for the first press is ended


BREAKS = [
    ("break_down(Out of memory)", "took more memory than a page has, so Python was ended"),
    ("break_down(unreachable)", "Python broke and was ended"),
    ("break_down(CompileError: v128)", "too old to run Python"),
]


@pytest.mark.parametrize(("line", "said"), some(BREAKS, BREAKS[0]))
def test_python_breaks(notebook, line, said):
    page = notebook().page
    box = cell(page, "odds-code")
    start(box)
    write(box, line)
    expect(status(box)).to_contain_text(said)
    write(box, 'print("again")')
    expect(output(box)).to_have_text("again")


GONE = "The browser has ended Python"


def test_the_browser_ends_python_while_a_cell_runs(notebook):
    page = notebook().page
    box, other = cell(page, "odds-code"), cell(page, "limits-code")
    for each in (box, other):
        start(each)
        ran(each)
    write(box, 'print("so far")\nhold()\nvanish()')
    write(other, 'print("after")')
    expect(status(other)).to_have_text("Waits for the cell before it.")
    page.evaluate(GO)
    expect(status(box)).to_contain_text(GONE)
    expect(status(other)).to_have_text("Not run: Python was stopped.")
    assert page.get_by_text(GONE).count() == 2  # seen once, and heard once
    expect(output(box)).to_have_text("so far")
    expect(box.get_by_role("button", name="Stop")).to_be_hidden()
    write(box, 'scores\nprint("again")')
    expect(output(box)).to_have_text("again")
    assert page.evaluate(RAN)[-2:] == ["(explorer-widget)", "odds-code"]


def test_the_browser_ends_python_while_nothing_runs(notebook):
    page = notebook().page
    box = cell(page, "odds-code")
    start(box)
    write(box, "vanish_later()")
    ran(box)
    page.evaluate(GO)
    expect(status(box)).to_contain_text(GONE)
    assert page.get_by_text(GONE).count() == 2
    write(box, 'print("again")')
    expect(output(box)).to_have_text("again")
    # Who stops Python is told that, and no more.
    write(box, "loop()")
    expect(status(box)).to_have_text("Running …")
    press(box, "Stop")
    expect(status(box)).to_contain_text("Stopped.")
    page.wait_for_timeout(500)
    expect(status(box)).to_contain_text("Stopped.")


@exhaustive
@pytest.mark.parametrize(
    "script",
    [
        "Object.defineProperty(navigator, 'locks', { value: undefined });",
        "delete Crypto.prototype.randomUUID;",
    ],
)
def test_without_what_needs_encryption_the_cells_run_all_the_same(notebook, script):
    """A page that came without has no locks; some older browsers have these and no UUIDs."""
    page = notebook(script=script).page
    box = cell(page, "odds-code")
    start(box)
    ran(box)


KILLED = "addEventListener('pagehide', (event) => event.stopImmediatePropagation());"
PUT_AWAY = "The browser had put this page away."


@exhaustive
@pytest.mark.parametrize("is_killed", [True, False])
def test_a_page_that_was_put_away_says_so_once(notebook, is_killed):
    """A page that the browser discards is not told before; one that is left is."""
    page = notebook(script=KILLED if is_killed else "").page
    box = cell(page, "odds-code")
    start(box)
    write(box, "kept = 1")
    ran(box)
    until(page, f"() => Object.keys(localStorage).some((key) => key.startsWith({KEPT!r}))")
    page.reload()
    note = box.locator(".run-note")
    expect(note).to_contain_text(PUT_AWAY if is_killed else "Your text, not run yet.")
    assert page.get_by_text(PUT_AWAY).count() == is_killed
    expect(box.locator("pre").first).to_have_text("kept = 1")
    page.reload()
    expect(note).to_have_text("Your text, not run yet.")
    start(box)
    ran(box)


# Of what the browser itself says of leaving, the page hears nothing.
UNHEARD = KILLED.replace("event.stop", "event.isTrusted && event.stop")
BACK = """for (const type of ["pagehide", "pageshow"]) {
  dispatchEvent(new PageTransitionEvent(type, { persisted: true }));
}"""


@exhaustive
def test_a_page_that_comes_back_as_it_was_left_can_be_put_away(notebook):
    """The browser keeps a page that is left, with its Python, for who goes back to it."""
    page = notebook(script=UNHEARD).page
    box = cell(page, "odds-code")
    start(box)
    ran(box)
    page.evaluate(BACK)
    page.reload()
    expect(box.locator(".run-note")).to_contain_text(PUT_AWAY)


# Its workers cannot import.
CLASSIC = """const Module = Worker;
Worker = class extends Module { constructor(address) { super(address); } };"""


@pytest.mark.parametrize("script", some(["delete window.WebAssembly;", CLASSIC], CLASSIC))
def test_a_browser_that_is_too_old_says_so(notebook, script):
    page = notebook(script=script).page
    box = cell(page, "odds-code")
    start(box)
    expect(status(box)).to_contain_text("This browser is too old to run Python.")
    assert page.evaluate("asked.length") == 0


# ---- what is kept -----------------------------------------------------------------------------


@exhaustive
@pytest.mark.parametrize("script", [BLOCKED, FULL])
def test_a_store_that_is_refused_or_full_is_said_once(notebook, script):
    visit = notebook(script=script)
    box, other = (cell(visit.page, name) for name in ("odds-code", "limits-code"))
    start(box)
    ran(box)
    write(box, "one", "")
    expect(status(box)).to_contain_text("What you write is not kept")
    write(box, 'print("still")')
    expect(output(box)).to_have_text("still")
    start(other)
    write(other, "two", "")
    visit.page.wait_for_timeout(500)
    expect(status(other)).not_to_contain_text("not kept")
    assert not visit.problems


def test_what_was_written_on_an_earlier_version_of_a_cell_is_shown_beside_it(notebook):
    page = notebook(script=f"localStorage['{KEPT}odds-code 1abc'] = 'weights = <mine>';").page
    box = cell(page, "odds-code")
    expect(box.locator("pre").first).to_contain_text("weights = softmax(scores)")
    old = box.locator(".run-old")
    old.locator("summary").click()
    expect(old).to_contain_text("weights = <mine>")
    start(box)
    write(box, "new", "")
    until(page, "() => Object.keys(localStorage).length === 2")
    press(old, "Forget")
    expect(old.locator("pre")).to_be_hidden()
    until(page, "() => Object.keys(localStorage).length === 1")
    press(old, "Undo")
    expect(old.locator("pre")).to_be_visible()
    until(page, "() => Object.keys(localStorage).length === 2")


def test_what_was_written_in_a_cell_that_is_gone_stands_at_the_end(notebook):
    texts = {f"{KEPT}gone 1": "first = 1\n# <b>", f"{KEPT}older 2": "second", "/code other x 1": ""}
    script = f"Object.assign(localStorage, {json.dumps(texts)});"
    visit = notebook(script=f"if (!localStorage.length) {{ {script} }}")
    page = visit.page
    fold = page.locator("article > .run-old")
    expect(fold.locator("summary")).to_have_text(
        "What you wrote in cells that are not on this page any more"
    )
    expect(fold.locator("pre").first).to_be_hidden()
    fold.locator("summary").press("Enter")
    expect(fold.locator("pre")).to_have_text(["first = 1\n# <b>", "second"])
    assert findings(page) == []
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    fold.get_by_role("button", name="Copy").first.press("Enter")
    expect(fold.get_by_role("button", name="Copied")).to_have_count(1)
    assert page.evaluate("navigator.clipboard.readText()") == "first = 1\n# <b>"
    resize(page, 320)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    resize(page, 1280)
    fold.get_by_role("button", name="Forget").last.press("Enter")
    expect(fold.locator("pre:visible")).to_have_text(["first = 1\n# <b>"])
    assert sorted(page.evaluate("Object.keys(localStorage)")) == [
        "/code other x 1",
        f"{KEPT}gone 1",
    ]
    page.reload()
    expect(fold.locator("pre")).to_have_text(["first = 1\n# <b>"])
    press(page.locator(".progress"), "Forget")
    expect(fold).to_be_hidden()
    assert page.evaluate("Object.keys(localStorage)") == []
    press(page.locator(".progress"), "Undo")
    expect(fold).to_be_visible()
    assert sorted(page.evaluate("Object.keys(localStorage)")) == [
        "/code other x 1",
        f"{KEPT}gone 1",
    ]
    assert not visit.problems


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
    expect(status(box)).to_have_text("Your text is back. It is not run yet.")
    assert len(page.evaluate("Object.keys(localStorage)")) == len(theirs) + 1


# ---- accessibility ----------------------------------------------------------------------------


@exhaustive
def test_axe_finds_nothing_while_cells_run(notebook):
    page = notebook().page
    page.emulate_media(reduced_motion="reduce")
    found = {}
    box, exercise = cell(page, "odds-code"), cell(page, "ex-odds-answer")
    start(box)
    write(box, 'print(2000)\nwarn("careful")\nfail')
    expect(box.locator(".run-offends")).to_have_count(1)
    start(exercise)
    write(exercise, 'answer = 1\ncheck("reads-odds", answer)')
    expect(output(exercise)).to_contain_text("Right")
    press(exercise, "More")
    found["light"] = findings(page)
    page.emulate_media(color_scheme="dark", reduced_motion="reduce")
    resize(page, 390)
    found["dark, 390"] = findings(page, CONTRAST)
    resize(page, 320)
    assert page.evaluate("document.documentElement.scrollWidth") == 320
    write(box, "loop()")
    expect(status(box)).to_have_text("Running …")
    found["running"] = findings(page, CONTRAST)
    assert not {state: told for state, told in found.items() if told}


# ---- other hosts ------------------------------------------------------------------------------


def test_nothing_is_asked_of_another_host(notebook, elsewhere):
    address, asked = elsewhere
    visit = notebook()
    page, box = visit.page, cell(visit.page, "odds-code")
    start(box)
    ran(box)
    write(box, f'ask("{address}worker")')
    expect(output(box)).to_contain_text("refused")
    write(box, f"html(\"<img src='{address}image'><p>seen</p>\")")
    expect(output(box)).to_have_text("seen")
    for asks in ("fetch(address)", "import(address)", "navigator.sendBeacon(address)"):
        page.evaluate(f"address => Promise.resolve({asks}).catch(() => {{}})", address)
    assert asked == []


# ---- Python itself ----------------------------------------------------------------------------


def test_a_visit_with_python_itself(open_page, server, elsewhere):
    """Python is started twice here, and nowhere else: that takes seconds."""
    address, asked = elsewhere
    visit = open_page(f"{server}/chapters/temperature.html")
    page = visit.page
    box = cell(page, "ex-odds-answer")
    start(box)
    expect(status(box)).to_have_text("Python is ready.", timeout=120_000)
    write(box, "from attnutils import check\nanswer = np.exp(3)\ncheck('reads-odds', answer)")
    expect(output(box)).to_contain_text("Not yet")
    write(box, 'answer = np.exp(2)\nprint(answer)\ncheck("reads-odds", answer)')
    expect(output(box).locator(".result")).to_have_text(
        "✓ Right: only the gap between two scores matters."
    )
    expect(page.locator(".book .done")).to_have_text("✓ 1")

    # Errors of Python, in the reader's line.
    write(box, "x = 1\nx = = 2")
    expect(box.locator(".run-offends")).to_have_text("x = = 2")
    expect(output(box)).to_contain_text("SyntaxError")
    write(box, "def f():\n    return nowhere\n\nf()")
    expect(box.locator(".run-offends")).to_have_text("    return nowhere")
    write(box, "for n in range(10_000):\n    print(n)")
    expect(output(box)).to_contain_text("\n9999\n")

    # A widget, both ways.
    made = cell(page, "explorer-widget")
    made.locator("summary").first.press("Enter")
    start(made)
    write(
        made,
        "from attnutils import TemperatureExplorer\n"
        "from attnutils.worked_example import KEYS, VALUES, WORDS\n"
        "scores = KEYS @ KEYS[5]\n"
        "explorer = TemperatureExplorer(WORDS, scores, VALUES)\nexplorer",
    )
    temperature = slider(output(made))
    expect(temperature).to_have_js_property("value", "50")
    write(box, "explorer.temperature = 10")
    expect(temperature).to_have_js_property("value", "75")
    temperature.fill("100")
    write(box, "print(explorer.temperature, explorer.weights[3].round(3))")
    expect(output(box)).to_have_text("inf 0.167")

    # Another host.
    write(box, f"from pyodide.http import open_url\nopen_url({address!r})")
    expect(output(box).locator(".traceback")).to_be_visible()
    assert asked == []

    # A figure stands where the book's stands.
    drawn = cell(page, "draw-four")
    stored = drawn.locator("figure .drawing").bounding_box()
    drawn.locator("summary").press("Enter")
    start(drawn)
    image = output(drawn).locator("figure .drawing")
    expect(image).to_be_visible(timeout=60_000)
    ran(drawn)
    assert image.bounding_box()["width"] == pytest.approx(stored["width"], abs=2)
    assert image.bounding_box()["height"] == pytest.approx(stored["height"], rel=0.05)

    # Memory, really exhausted: said once, and Python goes on.
    write(box, "big = [np.empty(2**25) for _ in range(100)]")
    too_much = "A page has less memory than a program. Try something smaller."
    expect(output(box).locator(".traceback")).to_contain_text(too_much, timeout=120_000)
    assert page.get_by_text(too_much).count() == 2  # seen once, and heard once
    write(box, "print('big' in globals(), len(scores))")
    expect(output(box)).to_have_text("False 6")

    # An endless loop.
    write(box, "kept = 1\nwhile True:\n    pass")
    expect(status(box)).to_have_text("Running …")
    press(box, "Stop")
    expect(status(box)).to_contain_text("Stopped.")
    write(box, "print('kept' in globals(), len(scores))")
    expect(output(box)).to_have_text("False 6", timeout=120_000)
    home = (server, "blob:", "data:", address)  # which was refused
    assert not [asked for asked in visit.requests if not asked.startswith(home)]
