"""Bad input: the whole message, which names function, argument, expected, got, and a hint."""

import re
from decimal import Decimal

import numpy as np
import pytest

from attnutils import (
    attention,
    dot_scores,
    entropy,
    gaussian_scores,
    hardmax,
    masked_softmax,
    plot_weights,
    scaled_dot_scores,
    softmax,
    sparsemax,
)

Q, K, V = np.ones((2, 3)), np.ones((4, 3)), np.ones((4, 5))
X = np.ones((2, 3))
TEMPERATURE = "a number from 0 to inf"
LIMITS = "0 gives hardmax, np.inf gives uniform weights"

CASES = [
    # sizes
    (
        lambda: attention(Q, np.ones((4, 5)), V),
        ValueError,
        "attention: key has d_k=5 but query has d_k=3 (query (2, 3), key (4, 5)); "
        "their last axes must match.",
    ),
    (
        lambda: dot_scores(np.ones(1), K),
        ValueError,
        "dot_scores: key has d_k=3 but query has d_k=1 (query (1,), key (4, 3)); "
        "their last axes must match.",
    ),
    (
        lambda: scaled_dot_scores(Q, np.ones((4, 1))),
        ValueError,
        "scaled_dot_scores: key has d_k=1 but query has d_k=3 (query (2, 3), key (4, 1)); "
        "their last axes must match.",
    ),
    (
        lambda: gaussian_scores(Q, np.ones((4, 1))),
        ValueError,
        "gaussian_scores: key has d_k=1 but query has d_k=3 (query (2, 3), key (4, 1)); "
        "their last axes must match.",
    ),
    (
        lambda: attention(Q, K, np.ones((1, 5))),
        ValueError,
        "attention: value has n_k=1 but key has n_k=4 (key (4, 3), value (1, 5)); "
        "each key needs one value.",
    ),
    (
        lambda: attention(Q, np.ones((0, 3)), np.ones((0, 5))),
        ValueError,
        "attention: key has n_k=0 (key (0, 3)); there must be at least one key.",
    ),
    (
        lambda: attention(np.ones((7, 2, 3)), np.ones((5, 4, 3)), V),
        ValueError,
        "attention: the leading axes of query and key do not broadcast "
        "(query (7, 2, 3), key (5, 4, 3)); "
        "axis by axis, counted from the right, they must be equal or 1.",
    ),
    (
        lambda: attention(Q, np.ones((7, 4, 3)), np.ones((5, 4, 5))),
        ValueError,
        "attention: the leading axes of query and key and value do not broadcast "
        "(query (2, 3), key (7, 4, 3), value (5, 4, 5)); "
        "axis by axis, counted from the right, they must be equal or 1.",
    ),
    # ranks
    (
        lambda: attention(3.0, K, V),
        ValueError,
        "attention: query has shape () but (..., n_q, d_k) is expected; "
        "give one vector of shape (d_k,) or a row for each query.",
    ),
    (
        lambda: attention(Q, np.ones(3), V),
        ValueError,
        "attention: key has shape (3,) but (..., n_k, d_k) is expected; "
        "a single key is a row, key[None, :].",
    ),
    (
        lambda: attention(Q, K, np.ones(4)),
        ValueError,
        "attention: value has shape (4,) but (..., n_k, d_v) is expected; "
        "one number a key is a column, value[:, None].",
    ),
    (
        lambda: softmax(1.0),
        ValueError,
        "softmax: x has shape () but (..., n) is expected; put a single number in a list.",
    ),
    (
        lambda: hardmax([]),
        ValueError,
        "hardmax: x has shape (0,) with nothing along axis -1; "
        "weights need at least one entry to share.",
    ),
    (
        lambda: sparsemax(np.ones((0, 3)), axis=0),
        ValueError,
        "sparsemax: x has shape (0, 3) with nothing along axis 0; "
        "weights need at least one entry to share.",
    ),
    # ragged lists
    (
        lambda: softmax([[1, 2], [3]]),
        ValueError,
        "softmax: x is a ragged list but an array of shape (..., n) is expected; "
        "give every row the same length.",
    ),
    (
        lambda: attention(Q, [[1, 2, 3], [4]], V),
        ValueError,
        "attention: key is a ragged list but an array of shape (..., n_k, d_k) is expected; "
        "give every row the same length.",
    ),
    (
        lambda: attention(Q, K, V, mask=[[True], [True, False]]),
        ValueError,
        "attention: mask is a ragged list but an array of shape (..., n_q, n_k) = (2, 4) is "
        "expected; give every row the same length.",
    ),
    # dtypes
    (
        lambda: attention(Q, [["a", "b", "c"]], [["d"]]),
        TypeError,
        "attention: key has dtype <U1 but real numbers are expected; "
        "turn words into vectors of numbers first.",
    ),
    (
        lambda: softmax(np.array([b"a"])),
        TypeError,
        "softmax: x has dtype |S1 but real numbers are expected; "
        "turn words into vectors of numbers first.",
    ),
    (
        lambda: softmax(None),
        TypeError,
        "softmax: x has dtype object but real numbers are expected; "
        "look for None, words or lists among the entries.",
    ),
    (
        lambda: attention(Q, K, V.astype(object)),
        TypeError,
        "attention: value has dtype object but real numbers are expected; "
        "look for None, words or lists among the entries.",
    ),
    (
        lambda: masked_softmax([1j, 2]),
        TypeError,
        "masked_softmax: scores has dtype complex128 but real numbers are expected; "
        "take the real part or the absolute value.",
    ),
    (
        lambda: attention(Q, K, V > 0),
        TypeError,
        "attention: value has dtype bool but real numbers are expected; "
        "a boolean array belongs in mask; .astype(float) makes it zeros and ones.",
    ),
    (
        lambda: entropy(np.array(["2020-01-01"], dtype="datetime64[D]")),
        TypeError,
        "entropy: weights has dtype datetime64[D] but real numbers are expected; "
        "convert it to numbers first.",
    ),
    # temperature, bandwidth, base
    (
        lambda: softmax(X, temperature=-1),
        ValueError,
        f"softmax: temperature must be {TEMPERATURE}, got -1; {LIMITS}.",
    ),
    (
        lambda: sparsemax(X, temperature=float("nan")),
        ValueError,
        f"sparsemax: temperature must be {TEMPERATURE}, got nan; {LIMITS}.",
    ),
    (
        lambda: attention(Q, K, V, temperature=-np.inf),
        ValueError,
        f"attention: temperature must be {TEMPERATURE}, got -inf; {LIMITS}.",
    ),
    (
        lambda: masked_softmax(X, temperature=True),
        TypeError,
        f"masked_softmax: temperature must be {TEMPERATURE}, got bool; {LIMITS}.",
    ),
    (
        lambda: softmax(X, temperature="1"),
        TypeError,
        f"softmax: temperature must be {TEMPERATURE}, got str; {LIMITS}.",
    ),
    (
        lambda: attention(Q, K, V, temperature=np.ones(2)),
        TypeError,
        f"attention: temperature must be {TEMPERATURE}, got ndarray; {LIMITS}.",
    ),
    (
        lambda: softmax(X, temperature=None),
        TypeError,
        f"softmax: temperature must be {TEMPERATURE}, got NoneType; {LIMITS}.",
    ),
    (
        lambda: softmax(X, temperature=1j),
        TypeError,
        f"softmax: temperature must be {TEMPERATURE}, got complex; {LIMITS}.",
    ),
    (
        lambda: softmax(X, temperature=Decimal(1)),
        TypeError,
        f"softmax: temperature must be {TEMPERATURE}, got Decimal; {LIMITS}.",
    ),
    (
        lambda: gaussian_scores(Q, K, 0),
        ValueError,
        "gaussian_scores: bandwidth must be a number above 0, got 0; "
        "for its limit at 0, the nearest key alone, use temperature=0.",
    ),
    (
        lambda: gaussian_scores(Q, K, bandwidth=np.nan),
        ValueError,
        "gaussian_scores: bandwidth must be a number above 0, got nan; "
        "for its limit at 0, the nearest key alone, use temperature=0.",
    ),
    (
        lambda: gaussian_scores(Q, K, bandwidth="1"),
        TypeError,
        "gaussian_scores: bandwidth must be a number above 0, got str; "
        "for its limit at 0, the nearest key alone, use temperature=0.",
    ),
    (
        lambda: entropy(X, base=1),
        ValueError,
        "entropy: base must be a number above 1, got 1; 2 measures in bits, math.e in nats.",
    ),
    (
        lambda: entropy(X, base=np.nan),
        ValueError,
        "entropy: base must be a number above 1, got nan; 2 measures in bits, math.e in nats.",
    ),
    (
        lambda: entropy([0.5, -0.25]),
        ValueError,
        "entropy: weights must be at least 0, got -0.25; "
        "are these scores? softmax turns scores into weights.",
    ),
    # axis
    (
        lambda: softmax(X, axis=2),
        ValueError,
        "softmax: axis must be an integer from -2 to 1 for x of shape (2, 3), got 2.",
    ),
    (
        lambda: hardmax(X, axis=-3),
        ValueError,
        "hardmax: axis must be an integer from -2 to 1 for x of shape (2, 3), got -3.",
    ),
    (
        lambda: entropy(X, axis=None),
        TypeError,
        "entropy: axis must be an integer from -2 to 1 for weights of shape (2, 3), got NoneType.",
    ),
    (
        lambda: softmax(X, axis=True),
        TypeError,
        "softmax: axis must be an integer from -2 to 1 for x of shape (2, 3), got bool.",
    ),
    # masks, biases, options
    (
        lambda: attention(Q, K, V, mask=np.ones((2, 4))),
        TypeError,
        "attention: mask has dtype float64 but bool is expected; "
        "True means may attend, numbers to add to the scores are a bias.",
    ),
    (
        lambda: masked_softmax(X, [[1, 0, 1]]),
        TypeError,
        "masked_softmax: mask has dtype int64 but bool is expected; "
        "True means may attend, numbers to add to the scores are a bias.",
    ),
    (
        lambda: attention(Q, K, V, mask=np.ones((4, 2), bool)),
        ValueError,
        "attention: mask has shape (4, 2) but (..., n_q, n_k) = (2, 4) is expected; "
        "mask must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: attention(Q, K, V, mask=np.ones((7, 1, 4), bool)),
        ValueError,
        "attention: mask has shape (7, 1, 4) but (..., n_q, n_k) = (2, 4) is expected; "
        "mask must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: attention(Q[0], K, V, mask=np.ones((1, 4), bool)),
        ValueError,
        "attention: mask has shape (1, 4) but (..., n_q, n_k) = (4,) is expected; "
        "mask must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: masked_softmax(X[:, :1], np.ones((2, 3), bool)),
        ValueError,
        "masked_softmax: mask has shape (2, 3) but the shape of scores = (2, 1) is expected; "
        "mask must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: attention(Q, K, V, bias=np.ones((3, 4))),
        ValueError,
        "attention: bias has shape (3, 4) but (..., n_q, n_k) = (2, 4) is expected; "
        "bias must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: attention(Q, K, V, bias=np.ones((2, 4), bool)),
        TypeError,
        "attention: bias has dtype bool but real numbers are expected; "
        "a boolean array belongs in mask; .astype(float) makes it zeros and ones.",
    ),
    (
        lambda: attention(Q, K, V, is_causal=np.tri(2, 4, dtype=bool)),
        TypeError,
        "attention: is_causal must be True or False, got ndarray; "
        "an array that hides keys belongs in mask.",
    ),
    (
        lambda: attention(Q, K, V, need_weights=None),
        TypeError,
        "attention: need_weights must be True or False, got NoneType; "
        "an array that hides keys belongs in mask.",
    ),
    (
        lambda: attention(Q, K, V, scores="dot"),
        TypeError,
        "attention: scores must be a function of query and key, got str; "
        "for example scores=dot_scores.",
    ),
    (
        lambda: attention(Q, K, V, scores=np.ones((2, 4))),
        TypeError,
        "attention: scores must be a function of query and key, got ndarray; "
        "for example scores=dot_scores.",
    ),
    (
        lambda: attention(Q, K, V, scores=lambda q, k: k @ q.T),
        ValueError,
        "attention: the result of scores has shape (4, 2) but (..., n_q, n_k) = (2, 4) is "
        "expected; scores must be a function of rows.",
    ),
    (
        lambda: attention(Q, K, V, scores=lambda q, k: None),
        TypeError,
        "attention: the result of scores has dtype object but real numbers are expected; "
        "look for None, words or lists among the entries.",
    ),
    # pictures
    (
        lambda: plot_weights(np.ones((2, 2, 3))),
        ValueError,
        "plot_weights: weights has shape (2, 2, 3) but (n_q, n_k) or (n_k,) is expected; "
        "choose one matrix that is not empty, such as weights[0].",
    ),
    (
        lambda: plot_weights([]),
        ValueError,
        "plot_weights: weights has shape (0,) but (n_q, n_k) or (n_k,) is expected; "
        "choose one matrix that is not empty, such as weights[0].",
    ),
    (
        lambda: plot_weights(X, rows=["a", "b", "c"]),
        ValueError,
        "plot_weights: rows has 3 labels but n_q=2 are expected; give one label each.",
    ),
    (
        lambda: plot_weights(X, columns="abc"),
        TypeError,
        "plot_weights: columns must be a list of n_k=3 words, got str; write each label as text.",
    ),
    (
        lambda: plot_weights(X, columns=[1, 2, 3]),
        TypeError,
        "plot_weights: columns must be a list of n_k=3 words, got list; write each label as text.",
    ),
    (
        lambda: plot_weights(X, mask=np.ones((3, 2), bool)),
        ValueError,
        "plot_weights: mask has shape (3, 2) but (n_q, n_k) = (2, 3) is expected; "
        "mask must broadcast to that shape and not enlarge it.",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), CASES, ids=[case[2] for case in CASES])
