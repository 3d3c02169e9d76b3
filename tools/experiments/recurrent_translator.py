"""The same translator with attention and without, against the length of the sentence.

All are trained alike: encoder, decoder and scores together, back through all steps of the three
networks. They meet sentences of one to four clauses and are tested on one to six. Without attention
there is a second one, with states twice as wide.

Rounding differs from machine to machine, and training makes much of it. So two files agree if the
mean over the seeds does.
"""

from typing import Any

import numpy as np

from attnbook.models._stored import packed, unpacked
from attnbook.models.layers import of_matrix
from attnbook.models.recurrent_translator import (
    M,
    Translator,
    batch_of,
    forward,
    gates,
    init_translator,
    random_sentence,
)
from attnutils import adam_init, adam_step, cross_entropy, softmax_backward
from tools.project import ROOT

STORED = ROOT / "attnbook" / "models" / "data" / "recurrent_translator.npz"

SEEDS, STEPS = 5, 1000
KINDS = {"attention": (True, M), "last_state": (False, M), "wide": (False, 2 * M)}
BATCH, RATE, LARGEST = 64, 0.01, 1.0  # LARGEST: longer gradients are cut to this length
MOST_TRAINED, MOST_TESTED = 4, 6  # clauses
TESTED = 200  # sentences of each number of clauses
CLOSE = 0.06

Arrays = dict[str, np.ndarray]


