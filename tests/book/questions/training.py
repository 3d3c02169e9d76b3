"""Proofs of the questions of the page on training."""

from fractions import Fraction
from itertools import permutations

import numpy as np

from attnutils import (
    ClassifierParams,
    attention,
    attention_backward,
    init_classifier,
    token_classifier,
)
from attnutils.toy_tasks import load_reversal_runs, lookup_batch, reversal_batch
from attnutils.widgets.training_explorer import encoding_of, run_of


def accuracy(params, tokens, targets):
    asked = targets >= 0
    predicted = token_classifier(tokens, params).logits.argmax(axis=-1)
    return (predicted == targets)[asked].mean()


def predict_equal_keys(rng):
    q, key, values = rng.normal(size=4), rng.normal(size=4), rng.normal(size=(6, 1))
    keys = np.tile(key, (6, 1))

    def move(values):
        before, after = (attention(x, keys, values).output for x in (q, q + rng.normal(size=4)))
        return np.abs(after - before).max()

    weights = attention(q, keys, values).weights
    by_query = attention_backward(q[None], keys, values, weights[None], [[1.0]]).query[0]
    return {
        "Nothing": move(values) < 1e-12,
        "It moves, more so if the values differ more": move(10 * values) > move(values) > 1e-9,
        r"It moves by the key, divided by $\sqrt{d_k}$": np.allclose(by_query, key / 2),
    }


def predict_one_hot(rng):
    q, k, v, d_y = rng.normal(size=(4, 5, 3))
    one_hot = np.eye(5)[rng.integers(5, size=5)]
    gradients = attention_backward(q, k, v, one_hot, d_y)
    zero = {name for name, g in zip("QKV", gradients, strict=True) if np.all(g == 0)}
    return {
        r"$\mathrm dQ$ and $\mathrm dK$": zero == {"Q", "K"},
        r"$\mathrm dV$": zero == {"V"},
        "All of them": zero == {"Q", "K", "V"},
        "None": zero == set(),
    }


def predict_no_positions(rng):
    # Without positions the answer at a letter depends on it and on which others are there.
    params = init_classifier(rng, 12, 12)
    row = reversal_batch(rng, 1)[0][0]
    order = rng.permutation(10)
    before, after = (token_classifier(tokens, params).logits for tokens in (row, row[order]))
    np.testing.assert_allclose(before[order], after, rtol=0, atol=1e-12)
    # Given ten letters, each pair of the own letter and the one to say is equally likely. The best
    # guess for an own letter is the commonest of the letters to say.
    pairs = list(permutations(range(10), 2))
    to_say = [[said for own, said in pairs if own == letter] for letter in range(10)]
    best = Fraction(sum(max(map(said.count, said)) for said in to_say), len(pairs))
    # A layer that gets there: it hides its own letter and names the last in the alphabet of the
    # others. A share of 1/10 would be 15 standard errors away.
    layer = ClassifierParams(
        embedding=np.eye(12),
        w_query=-1000 * np.eye(12),
        w_key=np.eye(12),
        w_value=np.eye(12),
        w_output=np.diag(np.arange(1.0, 13)),
        b_output=np.zeros(12),
    )
    assert abs(accuracy(layer, *reversal_batch(rng, 2000)) - best) < 0.005
    return {
        **{text: Fraction(text) == best for text in ("1/12", "1/10", "1/9")},
        "None": best == 0,
        "All": best == 1,
    }


def predict_nine(rng):
    # Trained anew from a start that is drawn, until ten letters come right, and asked for nine.
    start = int(rng.integers(1, 10_000))
    params = run_of(start, [[0, 0.01, 0]], True, 150)[-1].params

    def right(length):
        tokens, targets = reversal_batch(rng, 500, length=length)
        result = token_classifier(tokens, params, encoding=encoding_of(length, True))
        return (result.logits.argmax(axis=-1) == targets).mean(axis=0)

    assert right(10).min() > 0.98
    by_place = right(9)
    assert np.all((by_place < 0.1) | (by_place > 0.9))
    n_right = np.count_nonzero(by_place > 0.9)
    return {
        "None": n_right == 0,
        "One": n_right == 1,
        "The middle one and some more": by_place[4] > 0.9 and n_right > 1,
        "Eight": n_right == 8,
        "Nine": n_right == 9,
    }


def predict_rescue(rng):
    runs = load_reversal_runs()
    assert all(run["stuck_right"] < 0.2 and run["stuck_largest_weight"] > 0.98 for run in runs)
    named = {
        "The lower rate alone": "nothing",
        r"All but $W_q$ and $W_k$ drawn anew": "all but W_q and W_k drawn anew",
        r"$W_q$ and $W_k$ divided by 3": "W_q and W_k divided by 3",
        r"$W_q$ and $W_k$ divided by 30": "W_q and W_k divided by 30",
    }
    return {
        text: all(run["right_after"][remedy] > 0.9 for run in runs)
        for text, remedy in named.items()
    }


def predict_lookup(rng):
    # A layer that looks up every value: queries and keys hold the key alone, values the value.
    # That training finds one is what the page's next cell shows and asserts.
    key, value, question = np.eye(8), np.eye(8), 8
    embedding = np.zeros((72, 17))
    for symbol in range(64):
        embedding[symbol] = [*key[symbol // 8], *value[symbol % 8], 0]
    embedding[64:, :8], embedding[64:, 16] = key, 1
    only_key = np.eye(17)[:, :8]
    hide_question = np.zeros((17, 9))
    hide_question[:, :8] = only_key
    hide_question[16, question] = -1
    ask = np.zeros((17, 9))
    ask[:, :8] = only_key
    ask[16, question] = 2
    layer = ClassifierParams(
        embedding, 1000 * ask, hide_question, np.eye(17)[:, 8:16], np.eye(8), np.zeros(8)
    )
    tokens, targets = lookup_batch(rng, 1000)
    can = accuracy(layer, tokens, targets) == 1
    # The answer is that of the pairs in another order, so no position is needed.
    turned = np.hstack([tokens[:, 5::-1], tokens[:, 6:]])
    needs_order = accuracy(layer, turned, targets) < 1
    return {
        "No, as with reversal": not can and needs_order,
        "No, it could not tell the question from the pairs": not can,
        "Yes": can and not needs_order,
    }
