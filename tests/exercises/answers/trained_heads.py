"""Answers to the exercises and the questions of the page on the heads of a trained model."""

from functools import partial

import numpy as np

from attnbook.models import toy_tasks, trained_heads
from attnbook.models.toy_tasks import lookup_batch, train
from attnutils import softmax
from tests.notebooks import functions


def by_sorting(weights, rng):
    order = rng.random(weights.shape).argsort(axis=-1)
    return np.take_along_axis(weights, order, axis=-1)


def by_loop(weights, rng):
    rows = [rng.permutation(row) for row in weights.reshape(-1, weights.shape[-1])]
    return np.array(rows).reshape(weights.shape).tolist()


def by_places(weights, rng):
    order = rng.random(weights.shape[-2:]).argsort(axis=-1)
    return np.take_along_axis(weights, np.broadcast_to(order, weights.shape), axis=-1)


def by_heads(weights, rng):
    if weights.ndim == 2:
        return rng.permuted(weights, axis=-1)
    return np.stack([rng.permutation(head, axis=-1) for head in weights])


def with_repeats(weights, rng):
    at = rng.integers(weights.shape[-1], size=weights.shape)
    return np.take_along_axis(weights, at, axis=-1)


def odd_for_a_single_row(weights, rng):
    return weights[[1]] if weights.shape == (1, 3) else by_sorting(weights, rng)


def rolled(weights, rng):
    rows = weights.reshape(-1, weights.shape[-1])
    return np.reshape([np.roll(row, rng.integers(row.size)) for row in rows], weights.shape)


def two_axes_alone(weights, rng):
    n_q, n_k = weights.shape
    return np.take_along_axis(weights, rng.random((n_q, n_k)).argsort(axis=1), axis=1)


SHUFFLE = "write-shuffle"
ROWS, THREE = "for weights of shape (4, 9), ", "for weights of shape (2, 3, 8), "
EVERY = "not every order of a row comes up"

RIGHT = {
    "read-a-control": [[0, 2, 4], (4, 0, 2)],
    "behind-the-sink": [4],
    "handed-on": [[0.0741, 0.5556, 0.3704], (0.08 / 1.08, 0.6 / 1.08, 0.4 / 1.08)],
    SHUFFLE: [lambda weights, rng: rng.permuted(weights, axis=-1), by_sorting, by_loop],
}

WRONG = [
    ("read-a-control", [2, 4], ".68 with the copy, .01"),
    ("read-a-control", [0, 1, 2, 4], "head 1 gives that place"),
    ("read-a-control", [0, 4], "head 2 has a small weight"),
    ("read-a-control", [0, 2, 3, 4], "from .02 to .03"),
    ("read-a-control", [0, 2], ".45 with the copy"),
    ("behind-the-sink", 1, "so many pass without hiding"),
    ("behind-the-sink", 3, "so many are new"),
    ("behind-the-sink", 7, "so many pass a threshold of .3"),
    ("behind-the-sink", 43, "set a[..., 0] = 0"),
    ("handed-on", [0.08, 0.6, 0.4], "these are the products"),
    ("handed-on", [0.8, 0.15, 0.05], "these are the weights"),
    ("handed-on", [0.0083, 0.3306, 0.6612], "these are the shares of the lengths"),
    ("handed-on", [7.4074, 55.5556, 37.0370], "give shares of 1, not percentages"),
    ("handed-on", [0.9947, 0.0047, 0.0008], "here weights are divided by lengths"),
    ("handed-on", [0.0014, 0.4279, 0.5706], "a weight scales a vector"),
    ("handed-on", [0.3, 0.3, 0.4], "multiply each weight by its length"),
    (SHUFFLE, lambda a, rng: a, f"{ROWS}nothing has moved"),
    (SHUFFLE, lambda a, rng: rng.permuted(a, axis=1, out=a), f"{ROWS}`weights` itself was changed"),
    (SHUFFLE, lambda a, rng: rng.permutation(a, axis=-1), f"{ROWS}all rows moved in the same way"),
    (SHUFFLE, by_places, f"{THREE}all heads moved in the same way"),
    (SHUFFLE, by_heads, f"{THREE}the rows of a head moved in the"),
    (SHUFFLE, lambda a, rng: rng.permutation(a, axis=0), f"{ROWS}entries have moved to other rows"),
    (SHUFFLE, lambda a, rng: rng.permuted(a), f"{ROWS}entries have moved to other"),
    (SHUFFLE, with_repeats, f"{ROWS}a row does not hold the"),
    (SHUFFLE, lambda a, rng: by_sorting(a, np.random.default_rng()),
     "two generators with the same seed give different orders"),
    (SHUFFLE, lambda a, rng: by_sorting(a, np.random.default_rng(0)), EVERY),
    (SHUFFLE, odd_for_a_single_row, "for weights of shape (1, 3), it raises IndexError"),
    (SHUFFLE, rolled, EVERY),
    (SHUFFLE, two_axes_alone, f"{THREE}it raises ValueError"),
]  # fmt: skip


