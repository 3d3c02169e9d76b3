"""How many heads it takes to answer two questions at once.

Training is exact arithmetic on one machine, and not the same to the last bit on another, where
rounding takes it elsewhere. So two files agree if the mean over the seeds does.
"""

import numpy as np

from attnbook.models.binding import binding_share, train_binding
from tools.project import ROOT

STORED = ROOT / "attnbook" / "models" / "data" / "binding.npz"
SEEDS = 20
STEPS, LONG_STEPS = 1000, 5000
SIZES = [(d, 2**power) for d in (8, 16, 32) for power in range(d.bit_length())]
LONG_SIZES = [(8, 1), (8, 8)]
WIDTH = 8  # of the parameters that are stored
CLOSE = 0.05  # to each other, the means of a share over the seeds

Arrays = dict[str, np.ndarray]


def run(d: int, n_heads: int, seed: int, n_steps: int) -> tuple[float, list[np.ndarray]]:
    """What a training of one seed comes to: its share, and its matrices as they are stored."""
    rng = np.random.default_rng(seed)
    learned = train_binding(rng, n_heads, d, n_steps)
    tables = [x.astype(np.float16) for x in learned[:4]]
    rounded = type(learned)(*(x.astype(np.float64) for x in tables))
    return binding_share(rng, rounded, n_heads), [*tables[:3], tables[3].T]


def make(n_seeds: int = SEEDS, steps: tuple[int, int] = (STEPS, LONG_STEPS)) -> Arrays:
    """The arrays to store."""
    params = {}
    tables = []
    for sizes, n_steps in zip((SIZES, LONG_SIZES), steps, strict=True):
        shares = np.zeros((len(sizes), n_seeds))
        for row, (d, n_heads) in zip(shares, sizes, strict=True):
            for seed in range(n_seeds):
                row[seed], learned = run(d, n_heads, seed, n_steps)
                if d == WIDTH and seed == 0 and sizes is SIZES:
                    params[n_heads] = np.stack(learned)
            text = f"d = {d:2}, {n_heads:2} heads, {n_steps} steps: {row.min():.3f} {row.max():.3f}"
            print(text, flush=True)
        tables.append(shares)
    return {
        "sizes": np.array(SIZES),
        "shares": tables[0],
        "long_sizes": np.array(LONG_SIZES),
        "long_shares": tables[1],
        "n_heads": np.array(list(params)),
        "params": np.stack(list(params.values())),
    }


def agree(stored: Arrays, made: Arrays) -> bool:
    """Whether two results have the same shapes, and shares that are close in the mean."""
    return (
        stored.keys() == made.keys()
        and all(stored[name].shape == array.shape for name, array in made.items())
        and all(
            np.allclose(stored[name].mean(axis=-1), made[name].mean(axis=-1), rtol=0, atol=CLOSE)
            for name in ("shares", "long_shares")
        )
    )
