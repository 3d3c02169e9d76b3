"""What one explorer has for itself: things that are dragged, places that are pressed, games."""

import re

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Locator, Page, expect

from attnbook import AttentionBench, InductionExplorer, TemperatureExplorer
from attnbook import explorers as widgets
from attnbook.explorers import TrainingExplorer, WidthExplorer, WinnerExplorer, WritingExplorer
from attnbook.models.bugs import PROBES, SUSPECTS
from attnbook.models.leaks import LAYERS
from attnutils.worked_example import KEYS, WORDS
from tests.conftest import SETTLE, until
from tests.explorers.conftest import SHOWN, drag, headline, middle, settle, to_python
from tests.explorers.examples.binding import trained as trained_binding
from tests.explorers.examples.bug_game import ARGS as BUG_ARGS
from tests.explorers.examples.head_teaser import made as made_teaser
from tests.explorers.examples.head_wall import WIDE_STREET
from tests.explorers.examples.head_wall import made as made_wall
from tests.explorers.examples.induction import PARAMS
from tests.explorers.examples.translator import made as translator
from tests.explorers.examples.writing import MODELS
from tests.explorers.states import NAMED, USUAL, example


def inks(page: Page, n: int) -> np.ndarray:
    """How much ink, of 1, is in each of the n x n cells of a map, by where they are seen."""
    page.evaluate(SETTLE)
    cells = page.locator(".cells i").evaluate_all(
        """all => all.map((e) => {
          const { left, top } = e.getBoundingClientRect();
          const ink = parseFloat(e.style.background.split("--weight)")[1]) / 100;
          return [Math.round(top), Math.round(left), ink];
        })"""
    )
    return np.reshape([ink for *_, ink in sorted(cells)], (n, n))


def thing(page: Page, name: str) -> Locator:
    return page.get_by_role("slider", name=name, exact=True)


# ---- numbers and points -------------------------------------------------------------------------


def test_a_number_is_dragged_or_typed_and_what_is_none_is_explained(show):
    bench = example(AttentionBench)
    page = show(bench)
    field = page.get_by_role("spinbutton", name="query, third component")
    x, y = middle(field)
    drag(page, (x, y), (x - 42, y))
    assert field.input_value() == "-2.5"
    field.click()
    page.keyboard.type("12")  # a press starts typing
    drag(page, (x, y), (x, y - 30))  # up or sideways, also then
    assert field.input_value() == "14.5"
    field.fill("12")
    said = headline(page)
    field.fill("")
    assert field.get_attribute("aria-invalid") == "true"
    assert page.get_by_role("alert").inner_text().endswith(" is not a number; 12 is used.")
    assert headline(page) == said
    to_python(page, bench)
    assert bench.query_vector.tolist() == [0, 2, 12]


def test_on_the_bench_a_word_is_looked_at_a_score_is_pulled_and_a_value_dragged(show):
    bench = example(AttentionBench)
    page = show(bench)
    start, (x, y) = headline(page), middle(thing(page, "score of Child"))
    page.locator(".item").nth(2).hover()
    assert headline(page).startswith("Child attends most to Child 0.995")
    page.mouse.move(1, 1)
    assert headline(page) == start
    page.locator(".item input").nth(5).focus()
    page.keyboard.press("ArrowLeft")  # moving chooses nothing
    assert to_python(page, bench) == 0
    drag(page, (x, y), (x, y - 90), (x, y - 128))
    to_python(page, bench)
    assert bench.raw_scores[2] == pytest.approx(-4 + 16 * 0.5, abs=0.02)
    way = bench.query_vector - KEYS[5]  # no farther than along the key
    assert way / KEYS[2] == pytest.approx(np.full(3, 4 / 3), abs=0.01)
    x, y = middle(thing(page, "value of Book"))
    to, _ = middle(thing(page, "value of Sleepy"))
    drag(page, (x, y), (to, y))
    to_python(page, bench)
    assert bench.value_matrix[5, 0] == pytest.approx(-0.2, abs=0.011)
    assert headline(page).endswith(f"o = {bench.output[0]:.4f}.")


def test_the_query_is_dragged_in_the_plane_by_mouse_and_finger(show):
    explorer = example(WinnerExplorer)
    page = show(explorer)
    query = thing(page, "query")
    (x, y), before = middle(query), explorer.query_vector.copy()
    drag(page, (x, y), (x + 30, y + 50), (x + 60, y + 40))
    to_python(page, explorer)
    right, up = explorer.query_vector - before
    assert right / up == pytest.approx(-60 / 40, abs=0.1)
    assert middle(query) == pytest.approx((x + 60, y + 40), abs=1.5)
    finger = page.context.new_cdp_session(page)
    for across, up in ((0, 1), (1, 0)):  # a finger that goes up scrolls the page
        for kind, at in (("Start", 0), ("Move", 10), ("Move", 30)):
            points = [{"x": x + 60 - across * at, "y": y + 40 - up * at}]
            finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert middle(query) == pytest.approx((x + 30, y + 40), abs=1.5)
    page.mouse.click(x - 40, y + 90)  # it has the focus: a press beside it moves it there
    assert middle(query) == pytest.approx((x - 40, y + 90), abs=1.5)


@pytest.mark.parametrize("score", ["dot", "cosine", "Gaussian"])
def test_regions_have_the_colours_of_their_winners(show, score):
    explorer = example(WinnerExplorer)
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


