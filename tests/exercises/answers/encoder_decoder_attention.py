"""Answers to the exercises and the questions of the page on encoder-decoder attention."""

import math
from functools import partial

import numpy as np

from attnbook.models import recurrent_translator
from attnbook.models.transformer_translator import (
    shifted,
    train_translator,
    translation_batch,
    translator,
)
from attnutils import additive_scores, attention


def context(state, states, w_query, w_key, w_score, bend="sum", share=True, shift=True, most=1e9):
    """Additive attention of one state as a learner writes it, with a place for each slip."""
    if bend == "apart":
        hidden = np.tanh(state @ w_query) + np.tanh(states @ w_key)
    else:
        hidden = state @ w_query + states @ w_key
    scores = (np.tanh(hidden) if bend == "sum" else hidden) @ w_score
    if not share:
        return scores @ states
    exponentials = np.exp(np.clip(scores - (scores.max() if shift else 0), -most, most))
    return exponentials / exponentials.sum() @ states


def by_loop(state, states, w_query, w_key, w_score):
    scores = []
    for h in states:
        hidden = [
            math.tanh(sum(state * w_query[:, a]) + sum(h * w_key[:, a]))
            for a in range(len(w_score))
        ]
        scores.append(sum(w * x for w, x in zip(w_score, hidden, strict=True)))
    e = [math.exp(s - max(scores)) for s in scores]
    return [sum(x * h[c] for x, h in zip(e, states, strict=True)) / sum(e) for c in range(3)]


def that_spoils_its_input(state, states, *parameters):
    result = context(state, states, *parameters)
    for array in (state, states, *parameters):
        array[:] = 0
    return result


#: A function with these slips.
slip = partial(partial, context)


def best_alone(state, states, w_query, w_key, w_score):
    return states[np.argmax(np.tanh(state @ w_query + states @ w_key) @ w_score)]


def keys_as_values(state, states, w_query, w_key, w_score):
    return context(state, states @ w_key, w_query, np.eye(len(w_score)), w_score)


def needs_two(state, states, *parameters):
    if len(states) == 1:
        raise ValueError
    return context(state, states, *parameters)


WRITE, SIX = "write-context", "for six states, "

RIGHT = {
    "who-changes": [[2, 1, 0]],
    "zero-state": [[0.3526, 0.5491]],
    "recurrent-steps": [35],
    WRITE: [context, by_loop, that_spoils_its_input],
}  # fmt: skip

WRONG = [
    ("who-changes", [3, 2, 0], "count from 0"),
    ("who-changes", [1, 1, 0], "with the shift, word 1"),
    ("who-changes", [2, 2, 0], "without the shift, word 1"),
    ("who-changes", [2, 1, 2], "without the mask, who may"),
    ("who-changes", [2, 1, 1], "without the mask, may position 0"),
    ("who-changes", [1, 2, 0], "the first two are exchanged"),
    ("who-changes", [0, 0, 0], "at which position"),
    ("who-changes", [2.5, 1, 0], "at which position"),
    ("zero-state", [0, 2 / 3], "equal weights are what a zero query"),
    ("zero-state", [0.2685, 0.4182], "tanh belongs to the score alone"),
    ("zero-state", [0.4049, 0.5317], "the sum goes through tanh"),
    ("zero-state", [0.2161, 0.5946], "w is (2, 2)"),
    ("zero-state", [1.5232, 1.5232], "these are scores times states"),
    ("zero-state", [0.5491, 0.3526], "the scores are 2 tanh a"),
    ("recurrent-steps", 2240, "the sentences of a minibatch"),
    ("recurrent-steps", 3520, "neither the sentences nor"),
    ("recurrent-steps", 55, "the two directions of the encoder"),
    ("recurrent-steps", 20, "the decoder has steps too"),
    ("recurrent-steps", 15, "before the decoder starts"),
    ("recurrent-steps", 300, "one step of the decoder"),
    ("recurrent-steps", 320, "one step of the decoder"),
    ("recurrent-steps", 36, "count what must wait"),
    (WRITE, slip(bend="none"), f"{SIX}the sum is not bent by tanh"),
    (WRITE, slip(bend="apart"), f"{SIX}the query has no effect"),
    (WRITE, slip(share=False), f"{SIX}the scores weigh the states"),
    (WRITE, lambda s, h, *w: h.mean(axis=0), f"{SIX}all states count alike"),
    (WRITE, lambda s, h, *w: h.sum(axis=0), f"{SIX}this is the sum of all"),
    (WRITE, best_alone, f"{SIX}this is the best state alone"),
    (WRITE, keys_as_values, f"{SIX}expected an array of shape (3,)"),
    (
        WRITE,
        lambda *a: (context(*a), np.ones(len(a[1]))),
        f"{SIX}expected an array of shape (3,), got tuple",
    ),
    (WRITE, needs_two, "for a single state, it raises ValueError"),
    (WRITE, slip(shift=False), "for scores in the thousands, NaN comes out"),
    (WRITE, slip(most=500, shift=False), "for several large scores, large scores that are cut off"),
    (WRITE, lambda *a: np.zeros(3), f"{SIX}some numbers are wrong"),
]


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


