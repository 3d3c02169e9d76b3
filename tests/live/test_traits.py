"""A control moves the Python trait, and the trait moves the control, over a real kernel."""

from itertools import chain

import pytest
from playwright.sync_api import expect

from attnutils import HeadTeaser
from tests.conftest import until
from tests.page.conftest import SHOWN, temperature_at
from tests.page.test_live_model import SLIDING, steps

# The text, the controls and the numbers of the first widget.
SEEN = f"JSON.stringify(JSON.parse(({SHOWN})(document.querySelector('.attn'))).slice(0, 3))"


def test_a_choice_and_python_move_each_other(notebook):
    view = notebook.show("w = HeadTeaser.example()\nw")
    words = view.get_by_role("group", name="Your guess").get_by_role("radio")
    words.nth(1).check()
    notebook.waits_for("w.guess", "1")
    notebook.run("w.guess, w.sentence = 3, 'gaussian'")
    expect(words.nth(3)).to_be_checked()
    expect(view.get_by_role("radio", name="gaussian")).to_be_checked()
    # Nothing has bounced.
    notebook.waits_for("(w.guess, w.sentence)", "(3, 'gaussian')")


@pytest.mark.parametrize("name", [each.__name__ for each in SLIDING if each is not HeadTeaser])
def test_each_widget_and_python_move_each_other(notebook, name):
    view = notebook.show(f"w = {name}.example()\nw")
    notebook.run("start = {name: getattr(w, name) for name in w.moved()}")
    notebook.run("sent = w.get_state(start)")
    said = notebook.page.evaluate(SEEN)
    for step in chain.from_iterable(steps(view)):
        step()
        if notebook.page.evaluate(SEEN) != said:
            break
    notebook.waits_for("w.get_state(start) != sent", "True")
    notebook.run("for name, x in start.items():\n    setattr(w, name, x)")
    until(notebook.page, f"(said) => {SEEN} === said", said)
    # Nothing has bounced.
    notebook.waits_for("w.get_state(start) == sent", "True")


def test_arrays_travel_both_ways(notebook):
    view = notebook.show("w = AttentionBench(WORDS, KEYS, VALUES, query=5)\nw")
    view.get_by_role("spinbutton", name="value of The").fill("-1")
    notebook.waits_for("w.value_matrix.ravel().tolist()[0]", "-1.0")
    notebook.run("w.key_matrix = np.arange(18).reshape(6, 3) / 4")
    cell = view.get_by_role("spinbutton", name="key of Book, third component")
    expect(cell).to_have_value("4.25")
    shown = view.locator(".headline .o data").get_attribute("value")
    assert float(notebook.run("print(w.output[0])")) == pytest.approx(float(shown), abs=1e-12)


@pytest.mark.parametrize(
    ("key", "there", "back_key", "place"),
    [("End", "inf", "ArrowLeft", 99), ("Home", "0.0", "ArrowRight", 1)],
)
def test_both_ends_of_the_temperature(notebook, key, there, back_key, place):
    view, back = notebook.show("w = explore()\nw"), temperature_at(place)
    slider = view.get_by_role("slider")
    slider.press(key)
    notebook.waits_for("w.temperature", there)
    slider.press(back_key)
    notebook.waits_for("w.temperature", str(back))
    notebook.run(f"w.temperature = float({there!r})")
    expect(slider).to_have_value("100" if there == "inf" else "0")
    expect(view.locator("output")).to_have_text("∞" if there == "inf" else "0")
    notebook.run(f"w.temperature = {back}")
    expect(slider).to_have_value(str(place))


def test_a_question_is_answered(notebook):
    view = notebook.show("Question('Half of `1`?', answer=0.5, hints={2: 'Halve, not double.'})")
    answer = view.get_by_role("textbox")
    for text, verdict in (("2", "Not yet. Halve, not double."), ("0,5", "✓ Right.")):
        answer.fill(text)
        answer.press("Enter")
        expect(view.get_by_role("status")).to_have_text(verdict)


def test_a_thing_to_try_moves_its_explorer(notebook):
    view = notebook.show(
        "w, b = explore(), AttentionBench(WORDS, KEYS, VALUES, query=5)\n"
        "ThingsToTry(b, ('Who asks?', 'The.', {'query': 0, 'temperature': 0}))"
    )
    view.get_by_role("button", name="Who asks?").press("Enter")
    notebook.waits_for(
        "(b.query, b.temperature, b.query_vector.tolist())", "(0, 0.0, [0.0, 0.0, 0.0])"
    )
    expect(view.get_by_text("What to see")).to_be_visible()


def test_an_observer_gets_every_change(notebook):
    view = notebook.show(
        "w, seen = explore(), []\n"
        "w.observe(lambda change: seen.append((change.old, change.new)), 'temperature')\nw"
    )
    view.get_by_role("slider").press("ArrowRight")
    notebook.waits_for("seen", "[(1.0, 1.1)]")
    view.get_by_role("slider").press("End")
    notebook.waits_for("seen", "[(1.0, 1.1), (1.1, inf)]")
    notebook.run("w.temperature = 0.2")
    notebook.waits_for("seen[-1]", "(inf, 0.2)")


def test_a_bad_value_leaves_the_page_as_it_is(notebook):
    view = notebook.show("w = explore()\nw")
    with pytest.raises(AssertionError, match="temperature must be a number from 0 to inf"):
        notebook.run("w.temperature = -1")
    expect(view.get_by_role("slider")).to_have_value("50")


def test_keys_in_a_widget_are_the_widgets(notebook):
    """In JupyterLab, arrows go from cell to cell and D D deletes one, unless the widget objects."""
    view = notebook.show("w = explore()\nw")
    view.get_by_role("slider").press("ArrowLeft")
    notebook.waits_for("w.temperature", "0.91")
    view.get_by_role("combobox").press("ArrowDown")
    notebook.waits_for("w.normalizer", "sparsemax")
    tie = view.get_by_role("checkbox")
    tie.press("d")
    tie.press("d")
    tie.press("Space")
    notebook.waits_for("w.tie", "True")


def test_a_quick_drag_ends_where_the_hand_lets_go(notebook):
    """An answer of the kernel that comes late must not pull the slider back."""
    view = notebook.show("w = explore()\nw.observe(lambda _: [0] * 10**6, 'temperature')\nw")
    slider = view.get_by_role("slider")
    slider.evaluate("""(slider) => {
      window.jumps = [];
      let wanted = slider.value;
      slider.addEventListener("input", () => { wanted = slider.value; });
      const watch = () => {
        if (slider.value !== wanted) jumps.push([wanted, slider.value]);
        if (slider.isConnected) requestAnimationFrame(watch);
      };
      watch();
    }""")
    box = slider.bounding_box()
    y = box["y"] + box["height"] / 2
    mouse = notebook.page.mouse
    mouse.move(box["x"] + box["width"] / 2, y)
    mouse.down()
    for share in (0.1, 0.9, 0.2, 0.8, 0.3, 0.7):
        mouse.move(box["x"] + box["width"] * share, y, steps=25)
    mouse.up()
    expect(view.locator("output")).not_to_have_text("1")
    notebook.waits_for("f'{w.temperature:g}'", view.locator("output").inner_text())
    assert notebook.page.evaluate("jumps") == []
