"""Digits in patches, with positions and without, scrambled, with patches hidden; and plain rivals.

Each is trained from 20 seeds, each with 450 other pictures held out. Rounding takes a training
elsewhere on another machine, so two files agree if the means over the seeds do.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from attnbook.models._stored import packed
from attnbook.models.digits import (
    N_HEADS,
    N_HELD_OUT,
    N_PATCHES,
    PatchParams,
    init_patch_reader,
    load_digits,
    patches,
    read_patches,
    scrambled,
    split_digits,
)
from attnbook.models.language import block
from attnbook.models.layers import attend, norm, of_bias, of_matrix, training
from attnutils import causal_mask, cross_entropy
from attnutils.gradients import leaves
from tools.experiments.number_sets import falling, last
from tools.project import ROOT

STORED = ROOT / "attnbook" / "models" / "data" / "digit_runs.npz"
SEEDS, STEPS, BATCH = 20, 500, 32
CLOSE = 0.03
MOST_HIDDEN = 12

Arrays = dict[str, np.ndarray]


def scrambled_anew(rng: np.random.Generator, tokens: np.ndarray) -> np.ndarray:
    """The patches of each picture in an order of its own."""
    order = rng.random(tokens.shape[:2]).argsort(axis=1)
    return np.take_along_axis(tokens, order[..., None], axis=1)


class Trial(NamedTuple):
    """What is changed: the pictures, the patches of a batch, the mask, positions, queries."""

    pictures: Callable[[np.ndarray], np.ndarray] = lambda x: x
    tokens: Callable[[np.random.Generator, np.ndarray], np.ndarray] = lambda rng, x: x
    mask: np.ndarray | None = None
    has_positions: bool = True
    n_queries: int = 1


TRIALS = {
    "positions": Trial(),
    "scrambled alike": Trial(pictures=scrambled),
    "no positions": Trial(has_positions=False),
    "no positions, causal": Trial(has_positions=False, mask=causal_mask(N_PATCHES)),
    "patches scrambled anew": Trial(tokens=scrambled_anew),
    "4 queries": Trial(n_queries=4),
}
# A network with so many hidden units, or a 3 x 3 convolution with so many channels.
RIVALS = {"linear": 0, "network": 64, "convolution": 16}
RIVALS_SCRAMBLED = "convolution, scrambled alike"


@cache
def data() -> tuple[np.ndarray, np.ndarray]:
    pictures, digits = load_digits()
    return pictures.astype(np.float32), digits


# -- the reader of patches


def logits_and_back(
    tokens: np.ndarray, p: PatchParams, trial: Trial
) -> tuple[np.ndarray, Callable[[np.ndarray], PatchParams]]:
    """The logits of `read_patches`, and their way back."""
    x, back_block = block(tokens @ p.w_in + p.positions, p.block, N_HEADS, trial.mask)
    z, back_norm = norm(x, p.norm)
    asked = np.broadcast_to(p.query, (len(tokens), *p.query.shape))
    found, back_reader = attend(asked, z, p.reader, N_HEADS)
    read = found.reshape(len(tokens), -1)

    def back(d: np.ndarray) -> PatchParams:
        d_asked, d_z, d_reader = back_reader((d @ p.w_class.T).reshape(found.shape))
        d_x, d_norm = back_norm(d_z)
        d_in, d_block = back_block(d_x)
        return PatchParams(
            of_matrix(tokens, d_in),
            d_in.sum(axis=0) * np.float32(trial.has_positions),
            d_block,
            d_norm,
            d_asked.sum(axis=0),
            d_reader,
            of_matrix(read, d),
            of_bias(d),
        )

    return read @ p.w_class + p.b_class, back


def start(rng: np.random.Generator, trial: Trial) -> PatchParams:
    p = init_patch_reader(rng)
    if not trial.has_positions:
        p = p._replace(positions=np.zeros_like(p.positions))
    if trial.n_queries > 1:
        d = p.query.shape[1]
        query = rng.standard_normal((trial.n_queries, d))
        w_class = rng.standard_normal((trial.n_queries * d, 10)) / np.sqrt(trial.n_queries * d)
        p = p._replace(query=query.astype(np.float32), w_class=w_class.astype(np.float32))
    return p


def train(seed: int, trial: Trial, learned: np.ndarray, n_steps: int) -> PatchParams:
    """Train on the pictures with these places in the file."""
    rng = np.random.default_rng(seed)
    pictures, digits = data()
    every = patches(trial.pictures(pictures))

    def gradients(p: PatchParams) -> tuple[float, PatchParams]:
        chosen = learned[rng.integers(len(learned), size=BATCH)]
        logits, back = logits_and_back(trial.tokens(rng, every[chosen]), p, trial)
        loss, d_logits = cross_entropy(logits, digits[chosen])
        return loss, back(d_logits)

    first = start(rng, trial)
    params: PatchParams = last(
        training(first, gradients, falling(0.005, n_steps), beta_2=0.98), first
    )
    return params


def share_right(
    seed: int, params: PatchParams, trial: Trial, held_out: np.ndarray, hidden: Any = None
) -> float:
    pictures, digits = data()
    tokens = patches(trial.pictures(pictures[held_out]))
    tokens = trial.tokens(np.random.default_rng(2000 + seed), tokens)
    logits, _ = read_patches(tokens, params, mask=trial.mask, hidden=hidden)
    return float((logits.argmax(axis=1) == digits[held_out]).mean())


def hiding(seed: int, params: PatchParams, held_out: np.ndarray) -> list[list[float]]:
    """The share right with 0 to 12 patches hidden, in four orders."""
    pictures, _ = data()
    tokens = patches(pictures[held_out])
    looked = read_patches(tokens, params)[1].mean(axis=(1, 2))  # (B, 16): the mean of the heads
    ink = tokens.sum(axis=2)
    chance = np.random.default_rng(3000 + seed).random(ink.shape)
    shares = []
    for first in (looked, ink, chance, -looked):
        rank = (-first).argsort(axis=1).argsort(axis=1)
        shares.append(
            [
                share_right(seed, params, TRIALS["positions"], held_out, rank < k)
                for k in range(MOST_HIDDEN + 1)
            ]
        )
    return shares


def ink_and_weight(params: PatchParams, held_out: np.ndarray) -> float:
    """The correlation of what a patch gets and how much ink it has."""
    pictures, _ = data()
    tokens = patches(pictures[held_out])
    looked = read_patches(tokens, params)[1].mean(axis=(1, 2))
    return float(np.corrcoef(looked.ravel(), tokens.sum(axis=2).ravel())[0, 1])


def moved(pictures: np.ndarray) -> np.ndarray:
    """Pictures one pixel to the right; what leaves them is lost."""
    return np.pad(pictures, ((0, 0), (0, 0), (1, 0)))[..., :-1]


# -- plain rivals


def windows(pictures: np.ndarray) -> np.ndarray:
    """All 36 pieces of 3 x 3 pixels of each picture: (B, 36, 9)."""
    cut = np.lib.stride_tricks.sliding_window_view(pictures, (3, 3), (1, 2))
    return cut.reshape(len(pictures), 36, 9)


def rival(seed: int, name: str, learned: np.ndarray, n_steps: int) -> tuple[Any, int]:
    """A function from places in the file to guesses, and the number of parameters."""
    kind, _, is_scrambled = name.partition(", ")
    n_hidden = RIVALS[kind]
    rng = np.random.default_rng(seed)
    pictures, digits = data()
    if is_scrambled:
        pictures = scrambled(pictures)
    every = windows(pictures) if kind == "convolution" else pictures.reshape(-1, 1, 64)
    n_in, n_out = every.shape[2], every.shape[1] * n_hidden or 64

    def matrix(rows: int, columns: int, size: float) -> np.ndarray:
        return (rng.standard_normal((rows, columns)) * size).astype(np.float32)

    zeros = np.zeros((n_out, 10), np.float32)
    first = [zeros, np.zeros(10, np.float32)]
    if n_hidden:
        first = [matrix(n_in, n_hidden, np.sqrt(2 / n_in)), np.zeros(n_hidden, np.float32)]
        first += [matrix(n_out, 10, 1 / np.sqrt(n_out)), np.zeros(10, np.float32)]

    def run(chosen: np.ndarray, p: list[np.ndarray]) -> tuple[np.ndarray, Any]:
        x = every[chosen]
        hidden = np.maximum(x @ p[0] + p[1], 0) if n_hidden else x
        flat = hidden.reshape(len(x), -1)

        def back(d: np.ndarray) -> list[np.ndarray]:
            found = [of_matrix(flat, d), of_bias(d)]
            if n_hidden:
                d_hidden = (d @ p[2].T).reshape(hidden.shape) * (hidden > 0)
                found = [of_matrix(x, d_hidden), of_bias(d_hidden), *found]
            return found

        return flat @ p[-2] + p[-1], back

    def gradients(p: list[np.ndarray]) -> tuple[float, list[np.ndarray]]:
        chosen = learned[rng.integers(len(learned), size=BATCH)]
        logits, back = run(chosen, p)
        loss, d_logits = cross_entropy(logits, digits[chosen])
        return loss, back(d_logits)

    params = last(training(first, gradients, falling(0.005, n_steps), beta_2=0.98), first)
    return lambda chosen: run(chosen, params)[0].argmax(axis=1), sum(x.size for x in params)


def make(n_seeds: int = SEEDS, n_steps: int = STEPS) -> Arrays:
    """The arrays to store."""
    _, digits = data()
    right: dict[str, list[float]] = {}
    by_file: dict[str, list[float]] = {}
    sizes: dict[str, int] = {}
    models: list[PatchParams] = []
    hidden, ink, after_moving = [], [], []
    in_order = np.arange(len(digits))
    first, final = in_order[:-N_HELD_OUT], in_order[-N_HELD_OUT:]
    for seed in range(n_seeds):
        learned, held_out = split_digits(seed)
        for name, trial in TRIALS.items():
            params = train(seed, trial, learned, n_steps)
            right.setdefault(name, []).append(share_right(seed, params, trial, held_out))
            size = sum(x.size for x in leaves(params))
            sizes[name] = size if trial.has_positions else size - params.positions.size
            if seed == 0 and name in ("positions", "scrambled alike"):
                models.append(params)
            if name == "positions":
                hidden.append(hiding(seed, params, held_out))
                ink.append(ink_and_weight(params, held_out))
                elsewhere = trial._replace(pictures=moved)
                after_moving.append(share_right(seed, params, elsewhere, held_out))
                other = train(seed, trial, first, n_steps)
                by_file.setdefault(name, []).append(share_right(seed, other, trial, final))
        for name in (*RIVALS, RIVALS_SCRAMBLED):
            guess, sizes[name] = rival(seed, name, learned, n_steps)
            share = float((guess(held_out) == digits[held_out]).mean())
            right.setdefault(name, []).append(share)
            if name in ("network", "convolution"):
                guess, _ = rival(seed, name, first, n_steps)
                share = float((guess(final) == digits[final]).mean())
                by_file.setdefault(name, []).append(share)
        print(f"seed {seed}:", {name: round(row[-1], 3) for name, row in right.items()}, flush=True)
    codes, scales = zip(*(packed(list(leaves(params))) for params in models), strict=True)
    return {
        "right_names": np.array(list(right)),
        "right": np.array(list(right.values()), np.float32),
        "sizes": np.array([sizes[name] for name in right]),
        "last_names": np.array(list(by_file)),
        "last": np.array(list(by_file.values()), np.float32),
        "hidden": np.array(hidden, np.float32).swapaxes(0, 1),
        "ink": np.array(ink, np.float32),
        "moved": np.array(after_moving, np.float32),
        "codes": np.array(codes),
        "scales": np.array(scales),
    }


def agree(stored: Arrays, made: Arrays) -> bool:
    """Whether two results have the same shapes, and shares that are close in the mean."""
    return (
        stored.keys() == made.keys()
        and all(stored[name].shape == array.shape for name, array in made.items())
        and all(
            np.allclose(
                stored[name].mean(axis=axis), made[name].mean(axis=axis), rtol=0, atol=CLOSE
            )
            for name, axis in (("right", 1), ("last", 1), ("hidden", 1), ("ink", 0), ("moved", 0))
        )
    )