def test_the_temperature_is_looked_at_and_dragged_on_the_chart(show):
    explorer = example(TemperatureExplorer)
    page = show(explorer)
    slider = page.get_by_role("slider")
    track, y = slider.bounding_box(), page.locator(".chart").bounding_box()["y"] + 100
    x = [track["x"] + 8 + (track["width"] - 16) * part for part in (0.25, 0.5, 0.75)]
    page.mouse.move(x[0], y)
    assert headline(page).startswith("At T = 0.1,")
    page.mouse.move(1, 1)
    assert headline(page).startswith("At T = 1,")
    assert to_python(page, explorer) == 0
    drag(page, (x[1], y), (x[2], y))
    to_python(page, explorer)
    assert explorer.temperature == pytest.approx(10, rel=0.1)
    # The slider is the axis: the line stands over its thumb.
    thumb = track["x"] + 8 + (track["width"] - 16) * int(slider.input_value()) / 100
    assert middle(page.locator("path.cursor"))[0] == pytest.approx(thumb, abs=1.5)


def test_the_width_is_looked_at_and_dragged_on_the_chart(show):
    explorer = example(WidthExplorer)
    page = show(explorer)
    track, y = page.get_by_role("slider").bounding_box(), middle(page.locator(".chart"))[1]
    x = [track["x"] + 8 + (track["width"] - 16) * part for part in (0.2, 0.5, 0.7)]
    page.mouse.move(x[0], y)
    assert "at width d = 4;" in headline(page)
    page.mouse.move(1, 1)
    assert "at width d = 256;" in headline(page)
    assert to_python(page, explorer) == 0
    drag(page, (x[1], y), (x[2], y + 30))
    to_python(page, explorer)
    assert explorer.width == 128


def test_the_query_of_a_regression_is_pulled_on_the_chart(show):
    explorer = NAMED["KernelRegressionExplorer"]["start"]
    page = show(explorer)
    query = page.get_by_role("slider", name="Query q")
    track, most = query.bounding_box(), int(query.get_attribute("max"))
    x, y = track["x"] + 8, page.locator("svg.chart").bounding_box()["y"] + 150
    drag(page, (x + 20, y), (x + (track["width"] - 16) * 0.75, y + 30))
    assert int(query.input_value()) == pytest.approx(0.75 * most, abs=1)
    # The slider is the axis: the line of the query stands over its thumb.
    thumb = x + (track["width"] - 16) * int(query.input_value()) / most
    assert middle(page.locator("path.cursor"))[0] == pytest.approx(thumb, abs=1.5)
    before = query.input_value()
    page.mouse.move(x + 60, y)  # the mouse asks from where it is, and is forgotten
    assert query.input_value() != before
    page.mouse.move(1, 1)
    assert query.input_value() == before


def test_a_point_of_a_regression_is_pulled_or_typed(show):
    explorer = NAMED["KernelRegressionExplorer"]["start"]
    page, start = show(explorer), explorer.x.copy()
    place, said = middle(page.locator(".hit").nth(9)), headline(page)
    drag(page, place, (place[0] - 40, place[1] + 30), (place[0] - 300, place[1] + 60))
    page.mouse.move(1, 1)
    to_python(page, explorer)
    assert middle(page.locator(".point").nth(9)) == pytest.approx(
        (place[0] - 300, place[1] + 60), abs=3
    )
    assert explorer.x[9] < 3
    assert explorer.x[[*range(9), 10, 11]].tolist() == start[[*range(9), 10, 11]].tolist()
    assert explorer.query == 2
    assert headline(page) != said
    (x, y), finger = middle(page.locator(".hit").nth(3)), page.context.new_cdp_session(page)
    for kind, across, up in (("Start", 0, 0), ("Move", 20, 0), ("Move", 20, 30), ("Move", 20, 60)):
        points = [{"x": x + across, "y": y - up}]  # sideways first, else it scrolls the page
        finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
    assert middle(page.locator(".point").nth(3)) == pytest.approx((x + 20, y - 60), abs=3)
    page.get_by_text("The numbers").click()
    page.get_by_role("spinbutton", name="value of point 10").fill("0.5")
    to_python(page, explorer)
    assert explorer.y[9] == 0.5


def test_the_plane_of_winners_answers_the_mouse_and_a_press_asks(show):
    explorer = example(WinnerExplorer)
    page = show(explorer)
    query, said, (x, y) = thing(page, "query"), headline(page), middle(page.locator(".plane"))
    page.mouse.move(x - 300, y + 90)
    assert headline(page).endswith("A wins, 1.000. The wins nowhere.")
    page.mouse.move(1, 1)
    assert headline(page) == said
    assert to_python(page, explorer) == 0
    page.mouse.click(x - 300, y + 90)
    page.mouse.move(1, 1)
    assert middle(query) == pytest.approx((x - 300, y + 90), abs=1.5)
    child = thing(page, "key of Child")
    start = middle(child)
    page.mouse.move(
        *start, steps=60
    )  # slowly, so that the query comes along: it does not cover keys
    drag(page, start, (start[0] + 50, start[1] + 20))
    assert middle(child) == pytest.approx((start[0] + 50, start[1] + 20), abs=1.5)
    page.mouse.click(x + 200, y + 90)  # it has been let go: this is the query again
    page.mouse.move(1, 1)
    assert middle(query) == pytest.approx((x + 200, y + 90), abs=1.5)
    page.get_by_role("button", name="64 times as wide").click()
    to_python(page, explorer)
    assert explorer.zoom == 6


