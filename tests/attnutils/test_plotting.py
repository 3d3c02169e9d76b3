"""What plot_weights draws."""

import io

import matplotlib as mpl
import numpy as np
import pytest
from matplotlib import pyplot as plt
from matplotlib.collections import PatchCollection
from matplotlib.colors import to_hex
from numpy.testing import assert_array_equal

from attnutils import attention, plot_weights
from attnutils.plotting import ROLE_COLORS, ROLE_COLORS_DARK
from attnutils.worked_example import KEYS, VALUES, WORDS

WEIGHTS = attention(KEYS, KEYS, VALUES, is_causal=True).weights
PAST = np.tri(6, dtype=bool)


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
    assert image.get_cmap().name == "viridis"
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
    assert [t.get_color() for t in ax.texts] == ["white", "white", "black", "black", "black"]


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
