"""Answers to the exercises and the questions of the page on induction heads."""

import numpy as np

from attnbook.models.induction import (
    LETTERS,
    ablate_head,
    attention_only,
    attention_only_gradients,
    init_attention_only,
    load_induction_runs,
    repeated_batch,
)
from attnutils import adam_init, adam_step, attention

LETTER, NOTE = np.eye(40, 20), np.eye(40, 20, k=-20)
ALL = "abcdefghijklmnopqrst"
NAN = np.full((40, 20), np.nan)

RIGHT = {
    "one-layer": [[0, 1, 4], (4, 1, 0)],
    "write-layer": [
        [40 * LETTER, NOTE, LETTER],
        (60 * LETTER, 2 * NOTE, LETTER),
        [LETTER, 40 * NOTE, 3 * LETTER],
    ],
    "fool-it": [ALL + "r", ALL + "q"],
}

WRONG = [
    ("one-layer", [1, 4], "the place before is a matter of places alone"),
    ("one-layer", [0, 4], "query and key both hold a letter"),
    ("one-layer", [0, 1, 2, 4], "the key of the place that is wanted"),
    ("one-layer", [0, 1, 3, 4], "whose value would have to hold"),
    ("one-layer", [0, 1], "place 0 has a code of its own"),
    ("write-layer", 3, "expected three matrices, W_q, W_k and W_v"),
    ("write-layer", [LETTER, NOTE, 3], "expected an array of shape (40, 20)"),
    ("write-layer", [LETTER, NOTE[:, :5], LETTER], "queries and keys are compared"),
    ("write-layer", [LETTER, NOTE, LETTER[:, :5]], "W_v has 20 columns"),
    ("write-layer", [NAN, NOTE, LETTER], "all numbers must be finite"),
    ("write-layer", [9 * LETTER, NOTE, LETTER], "the right letter leads, but too little"),
    ("write-layer", [40 * NOTE, LETTER, LETTER], "it names the letter before"),
    ("write-layer", [40 * LETTER, NOTE, NOTE], "it names the letter that asks"),
    ("write-layer", [40 * LETTER, LETTER, LETTER], "it names the letter that asks"),
    ("write-layer", [0 * LETTER, NOTE, LETTER], "1% are right: what asks, what answers"),
    ("fool-it", 3, "expected a text in quotes"),
    ("fool-it", "xyz", "the text has 3 to 32 letters, from a to t"),
    ("fool-it", "ab", "the text has 3 to 32 letters"),
    ("fool-it", "abc", "the last letter, c, is to come exactly once before; it does 0 times"),
    ("fool-it", "acbcbc", "the last letter, c, is to come exactly once before; it does 2 times"),
    ("fool-it", "abb", "the two b stand side by side"),
    ("fool-it", "gbalceg", "it guesses b, and b came after the first g, at place 1"),
]


RUNS = load_induction_runs()


def right(logits, targets):
    return (logits.argmax(axis=-1) == targets)[targets >= 0].mean()


def predict_one(rng):
    """What a key of letter and place says is the same, whichever letter stood before it."""
    letters, places = rng.normal(size=(20, 8)), rng.normal(size=(7, 8))
    w_query, w_key = rng.normal(size=(2, 8, 8))

    def scores(text):
        x = letters[[LETTERS.index(letter) for letter in text]] + places
        return (x[-1] @ w_query) @ (x @ w_key).T  # of the last place

    text = "gbalceg"
    other = "tbalceg"  # nobody else says that the first is a g
    told = ~np.isclose(scores(text), scores(other))
    return {
        "That of the first g": told[0],
        "That of the b": told[1],
        "That of the e": told[5],
        "None of them": not told.any(),
    }


def predict_curve(rng):
    losses = RUNS.losses
    start = losses[:, 4]  # steps 20 to 24
    at_rest = losses[:, 6] > start - 0.2
    falls = losses[:, 18] < 0.3 * start
    when = (losses < 2).argmax(axis=1)
    together = when.max() < 1.6 * when.min()
    return {
        "Each falls steadily, a little in every step": not (at_rest & falls).all(),
        "Each hardly moves, then falls steeply, all at nearly the same step": (
            (at_rest & falls).all() and together
        ),
        "Each hardly moves, then falls steeply, some early and some ten times later": not together,
    }


def predict_off(rng):
    tokens, targets, _ = repeated_batch(rng, 300)
    found = right(attention_only(tokens, ablate_head(RUNS.params, 0)).logits, targets)
    shares = np.array([1.0, 0.7, 0.3, 0.1])
    return dict(
        zip(map(str, shares), shares == shares[np.abs(shares - found).argmin()], strict=True)
    )


def predict_door(rng):
    p = RUNS.params
    tokens, targets, _ = repeated_batch(rng, 300)
    before = p.embedding[tokens] + p.positions
    weighed = attention(
        before @ p.w_query[0], before @ p.w_key[0], before @ p.w_value[0], is_causal=True
    )
    after = before + weighed.output @ p.w_output[0]
    ruined = []
    for door in range(3):
        q, k, v = (
            (before if at == door else after) @ w[1]
            for at, w in enumerate((p.w_query, p.w_key, p.w_value))
        )
        x = after + attention(q, k, v, is_causal=True).output @ p.w_output[1]
        ruined.append(right(x @ p.w_class, targets) < 0.3)
    queries, keys, values = ruined
    return {
        "Queries": queries and not keys and not values,
        "Keys": keys and not queries and not values,
        "Values": values and not queries and not keys,
        "Each of them": all(ruined),
    }


def predict_period(rng):
    """One layer is trained here, on smaller batches than on the page; two layers are stored."""
    one = init_attention_only(rng, 1)
    state = adam_init(one)
    for _ in range(300):
        tokens, targets, _ = repeated_batch(rng, 32)
        one, state = adam_step(one, attention_only_gradients(tokens, targets, one).gradients, state)
    shares = {}
    for period in ((8, 16), (7, 7)):
        tokens, targets, _ = repeated_batch(rng, 300, *period)
        for name, params in (("two", RUNS.params), ("one", one)):
            shares[name, period[0]] = right(attention_only(tokens, params).logits, targets)
    assert shares["two", 8] > 0.9
    assert 0.2 < shares["one", 8] < 0.5
    same = {name: shares[name, 7] > 0.7 * shares[name, 8] for name in ("two", "one")}
    none = {name: shares[name, 7] < 0.1 for name in ("two", "one")}
    return {
        "Both much the same as before": same["two"] and same["one"],
        "Two layers the same, one layer next to nothing": same["two"] and none["one"],
        "Both next to nothing": none["two"] and none["one"],
    }
