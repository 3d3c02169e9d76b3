"""What the plots draw."""

import io

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import PatchCollection
from matplotlib.colors import to_hex
from matplotlib.patches import Circle, FancyArrowPatch
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import (
    attention,
    dot_scores,
    plot_encoding,
    plot_graph_attention,
    plot_scores,
    plot_weights,
    sinusoidal_encoding,
)
from attnutils.plotting import INKS, INKS_DARK, ROLE_COLORS, ROLE_COLORS_DARK
from attnutils.worked_example import KEYS, VALUES, WORDS

WEIGHTS = attention(KEYS, KEYS, VALUES, is_causal=True).weights
SCORES = dot_scores(KEYS, KEYS)
PAST = np.tri(6, dtype=bool)
POINTS = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 3.0]])


@pytest.fixture
def ax():
    with plt.style.context("attnutils.book"):
        figure, ax = plt.subplots()
        yield ax
        plt.close(figure)


@pytest.fixture(autouse=True, scope="module")
def _without_a_screen():
    with mpl.rc_context({"backend": "agg"}):
        yield


def texts(ax):
    return {(t.get_position()[1], t.get_position()[0]): t.get_text() for t in ax.texts}


def test_the_picture_holds_the_weights(ax):
    before = WEIGHTS.copy()
    assert plot_weights(WEIGHTS, ax=ax) is ax
    (image,) = ax.images
    assert_array_equal(image.get_array(), WEIGHTS)
    assert to_hex(image.get_cmap()(0)) == "#ffffff"
    assert to_hex(image.get_cmap()(255)) == INKS["weight"]
    assert image.origin == "upper"  # row 0 is on top
    assert_array_equal(WEIGHTS, before)
    image.get_array()[0, 0] = -1
    assert_array_equal(WEIGHTS, before)


def test_colours_run_from_0_to_1_whatever_the_weights(ax):
    plot_weights([[0.2, 0.3]], ax=ax)
    assert ax.images[0].get_clim() == (0, 1)


def test_cells_have_numbers_up_to_8_by_8(ax):
    plot_weights(np.full((8, 8), 0.125), ax=ax)
    assert texts(ax) == {(i, j): ".12" for i in range(8) for j in range(8)}
    assert len(ax.figure.axes) == 1


@pytest.mark.parametrize("shape", [(9, 8), (8, 9), (20, 3)])
def test_larger_grids_have_a_colour_bar_instead(ax, shape):
    plot_weights(np.full(shape, 0.1), ax=ax)
    assert not ax.texts
    assert [other.get_ylabel() for other in ax.figure.axes[1:]] == ["weight"]


def test_numbers_are_short(ax):
    plot_weights([[0, 1, 0.875, 0.004, 0.996], [1.25, -0.2, np.nan, -1e-9, 0.05]], ax=ax)
    assert " ".join(texts(ax).values()) == "0 1 .88 .00 1.00 1.25 −.20 nan −.00 .05"


def test_numbers_are_black_or_white_by_luminance(ax):
    plot_weights([[0, 0.3, 0.6, 1, np.nan]], ax=ax)
    assert [t.get_color() for t in ax.texts] == ["black", "black", "white", "white", "black"]


def test_masked_cells_are_hatched_and_have_no_number(ax):
    plot_weights(WEIGHTS, mask=PAST, ax=ax)
    (patches,) = (c for c in ax.collections if isinstance(c, PatchCollection))
    corners = {tuple(path.get_extents().min + 0.5) for path in patches.get_paths()}
    assert corners == {(j, i) for i, j in np.argwhere(~PAST)}
    assert patches.get_hatch() == "////"
    assert set(texts(ax)) == set(map(tuple, np.argwhere(PAST)))
    red, green, blue, _ = patches.get_facecolor()[0]
    assert max(red, green, blue) - min(red, green, blue) < 0.05  # grey


@pytest.mark.parametrize("mask", [None, True, np.ones((6, 6), bool)])
def test_without_masked_cells_nothing_is_hatched(ax, mask):
    plot_weights(WEIGHTS, mask=mask, ax=ax)
    assert not ax.collections