def test_a_hand_of_the_rotary_bench_is_dragged_and_both_positions_move_together(show):
    page = show(example(widgets.RotaryBench))
    start, hand = headline(page), thing(page, "query, pair 1")
    x, y = middle(page.locator(".clock").nth(1))
    both, key = thing(page, "Both positions"), thing(page, "Position j of the key")
    both.press("ArrowRight")
    assert (both.input_value(), key.input_value()) == ("4", "8")
    assert headline(page) == start  # the score is that of the offset
    assert page.locator(".face").first.locator(".ghost").count() == 3  # two hands, their angle
    thing(page, "Position i of the query").fill("40")
    assert key.input_value() == "8"
    assert headline(page).startswith("Offset j − i = −32: ")
    drag(page, middle(hand), (x - 50, y))
    assert middle(hand) == pytest.approx((x - 50, y), abs=2)
    said = headline(page)
    page.get_by_text("The score at every offset").click()
    curve = page.locator("svg.curve").bounding_box()
    page.mouse.move(curve["x"] + curve["width"] / 2, curve["y"] + 9)  # looked at, not chosen
    assert headline(page).startswith("Offset j − i = 0: ")
    page.mouse.move(x - 50, y)
    assert headline(page) == said


def test_a_row_of_the_heat_map_is_looked_at_and_then_pressed(show):
    explorer = example(widgets.PositionalEncodingExplorer)
    page = show(explorer)
    start, ghosts = headline(page), page.locator(".board g .ghost")
    box = page.locator(".board canvas").bounding_box()
    place = box["x"] + box["width"] / 2, box["y"] + box["height"] * 40.5 / 64
    page.mouse.move(*place)
    said = f"Position 40: similarity {explorer.similarity[40]:.3f} with position 20."
    assert headline(page) == said
    assert ghosts.count() == 8
    page.mouse.move(1, 1)
    assert (headline(page), ghosts.count()) == (start, 0)
    page.mouse.click(*place)
    page.mouse.move(1, 1)
    to_python(page, explorer)
    assert (explorer.position, headline(page)) == (40, said)  # it has come from 20
    slider = thing(page, "Position")
    slider.press("ArrowRight")
    assert headline(page).endswith(" with position 40.")


