"""What one explorer has for itself: things that are dragged, places that are pressed, games."""

import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from attnbook import AttentionBench, InductionExplorer, TemperatureExplorer
from attnbook import explorers as widgets
from attnbook.explorers import TrainingExplorer, WinnerExplorer, WritingExplorer
from attnbook.lessons.bugs import PROBES, SUSPECTS
from attnbook.lessons.leaks import LAYERS
from attnutils.worked_example import WORDS
from tests.conftest import SETTLE, until
from tests.explorers.conftest import drag, headline, middle, settle, to_python
from tests.explorers.states import NAMED
from tests.explorers.states.head_wall import WIDE_STREET
from tests.explorers.states.head_wall import made as made_wall
from tests.explorers.states.induction_explorer import PARAMS
from tests.explorers.states.translator_explorer import made as translator
from tests.explorers.states.writing_explorer import MODELS


def inks(page: Page, n: int) -> np.ndarray:
    """How much ink, of 1, is near the corner of each of the n x n cells of a map."""
    page.evaluate(SETTLE)
    read = """(canvas, n) => [...Array(n * n).keys()].map((at) =>
      canvas.getContext("2d").getImageData(((at % n) + 0.15) * canvas.width / n,
        (Math.floor(at / n) + 0.15) * canvas.height / n, 1, 1).data[3] / 255)"""
    return np.reshape(page.locator(".cells canvas").evaluate(read, n), (n, n))


def thing(page: Page, name: str) -> Locator:
    return page.get_by_role("slider", name=name, exact=True)


# ---- numbers and points -------------------------------------------------------------------------


def test_a_number_is_dragged_or_typed_and_what_is_none_is_explained(show):
    bench = AttentionBench.example()
    page = show(bench)
    field = page.get_by_role("spinbutton", name="query, third component")
    x, y = middle(field)
    drag(page, (x, y), (x - 42, y))
    assert field.input_value() == "-2.5"
    field.click()
    page.keyboard.type("12")  # a press starts typing
    drag(page, (x, y), (x - 30, y))  # and then a drag selects
    assert field.input_value() == "12"
    said = headline(page)
    field.fill("")
    assert field.get_attribute("aria-invalid") == "true"
    assert page.get_by_role("alert").inner_text().endswith(" is not a number; 12 is used.")
    assert headline(page) == said
    to_python(page, bench)
    assert bench.query_vector.tolist() == [0, 2, 12]


@pytest.mark.parametrize("name", ["PlaneExplorer", "WinnerExplorer"])
def test_the_query_is_dragged_in_the_plane_by_mouse_and_finger(show, name):
    explorer = getattr(widgets, name).example()
    page = show(explorer)
    query = thing(page, "query")
    (x, y), before = middle(query), explorer.query_vector.copy()
    drag(page, (x, y), (x + 30, y + 50), (x + 60, y + 40))
    to_python(page, explorer)
    right, up = explorer.query_vector - before
    assert right / up == pytest.approx(-60 / 40, abs=0.1)
    assert middle(query) == pytest.approx((x + 60, y + 40), abs=1.5)
    finger = page.context.new_cdp_session(page)
    for kind, at in (("Start", 0), ("Move", 10), ("Move", 30)):
        points = [{"x": x + 60 - at, "y": y + 40}]
        finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert middle(query) == pytest.approx((x + 30, y + 40), abs=1.5)
    page.mouse.click(x - 40, y + 90)  # it has the focus: a press beside it moves it there
    assert middle(query) == pytest.approx((x - 40, y + 90), abs=1.5)


@pytest.mark.parametrize("score", ["dot", "cosine", "Gaussian"])
def test_regions_have_the_colours_of_their_winners(show, score):
    explorer = WinnerExplorer.example()
    explorer.score = score
    page = show(explorer)
    places = np.array([middle(thing(page, f"key of {word}")) for word in explorer.words])
    across, down = (np.polyfit(explorer.key_matrix[:, i], places[:, i], 1) for i in range(2))
    queries = np.random.default_rng(0).uniform(-2.5, 2.5, size=(30, 2))
    at = page.locator(".region").evaluate_all(
        """(all, points) => {
          const { left, top } = all[0].ownerSVGElement.getBoundingClientRect();
          return points.map(([x, y]) => all.findIndex((path) =>
            path.isPointInFill(new DOMPoint(x - left, y - top))));
        }""",
        [[np.polyval(across, x), np.polyval(down, y)] for x, y in queries],
    )
    for found, explorer.query_vector in zip(at, queries, strict=True):
        assert found == explorer.weights.argmax()


