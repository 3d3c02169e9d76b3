"""Proofs of the questions of the page on trained heads."""

from functools import partial

import numpy as np

from attnutils import (
    init_classifier,
    load_head_interventions,
    load_trained_heads,
    softmax,
    token_classifier,
)
from attnutils.toy_tasks import lookup_batch, train
from tests.book.test_lessons import functions

PAGE = "trained-heads"
HEADS = load_trained_heads()
WEIGHTS = {sentence: softmax(heads.scores) for sentence, heads in HEADS.items()}
# From words to [CLS], by weight, for each sentence and head; [CLS] and [SEP] do not ask.
TO_CLS = np.array([a[:, :, 1:-1, 0].mean(axis=-1) for a in WEIGHTS.values()])


def predict_sink(rng):
    lengths = {len(heads.tokens) for heads in HEADS.values()}
    assert (min(lengths), max(lengths)) == (8, 11)
    share = TO_CLS[:, 1:5].mean()
    return {
        "Almost nothing": share < 0.05,
        "About a tenth": abs(share - 0.1) < 0.05,
        "More than half": share > 0.5,
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
    masked = load_head_interventions().token_masked[0]
    words = masked[1:-1]
    assert (words.min().round(2), words.max().round(2)) == (0.11, 0.50)
    return {
        "By about .1, as silencing did": abs(masked[0] - 0.1) < 0.05,
        "By about .3, as a word may": abs(masked[0] - 0.3) < 0.15,
        "By about .9, farther than a word": abs(masked[0] - 0.9) < 0.05,
    }


def predict_deleted(rng):
    taken = load_head_interventions()
    sinks, others = taken.some_moved[:, taken.sizes.tolist().index(20)].mean(axis=-1)
    moved, more = (sinks > 0.2).sum() >= 19, (others > sinks).sum() >= 19
    return {
        "Only the others move it: sink heads do nothing": more and not moved,
        "Both move it, the others farther": moved and more,
        "Both alike: a head is a head": not more and (sinks > others).sum() < 19,
        "The sink heads: they are most of the model": (sinks > others).sum() >= 19,
    }


def predict_shuffle(rng):
    topic_batch = functions(PAGE, "topic-task", np=np)["topic_batch"]

    def kept(batch, n_symbols, n_classes, n_steps):
        """The share of predictions of a trained model that survive a shuffle of its weights."""
        start = init_classifier(rng, n_symbols, n_classes)
        params = train(start, partial(batch, rng, 64), n_steps).params
        tokens, targets = batch(rng, 1000)
        result = token_classifier(tokens, params)
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
    lookup = kept(lookup_batch, 72, 8, 400)
    return {
        "Topic": topic > lookup + 0.1,
        "Lookup": lookup > topic + 0.1,
        "About the same for both": abs(topic - lookup) < 0.1,
    }