def test_a_word_is_dragged_to_another_place(show):
    explorer = example(widgets.WordOrderExplorer)
    page = show(explorer)
    x, y = middle(thing(page, "place of Sleepy"))
    drag(page, middle(thing(page, "place of Book")), (x, y))
    to_python(page, explorer)
    assert headline(page).startswith("Five words moved, and no output changed")
    assert explorer.order == [0, 5, 1, 2, 3, 4]
    # Each bar ends at its mark as long as no output has changed.
    far = page.locator(".column .track").evaluate_all(
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
    explorer = example(widgets.AttentionExplorer)
    page = show(explorer)
    np.testing.assert_allclose(inks(page, 6), explorer.weights, atol=0.01)
    start, box = headline(page), page.locator(".cells").bounding_box()
    at = box["x"] + box["width"] * 0.6, box["y"] + box["height"] * 2.5 / 6
    page.mouse.move(*at)
    assert headline(page).startswith("Child attends most to ")
    assert page.locator(".arcs path:not(.aside)").count() == 1
    page.mouse.move(1, 1)
    assert headline(page) == start
    assert to_python(page, explorer) == 0
    page.mouse.click(*at)
    to_python(page, explorer)
    assert explorer.token == 2
    page.mouse.move(1, 1)
    said = headline(page)
    page.get_by_role("button", name="Shuffle").click()
    to_python(page, explorer)
    order = explorer.order
    assert order != sorted(order)
    moved = explorer.weights[np.ix_(order, order)]
    np.testing.assert_allclose(inks(page, 6), moved, atol=0.01)
    names = page.locator(".names label")
    assert names.all_inner_texts() == [WORDS[i] for i in order]
    assert headline(page) == said
    page.get_by_role("button", name="Reset").press("Enter")
    assert names.all_inner_texts() == list(WORDS)


def test_rows_travel_before_columns_in_a_shuffle(show_alone):
    page = show_alone(example(widgets.AttentionExplorer))
    page.emulate_media(reduced_motion="no-preference")
    page.evaluate(
        """() => {
          window.seen = [];
          const style = getComputedStyle(document.querySelector(".map"));
          const of = (name) => style.getPropertyValue(name);
          const watch = () => {
            const [rows, columns] = ["--r", "--c"].map((name) =>
              [0, 1, 2, 3, 4, 5].reduce((sum, i) => sum + Math.abs(of(name + i) - i), 0));
            seen.push([rows, columns]);
            requestAnimationFrame(watch);
          };
          watch();
        }"""
    )
    page.get_by_role("button", name="Shuffle").click()
    until(page, "() => seen.length > 9 && seen.at(-1)[1] > 1 && seen.at(-1)[1] === seen.at(-9)[1]")
    rows, columns = np.array(page.evaluate("seen")).T
    assert len({*rows}) > 3  # on their way
    assert len({*columns}) > 3
    assert (columns[rows < rows[-1]] == 0).all()


def test_a_tile_of_the_wall_is_looked_at_pressed_moved_from_and_sorted(show):
    explorer = NAMED["AttentionExplorer"]["heads of layers at T = 0"]
    explorer.token = 5
    page = show(explorer)
    tiles = page.locator(".tiles label")
    tiles.nth(4).hover()
    assert headline(page).startswith("Layer 1, head 1: Book ")
    assert to_python(page, explorer) == 0
    tiles.nth(2).click()
    page.mouse.move(1, 1)
    page.keyboard.press("ArrowDown")
    to_python(page, explorer)
    assert explorer.index == [1, 2]
    assert headline(page).startswith("Layer 1, head 2: Book ")
    tops = explorer.scores[:, :, 5].argmax(axis=-1).ravel()
    assert len({*tops}) > 2
    page.get_by_role("button", name="Sort the tiles").click()
    names = page.locator(".tiles input").evaluate_all("all => all.map((e) => e.ariaLabel)")
    slices = [3 * int(name[6]) + int(name[-1]) for name in names]
    assert [tops[i] for i in slices] == sorted(tops)
    expect(page.locator(".tiles input:checked")).to_have_attribute("aria-label", "layer 1, head 2")


def test_matrices_are_looked_at_and_dragged_and_the_nearest_word_asks(show):
    explorer = example(widgets.ProjectionExplorer)
    page = show(explorer)
    start, queries = headline(page), page.locator(".plane circle.q")

    def places():
        return np.array(
            queries.evaluate_all(
                "all => all.map((e) => [+e.getAttribute('cx'), +e.getAttribute('cy')])"
            )
        )

    before = places()
    page.get_by_role("radio", name="opposite").hover()
    assert headline(page).startswith("Book attends most to Sleepy 0.770")
    np.testing.assert_allclose(before + places(), (2 * before[:1]).repeat(6, axis=0), atol=0.2)
    page.mouse.move(1, 1)
    assert headline(page) == start
    child = middle(queries.nth(2))
    page.mouse.move(child[0] + 30, child[1] - 9)
    assert headline(page).startswith("Child attends most to ")
    page.mouse.move(1, 1)
    assert (headline(page), to_python(page, explorer)) == (start, 0)

    # The second row of W_q makes the queries of all words whose second number is not 0.
    second = page.get_by_role("slider", name="query matrix, where (0, 1) goes")
    x, y = middle(second)
    drag(page, (x, y), (x + 20, y + 30))
    to_python(page, explorer)
    assert (explorer.w_query[0] == [1, 0]).all()
    assert (explorer.w_query[1] != [0, 1]).all()
    has_moved = (np.abs(places() - before) > 1).any(axis=1)
    assert (has_moved == (explorer.token_matrix[:, 1] != 0)).all()
    second.press("ArrowRight")
    row = explorer.w_query[1].copy()
    to_python(page, explorer)
    np.testing.assert_allclose(explorer.w_query[1], row + np.array([0.1, 0]))
    page.mouse.click(*child)
    assert headline(page).startswith("Child attends most to ")
    page.get_by_role("button", name="Reset").click()
    assert (places() == before).all()
    assert headline(page) == start


def test_a_link_behind_the_menu_leads_to_a_field_that_is_folded(open_widgets):
    explorer = widgets.AttentionExplorer(
        {"a": WORDS, "b": WORDS},
        {"a": KEYS @ KEYS.T, "b": np.eye(6)},
        elsewhere=("Your own", "#own"),
    )
    page = open_widgets(explorer).page
    link = page.get_by_role("link", name="Your own")
    assert link.count() == 0  # there is no such place
    page.evaluate(
        """() => {
          const fold = document.body.appendChild(document.createElement("details"));
          fold.appendChild(document.createElement("input")).id = "own";
        }"""
    )
    page.get_by_role("combobox").select_option("1")
    link.press("Enter")
    expect(page.locator("#own")).to_be_focused()
    assert page.locator("details:has(#own)").get_attribute("open") is not None


def test_a_node_of_the_graph_is_picked_by_pointer_and_by_keys(show):
    explorer = example(widgets.GraphAttentionExplorer)
    page = show(explorer)
    page.mouse.click(*middle(page.locator(".nodes label").nth(2)))
    to_python(page, explorer)
    assert explorer.receiver == 2
    page.keyboard.press("ArrowUp")
    to_python(page, explorer)
    assert explorer.receiver == 1
    assert headline(page).startswith(f"{explorer.names[1]} hears ")
    page.locator(".nodes label").nth(0).hover()  # looking is no press
    assert headline(page).startswith(f"{explorer.names[0]} hears ")
    page.mouse.move(1, 1)
    assert headline(page).startswith(f"{explorer.names[1]} hears ")
    assert to_python(page, explorer) == 0


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
    page.mouse.click(*middle(page.locator("svg.heads .sign").nth(2)))
    to_python(page, explorer)
    assert explorer.place == 2
    assert headline(page).startswith("o asks. ")


def test_letters_have_room_for_a_finger_on_a_phone_and_play_walks_over_them(show):
    explorer = InductionExplorer(PARAMS, "gbalcegbalcegbalce", place=8)
    page = show(explorer, 390)
    letters = page.locator("svg.heads .sign:not(.next)")
    columns = page.locator(".ask").bounding_box()
    assert min(columns["width"], columns["height"]) >= 24
    page.mouse.click(*middle(letters.nth(15)))
    to_python(page, explorer)
    assert explorer.place == 15
    page.get_by_role("button", name="Play").click()
    until(page, "() => document.querySelector('.headline').textContent.startsWith('e asks')")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    to_python(page, explorer)
    assert explorer.place == 17


def test_a_guess_that_nobody_could_know_is_not_marked_as_right(show):
    page = show(NAMED["InductionExplorer"]["right by luck"])
    assert page.locator(".mark.o").all_text_contents() == ["✓"] * 3
    assert "✓" in page.locator(".mark.dim").all_text_contents()


def test_a_press_on_the_board_asks_that_box_that_question(show):
    game = example(widgets.BugGame)
    page, at = show(game), [*PROBES].index("keys shifted")
    page.locator(".board tbody tr").nth(at).locator("td").nth(2).click()
    to_python(page, game)
    assert (game.box, game.probe) == (2, at)
    page.get_by_role("radio", name="keys shifted").focus()
    for key in ("ArrowDown", "ArrowDown"):  # moving is no probe
        page.keyboard.press(key)
    assert headline(page) == "Box C, one query: press to see what it does."
    assert to_python(page, game) == 0
    page.keyboard.press("Enter")
    to_python(page, game)
    assert (game.probe, game.n_probes) == (at + 2, 2)


def test_the_mouse_over_the_board_shows_what_a_probe_does_and_not_what_comes_of_it(show):
    game = example(widgets.BugGame)
    page = show(game)
    before, shapes = headline(page), page.locator(".desk svg").first
    page.locator(".board tbody tr").nth(4).locator("td").nth(1).hover()
    assert headline(page) == "Box B, everything twice: press to see what it does."
    assert "K: 12 by 3" in shapes.get_attribute("aria-label")
    page.mouse.move(1, 1)
    assert headline(page) == before
    assert (to_python(page, game), game.n_probes) == (0, 0)  # the first is a gift


def test_what_scrolls_under_a_mouse_that_rests_shows_no_preview(show):
    page = show(example(widgets.BugGame))
    page.evaluate("document.querySelector('main').style.margin = '1000px auto 3000px'")
    page.get_by_role("radio", name="box B").check()
    said = headline(page)
    for way in (45, -45, -90, 90, 150, -150):
        page.evaluate("(way) => scrollBy(0, way)", way)
        page.wait_for_timeout(150)  # the browser tells what lies under the mouse after a while
        assert headline(page) == said


@pytest.mark.parametrize(("name", "names"), [("BugGame", SUSPECTS), ("LeakGame", [*LAYERS])])
def test_a_game_is_won_and_a_wrong_name_gets_a_hint(show, name, names):
    game = example(getattr(widgets, name))
    page = show(game)
    for letter, layer in zip("ABCDEFGH", game.layers, strict=False):
        page.get_by_role("radio", name=f"box {letter}", exact=True).check()
        wrong = [names[names.index(layer) - k] for k in (1, 2)]
        for guess in (*wrong, wrong[0], layer):  # to say it again costs nothing
            name = re.escape(guess.replace("-", "−"))
            button = page.get_by_role("button", name=re.compile(f"^{name}( ?, wrong)?$"))
            button.press("Enter")
            said = page.locator(".verdict [role=status]").inner_text()
            assert said.startswith("Right, " if guess == layer else "Not yet")
        assert page.locator(".names .wrong").count() == 2
    to_python(page, game)
    n = len(game.layers)
    assert (game.is_solved, game.wrong) == (True, 2 * n)
    words = {5: "Five of five, 0 probes, 10", 8: "Eight of eight, 7 probes, 16"}
    assert f"{words[n]} wrong names." in headline(page)


def test_what_is_found_stays_and_things_to_try_keep_the_notebook(show):
    thing = ("Box B.", "It counts.", {"box": 1, "probe": 3})
    game = widgets.BugGame(*BUG_ARGS, things_to_try=[thing])
    page = show(game)
    page.get_by_role("radio", name="twice as wide").check()
    page.get_by_role("button", name=game.layers[0], exact=True).press("Enter")
    assert page.locator(".names button:enabled").count() == 1
    page.get_by_role("button", name="Set it up: Box B.").press("Enter")
    to_python(page, game)
    assert (game.box, game.probe, game.n_right, game.n_probes) == (1, 3, 1, 2)
    assert game.seen[0] == 1 + 2 ** [*PROBES].index("twice as wide")


def test_a_new_game_shuffles_the_boxes(show):
    game = example(widgets.BugGame)
    game.verdicts = [SUSPECTS.index(layer) for layer in game.layers]
    page = show(game)
    page.locator(".verdict").get_by_role("button", name="New game").click()
    to_python(page, game)
    assert sorted(game.order) == [*range(8)]
    assert game.verdicts == [-1] * 8


def test_a_changed_number_fills_the_notebook_and_another_box_starts_afresh(show):
    game = example(widgets.LeakGame)
    page = show(game)
    for letter, leaks in (("A", 5), ("D", 0)):
        page.get_by_role("radio", name=f"box {letter}").check()
        x, y = middle(page.get_by_role("spinbutton", name="number of Book"))
        drag(page, (x, y), (x + 24, y))
        assert page.locator(".on.leaks").count() == leaks
        assert page.locator(".notes .leaks").count() == leaks
    to_python(page, game)
    assert (game.n_probes, game.numbers[5]) == (2, 3)
    page.get_by_role("radio", name="box A").check()
    assert page.locator(".notes .leaks").count() == 5
    assert page.locator(".on").count() == 0


def test_the_mouse_over_a_model_shows_its_cache(show):
    explorer = example(widgets.CacheExplorer)
    page = show(explorer)
    before = headline(page)
    page.get_by_role("radio", name="DeepSeek-V3").hover()
    assert "DeepSeek-V3 keeps 8.58 GiB" in headline(page)
    page.mouse.move(1, 1)
    assert headline(page) == before
    assert to_python(page, explorer) == 0


def test_the_end_of_any_bar_that_is_dragged_says_how_long_the_text_is(show):
    explorer = example(widgets.CacheExplorer)
    page = show(explorer)
    ends = page.locator(".wall .grip")
    llama, gpt_oss = (middle(ends.nth(row)) for row in (0, 4))
    left = page.locator(".wall").bounding_box()["x"]
    drag(page, gpt_oss, (left + 2 * (gpt_oss[0] - left), llama[1]))  # up to another row
    to_python(page, explorer)
    assert explorer.words == 2**18
    drag(page, (llama[0], llama[1]), (left + (llama[0] - left) / 4, llama[1]))
    to_python(page, explorer)
    assert explorer.words == 2**15
    drag(page, llama, (left + 2000, llama[1]))  # beyond where it breaks
    to_python(page, explorer)
    assert explorer.words == 2**20
    assert "× 6.4" in page.locator(".wall").text_content()


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


def test_a_frame_of_the_training_is_looked_at_and_pressed(show):
    explorer = TrainingExplorer(step=20)
    page = show(explorer)
    frames = page.locator(".strip label")
    frames.nth(1).hover()
    assert headline(page).startswith("Step 10,")
    page.mouse.move(0, 0)
    assert headline(page).startswith("Step 20,")
    frames.nth(3).click()
    settle(page)
    assert headline(page).startswith("Step 30,")
    to_python(page, explorer)
    assert explorer.step == 30


def test_queries_learn_until_something_else_is_touched(show):
    explorer = widgets.LearnedQueriesExplorer(queries=5)
    page = show(explorer)
    page.get_by_role("button", name="Learn").click()
    until(page, "() => document.querySelector('.headline').textContent.includes('3 of 3')")
    to_python(page, explorer)
    assert (explorer.errors < 0.015).all()
    page.emulate_media(reduced_motion="no-preference")
    page.get_by_role("button", name="Learn").click()
    until(page, "() => /Step/.test(document.querySelector('.headline').textContent)")
    page.get_by_role("slider").nth(1).press("End")
    assert "Step" not in headline(page)
    to_python(page, explorer)
    before = explorer.slopes.tolist()
    assert (explorer.seed, before[1]) == (2, 12)
    page.wait_for_timeout(100)
    to_python(page, explorer)
    assert explorer.slopes.tolist() == before


def test_of_a_fork_each_branch_that_was_pressed_keeps_its_result(show):
    explorer = TrainingExplorer(rate=0.2, fork=3, step=3)
    page = show(explorer)
    assert headline(page).startswith("Stuck at step 3:")
    cures = page.locator(".cures label")
    for i in (4, 2):
        cures.nth(i).click()
        settle(page)
    to_python(page, explorer)
    assert (explorer.branch, explorer.step) == ("W_q alone divided by 30", 303)
    until(page, "() => document.querySelectorAll('.lead').length === 2")  # both have arrived
    assert cures.nth(2).locator("b").inner_text() == f"{explorer.n_right} of 10"
    explorer.branch = "W_q and W_k divided by 30"
    assert cures.nth(4).locator("b").inner_text() == f"{explorer.n_right} of 10"
    assert cures.nth(0).locator("b").inner_text() == ""
    page.get_by_role("button", name="Reset").click()
    settle(page)
    assert page.locator(".lead").count() == 0
    assert headline(page).startswith("Stuck at step 3:")


def test_a_loss_is_said_to_be_cut_where_one_is(show):
    page = show(TrainingExplorer(rate=0.2))
    assert "cut" not in page.locator(".chart").text_content()
    page.get_by_role("slider", name="Step").fill("3")
    settle(page)
    assert "cut" in page.locator(".chart").text_content()
    page.get_by_role("button", name="Reset").click()
    assert "cut" not in page.locator(".chart").text_content()


@pytest.mark.parametrize(
    ("name", "place", "before", "after"),
    [
        ("ArchitectureExplorer", ".choice label >> nth=20", "Encoder, embedding", "Softmax"),
        ("OnlineSoftmaxExplorer", ".chart .name >> nth=0", "5 of 6", "1 of 6"),
    ],
)
def test_what_a_press_would_show_is_seen_under_the_mouse(show, name, place, before, after):
    explorer = example(getattr(widgets, name))
    page = show(explorer)
    page.locator(f".attn {place}").hover()
    assert headline(page).startswith(after)
    page.mouse.move(0, 0)
    assert headline(page).startswith(before)
    page.locator(f".attn {place}").click()
    page.mouse.move(0, 0)
    assert headline(page).startswith(after)
    assert to_python(page, explorer) == 1


def test_the_race_of_two_memories_follows_the_mouse_and_a_press_keeps_it(show):
    explorer = example(widgets.MemoryExplorer)
    page = show(explorer)
    start, bars = headline(page), page.locator("svg.track")
    track, (x, y) = bars.bounding_box(), middle(bars)
    page.mouse.move(x, y)
    assert headline(page).startswith("Time 50 %")
    page.mouse.move(x + (track["width"] - 16) / 4, y - 200)  # over the squares, too
    assert headline(page).startswith("Time 75 %")
    page.mouse.move(1, 1)
    assert headline(page) == start
    assert to_python(page, explorer) == 0
    drag(page, (x, y), (x + (track["width"] - 16) / 4, y))
    to_python(page, explorer)
    assert explorer.done == 75
    thumb = track["x"] + 8 + (track["width"] - 16) * 0.75
    assert middle(page.locator("path.cursor"))[0] == pytest.approx(thumb, abs=1.5)


def test_the_slider_of_online_softmax_is_its_axis_and_goes_by_blocks(show):
    page = show(NAMED["OnlineSoftmaxExplorer"]["in blocks of 4"])
    slider, cursor = page.get_by_role("slider"), page.locator("path.cursor")
    track = slider.bounding_box()
    for key, read in (("ArrowRight", 6), ("ArrowLeft", 4), ("ArrowLeft", 0), ("ArrowRight", 4)):
        slider.press(key)
        assert headline(page).startswith(f"{read} of 6 keys read")
        thumb = track["x"] + 8 + (track["width"] - 16) * read / 6
        assert middle(cursor)[0] == pytest.approx(thumb, abs=1.5)
    x, y = middle(page.locator(".chart"))
    drag(page, (x - 200, y), (x + 100, y), (x + 400, y))
    assert headline(page).startswith("6 of 6 keys read")


@pytest.mark.parametrize("path", ["chapters/training", "embed/training-training"])
def test_the_policy_of_a_page_lets_it_train(visit, server, path):
    visit.open(f"{server}/{path}.html#training:step=4")
    said = visit.page.locator("[data-address=training] .headline, .embed .headline").first
    expect(said).to_have_text(re.compile("^Step 4, rate 0.01: loss 2"))


def test_it_writes_on_until_it_is_stopped(show):
    explorer, wanted = (WritingExplorer(MODELS, "The Queen ") for _ in range(2))
    page = show(explorer)
    paper = page.get_by_role("textbox", name="Your text")
    page.get_by_role("button", name="Play").click()
    until(page, "() => document.querySelector('textarea').value.length >= 16")
    page.keyboard.press("Space")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    to_python(page, explorer)
    wanted.go_on(len(explorer.text) - len(wanted.text))
    assert explorer.text == wanted.text == paper.input_value()
    hostile = "<img src=x></textarea><b>é"
    paper.fill(hostile)
    to_python(page, explorer)
    assert explorer.text == hostile == paper.input_value()
    assert page.locator(".attn img, .attn-writing textarea b").count() == 0


def test_a_letter_is_gone_back_to_and_another_written_after_it(show):
    explorer = WritingExplorer(MODELS, "The Queen of Hearts")
    page = show(explorer)
    letter = page.locator(".paper text", has_text="Q")
    page.mouse.click(*middle(letter))
    to_python(page, explorer)
    assert (explorer.place, explorer.read) == (5, "\nThe Q")
    page.keyboard.press("ArrowLeft")
    to_python(page, explorer)
    assert explorer.place == 4
    likely = explorer.alphabet[explorer.probabilities.argmax()]
    page.locator(".fan button").first.click()
    to_python(page, explorer)
    assert explorer.text == "The " + likely
    assert explorer.read == "\nThe " + likely


def test_the_empty_paper_and_typing_on_it_lead_to_the_text_field(show):
    explorer = WritingExplorer(MODELS, "The Queen")
    page = show(explorer)
    sheet, field = page.locator(".sheet").bounding_box(), page.locator("textarea")
    page.mouse.click(sheet["x"] + sheet["width"] - 20, sheet["y"] + sheet["height"] - 20)
    expect(field).to_be_focused()
    page.keyboard.type("!")
    page.mouse.click(*middle(page.locator(".paper text", has_text="Q")))
    page.keyboard.type("a")
    expect(field).to_be_focused()
    to_python(page, explorer)
    assert explorer.text == "The Qaueen!"


def test_a_translation_is_looked_at_where_the_mouse_is_and_goes_on_and_back(show):
    explorer = NAMED["TranslatorExplorer"]["start"]
    page = show(explorer)
    written, blanks = page.locator(".written"), page.locator(".blank")
    place = middle(blanks.nth(3))
    page.mouse.move(place[0], place[1] - 60)  # among the ribbons
    assert (written.count(), headline(page)[:7]) == (5, "Step 4:")
    page.mouse.move(1, 1)
    assert (written.count(), headline(page)[:7]) == (1, "Step 0:")
    page.mouse.click(*place)
    page.mouse.move(1, 1)
    to_python(page, explorer)
    assert explorer.step == 4
    for name, step in (("Next word", 5), ("Back", 4), ("Back", 3), ("Reset", 0), ("Back", 0)):
        page.get_by_role("button", name=name).click()
        assert (written.count(), headline(page)[:7]) == (step + 1, f"Step {step}:")
    last = len(explorer.written[0][0]) - 1
    for _ in range(last + 2):
        page.get_by_role("button", name="Next word").click()
    assert (blanks.count(), headline(page)[:7]) == (0, f"Step {last}:")
    explorer.step = 0


@pytest.mark.parametrize("width", [1280, 390])
def test_long_sentences_stand_in_lines_and_no_word_is_left_out(show, width):
    explorer = NAMED["TranslatorExplorer"]["the last step"]
    page = show(explorer, width)
    words = page.locator(".picture svg text").all_text_contents()
    assert words == explorer.sources[1] + explorer.written[0][1][:20]
    assert len(words) + page.locator(".blank").count() == 25 + len(explorer.written[0][1])


def test_a_head_shows_its_own_wash_and_is_struck_out(show):
    explorer = WritingExplorer(MODELS, "The Queen")
    page = show(explorer)
    head = page.get_by_role("checkbox", name="block 1, head 2")
    washes = "all => all.map((e) => e.getAttribute('fill-opacity') ** 2)"
    for act, wanted in (
        (head.hover, explorer.weights[1, 2]),
        (head.uncheck, explorer.weights[1, 2]),
    ):
        act()
        drawn = page.locator(".wash").evaluate_all(washes)
        assert drawn == pytest.approx(wanted, abs=1e-3)
    to_python(page, explorer)
    assert explorer.heads == [1, 1, 1, 1, 1, 1, 0, 1]
    page.mouse.move(0, 0)
    drawn = page.locator(".wash").evaluate_all(washes)
    assert drawn == pytest.approx(explorer.look, abs=1e-3)


@pytest.mark.parametrize("name", ["TemperatureExplorer", "AttentionExplorer", "WinnerExplorer"])
def test_the_headline_is_spoken_once_after_the_hand_rests(show_alone, name):
    page = show_alone(example(getattr(widgets, name)))
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


@pytest.mark.parametrize("widget", USUAL, ids=lambda widget: type(widget).__name__)
def test_a_thumb_that_scrolls_over_a_picture_changes_nothing(show, widget):
    page = show(widget, width=390)
    page.evaluate("document.body.style.padding = '400px 0 900px'")
    finger = page.context.new_cdp_session(page)
    finger.send("Emulation.setTouchEmulationEnabled", {"enabled": True})
    picture, before = page.locator(".picture > *").first, page.evaluate(SHOWN)
    for share in (0.2, 0.35, 0.5, 0.65, 0.8):
        page.evaluate("scrollTo(0, 380)")
        box = picture.bounding_box()
        x, y = box["x"] + share * box["width"], min(box["y"] + box["height"] - 6, 800)
        for kind, up in [("Start", 0), *(("Move", 12 * step) for step in range(1, 12))]:
            points = [{"x": x + up / 24, "y": y - up}]
            finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
        finger.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})
        page.evaluate(SETTLE)
        assert page.evaluate("scrollY") > 400
    finger.send("Emulation.setTouchEmulationEnabled", {"enabled": False})
    assert page.evaluate(SHOWN) == before


