"""Bad input: the whole message, which names function, argument, expected, got, and a hint."""

import re
from decimal import Decimal

import numpy as np
import pytest

from attnutils import (
    AdamState,
    DecoderParams,
    EncoderParams,
    FeedForwardParams,
    GATParams,
    GATv2Params,
    LayerNormParams,
    MultiHeadParams,
    adam_init,
    adam_step,
    additive_scores,
    alibi_bias,
    attention,
    attention_backward,
    bilinear_scores,
    causal_mask,
    classifier_gradients,
    cross_entropy,
    decoder_block,
    dot_scores,
    encoder_block,
    entropy,
    feed_forward,
    gat_layer,
    gatv2_layer,
    gaussian_scores,
    gelu,
    graph_attention,
    hardmax,
    init_classifier,
    layer_norm,
    masked_softmax,
    merge_heads,
    multi_head_attention,
    numerical_gradient,
    padding_mask,
    plot_encoding,
    plot_graph_attention,
    plot_scores,
    plot_weights,
    relu,
    rotary_embedding,
    scaled_dot_scores,
    segment_softmax,
    sinusoidal_encoding,
    softmax,
    softmax_backward,
    sparsemax,
    split_heads,
    token_classifier,
    window_mask,
)
from attnutils.toy_tasks import lookup_batch, reversal_batch, train

Q, K, V = np.ones((2, 3)), np.ones((4, 3)), np.ones((4, 5))
X = np.ones((2, 3))
W = np.ones((3, 6))
HEADS = MultiHeadParams(W, W, W, W.T)  # of two heads, for X
WIDER = HEADS._replace(w_output=np.ones((6, 5)))
CROSS = MultiHeadParams(W, np.ones((5, 6)), np.ones((5, 6)), W.T)
NETWORK = FeedForwardParams(np.ones((3, 5)), np.ones(5), np.ones((5, 3)), np.ones(3))
NORM = LayerNormParams(np.ones(3), np.zeros(3))
ENCODER = EncoderParams(HEADS, NETWORK, NORM, NORM)
DECODER = DecoderParams(HEADS, CROSS, NETWORK, NORM, NORM, NORM)
PER_HEAD = np.ones((2, 2, 2), bool)
NODES, BATCH, MEMORY = X[:, None], np.ones((5, 2, 3)), np.ones((4, 5))
GAT = GATParams(np.ones((3, 2, 5)), *np.ones((2, 2, 5)))
GATV2 = GATv2Params(np.ones((3, 2, 5)), np.ones((3, 2, 5)), np.ones((2, 5)))
RNG = np.random.default_rng(0)
CLASSIFIER = init_classifier(RNG, n_symbols=3, n_classes=2, d=4)
POINTS = [[0, 0], [1, 0], [0, 1]]
TEMPERATURE = "a number from 0 to inf"
LIMITS = "0 gives hardmax, np.inf gives uniform weights"

