"""What is shown beside a verdict: a split as sheets, a layer at work in a model that writes."""

import re
from xml.etree import ElementTree

import numpy as np
import pytest

from attnbook import draw_split, put_to_work
from tests.exercises.answers import finish_line

SVG = "{http://www.w3.org/2000/svg}"


def picture(shown):
    """The drawing in what is shown."""
    html = shown._repr_html_()
    svg = html[html.index("<svg") :].replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    return ElementTree.fromstring(svg)


def spoilt(layer, mend):
    """A right layer whose outputs come from other arguments."""

    def other(x, w_query, w_key, w_value, w_output, n_heads, mask, positions):
        given = x, w_query, w_key, w_value, w_output, n_heads, mask, positions
        return layer(*mend(*given))

    return other


RIGHT = finish_line.RIGHT["finish-line"]


@pytest.mark.parametrize("layer", RIGHT)
def test_a_right_layer_writes_what_the_books_layer_writes_and_gets_a_card(layer):
    work = put_to_work(layer)
    assert work.is_right
    assert work.mine.line == work.book.line
    assert len(work.mine.line) == 50
    assert abs(work.mine.nats - work.book.nats) < 1e-3
    card = ElementTree.fromstring(work.picture())
    assert "".join(card.itertext()).count("I wrote this") == 1
    inks = [float(x) for cell in card.iter(f"{SVG}rect") if (x := cell.get("fill-opacity"))]
    drawn = [int(x) for x in re.findall(r"Head (\d):", "".join(card.itertext()))]
    assert len({*drawn}) == 2
    weights = work.mine.heads[drawn]
    np.testing.assert_allclose(inks, weights[weights > 0.005], atol=0.005)
    assert "download" in work._repr_html_()


@pytest.mark.parametrize(
    "mend",
    [
        lambda x, q, k, v, o, h, mask, p: (x, q, k, v, o, h, None, p),  # no mask
        lambda x, q, k, v, o, h, mask, p: (x, 4 * q, k, v, o, h, mask, p),  # no root, width 16
        lambda x, q, k, v, o, h, mask, p: (x, q, k, v, np.eye(len(o)), h, mask, p),  # no W_O
    ],
)
def test_a_broken_layer_may_write_too_and_its_slip_has_a_price(mend):
    work = put_to_work(spoilt(RIGHT[0], mend))
    assert not work.is_right
    assert work.mine.nats > work.book.nats + 0.2
    assert f"{work.mine.nats - work.book.nats:.2f} nats more" in repr(work)
    assert "I wrote this" not in work.picture()
    assert "download" not in work._repr_html_()


@pytest.mark.parametrize("layer", [..., 3, lambda *_: ..., lambda *_: 1 / 0, lambda *_: (1, 2)])
def test_what_is_no_layer_writes_nothing(layer):
    assert put_to_work(layer) is None


def test_a_split_is_drawn_right_or_wrong():
    right = draw_split(lambda x, h: np.stack(np.split(x, h, axis=1)))
    assert repr(right).splitlines() == [
        "shape (2, 3, 2)",
        "0: 0 1 | 4 5 | 8 9",
        "1: 2 3 | 6 7 | 10 11",
    ]
    wrong = draw_split(lambda x, h: x.reshape(h, len(x), -1))
    assert repr(wrong).splitlines()[1] == "0: 0 1 | 2 3 | 4 5"
    for each in (right, wrong, draw_split(lambda x, h: x)):
        shades = [rect.get("fill-opacity") for rect in picture(each).iter(f"{SVG}rect")]
        assert len(shades) == 12
        assert shades.count("0.16") == 6
    assert (
        draw_split(lambda x, h: x[:1]) is draw_split(...) is draw_split(lambda x, h: 1 / 0) is None
    )
