"""Layers that bring their way back: there as in attnutils, back as numerical gradients say."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnbook.models.layers import attend, look_up, network, norm, training
from attnutils import (
    FeedForwardParams,
    LayerNormParams,
    MultiHeadParams,
    feed_forward,
    layer_norm,
    leaves,
    multi_head_attention,
    numerical_gradient,
    with_leaves,
)


@pytest.fixture
def draw():
    return np.random.default_rng(0).standard_normal


def check(layer, inputs, d):
    """Compare the way back with numerical gradients of the inner product with d."""
    _, back = layer(*inputs)
    found = back(d)
    found = leaves(found if isinstance(found, tuple) else [found])
    arrays = leaves(inputs)
    for at, gradient in enumerate(found):

        def loss(x, at=at):
            changed = [x if i == at else array for i, array in enumerate(arrays)]
            return (layer(*with_leaves(inputs, changed))[0] * d).sum()

        assert_allclose(gradient, numerical_gradient(loss, arrays[at]), rtol=0, atol=1e-7)


@pytest.mark.parametrize("has_biases", [False, True])
def test_attend(draw, has_biases):
    shapes = (5, 6), (3, 6), (3, 8), (8, 7), 6, 6, 8, 7
    p = MultiHeadParams(*map(draw, shapes[: 8 if has_biases else 4]))
    x, source, mask = draw((2, 4, 5)), draw((2, 3, 3)), np.tri(4, 3, dtype=bool)

    def layer(x, source, p):
        return attend(x, source, p, 2, mask)

    expected = multi_head_attention(x, source, source, p, n_heads=2, mask=mask).output
    assert_allclose(layer(x, source, p)[0], expected)
    check(layer, (x, source, p), draw((2, 4, 7)))


def test_network_and_norm(draw):
    x, d = draw((2, 3, 4)), draw((2, 3, 4))
    p = FeedForwardParams(draw((4, 5)), draw(5), draw((5, 4)), draw(4))
    assert_allclose(network(x, p)[0], feed_forward(x, p))
    check(network, (x, p), d)
    p = LayerNormParams(draw(4), draw(4))
    assert_allclose(norm(x, p)[0], layer_norm(x, *p))
    check(norm, (x, p), d)


def test_look_up(draw):
    tokens = np.array([[1, 0, 1], [2, 1, 0]])
    check(lambda table: look_up(table, tokens), (draw((4, 2)),), draw((2, 3, 2)))


def test_training_takes_a_step_for_each_rate():
    steps = list(training([np.zeros(1)], lambda p: (p[0][0], [np.ones(1)]), [0.5, 0.25]))
    assert_allclose([loss for _, loss in steps], [0, -0.5], atol=1e-6)
    assert_allclose(steps[-1][0], [[-0.75]], atol=1e-6)
