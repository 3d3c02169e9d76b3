"""The width explorer: its random numbers, its arguments, its picture, its script."""

import numpy as np
import pytest

from attnutils import WidthExplorer, dot_scores, softmax
from attnutils.widgets.width_explorer import VARIANCE, WIDTHS, random_vectors

DRAWS = [1, 2, 77, 4096, 9999]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"width": 0}, ValueError, "width must be a power of two from 1 to 1024, got 0"),
        ({"width": 100}, ValueError, "width must be a power of two from 1 to 1024, got 100"),
        ({"width": 2048}, ValueError, "width must be .* got 2048"),
        ({"width": 4.0}, TypeError, "width must be .* got float"),
        ({"width": None}, TypeError, "width must be .* got NoneType"),
        ({"draw": 0}, ValueError, "draw must be an integer from 1 to 9999, got 0"),
        ({"draw": 10_000}, ValueError, "draw must be .* got 10000"),
        ({"draw": True}, TypeError, "draw must be .* got bool"),
    ],
)
def test_bad_arguments_are_explained(change, error, message):
    with pytest.raises(error, match=message) as caught:
        WidthExplorer(**change)
    assert str(caught.value).startswith("WidthExplorer: ")


def test_components_have_mean_0_and_variance_1():
    vectors = np.array([random_vectors(draw) for draw in range(1, 41)]) / np.sqrt(VARIANCE)
    assert vectors.shape == (40, 11, 1024)
    assert abs(vectors.mean()) < 0.01
    assert abs(vectors.var() - 1) < 0.01
    assert abs(np.corrcoef(vectors[:, 0].ravel(), vectors[:, 1].ravel())[0, 1]) < 0.02


def test_it_computes_with_attnutils():
    explorer = WidthExplorer(width=64, draw=5)
    scores = dot_scores(explorer.query, explorer.key_matrix)
    np.testing.assert_allclose(explorer.scores, scores, rtol=0, atol=1e-12)
    assert explorer.divisors == (1, 8, 64)
    for weights, divisor in zip(explorer.weights, explorer.divisors, strict=True):
        np.testing.assert_allclose(weights, softmax(scores / divisor), rtol=0, atol=1e-12)


def test_a_wider_draw_begins_with_a_narrower_one():
    narrow, wide = WidthExplorer(width=8, draw=3), WidthExplorer(width=1024, draw=3)
    assert narrow.query.tolist() == wide.query[:8].tolist()
    assert narrow.key_matrix.tolist() == wide.key_matrix[:, :8].tolist()


@pytest.mark.parametrize("change", [{"width": 4}, {"draw": 2}])
def test_the_picture_shows_the_traits(pixels, change):
    a, b = pixels(WidthExplorer()), pixels(WidthExplorer(**change))
    assert a.shape != b.shape or np.abs(a - b).max() > 100


def test_the_text_is_one_stable_line():
    assert repr(WidthExplorer(draw=2)) == "WidthExplorer(width=256, draw=2)"


def test_the_script_draws_the_same_numbers(run_script):
    got = run_script(
        "width_explorer",
        """
        console.log(JSON.stringify(input.draws.map((draw) =>
          input.widths.map((width) => drawn(draw, width)))));
        """,
        {"draws": DRAWS, "widths": WIDTHS},
    )
    for draw, by_width in zip(DRAWS, got, strict=True):
        for width, result in zip(WIDTHS, by_width, strict=True):
            explorer = WidthExplorer(width=width, draw=draw)
            assert result["scores"] == explorer.scores.tolist()  # to the last bit
            np.testing.assert_allclose(result["weights"], explorer.weights, rtol=0, atol=1e-12)