def test_the_query_of_a_regression_is_pulled_on_the_chart(show):
    explorer = NAMED["KernelRegressionExplorer"]["start"]
    page = show(explorer)
    query = page.get_by_role("slider", name="Query q")
    track, most = query.bounding_box(), int(query.get_attribute("max"))
    x, y = track["x"] + 8, page.locator(".chart svg").bounding_box()["y"] + 150
    drag(page, (x + 20, y), (x + (track["width"] - 16) * 0.75, y + 30))
    assert int(query.input_value()) == pytest.approx(0.75 * most, abs=1)
    # The slider is the axis: the line of the query stands over its thumb.
    thumb = x + (track["width"] - 16) * int(query.input_value()) / most
    assert middle(page.locator("path.cursor"))[0] == pytest.approx(thumb, abs=1.5)


def test_a_hand_of_the_rotary_bench_is_dragged_and_both_positions_move_together(show):
    page = show(widgets.RotaryBench.example())
    start, hand = headline(page), thing(page, "query, pair 1")
    x, y = middle(page.locator(".clock").nth(1))
    page.get_by_role("checkbox", name="move both").check()
    thing(page, "Position i of the query").fill("40")
    assert thing(page, "Position j of the key").input_value() == "44"
    assert headline(page) == start  # the score is that of the offset
    drag(page, middle(hand), (x - 50, y))
    assert middle(hand) == pytest.approx((x - 50, y), abs=2)


def test_a_word_is_dragged_to_another_place(show):
    explorer = widgets.WordOrderExplorer.example()
    page = show(explorer)
    x, y = middle(thing(page, "place of Sleepy"))
    drag(page, middle(thing(page, "place of Book")), (x, y))
    to_python(page, explorer)
    assert headline(page).startswith("The Book Sleepy Child Reads A.")
    assert explorer.order == [0, 5, 1, 2, 3, 4]
    # Each bar ends at its mark as long as no output has changed.
    far = page.locator(".track").evaluate_all(
        """all => all.map((track) => {
          const { left, width } = track.querySelector(".fill").style;
          const ends = [parseFloat(left), parseFloat(left) + parseFloat(width)];
          const at = parseFloat(track.querySelector(".mark").style.left);
          return Math.min(...ends.map((end) => Math.abs(end - at)));
        })"""
    )
    assert max(far) < 0.02


# ---- maps, graphs, places -----------------------------------------------------------------------


def test_a_map_has_the_ink_of_its_weights_and_is_pressed_and_shuffled(show):
    explorer = widgets.AttentionExplorer.example()
    page = show(explorer)
    np.testing.assert_allclose(inks(page, 6), explorer.weights, atol=0.01)
    box = page.locator(".cells").bounding_box()
    page.mouse.click(box["x"] + box["width"] * 0.7, box["y"] + box["height"] * 2.5 / 6)
    to_python(page, explorer)
    assert explorer.token == 2
    said = headline(page)
    page.get_by_role("button", name="Shuffle").click()
    to_python(page, explorer)
    order = explorer.order
    assert order != sorted(order)
    moved = explorer.weights[np.ix_(order, order)]
    np.testing.assert_allclose(inks(page, 6), moved, atol=0.01)
    assert page.locator("tbody th").all_inner_texts() == [WORDS[i] for i in order]
    assert headline(page) == said
    page.get_by_role("button", name="Restore").press("Enter")
    assert page.locator("tbody th").all_inner_texts() == list(WORDS)


