"""Laws of gradients by hand, and of Adam."""

import math

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import (
    AdamState,
    LayerNormParams,
    MultiHeadParams,
    adam_init,
    adam_step,
    attention,
    attention_backward,
    cross_entropy,
    leaves,
    numerical_gradient,
    softmax,
    softmax_backward,
    with_leaves,
)

N, D, D_K, D_V, CLASSES = 5, 6, 4, 3, 8
leads = pytest.mark.parametrize("lead", [(), (1,), (3,)])


def relative_error(x, expected):
    assert x.shape == expected.shape
    return np.abs(x - expected).max() / np.abs(expected).max()


# --- softmax and attention, backwards -----------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7])
def test_softmax_backward_is_the_jacobian(n):
    rng = np.random.default_rng(n)
    d = rng.standard_normal(n)
    a = softmax(rng.standard_normal(n))
    assert_allclose(softmax_backward(a, d), (np.diag(a) - np.outer(a, a)).T @ d, atol=1e-15)


def test_softmax_backward_works_on_rows():
    rng = np.random.default_rng(0)
    s, d = rng.standard_normal((2, 3, 4, 5))
    s[1, 2, :3] = -np.inf
    d_scores = softmax_backward(softmax(s), d)
    numerical = numerical_gradient(lambda x: (softmax(x) * d).sum(), s)
    assert relative_error(d_scores, numerical) < 1e-8
    assert_allclose(d_scores.sum(-1), 0, atol=1e-15)
    assert (d_scores[1, 2, :3] == 0).all()


@leads
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("n_q", "n_k"), [(2, 5), (4, 1), (1, 3)])
def test_attention_backward_is_the_numerical_gradient(lead, masked, n_q, n_k):
    rng = np.random.default_rng(n_q)
    arguments = [rng.standard_normal((*lead, *s)) for s in ((n_q, D_K), (n_k, D_K), (n_k, D_V))]
    d = rng.standard_normal((*lead, n_q, D_V))
    mask = rng.random((*lead, n_q, n_k)) < 0.6 if masked else None
    gradients = attention_backward(*arguments, attention(*arguments, mask=mask).weights, d)
    for i, gradient in enumerate(gradients):

        def loss(x, i=i):
            moved = [*arguments[:i], x, *arguments[i + 1 :]]
            return (attention(*moved, mask=mask).output * d).sum()

        numerical = numerical_gradient(loss, arguments[i])
        assert_allclose(gradient, numerical, rtol=0, atol=1e-6 * max(1, np.abs(numerical).max()))
        if masked:
            continue
        if n_k > 1 or i == 2:  # the weight of a single key is 1, whatever the scores
            assert relative_error(gradient, numerical) < 1e-6


def test_a_single_query_is_a_row_without_its_axis():
    rng = np.random.default_rng(0)
    q, k, v, d = (rng.standard_normal(s) for s in (D_K, (5, D_K), (5, D_V), D_V))
    single = attention_backward(q, k, v, attention(q, k, v).weights, d)
    rows = attention_backward(q[None], k, v, attention(q[None], k, v).weights, d[None])
    assert_array_equal(single.query, rows.query[0])
    assert_array_equal(single.key, rows.key)
    assert_array_equal(single.value, rows.value)


def test_what_is_hidden_gets_no_gradient():
    rng = np.random.default_rng(0)
    q, k, v, d = (rng.standard_normal(s) for s in ((3, D_K), (3, D_K), (3, D_V), (3, D_V)))
    d[2] = 0  # the only row that sees the last key
    gradients = attention_backward(q, k, v, attention(q, k, v, is_causal=True).weights, d)
    assert (gradients.key[2] == 0).all()
    assert (gradients.value[2] == 0).all()
    assert (gradients.query[0] == 0).all()  # a single key takes it all


# --- cross-entropy ------------------------------------------------------------------------------


@leads
def test_cross_entropy_is_the_mean_surprise(lead):
    rng = np.random.default_rng(0)
    logits = 3 * rng.standard_normal((*lead, N, CLASSES))
    targets = rng.integers(CLASSES, size=(*lead, N))
    targets[..., 2:4] = -1
    surprise = []
    for z, t in zip(logits.reshape(-1, CLASSES), targets.ravel(), strict=True):
        if t >= 0:
            surprise.append(-math.log(math.exp(z[t]) / sum(math.exp(x) for x in z)))
    loss, d_logits = cross_entropy(logits, targets)
    assert type(loss) is float
    assert_allclose(loss, sum(surprise) / len(surprise), rtol=1e-14)
    numerical = numerical_gradient(lambda z: cross_entropy(z, targets).loss, logits)
    assert relative_error(d_logits, numerical) < 1e-8
    assert (d_logits[targets == -1] == 0).all()


def test_large_logits_do_not_overflow():
    with np.errstate(all="raise"):
        loss, d_logits = cross_entropy([[1e6, 0, -1e300], [1e308, -1e308, 0]], [1, 0])
    assert loss == 5e5
    assert_array_equal(d_logits, [[0.5, -0.5, 0], [0, 0, 0]])
    assert cross_entropy([[0, -np.inf, 0]], [0]).loss == pytest.approx(math.log(2))
    assert cross_entropy([5.0, 5.0], 1).loss == pytest.approx(math.log(2))


