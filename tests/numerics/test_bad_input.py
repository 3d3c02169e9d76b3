"""One error of each kind, with its whole message: function, argument, expected, got, and a hint.

That each function says such things of each of its arguments is in `test_every_function.py`.
"""

import re
from fractions import Fraction

import numpy as np
import pytest

import attnutils as a
from attnbook.models import binding, language, toy_tasks

Q, K, V = np.ones((2, 3)), np.ones((4, 3)), np.ones((4, 5))
RNG = np.random.default_rng(0)
HEADS = a.MultiHeadParams(*[np.ones((3, 6))] * 3, np.ones((6, 3)))  # of two heads
NETWORK = a.FeedForwardParams(np.ones((3, 5)), np.ones(5), np.ones((5, 3)), np.ones(3))
ENCODER = a.EncoderParams(HEADS, NETWORK, *[a.LayerNormParams(np.ones(3), np.zeros(3))] * 2)
NODES = Q[:, None]
GAT = a.GATParams(np.ones((3, 2, 5)), *np.ones((2, 2, 5)))
CLASSIFIER = toy_tasks.init_classifier(RNG, n_symbols=3, n_classes=2, d=4)
MODEL = language.init_language_model(RNG, n_symbols=3, d=4, d_ff=6)

CASES = """
# sizes and axes
attention(Q, np.ones((4, 5)), V)
    ValueError: attention: key has d_k=5 but query has d_k=3 (query (2, 3), key (4, 5)); their
    last axes must match.
dot_scores(np.ones(1), K)
    ValueError: dot_scores: key has shape (4, 3) but (..., n_k, d_k) = (..., n_k, 1) is
    expected; d_k=1 in query (1,).
attention(np.ones((7, 2, 3)), np.ones((5, 4, 3)), V)
    ValueError: attention: the leading axes of query and key do not broadcast (query (7, 2, 3),
    key (5, 4, 3)); axis by axis, counted from the right, they must be equal or 1.
attention_backward(Q, K[None], V, Q @ K.T, np.ones((2, 5)))
    ValueError: attention_backward: key has shape (1, 4, 3) but (..., n_k, d_k) = (n_k, 3) is
    expected; the leading axes in query (2, 3).
softmax(1.0)
    ValueError: softmax: x has shape () but (..., n) is expected; put a single number in a list.
attention(Q, np.ones(3), V)
    ValueError: attention: key has shape (3,) but (..., n_k, d_k) is expected; a single key is a
    row, key[None, :].
merge_heads(Q)
    ValueError: merge_heads: x has shape (2, 3) but (..., n_heads, n, d_head) is expected;
    x[None] has one axis more.
split_heads(np.ones((3, 7)), 2)
    ValueError: split_heads: x has shape (3, 7) but (..., n, n_heads * d_head) = (..., n, 2 *
    d_head) is expected; n_heads=2.
attention(Q, np.ones((0, 3)), np.ones((0, 5)))
    ValueError: attention: key has n_k=0 (key (0, 3)); there must be at least one.
softmax(Q, axis=2)
    ValueError: softmax: axis must be an integer from -2 to 1, got 2; x has shape (2, 3).
multi_head_attention(Q, Q, Q, HEADS._replace(b_key=np.ones(3)), n_heads=2)
    ValueError: multi_head_attention: params.b_key has shape (3,) but (n_heads * d_head,) = (6,)
    is expected; n_heads=2, d_head=3 in params.w_query (3, 6).
# what no array of numbers is
softmax([[1, 2], [3]])
    ValueError: softmax: x is a ragged list but an array of shape (..., n) is expected; give
    every row the same length.
softmax(["a"])
    TypeError: softmax: x has dtype <U1 but real numbers are expected; turn words into vectors
    of numbers first.
softmax([None])
    TypeError: softmax: x has dtype object but real numbers are expected; look for None, words
    or lists among the entries.
softmax([True])
    TypeError: softmax: x has dtype bool but real numbers are expected; a boolean array belongs
    in mask; .astype(float) makes it zeros and ones.
softmax(np.ma.array([1, 2, 3], mask=[0, 1, 0]))
    TypeError: softmax: x is a masked array but an array of shape (..., n) is expected; give
    x.data, and what may be seen in mask.
language_model([1, 2], MODEL, n_heads=3)
    ValueError: language_model: params.blocks[0].attention.w_query has shape (4, 4) but (d_q,
    n_heads * d_head) = (4, 3 * d_head) is expected; n_heads=3.
init_language_model(RNG, 5, d=3)
    ValueError: init_language_model: d must be an even integer of at least 2, got 3; each sine of
    a position has its cosine.
text_batch(RNG, [0, 1, 2], length=-5)
    ValueError: text_batch: length must be an integer of at least 1, got -5; it counts the
    characters of a piece.
text_batch(RNG, [0, 1, 2], length=3)
    ValueError: text_batch: codes has shape (3,) but more than length = 3 characters are expected;
    the last of a piece needs one that follows it.
encode_text("aab", "aab")
    ValueError: encode_text: alphabet has the character 'a' 2 times; a character has one symbol.
ablate_heads(MODEL, [(0, 0)], n_heads=3)
    ValueError: ablate_heads: params.blocks[0].attention.w_query has shape (4, 4) but (d_q,
    n_heads * d_head) = (4, 3 * d_head) is expected; n_heads=3.
ablate_heads(MODEL, [(0, 4)], n_heads=4)
    ValueError: ablate_heads: heads must be pairs of a block from 0 to 1 and a head from 0 to 3,
    got (0, 4).
with_leaves([1, 2], [3])
    ValueError: with_leaves: arrays has 1 entries but params has 2 arrays; there must be one for
    each.
entropy([0.5, -0.125, -0.25, -0.125])
    ValueError: entropy: weights must be at least 0, got -0.25; are these scores? softmax turns
    scores into weights.
# masks and biases
attention(Q, K, V, mask=np.ones((2, 4)))
    TypeError: attention: mask has dtype float64 but booleans are expected; True means may attend,
    numbers to add to the scores are a bias.
attention(Q, K, V, mask=np.ones((4, 2), bool))
    ValueError: attention: mask has shape (4, 2) but (..., n_q, n_k) = (2, 4) is expected; mask
    must broadcast to it and not enlarge it.
attention(Q, K, V, mask=a.padding_mask([2], 4))
    ValueError: attention: mask has shape (1, 1, 4) but (..., n_q, n_k) = (2, 4) is expected;
    mask[0] has one axis less; padding_mask(2, 4) is of one text, padding_mask([2], 4) of a
    minibatch.
attention(Q, Q, Q, bias=a.alibi_bias(1, 2))
    ValueError: attention: bias has shape (1, 2, 2) but (..., n_q, n_k) = (2, 2) is expected;
    bias[0] has one axis less.
graph_attention(NODES, NODES, NODES, [0], [1], edge_bias=[1.0])
    ValueError: graph_attention: edge_bias has shape (1,) but (E, n_heads) = (1, 1) is expected;
    one number an edge is a column, edge_bias[:, None].
# numbers, words and functions
softmax(Q, temperature=np.nan)
    ValueError: softmax: temperature must be a number from 0 to inf, got nan; 0 gives hardmax,
    np.inf gives uniform weights.
entropy(Q, base=1)
    ValueError: entropy: base must be a number above 1, got 1; 2 measures in bits, math.e in
    nats.
adam_step([Q], [Q], adam_init([Q]), beta_1=1)
    ValueError: adam_step: beta_1 must be a number from 0 to below 1, got 1; it is the part of a
    running mean that is kept in a step.
adam_step([Q], [Q], adam_init([Q]), learning_rate=np.inf)
    ValueError: adam_step: learning_rate must be a number from 0 to below inf, got inf; Adam
    changes each parameter by about as much in a step.
causal_mask(-1)
    ValueError: causal_mask: n_query must be an integer of at least 0, got -1; it counts the
    rows.
window_mask(5, 4)
    ValueError: window_mask: width must be an odd integer of at least 1, got 4; a query sees
    width // 2 keys on each side of its own.
toy_tasks.reversal_batch(RNG, 1, length=13)
    ValueError: reversal_batch: length must be an integer from 1 to 12, got 13; they are distinct,
    of n_symbols=12.
attention(Q, K, V, is_causal=1)
    TypeError: attention: is_causal must be True or False, got int; an array that hides keys
    belongs in mask.
encoder_block(Q, ENCODER, n_heads=2, norm="none")
    ValueError: encoder_block: norm must be "post" or "pre", got "none"; "post" normalises each
    sum, "pre" the input of each part.
attention(Q, K, V, scores="dot")
    TypeError: attention: scores must be a function of query and key, got str; for example
    scores=dot_scores.
attention(Q, K, V, scores=lambda q, k: k @ q.T)
    ValueError: attention: the result of scores has shape (4, 2) but (..., n_q, n_k) = (2, 4) is
    expected; scores must be a function of rows.
init_classifier(0, 3, 3)
    TypeError: init_classifier: rng must be a numpy.random.Generator, got int; for example
    np.random.default_rng(0).
feed_forward(Q, (Q, Q))
    TypeError: feed_forward: params must be FeedForwardParams(w_in, b_in, w_out, b_out), got
    tuple; arrays are passed in by name.
# integers that count
padding_mask([4, 5, 9, 6], 4)
    ValueError: padding_mask: lengths must be from 0 to n_key = 4, got 5; a length counts the
    keys that are not padding.
cross_entropy(Q, np.array([0, 2**64 - 1], np.uint64))
    ValueError: cross_entropy: targets must be at most 9223372036854775807, got
    18446744073709551615; -1 where nothing is asked.
rotary_embedding(np.ones((2, 2, 3, 4)), np.ones((2, 3)))
    ValueError: rotary_embedding: positions has shape (2, 3) but (n,) or (..., n) = (2, 2, 3) is
    expected; positions[:, None] has a row for each example, positions[None] for each head.
padding_mask([4.0], 4)
    TypeError: padding_mask: lengths has dtype float64 but integers are expected; a length
    counts the keys that are not padding.
cross_entropy(Q, [0, -2])
    ValueError: cross_entropy: targets must be from -1 to n_classes - 1 = 2, got -2; -1 where
    nothing is asked.
cross_entropy(Q, [-1, -1])
    ValueError: cross_entropy: targets has no class (shape (2,), all are -1) but at least one is
    expected; the loss is a mean over what is asked.
gat_layer(Q, [0, 1], [1, 1], GAT)
    ValueError: gat_layer: edge 1 runs from node 1 to itself but self_loops=True adds such an
    edge to every node; leave it out or set self_loops=False.
# lists of parameters, and training
adam_init(Q)
    TypeError: adam_init: params must be a NamedTuple, tuple or list of arrays, got ndarray; a
    single array goes into a list.
adam_step([GAT], [GAT._replace(a_sender=None)], adam_init([GAT]))
    ValueError: adam_step: gradients has 2 arrays but params has 3; there must be one for each.
adam_step([Q], [Q, Q], adam_init([Q]))
    ValueError: adam_step: gradients has 2 arrays but params has 1; there must be one for each.
adam_step(GAT, GAT._replace(w=Q), adam_init(GAT))
    ValueError: adam_step: gradients.w has shape (2, 3) but (3, 2, 5) is expected; the shape of
    the parameter.
binding.train_binding(RNG, 3)
    ValueError: train_binding: d=8 is not a multiple of n_heads=3.
toy_tasks.train(CLASSIFIER, lambda: ([0], [0], [0]), 1)
    TypeError: train: the result of batch must be (tokens, targets), got tuple of 3; return
    both.
# pictures
plot_weights(np.ones((2, 2, 3)))
    ValueError: plot_weights: weights has shape (2, 2, 3) but (n_q, n_k) is expected; choose one
    matrix, such as weights[0].
plot_encoding(np.ones(4))
    ValueError: plot_encoding: encoding has shape (4,) but (length, dim) is expected;
    encoding[None] has one axis more.
plot_weights(Q, rows=["a"])
    ValueError: plot_weights: rows has 1 labels but n_q=2 are expected; give one label each.
plot_weights(Q, columns="abc")
    TypeError: plot_weights: columns must be a list of n_k words, got str; write each label as
    text.
plot_graph_attention([[0, np.inf]], [], [], [])
    ValueError: plot_graph_attention: positions must be finite, got inf; it cannot be drawn.
plot_graph_attention([[0, 0]], [0], [0], np.ones((1, 4)))
    ValueError: plot_graph_attention: weights has shape (1, 4) but (E,) = (1,) or (E + n_nodes,)
    = (2,) is expected; choose one head, such as weights[:, 0].
"""
NAMES = {name: getattr(home, name) for home in (a, toy_tasks, language) for name in home.__all__}
NAMES |= {"binding": binding, "toy_tasks": toy_tasks}
CASES = re.findall(r"^(\w.*)\n((?:    .*\n)+)", CASES, re.MULTILINE)


@pytest.mark.parametrize(("call", "message"), CASES, ids=[call for call, _ in CASES])
def test_bad_input_says_what_is_wrong(call, message):
    with pytest.raises((TypeError, ValueError)) as caught:
        eval(call, {**NAMES, **globals()})
    assert f"{caught.type.__name__}: {caught.value}" == " ".join(message.split())


def test_numbers_of_other_kinds_are_fine():
    for temperature in (2, np.float32(2), np.int8(2), Fraction(2), 10**400):
        assert a.softmax(Q, temperature=temperature).shape == (2, 3)
    assert a.softmax([1, 2], temperature=10**400).tolist() == [0.5, 0.5]
    assert a.softmax(Q, axis=np.int64(0)).shape == (2, 3)