def test_a_small_map_is_picked_and_maps_turn_dark_with_the_page(show):
    explorer = NAMED["AttentionExplorer"]["heads of layers at T = 0"]
    page = show(explorer)
    box = page.locator(".thumbs canvas").bounding_box()  # two layers, three heads
    page.mouse.click(box["x"] + box["width"] * 0.9, box["y"] + box["height"] * 0.75)
    assert headline(page).startswith("Layer 1, head 2: ")
    ink = """canvas => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      return data[data.findLastIndex((x, i) => i % 4 === 3 && x > 250) - 3];
    }"""
    seen = []
    for scheme in ("light", "dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.evaluate(SETTLE)
        seen.append(page.locator(".cells canvas").evaluate(ink))
    assert seen[0] == seen[2] != seen[1]


def test_a_node_of_the_graph_is_picked_by_pointer_and_by_keys(show):
    explorer = widgets.GraphAttentionExplorer.example()
    page = show(explorer)
    page.mouse.click(*middle(page.locator(".nodes label").nth(2)))
    to_python(page, explorer)
    assert explorer.receiver == 2
    page.keyboard.press("ArrowUp")
    to_python(page, explorer)
    assert explorer.receiver == 1
    assert headline(page).startswith(f"Receiver i {explorer.names[1]} attends")


def test_letters_are_typed_and_a_place_is_pressed(show):
    explorer = InductionExplorer(PARAMS, "gbalcegbalce", place=8)
    page = show(explorer)
    field = page.get_by_role("textbox")
    field.fill("<b>zoo</b>")
    assert page.get_by_role("alert").inner_text().startswith("The model knows the letters a to t.")
    assert explorer.text == "gbalcegbalce"
    field.fill("Stop That stop")
    to_python(page, explorer)
    assert explorer.text == "stopthatstop"
    box = page.locator("svg.heads").bounding_box()
    page.mouse.click(box["x"] + 2.5 / 33 * box["width"], box["y"] + 150)
    to_python(page, explorer)
    assert explorer.place == 2
    assert headline(page).startswith("Place 2, o: ")


def test_a_guess_that_nobody_could_know_is_not_marked_as_right(show):
    page = show(NAMED["InductionExplorer"]["right by luck"])
    assert page.locator("svg.heads text.o").all_text_contents() == ["p", "m", "h"]


def test_a_press_on_the_board_asks_that_box_that_question(show):
    game = widgets.BugGame.example()
    page, at = show(game), [*PROBES].index("keys shifted")
    page.locator(".board tbody tr").nth(at).locator("td").nth(2).click()
    to_python(page, game)
    assert (game.box, game.probe) == (2, at)


@pytest.mark.parametrize(
    ("name", "box", "names"), [("BugGame", "box {}", SUSPECTS), ("LeakGame", "{}", [*LAYERS])]
)
def test_a_game_is_won_and_a_wrong_name_gets_a_hint(show, name, box, names):
    game = getattr(widgets, name).example()
    page = show(game)
    for letter, layer in zip("ABCDEFGH", game.layers, strict=False):
        page.get_by_role("radio", name=box.format(letter), exact=True).check()
        for guess in (names[names.index(layer) - 1], layer):
            page.get_by_role("combobox").select_option(guess)
            page.get_by_role("button", name="Name it").press("Enter")
            said = page.locator(".verdict").inner_text()
            assert said.startswith("Right, " if guess == layer else "Not yet")
    assert " are named. Well done." in page.locator(".name").inner_text()
    to_python(page, game)
    assert game.is_solved


# ---- what takes its time ------------------------------------------------------------------------


def test_training_plays_pauses_and_ends_with_its_view(show):
    explorer = TrainingExplorer()
    page = show(explorer)
    page.evaluate("Worker.prototype.terminate = () => { window.ended = true; }")
    page.get_by_role("button", name="Play").press("Enter")
    until(page, "() => Number(document.querySelector('.headline data')?.value) >= 30")
    page.get_by_role("button", name="Pause").press("Enter")
    settle(page)
    to_python(page, explorer)
    assert explorer.step >= 30
    loss = float(page.locator(".headline data").nth(1).get_attribute("value"))
    assert loss == pytest.approx(explorer.losses[-1], abs=1e-6)
    page.evaluate("dispose()")
    assert page.evaluate("ended")


@pytest.mark.parametrize("path", ["chapters/training", "embed/training-training"])
def test_the_policy_of_a_page_lets_it_train(visit, server, path):
    visit.open(f"{server}/{path}.html#training:step=4")
    said = visit.page.locator("[data-address=training] .headline, .embed .headline").first
    expect(said).to_have_text(re.compile("^Step 4, rate 0.01: loss 2"))


def test_it_writes_on_until_it_is_stopped(show):
    explorer, wanted = (WritingExplorer(MODELS, "The Queen ") for _ in range(2))
    page = show(explorer)
    paper = page.get_by_role("textbox", name="Your text")
    page.get_by_role("button", name="Go on").click()
    until(page, "() => document.querySelector('textarea').value.length >= 20")
    page.get_by_role("button", name="Stop").click()
    to_python(page, explorer)
    wanted.go_on(len(explorer.text) - len(wanted.text))
    assert explorer.text == wanted.text == paper.input_value()
    hostile = "<img src=x></textarea><b>é"
    paper.fill(hostile)
    to_python(page, explorer)
    assert explorer.text == hostile == paper.input_value()
    assert page.locator(".attn img, .attn-writing textarea b").count() == 0


@pytest.mark.parametrize("name", ["TemperatureExplorer", "AttentionExplorer", "PlaneExplorer"])
def test_the_headline_is_spoken_once_after_the_hand_rests(show_alone, name):
    page = show_alone(getattr(widgets, name).example())
    page.clock.install(time=0)
    page.clock.pause_at(3600)
    page.evaluate(
        """() => {
          window.said = [];
          for (const place of document.querySelectorAll("[role=status], [role=alert]")) {
            new MutationObserver(() => place.textContent && said.push(place.textContent))
              .observe(place, { childList: true, characterData: true, subtree: true });
          }
        }"""
    )
    page.get_by_role("slider").first.focus()
    for key in ("ArrowUp", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
        page.clock.run_for(300)
    assert page.evaluate("said") == []
    page.clock.run_for(100)
    assert page.evaluate("said") == [headline(page)]
    page.clock.run_for(6000)  # then it is there once, for who reads on
    assert page.locator("[role=status]").first.inner_text() == ""
    page.keyboard.press("ArrowUp")
    page.evaluate("dispose()")
    page.clock.run_for(1000)
    assert len(page.evaluate("said")) == 1


def test_words_of_another_language_keep_it_also_when_they_are_spoken(show):
    page = show(translator(translator=1, sentence=1))
    page.get_by_role("slider", name="Step").fill("3")
    spoken = page.locator(".headline + [role=status]")
    expect(spoken.locator("[lang=fr]").first).to_be_attached()
    seen = page.locator(".headline [lang=fr]").all_inner_texts()
    assert spoken.locator("[lang=fr]").all_inner_texts() == seen


def test_an_explorer_keeps_plain_keys_from_jupyterlab(show):
    page = show(TemperatureExplorer.example())
    slider = page.get_by_role("slider")
    slider.focus()
    kept = "e => e.hasAttribute('data-lm-suppress-shortcuts')"
    assert slider.evaluate(kept)
    page.keyboard.down("Control")
    assert not slider.evaluate(kept)
    page.keyboard.up("Control")
    assert slider.evaluate(kept)


# ---- the wall of heads ---------------------------------------------------------------------------


def test_a_head_is_looked_at_by_pointer_finger_and_arrow_and_tried_by_a_press(show):
    wall = made_wall(head=26)
    page = show(wall)
    tiles = page.locator(".head")
    start = headline(page)
    tiles.nth(2).hover()  # looking is no try
    assert headline(page).startswith("Layer 0, head 2: it looks most at because, ")
    page.mouse.move(1, 1)
    assert headline(page) == start
    finger, (x, y) = page.context.new_cdp_session(page), middle(tiles.nth(12))
    for kind, at in (("Start", 12), ("Move", 14), ("Move", 15)):
        x, y = middle(tiles.nth(at))
        finger.send(
            "Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": [{"x": x, "y": y}]}
        )
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert headline(page).startswith("Layer 1, head 3: ")
    assert to_python(page, wall) == 0
    tiles.nth(0).focus()
    for key in ("ArrowDown", "ArrowRight"):
        page.keyboard.press(key)
    assert headline(page).startswith("Layer 1, head 1: ")
    page.keyboard.press("Enter")
    assert headline(page).endswith("Tries: 1.")
    tiles.nth(71).focus()
    page.keyboard.press("Space")
    assert headline(page).startswith("Found it, try 2: layer 5, head 11 gives cat .69.")
    to_python(page, wall)
    assert (wall.head, wall.tried) == (71, [13, 71])
    page.get_by_role("button", name="On", exact=True).press("Enter")
    page.keyboard.press("Enter")  # the same button leads on
    assert headline(page) == "Here it looks most at animal, .51. Look again."
    to_python(page, wall)
    assert (wall.sentence, wall.asks) == (WIDE_STREET, 0)


def test_the_arrow_keys_choose_no_word(show):
    page = show(made_wall(head=71))
    page.locator(".word").nth(5).focus()
    for key in ("ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert headline(page).startswith("Found it")
    page.keyboard.press("Enter")
    assert headline(page).startswith("Layer 5, head 11: tired looks most at cat, ")


def test_a_picture_of_the_wall_is_copied_or_saved(show):
    page = show(made_wall(head=71))
    with page.expect_download() as saved:  # nothing is allowed here
        page.get_by_role("button", name="Copy picture").click()
    with Image.open(saved.value.path()) as picture:
        assert picture.size == (1200, 630)
        assert len(picture.convert("RGB").getcolors(1 << 20)) > 50