def test_infinite_logits_share():
    loss, d_logits = cross_entropy([[np.inf, np.inf, 0], [np.inf, 0, 0]], [0, 0])
    assert loss == pytest.approx(np.log(2) / 2)
    assert_array_equal(d_logits, [[-0.25, 0.25, 0], [0, 0, 0]])
    assert cross_entropy([[np.inf, 0]], [1]).loss == np.inf


# --- Adam ---------------------------------------------------------------------------------------


def test_two_steps_of_adam_by_hand():
    params, state = [np.array([1.0, 2.0])], AdamState(0, [np.zeros(2)], [np.zeros(2)])
    options = {"learning_rate": 0.1, "beta_1": 0.5, "beta_2": 0.75, "eps": 1.0}
    params, state = adam_step(params, [np.array([2.0, 0.0])], state, **options)
    # The mean is 0.5 * 2 = 1, the mean of squares 0.25 * 4 = 1; corrected they are 2 and 4.
    assert state.step == 1
    assert_allclose(state.mean, [[1, 0]])
    assert_allclose(state.square, [[1, 0]])
    assert_allclose(params, [[1 - 0.1 * 2 / (2 + 1), 2]])
    params, state = adam_step(params, [np.array([-1.0, 4.0])], state, **options)
    # 0.5 - 0.5 and 2; 0.75 + 0.25 and 4. The corrections divide by 0.75 and 0.4375.
    assert state.step == 2
    assert_allclose(state.mean, [[0, 2]])
    assert_allclose(state.square, [[1, 4]])
    second = 2 - 0.1 * (2 / 0.75) / (math.sqrt(4 / 0.4375) + 1)
    assert_allclose(params, [[1 - 0.1 * 2 / (2 + 1), second]])


def test_adam_keeps_the_type_of_its_parameters():
    rng = np.random.default_rng(0)
    p = LayerNormParams(*rng.standard_normal((2, D)))
    stepped, state = adam_step(p, p, adam_init(p))
    assert type(stepped) is type(state.mean) is type(state.square) is LayerNormParams
    for arrays in ([], (), [p.scale], (p.scale, p.bias)):
        assert type(adam_step(arrays, arrays, adam_init(arrays))[0]) is type(arrays)


# --- numerical gradient -------------------------------------------------------------------------


def test_numerical_gradient_of_any_shape():
    x = np.array([[1.0, 2.0], [0.5, -1.0]])
    assert_allclose(numerical_gradient(lambda y: (y**3).sum(), x), 3 * x**2, rtol=1e-8)
    assert numerical_gradient(lambda y: y**2, 3).shape == ()
    assert numerical_gradient(lambda y: y.sum(), np.zeros((0, 2))).shape == (0, 2)
    gradient = numerical_gradient(lambda y: y.sum(), np.ones(2, np.float32))
    assert gradient.dtype == np.float64
    assert_allclose(gradient, 1, rtol=1e-8)  # a step of 1e-6 is not lost in float32


def test_a_function_that_changes_what_it_gets_is_harmless():
    x = np.array([1.0, 2.0])

    def function(y):
        y *= 2
        return y.sum()

    assert_allclose(numerical_gradient(function, x), 2, rtol=1e-8)
    assert_array_equal(x, [1, 2])


# --- all of them --------------------------------------------------------------------------------


def test_float16_is_computed_in_a_wider_type():
    """A square of 1e-4, and a product of 60,000 with a sum, are beyond float16."""
    start = [np.zeros(2, np.float16)]
    after, _ = adam_step(start, [np.array([1e-4, -1e-4], np.float16)], adam_init(start))
    assert_allclose(after[0], [-0.01, 0.01], rtol=1e-3)

    weights, d = np.array([0.25, 0.75], np.float16), np.array([60000, -60000], np.float16)
    assert_array_equal(softmax_backward(weights, d), [22496, -22496])

    rng = np.random.default_rng(0)
    q, k = (rng.standard_normal((3, 4)).astype(np.float16) for _ in range(2))
    v, d_output = (200 * rng.standard_normal((3, 4)).astype(np.float16) for _ in range(2))
    given = [q, k, v / 100, softmax(rng.standard_normal((3, 3))).astype(np.float16), d_output]
    narrow = attention_backward(*given)
    wide = attention_backward(*(x.astype(np.float64) for x in given))
    for a, b in zip(narrow, wide, strict=True):
        assert a.dtype == np.float16
        assert_allclose(a, b, rtol=2e-3, atol=2e-2)


def test_a_class_that_softmax_gives_nothing_surprises_without_end():
    for logits in ([[-np.inf, -np.inf]], [[-np.inf, 0.0]]):
        loss, d_logits = cross_entropy(logits, [0])
        assert loss == np.inf
        assert_array_equal(d_logits, softmax(logits) - [[1, 0]])


def test_adam_takes_any_tree_of_parameters():
    w = np.ones((2, 2))
    tree = [MultiHeadParams(w, w, w, w), (w, None, [w])]
    state = adam_init(tree)
    moved, state = adam_step(tree, tree, state, learning_rate=0.5)
    assert [type(x) for x in moved] == [MultiHeadParams, tuple]
    assert moved[0].b_query is None
    assert moved[1][1] is None
    for x in leaves(moved):
        assert_allclose(x, 0.5, atol=1e-6)
    assert len(leaves(state.mean)) == 6
    assert [x is w for x in leaves(with_leaves(moved, [w] * 6))] == [True] * 6
