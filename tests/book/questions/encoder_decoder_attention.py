"""Proofs of the questions of the page on encoder-decoder attention."""

import numpy as np

from attnutils import additive_scores, attention
from attnutils.translation import (
    load_translation_runs,
    random_sentence,
    translate,
    translate_by_rule,
)


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


def predict_previous(rng):
    decoder = Decoder(rng, n_source=6)
    before, word = rng.normal(size=5), rng.normal(size=4)
    context, weights = decoder.context(before)
    state = decoder.state(before, word, context)
    another_context = decoder.state(before, word, context + 1)
    needs_context = not np.allclose(state, another_context)
    return {
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


def predict_famous(rng):
    right = load_translation_runs().right
    look_back, alone = (right[name][:, 3] for name in ("attention", "last state"))
    nearly_all = (look_back > 0.95).all()

    def about_half(x):
        return bool(((x > 0.3) & (x < 0.7)).all())

    return {
        "Nearly all with attention, hardly any without": nearly_all and (alone < 0.05).all(),
        "Nearly all with attention, about half without": nearly_all and about_half(alone),
        "Nearly all with either": nearly_all and (alone > 0.95).all(),
        "About half with either": about_half(look_back) and about_half(alone),
    }


def predict_look(rng):
    kinds = {
        "nouns": {"cat", "dog", "wolf"},
        "adjectives": {"black", "white", "grey"},
        "adverbs": {"often", "always"},
        "articles": {"a", "the"},
        "verbs": {"watching", "following"},
    }
    model = load_translation_runs().models["attention"]
    away = {kind: [] for kind in kinds}
    for _ in range(100):
        source = random_sentence(rng, 1)
        run = translate(model, source)
        target, places = translate_by_rule(source)
        assert run.words == target
        for place, most in zip(places, run.weights.argmax(axis=-1), strict=True):
            for kind, members in kinds.items():
                if source[place] in members:
                    away[kind].append(place != most)
    often = {kind for kind, found in away.items() if np.mean(found) > 0.2}
    return {
        "In none: who writes the right word has looked at the right place": not often,
        "In adjectives and nouns, which change places": often == {"adjectives", "nouns"},
        "In articles and verbs": often == {"articles", "verbs"},
        "In adverbs, which change places with the verb": often == {"adverbs"},
    }