def test_bad_input_says_what_is_wrong(call, error, message):
    with pytest.raises(error, match=f"^{re.escape(message)}$") as caught:
        call()
    assert type(caught.value) is error


@pytest.mark.parametrize("function", [softmax, sparsemax, hardmax, masked_softmax, entropy])
@pytest.mark.parametrize(
    ("x", "error"),
    [
        (["a"], TypeError),
        ([None], TypeError),
        ([1j], TypeError),
        ([True], TypeError),
        ([[1], [1, 2]], ValueError),
        ([], ValueError),
        (0.5, ValueError),
    ],
)
def test_every_normalizer_checks_its_input(function, x, error):
    with pytest.raises(error, match=f"^{function.__name__}: "):
        function(x)


@pytest.mark.parametrize("function", [attention, dot_scores, scaled_dot_scores, gaussian_scores])
@pytest.mark.parametrize("position", [0, 1])
@pytest.mark.parametrize(
    ("x", "error"),
    [
        ([["a"] * 3], TypeError),
        ([[None] * 3], TypeError),
        ([[1j] * 3], TypeError),
        ([[True] * 3], TypeError),
        ([[1], [1, 2]], ValueError),
        (np.ones((2, 7)), ValueError),
        (1.0, ValueError),
    ],
)
def test_every_score_checks_its_input(function, position, x, error):
    arguments = [Q, K, V] if function is attention else [Q, K]
    arguments[position] = x
    name = ("query", "key")[position]
    with pytest.raises(error, match=f"^{function.__name__}: .*{name}"):
        function(*arguments)


def test_numbers_of_other_kinds_are_fine():
    from fractions import Fraction

    for temperature in (2, np.float32(2), np.int8(2), Fraction(2), 10**400):
        assert softmax(X, temperature=temperature).shape == (2, 3)
    assert softmax([1, 2], temperature=10**400).tolist() == [0.5, 0.5]
    assert softmax(X, axis=np.int64(0)).shape == (2, 3)