def test_axes_are_labelled(ax):
    plot_weights(WEIGHTS, rows=WORDS, columns=WORDS, ax=ax)
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("query i", "key j")
    assert [t.get_text() for t in ax.get_yticklabels()] == list(WORDS)
    assert [t.get_text() for t in ax.get_xticklabels()] == list(WORDS)
    assert_array_equal(ax.get_xticks(), range(6))
    assert ax.xaxis.get_label_position() == "top"
    assert to_hex(ax.yaxis.label.get_color()) == ROLE_COLORS["q"]
    assert to_hex(ax.xaxis.label.get_color()) == ROLE_COLORS["k"]


def test_labels_of_the_axes_can_be_named(ax):
    plot_weights(WEIGHTS, row_label="target", column_label="source", ax=ax)
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("target", "source")


@pytest.mark.parametrize(("n", "ticks"), [(1, [0]), (6, range(6)), (30, range(0, 30, 3))])
def test_without_words_rows_and_columns_are_counted(ax, n, ticks):
    plot_weights(np.eye(n), ax=ax)
    assert_array_equal(ax.get_xticks(), ticks)
    assert_array_equal(ax.get_yticks(), ticks)


def test_many_words_stand_upright(ax):
    plot_weights(np.eye(9), columns=[f"word {j}" for j in range(9)], ax=ax)
    assert {t.get_rotation() for t in ax.get_xticklabels()} == {90}


def test_a_vector_is_one_row(ax):
    plot_weights(WEIGHTS[-1], columns=WORDS, mask=np.arange(6) != 2, ax=ax)
    assert ax.images[0].get_array().shape == (1, 6)
    assert [t.get_text() for t in ax.get_yticklabels()] == [""]
    plot_weights(WEIGHTS[-1], rows=["Book"], ax=ax)
    assert [t.get_text() for t in ax.get_yticklabels()] == ["Book"]


def test_without_axes_the_current_ones_are_used(ax):
    plt.sca(ax)
    assert plot_weights(WEIGHTS) is ax


def test_every_role_has_a_light_and_a_dark_colour():
    assert list(ROLE_COLORS) == list(ROLE_COLORS_DARK) == ["q", "k", "v", "o"]
    assert len({*ROLE_COLORS.values(), *ROLE_COLORS_DARK.values()}) == 8
    assert list(INKS) == list(INKS_DARK)


def test_pictures_are_the_same_bytes_each_time():
    def picture():
        buffer = io.BytesIO()
        with plt.style.context("attnutils.book"):
            figure, ax = plt.subplots()
            plot_weights(WEIGHTS, rows=WORDS, columns=WORDS, mask=PAST, ax=ax)
            figure.savefig(buffer, format="png")
            plt.close(figure)
        return buffer.getvalue()

    assert picture() == picture()


def test_the_style_is_in_force(ax):
    assert ax.figure.get_size_inches()[0] == 6.2
    assert mpl.rcParams["font.family"] == ["DejaVu Sans"]
    assert not ax.spines["top"].get_visible()


# --- scores --------------------------------------------------------------------------------------


def test_the_picture_holds_the_scores(ax):
    before = SCORES.copy()
    assert plot_scores(SCORES, ax=ax) is ax
    (image,) = ax.images
    assert_array_equal(image.get_array(), SCORES)
    assert [to_hex(image.get_cmap()(end)) for end in (0.0, 1.0)] == [INKS["minus"], INKS["plus"]]
    assert min(image.get_cmap()(0.5)) > 0.99
    image.get_array()[0, 0] = -1
    assert_array_equal(SCORES, before)


@pytest.mark.parametrize(
    ("scores", "limit"),
    [
        ([[1, -3], [2, 0]], 3),
        ([[4.0, -3], [2, 0]], 4),
        ([[np.inf, -3], [np.nan, -np.inf]], 3),
        ([[0, 0]], 1),
        ([[np.nan, -np.inf]], 1),
        ([[0.25, 0.125]], 0.25),
        ([[1e300, -1e300]], 1e300),
    ],
)
def test_red_and_blue_reach_equally_far(ax, scores, limit):
    plot_scores(scores, ax=ax)
    assert ax.images[0].get_clim() == (-limit, limit)
    ax.figure.canvas.draw()


def test_numbers_of_scores_are_short(ax):
    plot_scores([[7, -4, 0.875, -0.5, -0.0], [12.34, 123.4, -1e300, 1234, -999]], ax=ax)
    assert " ".join(texts(ax).values()) == "7 −4 .88 −.50 0 12.3 123 −1e300 1e3 −999"
    plot_scores([[np.inf, -np.inf, np.nan]], ax=ax)
    assert [t.get_text() for t in ax.texts[10:]] == ["∞", "−∞", "nan"]


