"""AttentionExplorer in a browser: what the reader moves, what is seen, and what Python hears."""

from itertools import pairwise, product

import numpy as np
import pytest

from attnutils import AttentionExplorer
from attnutils.worked_example import KEYS, WORDS
from tests.conftest import SETTLE, exhaustive, some
from tests.page.conftest import (
    ROOM,
    SAMPLES,
    from_python,
    resize,
    slider,
    temperature_at,
    to_python,
)

PAGES = ["self-attention", "multi-head-attention"]
PADDED = [*WORDS, "<pad>", "<pad>"]
PADDED_KEYS = np.vstack([KEYS, np.zeros((2, 3))])
RNG = np.random.default_rng(0)
GRID = RNG.normal(scale=2, size=(3, 5, 4, 4))
FLAT = RNG.normal(scale=2, size=(2, 12, 4, 4))
KINDS = ["previous word", "next word", "same kind"]
HEADS = RNG.normal(scale=2, size=(3, 6, 6))
CROSS = RNG.normal(scale=2, size=(4, 6))
LONG = ["[CLS]", "the", "cat", "slept", "because", "it", "was", "tired", "[SEP]"]
TEXTS = {"short": list("abcd"), "long": LONG, "longer": [*LONG, "and", "out"]}
TENSORS = {name: RNG.normal(scale=2, size=(2, 3, len(t), len(t))) for name, t in TEXTS.items()}
TENSORS["long"][1, 2, 4, 5:] = -np.inf
BIG = RNG.normal(scale=2, size=(12, 32, 32))
MAKE = {
    "one slice": lambda: AttentionExplorer(
        PADDED, PADDED_KEYS @ PADDED_KEYS.T, n_real=6, mask="padding", token=5
    ),
    "text axis": lambda: AttentionExplorer(WORDS, HEADS, axes={"head": KINDS}, token=5),
    "two axes": lambda: AttentionExplorer(list("abcd"), GRID, axes=("layer", "head"), token=1),
    "flat grid": lambda: AttentionExplorer(list("abcd"), FLAT, axes=("layer", "head"), token=1),
    "one of one": lambda: AttentionExplorer(WORDS, HEADS[None, :1], axes=("layer", "head")),
    "steps": lambda: AttentionExplorer(
        list("abcdef"), np.repeat(HEADS, 7, axis=0), axes={"step": list(range(0, 210, 10))}
    ),
    "cross": lambda: AttentionExplorer(
        ["l'enfant", "lit", "un", "livre"], CROSS, key_tokens=WORDS, token=1
    ),
    "sentences": lambda: AttentionExplorer(
        TEXTS, TENSORS, axes=("layer", "head"), index=[1, 2], token=2
    ),
    "sentences, one slice": lambda: AttentionExplorer(
        TEXTS, {name: tensor[0, 0] for name, tensor in TENSORS.items()}, sentence="long"
    ),
    "sentences, one axis": lambda: AttentionExplorer(
        TEXTS, {name: tensor[0] for name, tensor in TENSORS.items()}, axes=("head",), token=1
    ),
    "large": lambda: AttentionExplorer(
        [f"token{i}" for i in range(32)], BIG, axes=("head",), token=9, n_real=30
    ),
}


# All are compared with attnutils in Node (tests/widgets).
FORMS = some(MAKE, "cross", "sentences")


@pytest.fixture(params=FORMS)
def made(request):
    return MAKE[request.param]()


def row(page, numbers):
    """The weights in the table, in the order in which they stand."""
    return numbers(page.locator("tbody data"))


def assert_inked(amounts, weights):
    """The amounts of ink, 0 to 255, are those of the weights."""
    np.testing.assert_allclose(amounts, 255 * weights, rtol=0, atol=1)


def painted(page):
    """Waits until a map of a new size has been painted: its width is told at the next frame."""
    page.evaluate(SETTLE)


def cell_inks(page, n_rows, n_columns):
    """How much ink is near the corner of each cell, where no number is."""
    painted(page)
    return page.locator(".cells canvas").evaluate(
        """(canvas, [rows, columns]) => Array.from({ length: rows }, (_, i) =>
             Array.from({ length: columns }, (_, j) => canvas.getContext("2d").getImageData(
               Math.floor(((j + 0.15) * canvas.width) / columns),
               Math.floor(((i + 0.15) * canvas.height) / rows), 1, 1).data[3]))""",
        [n_rows, n_columns],
    )


def map_inks(page, line, column, lines, columns, n):
    """How much ink a small map has in the middle of each of its n x n cells."""
    painted(page)
    return page.locator(".thumbs canvas").evaluate(
        """(canvas, [line, column, lines, columns, n]) => {
          const side = canvas.width / columns;
          const gap = Math.max(3, Math.round(side / 16));
          const at = (from, i) =>
            Math.floor(from * side + gap / 2 + ((i + 0.5) * (side - gap)) / n);
          return Array.from({ length: n }, (_, i) => Array.from({ length: n }, (_, j) =>
            canvas.getContext("2d").getImageData(at(column, j), at(line, i), 1, 1).data[3]));
        }""",
        [line, column, lines, columns, n],
    )