CASES = [
    # sizes
    (
        lambda: attention(Q, np.ones((4, 5)), V),
        ValueError,
        "attention: key has d_k=5 but query has d_k=3 (query (2, 3), key (4, 5)); their last axes "
        "must match.",
    ),
    (
        lambda: dot_scores(np.ones(1), K),
        ValueError,
        "dot_scores: key has shape (4, 3) but (..., n_k, d_k) = (..., n_k, 1) is expected; d_k=1 "
        "in query (1,).",
    ),
    (
        lambda: scaled_dot_scores(Q, np.ones((4, 1))),
        ValueError,
        "scaled_dot_scores: key has shape (4, 1) but (..., n_k, d_k) = (..., n_k, 3) is expected; "
        "d_k=3 in query (2, 3).",
    ),
    (
        lambda: gaussian_scores(Q, np.ones((4, 1))),
        ValueError,
        "gaussian_scores: key has shape (4, 1) but (..., n_k, d_k) = (..., n_k, 3) is expected; "
        "d_k=3 in query (2, 3).",
    ),
    (
        lambda: attention(Q, K, np.ones((1, 5))),
        ValueError,
        "attention: value has shape (1, 5) but (..., n_k, d_v) = (..., 4, d_v) is expected; n_k=4 "
        "in key (4, 3).",
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
        "attention: query has shape () but (..., n_q, d_q) is expected; give one vector of shape "
        "(d_q,) or a row for each query.",
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
        "attention: value has shape (4,) but (..., n_k, d_v) = (..., 4, d_v) is expected; one "
        "number a key is a column, value[:, None].",
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
        "attention: mask is a ragged list but an array of shape (..., n_q, n_k) is "
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
        lambda: entropy(X, base=np.float32(1)),
        ValueError,
        "entropy: base must be a number above 1, got 1.0; 2 measures in bits, math.e in nats.",
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
        "masked_softmax: mask has shape (2, 3) but (..., n) = (2, 1) is expected; mask must "
        "broadcast to that shape and not enlarge it.",
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
    # scores with parameters
    (
        lambda: bilinear_scores(Q, np.ones((4, 5)), np.ones((5, 3))),
        ValueError,
        "bilinear_scores: w has shape (5, 3) but (d_q, d_k) = (3, 5) is expected; d_q=3 in query "
        "(2, 3).",
    ),
    (
        lambda: bilinear_scores(Q, K, np.ones(3)),
        ValueError,
        "bilinear_scores: w has shape (3,) but (d_q, d_k) = (3, 3) is expected; d_q=3 in query "
        "(2, 3), d_k=3 in key (4, 3).",
    ),
    (
        lambda: bilinear_scores(Q, K, None),
        TypeError,
        "bilinear_scores: w has dtype object but real numbers are expected; look for None, "
        "words or lists among the entries.",
    ),
    (
        lambda: bilinear_scores(Q, np.ones((0, 3)), np.ones((3, 3))),
        ValueError,
        "bilinear_scores: key has n_k=0 (key (0, 3)); there must be at least one key.",
    ),
    (
        lambda: additive_scores(Q, K, np.ones((2, 7)), np.ones((3, 7)), np.ones(7)),
        ValueError,
        "additive_scores: w_query has shape (2, 7) but (d_q, h) = (3, h) is expected; d_q=3 in "
        "query (2, 3).",
    ),
    (
        lambda: additive_scores(Q, K, np.ones((3, 7)), np.ones((3, 5)), np.ones(7)),
        ValueError,
        "additive_scores: w_key has shape (3, 5) but (d_k, h) = (3, 7) is expected; h=7 in "
        "w_query (3, 7).",
    ),
    (
        lambda: additive_scores(Q, K, np.ones((3, 7)), np.ones((3, 7)), np.ones((7, 1))),
        ValueError,
        "additive_scores: w_score has shape (7, 1) but (h,) = (7,) is expected; h=7 in w_query "
        "(3, 7).",
    ),
    (
        lambda: additive_scores(Q, K, np.ones((3, 7)), np.ones((3, 7)), ["a"] * 7),
        TypeError,
        "additive_scores: w_score has dtype <U1 but real numbers are expected; turn words into "
        "vectors of numbers first.",
    ),
    (
        lambda: additive_scores(Q, K, [[1, 2], [3]], np.ones((3, 7)), np.ones(7)),
        ValueError,
        "additive_scores: w_query is a ragged list but an array of shape (d_q, h) is expected; "
        "give every row the same length.",
    ),
    (
        lambda: additive_scores(Q, np.ones(3), np.ones((3, 7)), np.ones((3, 7)), np.ones(7)),
        ValueError,
        "additive_scores: key has shape (3,) but (..., n_k, d_k) is expected; a single key is "
        "a row, key[None, :].",
    ),
    # masks
    (
        lambda: causal_mask(-1),
        ValueError,
        "causal_mask: n_query must be an integer of at least 0, got -1; it counts the rows.",
    ),
    (
        lambda: causal_mask(3, -2),
        ValueError,
        "causal_mask: n_key must be an integer of at least 0, got -2; it counts the columns.",
    ),
    (
        lambda: causal_mask(3.0),
        TypeError,
        "causal_mask: n_query must be an integer of at least 0, got float; it counts the rows.",
    ),
    (
        lambda: causal_mask((3, 3)),
        TypeError,
        "causal_mask: n_query must be an integer of at least 0, got tuple; it counts the rows.",
    ),
    (
        lambda: causal_mask(True),
        TypeError,
        "causal_mask: n_query must be an integer of at least 0, got bool; it counts the rows.",
    ),
    (
        lambda: causal_mask(3, "3"),
        TypeError,
        "causal_mask: n_key must be an integer of at least 0, got str; it counts the columns.",
    ),
    (
        lambda: padding_mask([4, 5], 4),
        ValueError,
        "padding_mask: lengths must be from 0 to n_key = 4, got 5; a length counts the keys "
        "that are not padding.",
    ),
    (
        lambda: padding_mask([4, -1], 4),
        ValueError,
        "padding_mask: lengths must be from 0 to n_key = 4, got -1; a length counts the keys "
        "that are not padding.",
    ),
    (
        lambda: padding_mask([4.0, 2.0], 4),
        TypeError,
        "padding_mask: lengths has dtype float64 but integers are expected; a length counts "
        "the keys that are not padding.",
    ),
    (
        lambda: padding_mask([True, False], 4),
        TypeError,
        "padding_mask: lengths has dtype bool but integers are expected; a length counts the "
        "keys that are not padding.",
    ),
    (
        lambda: padding_mask([[4], [2, 1]], 4),
        ValueError,
        "padding_mask: lengths is a ragged list but an array of shape (...) is expected; give "
        "every row the same length.",
    ),
    (
        lambda: padding_mask([4, 2], -4),
        ValueError,
        "padding_mask: n_key must be an integer of at least 0, got -4; it counts the columns.",
    ),
    (
        lambda: padding_mask([4, 2], None),
        TypeError,
        "padding_mask: n_key must be an integer of at least 0, got NoneType; it counts the "
        "columns.",
    ),
    (
        lambda: window_mask(5, 4),
        ValueError,
        "window_mask: width must be an odd integer of at least 1, got 4; a query sees width // "
        "2 keys on each side of its own.",
    ),
    (
        lambda: window_mask(5, -1),
        ValueError,
        "window_mask: width must be an odd integer of at least 1, got -1; a query sees width "
        "// 2 keys on each side of its own.",
    ),
    (
        lambda: window_mask(5, 3.0),
        TypeError,
        "window_mask: width must be an odd integer of at least 1, got float; a query sees "
        "width // 2 keys on each side of its own.",
    ),
    (
        lambda: window_mask(-5, 3),
        ValueError,
        "window_mask: n must be an integer of at least 0, got -5; it counts the rows and the "
        "columns.",
    ),
    # heads
    (
        lambda: split_heads(np.ones((3, 7)), 2),
        ValueError,
        "split_heads: x has shape (3, 7) but (..., n, n_heads * d_head) = (..., n, 2 * d_head) is "
        "expected; n_heads=2.",
    ),
    (
        lambda: split_heads(np.ones(6), 2),
        ValueError,
        "split_heads: x has shape (6,) but (..., n, n_heads * d_head) = (..., n, 2 * d_head) is "
        "expected; n_heads=2.",
    ),
    (
        lambda: split_heads(np.ones((3, 6)), 2.0),
        TypeError,
        "split_heads: n_heads must be an integer of at least 1, got float; it counts the heads.",
    ),
    (
        lambda: split_heads(np.ones((3, 6)), 0),
        ValueError,
        "split_heads: n_heads must be an integer of at least 1, got 0; it counts the heads.",
    ),
    (
        lambda: split_heads(np.ones((3, 6)), True),
        TypeError,
        "split_heads: n_heads must be an integer of at least 1, got bool; it counts the heads.",
    ),
    (
        lambda: split_heads([["a", "b"]], 2),
        TypeError,
        "split_heads: x has dtype <U1 but real numbers are expected; turn words into vectors "
        "of numbers first.",
    ),
    (
        lambda: merge_heads(np.ones((2, 3))),
        ValueError,
        "merge_heads: x has shape (2, 3) but (..., n_heads, n, d_head) is expected; x[None] "
        "has one axis more.",
    ),
    (
        lambda: merge_heads(np.ones((2, 3, 4)) > 0),
        TypeError,
        "merge_heads: x has dtype bool but real numbers are expected; a boolean array belongs "
        "in mask; .astype(float) makes it zeros and ones.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS, n_heads=4),
        ValueError,
        "multi_head_attention: params.w_query has shape (3, 6) but (d_q, n_heads * d_head) = (3, "
        "4 * d_head) is expected; n_heads=4.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS._replace(w_value=np.ones((3, 5))), n_heads=2),
        ValueError,
        "multi_head_attention: params.w_value has shape (3, 5) but (d_v, n_heads * d_value) = (3, "
        "2 * d_value) is expected; n_heads=2.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS, n_heads="2"),
        TypeError,
        "multi_head_attention: n_heads must be an integer of at least 1, got str; it counts "
        "the heads.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS, n_heads=-2),
        ValueError,
        "multi_head_attention: n_heads must be an integer of at least 1, got -2; it counts the "
        "heads.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS, n_heads=2.0),
        TypeError,
        "multi_head_attention: n_heads must be an integer of at least 1, got float; it counts "
        "the heads.",
    ),
    (
        lambda: multi_head_attention(X, X, X, tuple(HEADS), n_heads=2),
        TypeError,
        "multi_head_attention: params must be MultiHeadParams(w_query, w_key, w_value, "
        "w_output, b_query, b_key, b_value, b_output), got tuple; arrays are passed in by name.",
    ),
    (
        lambda: multi_head_attention(X, X, X, {"w_query": W}, n_heads=2),
        TypeError,
        "multi_head_attention: params must be MultiHeadParams(w_query, w_key, w_value, "
        "w_output, b_query, b_key, b_value, b_output), got dict; arrays are passed in by name.",
    ),
    (
        lambda: multi_head_attention(np.ones((2, 4)), X, X, HEADS, n_heads=2),
        ValueError,
        "multi_head_attention: params.w_query has shape (3, 6) but (d_q, n_heads * d_head) = (4, "
        "2 * d_head) is expected; d_q=4 in query (2, 4).",
    ),
    (
        lambda: multi_head_attention(X, np.ones((2, 4)), X, HEADS, n_heads=2),
        ValueError,
        "multi_head_attention: params.w_key has shape (3, 6) but (d_k, n_heads * d_head) = (4, 6) "
        "is expected; d_k=4 in key (2, 4).",
    ),
    (
        lambda: multi_head_attention(X, X, np.ones((2, 4)), HEADS, n_heads=2),
        ValueError,
        "multi_head_attention: params.w_value has shape (3, 6) but (d_v, n_heads * d_value) = (4, "
        "2 * d_value) is expected; d_v=4 in value (2, 4).",
    ),
    (
        lambda: multi_head_attention(X, X, np.ones((5, 3)), HEADS, n_heads=2),
        ValueError,
        "multi_head_attention: value has shape (5, 3) but (..., n_k, d_v) = (..., 2, d_v) is "
        "expected; n_k=2 in key (2, 3).",
    ),
    (
        lambda: multi_head_attention(1.0, X, X, HEADS, n_heads=2),
        ValueError,
        "multi_head_attention: query has shape () but (..., n_q, d_q) is expected; give one "
        "vector of shape (d_q,) or a row for each query.",
    ),
    (
        lambda: multi_head_attention(X, X[0], X, HEADS, n_heads=2),
        ValueError,
        "multi_head_attention: key has shape (3,) but (..., n_k, d_k) is expected; a single "
        "key is a row, key[None, :].",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS._replace(w_key=np.ones((3, 4))), n_heads=2),
        ValueError,
        "multi_head_attention: params.w_key has shape (3, 4) but (d_k, n_heads * d_head) = (3, 6) "
        "is expected; n_heads=2, d_head=3 in params.w_query (3, 6).",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS._replace(w_query=W[None]), n_heads=2),
        ValueError,
        "multi_head_attention: params.w_query has shape (1, 3, 6) but (d_q, n_heads * d_head) = "
        "(3, 2 * d_head) is expected; d_q=3 in query (2, 3), n_heads=2.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS._replace(w_output=np.ones((3, 6))), n_heads=2),
        ValueError,
        "multi_head_attention: params.w_output has shape (3, 6) but (n_heads * d_value, d_out) = "
        "(6, d_out) is expected; n_heads=2, d_value=3 in params.w_value (3, 6).",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS._replace(w_query=None), n_heads=2),
        TypeError,
        "multi_head_attention: params.w_query has dtype object but real numbers are expected; "
        "look for None, words or lists among the entries.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS._replace(b_query=np.ones(3)), n_heads=2),
        ValueError,
        "multi_head_attention: params.b_query has shape (3,) but (n_heads * d_head,) = (6,) is "
        "expected; n_heads=2, d_head=3 in params.w_query (3, 6).",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS._replace(b_key=np.ones((1, 6))), n_heads=2),
        ValueError,
        "multi_head_attention: params.b_key has shape (1, 6) but (n_heads * d_head,) = (6,) is "
        "expected; n_heads=2, d_head=3 in params.w_query (3, 6).",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS._replace(b_value=0.0), n_heads=2),
        ValueError,
        "multi_head_attention: params.b_value has shape () but (n_heads * d_value,) = (6,) is "
        "expected; n_heads=2, d_value=3 in params.w_value (3, 6).",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS._replace(b_output=np.ones(6)), n_heads=2),
        ValueError,
        "multi_head_attention: params.b_output has shape (6,) but (d_out,) = (3,) is expected; "
        "d_out=3 in params.w_output (6, 3).",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS, n_heads=2, mask=np.ones((2, 3), bool)),
        ValueError,
        "multi_head_attention: mask has shape (2, 3) but (..., n_q, n_k) = (2, 2) is expected; "
        "mask must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS, n_heads=2, mask=np.ones((3, 2, 2), bool)),
        ValueError,
        "multi_head_attention: mask has shape (3, 2, 2) but (..., n_heads, n_q, n_k) = (2, 2, "
        "2) is expected; mask must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS, n_heads=2, mask=np.ones((1, 2, 2, 2), bool)),
        ValueError,
        "multi_head_attention: mask has shape (1, 2, 2, 2) but (..., n_heads, n_q, n_k) = (2, "
        "2, 2) is expected; mask must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: multi_head_attention(BATCH, BATCH, BATCH, HEADS, n_heads=2, mask=PER_HEAD),
        ValueError,
        "multi_head_attention: mask has shape (2, 2, 2) but (..., n_q, n_k) = (5, 2, 2) is "
        "expected; mask must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS, n_heads=2, mask=np.ones((2, 2), int)),
        TypeError,
        "multi_head_attention: mask has dtype int64 but bool is expected; True means may "
        "attend, numbers to add to the scores are a bias.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS, n_heads=2, mask=[[True], [True, False]]),
        ValueError,
        "multi_head_attention: mask is a ragged list but an array of shape (..., n_q, n_k) "
        "is expected; give every row the same length.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS, n_heads=2, bias=np.ones((3, 2, 2))),
        ValueError,
        "multi_head_attention: bias has shape (3, 2, 2) but (..., n_heads, n_q, n_k) = (2, 2, "
        "2) is expected; bias must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS, n_heads=2, bias=np.ones((2, 2), bool)),
        TypeError,
        "multi_head_attention: bias has dtype bool but real numbers are expected; a boolean "
        "array belongs in mask; .astype(float) makes it zeros and ones.",
    ),
    (
        lambda: multi_head_attention(X, X, X, HEADS, n_heads=2, is_causal=1),
        TypeError,
        "multi_head_attention: is_causal must be True or False, got int; an array that hides "
        "keys belongs in mask.",
    ),
    (
        lambda: multi_head_attention(BATCH, BATCH[:4], BATCH[:4], HEADS, n_heads=2),
        ValueError,
        "multi_head_attention: the leading axes of query and key do not broadcast (query (5, "
        "2, 3), key (4, 2, 3)); axis by axis, counted from the right, they must be equal or 1.",
    ),
    # positions
    (
        lambda: sinusoidal_encoding(5, 7),
        ValueError,
        "sinusoidal_encoding: dim must be an even integer of at least 2, got 7; each sine has "
        "its cosine.",
    ),
    (
        lambda: sinusoidal_encoding(5, 0),
        ValueError,
        "sinusoidal_encoding: dim must be an even integer of at least 2, got 0; each sine has "
        "its cosine.",
    ),
    (
        lambda: sinusoidal_encoding(-5, 6),
        ValueError,
        "sinusoidal_encoding: length must be an integer of at least 0, got -5; it counts the "
        "positions.",
    ),
    (
        lambda: sinusoidal_encoding(5.0, 6),
        TypeError,
        "sinusoidal_encoding: length must be an integer of at least 0, got float; it counts "
        "the positions.",
    ),
    (
        lambda: sinusoidal_encoding(5, "6"),
        TypeError,
        "sinusoidal_encoding: dim must be an even integer of at least 2, got str; each sine "
        "has its cosine.",
    ),
    (
        lambda: sinusoidal_encoding(5, 6, base=0.5),
        ValueError,
        "sinusoidal_encoding: base must be a number of at least 1, got 0.5; the longest wave "
        "is almost 2 pi base positions long.",
    ),
    (
        lambda: sinusoidal_encoding(5, 6, base=-10000),
        ValueError,
        "sinusoidal_encoding: base must be a number of at least 1, got -10000; the longest "
        "wave is almost 2 pi base positions long.",
    ),
    (
        lambda: sinusoidal_encoding(5, 6, base=np.nan),
        ValueError,
        "sinusoidal_encoding: base must be a number of at least 1, got nan; the longest wave "
        "is almost 2 pi base positions long.",
    ),
    (
        lambda: sinusoidal_encoding(5, 6, base=None),
        TypeError,
        "sinusoidal_encoding: base must be a number of at least 1, got NoneType; the longest "
        "wave is almost 2 pi base positions long.",
    ),
    (
        lambda: rotary_embedding(np.ones((2, 3))),
        ValueError,
        "rotary_embedding: x has shape (2, 3) but (..., n, 2 * pairs) is expected; features are "
        "turned in pairs.",
    ),
    (
        lambda: rotary_embedding(1.0),
        ValueError,
        "rotary_embedding: x has shape () but (..., n, 2 * pairs) is expected; features are "
        "turned in pairs.",
    ),
    (
        lambda: rotary_embedding([["a", "b"]]),
        TypeError,
        "rotary_embedding: x has dtype <U1 but real numbers are expected; turn words into "
        "vectors of numbers first.",
    ),
    (
        lambda: rotary_embedding(np.ones((2, 4)), [0, 1, 2]),
        ValueError,
        "rotary_embedding: positions has shape (3,) but (..., n) = (2,) is expected; positions "
        "must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: rotary_embedding(np.ones(4), [0, 1]),
        ValueError,
        "rotary_embedding: positions has shape (2,) but (..., n) = () is expected; positions "
        "must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: rotary_embedding(np.ones((2, 4)), [True, False]),
        TypeError,
        "rotary_embedding: positions has dtype bool but real numbers are expected; a boolean "
        "array belongs in mask; .astype(float) makes it zeros and ones.",
    ),
    (
        lambda: rotary_embedding(np.ones((2, 4)), base=np.nan),
        ValueError,
        "rotary_embedding: base must be a number of at least 1, got nan; the longest wave is "
        "almost 2 pi base positions long.",
    ),
    (
        lambda: rotary_embedding(np.ones((2, 4)), base=-1),
        ValueError,
        "rotary_embedding: base must be a number of at least 1, got -1; the longest wave is "
        "almost 2 pi base positions long.",
    ),
    (
        lambda: rotary_embedding(np.ones((2, 4)), base="10000"),
        TypeError,
        "rotary_embedding: base must be a number of at least 1, got str; the longest wave is "
        "almost 2 pi base positions long.",
    ),
    (
        lambda: alibi_bias(0, 3, 3),
        ValueError,
        "alibi_bias: n_heads must be an integer of at least 1, got 0; it counts the heads.",
    ),
    (
        lambda: alibi_bias(2, -3, 3),
        ValueError,
        "alibi_bias: n_query must be an integer of at least 0, got -3; it counts the rows.",
    ),
    (
        lambda: alibi_bias(2, 3, -3),
        ValueError,
        "alibi_bias: n_key must be an integer of at least 0, got -3; it counts the columns.",
    ),
    (
        lambda: alibi_bias(2.0, 3, 3),
        TypeError,
        "alibi_bias: n_heads must be an integer of at least 1, got float; it counts the heads.",
    ),
    # blocks
    (
        lambda: relu(["a"]),
        TypeError,
        "relu: x has dtype <U1 but real numbers are expected; turn words into vectors of "
        "numbers first.",
    ),
    (
        lambda: gelu([[1], [1, 2]]),
        ValueError,
        "gelu: x is a ragged list but an array of shape (...) is expected; give every row the "
        "same length.",
    ),
    (
        lambda: gelu(1j),
        TypeError,
        "gelu: x has dtype complex128 but real numbers are expected; take the real part or the "
        "absolute value.",
    ),
    (
        lambda: layer_norm(X, np.ones(2), np.zeros(3)),
        ValueError,
        "layer_norm: gain has shape (2,) but (d,) = (3,) is expected; d=3 in x (2, 3).",
    ),
    (
        lambda: layer_norm(X, np.ones(3), np.zeros((1, 3))),
        ValueError,
        "layer_norm: bias has shape (1, 3) but (d,) = (3,) is expected; d=3 in x (2, 3).",
    ),
    (
        lambda: layer_norm(X, 1.0, 0.0),
        ValueError,
        "layer_norm: gain has shape () but (d,) = (3,) is expected; d=3 in x (2, 3).",
    ),
    (
        lambda: layer_norm(1.0, np.ones(1), np.zeros(1)),
        ValueError,
        "layer_norm: x has shape () but (..., d) is expected; put a single number in a list.",
    ),
    (
        lambda: layer_norm(np.ones((2, 0)), [], []),
        ValueError,
        "layer_norm: x has d=0 (x (2, 0)); there must be at least one feature.",
    ),
    (
        lambda: layer_norm(X, np.ones(3), np.zeros(3), eps=-1e-5),
        ValueError,
        "layer_norm: eps must be a number of at least 0, got -1e-05; it is added to a variance.",
    ),
    (
        lambda: layer_norm(X, np.ones(3), np.zeros(3), eps=np.nan),
        ValueError,
        "layer_norm: eps must be a number of at least 0, got nan; it is added to a variance.",
    ),
    (
        lambda: layer_norm(X, np.ones(3), np.zeros(3), eps="1e-5"),
        TypeError,
        "layer_norm: eps must be a number of at least 0, got str; it is added to a variance.",
    ),
    (
        lambda: feed_forward(np.ones((2, 4)), NETWORK),
        ValueError,
        "feed_forward: params.w_in has shape (3, 5) but (d, d_ff) = (4, d_ff) is expected; d=4 in "
        "x (2, 4).",
    ),
    (
        lambda: feed_forward(X, NETWORK._replace(b_in=np.ones(3))),
        ValueError,
        "feed_forward: params.b_in has shape (3,) but (d_ff,) = (5,) is expected; d_ff=5 in "
        "params.w_in (3, 5).",
    ),
    (
        lambda: feed_forward(X, NETWORK._replace(w_out=np.ones((3, 5)))),
        ValueError,
        "feed_forward: params.w_out has shape (3, 5) but (d_ff, d) = (5, 3) is expected; d_ff=5 "
        "in params.w_in (3, 5).",
    ),
    (
        lambda: feed_forward(X, NETWORK._replace(b_out=None)),
        TypeError,
        "feed_forward: params.b_out has dtype object but real numbers are expected; look for "
        "None, words or lists among the entries.",
    ),
    (
        lambda: feed_forward(X, (W, W)),
        TypeError,
        "feed_forward: params must be FeedForwardParams(w_in, b_in, w_out, b_out), got tuple; "
        "arrays are passed in by name.",
    ),
    (
        lambda: feed_forward(X, NETWORK, activation="relu"),
        TypeError,
        "feed_forward: activation must be a function of an array, got str; for example "
        "activation=gelu.",
    ),
    (
        lambda: feed_forward(X, NETWORK, activation=np.sum),
        ValueError,
        "feed_forward: the result of activation has shape () but (..., d_ff) = (2, 5) is "
        "expected; activation must work on each number by itself.",
    ),
    (
        lambda: feed_forward(X, NETWORK, activation=lambda x: x > 0),
        TypeError,
        "feed_forward: the result of activation has dtype bool but real numbers are expected; "
        "a boolean array belongs in mask; .astype(float) makes it zeros and ones.",
    ),
    (
        lambda: encoder_block(X[0], ENCODER, n_heads=2),
        ValueError,
        "encoder_block: x has shape (3,) but (..., n, d) is expected; x[None] has one axis more.",
    ),
    (
        lambda: encoder_block(np.ones((0, 3)), ENCODER, n_heads=2),
        ValueError,
        "encoder_block: x has n=0 (x (0, 3)); there must be at least one position.",
    ),
    (
        lambda: encoder_block(np.ones((2, 4)), ENCODER, n_heads=2),
        ValueError,
        "encoder_block: params.attention.w_query has shape (3, 6) but (d_q, n_heads * d_head) = "
        "(4, 2 * d_head) is expected; d_q=4 in x (2, 4).",
    ),
    (
        lambda: encoder_block(X, ENCODER, n_heads=5),
        ValueError,
        "encoder_block: params.attention.w_query has shape (3, 6) but (d_q, n_heads * d_head) = "
        "(3, 5 * d_head) is expected; n_heads=5.",
    ),
    (
        lambda: encoder_block(X, HEADS, n_heads=2),
        TypeError,
        "encoder_block: params must be EncoderParams(attention, feed_forward, norm_1, norm_2), "
        "got MultiHeadParams; arrays are passed in by name.",
    ),
    (
        lambda: encoder_block(X, ENCODER._replace(attention=WIDER), n_heads=2),
        ValueError,
        "encoder_block: params.attention.w_output has shape (6, 5) but (n_heads * d_value, d_out) "
        "= (6, 3) is expected; d_out=3 in x (2, 3).",
    ),
    (
        lambda: encoder_block(X, ENCODER._replace(attention=NETWORK), n_heads=2),
        TypeError,
        "encoder_block: params.attention must be MultiHeadParams(w_query, w_key, w_value, "
        "w_output, b_query, b_key, b_value, b_output), got FeedForwardParams; arrays are "
        "passed in by name.",
    ),
    (
        lambda: encoder_block(X, ENCODER._replace(norm_2=LayerNormParams([1], [1])), n_heads=2),
        ValueError,
        "encoder_block: params.norm_2.gain has shape (1,) but (d,) = (3,) is expected; d=3 in x "
        "(2, 3).",
    ),
    (
        lambda: encoder_block(X, ENCODER, n_heads=2, mask=np.ones((3, 3), bool)),
        ValueError,
        "encoder_block: mask has shape (3, 3) but (..., n, n) = (2, 2) is expected; mask must "
        "broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: encoder_block(X, ENCODER, n_heads=2, mask=np.ones((2, 2))),
        TypeError,
        "encoder_block: mask has dtype float64 but bool is expected; True means may attend, "
        "numbers to add to the scores are a bias.",
    ),
    (
        lambda: encoder_block(X, ENCODER, n_heads=2, norm="middle"),
        ValueError,
        'encoder_block: norm must be "post" or "pre", got "middle"; "post" normalises each '
        'sum, "pre" the input of each part.',
    ),
    (
        lambda: encoder_block(X, ENCODER, n_heads=2, norm=None),
        TypeError,
        'encoder_block: norm must be "post" or "pre", got NoneType; "post" normalises each '
        'sum, "pre" the input of each part.',
    ),
    (
        lambda: encoder_block(X, ENCODER, n_heads=2, activation=None),
        TypeError,
        "encoder_block: activation must be a function of an array, got NoneType; for example "
        "activation=gelu.",
    ),
    (
        lambda: encoder_block(X, ENCODER, n_heads=2, eps=-1),
        ValueError,
        "encoder_block: eps must be a number of at least 0, got -1; it is added to a variance.",
    ),
    (
        lambda: decoder_block(X[0], MEMORY, DECODER, n_heads=2),
        ValueError,
        "decoder_block: x has shape (3,) but (..., n, d) is expected; x[None] has one axis more.",
    ),
    (
        lambda: decoder_block(X, MEMORY[0], DECODER, n_heads=2),
        ValueError,
        "decoder_block: memory has shape (5,) but (..., n_memory, d_memory) is expected; "
        "memory[None] has one axis more.",
    ),
    (
        lambda: decoder_block(X, np.ones((0, 5)), DECODER, n_heads=2),
        ValueError,
        "decoder_block: memory has n_memory=0 (memory (0, 5)); "
        "there must be at least one position.",
    ),
    (
        lambda: decoder_block(X, np.ones((4, 3)), DECODER, n_heads=2),
        ValueError,
        "decoder_block: params.cross_attention.w_key has shape (5, 6) but (d_k, n_heads * d_head) "
        "= (3, 6) is expected; d_k=3 in memory (4, 3).",
    ),
    (
        lambda: decoder_block(BATCH, np.ones((7, 4, 5)), DECODER, n_heads=2),
        ValueError,
        "decoder_block: the leading axes of x and memory do not broadcast (x (5, 2, 3), memory "
        "(7, 4, 5)); axis by axis, counted from the right, they must be equal or 1.",
    ),
    (
        lambda: decoder_block(X, MEMORY, ENCODER, n_heads=2),
        TypeError,
        "decoder_block: params must be DecoderParams(self_attention, cross_attention, "
        "feed_forward, norm_1, norm_2, norm_3), got EncoderParams; arrays are passed in by "
        "name.",
    ),
    (
        lambda: decoder_block(X, MEMORY, DECODER, n_heads=2, mask=np.ones((2, 4), bool)),
        ValueError,
        "decoder_block: mask has shape (2, 4) but (..., n, n) = (2, 2) is expected; mask must "
        "broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: decoder_block(X, MEMORY, DECODER, n_heads=2, memory_mask=np.ones((2, 2), bool)),
        ValueError,
        "decoder_block: memory_mask has shape (2, 2) but (..., n, n_memory) = (2, 4) is expected; "
        "memory_mask must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: decoder_block(X, MEMORY, DECODER, n_heads=2, memory_mask=np.ones((2, 4), int)),
        TypeError,
        "decoder_block: memory_mask has dtype int64 but bool is expected; True means may "
        "attend, numbers to add to the scores are a bias.",
    ),
    (
        lambda: decoder_block(X, MEMORY, DECODER, n_heads=2, norm="Pre"),
        ValueError,
        'decoder_block: norm must be "post" or "pre", got "Pre"; "post" normalises each sum, '
        '"pre" the input of each part.',
    ),
    # training
    (
        lambda: softmax_backward(1.0, 1.0),
        ValueError,
        "softmax_backward: weights has shape () but (..., n) is expected; put a single number in "
        "a list.",
    ),
    (
        lambda: softmax_backward(X, np.ones(3)),
        ValueError,
        "softmax_backward: d_weights has shape (3,) but (..., n) = (2, 3) is expected; the "
        "leading axes in weights (2, 3).",
    ),
    (
        lambda: softmax_backward([True], [1.0]),
        TypeError,
        "softmax_backward: weights has dtype bool but real numbers are expected; a boolean array "
        "belongs in mask; .astype(float) makes it zeros and ones.",
    ),
    (
        lambda: attention_backward(Q, np.ones((4, 2)), V, Q @ K.T, np.ones((2, 5))),
        ValueError,
        "attention_backward: key has shape (4, 2) but (..., n_k, d_k) = (n_k, 3) is expected; "
        "d_k=3 in query (2, 3).",
    ),
    (
        lambda: attention_backward(Q, K[None], V, Q @ K.T, np.ones((2, 5))),
        ValueError,
        "attention_backward: key has shape (1, 4, 3) but (..., n_k, d_k) = (n_k, 3) is expected; "
        "the leading axes in query (2, 3).",
    ),
    (
        lambda: attention_backward(Q, K, V[None], Q @ K.T, np.ones((2, 5))),
        ValueError,
        "attention_backward: value has shape (1, 4, 5) but (..., n_k, d_v) = (4, d_v) is "
        "expected; the leading axes in query (2, 3).",
    ),
    (
        lambda: attention_backward(Q, K, V, K @ Q.T, np.ones((2, 5))),
        ValueError,
        "attention_backward: weights has shape (4, 2) but (..., n_q, n_k) = (2, 4) is expected; "
        "n_q=2 in query (2, 3).",
    ),
    (
        lambda: attention_backward(Q, K, V, Q @ K.T, np.ones((2, 4))),
        ValueError,
        "attention_backward: d_output has shape (2, 4) but (..., n_q, d_v) = (2, 5) is expected; "
        "d_v=5 in value (4, 5).",
    ),
    (
        lambda: attention_backward(Q[0], K, V, np.ones(4), np.ones((1, 5))),
        ValueError,
        "attention_backward: d_output has shape (1, 5) but (..., n_q, d_v) = (5,) is expected; "
        "the leading axes in query (3,).",
    ),
    (
        lambda: attention_backward(Q, K, V, Q @ K.T > 0, np.ones((2, 5))),
        TypeError,
        "attention_backward: weights has dtype bool but real numbers are expected; a boolean "
        "array belongs in mask; .astype(float) makes it zeros and ones.",
    ),
    (
        lambda: cross_entropy(1.0, 0),
        ValueError,
        "cross_entropy: logits has shape () but (..., n_classes) is expected; put a single "
        "number in a list.",
    ),
    (
        lambda: cross_entropy(np.ones((2, 0)), [0, 0]),
        ValueError,
        "cross_entropy: logits has n_classes=0 (logits (2, 0)); there must be at least one class.",
    ),
    (
        lambda: cross_entropy(X, [0]),
        ValueError,
        "cross_entropy: targets has shape (1,) but (...) = (2,) is expected; the leading axes in "
        "logits (2, 3).",
    ),
    (
        lambda: cross_entropy(X, [0, 3]),
        ValueError,
        "cross_entropy: targets must be from -1 to n_classes - 1 = 2, got 3; -1 where nothing is "
        "asked.",
    ),
    (
        lambda: cross_entropy(X, [0, -2]),
        ValueError,
        "cross_entropy: targets must be from -1 to n_classes - 1 = 2, got -2; -1 where nothing "
        "is asked.",
    ),
    (
        lambda: cross_entropy(X, [0.0, 1.0]),
        TypeError,
        "cross_entropy: targets has dtype float64 but integers are expected; -1 where nothing is "
        "asked.",
    ),
    (
        lambda: cross_entropy(X, [-1, -1]),
        ValueError,
        "cross_entropy: targets has no class (shape (2,), all are -1) but at least one is "
        "expected; the loss is a mean over what is asked.",
    ),
    (
        lambda: numerical_gradient(X, X),
        TypeError,
        "numerical_gradient: function must be a function of an array, got ndarray; for example "
        "function=np.sum.",
    ),
    (
        lambda: numerical_gradient(lambda x: x, X),
        ValueError,
        "numerical_gradient: the result of function has shape (2, 3) but () is expected; a "
        "single number, such as a sum.",
    ),
    (
        lambda: numerical_gradient(lambda x: None, X),
        TypeError,
        "numerical_gradient: the result of function has dtype object but real numbers are "
        "expected; look for None, words or lists among the entries.",
    ),
    (
        lambda: numerical_gradient(np.sum, X, step=0),
        ValueError,
        "numerical_gradient: step must be a number above 0, got 0; differences are taken over "
        "twice this width.",
    ),
    (
        lambda: numerical_gradient(np.sum, X, step="small"),
        TypeError,
        "numerical_gradient: step must be a number above 0, got str; differences are taken over "
        "twice this width.",
    ),
    (
        lambda: init_classifier(0, 3, 3),
        TypeError,
        "init_classifier: rng must be a numpy.random.Generator, got int; for example "
        "np.random.default_rng(0).",
    ),
    (
        lambda: init_classifier(RNG, 0, 3),
        ValueError,
        "init_classifier: n_symbols must be an integer of at least 1, got 0; it counts the "
        "symbols.",
    ),
    (
        lambda: init_classifier(RNG, 3, 0),
        ValueError,
        "init_classifier: n_classes must be an integer of at least 1, got 0; it counts the "
        "classes.",
    ),
    (
        lambda: init_classifier(RNG, 3, 3, d=2.0),
        TypeError,
        "init_classifier: d must be an integer of at least 1, got float; it is the width of the "
        "embeddings.",
    ),
    (
        lambda: token_classifier([0, 3], CLASSIFIER),
        ValueError,
        "token_classifier: tokens must be from 0 to n_symbols - 1 = 2, got 3; symbols are "
        "counted from 0.",
    ),
    (
        lambda: token_classifier([0, -1], CLASSIFIER),
        ValueError,
        "token_classifier: tokens must be from 0 to n_symbols - 1 = 2, got -1; symbols are "
        "counted from 0.",
    ),
    (
        lambda: token_classifier([0.0, 1.0], CLASSIFIER),
        TypeError,
        "token_classifier: tokens has dtype float64 but integers are expected; symbols are "
        "counted from 0.",
    ),
    (
        lambda: token_classifier([], CLASSIFIER),
        ValueError,
        "token_classifier: tokens has n=0 (tokens (0,)); there must be at least one position.",
    ),
    (
        lambda: token_classifier(0, CLASSIFIER),
        ValueError,
        "token_classifier: tokens has shape () but (..., n) is expected; there must be at least "
        "one token.",
    ),
    (
        lambda: token_classifier([0, 1], tuple(CLASSIFIER)),
        TypeError,
        "token_classifier: params must be ClassifierParams(embedding, w_query, w_key, w_value, "
        "w_output, b_output), got tuple; arrays are passed in by name.",
    ),
    (
        lambda: token_classifier([0, 1], CLASSIFIER, encoding=np.ones((3, 4))),
        ValueError,
        "token_classifier: encoding has shape (3, 4) but (n, d) = (2, 4) is expected; n=2 in "
        "tokens (2,).",
    ),
    (
        lambda: token_classifier([0, 1], CLASSIFIER, encoding=np.ones(4)),
        ValueError,
        "token_classifier: encoding has shape (4,) but (n, d) = (2, 4) is expected; a row for "
        "each position, as wide as the embeddings.",
    ),
    (
        lambda: token_classifier([0, 1], CLASSIFIER, mask=np.ones((2, 2))),
        TypeError,
        "token_classifier: mask has dtype float64 but bool is expected; True means may attend, "
        "numbers to add to the scores are a bias.",
    ),
    (
        lambda: token_classifier([0, 1], CLASSIFIER, mask=np.ones((3, 3), bool)),
        ValueError,
        "token_classifier: mask has shape (3, 3) but (..., n, n) = (2, 2) is expected; mask must "
        "broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: token_classifier([0, 1], CLASSIFIER._replace(embedding=np.ones(4))),
        ValueError,
        "token_classifier: params.embedding has shape (4,) but (n_symbols, d) is expected; "
        "params.embedding[None] has one axis more.",
    ),
    (
        lambda: token_classifier([0, 1], CLASSIFIER._replace(w_query=np.ones((3, 4)))),
        ValueError,
        "token_classifier: params.w_query has shape (3, 4) but (d, d_k) = (4, d_k) is expected; "
        "d=4 in params.embedding (3, 4).",
    ),
    (
        lambda: token_classifier([0, 1], CLASSIFIER._replace(w_key=np.ones((4, 3)))),
        ValueError,
        "token_classifier: params.w_key has shape (4, 3) but (d, d_k) = (4, 4) is expected; d_k=4 "
        "in params.w_query (4, 4).",
    ),
    (
        lambda: token_classifier([0, 1], CLASSIFIER._replace(w_value=np.ones((3, 4)))),
        ValueError,
        "token_classifier: params.w_value has shape (3, 4) but (d, d_v) = (4, d_v) is expected; "
        "d=4 in params.embedding (3, 4).",
    ),
    (
        lambda: token_classifier([0, 1], CLASSIFIER._replace(w_output=np.ones((3, 2)))),
        ValueError,
        "token_classifier: params.w_output has shape (3, 2) but (d_v, n_classes) = (4, n_classes) "
        "is expected; d_v=4 in params.w_value (4, 4).",
    ),
    (
        lambda: token_classifier([0, 1], CLASSIFIER._replace(b_output=np.ones((1, 2)))),
        ValueError,
        "token_classifier: params.b_output has shape (1, 2) but (n_classes,) = (2,) is expected; "
        "n_classes=2 in params.w_output (4, 2).",
    ),
    (
        lambda: classifier_gradients([0, 1], [[0, 1]], CLASSIFIER),
        ValueError,
        "classifier_gradients: targets has shape (1, 2) but (..., n) = (2,) is expected; the "
        "leading axes in tokens (2,).",
    ),
    (
        lambda: classifier_gradients([0, 1], [0, 2], CLASSIFIER),
        ValueError,
        "classifier_gradients: targets must be from -1 to n_classes - 1 = 1, got 2; -1 where "
        "nothing is asked.",
    ),
    (
        lambda: classifier_gradients([0, 1], [-1, -1], CLASSIFIER),
        ValueError,
        "classifier_gradients: targets has no class (shape (2,), all are -1) but at least one is "
        "expected; the loss is a mean over what is asked.",
    ),
    (
        lambda: classifier_gradients([3, 1], [0, 0], CLASSIFIER),
        ValueError,
        "classifier_gradients: tokens must be from 0 to n_symbols - 1 = 2, got 3; symbols are "
        "counted from 0.",
    ),
    (
        lambda: adam_init(np.ones(2)),
        TypeError,
        "adam_init: params must be a NamedTuple, tuple or list of arrays, got ndarray; a single "
        "array goes into a list.",
    ),
    (
        lambda: adam_init([None]),
        TypeError,
        "adam_init: params[0] has dtype object but real numbers are expected; look for None, "
        "words or lists among the entries.",
    ),
    (
        lambda: adam_init(CLASSIFIER._replace(w_key=["a"])),
        TypeError,
        "adam_init: params.w_key has dtype <U1 but real numbers are expected; turn words into "
        "vectors of numbers first.",
    ),
    (
        lambda: adam_step([X], X, adam_init([X])),
        TypeError,
        "adam_step: gradients must be a NamedTuple, tuple or list of arrays, got ndarray; a "
        "single array goes into a list.",
    ),
    (
        lambda: adam_step([X], [X, X], adam_init([X])),
        ValueError,
        "adam_step: gradients has 2 arrays but params has 1; there must be one for each.",
    ),
    (
        lambda: adam_step([X], [X.T], adam_init([X])),
        ValueError,
        "adam_step: gradients[0] has shape (3, 2) but (2, 3) is expected; the shape of the "
        "parameter.",
    ),
    (
        lambda: adam_step(CLASSIFIER, CLASSIFIER._replace(w_key=X), adam_init(CLASSIFIER)),
        ValueError,
        "adam_step: gradients.w_key has shape (2, 3) but (4, 4) is expected; the shape of the "
        "parameter.",
    ),
    (
        lambda: adam_step([X], [X], 0),
        TypeError,
        "adam_step: state must be AdamState(step, mean, square), got int; arrays are passed in "
        "by name.",
    ),
    (
        lambda: adam_step([X], [X], adam_init([X.T])),
        ValueError,
        "adam_step: state.mean[0] has shape (3, 2) but (2, 3) is expected; the shape of the "
        "parameter.",
    ),
    (
        lambda: adam_step([X], [X], AdamState(0, [X], [])),
        ValueError,
        "adam_step: state.square has 0 arrays but params has 1; there must be one for each.",
    ),
    (
        lambda: adam_step([X], [X], AdamState(-1, [X], [X])),
        ValueError,
        "adam_step: state.step must be an integer of at least 0, got -1; it counts the steps.",
    ),
    (
        lambda: adam_init([CLASSIFIER, CLASSIFIER]),
        TypeError,
        "adam_init: params holds a NamedTuple but arrays are expected; put the arrays of all into "
        "one list.",
    ),
    (
        lambda: adam_step([X], [X], adam_init([X]), learning_rate=-1),
        ValueError,
        "adam_step: learning_rate must be a finite number of at least 0, got -1; Adam changes "
        "each parameter by about as much in a step.",
    ),
    (
        lambda: adam_step([X], [X], adam_init([X]), learning_rate=np.inf),
        ValueError,
        "adam_step: learning_rate must be a finite number of at least 0, got inf; Adam changes "
        "each parameter by about as much in a step.",
    ),
    (
        lambda: adam_step([X], [X], adam_init([X]), beta_1=1),
        ValueError,
        "adam_step: beta_1 must be a number from 0 to below 1, got 1; it is the part of a "
        "running mean that is kept in a step.",
    ),
    (
        lambda: adam_step([X], [X], adam_init([X]), beta_2="0.9"),
        TypeError,
        "adam_step: beta_2 must be a number from 0 to below 1, got str; it is the part of a "
        "running mean that is kept in a step.",
    ),
    (
        lambda: adam_step([X], [X], adam_init([X]), eps=0),
        ValueError,
        "adam_step: eps must be a number above 0, got 0; it is added to a root that may be 0.",
    ),
    (
        lambda: train([X], lambda: ([0, 1], [0, 1]), 1),
        TypeError,
        "train: params must be ClassifierParams(embedding, w_query, w_key, w_value, w_output, "
        "b_output), got list; arrays are passed in by name.",
    ),
    (
        lambda: train(CLASSIFIER, ([0, 1], [0, 1]), 1),
        TypeError,
        "train: batch must be a function of no arguments, got tuple; for example batch=lambda: "
        "reversal_batch(rng, 32).",
    ),
    (
        lambda: train(CLASSIFIER, lambda: ([0, 1], [0, 1]), -1),
        ValueError,
        "train: n_steps must be an integer of at least 0, got -1; it counts the steps.",
    ),
    (
        lambda: train(CLASSIFIER, lambda: ([0, 1], [0, 1]), 1, learning_rate=None),
        TypeError,
        "train: learning_rate must be a finite number of at least 0, got NoneType; Adam changes "
        "each parameter by about as much in a step.",
    ),
    (
        lambda: train(CLASSIFIER, lambda: ([0, 1], [0, 1]), 1, watch=10),
        TypeError,
        "train: watch must be a function of step and params, got int; for example watch=lambda "
        "step, params: params.",
    ),
    (
        lambda: train(CLASSIFIER, lambda: None, 1),
        TypeError,
        "train: the result of batch must be (tokens, targets), got NoneType; return both.",
    ),
    (
        lambda: train(CLASSIFIER, lambda: ([0], [0], [0]), 1),
        TypeError,
        "train: the result of batch must be (tokens, targets), got tuple of 3; return both.",
    ),
    (
        lambda: reversal_batch(0, 1),
        TypeError,
        "reversal_batch: rng must be a numpy.random.Generator, got int; for example "
        "np.random.default_rng(0).",
    ),
    (
        lambda: reversal_batch(RNG, 0),
        ValueError,
        "reversal_batch: batch_size must be an integer of at least 1, got 0; it counts the rows.",
    ),
    (
        lambda: reversal_batch(RNG, 1, length=13),
        ValueError,
        "reversal_batch: length must be an integer from 1 to n_symbols = 12, got 13; what is "
        "drawn is distinct.",
    ),
    (
        lambda: reversal_batch(RNG, 1, n_symbols=0),
        ValueError,
        "reversal_batch: n_symbols must be an integer of at least 1, got 0; it counts the symbols.",
    ),
    (
        lambda: reversal_batch(RNG, 1, length=2.0),
        TypeError,
        "reversal_batch: length must be an integer from 1 to n_symbols = 12, got float; what is "
        "drawn is distinct.",
    ),
    (
        lambda: lookup_batch(None, 1),
        TypeError,
        "lookup_batch: rng must be a numpy.random.Generator, got NoneType; for example "
        "np.random.default_rng(0).",
    ),
    (
        lambda: lookup_batch(RNG, 1.0),
        TypeError,
        "lookup_batch: batch_size must be an integer of at least 1, got float; it counts the rows.",
    ),
    (
        lambda: lookup_batch(RNG, 1, n_pairs=9),
        ValueError,
        "lookup_batch: n_pairs must be an integer from 1 to n_keys = 8, got 9; what is drawn is "
        "distinct.",
    ),
    (
        lambda: lookup_batch(RNG, 1, n_pairs=0),
        ValueError,
        "lookup_batch: n_pairs must be an integer from 1 to n_keys = 8, got 0; what is drawn is "
        "distinct.",
    ),
    (
        lambda: lookup_batch(RNG, 1, n_keys=0),
        ValueError,
        "lookup_batch: n_keys must be an integer of at least 1, got 0; it counts the keys.",
    ),
    (
        lambda: lookup_batch(RNG, 1, n_values=0),
        ValueError,
        "lookup_batch: n_values must be an integer of at least 1, got 0; it counts the values.",
    ),
    (
        lambda: softmax_backward([[1], [1, 2]], X),
        ValueError,
        "softmax_backward: weights is a ragged list but an array of shape (..., n) is expected; "
        "give every row the same length.",
    ),
    (
        lambda: cross_entropy([[1], [1, 2]], [0, 0]),
        ValueError,
        "cross_entropy: logits is a ragged list but an array of shape (..., n_classes) is "
        "expected; give every row the same length.",
    ),
    (
        lambda: cross_entropy(X, [[0], [0, 1]]),
        ValueError,
        "cross_entropy: targets is a ragged list but an array of shape (...) is expected; give "
        "every row the same length.",
    ),
    (
        lambda: numerical_gradient(np.sum, [[1], [1, 2]]),
        ValueError,
        "numerical_gradient: x is a ragged list but an array of shape (...) is expected; give "
        "every row the same length.",
    ),
    (
        lambda: token_classifier([[0], [0, 1]], CLASSIFIER),
        ValueError,
        "token_classifier: tokens is a ragged list but an array of shape (..., n) is expected; "
        "give every row the same length.",
    ),
    (
        lambda: token_classifier([0, 1], CLASSIFIER._replace(b_output=[[0], [0, 1]])),
        ValueError,
        "token_classifier: params.b_output is a ragged list but an array of shape (n_classes,) "
        "is expected; give every row the same length.",
    ),
    (
        lambda: adam_init([X, [[1], [1, 2]]]),
        ValueError,
        "adam_init: params[1] is a ragged list but an array of shape (...) is expected; give "
        "every row the same length.",
    ),
    # graphs
    (
        lambda: segment_softmax(1.0, [0], 1),
        ValueError,
        "segment_softmax: scores has shape () but (E, ...) is expected; put a single number in "
        "a list.",
    ),
    (
        lambda: segment_softmax([1, 2], [0, 1, 1], 2),
        ValueError,
        "segment_softmax: segments has shape (3,) but (E,) = (2,) is expected; E=2 in scores (2,).",
    ),
    (
        lambda: segment_softmax([1, 2], [0, 2], 2),
        ValueError,
        "segment_softmax: segments must be from 0 to n_segments - 1 = 1, got 2; segments are "
        "counted from 0.",
    ),
    (
        lambda: segment_softmax([1, 2], [-1, 0], 2),
        ValueError,
        "segment_softmax: segments must be from 0 to n_segments - 1 = 1, got -1; segments are "
        "counted from 0.",
    ),
    (
        lambda: segment_softmax([1, 2], [0.0, 1.0], 2),
        TypeError,
        "segment_softmax: segments has dtype float64 but integers are expected; segments are "
        "counted from 0.",
    ),
    (
        lambda: segment_softmax([1, 2], [0, 1], -2),
        ValueError,
        "segment_softmax: n_segments must be an integer of at least 0, got -2; it counts the "
        "segments.",
    ),
    (
        lambda: segment_softmax([1, 2], [0, 1], 2.0),
        TypeError,
        "segment_softmax: n_segments must be an integer of at least 0, got float; it counts "
        "the segments.",
    ),
    (
        lambda: segment_softmax(["a"], [0], 1),
        TypeError,
        "segment_softmax: scores has dtype <U1 but real numbers are expected; turn words into "
        "vectors of numbers first.",
    ),
    (
        lambda: graph_attention(X, NODES, NODES, [0], [1]),
        ValueError,
        "graph_attention: query has shape (2, 3) but (n_receivers, n_heads, d_k) is expected; "
        "one vector for each node and head.",
    ),
    (
        lambda: graph_attention(NODES, np.ones((2, 1, 4)), NODES, [0], [1]),
        ValueError,
        "graph_attention: key has shape (2, 1, 4) but (n_senders, n_heads, d_k) = (n_senders, 1, "
        "3) is expected; d_k=3 in query (2, 1, 3).",
    ),
    (
        lambda: graph_attention(NODES, np.ones((2, 2, 3)), NODES, [0], [1]),
        ValueError,
        "graph_attention: key has shape (2, 2, 3) but (n_senders, n_heads, d_k) = (n_senders, 1, "
        "3) is expected; n_heads=1 in query (2, 1, 3).",
    ),
    (
        lambda: graph_attention(NODES, NODES, np.ones((3, 1, 3)), [0], [1]),
        ValueError,
        "graph_attention: value has shape (3, 1, 3) but (n_senders, n_heads, d_v) = (2, 1, d_v) "
        "is expected; n_senders=2 in key (2, 1, 3).",
    ),
    (
        lambda: graph_attention(NODES, NODES, NODES, [2], [1]),
        ValueError,
        "graph_attention: senders must be from 0 to n_senders - 1 = 1, got 2; senders are counted "
        "from 0.",
    ),
    (
        lambda: graph_attention(NODES, NODES, NODES, [0], [1], edge_bias=[1.0]),
        ValueError,
        "graph_attention: edge_bias has shape (1,) but (E, n_heads) = (1, 1) is expected; one "
        "number an edge is a column, edge_bias[:, None].",
    ),
    (
        lambda: graph_attention(NODES, NODES, NODES, [0], [1], edge_bias=np.ones((2, 1))),
        ValueError,
        "graph_attention: edge_bias has shape (2, 1) but (E, n_heads) = (1, 1) is expected; "
        "edge_bias must broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: graph_attention(NODES, NODES, NODES, [0], [1], edge_bias=[[True]]),
        TypeError,
        "graph_attention: edge_bias has dtype bool but real numbers are expected; a boolean "
        "array belongs in mask; .astype(float) makes it zeros and ones.",
    ),
    (
        lambda: gat_layer(X, [0, 2], [1, 0], GAT),
        ValueError,
        "gat_layer: senders must be from 0 to n_nodes - 1 = 1, got 2; nodes are counted from 0.",
    ),
    (
        lambda: gat_layer(X, [0, 1], [1, -1], GAT),
        ValueError,
        "gat_layer: receivers must be from 0 to n_nodes - 1 = 1, got -1; nodes are counted from 0.",
    ),
    (
        lambda: gat_layer(X, [0, 1], [1], GAT),
        ValueError,
        "gat_layer: receivers has shape (1,) but (E,) = (2,) is expected; E=2 in senders (2,).",
    ),
    (
        lambda: gat_layer(X, [[0, 1]], [1, 0], GAT),
        ValueError,
        "gat_layer: senders has shape (1, 2) but (E,) is expected; edge e runs from senders[e] "
        "to receivers[e].",
    ),
    (
        lambda: gat_layer(X, [0.0], [1.0], GAT),
        TypeError,
        "gat_layer: senders has dtype float64 but integers are expected; nodes are counted from 0.",
    ),
    (
        lambda: gat_layer(X, [True], [False], GAT),
        TypeError,
        "gat_layer: senders has dtype bool but integers are expected; nodes are counted from 0.",
    ),
    (
        lambda: gat_layer(X, ["0"], [1], GAT),
        TypeError,
        "gat_layer: senders has dtype <U1 but integers are expected; nodes are counted from 0.",
    ),
    (
        lambda: gat_layer(X, [0, 1], [1, 1], GAT),
        ValueError,
        "gat_layer: edge 1 runs from node 1 to itself but self_loops=True adds such an edge to "
        "every node; leave it out or set self_loops=False.",
    ),
    (
        lambda: gat_layer(X[0], [0], [1], GAT),
        ValueError,
        "gat_layer: nodes has shape (3,) but (n_nodes, F) is expected; one row for each node.",
    ),
    (
        lambda: gat_layer(np.ones((2, 4)), [0], [1], GAT),
        ValueError,
        "gat_layer: params.w has shape (3, 2, 5) but (F, n_heads, F') = (4, n_heads, F') is "
        "expected; F=4 in nodes (2, 4).",
    ),
    (
        lambda: gat_layer(X, [0], [1], GATV2),
        TypeError,
        "gat_layer: params must be GATParams(w, a_receiver, a_sender), got GATv2Params; arrays "
        "are passed in by name.",
    ),
    (
        lambda: gat_layer(X, [0], [1], GAT._replace(w=np.ones((3, 10)))),
        ValueError,
        "gat_layer: params.w has shape (3, 10) but (F, n_heads, F') = (3, n_heads, F') is "
        "expected; F=3 in nodes (2, 3).",
    ),
    (
        lambda: gat_layer(X, [0], [1], GAT._replace(a_sender=np.ones((5, 2)))),
        ValueError,
        "gat_layer: params.a_sender has shape (5, 2) but (n_heads, F') = (2, 5) is expected; "
        "n_heads=2 in params.w (3, 2, 5).",
    ),
    (
        lambda: gat_layer(X, [0], [1], GATParams(np.ones((3, 0, 5)), *np.ones((2, 0, 5)))),
        ValueError,
        "gat_layer: params.w has n_heads=0 (params.w (3, 0, 5)); there must be at least one head.",
    ),
    (
        lambda: gat_layer(X, [0], [1], GAT, combine="sum"),
        ValueError,
        'gat_layer: combine must be "concat" or "mean", got "sum"; "concat" puts the heads '
        "side by side.",
    ),
    (
        lambda: gat_layer(X, [0], [1], GAT, combine=None),
        TypeError,
        'gat_layer: combine must be "concat" or "mean", got NoneType; "concat" puts the heads '
        "side by side.",
    ),
    (
        lambda: gat_layer(X, [0], [1], GAT, negative_slope=-0.2),
        ValueError,
        "gat_layer: negative_slope must be a number from 0 to 1, got -0.2; 0 gives ReLU, 1 no "
        "bend at all.",
    ),
    (
        lambda: gat_layer(X, [0], [1], GAT, negative_slope=1.5),
        ValueError,
        "gat_layer: negative_slope must be a number from 0 to 1, got 1.5; 0 gives ReLU, 1 no "
        "bend at all.",
    ),
    (
        lambda: gat_layer(X, [0], [1], GAT, negative_slope="0.2"),
        TypeError,
        "gat_layer: negative_slope must be a number from 0 to 1, got str; 0 gives ReLU, 1 no "
        "bend at all.",
    ),
    (
        lambda: gat_layer(X, [0], [1], GAT, self_loops=None),
        TypeError,
        "gat_layer: self_loops must be True or False, got NoneType; True adds an edge from "
        "each node to itself.",
    ),
    (
        lambda: gatv2_layer(X, [0], [1], GAT),
        TypeError,
        "gatv2_layer: params must be GATv2Params(w_receiver, w_sender, a), got GATParams; "
        "arrays are passed in by name.",
    ),
    (
        lambda: gatv2_layer(X, [0], [5], GATV2),
        ValueError,
        "gatv2_layer: receivers must be from 0 to n_nodes - 1 = 1, got 5; nodes are counted "
        "from 0.",
    ),
    (
        lambda: gatv2_layer(X, [1], [1], GATV2),
        ValueError,
        "gatv2_layer: edge 0 runs from node 1 to itself but self_loops=True adds such an edge "
        "to every node; leave it out or set self_loops=False.",
    ),
    (
        lambda: gatv2_layer(X, [0], [1], GATV2._replace(w_sender=np.ones((3, 2, 4)))),
        ValueError,
        "gatv2_layer: params.w_sender has shape (3, 2, 4) but (F, n_heads, F') = (3, 2, 5) is "
        "expected; F'=5 in params.w_receiver (3, 2, 5).",
    ),
    (
        lambda: gatv2_layer(X, [0], [1], GATV2._replace(a=np.ones(5))),
        ValueError,
        "gatv2_layer: params.a has shape (5,) but (n_heads, F') = (2, 5) is expected; n_heads=2 "
        "and F'=5 in params.w_receiver (3, 2, 5).",
    ),
    (
        lambda: gatv2_layer(X, [0], [1], GATV2, combine="max"),
        ValueError,
        'gatv2_layer: combine must be "concat" or "mean", got "max"; "concat" puts the heads '
        "side by side.",
    ),
    (
        lambda: gatv2_layer(X, [0], [1], GATV2, negative_slope=np.nan),
        ValueError,
        "gatv2_layer: negative_slope must be a number from 0 to 1, got nan; 0 gives ReLU, 1 no "
        "bend at all.",
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
        lambda: plot_weights(X, columns=5),
        TypeError,
        "plot_weights: columns must be a list of n_k=3 words, got int; write each label as text.",
    ),
    (
        lambda: plot_weights(X, columns=[1, 2, 3]),
        TypeError,
        "plot_weights: columns must be a list of n_k=3 words, got list; write each label as text.",
    ),
    (
        lambda: plot_weights(X, mask=np.ones((3, 2), bool)),
        ValueError,
        "plot_weights: mask has shape (3, 2) but (..., n_q, n_k) = (2, 3) is expected; mask must "
        "broadcast to that shape and not enlarge it.",
    ),
    (
        lambda: plot_scores(np.ones((2, 2, 3))),
        ValueError,
        "plot_scores: scores has shape (2, 2, 3) but (n_q, n_k) or (n_k,) is expected; "
        "choose one matrix that is not empty, such as scores[0].",
    ),
    (
        lambda: plot_scores(X > 0),
        TypeError,
        "plot_scores: scores has dtype bool but real numbers are expected; a boolean array "
        "belongs in mask; .astype(float) makes it zeros and ones.",
    ),
    (
        lambda: plot_scores(X, rows=["a"]),
        ValueError,
        "plot_scores: rows has 1 labels but n_q=2 are expected; give one label each.",
    ),
    (
        lambda: plot_scores(X, mask=np.ones((2, 3))),
        TypeError,
        "plot_scores: mask has dtype float64 but bool is expected; True means may attend, numbers "
        "to add to the scores are a bias.",
    ),
    (
        lambda: plot_encoding(np.ones(4)),
        ValueError,
        "plot_encoding: encoding has shape (4,) but (length, dim) is expected; encoding[None] has "
        "one axis more.",
    ),
    (
        lambda: plot_encoding(np.ones((2, 3, 4))),
        ValueError,
        "plot_encoding: encoding has shape (2, 3, 4) but (length, dim) is expected; choose one "
        "matrix that is not empty, such as encoding[0].",
    ),
    (
        lambda: plot_encoding(np.ones((0, 4))),
        ValueError,
        "plot_encoding: encoding has shape (0, 4) but (length, dim) is expected; choose one "
        "matrix that is not empty, such as encoding[0].",
    ),
    (
        lambda: plot_encoding([["a"]]),
        TypeError,
        "plot_encoding: encoding has dtype <U1 but real numbers are expected; turn words into "
        "vectors of numbers first.",
    ),
    (
        lambda: plot_graph_attention(X, [0], [1], [1]),
        ValueError,
        "plot_graph_attention: positions has shape (2, 3) but (n_nodes, 2) is expected; a point "
        "x, y for each node.",
    ),
    (
        lambda: plot_graph_attention([[0, 1], [np.inf, 0]], [0], [1], [1]),
        ValueError,
        "plot_graph_attention: positions must be finite, got inf; it cannot be drawn.",
    ),
    (
        lambda: plot_graph_attention(POINTS, [0], [3], [1]),
        ValueError,
        "plot_graph_attention: receivers must be from 0 to n_nodes - 1 = 2, got 3; nodes are "
        "counted from 0.",
    ),
    (
        lambda: plot_graph_attention(POINTS, [0, 1], [1], [1]),
        ValueError,
        "plot_graph_attention: receivers has shape (1,) but (E,) = (2,) is expected; E=2 in "
        "senders (2,).",
    ),
    (
        lambda: plot_graph_attention(POINTS, [0, 1], [1, 2], np.ones((2, 4))),
        ValueError,
        "plot_graph_attention: weights has shape (2, 4) but (E,) = (2,) or (E + n_nodes,) = (5,) "
        "is expected; choose one head, such as weights[:, 0].",
    ),
    (
        lambda: plot_graph_attention(POINTS, [0, 1], [1, 2], [1, 1, 1]),
        ValueError,
        "plot_graph_attention: weights has shape (3,) but (E,) = (2,) or (E + n_nodes,) = (5,) "
        "is expected; choose one head, such as weights[:, 0].",
    ),
    (
        lambda: plot_graph_attention(POINTS, [0, 1], [1, 2], [1, -2]),
        ValueError,
        "plot_graph_attention: weights must be at least 0, got -2; are these scores? softmax "
        "turns scores into weights.",
    ),
    (
        lambda: plot_graph_attention(POINTS, [0], [1], [1], receiver=3),
        ValueError,
        "plot_graph_attention: receiver must be an integer from 0 to n_nodes - 1 = 2, got 3; "
        "nodes are counted from 0.",
    ),
    (
        lambda: plot_graph_attention(POINTS, [0], [1], [1], receiver=-1),
        ValueError,
        "plot_graph_attention: receiver must be an integer from 0 to n_nodes - 1 = 2, got -1; "
        "nodes are counted from 0.",
    ),
    (
        lambda: plot_graph_attention(POINTS, [0], [1], [1], receiver=True),
        TypeError,
        "plot_graph_attention: receiver must be an integer from 0 to n_nodes - 1 = 2, got bool; "
        "nodes are counted from 0.",
    ),
    (
        lambda: plot_graph_attention(POINTS, [0], [1], [1], labels=["a", "b"]),
        ValueError,
        "plot_graph_attention: labels has 2 labels but n_nodes=3 are expected; give one label "
        "each.",
    ),
    (
        lambda: plot_graph_attention(POINTS, [0], [1], [1], labels="abc"),
        TypeError,
        "plot_graph_attention: labels must be a list of n_nodes=3 words, got str; write each "
        "label as text.",
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