def test_infinite_scores_are_grey_and_their_numbers_black(ax):
    plot_scores([[-np.inf, -9, 0, 9]], ax=ax)
    (image,) = ax.images
    assert [t.get_color() for t in ax.texts] == ["black", "white", "black", "white"]
    red, green, blue, alpha = image.to_rgba(image.get_array())[0, 0]
    assert max(red, green, blue) - min(red, green, blue) < 0.05
    assert alpha == 1


def test_scores_are_labelled_and_masked_like_weights(ax):
    plot_scores(SCORES, rows=WORDS, columns=WORDS, mask=PAST, ax=ax)
    (patches,) = (c for c in ax.collections if isinstance(c, PatchCollection))
    corners = {tuple(path.get_extents().min + 0.5) for path in patches.get_paths()}
    assert corners == {(j, i) for i, j in np.argwhere(~PAST)}
    assert patches.get_hatch() == "////"
    assert set(texts(ax)) == set(map(tuple, np.argwhere(PAST)))
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("query i", "key j")
    assert [t.get_text() for t in ax.get_yticklabels()] == list(WORDS)
    assert [t.get_text() for t in ax.get_xticklabels()] == list(WORDS)
    assert to_hex(ax.xaxis.label.get_color()) == ROLE_COLORS["k"]
    assert {to_hex(t.get_color()) for t in ax.get_yticklabels()} == {ROLE_COLORS["q"]}


def test_many_scores_have_a_colour_bar(ax):
    plot_scores(np.ones((9, 2)), ax=ax)
    assert not ax.texts
    assert [other.get_ylabel() for other in ax.figure.axes[1:]] == ["score"]


# --- encodings -----------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(50, 64), (1, 2), (3, 200)])
def test_the_picture_holds_the_encoding(ax, shape):
    encoding = sinusoidal_encoding(*shape)
    before = encoding.copy()
    assert plot_encoding(encoding, ax=ax) is ax
    (image,) = ax.images
    assert_array_equal(image.get_array(), encoding)
    assert [to_hex(image.get_cmap()(end)) for end in (0.0, 1.0)] == [INKS["minus"], INKS["plus"]]
    assert min(image.get_cmap()(0.5)) > 0.99
    assert image.get_clim() == (-1, 1)
    assert image.origin == "upper"
    assert (ax.get_ylabel(), ax.get_xlabel()) == ("position", "dimension")
    assert ax.xaxis.get_label_position() == "top"
    assert [other.get_ylabel() for other in ax.figure.axes[1:]] == ["value"]
    image.get_array()[0, 0] = 5
    assert_array_equal(encoding, before)


def test_an_encoding_has_the_same_colours_whatever_its_values(ax):
    plot_encoding([[0.5, -0.25]], ax=ax)
    assert ax.images[0].get_clim() == (-1, 1)


# --- graphs --------------------------------------------------------------------------------------


def shade(patch):
    return sum(patch.get_edgecolor()[:3])


def test_an_edge_is_as_wide_as_its_weight_is_large(ax):
    weights = np.array([0.75, 0.25, 1, 0, 0.5])
    for array in (POINTS, weights):
        array.flags.writeable = False
    assert plot_graph_attention(POINTS, [1, 2, 0, 0, 1], [0, 0, 1, 2, 1], weights, ax=ax) is ax
    widths = np.array([patch.get_linewidth() for patch in ax.patches])
    assert_allclose(widths / widths[2], weights)
    assert [type(patch) for patch in ax.patches] == [*[FancyArrowPatch] * 4, Circle]
    assert len({shade(patch) for patch in ax.patches}) == 1
    assert [t.get_text() for t in ax.texts] == ["0", "1", "2"]
    ax.figure.canvas.draw()


def test_an_arrow_points_from_sender_to_receiver(ax):
    plot_graph_attention(POINTS, [1, 0], [2, 1], [1, 1], ax=ax)
    ax.figure.canvas.draw()
    for patch, sender, receiver in zip(ax.patches, [1, 0], [2, 1], strict=True):
        line = ax.transData.inverted().transform(
            patch.get_transform().transform_path(patch.get_path()).vertices
        )
        tail, head = line[0], line[2]
        assert np.hypot(*(tail - POINTS[sender])) < 0.5
        assert np.hypot(*(head - POINTS[receiver])) < 0.5


