"""What a decoder learns with and without the shift and the mask.

Training is exact arithmetic on one machine, and not the same to the last bit on another, where
rounding takes it elsewhere. So two files agree if the means over the seeds do.
"""

import itertools

import numpy as np

from attnbook.models.transformer_translator import (
    HELD_OUT,
    TranslatorParams,
    both_translations,
    shifted,
    train_translator,
    translation_batch,
    translator,
    write_translation,
)
from attnutils import cross_entropy, leaves, with_leaves
from tools.project import ROOT

STORED = ROOT / "attnbook" / "models" / "data" / "transformer_translator.npz"
SEEDS = 20
STEPS = 600
SWITCHES = list(itertools.product([True, False], repeat=2))  # shift, mask
MEASURED = "losses", "taught", "repeats", "written", "sentences"
TESTED = 1000  # sentences with their true translations
CHANGED = 2  # the place at which a wrong word stands, a subject or a time
CLOSE = 0.1  # to each other, the means over the seeds

Arrays = dict[str, np.ndarray]


def measure(
    rng: np.random.Generator, params: TranslatorParams, is_shifted: bool, is_causal: bool
) -> list[np.ndarray]:
    """What one model gets right, in the order of `MEASURED`."""

    def predict(words: np.ndarray) -> np.ndarray:
        given = shifted(words) if is_shifted else words
        return translator(source, given, params, is_causal=is_causal)

    source, target = translation_batch(rng, TESTED)
    logits = predict(target)
    wrong = target.copy()
    kind, word = np.divmod(target[:, CHANGED], 3)
    wrong[:, CHANGED] = 3 * kind + (word + rng.integers(1, 3, size=TESTED)) % 3
    repeats = predict(wrong)[:, CHANGED].argmax(-1) == wrong[:, CHANGED]
    written = write_translation(HELD_OUT, params, is_causal=is_causal)
    # Of the two right translations the one that is nearer.
    same = written[:, None] == both_translations(HELD_OUT)
    nearer = same[np.arange(len(same)), same.sum(-1).argmax(-1)]
    return [
        np.array(cross_entropy(logits, target).loss),
        (logits.argmax(-1) == target).mean(0),
        repeats.mean(),
        nearer.mean(0),
        nearer.all(-1).mean(),
    ]


def rounded(params: TranslatorParams) -> TranslatorParams:
    """The parameters as they are when they were stored."""
    arrays = (x.astype(np.float16).astype(np.float64) for x in leaves(params))
    learned: TranslatorParams = with_leaves(params, arrays)
    return learned


def make(n_seeds: int = SEEDS, n_steps: int = STEPS) -> Arrays:
    """The arrays to store."""
    tables: dict[str, list[list[np.ndarray]]] = {name: [] for name in MEASURED}
    params = []
    for is_shifted, is_causal in SWITCHES:
        rows = []
        for seed in range(n_seeds):
            rng = np.random.default_rng(seed)
            switches = {"is_shifted": is_shifted, "is_causal": is_causal}
            learned = rounded(train_translator(rng, n_steps, **switches))
            rows.append(measure(rng, learned, is_shifted, is_causal))
            if seed == 0:
                params.append(np.concatenate([x.ravel() for x in leaves(learned)]))
            loss, taught, repeats, written, sentences = rows[-1]
            print(
                f"shift {is_shifted:d}, mask {is_causal:d}, seed {seed:2}: loss {loss:.3f}, "
                f"taught {taught.mean():.3f}, repeats {repeats:.3f}, "
                f"written {written.mean():.3f}, sentences {sentences:.3f}",
                flush=True,
            )
        for name, column in zip(MEASURED, zip(*rows, strict=True), strict=True):
            tables[name].append(list(column))
    return {
        "switches": np.array(SWITCHES),
        **{name: np.array(table) for name, table in tables.items()},
        "params": np.array(params).astype(np.float16),
    }


def agree(stored: Arrays, made: Arrays) -> bool:
    """Whether two results have the same shapes, and means over the seeds that are close."""
    return (
        stored.keys() == made.keys()
        and all(stored[name].shape == array.shape for name, array in made.items())
        and all(
            np.allclose(stored[name].mean(axis=1), made[name].mean(axis=1), rtol=0, atol=CLOSE)
            for name in MEASURED
        )
    )
