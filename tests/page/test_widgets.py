"""The widgets on the pages of the book: what the reader moves changes what the reader sees."""

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from attnutils import AttentionBench, Question, TemperatureExplorer, entropy
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.book.test_lessons import LESSONS
from tests.book.test_questions import QUESTIONS, asked
from tests.examples import HOSTILE_WIDGETS, USUAL, WIDE_WIDGETS
from tests.examples._texts import IMAGE
from tests.page.conftest import SAMPLES, drag, picture, resize, slider, temperature_at

SCORES = KEYS @ KEYS[5]
PLACES = [
    ("AttentionBench", "index"),
    ("AttentionBench", "attention-mechanism"),
    ("TemperatureExplorer", "temperature"),
    ("AttentionExplorer", "self-attention"),
    ("AttentionExplorer", "multi-head-attention"),
    ("AttentionExplorer", "training"),
    ("AttentionExplorer", "trained-heads"),
    ("GraphAttentionExplorer", "graph-attention"),
    ("KernelRegressionExplorer", "scoring-functions"),
    ("PositionalEncodingExplorer", "positional-encoding"),
    ("OnlineSoftmaxExplorer", "efficient-attention"),
]
TEMPERATURES = PLACES[:8]  # those with a slider of temperatures
each_widget = pytest.mark.parametrize("widget", USUAL, ids=lambda widget: type(widget).__name__)


@pytest.mark.parametrize(("widget", "page"), PLACES)
def test_a_widget_on_its_page(slot, widget, page):
    """It has the height that was kept for it, and follows the keyboard and the pointer."""
    live = slot(widget, page)
    for width in (600, 1280):
        resize(live.page, width)
        reserved = live.evaluate("element => parseFloat(getComputedStyle(element).minHeight)")
        height = live.locator(".widget-live").bounding_box()["height"]
        assert abs(height - reserved) <= 8, f"{height}, not {reserved} at {width}"
    seen = picture(live)
    live.get_by_role("slider").first.press("ArrowRight")
    moved = picture(live)
    assert moved != seen
    if (widget, page) not in TEMPERATURES:
        return

    control = slider(live)
    control.fill("50")
    seen, headline = picture(live), live.locator(".headline").inner_text()
    control.focus()
    for _ in range(10):
        control.press("ArrowRight")
    assert control.input_value() == "60"
    assert control.get_attribute("aria-valuetext") == "temperature 2.5"
    moved = picture(live)
    assert moved != seen
    assert live.locator(".headline").inner_text() != headline
    drag(live.page, control, 0.8)
    assert 75 <= int(control.input_value()) <= 85
    assert picture(live) != moved
    control.press("Home")
    assert control.get_attribute("aria-valuetext").startswith("temperature 0, hard")
    control.press("End")
    assert control.get_attribute("aria-valuetext").startswith("temperature infinite, uniform")


def test_the_bench_shows_what_attnutils_computes(slot, numbers):
    live = slot("AttentionBench", "index")
    bench = AttentionBench(WORDS, KEYS, VALUES, query=5)
    weights = live.locator("table").nth(1).locator("tbody td:last-child data")
    output = live.locator("tfoot .o data, tfoot data.o")
    for query in range(6):
        live.get_by_role("radio").nth(query).check()
        bench.query = query
        for position in SAMPLES:
            slider(live).fill(str(position))
            bench.temperature = temperature_at(position)
            np.testing.assert_allclose(numbers(weights), bench.weights, rtol=0, atol=1e-6)
            np.testing.assert_allclose(numbers(output), bench.output, rtol=0, atol=1e-6)


@pytest.mark.parametrize("normalizer", ["softmax", "sparsemax", "hardmax"])
@pytest.mark.parametrize("tie", [False, True])
def test_the_explorer_shows_what_attnutils_computes(slot, numbers, normalizer, tie):
    live = slot("TemperatureExplorer", "temperature")
    explorer = TemperatureExplorer(WORDS, SCORES, VALUES, normalizer=normalizer, tie=tie)
    live.get_by_role("combobox").select_option(normalizer)
    live.get_by_role("checkbox").set_checked(tie)
    for position in SAMPLES:
        slider(live).fill(str(position))
        explorer.temperature = temperature_at(position)
        wanted = [*explorer.weights, entropy(explorer.weights), *explorer.output]
        got = numbers(live.locator("table data"))
        np.testing.assert_allclose(got, wanted, rtol=0, atol=1e-6)