# The weights at each position of a slider: a step by Playwright takes ten times as long.
WEIGHTS = """(slider, positions) => positions.map((position) => {
  slider.value = position;
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  const all = slider.closest(".attn").querySelectorAll("tbody data");
  return [...all].map((item) => Number(item.value));
})"""


def test_the_row_is_what_attnutils_computes(still, made):
    page = still(made)
    n = len(made.tokens)
    masks = page.get_by_role("combobox", name="Mask")
    for mask in made.masks:
        if len(made.masks) > 1:
            masks.select_option(mask)
        made.mask = mask
        for token in {0, n // 2, n - 1}:
            page.get_by_role("radio").nth(token).check()
            made.token = token
            rows = slider(page).evaluate(WEIGHTS, SAMPLES)
            for position, got in zip(SAMPLES, rows, strict=True):
                made.temperature = temperature_at(position)
                np.testing.assert_allclose(got, made.weights[token], rtol=0, atol=1e-6)
    assert "NaN" not in page.locator(".attn").inner_text()


def test_bars_and_headline_show_the_weights(still, numbers, made):
    page = still(made)
    lengths = page.locator("tbody .fill").evaluate_all("bars => bars.map((b) => b.style.width)")
    got = [float(length.rstrip("%")) / 100 for length in lengths]
    np.testing.assert_allclose(got, made.weights[made.token], rtol=0, atol=1e-4)
    weights = made.weights[made.token]
    assert page.locator("tbody .top data").all_inner_texts() == [f"{weights.max():.3f}"]

    winner = (made.key_tokens or made.tokens)[weights.argmax()]
    headline = page.locator(".headline")
    assert f"{made.tokens[made.token]} attends most to {winner}" in headline.inner_text()
    is_open = made.may_attend[made.token]
    wanted = [weights.max(), made.entropy, np.log2(is_open.sum())]
    np.testing.assert_allclose(numbers(headline.locator("data")), wanted, rtol=0, atol=1e-12)


def test_the_heatmap_has_the_colours_of_the_weights(still, made):
    page = still(made)
    for t in (1, 4):
        made.temperature = t
        from_python(page, made, "temperature")
        seen = np.array(cell_inks(page, *made.weights.shape))
        is_open = made.may_attend
        assert_inked(seen[is_open], made.weights[is_open])


def test_every_slice_is_reached_and_has_its_small_map(still, numbers):
    made = MAKE["two axes"]()
    page = still(made)
    for t in (1, 5):
        made.temperature = t
        from_python(page, made, "temperature")
        for layer in range(3):
            for head in range(5):
                page.get_by_role("slider", name="Layer").fill(str(layer))
                page.get_by_role("slider", name="Head").fill(str(head))
                made.index = [layer, head]
                np.testing.assert_allclose(row(page, numbers), made.weights[1], rtol=0, atol=1e-12)
                assert (
                    page.locator(".headline")
                    .inner_text()
                    .startswith(f"Layer {layer}, head {head}: b attends most to")
                )
                small = map_inks(page, layer, head, 3, 5, 4)
                assert_inked(small, made.weights)


def test_maps_turn_light_and_dark_with_the_page(still):
    """What is on a canvas does not do so by itself."""
    page = still(MAKE["two axes"]())
    darkest = """canvas => {
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      let at = 0;
      for (let i = 3; i < data.length; i += 4) if (data[i] > 250) at = i;
      return data[at - 3];
    }"""
    inks = []
    for scheme in ("light", "dark", "light"):
        page.emulate_media(color_scheme=scheme)
        page.evaluate(SETTLE)
        inks.append([canvas.evaluate(darkest) for canvas in page.locator("canvas").all()])
    light, dark, again = inks
    assert light == again
    assert len(light) == 2
    assert all(one != other for one, other in zip(light, dark, strict=True))


def test_a_small_map_can_be_picked_by_pointer(still):
    for name, at, index, lines in (
        ("two axes", (0.9, 0.5), [1, 4], 3),
        ("flat grid", (0.9, 0.75), [1, 10], 2),
        ("steps", (0.86, 0.75), [20], 2),
    ):
        made = MAKE[name]()
        page = still(made)
        canvas = page.locator(".thumbs canvas")
        box = canvas.bounding_box()
        canvas.click(position={"x": box["width"] * at[0], "y": box["height"] * at[1]})
        to_python(page, made)
        assert made.index == index
        frame = page.locator(".thumbs .here").bounding_box()
        assert frame["x"] < box["x"] + box["width"] * at[0] < frame["x"] + frame["width"]
        assert frame["y"] < box["y"] + box["height"] * at[1] < frame["y"] + frame["height"]
        assert frame["height"] == pytest.approx(box["height"] / lines, abs=1)


def test_nothing_is_picked_where_there_is_no_small_map(still):
    # 50 steps are 4 lines of 13, and the last line has room for two more.
    made = AttentionExplorer(["a", "b"], RNG.normal(size=(50, 2, 2)), axes=("step",))
    page = still(made)
    box = page.locator(".thumbs canvas").bounding_box()
    page.locator(".thumbs canvas").click(
        position={"x": box["width"] * 0.99, "y": box["height"] * 0.9}
    )
    assert to_python(page, made) == 0


def test_an_axis_of_words_is_a_list_and_one_of_numbers_a_slider(still, numbers):
    made = MAKE["text axis"]()
    page = still(made)
    page.get_by_role("combobox", name="Head").select_option("same kind")
    to_python(page, made)
    assert made.index == [2]
    np.testing.assert_allclose(row(page, numbers), made.weights[5], rtol=0, atol=1e-12)
    assert page.locator(".headline").inner_text().startswith("Head “same kind”: Book attends")
    steps = MAKE["steps"]()
    page = still(steps)
    control = page.get_by_role("slider", name="Step")
    control.fill("12")
    assert control.get_attribute("aria-valuetext") == "Step 120"
    assert page.locator("output").first.inner_text() == "120"


def test_a_token_is_picked_by_keyboard(still, numbers):
    made = MAKE["one slice"]()
    page = still(made)
    page.get_by_role("radio", name="Book").focus()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    to_python(page, made)
    assert made.token == 3
    assert "Reads attends most to" in page.locator(".headline").inner_text()
    np.testing.assert_allclose(row(page, numbers), made.weights[3], rtol=0, atol=1e-12)
    outline = page.locator("input:checked + span").evaluate("e => getComputedStyle(e).outlineStyle")
    assert outline == "solid"


def test_a_token_is_picked_by_pointer_wherever_it_stands(still):
    made = MAKE["one slice"]()
    page = still(made)
    made.order = [5, 3, 0, 7, 1, 2, 6, 4]
    from_python(page, made, "order")
    box = page.locator(".cells").bounding_box()
    for place, token in enumerate(made.order):
        position = {"x": box["width"] * 0.7, "y": box["height"] * (place + 0.5) / 8}
        page.locator(".cells").click(position=position)
        to_python(page, made)
        assert made.token == token
        frame = page.locator(".cells .here").bounding_box()
        assert abs(frame["y"] - box["y"] - box["height"] * place / 8) < 2
        assert page.evaluate("document.activeElement.value") == str(token)


def test_a_shuffle_moves_rows_and_columns_and_leaves_each_pair_its_weight(still, numbers):
    made = MAKE["one slice"]()
    page = still(made)
    headline = page.locator(".headline").inner_text()
    moved = page.locator(".moved p").first
    assert moved.inner_text().startswith("The tokens stand in their own order.")
    for mask in ("none", "causal", "padding"):
        page.get_by_role("combobox", name="Mask").select_option(mask)
        page.get_by_role("button", name="Shuffle").click()
        to_python(page, made)
        order = made.order
        assert order != sorted(order)
        seen = np.array(cell_inks(page, 8, 8))
        weights, is_open = (x[np.ix_(order, order)] for x in (made.weights, made.may_attend))
        assert_inked(seen[is_open], weights[is_open])
        np.testing.assert_allclose(row(page, numbers), made.weights[5][order], rtol=0, atol=1e-12)
        names = [PADDED[i] for i in order]
        assert page.locator(".map .choice label").all_inner_texts() == names
        assert page.locator(".columns > span").all_inner_texts() == names
        assert page.locator("tbody th").all_inner_texts() == names
        if mask == "causal":  # it goes by place
            assert is_open.tolist() == np.tri(8, dtype=bool).tolist()
            assert "the causal mask did not" in moved.inner_text()
            continue
        assert moved.inner_text().startswith("Shuffled: every row and column moved")
        assert "each weight stays with its pair of tokens" in moved.inner_text()
    assert page.locator(".headline").inner_text() == headline  # the mask is padding again
    page.get_by_role("button", name="Restore").click()
    to_python(page, made)
    assert made.order == list(range(8))
    assert page.locator(".map .choice label").all_inner_texts() == PADDED


def test_small_maps_are_shuffled_too(still):
    made = MAKE["two axes"]()
    page = still(made)
    page.get_by_role("button", name="Shuffle").click()
    to_python(page, made)
    made.index = [2, 3]
    assert_inked(map_inks(page, 2, 3, 3, 5, 4), made.weights[np.ix_(made.order, made.order)])


def test_a_shuffle_is_shown_on_its_way_and_arrives(show_alone):
    made = MAKE["one slice"]()
    page = show_alone(made)
    page.clock.install(time=0)
    page.clock.pause_at(3600)
    page.get_by_role("button", name="Shuffle").click()
    to_python(page, made)
    away = "[...document.querySelectorAll('.map label, tbody tr')].filter((e) => e.style.translate)"
    page.clock.run_for(300)
    assert page.evaluate(f"{away}.length") > 4
    page.clock.run_for(200)
    assert page.evaluate(f"{away}.length") == 0
    page.clock.resume()  # or no frame would come in which the map is painted
    order = made.order
    seen = np.array(cell_inks(page, 8, 8))
    is_open = made.may_attend[np.ix_(order, order)]
    assert_inked(seen[is_open], made.weights[np.ix_(order, order)][is_open])


def test_what_starts_shuffled_is_shown_shuffled(show):
    made = MAKE["text axis"]()
    made.order = [5, 3, 1, 0, 2, 4]
    page = show(made)
    page.wait_for_function("document.querySelector('.cells canvas').width !== 300")
    assert_inked(cell_inks(page, 6, 6), made.weights[np.ix_(made.order, made.order)])
    assert page.locator("tbody th").all_inner_texts() == [WORDS[i] for i in made.order]


def test_a_row_that_may_attend_to_nothing_says_so(still, numbers):
    page = still(AttentionExplorer(PADDED, np.zeros((8, 8)), n_real=0, mask="padding", token=2))
    assert page.locator(".headline").inner_text() == (
        "Child may attend to nothing: all its weights are 0."
    )
    assert row(page, numbers) == [0] * 8
    assert page.locator("tbody data").all_inner_texts() == ["hidden"] * 8


def test_scores_of_minus_infinity_are_masked(still):
    scores = np.where(np.eye(6, dtype=bool), -np.inf, 0)
    page = still(AttentionExplorer(WORDS, scores))
    assert page.locator("tbody data").all_inner_texts() == ["hidden", *["0.200"] * 5]
    assert "entropy 2.32 of 2.32 bits" in page.locator(".headline").inner_text()


def test_winners_that_share_are_all_named(still):
    scores = np.zeros((6, 6))
    scores[0, [1, 4]] = 9
    scores[1, :5] = 99
    page = still(AttentionExplorer(WORDS, scores, temperature=0))
    headline = page.locator(".headline")
    for token, says in (
        (0, "The attends most to Sleepy and A 0.500 each; entropy 1.00 of 2.58 bits."),
        (1, "Sleepy attends most to five tokens 0.200 each; entropy 2.32 of 2.58 bits."),
        (2, "Child attends to all six tokens alike, 0.167; entropy 2.58 of 2.58 bits."),
    ):
        page.get_by_role("radio").nth(token).check()
        assert headline.inner_text() == says


def test_controls_are_there_only_where_they_do_something(still):
    page = still(MAKE["cross"]())
    assert page.get_by_role("combobox").count() == 0
    assert page.get_by_role("button").count() == 0
    assert page.locator(".thumbs").count() == 0
    page = still(AttentionExplorer(["a", "b"], [[[1, 2], [3, 4]]], axes=("head",)))
    assert page.locator(".thumbs").count() == 0
    assert page.get_by_role("combobox", name="Sentence").count() == 0
    assert page.get_by_role("slider").count() == 1
    assert page.locator(".headline").inner_text().startswith("Head 0: a attends")


def sentence_select(page):
    return page.get_by_role("combobox", name="Sentence")


@exhaustive
def test_each_sentence_shows_what_attnutils_computes(still, numbers):
    made = MAKE["sentences"]()
    page = still(made)
    assert sentence_select(page).locator("option").all_inner_texts() == list(TEXTS)
    for name in ("long", "short", "longer"):
        sentence_select(page).select_option(name)
        page.evaluate(SETTLE)
        made.sentence = name
        n = len(TEXTS[name])
        for names in (".map .choice label", ".columns > span", "tbody th"):
            assert page.locator(names).all_inner_texts() == TEXTS[name]
        for mask in ("none", "causal"):
            page.get_by_role("combobox", name="Mask").select_option(mask)
            made.mask = mask
            for index in ([0, 0], [1, 2]):
                page.get_by_role("slider", name="Layer").fill(str(index[0]))
                page.get_by_role("slider", name="Head").fill(str(index[1]))
                made.index = index
                for token in (0, n - 1, 2):
                    page.get_by_role("radio").nth(token).check()
                    made.token = token
                    got = row(page, numbers)
                    np.testing.assert_allclose(got, made.weights[token], rtol=0, atol=1e-6)
                is_open = made.may_attend & ~np.isneginf(made.scores[tuple(index)])
                seen = np.array(cell_inks(page, n, n))
                assert_inked(seen[is_open], made.weights[is_open])
    assert page.locator(".headline").inner_text().startswith("Layer 1, head 2: cat attends")


def test_the_switch_shows_weight_times_length(still, numbers):
    norms = {name: RNG.uniform(0.1, 9, size=(2, 3, len(t))) for name, t in TEXTS.items()}
    made = AttentionExplorer(
        TEXTS, TENSORS, value_norms=norms, axes=("layer", "head"), index=[1, 2], token=2
    )
    page = still(made)
    switch = page.get_by_role("checkbox", name="weight × length")
    assert not switch.is_checked()
    switch.focus()
    page.keyboard.press("Space")
    to_python(page, made)
    assert made.by_length
    for name in ("long", "short", "longer"):
        sentence_select(page).select_option(name)
        to_python(page, made)
        assert made.sentence == name
        n = len(TEXTS[name])
        token = made.tokens[made.token]
        np.testing.assert_allclose(row(page, numbers), made.shares[made.token], rtol=0, atol=1e-12)
        is_open = ~np.isneginf(made.scores[1, 2])
        assert_inked(np.array(cell_inks(page, n, n))[is_open], made.shares[is_open])
        winner = made.tokens[made.shares[made.token].argmax()]
        said = page.locator(".headline").inner_text()
        assert f"{token} gets most of its length from {winner}" in said
        assert "entropy" not in said
        assert page.locator("caption").inner_text() == f"{token} gets from …"
    assert_inked(map_inks(page, 1, 2, 2, 3, n), made.shares)
    made.by_length = False
    from_python(page, made, "by_length")
    assert not switch.is_checked()
    np.testing.assert_allclose(row(page, numbers), made.weights[made.token], rtol=0, atol=1e-12)
    assert "entropy" in page.locator(".headline").inner_text()


def test_there_is_no_switch_without_lengths(still):
    page = still(MAKE["sentences"]())
    assert page.get_by_role("checkbox").count() == 0


def test_small_maps_are_those_of_the_sentence(still):
    texts = {"a": list("abcd"), "b": ["e", "f"], "c": list("ghij")}
    tensors = {name: RNG.normal(size=(2, 3, len(t), len(t))) for name, t in texts.items()}
    made = AttentionExplorer(texts, tensors, axes=("layer", "head"), temperature=2)
    page = still(made)
    for name in ("a", "b", "a", "c"):
        sentence_select(page).select_option(name)
        made.sentence = name
        for made.index in ([0, 1], [1, 2]):
            small = map_inks(page, *made.index, 2, 3, len(texts[name]))
            assert_inked(small, made.weights)


def test_another_sentence_keeps_what_the_reader_chose(still, numbers):
    made = MAKE["sentences"]()
    page = still(made)
    page.get_by_role("slider", name="Layer").fill("0")
    slider(page).fill("60")
    page.get_by_role("combobox", name="Mask").select_option("causal")
    sentence_select(page).select_option("longer")
    page.get_by_role("radio").nth(8).check()
    page.get_by_role("button", name="Shuffle").click()
    to_python(page, made)
    assert made.order != list(range(11))
    # By keyboard, and one with fewer tokens first, which has the chosen one still.
    sentence_select(page).focus()
    page.keyboard.press("ArrowUp")
    assert to_python(page, made) == 1
    assert (made.sentence, made.token, made.order) == ("long", 8, list(range(9)))
    assert (made.index, made.temperature, made.mask) == ([0, 2], 2.5, "causal")
    assert page.locator(".headline").inner_text().startswith("Layer 0, head 2: [SEP] attends")
    assert page.locator(".moved p").first.inner_text().startswith("The tokens stand in their own")
    page.keyboard.press("ArrowUp")
    assert to_python(page, made) == 1
    assert (made.sentence, made.token, made.order) == ("short", 0, [0, 1, 2, 3])
    assert sentence_select(page).evaluate("select => select === document.activeElement")
    assert page.get_by_role("slider", name="Layer").input_value() == "0"
    assert slider(page).input_value() == "60"
    assert page.get_by_role("combobox", name="Mask").input_value() == "causal"
    np.testing.assert_allclose(row(page, numbers), made.weights[0], rtol=0, atol=1e-12)


def test_python_chooses_the_sentence(still, numbers):
    made = MAKE["sentences"]()
    page = still(made)
    made.sentence, made.token = "longer", 10
    made.order = list(reversed(range(11)))
    from_python(page, made, "sentence", "token", "order")
    np.testing.assert_allclose(row(page, numbers), made.weights[10][::-1], rtol=0, atol=1e-12)
    assert sentence_select(page).locator("option:checked").inner_text() == "longer"
    # The sentence comes first, with a token and an order that are not its own.
    made.sentence = "short"
    from_python(page, made, "sentence")
    np.testing.assert_allclose(row(page, numbers), made.weights[0], rtol=0, atol=1e-12)
    assert page.get_by_role("radio").first.is_checked()
    from_python(page, made, "token", "order")
    np.testing.assert_allclose(row(page, numbers), made.weights[0], rtol=0, atol=1e-12)
    assert page.locator("tbody th").all_inner_texts() == TEXTS["short"]
    assert sentence_select(page).locator("option:checked").inner_text() == "short"
    made.scores = -TENSORS["short"]
    from_python(page, made, "score_table")
    np.testing.assert_allclose(row(page, numbers), made.weights[0], rtol=0, atol=1e-12)
    # What Python would refuse is not shown.
    page.evaluate("kernel('sentence', 'unknown')")
    assert page.locator("tbody th").all_inner_texts() == TEXTS["short"]
    assert to_python(page, made) == 0


def test_another_sentence_stands_in_its_own_order_without_python(reopen, widget_page):
    texts = {"a": list("abcd"), "b": list("efgh")}
    made = AttentionExplorer(texts, {"a": np.eye(4), "b": np.eye(4)})
    page = reopen(widget_page(made)).page
    page.get_by_role("button", name="Shuffle").click()
    assert page.locator("tbody th").all_inner_texts() != texts["a"]
    sentence_select(page).select_option("b")
    assert page.locator("tbody th").all_inner_texts() == texts["b"]


def test_nothing_of_an_earlier_sentence_goes_on(still):
    page = still(MAKE["sentences"]())
    page.evaluate(
        """() => { window.ended = 0;
             const { prototype } = ResizeObserver;
             const { disconnect } = prototype;
             prototype.disconnect = function () { ended += 1; disconnect.call(this); }; }"""
    )
    for count, name in enumerate(("long", "short"), start=1):
        sentence_select(page).select_option(name)
        assert page.evaluate("ended") == count


def test_what_has_the_focus_keeps_it_when_python_chooses_a_sentence(still):
    made = MAKE["sentences"]()
    page = still(made)
    page.get_by_role("radio", name="c", exact=True).focus()
    made.sentence = "long"
    from_python(page, made, "sentence", "token", "order")
    assert page.evaluate("document.activeElement.value") == "2"
    page.get_by_role("slider", name="Head").focus()
    made.sentence = "short"
    from_python(page, made, "sentence", "token", "order")
    assert page.evaluate("document.activeElement.type") == "range"


def test_the_headline_of_another_sentence_is_spoken(show_alone):
    page = show_alone(MAKE["sentences"]())
    page.clock.install(time=0)
    page.clock.pause_at(3600)
    sentence_select(page).select_option("long")
    page.clock.run_for(500)
    spoken = page.locator(".headline + [role=status]")
    assert spoken.inner_text() == page.locator(".headline").inner_text()
    assert "cat attends" in spoken.inner_text()


def test_the_page_stays_in_its_place_when_the_sentence_changes(still):
    for name, width in product(["sentences", "sentences, one slice"], [1280, 390, 320]):
        page = still(MAKE[name](), width=width)
        heights = set()
        for sentence in TEXTS:
            sentence_select(page).select_option(sentence)
            page.evaluate(SETTLE)
            heights.add(page.locator(".attn").bounding_box()["height"])
            names = page.locator(".map .choice span, tbody th")
            cut = names.evaluate_all("all => all.filter((e) => e.scrollWidth > e.clientWidth)")
            assert cut == [], f"{name}, {width}: {sentence}"
        assert len(heights) == 1, f"{name}, {width}: {heights}"


def test_two_explorers_do_not_share_their_sentence(reopen, widget_page, numbers):
    page = reopen(widget_page(MAKE["sentences"](), MAKE["sentences"]())).page
    first, second = page.locator(".widget-slot").all()
    before = numbers(second.locator("tbody data"))
    sentence_select(first).select_option("longer")
    assert first.locator("tbody th").all_inner_texts() == TEXTS["longer"]
    assert second.locator("tbody th").all_inner_texts() == TEXTS["short"]
    assert numbers(second.locator("tbody data")) == before


def test_links_run_from_queries_to_keys(still):
    page = still(MAKE["cross"]())
    made = MAKE["cross"]()
    names = page.locator(".arcs text")
    assert names.all_text_contents() == made.tokens
    strong = page.locator(".arcs path:not(.faint)")
    widths = strong.evaluate_all(
        "paths => paths.map((p) => Number(p.getAttribute('stroke-width')))"
    )
    np.testing.assert_allclose(widths, 12 * made.weights[1], atol=0.005)
    column = page.locator(".columns > span").nth(4).bounding_box()
    ends = strong.nth(4).evaluate(
        """path => { const { x } = path.getPointAtLength(path.getTotalLength());
                     return x + path.ownerSVGElement.getBoundingClientRect().x; }"""
    )
    assert abs(ends - column["x"] - column["width"] / 2) < 1


@pytest.mark.parametrize("width", [1280, 390])
def test_links_start_and_end_at_words(still, width):
    queries = ["le", "chat", "gris", "regarde", "toujours", "le", "loup", "gris", "."]
    keys = ["the", "grey", "cat", "is", "always", "watching", "the", "grey", "wolf", "."]
    made = AttentionExplorer(queries, np.zeros((9, 10)), key_tokens=keys, token=1)
    page = still(made, width)
    box = "items => items.map((item) => item.getBoundingClientRect().toJSON())"
    names = page.locator(".arcs text").evaluate_all(box)
    words = page.locator(".columns > span > span").evaluate_all(box)
    assert all(left["right"] <= right["left"] for left, right in pairwise(names))
    paths = page.locator(".arcs path:not(.faint)").evaluate_all(
        """paths => paths.map((path) => {
             const { x, y } = path.ownerSVGElement.getBoundingClientRect();
             return [0, path.getTotalLength()].map((at) => path.getPointAtLength(at))
               .map((point) => [x + point.x, y + point.y]); })"""
    )
    start = names[made.token]
    for ((from_x, from_y), (to_x, to_y)), word in zip(paths, words, strict=True):
        assert start["left"] - 1 <= from_x <= start["right"] + 1
        assert 0 <= from_y - start["bottom"] < 10
        assert word["left"] <= to_x <= word["right"]
        assert 0 <= word["top"] - to_y < 10


def test_weights_are_written_in_the_cells(still, made):
    page = still(made)
    page.evaluate(
        """() => { window.written = [];
             const { prototype } = CanvasRenderingContext2D;
             const { fillText } = prototype;
             prototype.fillText = function (text, ...at) {
               written.push(text);
               fillText.call(this, text, ...at);
             }; }"""
    )
    made.temperature = 0.5
    from_python(page, made, "temperature")
    weights = made.weights[made.may_attend] if made.weights.shape[1] <= 12 else []
    wanted = [f"{w:g}" if w in (0, 1) else f"{w:.2f}".removeprefix("0") for w in weights]
    assert page.evaluate("written.splice(0)") == wanted


def test_links_are_drawn_from_their_least_weights_on(still, made):
    page = still(made)
    rows = made.weights
    strong = page.locator(".arcs path:not(.faint)")
    drawn = strong.evaluate_all("paths => paths.map((p) => p.getAttribute('d') !== '')")
    assert drawn == (rows[made.token] >= 0.03).tolist()
    faint = rows > 0.3
    faint[made.token] = False
    if not made.key_tokens:  # an arc from a token to itself says little
        np.fill_diagonal(faint, False)
    assert page.locator(".arcs .faint").get_attribute("d").count("M") == faint.sum()
    # They start at the chosen query.
    start = page.locator(".arcs circle").bounding_box()
    cells = page.locator(".cells").bounding_box()
    at = cells["x"] + cells["width"] * (made.token + 0.5) / len(made.tokens)
    assert abs(start["x"] + start["width"] / 2 - at) < 1


def test_names_of_columns_are_marked_and_have_room(still, made):
    page = still(made, width=390)
    keys = np.array(made.key_tokens or made.tokens)
    weights = made.weights[made.token]
    marked = page.locator(".columns .on").all_text_contents()
    assert marked == keys[weights == weights.max()].tolist()
    seen = [
        column.bounding_box()["x"]
        for column in page.locator(".columns > span").all()
        if column.evaluate("e => getComputedStyle(e.firstChild).visibility") == "visible"
    ]
    assert len(seen) == len(keys) or len(keys) == 32
    assert len(seen) > 8 or len(seen) == len(keys)
    assert all(right - left > 11.5 for left, right in pairwise(seen))


def test_the_note_says_what_is_to_be_seen(still):
    assert "Hatched: masked." in still(MAKE["one slice"]()).locator(".note").inner_text()
    assert "Hatched" not in still(MAKE["cross"]()).locator(".note").inner_text()
    masked = AttentionExplorer(["a", "b"], [[0, -np.inf], [0, 0]], key_tokens=["c", "d"])
    assert "Hatched: masked." in still(masked).locator(".note").inner_text()


def test_it_is_not_said_at_the_start_how_the_tokens_stand(open_page, widget_page):
    # A status that is filled after it was made would be read out.
    def watch(page):
        page.add_init_script(
            """window.filled = [];
               new MutationObserver((all) => all.forEach(({ target }) => {
                 if (target.role === "status") filled.push(target.textContent);
               })).observe(document, { childList: true, subtree: true });"""
        )

    page = open_page(widget_page(MAKE["one slice"]()), prepare=watch).page
    assert page.locator(".moved p").first.inner_text().startswith("The tokens stand")
    assert page.evaluate("filled") == []


def test_what_has_the_focus_keeps_it_when_python_reorders(still):
    made = MAKE["one slice"]()
    page = still(made)
    page.get_by_role("radio", name="Child").focus()
    made.order = [5, 3, 0, 7, 1, 2, 6, 4]
    from_python(page, made, "order")
    assert page.evaluate("document.activeElement.value") == "2"


def test_arcs_stand_on_the_columns(still):
    made = MAKE["one slice"]()
    page = still(made)
    page.get_by_role("button", name="Shuffle").click()
    to_python(page, made)
    middles = [
        box["x"] + box["width"] / 2
        for box in (name.bounding_box() for name in page.locator(".columns > span").all())
    ]
    reads, book = (middles[made.order.index(token)] for token in (3, 5))
    arc = (
        page.locator(".arcs path:not(.faint)")
        .nth(3)
        .evaluate(
            "path => { const { x, width } = path.getBBox();"
            "          const left = path.ownerSVGElement.getBoundingClientRect().x;"
            "          return [left + x, left + x + width]; }"
        )
    )
    np.testing.assert_allclose(arc, sorted([reads, book]), atol=1)


def test_python_moves_everything(still, numbers):
    made = AttentionExplorer(PADDED, RNG.normal(size=(3, 8, 8)), axes=("head",), n_real=6)
    page = still(made)
    made.index, made.token, made.temperature, made.mask = [2], 4, np.inf, "padding"
    made.order = [7, 6, 5, 4, 3, 2, 1, 0]
    from_python(page, made, "index", "token", "temperature", "mask", "order")
    assert page.get_by_role("slider", name="Head").input_value() == "2"
    assert page.get_by_role("radio", name="A", exact=True).is_checked()
    assert slider(page).input_value() == "100"
    assert page.get_by_role("combobox", name="Mask").input_value() == "padding"
    np.testing.assert_allclose(row(page, numbers), made.weights[4][::-1], rtol=0, atol=1e-12)
    made.order = [7, 0, 1, 2, 3, 4, 5, 6]  # the first stays
    from_python(page, made, "order")
    np.testing.assert_allclose(row(page, numbers), made.weights[4][made.order], rtol=0, atol=1e-12)
    made.order = [7, 6, 5, 4, 3, 2, 1, 0]
    from_python(page, made, "order")
    made.temperature, made.scores = 2, RNG.normal(size=(3, 8, 8))
    from_python(page, made, "temperature", "score_table")
    np.testing.assert_allclose(row(page, numbers), made.weights[4][::-1], rtol=0, atol=1e-12)
    assert_inked(map_inks(page, 0, 2, 1, 3, 8)[0][2:], made.weights[7, 5::-1])


def test_the_page_moves_python(still):
    made = AttentionExplorer(PADDED, RNG.normal(size=(3, 8, 8)), axes=("head",), n_real=6)
    page = still(made)
    page.get_by_role("slider", name="Head").fill("1")
    page.get_by_role("radio", name="Child").check()
    slider(page).fill("100")
    page.get_by_role("combobox", name="Mask").select_option("causal")
    page.get_by_role("button", name="Shuffle").click()
    assert to_python(page, made) == 5
    assert (made.index, made.token, made.temperature, made.mask) == ([1], 2, np.inf, "causal")
    assert sorted(made.order) == list(range(8)) != made.order


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_masked_cells_are_hatched_grey_on_every_page(reopen, widget_page, theme):
    page = reopen(widget_page(MAKE["one slice"]()), theme=theme).page
    shown = page.locator(".cells canvas").evaluate(
        """canvas => { const [w, h] = [canvas.width / 8, canvas.height / 8];
             const cell = canvas.getContext("2d").getImageData(6 * w + 2, 2, w - 4, h - 4).data;
             return Array.from({ length: cell.length / 4 },
               (_, i) => [...cell.slice(4 * i, 4 * i + 4)]); }"""
    )
    covered = [pixel for pixel in shown if pixel[3] > 128]
    assert 0.05 < len(covered) / len(shown) < 0.5
    assert all(max(rgb) - min(rgb) < 30 for *rgb, _ in covered)


@exhaustive
@pytest.mark.parametrize("made", MAKE, indirect=True)
def test_it_fits_and_its_height_is_kept(reopen, roomy_page, made):
    page = reopen(roomy_page(made)).page
    for width in (1280, 790, 772, 700, 655, 640, 633, 390, 320):
        resize(page, width)
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        root = page.locator(".attn").bounding_box()
        for control in page.locator(".pick > *, .controls > *").all():
            box = control.bounding_box()
            assert box["x"] + box["width"] <= root["x"] + root["width"] + 0.5, width
        kept, height = page.locator(".widget-slot").evaluate(ROOM)
        assert -2 <= kept - height <= (4 if width == 1280 else 30), f"{height}, not {kept}"


@pytest.mark.parametrize("page", PAGES)
def test_on_its_pages_a_token_is_picked_and_shuffled_by_keyboard(slot, page):
    live = slot("AttentionExplorer", page)
    live.page.emulate_media(reduced_motion="reduce")
    names = live.locator(".map .choice label")
    tokens = names.all_inner_texts()
    live.get_by_role("radio").nth(1).focus()
    live.page.keyboard.press("ArrowDown")
    headline = live.locator(".headline").inner_text()
    assert f"{tokens[2]} attend" in headline
    live.get_by_role("button", name="Shuffle").press("Enter")
    assert names.all_inner_texts() != tokens
    assert live.locator(".headline").inner_text() == headline
    live.get_by_role("button", name="Restore").press("Enter")
    assert names.all_inner_texts() == tokens
