"""The explorer of word orders: its arguments, outputs and picture, and its script's numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnutils import attention, sinusoidal_encoding
from attnutils.widgets import WordOrderExplorer
from attnutils.worked_example import KEYS, VALUES, WORDS

X = np.hstack([KEYS, VALUES])
PROJECTIONS = np.random.default_rng(0).normal(size=(3, 4, 4))
SECOND = [4, 5, 3, 0, 1, 2]


def make(words=WORDS, x=X, projections=PROJECTIONS, second=SECOND, **options):
    return WordOrderExplorer(words, x, projections, second, **options)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"words": ["Book"]}, ValueError, "2 to 12"),
        ({"x": X[:5]}, ValueError, r"x has shape \(5, 4\) but \(6, d\)"),
        ({"x": KEYS}, ValueError, "x has d=3 but an even d of at most 8"),
        ({"x": np.ones((6, 10))}, ValueError, "x has d=10"),
        ({"x": X * np.nan}, ValueError, "x must hold"),
        ({"projections": PROJECTIONS[:2]}, ValueError, r"projections has shape \(2, 4, 4\)"),
        ({"second": [0, 1, 2, 3, 4, 4]}, ValueError, "second must be the integers 0 to 5"),
        ({"second": [0, 1]}, ValueError, "second must be the integers 0 to 5"),
        ({"second": "ABCDEF"}, TypeError, "second"),
    ],
)
def test_bad_facts(change, error, message):
    with pytest.raises(error, match=message) as caught:
        make(**change)
    assert str(caught.value).startswith("WordOrderExplorer: ")


@pytest.mark.parametrize("order", [[0] * 6, [0, 1, 2, 3, 4, 6], [0.5] * 6, None])
def test_bad_orders_are_refused(assign, order):
    made = make()
    with pytest.raises((TypeError, ValueError), match=r"^WordOrderExplorer: order"):
        assign(made, "order", order)
    assert made.order == list(range(6))


@pytest.mark.parametrize("is_causal", [False, True])
@pytest.mark.parametrize("has_positions", [False, True])
def test_outputs_are_those_of_attention_word_by_word(has_positions, is_causal):
    made = make(has_positions=has_positions, is_causal=is_causal)
    made.order = SECOND
    given = X[SECOND] + has_positions * sinusoidal_encoding(6, 4)
    wanted = attention(*(given @ w for w in PROJECTIONS), is_causal=is_causal).output
    for place, word in enumerate(SECOND):
        assert_allclose(made.outputs[word], wanted[place], atol=1e-12)
    changed = made.gaps > 1e-9
    assert changed.all() if has_positions else changed.any() == is_causal


def test_without_projections_a_word_is_its_own_query_key_and_value():
    made = WordOrderExplorer(WORDS, X)
    assert_allclose(made.outputs, attention(X, X, X).output)
    assert made.second == [5, 4, 3, 2, 1, 0]


def test_the_script_computes_what_attnutils_does(run_script):
    rng = np.random.default_rng(1)
    orders = [rng.permutation(6).tolist() for _ in range(4)]
    settings = [(p, c) for p in (False, True) for c in (False, True)]
    got = run_script(
        ["positions", "word_order_explorer"],
        """
        console.log(JSON.stringify(input.orders.map((order) => input.settings.map(
          ([has_positions, is_causal]) =>
            outputsOf(input.x, input.projections, order, { has_positions, is_causal })))));
        """,
        {
            "orders": orders,
            "settings": settings,
            "x": X.tolist(),
            "projections": PROJECTIONS.tolist(),
        },
    )
    for order, by_setting in zip(orders, got, strict=True):
        for (has_positions, is_causal), outputs in zip(settings, by_setting, strict=True):
            made = make(has_positions=has_positions, is_causal=is_causal)
            made.order = order
            assert_allclose(outputs, made.outputs, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "change", [{"order": SECOND}, {"has_positions": True}, {"is_causal": True}]
)
def test_the_picture_shows_the_traits(pixels, change):
    made = make()
    for name, value in change.items():
        setattr(made, name, value)
    assert np.abs(pixels(make()) - pixels(made)).max() > 100


def test_the_text_is_one_stable_line():
    made = make(has_positions=True)
    made.order = SECOND
    assert repr(made) == (
        "WordOrderExplorer('A Book Reads The Sleepy Child', has_positions=True, is_causal=False)"
    )