def test_the_worked_example_at_its_landmarks(slot):
    live = slot("TemperatureExplorer", "temperature")
    headline = live.locator(".headline")
    for position, says in (
        (0, "At T = 0, Reads takes 1.000; entropy 0.000 bits, output o = 0.4000."),
        (50, "At T = 1, Reads takes 0.877; entropy 0.566 bits, output o = 0.3624."),
        (100, "At T = ∞, all six words share: 0.167 each; entropy 2.585 bits, output o = 0.1000."),
    ):
        slider(live).fill(str(position))
        assert headline.inner_text() == says
    live.get_by_role("checkbox", name="tie: Book scores 7, as Reads does").check()
    slider(live).fill("0")
    assert "Reads and Book share: 0.500 each" in headline.inner_text()
    live.get_by_role("combobox").select_option("hardmax")
    assert headline.inner_text().startswith("hardmax has no temperature")


def test_the_slider_is_the_axis_of_the_curves(slot):
    live = slot("TemperatureExplorer", "temperature")
    for position in (0, 25, 50, 75, 100):
        slider(live).fill(str(position))
        track = slider(live).bounding_box()
        thumb = track["x"] + 8 + (track["width"] - 16) * position / 100
        cursor = live.locator("path.cursor").bounding_box()
        assert abs(cursor["x"] + cursor["width"] / 2 - thumb) < 1.5


@each_widget
def test_the_headline_is_spoken_once_the_hand_rests(open_page, widget_page, widget):
    def stop_the_clock(page):
        page.clock.install(time=0)

    page = open_page(widget_page(widget), prepare=stop_the_clock).page
    page.clock.pause_at(3600)
    spoken, headline = page.locator(".unseen[role=status]"), page.locator(".headline")
    # Nothing is said that has not changed: at the start, at another width, at a table unfolded.
    page.set_viewport_size({"width": 390, "height": 800})
    for summary in page.locator("summary").all():
        summary.click()
    page.wait_for_function("document.querySelector('svg').clientWidth < 390")
    page.clock.run_for(1000)
    assert spoken.text_content() == ""
    control = page.get_by_role("slider").last
    for _ in range(3):
        control.press("ArrowRight")
        page.clock.run_for(300)
    assert spoken.text_content() == ""
    page.clock.run_for(100)
    assert spoken.text_content() == headline.text_content()


@each_widget
def test_a_closed_view_leaves_nothing_behind(show, widget):
    page = show(widget)
    assert page.evaluate("listening()") > 0
    page.evaluate("dispose()")
    assert page.evaluate("listening()") == 0
    assert page.locator(".attn").count() == 0


# All that a widget shows, wherever on the page it stands.
SHOWN = """slots => slots.map((slot) => {
  const all = (selector, read) => [...slot.querySelectorAll(selector)].map(read);
  return JSON.stringify([
    slot.innerText, all("input, select", (item) => [item.value, item.checked]),
    all("data", (item) => item.value), all("svg", (item) => item.outerHTML),
    all("canvas", (item) => item.toDataURL()),
  ]);
})"""


@each_widget
def test_two_instances_do_not_interfere(reopen, widget_page, widget):
    page = reopen(widget_page(widget, widget)).page
    slots = page.locator(".widget-slot")
    seen = slots.evaluate_all(SHOWN)
    slots.nth(0).get_by_role("slider").first.press("End")
    for radio in slots.nth(0).get_by_role("radio").all():
        radio.check()
    first, second = slots.evaluate_all(SHOWN)
    assert first != seen[0]
    assert second == seen[1]
    ids = page.evaluate("[...document.querySelectorAll('[id]')].map((item) => item.id)")
    assert len(set(ids)) == len(ids) > 2


def test_the_bench_is_in_sight_without_scrolling(slot):
    live = slot("AttentionBench", "index")
    box = live.locator(".flow").bounding_box()
    assert box["y"] > 0
    assert box["y"] + box["height"] <= 800


def test_cells_can_be_edited_and_what_is_no_number_is_explained(slot):
    live = slot("AttentionBench", "index")
    headline, error = live.locator(".headline"), live.locator(".error")
    start = headline.inner_text()
    cell = live.get_by_role("spinbutton", name="key of Reads, second component")
    cell.fill("")
    assert cell.get_attribute("aria-invalid") == "true"
    assert error.inner_text() == "Key of Reads, second component is not a number; 3 is used."
    assert headline.inner_text() == start
    cell.fill("10000000")
    assert "is not from −1,000,000 to 1,000,000" in error.inner_text()
    cell.fill("-1")
    assert error.inner_text() == ""
    assert cell.get_attribute("aria-invalid") is None
    assert "most weight goes to Book" in headline.inner_text()
    assert "NaN" not in live.inner_text()


