"""What the plots draw."""

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.patches import Circle, FancyArrowPatch
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import plot_encoding, plot_graph_attention, plot_scores, plot_weights

PAST = np.tri(6, dtype=bool)
NUMBERS = np.linspace(-1, 1, 36).reshape(6, 6)
WORDS = list("abcdef")
POINTS = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 3.0]])


@pytest.fixture
def ax():
    with mpl.rc_context({"backend": "agg"}), plt.style.context("attnutils.book"):
        figure, ax = plt.subplots()
        yield ax
        figure.canvas.draw()
        plt.close(figure)


def texts(ax):
    return [text.get_text() for text in ax.texts]


@pytest.mark.parametrize("plot", [plot_weights, plot_scores, plot_encoding])
def test_a_picture_holds_the_numbers_and_leaves_them_alone(plot, ax):
    before = NUMBERS.copy()
    assert plot(NUMBERS, ax=ax) is ax
    (image,) = ax.images
    assert_array_equal(image.get_array(), NUMBERS)
    image.get_array()[0, 0] = -1
    assert_array_equal(NUMBERS, before)


def test_colours_reach_equally_far_whatever_the_numbers(ax):
    for plot, numbers, limits in (
        (plot_weights, [0.2, 0.3], (0, 1)),
        (plot_encoding, [[0.5, -0.25]], (-1, 1)),
        (plot_scores, [[np.inf, -3], [np.nan, -np.inf]], (-3, 3)),
        (plot_scores, [[np.nan, -np.inf]], (-1, 1)),
    ):
        plot(numbers, ax=ax)
        assert ax.images[-1].get_clim() == limits


def test_numbers_are_short_and_a_grid_of_more_than_8_by_8_has_a_colour_bar_instead(ax):
    plot_weights([[0, 1, 0.875, 0.004, 0.996], [1.25, -0.2, np.nan, -1e-9, 0.05]], ax=ax)
    assert " ".join(texts(ax)) == "0 1 .88 .00 1.00 1.25 −.20 nan −.00 .05"
    plot_scores([[7, -4, 0.875, -0.5, -0.0], [12.34, -1e300, 1234, np.inf, -np.inf]], ax=ax)
    assert " ".join(texts(ax)[10:]) == "7 −4 .88 −.50 0 12.3 −1e300 1e3 ∞ −∞"
    ax.clear()
    plot_scores(np.ones((9, 2)), ax=ax)
    assert not texts(ax)
    assert [other.get_ylabel() for other in ax.figure.axes[1:]] == ["score"]


def test_masked_cells_are_hatched_and_rows_and_columns_have_words(ax):
    plot_weights(NUMBERS, rows=WORDS, columns=WORDS, mask=PAST, ax=ax)
    (patches,) = ax.collections
    corners = {tuple(path.get_extents().min + 0.5) for path in patches.get_paths()}
    assert corners == {(j, i) for i, j in np.argwhere(~PAST)}
    shown = {(text.get_position()[1], text.get_position()[0]) for text in ax.texts}
    assert shown == set(map(tuple, np.argwhere(PAST)))
    for axis, label in ((ax.yaxis, "query i"), (ax.xaxis, "key j")):
        assert axis.label.get_text() == label
        assert [text.get_text() for text in axis.get_ticklabels()] == WORDS


def test_an_edge_is_an_arrow_as_wide_as_its_weight_from_sender_to_receiver(ax):
    weights = np.array([0.75, 0.25, 1, 0.5])  # the last is that of a loop at node 1
    plot_graph_attention(POINTS, [1, 2, 0, 1], [0, 0, 1, 1], weights, receiver=0, ax=ax)
    ax.figure.canvas.draw()
    assert [type(patch) for patch in ax.patches] == [*[FancyArrowPatch] * 3, Circle]
    widths = np.array([patch.get_linewidth() for patch in ax.patches])
    assert_allclose(widths / widths[0], [1, 1 / 3, 0, 0])  # 0: a hairline
    for patch, sender, receiver in zip(ax.patches, [1, 2, 0], [0, 0, 1], strict=False):
        path = patch.get_transform().transform_path(patch.get_path())
        tail, _, head = ax.transData.inverted().transform(path.vertices)[:3]
        assert np.hypot(*(tail - POINTS[sender])) < 0.5
        assert np.hypot(*(head - POINTS[receiver])) < 0.5
    assert texts(ax) == ["0", "1", "2"]


def test_a_loop_is_on_the_side_away_from_the_others(ax):
    plot_graph_attention(POINTS, [0, 1, 2], [0, 1, 2], [1, 1, 1], ax=ax)
    away = POINTS - POINTS.mean(axis=0)
    centres = np.array([ring.center for ring in ax.patches])
    assert ((centres * away).sum(axis=1) > 0.99 * np.hypot(*centres.T) * np.hypot(*away.T)).all()
