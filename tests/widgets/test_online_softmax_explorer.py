"""The online softmax explorer in Python: its arguments, its traits, its picture, its script."""

import json
import math

import numpy as np
import pytest

from attnutils import OnlineSoftmaxExplorer, softmax
from attnutils.widgets._base import number_to_json
from attnutils.widgets.online_softmax_explorer import read_blocks
from attnutils.widgets.pictures._drawing import MUTED
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.conftest import IS_EXHAUSTIVE, some

SCORES, SIX_VALUES = KEYS @ KEYS[5], VALUES[:, 0]
RNG = np.random.default_rng(0)
# Large, equal, falling and rising scores, and as many keys as there may be.
CASES = [
    (SCORES, SIX_VALUES),
    (np.array([-1000.0, 1000.0, 999.0]), np.array([5.0, 7.0, -9.0])),
    (np.array([1000.0, -1000.0]), np.array([1.0, 2.0])),
    (np.full(5, 3.0), np.arange(5.0)),
    (np.array([1.0, 2.0]), np.array([3.0, 3.0])),
    (np.array([2.0, 5.0, 5.0, 2.0]), np.array([1.0, -1.0, 3.0, 0.0])),
    (np.arange(7.0), RNG.normal(size=7)),
    (-np.arange(7.0), RNG.normal(size=7)),
    (3 * RNG.normal(size=16), 1e6 * RNG.uniform(-1, 1, size=16)),
    (np.array([-1e6, 1e6]), np.array([1e6, -1e6])),
]


