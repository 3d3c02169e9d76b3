"""The winner explorer in Python: its arguments, its traits, its picture, its script."""

import numpy as np
import pytest

from attnutils import WinnerExplorer, attention, dot_scores, gaussian_scores
from attnutils.worked_example import KEYS, VALUES, WORDS

RNG = np.random.default_rng(0)
FLAT = KEYS[:, :2]
BOOK = FLAT[5]
SCORES = ("dot", "cosine", "Gaussian")


def explorer(words=WORDS, keys=FLAT, query=BOOK, **options):
    return WinnerExplorer(words, keys, query, **options)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"keys": KEYS}, ValueError, r"keys has shape \(6, 3\) but \(6, 2\) is expected"),
        ({"query": KEYS[5]}, ValueError, r"query has shape \(3,\) but \(2,\) is expected"),
        ({"query": [1, np.nan]}, ValueError, "query must hold numbers .* no NaN"),
        ({"words": ["one"]}, ValueError, "words has 1 entries but 2 to 12 are expected"),
        ({"score": "additive"}, ValueError, "score must be .dot. or .cosine. or .Gaussian."),
        ({"zoom": 7}, ValueError, "zoom must be an integer from 0 to 6"),
        ({"zoom": 0.5}, TypeError, "zoom"),
    ],
)
def test_bad_arguments_are_explained(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        explorer(**arguments)
    assert str(caught.value).startswith("WinnerExplorer: ")


@pytest.mark.parametrize(
    ("score", "function"), [("dot", dot_scores), ("Gaussian", gaussian_scores)]
)
def test_weights_are_those_of_attention(score, function):
    query = RNG.normal(size=2)
    wanted = attention(query, FLAT, VALUES, scores=function).weights
    np.testing.assert_allclose(explorer(query=query, score=score).weights, wanted)


def test_a_cosine_knows_no_length():
    one = explorer(score="cosine")
    other = explorer(query=5 * BOOK, keys=FLAT * [[3], [1], [2], [0.5], [1], [7]], score="cosine")
    np.testing.assert_allclose(one.raw_scores, other.raw_scores)
    assert one.raw_scores[5] == pytest.approx(1)
    assert one.raw_scores[0] == 0  # a key of zeros
    assert explorer(query=[0, 0], score="cosine").raw_scores.tolist() == [0] * 6


def test_the_traits_move_it_and_travel_both_ways(floats):
    widget = explorer()
    widget.query_vector, widget.score, widget.zoom = [1, -2], "Gaussian", 3
    assert widget.get_state(["query_vector", "score", "zoom"]) == {
        "query_vector": floats(1, -2),
        "score": "Gaussian",
        "zoom": 3,
    }
    widget.set_state({"query_vector": memoryview(floats(0, 0)), "score": "dot", "zoom": 0})
    np.testing.assert_allclose(widget.weights, 1 / 6)


@pytest.mark.parametrize(
    ("name", "value"),
    [("query_vector", [1]), ("key_matrix", FLAT[:5]), ("score", "x"), ("zoom", -1)],
)
def test_a_bad_assignment_is_refused_and_nothing_changes(name, value):
    widget = explorer()
    before = widget.get_state()
    with pytest.raises(ValueError, match=f"^WinnerExplorer: {name} "):
        setattr(widget, name, value)
    assert widget.get_state() == before


@pytest.mark.parametrize(
    "change", [{"query": [1, -2]}, {"score": "Gaussian"}, {"keys": -FLAT}, {"zoom": 2}]
)
def test_the_picture_shows_the_traits(pixels, change):
    a, b = pixels(explorer()), pixels(explorer(**change))
    assert np.abs(a - b).max() > 100


def test_the_text_is_one_stable_line():
    text = "WinnerExplorer(6 words, query=(0, 2), score='dot', zoom=0)"
    assert repr(explorer()) == text


@pytest.mark.parametrize("score", SCORES)
def test_the_script_computes_what_attnutils_computes(run_script, score):
    sets = [FLAT, *(RNG.normal(size=(n, 2)) for n in (2, 5, 12))]
    queries = [[0, 0], [-4, 2.5], [1e3, -5e2], *RNG.normal(scale=3, size=(60, 2))]
    got = run_script(
        ["handles", "winner_explorer"],
        """
        const [kind, sets, queries] = input;
        // A point is in a polygon if it is on one side of all borders.
        const has = (polygon, [x, y]) => polygon.length > 0 && polygon.every(([ax, ay], i) => {
          const [bx, by] = polygon[(i + 1) % polygon.length];
          return (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0;
        });
        console.log(JSON.stringify(sets.map((keys) => {
          const areas = regions(kind, keys, [2000, 2000]);
          return queries.map((q) => {
            const { scores, weights } = attendBy(kind, q, keys);
            return [scores, weights, areas.map((area) => Number(has(area, q)))];
          });
        })));
        """,
        [score, [keys.tolist() for keys in sets], [list(map(float, q)) for q in queries]],
    )
    for keys, results in zip(sets, got, strict=True):
        words = [f"w{i}" for i in range(len(keys))]
        for query, (scores, weights, inside) in zip(queries, results, strict=True):
            widget = explorer(words, keys, query, score=score)
            np.testing.assert_allclose(scores, widget.raw_scores, rtol=1e-12, atol=1e-12)
            np.testing.assert_allclose(weights, widget.weights, rtol=1e-9, atol=1e-12)
            if np.any(query):  # in general position: one winner
                assert inside == [float(i == np.argmax(scores)) for i in range(len(keys))]