def test_nodes_stand_where_they_are_put(ax):
    plot_graph_attention(POINTS, [], [], [], labels=["C", "N", "O"], ax=ax)
    assert_array_equal(ax.collections[0].get_offsets(), POINTS)
    assert [t.get_text() for t in ax.texts] == ["C", "N", "O"]
    assert_array_equal([t.get_position() for t in ax.texts], POINTS)
    assert ax.get_aspect() == 1
    assert not ax.axison


def test_self_loops_follow_the_edges(ax):
    weights = [0.75, 0.25, 0.5, 1]
    plot_graph_attention(POINTS, [1], [0], weights, ax=ax)
    arrow, *rings = ax.patches
    assert isinstance(arrow, FancyArrowPatch)
    assert all(isinstance(ring, Circle) for ring in rings)
    widths = np.array([patch.get_linewidth() for patch in ax.patches])
    assert_allclose(widths / widths[3], weights)
    ax.figure.canvas.draw()
    for ring, point in zip(rings, POINTS, strict=True):  # beside its node, away from the others
        extent = ring.get_transform().transform_path(ring.get_path()).get_extents()
        middle = ax.transData.inverted().transform((extent.min + extent.max) / 2)
        assert (middle - point) @ (point - POINTS.mean(axis=0)) > 0


def test_one_receiver_is_strong_and_its_edges_have_numbers(ax):
    senders, receivers, weights = [1, 2, 0], [0, 0, 1], [0.75, 0.125, 0.5, 0.125, 0.5, 1]
    plot_graph_attention(POINTS, senders, receivers, weights, receiver=0, ax=ax)
    assert [t.get_text() for t in ax.texts] == ["0", "1", "2", ".75", ".12", ".12"]
    dark = [shade(patch) < 1.5 for patch in ax.patches]
    assert dark == [True, True, False, True, False, False]
    above = [patch.get_zorder() for patch in ax.patches]
    assert min(above[e] for e in (0, 1, 3)) > max(above[e] for e in (2, 4, 5))
    dark = [sum(face[:3]) < 1.5 for face in ax.collections[0].get_facecolors()]
    assert dark == [True, False, False]
    assert [t.get_color() for t in ax.texts[:3]] == ["white", "black", "black"]


def test_the_number_of_an_edge_stands_on_it(ax):
    plot_graph_attention([[0, 0], [2, 0]], [1], [0], [1], receiver=0, ax=ax)
    ax.figure.canvas.draw()
    (arrow,) = ax.patches
    tail, bend, head = arrow.get_transform().transform_path(arrow.get_path()).vertices[:3]
    middle = ax.transData.transform(ax.texts[2].xy)
    # The arrow stops short of the nodes, its head a little more, so that its middle moves along.
    assert_allclose(middle, tail / 4 + bend / 2 + head / 4, atol=6)
    assert abs(middle - ax.transData.transform([1, 0])).max() > 12


def test_an_edge_that_is_given_twice_is_drawn_twice(ax):
    plot_graph_attention(POINTS, [1, 1, 0, 0], [0, 0, 0, 0], [0.25] * 4, ax=ax)
    one, two, loop, other = ax.patches
    assert not np.allclose(one.get_path().vertices[1], two.get_path().vertices[1])
    assert loop.get_radius() < other.get_radius()


@pytest.mark.parametrize(
    ("points", "senders", "weights"),
    [
        (np.zeros((0, 2)), [], []),
        ([[3, 4]], [], [1]),
        ([[3, 4]], [0], [1]),
        ([[0, 0], [0, 0]], [1], [1]),
        ([[0, 0], [1, 0]], [1], [np.nan]),
        ([[0, 0], [0, 1e-9]], [1], [0]),
    ],
)
def test_small_and_odd_graphs_can_be_drawn(ax, points, senders, weights):
    receiver = 0 if len(points) else None
    plot_graph_attention(points, senders, [0] * len(senders), weights, receiver=receiver, ax=ax)
    ax.figure.canvas.draw()


@pytest.mark.parametrize(
    "plot",
    [
        lambda: plot_scores(SCORES),
        lambda: plot_encoding(sinusoidal_encoding(5, 4)),
        lambda: plot_graph_attention(POINTS, [0], [1], [1]),
    ],
)
def test_without_axes_every_plot_takes_the_current_ones(ax, plot):
    plt.sca(ax)
    assert plot() is ax
