"""Proofs of the questions of the page on encoder-decoder attention."""

import numpy as np

from attnutils import additive_scores, attention
from tests.book.test_lessons import cell, source


class Decoder:
    """The decoder of the page with random parameters: state 5, embedding 4, encoder states 6."""

    def __init__(self, rng, n_source):
        self.h = rng.normal(size=(n_source, 6))
        self.w_q, self.w_k = rng.normal(size=(5, 3)), rng.normal(size=(6, 3))
        self.w = rng.normal(size=3)
        self.w_s, self.w_y, self.w_c = (rng.normal(size=(d, 5)) for d in (5, 4, 6))

    def context(self, query):
        def scores(q, k):
            return additive_scores(q, k, self.w_q, self.w_k, self.w)

        return attention(query, self.h, self.h, scores=scores)

    def state(self, before, word, context):
        return np.tanh(before @ self.w_s + word @ self.w_y + context @ self.w_c)


def predict_shape(rng):
    source, target = rng.normal(size=(6, 5)), rng.normal(size=(4, 5))
    shape = attention(target, source, source).weights.shape
    return {text: str(shape) == text for text in ("(6, 4)", "(4, 6)", "(4, 4)", "(6, 6)")}


def predict_previous(rng):
    decoder = Decoder(rng, n_source=6)
    before, word = rng.normal(size=5), rng.normal(size=4)
    context, weights = decoder.context(before)
    state = decoder.state(before, word, context)
    another_context = decoder.state(before, word, context + 1)
    needs_context = not np.allclose(state, another_context)
    # What cannot be computed is whether it was meant. The formula on the page has the older state
    # in the query and the newer one on the left, as equations 5 and 6 of Bahdanau's paper.
    formulas = source(cell("encoder-decoder-attention", "bahdanau"))
    as_meant = (
        r"e_{t't} &= \tanh(\mathbf s_{t'-1} W_q" in formulas
        and r"\mathbf s_{t'} = \tanh(" in formulas
        and r"\mathbf c_{t'} W_c" in formulas
    )
    return {
        "It is a typo": not as_meant,
        "The state at $t'$ needs this context": needs_context,
        # The newer state is made of the older one and of the context, which that one lacks.
        "The older state knows more": not needs_context,
        "To hide the future": np.any(weights == 0),
    }


def predict_contexts(rng):
    def at_once(n_source, n_target):
        """Whether no context of a known target depends on the one before."""
        decoder, words = Decoder(rng, n_source), rng.normal(size=(n_target, 4))

        def contexts(moved_by):
            state, found = np.zeros(5), []
            for t, word in enumerate(words):
                context = decoder.context(state).output + (moved_by if t == 0 else 0)
                state = decoder.state(state, word, context)
                found.append(context)
            return np.array(found[1:])

        return np.allclose(contexts(0), contexts(1), rtol=0, atol=1e-12)

    same, other = at_once(5, 5), at_once(6, 4)
    return {
        "Yes, teacher forcing gives all the words": same and other,
        "No": not same and not other,
        "Yes, the encoder's states are all there": same and other,
        "Only if both sentences have the same length": same and not other,
    }