def test_the_query_follows_its_key_until_it_is_edited(slot):
    live = slot("AttentionBench", "index")
    query = live.get_by_role("spinbutton", name="query, first component")
    key = live.get_by_role("spinbutton", name="key of Book, first component")
    key.fill("3")
    assert query.input_value() == "3"
    query.fill("1")
    assert "edited query" in live.locator(".headline").inner_text()
    key.fill("4")
    assert query.input_value() == "1"


def test_hidden_words_get_no_weight_and_reset_brings_all_back(slot):
    live = slot("AttentionBench", "index")
    seen = live.locator(".flow").inner_text()
    live.get_by_role("checkbox", name="may attend to Reads").uncheck()
    assert "o = 0.0934" in live.locator(".headline").inner_text()
    for word in WORDS:
        live.get_by_role("checkbox", name=f"may attend to {word}", exact=True).uncheck()
    assert live.locator(".headline").inner_text().startswith("Nothing to attend to")
    live.get_by_role("spinbutton", name="value of A", exact=True).fill("")
    slider(live).fill("0")
    live.get_by_role("button", name="Reset").click()
    assert live.locator(".flow").inner_text() == seen
    assert live.locator(".error").inner_text() == ""
    assert live.get_by_role("spinbutton", name="value of A", exact=True).input_value() == "0"


def test_the_score_can_be_chosen_where_there_is_a_choice(reopen, widget_page):
    bench = AttentionBench(WORDS, KEYS, VALUES, query=5)
    only_dot = AttentionBench(WORDS, KEYS, VALUES, query=5, scores=("dot",))
    slots = reopen(widget_page(bench, only_dot)).page.locator(".widget-slot")
    assert slots.nth(1).get_by_role("combobox").count() == 0
    for score in ("scaled_dot", "gaussian", "dot"):
        slots.nth(0).get_by_role("combobox").select_option(score)
        bench.score = score
        assert f"o = {bench.output[0]:.4f}" in slots.nth(0).locator(".headline").inner_text()


def test_traits_set_from_outside_move_the_widget(reopen, widget_page, numbers):
    bench = AttentionBench(WORDS, KEYS, VALUES, query=2, temperature=np.inf)
    bench.mask = [True, False, True, True, True, True]
    explorer = TemperatureExplorer(WORDS, SCORES, VALUES, temperature=0.2, normalizer="sparsemax")
    slots = reopen(widget_page(bench, explorer)).page.locator(".widget-slot")
    assert slider(slots.nth(0)).input_value() == "100"
    weights = numbers(slots.nth(0).locator("table").nth(1).locator("tbody td:last-child data"))
    np.testing.assert_allclose(weights, bench.weights, rtol=0, atol=1e-12)
    assert slots.nth(0).get_by_role("radio", name="Child").is_checked()
    assert slots.nth(1).locator("output").inner_text() == "0.2"
    assert slots.nth(1).get_by_role("combobox").input_value() == "sparsemax"


def test_labels_are_text(reopen, widget_page):
    visit = reopen(widget_page(*HOSTILE_WIDGETS))
    slots = visit.page.locator(".widget-slot")
    question = visit.page.locator(".attn-question")
    question.get_by_role("radio").first.check()
    question.get_by_role("button").click()
    for slot in slots.all():
        assert IMAGE in slot.inner_text()
    assert IMAGE in visit.page.locator("svg text").all_text_contents()
    assert visit.page.locator("main img, main b:has-text('y'):not(.headline b)").count() == 0
    assert visit.page.locator("code").inner_text() == IMAGE
    assert not visit.problems


def test_without_scripts_the_pictures_show(open_page, server):
    visit = open_page("about:blank", scripts=False)
    for widget, page in PLACES:
        visit.open(f"{server}/chapters/{page}.html", scripts=False)
        image = visit.page.locator(f".widget-slot[data-widget={widget}] img").first
        assert image.is_visible(), page
        assert image.bounding_box()["width"] > 600, page
        assert len(image.get_attribute("alt")) > 20, page


def test_without_scripts_a_question_shows_its_choices(slot):
    text = slot("Question", "temperature", scripts=False).inner_text()
    assert "Predict first" in text
    assert "scripts must be on" in text
    assert "Not yet" not in text


def test_widgets_that_fail_keep_their_pictures(open_page, server):
    def lose_what_they_need(page):
        page.add_init_script("delete window.ResizeObserver")

    visit = open_page("about:blank", prepare=lose_what_they_need)
    for widget, page in PLACES:
        visit.open(f"{server}/chapters/{page}.html")
        place = visit.page.locator(f".widget-slot[data-widget={widget}]").first
        assert place.get_attribute("data-state") == "failed", page
        assert place.locator("img").is_visible(), page
        assert place.locator(".widget-live").count() == 0, page


