"""The projection explorer: its arguments, its traits, its picture, and its script's numbers."""

import numpy as np
import pytest

from attnutils import attention, dot_scores
from attnutils.widgets import ProjectionExplorer
from attnutils.worked_example import KEYS, WORDS

EYE = np.eye(3)


@pytest.fixture
def explorer():
    return ProjectionExplorer.example()


def make(words=WORDS, tokens=KEYS, **options):
    return ProjectionExplorer(words, tokens, **options)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"words": "Book"}, TypeError, "words"),
        ({"words": ["a"] * 13}, ValueError, "2 to 12"),
        ({"tokens": KEYS[:5]}, ValueError, r"tokens has shape \(5, 3\) but \(6, d\)"),
        ({"tokens": np.ones((6, 4))}, ValueError, "d and d_k are at most 3"),
        ({"tokens": KEYS * 1e7}, ValueError, "tokens must hold numbers from -1000000"),
        ({"w_query": np.eye(2)}, ValueError, r"w_query has shape \(2, 2\) but \(3, d_k\)"),
        ({"w_query": np.ones((3, 2))}, ValueError, "must be equally wide"),
        ({"w_query": np.ones((3, 4)), "w_key": np.ones((3, 4))}, ValueError, "at most 3"),
        ({"w_key": EYE * np.nan}, ValueError, "w_key must hold .* no NaN"),
        ({"presets": [EYE]}, TypeError, "presets must be a mapping, got list"),
        ({"presets": {"I": EYE}}, TypeError, "each name needs a pair of matrices"),
        ({"presets": {"I": (EYE, np.eye(2))}}, ValueError, "w_key of preset 'I' has shape"),
        ({"token": 6}, ValueError, "from 0 to 5, got 6"),
        ({"token": "Book"}, TypeError, "token must be an integer"),
    ],
)
def test_bad_facts(change, error, message):
    with pytest.raises(error, match=message) as caught:
        make(**change)
    assert str(caught.value).startswith("ProjectionExplorer: ")


def test_the_challenge_of_the_first_page_has_its_answer(explorer):
    assert explorer.weights[5].round(3).tolist() == [0.013, 0.023, 0.001, 0.723, 0.013, 0.228]
    explorer.w_query = -EYE
    assert explorer.weights[5, 2].round(3) == 0.793
    explorer.scaled = False
    assert explorer.weights[5, 2].round(3) == 0.958
    np.testing.assert_allclose(explorer.weights[5], attention(
        -KEYS[5], KEYS, KEYS, scores=dot_scores).weights)  # fmt: skip


def test_presets_are_those_of_square_matrices_or_none():
    assert [preset["name"] for preset in make().presets] == ["I: my like", "−I: my opposite"]
    assert make(w_query=np.ones((3, 2)), w_key=np.ones((3, 2))).presets == []


def test_what_the_page_sends_is_taken(explorer, floats):
    explorer.set_state({"w_query": memoryview(floats(*range(9))), "token": 2, "scaled": False})
    assert explorer.w_query.tolist() == np.arange(9).reshape(3, 3).tolist()
    assert (explorer.token, explorer.scaled) == (2, False)


def test_the_script_computes_what_attnutils_does(run_script):
    rng = np.random.default_rng(0)
    cases = [make(w_query=-EYE), make(w_query=0 * EYE)]
    for n, d, width in [(2, 1, 1), (5, 2, 3), (12, 3, 2)]:
        wide = {name: rng.normal(size=(d, width)) for name in ("w_query", "w_key")}
        words = [str(i) for i in range(n)]
        cases += [make(words, rng.normal(size=(n, d)), **wide, scaled=s) for s in (True, False)]
    got = run_script(
        "projection_explorer",
        """
        console.log(JSON.stringify(input.map(([tokens, wQuery, wKey, scaled]) => {
          const { queries, weights } = attendFrom(tokens, wQuery, wKey, scaled);
          return [queries, weights];
        })));
        """,
        [(c.token_matrix.tolist(), c.w_query.tolist(), c.w_key.tolist(), c.scaled) for c in cases],
    )
    for case, (queries, weights) in zip(cases, got, strict=True):
        np.testing.assert_allclose(queries, case.queries, rtol=0, atol=1e-12)
        np.testing.assert_allclose(weights, case.weights, rtol=0, atol=1e-12)


@pytest.mark.parametrize("change", [{"token": 2}, {"w_query": -EYE}, {"scaled": False}])
def test_the_picture_shows_the_traits(pixels, explorer, change):
    other = make(**{"token": 5, **change})
    assert np.abs(pixels(explorer) - pixels(other)).max() > 100


def test_the_text_is_one_stable_line(explorer):
    assert repr(explorer) == (
        "ProjectionExplorer(6 words, w_query=[1 0 0; 0 1 0; 0 0 1], "
        "w_key=[1 0 0; 0 1 0; 0 0 1], scaled=True)"
    )
