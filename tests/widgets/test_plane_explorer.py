"""The plane explorer in Python: its arguments, its traits, its picture, its script."""

import numpy as np
import pytest

from attnutils import PlaneExplorer, attention, dot_scores, softmax
from attnutils.worked_example import KEYS, VALUES, WORDS

RNG = np.random.default_rng(0)
BOOK = KEYS[5]
# The plane that contains Book's query.
PLANE = np.stack([BOOK / np.linalg.norm(BOOK), [1.0, 0, 0]])
FLAT = KEYS @ PLANE.T
FLAT_VALUES = np.column_stack([VALUES, [0, -0.4, 0.4, 0.1, 0, -0.3]])


def explorer(words=WORDS, keys=FLAT, values=FLAT_VALUES, query=PLANE @ BOOK, **options):
    return PlaneExplorer(words, keys, values, query, **options)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"keys": KEYS}, ValueError, r"keys has shape \(6, 3\) but \(6, 2\) is expected"),
        ({"values": VALUES}, ValueError, r"values has shape \(6, 1\) but \(6, 2\) is expected"),
        ({"query": BOOK}, ValueError, r"query has shape \(3,\) but \(2,\) is expected"),
        ({"query": [1, np.nan]}, ValueError, "query must hold numbers .* no NaN"),
        ({"query": None}, TypeError, "query"),
        ({"words": WORDS[:5]}, ValueError, r"keys has shape \(6, 2\) but \(5, 2\) is expected"),
        ({"words": ["one"]}, ValueError, "words has 1 entries but 2 to 12 are expected"),
        ({"axes": ["one"]}, ValueError, "axes must be two names, got 1"),
        ({"axes": "ab"}, TypeError, "axes"),
    ],
)
def test_bad_arguments_are_explained(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        explorer(**arguments)
    assert str(caught.value).startswith("PlaneExplorer: ")


def test_the_plane_keeps_the_scores_of_book():
    widget = explorer()
    np.testing.assert_allclose(widget.raw_scores, KEYS @ BOOK, rtol=0, atol=1e-14)
    whole = attention(BOOK, KEYS, VALUES, scores=dot_scores)
    np.testing.assert_allclose(widget.weights, whole.weights, rtol=0, atol=1e-14)
    np.testing.assert_allclose(widget.output[:1], whole.output, rtol=0, atol=1e-14)


def test_the_traits_move_it_and_travel_both_ways(floats):
    widget = explorer()
    widget.query_vector = [1, -2]
    assert widget.get_state(["query_vector", "hull"]) == {
        "query_vector": floats(1, -2),
        "hull": False,
    }
    widget.set_state({"query_vector": memoryview(floats(0, 0)), "hull": True})
    assert widget.hull is True
    assert widget.weights.tolist() == softmax(np.zeros(6)).tolist()
    np.testing.assert_allclose(widget.output, FLAT_VALUES.mean(axis=0))


@pytest.mark.parametrize(
    ("name", "value"),
    [("query_vector", [1, np.inf]), ("query_vector", [1]), ("key_matrix", FLAT[:5])],
)
def test_a_bad_assignment_is_refused_and_nothing_changes(name, value):
    widget = explorer()
    before = widget.get_state()
    with pytest.raises(ValueError, match=f"^PlaneExplorer: {name} "):
        setattr(widget, name, value)
    assert widget.get_state() == before


@pytest.mark.parametrize(
    "change",
    [{"query": [1, -2]}, {"hull": True}, {"keys": -FLAT}, {"values": FLAT_VALUES[::-1]}],
)
def test_the_picture_shows_the_traits(pixels, change):
    a, b = pixels(explorer()), pixels(explorer(**change))
    assert np.abs(a - b).max() > 100


def test_the_text_is_one_stable_line():
    text = "PlaneExplorer(6 words, query=(2.23607, 0), hull=False)"
    assert repr(explorer()) == text


def test_the_script_computes_what_attnutils_computes(run_script):
    cases = [(FLAT, FLAT_VALUES, query) for query in ([2.236, 0], [0, 0], [-4, 2.5], [1e3, -1e3])]
    cases += [
        (RNG.normal(size=(n, 2)), RNG.normal(size=(n, 2)), RNG.normal(scale=3, size=2))
        for n in (2, 5, 12)
    ]
    got = run_script(
        ["handles", "plane_explorer"],
        """
        console.log(JSON.stringify(input.map(([keys, values, query]) => {
          const { scores, weights, output } = attendInPlane(query, keys, values);
          return [...scores, ...weights, ...output];
        })));
        """,
        [[np.asarray(x).tolist() for x in case] for case in cases],
    )
    for (keys, values, query), result in zip(cases, got, strict=True):
        widget = explorer([f"w{i}" for i in range(len(keys))], keys, values, query)
        wanted = [*widget.raw_scores, *widget.weights, *widget.output]
        np.testing.assert_allclose(result, wanted, rtol=1e-12, atol=1e-12)