def explorer(scores=SCORES, values=SIX_VALUES, **options):
    return OnlineSoftmaxExplorer(scores, values, **options)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"scores": SCORES[:5]}, ValueError, r"values has shape \(6,\) but \(5,\) is expected"),
        ({"values": VALUES}, ValueError, r"values has shape \(6, 1\) but \(6,\) is expected"),
        ({"scores": KEYS}, ValueError, r"scores has shape \(6, 3\) but \(n,\) is expected"),
        ({"scores": 3}, ValueError, r"scores has shape \(\) but \(n,\) is expected"),
        ({"scores": [], "values": []}, ValueError, r"scores has shape \(0,\)"),
        ({"scores": [1], "values": [1]}, ValueError, "scores has 1 numbers but 2 to 16"),
        ({"scores": np.ones(17)}, ValueError, "scores has 17 numbers but 2 to 16"),
        ({"scores": SCORES - np.inf}, ValueError, "scores must hold numbers .* no infinity"),
        ({"values": SIX_VALUES * np.nan}, ValueError, "values must hold numbers .* no NaN"),
        ({"scores": ["a"] * 6}, TypeError, "scores has dtype <U1 but real numbers"),
        ({"scores": [[1, 2], [3]]}, ValueError, "scores is a ragged list"),
        ({"names": WORDS[:5]}, ValueError, "names has 5 labels but n=6 are expected"),
        ({"names": []}, ValueError, "names has 0 entries but 2 to 16"),
        ({"names": "Book"}, TypeError, "names must be a list of .* words, got str"),
        ({"names": range(6)}, TypeError, "names must be a list of .* words, got range"),
        ({"names": ["a", "b", " ", "d", "e", "f"]}, ValueError, "each entry of names must have a"),
        ({"block": 0}, ValueError, "block must be an integer from 1 to n = 6, got 0"),
        ({"block": 7}, ValueError, "block must be an integer from 1 to n = 6, got 7"),
        ({"block": 2.0}, TypeError, "block must be an integer .* got float; it counts the keys"),
        ({"block": True}, TypeError, "block must be an integer .* got bool"),
        ({"step": -1}, ValueError, "step must be an integer from 0 to 6, got -1"),
        ({"block": 4, "step": 3}, ValueError, "from 0 to 2, got 3; .* blocks .* of 4 keys each"),
        ({"step": "1"}, TypeError, "step must be an integer .* got str"),
        ({"correct": 1}, TypeError, "correct must be True or False, got int"),
        ({"correct": None}, TypeError, "correct must be True or False, got NoneType"),
    ],
)
def test_bad_arguments_are_explained(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        explorer(**arguments)
    assert str(caught.value).startswith("OnlineSoftmaxExplorer: ")


def test_numbers_of_every_kind_are_taken():
    widget = explorer([3, 1], (1, 2), block=np.int8(2), step=np.int64(1), correct=np.bool_(False))
    assert (widget.block, widget.step, widget.correct) == (2, 1, False)
    assert type(widget.block) is type(widget.step) is int
    assert type(widget.correct) is bool
    assert widget.names == ["k0", "k1"]


def test_by_hand():
    # Scores 0, 1, 7: the first term is 1, then e^-1, then e^-7.
    widget = explorer([0, 1, 7], [10, 20, 40])
    wanted = [
        (-math.inf, 0, 0),
        (0, 1, 10),
        (1, math.exp(-1) + 1, (10 * math.exp(-1) + 20) / (math.exp(-1) + 1)),
        (
            7,
            math.exp(-7) + math.exp(-6) + 1,
            (10 * math.exp(-7) + 20 * math.exp(-6) + 40) / (math.exp(-7) + math.exp(-6) + 1),
        ),
    ]
    for step, (maximum, total, output) in enumerate(wanted):
        widget.step = step
        assert widget.maximum == maximum
        assert widget.total == pytest.approx(total, abs=1e-15)
        assert widget.output == pytest.approx(output, abs=1e-14)


def test_without_the_correction_by_hand():
    # The first term stays 1 when the maximum rises to 7.
    widget = explorer([0, 7, 7], [10, 20, 40], step=3, correct=False)
    assert widget.total == 3
    assert widget.output == pytest.approx(70 / 3)
    assert widget.exact == pytest.approx((10 * math.exp(-7) + 60) / (math.exp(-7) + 2))
    # One block has no old terms, and a maximum that comes first never rises.
    widget.block = 3
    assert widget.output == pytest.approx(widget.exact, abs=1e-14)
    assert explorer([7, 0], [1, 2], step=2, correct=False).output == pytest.approx(
        explorer([7, 0], [1, 2]).exact, abs=1e-15
    )


def test_the_first_block_is_the_same_with_and_without_the_correction():
    for scores, values in CASES:
        with_it, without = (read_blocks(scores, values, 2, correct) for correct in (True, False))
        assert with_it[1].correction == without[1].correction == 0
        assert with_it[1].terms.tolist() == without[1].terms.tolist()
        assert with_it[1][3:] == without[1][3:]


def test_the_worked_example():
    widget = explorer(names=WORDS)
    outputs = []
    for widget.step in range(7):
        outputs.append(round(widget.output, 4))
    assert outputs == [0, 0, -0.1462, -0.144, 0.3982, 0.3978, 0.3624]
    widget.correct = False
    # Terms as they were when they were read: 1, 1, e^-5, 1, e^-7 and e^-2.
    total = 3 + math.exp(-5) + math.exp(-7) + math.exp(-2)
    output = (-0.2 + 0.3 * math.exp(-5) + 0.4 + 0.1 * math.exp(-2)) / total
    assert (widget.total, widget.output) == pytest.approx((total, output), abs=1e-14)
    assert round(widget.output, 4) == 0.0686


@pytest.mark.parametrize(("scores", "values"), CASES)
def test_each_block_size_ends_at_the_exact_output(scores, values):
    n = len(scores)
    exact = softmax(scores) @ values
    for block in range(1, n + 1):
        widget = explorer(scores, values, block=block, step=math.ceil(n / block))
        scale = np.abs(values).max()
        assert widget.output == pytest.approx(exact, rel=0, abs=1e-14 * scale)
        assert widget.exact == exact
        assert widget.maximum == scores.max()
        assert widget.total == pytest.approx(np.exp(scores - scores.max()).sum(), rel=1e-14)


@pytest.mark.parametrize(("scores", "values"), CASES)
def test_each_state_is_that_of_the_keys_read(scores, values):
    for block in range(1, len(scores) + 1):
        for step, state in enumerate(read_blocks(scores, values, block, correct=True)[1:], start=1):
            read = slice(step * block)
            terms = np.exp(scores[read] - scores[read].max())
            np.testing.assert_allclose(state.terms, terms, rtol=1e-13)
            wanted = softmax(scores[read]) @ values[read]
            assert state.output == pytest.approx(wanted, rel=1e-13, abs=1e-9)


@pytest.mark.parametrize(
    ("block", "step", "new", "wanted"),
    [
        (1, 3, 2, 1),  # 3 keys: one block of 2
        (1, 4, 2, 2),
        (1, 5, 6, 0),
        (2, 2, 4, 1),
        (2, 1, 1, 2),
        (6, 1, 4, 2),  # all are read: all stay read
        (4, 2, 1, 6),
        (4, 1, 5, 0),
    ],
)
def test_a_new_block_size_keeps_what_is_read(block, step, new, wanted):
    widget = explorer(block=block, step=step)
    widget.block = new
    assert widget.step == wanted
    widget = explorer(block=block, step=step)
    widget.set_state({"block": new})
    assert widget.step == wanted


@pytest.mark.parametrize(("block", "step"), [(2, 1), (2, 3), (1, 6), (6, 1), (4, 0)])
def test_a_block_size_that_comes_with_a_step_leaves_the_step(block, step):
    widget = explorer(block=3, step=2)
    widget.set_state({"block": block, "step": step})
    assert (widget.block, widget.step) == (block, step)


def test_a_step_may_come_before_the_block_size_that_allows_it():
    widget = explorer(block=3, step=2)
    widget.set_state({"step": 6, "block": 1})
    assert (widget.block, widget.step) == (1, 6)
    with pytest.raises(ValueError, match="step must be an integer from 0 to 2, got 3"):
        widget.set_state({"step": 3, "block": 4})


def test_traits_travel_both_ways(floats):
    widget = explorer([3, 1], [4, 5], names=["a", "b"], block=2, step=1, correct=False)
    sent = json.loads(json.dumps(widget.get_state(["block", "step", "correct", "names"])))
    assert sent == {
        "block": 2,
        "step": 1,
        "correct": False,
        "names": ["a", "b"],
    }
    assert widget.get_state(["scores", "values"]) == {
        "scores": floats(3, 1),
        "values": floats(4, 5),
    }
    widget.set_state({"block": 1, "step": 2, "correct": True})
    assert (widget.block, widget.step, widget.correct) == (1, 2, True)


@pytest.mark.parametrize(
    ("name", "value"),
    [("block", 0), ("block", 7), ("block", 1.5), ("step", -1), ("step", 4), ("correct", "no")],
)
def test_a_bad_assignment_is_refused_and_nothing_changes(assign, name, value):
    widget = explorer(block=2, step=2)
    before = widget.get_state()
    with pytest.raises((TypeError, ValueError), match=f"^OnlineSoftmaxExplorer: {name} must be "):
        assign(widget, name, value)
    assert widget.get_state() == before
    widget.block = 1
    assert widget.step == 4


def test_arguments_are_copied():
    scores = SCORES.copy()
    widget = explorer(scores)
    scores[:] = 1
    assert widget.scores.tolist() == SCORES.tolist()
    with pytest.raises(ValueError, match="read-only"):
        widget.scores[0] = 1


@pytest.mark.parametrize(
    "change",
    [
        {"step": 5},
        {"block": 2},
        {"correct": False},
        {"scores": SCORES[::-1]},
        {"values": -SIX_VALUES},
        {"names": WORDS},
    ],
)
def test_the_picture_shows_the_traits(pixels, change):
    a, b = pixels(explorer(step=3)), pixels(explorer(**{"step": 3, **change}))
    assert np.abs(a - b).max() > 100


def drawn(widget):
    """The texts of the picture in the order of drawing, and the page that they stand on."""
    (page,) = widget._picture().axes
    return [text.get_text() for text in page.texts], page


def test_the_picture_says_that_old_terms_are_not_corrected():
    assert drawn(explorer(step=4))[0][0] == "4 of 6 keys read"
    texts, _ = drawn(explorer(step=4, correct=False))
    assert texts[0] == "4 of 6 keys read, old terms not corrected"


def test_the_picture_has_the_terms_of_the_keys_read():
    texts, _ = drawn(explorer([0, 1, 11], [1, 2, 3], step=3))
    assert [text for text in texts if text in ("<.0001", "0.0000", "1.0000")] == [
        "<.0001",  # e^-11; e^-10 is less than .00005 as well
        "<.0001",
        "1.0000",
    ]
    texts, _ = drawn(explorer([0, -1000, 3], [1, 2, 3], step=2))
    assert texts.count("to come") == 1
    assert "<.0001" not in texts  # e^-1000 is 0


def test_keys_to_come_are_hollow_and_muted_in_the_picture():
    names = ["one", "two", "three"]
    _, page = drawn(explorer([0, 1, 2], [1, 2, 3], names=names, step=1))
    values = page.collections[:3]
    read, *coming = [dot.get_facecolor()[0].tolist() for dot in values]
    assert coming == [[1, 1, 1, 1]] * 2
    assert read == values[0].get_edgecolor()[0].tolist() == values[1].get_edgecolor()[0].tolist()
    colours = {text.get_text(): text.get_color() for text in page.texts}
    assert [colours[name] == MUTED for name in names] == [False, True, True]


@pytest.mark.parametrize("number", some(range(len(CASES)), 0, 1, 8))
def test_every_state_has_a_picture(number):
    scores, values = CASES[number]
    for block in {1, 2, len(scores)} if IS_EXHAUSTIVE else {len(scores) // 2 or 1}:
        for step in {0, 1, math.ceil(len(scores) / block)}:
            for correct in (True, False) if IS_EXHAUSTIVE else (step == 0,):
                explorer(
                    scores, values, block=block, step=step, correct=correct
                )._repr_mimebundle_()


def test_the_text_is_one_stable_line():
    widget = explorer(block=2, step=3, correct=False)
    text = "OnlineSoftmaxExplorer(6 keys, block=2, step=3, correct=False)"
    assert repr(widget) == widget._repr_mimebundle_()[0]["text/plain"] == text


def test_the_script_computes_what_python_computes(run_script):
    got = run_script(
        "online_softmax_explorer",
        """
        console.log(JSON.stringify(input.map(([scores, values]) =>
          [true, false].map((correct) => scores.map((_, i) =>
            readBlocks(scores, values, i + 1, correct).map((state) =>
              [state.maximum, state.correction, state.total, state.output, ...state.terms]
                .map(writeNumber)))))));
        """,
        [(scores.tolist(), values.tolist()) for scores, values in CASES],
    )
    for (scores, values), by_correct in zip(CASES, got, strict=True):
        for correct, by_block in zip((True, False), by_correct, strict=True):
            for block, states in enumerate(by_block, start=1):
                wanted = read_blocks(scores, values, block, correct)
                assert len(states) == len(wanted)
                for numbers, state in zip(states, wanted, strict=True):
                    assert numbers[0] == number_to_json(state.maximum)
                    right = [state.correction, state.total, state.output, *state.terms]
                    np.testing.assert_allclose(numbers[1:], right, rtol=1e-12, atol=1e-12)


def test_the_script_keeps_what_is_read_as_python_does(run_script):
    cases = [
        (block, step, new)
        for block in range(1, 8)
        for step in range(math.ceil(7 / block) + 1)
        for new in range(1, 8)
    ]
    got = run_script(
        "online_softmax_explorer",
        """
        console.log(JSON.stringify(input.map(([block, step, next]) =>
          stepAt(7, Math.min(7, step * block), next))));
        """,
        cases,
    )
    for (block, step, new), wanted in zip(cases, got, strict=True):
        widget = explorer(range(7), range(7), block=block, step=step)
        widget.block = new
        assert widget.step == wanted