@pytest.mark.parametrize(
    ("name", "trait"),
    [("TemperatureExplorer", "words"), ("WidthExplorer", "draw")],
)
def test_a_step_of_a_slider_draws_once(show_alone, name, trait):
    """A drawing reads each trait once; who listens hears of it without another."""
    page = show_alone(example(getattr(widgets, name)))
    page.clock.install(time=0)
    page.clock.pause_at(3600)
    before = page.evaluate(f"reads.get('{trait}')")
    page.get_by_role("slider").first.press("ArrowUp")
    page.clock.run_for(7000)
    assert page.evaluate(f"reads.get('{trait}')") == before + 1


def test_words_of_another_language_keep_it_also_when_they_are_spoken(show):
    page = show(translator(model=1, sentence=1, step=8))
    page.get_by_role("button", name="Next word").click()
    spoken = page.locator(".headline + [role=status]")
    expect(spoken.locator("[lang=fr]").first).to_be_attached()
    seen = page.locator(".headline [lang=fr]").all_inner_texts()
    assert spoken.locator("[lang=fr]").all_inner_texts() == seen


def test_an_explorer_keeps_plain_keys_from_jupyterlab(show):
    page = show(example(TemperatureExplorer))
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


def test_the_arrow_keys_are_no_guess_and_a_guess_of_three_heads_is_answered(show):
    teaser = made_teaser()
    page = show(teaser)
    asked = headline(page)
    page.keyboard.press("Tab")
    for key in ("ArrowRight", "ArrowRight"):
        page.keyboard.press(key)
    assert headline(page) == asked == "Where do three heads look from Book? Press a word."
    page.keyboard.press("Enter")
    to_python(page, teaser)
    assert teaser.guess == 2
    right = [
        name for name, row in zip(teaser.heads, teaser.weights, strict=True) if row.argmax() == 2
    ]
    told = f"{' and '.join(right)} took it, too.".capitalize() if right else "None of the three"
    assert told in headline(page)
    rows = page.locator("ul.heads li").all_inner_texts()
    for name, row, text in zip(teaser.heads, teaser.weights, rows, strict=True):
        assert text.startswith(f"{name}\n{teaser.tokens[row.argmax()]} {row.max():.3f}")