def predict_states(rng):
    # A rotation of small states: what was changed is not forgotten on the way.
    w_x, words = rng.normal(size=(4, 3), scale=0.2), rng.normal(size=(8, 4))
    w_h = np.linalg.qr(rng.normal(size=(3, 3)))[0]

    def states(words):
        found = [np.zeros(3)]
        for word in words:
            found.append(np.tanh(word @ w_x + found[-1] @ w_h))
        return np.array(found[1:])

    changed = words.copy()
    changed[2] = rng.normal(size=4)
    moved = [t for t in range(8) if not np.allclose(states(words)[t], states(changed)[t])]
    return {
        "$h_2$ alone": moved == [2],
        "$h_2$ to $h_7$": moved == list(range(2, 8)),
        "$h_0$ to $h_2$": moved == [0, 1, 2],
        "All eight": moved == list(range(8)),
    }


def predict_shape(rng):
    decoder = Decoder(rng, n_source=6)
    shape = decoder.context(rng.normal(size=(4, 5))).weights.shape
    return {f"({n_q}, {n_k})": shape == (n_q, n_k) for n_q in (4, 6) for n_k in (4, 6)}


def predict_additive(rng):
    states, state = np.array([[1.0, 0], [0, 1], [-1, 1]]), np.array([1.0, -1])
    assert (states @ state == [1, -1, -2]).all()
    scores = additive_scores(state, states, np.eye(2), np.eye(2), [2.0, 2.0])
    best = np.flatnonzero(np.isclose(scores, scores.max()))
    found = {f"Word {t}": list(best) == [t] for t in range(3)}
    return found | {"All get the same": len(best) == 3}


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
    right = recurrent_translator.load_translation_runs().right
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
    model = recurrent_translator.load_translation_runs().models["attention"]
    away = {kind: [] for kind in kinds}
    for _ in range(100):
        source = recurrent_translator.random_sentence(rng, 1)
        run = recurrent_translator.translate(model, source)
        target, places = recurrent_translator.translate_by_rule(source)
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


def predict_switches(rng):
    # The four trainings, shorter, on a seed that no one chose.
    source, target = translation_batch(rng, 400)
    right = {}
    for is_shifted, is_causal in ((True, True), (True, False), (False, True), (False, False)):
        switches = {"is_shifted": is_shifted, "is_causal": is_causal}
        params = train_translator(np.random.default_rng(0), 250, **switches)
        given = shifted(target) if is_shifted else target
        logits = translator(source, given, params, is_causal=is_causal)
        right[is_shifted, is_causal] = (logits.argmax(axis=-1) == target).mean()
    worst = min(right, key=right.__getitem__)
    return {
        "The one with shift and mask": worst == (True, True),
        "The one with the shift alone": worst == (True, False),
        "The one with the mask alone": worst == (False, True),
        "The one with neither": worst == (False, False),
    }