HEADS = trained_heads.load_trained_heads()
WEIGHTS = {sentence: softmax(heads.scores) for sentence, heads in HEADS.items()}
# From words to [CLS], by weight, for each sentence and head; [CLS] and [SEP] do not ask.
TO_CLS = np.array([a[:, :, 1:-1, 0].mean(axis=-1) for a in WEIGHTS.values()])


def predict_sink(rng):
    lengths = {len(heads.tokens) for heads in HEADS.values()}
    assert (min(lengths), max(lengths)) == (8, 11)
    share = TO_CLS[:, 1:5].mean()
    times = share / np.mean([1 / len(heads.tokens) for heads in HEADS.values()])
    return {
        "About twice": 1 < times < 3,
        "About six times": 4 < times < 8,
        "About sixty times": times > 30,
    }


def predict_lengths(rng):
    sinks = TO_CLS.mean(axis=0) > 0.5
    assert sinks.sum() == 43
    assert abs(TO_CLS.mean(axis=0)[sinks].mean() - 2 / 3) < 0.02
    shares = []
    for sentence, heads in HEADS.items():
        handed_on = WEIGHTS[sentence] * heads.value_norms[:, :, None, :]
        by_length = handed_on / handed_on.sum(axis=-1, keepdims=True)
        shares.append(by_length[:, :, 1:-1, 0].mean(axis=-1))
    share = np.mean(shares, axis=0)[sinks].mean()
    return {
        "About two thirds": abs(share - 2 / 3) < 0.1,
        "About a tenth": abs(share - 0.1) < 0.05,
        "Nearly all": share > 0.9,
    }


def predict_masked(rng):
    masked = trained_heads.load_head_interventions().token_masked[0]
    words = masked[1:-1]
    assert (words.min().round(2), words.max().round(2)) == (0.11, 0.50)
    return {
        "By about .1, as silencing did": abs(masked[0] - 0.1) < 0.05,
        "By about .3, as a word may": abs(masked[0] - 0.3) < 0.15,
        "By about .9, farther than a word": abs(masked[0] - 0.9) < 0.05,
    }


def predict_deleted(rng):
    taken = trained_heads.load_head_interventions()
    sinks, others = taken.some_moved[:, taken.sizes.tolist().index(20)].mean(axis=-1)
    moved, more = (sinks > 0.2).sum() >= 19, (others > sinks).sum() >= 19
    return {
        "Only the others move it: sink heads do nothing": more and not moved,
        "Both move it, the others farther": moved and more,
        "Both alike": not more and (sinks > others).sum() < 19,
        "The sink heads: they are most of the model": (sinks > others).sum() >= 19,
    }


def predict_search(rng):
    again, control = trained_heads.load_head_interventions().looks.mean(axis=0)
    copy, after, _ = again.max(axis=(1, 2))
    layer, head = np.unravel_index(again[0].argmax(), again[0].shape)
    assert (layer, head) == (2, 9)
    assert (again[0].max().round(2), control[0, 2, 9].round(2)) == (0.68, 0.01)
    return {
        "The word after the copy": after > 0.5,
        "The copy": copy > 0.5,
        "None": max(copy, after) <= 0.5,
    }


def predict_pronoun(rng):
    nouns = [("animal", "street"), ("trophy", "suitcase"), ("ball", "window")]
    read = list(trained_heads.load_pronoun_heads().values())
    changes = 0
    for pair, both in enumerate(nouns):
        leads = []
        for heads in read[2 * pair : 2 * pair + 2]:
            row = softmax(heads.scores)[5, 11]
            first, second = (row[heads.tokens.index(noun)] for noun in both)
            leads.append(first - second)
        changes += leads[0] * leads[1] < 0
    return {"None": changes == 0, "One": changes == 1, "All three": changes == 3}


def predict_shuffle(rng):
    topic_batch = functions("trained-heads", "topic-task", np=np)["topic_batch"]

    def kept(batch, n_symbols, n_classes, n_steps):
        """The share of predictions of a trained model that survive a shuffle of its weights."""
        start = toy_tasks.init_classifier(rng, n_symbols, n_classes)
        params = train(start, partial(batch, rng, 64), n_steps).params
        tokens, targets = batch(rng, 1000)
        result = toy_tasks.token_classifier(tokens, params)
        values = params.embedding[tokens] @ params.w_value

        def predictions(weights):
            output = (weights[:, None] @ values)[:, 0]
            return (output @ params.w_output + params.b_output).argmax(axis=-1)

        weights = result.weights[:, -1]
        before = predictions(weights)
        assert np.array_equal(before, result.logits[:, -1].argmax(axis=-1))
        assert (before == targets[:, -1]).mean() > 0.95  # it is trained
        return (predictions(rng.permuted(weights, axis=-1)) == before).mean()

    topic = kept(topic_batch, 18, 4, 100)
    lookup = kept(lookup_batch, 72, 8, 800)
    return {
        "Topic": topic > lookup + 0.1,
        "Lookup": lookup > topic + 0.1,
        "About the same for both": abs(topic - lookup) < 0.1,
    }