def test_a_sentence_that_does_not_fit_stands_upright_and_its_arcs_end_at_its_words(show):
    page = show(NAMED["HeadTeaser"]["four heads, 32 words"], 390)
    ends = page.locator(".arcs path").evaluate_all(
        "all => all.filter((e) => +e.getAttribute('stroke-width'))"
        ".map((e) => [0, e.getTotalLength()]"
        ".map((at) => e.getPointAtLength(at).y + e.ownerSVGElement.getBoundingClientRect().top))"
    )
    lines = [middle(word)[1] for word in page.locator(".word").all()]
    assert len(ends) > 32
    assert all(min(abs(y - line) for line in lines) <= 8 for pair in ends for y in pair)
    assert all(abs(start - lines[31]) <= 5.5 for start, _ in ends)  # a loop stands around it


def test_the_number_of_heads_slides_and_colours_are_swapped(show):
    explorer = trained_binding()
    page = show(explorer)
    heads, before = page.locator(".count"), headline(page)
    heads.nth(1).hover()
    assert headline(page).startswith("Two heads. red: cup 1.000, right; pink: pen 0.999, right.")
    page.mouse.move(1, 1)
    assert headline(page) == before
    assert to_python(page, explorer) == 0
    page.get_by_role("slider", name="Heads").press("ArrowRight")
    page.get_by_role("button", name="Swap").press("Enter")
    page.get_by_role("group", name="First colour").get_by_role("radio", name="red").check()
    page.get_by_role("combobox", name="the red thing").select_option("jar")
    to_python(page, explorer)
    assert (explorer.n_heads, explorer.first, explorer.second) == (2, 0, 3)
    assert explorer.answers == ["jar", "pen"]
    assert headline(page).startswith("Two heads. red: jar ")


def test_a_picture_of_the_wall_is_copied_or_saved(show):
    page = show(made_wall(head=71))
    with page.expect_download() as saved:  # nothing is allowed here
        page.get_by_role("button", name="Copy picture").click()
    with Image.open(saved.value.path()) as picture:
        assert picture.size == (1200, 630)
        assert len(picture.convert("RGB").getcolors(1 << 20)) > 50