def choices(reopen, widget_page) -> Locator:
    question = Question(
        "What happens to `softmax`?",
        {"It changes": "Subtract the `maximum`.", "Nothing": "It cancels."},
        answer="Nothing",
        ordered=True,
    )
    return reopen(widget_page(question)).page.locator(".widget-slot")


def test_a_choice_is_answered_by_keyboard(reopen, widget_page):
    place = choices(reopen, widget_page)
    result, keyboard = place.get_by_role("status"), place.page.keyboard
    assert result.inner_text() == ""
    place.get_by_role("button", name="Check").press("Enter")
    assert result.inner_text() == "Choose an answer first."
    place.get_by_role("radio").first.focus()
    keyboard.press("Space")
    keyboard.press("Enter")
    assert result.inner_text() == "Not yet. Subtract the maximum."
    assert result.locator("code").inner_text() == "maximum"
    keyboard.press("ArrowDown")
    assert result.inner_text() == ""
    keyboard.press("Enter")
    assert result.inner_text() == "✓ Right. It cancels."


def test_a_number_is_answered_by_keyboard(reopen, widget_page):
    question = Question(
        "How much?", answer=-0.1, tolerance=0.001, hints={0.6: "Do not add up."}, right="The mean."
    )
    place = reopen(widget_page(question)).page.locator(".widget-slot")
    field, result = place.get_by_role("textbox", name="How much?"), place.get_by_role("status")
    for typed, says in (
        ("", "Type a number first."),
        ("2/3", "That is not a plain number."),
        ("0,6", "Not yet. Do not add up."),
        ("7", "Not yet. The answer is smaller."),
        ("−0.1", "✓ Right. The mean."),
    ):
        field.fill(typed)
        field.press("Enter")
        assert result.inner_text().startswith(says)


def test_after_two_tries_the_choice_is_shown_on_demand(reopen, widget_page):
    place = choices(reopen, widget_page)
    show, keyboard = place.get_by_role("button", name="Show me"), place.page.keyboard
    place.get_by_role("radio").first.focus()
    keyboard.press("Space")
    keyboard.press("Enter")
    expect(show).to_be_hidden()
    keyboard.press("Enter")
    expect(show).to_be_visible()
    show.press("Enter")
    expect(place.get_by_role("radio", name="Nothing")).to_be_checked()
    expect(place.get_by_role("status")).to_have_text("The answer. It cancels.")
    expect(show).to_be_hidden()


def test_after_two_tries_the_number_is_shown_on_demand(reopen, widget_page):
    question = Question("How much?", answer=-0.5, quantity="sum", right="The mean.")
    place = reopen(widget_page(question)).page.locator(".widget-slot")
    field, show = place.get_by_role("textbox"), place.get_by_role("button", name="Show me")
    for typed, can_show in (("1", False), ("x", False), ("-2", True), ("", True)):
        field.fill(typed)
        field.press("Enter")
        assert show.is_visible() == can_show
    show.click()
    expect(field).to_have_value("−0.5")
    expect(place.get_by_role("status")).to_have_text("The answer. The mean.")
    field.press("Enter")
    expect(place.get_by_role("status")).to_have_text("✓ Right. The mean.")


@pytest.mark.parametrize("name", LESSONS)
def test_the_questions_of_a_lesson_take_the_right_answer_alone(reopen, server, name):
    page = reopen(f"{server}/chapters/{name}.html").page
    slots = page.locator(".widget-slot[data-widget=Question]").all()
    proved = [asked(page_name, cell_id) for page_name, cell_id in QUESTIONS if page_name == name]
    for slot, question in zip(slots, proved, strict=True):
        check, status = slot.get_by_role("button", name="Check"), slot.get_by_role("status")
        check.click()
        assert status.inner_text().endswith("first.")
        answers = [text for text, _ in question.choices] or [question.answer, *dict(question.hints)]
        verdicts = []
        for at, answer in enumerate(answers):
            if question.choices:
                slot.get_by_role("radio").nth(at).check()
            else:
                slot.get_by_role("textbox").fill(str(answer))
            check.click()
            verdicts.append(status.inner_text())
            assert verdicts[-1].startswith("✓ Right.") == (answer == question.answer)
        assert len(set(verdicts)) == len(verdicts)


@pytest.mark.parametrize("width", [390, 320])
def test_widgets_fit_a_phone(reopen, widget_page, width):
    page = reopen(widget_page(*WIDE_WIDGETS), width=width).page
    assert page.evaluate("document.documentElement.scrollWidth") <= width