def into_gates(
    d_h: np.ndarray, z: np.ndarray, new: np.ndarray, before: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Back through h = before + z (new - before): to what gates and news are made of, to before."""
    d_gate = d_h * (new - before) * z * (1 - z)
    d_new = d_h * z * (1 - new**2)
    return np.concatenate([d_gate, d_new], axis=-1), d_h * (1 - z)


def recurrent_backward(
    x: np.ndarray, h: np.ndarray, w_h: np.ndarray, mask: np.ndarray, d_states: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Gradients of `recurrent`, through time: for its input x, and for w_h."""
    before = np.concatenate([np.zeros_like(h[:, :1]), h[:, :-1]], axis=1)
    z, new = gates(x, before, w_h)
    z = z * mask[..., None]
    d_x = np.empty_like(x)
    d_h = np.zeros_like(h[:, 0])
    for t in reversed(range(h.shape[1])):
        d_x[:, t], kept = into_gates(d_h + d_states[:, t], z[:, t], new[:, t], before[:, t])
        d_h = kept + d_x[:, t] @ w_h.T
    return d_x, of_matrix(before, d_x)


def loss_and_gradients(
    p: Translator, tokens: np.ndarray, targets: np.ndarray
) -> tuple[float, Translator]:
    """The cross-entropy with teacher forcing, and its gradient: forward, and all the way back."""
    run = forward(p, tokens, targets)
    d, d_s, m = p.french.shape[1], p.w_start.shape[1], p.left_h.shape[0]
    loss, d_logits = cross_entropy(run.logits, targets)
    before, after = run.states[:, :-1], run.states[:, 1:]
    d_found = d_logits @ p.w_word.T
    d_states, d_contexts = d_found[..., :d_s], d_found[..., d_s:].copy()

    x = np.concatenate([p.french[run.before], run.contexts], axis=-1)
    z, new = gates(x @ p.decoder_x + p.decoder_b, before, p.decoder_h)
    d_gates = np.empty((*z.shape[:-1], 2 * d_s), z.dtype)
    d_s_now, d_read = np.zeros_like(before[:, 0]), np.zeros_like(run.read)
    scores = _Scores(p, run.read) if p.w_query is not None else None
    for step in reversed(range(targets.shape[1])):
        d_s_now = d_s_now + d_states[:, step]
        parts = z[:, step], new[:, step], before[:, step]
        d_gates[:, step], d_s_now = into_gates(d_s_now, *parts)
        d_s_now += d_gates[:, step] @ p.decoder_h.T
        d_contexts[:, step] += d_gates[:, step] @ p.decoder_x[d:].T
        if scores is not None:
            weights, d_context = run.weights[:, step], d_contexts[:, step, None]
            d_read += weights[..., None] * d_context
            d_scores = softmax_backward(weights, (run.read * d_context).sum(-1))
            d_s_now += scores.backward(before[:, step], d_scores)

    d_start = d_s_now * (1 - before[:, 0] ** 2)
    d_last = d_start @ p.w_start.T
    of_scores: list[Any] = []
    if scores is None:
        d_last += d_contexts.sum(1)
    else:
        d_read += scores.d_keys @ p.w_key.T
        of_scores = [scores.d_w_query, of_matrix(run.read, scores.d_keys), scores.d_w_score]

    d_left, d_right = d_read[..., :m].copy(), d_read[:, ::-1, m:].copy()
    d_left[:, -1] += d_last[:, :m]
    d_right[:, -1] += d_last[:, m:]
    turned, turned_mask = run.embedded[:, ::-1], run.mask[:, ::-1]
    left_x, right_x = run.embedded @ p.left_x + p.left_b, turned @ p.right_x + p.right_b
    d_left_x, d_left_h = recurrent_backward(left_x, run.left, p.left_h, run.mask, d_left)
    d_right_x, d_right_h = recurrent_backward(right_x, run.right, p.right_h, turned_mask, d_right)

    d_english, d_french = np.zeros_like(p.english), np.zeros_like(p.french)
    np.add.at(d_english, tokens, d_left_x @ p.left_x.T + (d_right_x @ p.right_x.T)[:, ::-1])
    np.add.at(d_french, run.before, d_gates @ p.decoder_x[:d].T)
    return loss, Translator(
        *(d_english, d_french),
        *(of_matrix(run.embedded, d_left_x), d_left_h, d_left_x.sum((0, 1))),
        *(of_matrix(turned, d_right_x), d_right_h, d_right_x.sum((0, 1))),
        run.last.T @ d_start,
        *(of_matrix(x, d_gates), of_matrix(before, d_gates), d_gates.sum((0, 1))),
        of_matrix(np.concatenate([after, run.contexts], axis=-1), d_logits),
        *of_scores,
    )


class _Scores:
    """The way back through additive scores, step by step; what belongs to all steps adds up."""

    def __init__(self, p: Translator, read: np.ndarray) -> None:
        self.p = p
        self.keys = read @ p.w_key  # (B, n_k, d_a)
        self.d_keys = np.zeros_like(self.keys)
        self.d_w_query, self.d_w_score = np.zeros_like(p.w_query), np.zeros_like(p.w_score)

    def backward(self, query: np.ndarray, d_scores: np.ndarray) -> np.ndarray:
        """The gradient of the query (B, d_s) from that of its scores (B, n_k)."""
        hidden = np.tanh((query @ self.p.w_query)[:, None] + self.keys)
        self.d_w_score += of_matrix(hidden, d_scores[..., None])[:, 0]
        d_hidden = d_scores[..., None] * self.p.w_score * (1 - hidden**2)
        self.d_keys += d_hidden
        summed = d_hidden.sum(1)
        self.d_w_query += query.T @ summed
        return np.asarray(summed @ self.p.w_query.T)


def trained(seed: int, *, attends: bool, steps: int = STEPS, m: int = M) -> Translator:
    """Teach a translator; its numbers are as they are stored."""
    rng = np.random.default_rng(seed)
    model = [x for x in init_translator(rng, attends=attends, m=m) if x is not None]
    state = adam_init(model)
    for step in range(steps):
        n_clauses = int(rng.integers(1, MOST_TRAINED + 1))
        sources = [random_sentence(rng, n_clauses) for _ in range(BATCH)]
        tokens, targets, _ = batch_of(sources)
        _, gradients = loss_and_gradients(Translator(*model), tokens, targets)
        arrays = [x for x in gradients if x is not None]
        length = np.sqrt(sum(float((x**2).sum()) for x in arrays))
        arrays = [x * np.float32(min(1, LARGEST / length)) for x in arrays]
        rate = RATE * max(0.1, 1 - step / steps)
        model, state = adam_step(model, arrays, state, learning_rate=rate)
    return Translator(*unpacked(model, *packed(model)))


def tested(model: Translator, seed: int) -> tuple[list[float], list[float], float]:
    """By number of clauses: mean words of a sentence, share of sentences right; words aligned."""
    rng = np.random.default_rng(1000 + seed)
    lengths, right, aligned = [], [], float("nan")
    for n_clauses in range(1, MOST_TESTED + 1):
        sources = [random_sentence(rng, n_clauses) for _ in range(TESTED)]
        tokens, targets, places = batch_of(sources)
        run = forward(model, tokens, n_steps=targets.shape[1])
        asked = targets >= 0
        lengths.append((tokens >= 0).sum() / TESTED)
        right.append(float(((run.words == targets) | ~asked).all(1).mean()))
        if n_clauses == 1 and run.weights is not None:
            aligned = float((run.weights.argmax(-1) == places)[asked].mean())
    return lengths, right, aligned


def make(n_seeds: int = SEEDS, steps: int = STEPS) -> Arrays:
    """The arrays to store."""
    models: Arrays = {}
    right, aligned = np.zeros((len(KINDS), n_seeds, MOST_TESTED)), np.zeros(n_seeds)
    lengths = np.zeros((n_seeds, MOST_TESTED))
    for kind, (name, (attends, m)) in enumerate(KINDS.items()):
        for seed in range(n_seeds):
            model = trained(seed, attends=attends, steps=steps, m=m)
            lengths[seed], right[kind, seed], share = tested(model, seed)
            if attends:
                aligned[seed] = share
            if seed == 0 and m == M:
                arrays = [x for x in model if x is not None]
                models[f"{name}_codes"], models[f"{name}_scales"] = packed(arrays)
            print(f"{name}, seed {seed}: {right[kind, seed]}", flush=True)
    return {
        "lengths": lengths.mean(0),
        "right": right,
        "aligned": aligned,
        **models,
    }


def agree(stored: Arrays, made: Arrays) -> bool:
    """Whether two results have the same shapes, and shares that are close in the mean."""
    return (
        stored.keys() == made.keys()
        and all(stored[name].shape == array.shape for name, array in made.items())
        and all(
            np.allclose(stored[name].mean(axis), made[name].mean(axis), rtol=0, atol=CLOSE)
            for name, axis in (("right", 1), ("aligned", 0))
        )
    )
