"""Learned queries on sets: smallest, mean and largest; counting; who names which dot.

Each is trained from seeds that nobody chose. Rounding takes a training elsewhere on another
machine, so two files agree if the means over the seeds do.
"""

import itertools
from typing import Any, NamedTuple

import numpy as np

from attnbook.models.language import block
from attnbook.models.layers import attend, network, norm, of_bias, of_matrix, training
from attnbook.models.number_sets import number_sets, read_sets, train_set_reader
from attnutils import MultiHeadParams
from attnutils.gradients import softmax_backward
from attnutils.transformer import EncoderParams, FeedForwardParams, LayerNormParams
from tools.project import ROOT

STORED = ROOT / "attnbook" / "models" / "data" / "number_sets.npz"
SEEDS, FEW_SEEDS = 20, 10
N_QUERIES = (1, 2, 3, 4, 5)
STEPS, COUNT_STEPS, DOT_STEPS = 1500, 2000, 1200
TESTED = 2000  # sets
CLOSE = {"errors": 0.02, "counted": 0.05, "distances": 0.05, "apart": 0.05}

Arrays = dict[str, np.ndarray]


def falling(top: float, n_steps: int) -> list[float]:
    """Learning rates: up over 30 steps, then down as half a wave of a cosine."""
    steps = np.arange(n_steps)
    wave = (1 + np.cos(np.pi * steps / max(n_steps, 1))) / 2
    rates: list[float] = (top * np.minimum(1, (steps + 1) / 30) * (0.97 * wave + 0.03)).tolist()
    return rates


def last(steps: Any, start: Any) -> Any:
    """What is learned when all steps are done."""
    learned = start
    for params, _ in steps:
        learned = params
    return learned


# -- smallest, mean and largest


def extremes(seed: int, n_queries: int, n_steps: int) -> tuple[np.ndarray, np.ndarray]:
    """The errors of one training, and the slopes of its queries, from the lowest."""
    params = train_set_reader(np.random.default_rng(seed), n_queries, n_steps)
    numbers, is_there, answers = number_sets(np.random.default_rng(1000 + seed), TESTED)
    said, _ = read_sets(numbers, is_there, params)
    slopes = np.full(max(N_QUERIES), np.nan)
    slopes[:n_queries] = np.sort(params.query[:, 0])
    return np.sqrt(((said - answers) ** 2).mean(axis=0)), slopes


# -- counting: red, green and blue things, up to ten of each


class CountParams(NamedTuple):
    """A score for each colour, which one query gives, and a small network that reads the shares."""

    scores: np.ndarray
    network: FeedForwardParams


KINDS = "attention", "with a key of zeros", "a plain sum"


def things(rng: np.random.Generator, n: int) -> np.ndarray:
    """How many are red, green and blue in each of n sets; a set is never empty."""
    counts = rng.integers(11, size=(n, 3))
    counts[counts.sum(axis=1) == 0, 1] = 1
    return counts.astype(float)


def shares(counts: np.ndarray, scores: np.ndarray, kind: str) -> np.ndarray:
    """What the query returns, if a value says the colour: equal keys add up their weights."""
    parts = counts * np.exp(scores)
    if kind == "a plain sum":
        return parts / 10
    more = 1 if kind == "with a key of zeros" else 0  # its score is 0, its value is 0
    return parts / (parts.sum(axis=1, keepdims=True) + more)


def count_gradients(
    counts: np.ndarray, p: CountParams, kind: str
) -> tuple[float, np.ndarray, CountParams]:
    """The mean square error of what is counted, what is said, and the gradients."""
    given = shares(counts, p.scores, kind)
    said, back = network(given, p.network)
    off = said - counts[:, :1]
    d_given, d_network = back(2 * off / len(off))
    d_scores = given * d_given if kind == "a plain sum" else softmax_backward(given, d_given)
    return float((off**2).mean()), said, CountParams(d_scores.sum(axis=0), d_network)


def counting(seed: int, kind: str, n_steps: int) -> tuple[float, list[float]]:
    """The share that is counted right, and the errors on sets as trained and on larger ones."""
    rng = np.random.default_rng(seed)
    w_in, w_out = rng.standard_normal((3, 16)), rng.standard_normal((16, 1)) / 4
    start = CountParams(np.zeros(3), FeedForwardParams(w_in, np.zeros(16), w_out, np.full(1, 5.0)))

    def gradients(p: CountParams) -> tuple[float, CountParams]:
        loss, _, found = count_gradients(things(rng, 64), p, kind)
        return loss, found

    learned = last(training(start, gradients, falling(0.02, n_steps), beta_2=0.98), start)
    new = things(np.random.default_rng(1000 + seed), TESTED)
    errors = [np.sqrt(count_gradients(many, learned, kind)[0]) for many in (new, 2 * new)]
    said = count_gradients(new, learned, kind)[1]
    return float((np.rint(said) == new[:, :1]).mean()), errors


# -- three red dots among five blue ones: three queries name a place each


class DotParams(NamedTuple):
    """A block, three queries that read it, and a linear map from what they return to a place."""

    w_in: np.ndarray
    block: EncoderParams
    norm: LayerNormParams
    query: np.ndarray
    reader: MultiHeadParams
    w_place: np.ndarray
    b_place: np.ndarray


ORDERS = np.array(list(itertools.permutations(range(3))))
WAYS = "matched", "from left to right", "in random order"
N_HEADS = 4


def dots(rng: np.random.Generator, n: int) -> tuple[np.ndarray, np.ndarray]:
    """What is known of eight dots in each of n pictures, (n, 8, 9), and where the red ones are."""
    places = rng.random((n, 8, 2))
    red = np.zeros((n, 8, 1))
    red[np.arange(n)[:, None], rng.random((n, 8)).argsort(axis=1)[:, :3]] = 1
    c = places - 0.5
    bent = 8 * c**2, 8 * c[..., :1] * c[..., 1:]
    features = np.concatenate([4 * c, *bent, red, red * 4 * c, np.ones_like(red)], axis=-1)
    return features, places[red[..., 0] > 0].reshape(n, 3, 2)


def nearest(named: np.ndarray, wanted: np.ndarray) -> np.ndarray:
    """The wanted places in that of their six orders which is nearest to what was named."""
    costs = ((named[:, None] - wanted[:, ORDERS]) ** 2).sum(axis=(-1, -2))
    return np.take_along_axis(wanted, ORDERS[costs.argmin(axis=1)][..., None], axis=1)


def name_places(features: np.ndarray, p: DotParams) -> tuple[np.ndarray, Any]:
    """What each query names, (n, 3, 2), and the way back."""
    x, back_block = block(features @ p.w_in, p.block, N_HEADS, None)
    z, back_norm = norm(x, p.norm)
    asked = np.broadcast_to(p.query, (len(features), *p.query.shape))
    found, back_reader = attend(asked, z, p.reader, N_HEADS)
    found = found + p.query

    def back(d: np.ndarray) -> DotParams:
        d_found = d @ p.w_place.T
        d_asked, d_z, d_reader = back_reader(d_found)
        d_x, d_norm = back_norm(d_z)
        d_in, d_block = back_block(d_x)
        return DotParams(
            of_matrix(features, d_in),
            d_block,
            d_norm,
            (d_asked + d_found).sum(axis=0),
            d_reader,
            of_matrix(found, d),
            of_bias(d),
        )

    return found @ p.w_place + p.b_place, back


def start_of_dots(rng: np.random.Generator, d: int = 32) -> DotParams:
    def matrix(rows: int, columns: int = d) -> np.ndarray:
        return (rng.standard_normal((rows, columns)) / np.sqrt(rows)).astype(np.float32)

    def heads() -> MultiHeadParams:
        return MultiHeadParams(matrix(d), matrix(d), matrix(d), matrix(d))

    zero, one = np.zeros(d, np.float32), np.ones(d, np.float32)
    plain = LayerNormParams(one, zero)
    hidden = FeedForwardParams(matrix(d), zero, matrix(d), zero)
    query = rng.standard_normal((3, d)).astype(np.float32)
    half = np.full(2, 0.5, np.float32)
    return DotParams(
        matrix(9), EncoderParams(heads(), hidden, plain, plain), plain, query, heads(),
        matrix(d, 2), half,
    )  # fmt: skip


def naming(seed: int, way: str, n_steps: int) -> tuple[float, float, np.ndarray]:
    """The distance to the dots, how far two answers are apart, and what is named in new sets."""
    rng = np.random.default_rng(seed)
    start = start_of_dots(rng)

    def gradients(p: DotParams) -> tuple[float, DotParams]:
        features, wanted = dots(rng, 32)
        named, back = name_places(features.astype(np.float32), p)
        if way == "matched":
            wanted = nearest(named, wanted)
        elif way == "from left to right":
            order = wanted[..., 0].argsort(axis=1)
            wanted = np.take_along_axis(wanted, order[..., None], axis=1)
        off = (named - wanted).astype(np.float32)  # the dots come in random order
        return float((off**2).mean()), back(2 * off / np.float32(off.size))

    learned = last(training(start, gradients, falling(0.005, n_steps), beta_2=0.98), start)
    features, wanted = dots(np.random.default_rng(1000 + seed), TESTED)
    named, _ = name_places(features.astype(np.float32), learned)
    off = named - nearest(named, wanted)
    apart = np.linalg.norm(named[:, [0, 0, 1]] - named[:, [1, 2, 2]], axis=-1).mean()
    return float(np.sqrt((off**2).sum(axis=-1).mean())), float(apart), named[:200]


def make(
    n_seeds: int = SEEDS,
    few_seeds: int = FEW_SEEDS,
    steps: tuple[int, int, int] = (STEPS, COUNT_STEPS, DOT_STEPS),
) -> Arrays:
    """The arrays to store."""
    sets = [[extremes(s, n, steps[0]) for s in range(n_seeds)] for n in N_QUERIES]
    errors, slopes = (np.array([[each[i] for each in row] for row in sets]) for i in (0, 1))
    print("errors", np.sqrt((errors**2).mean(axis=2)).mean(axis=1).round(4), flush=True)
    counts = [[counting(s, kind, steps[1]) for s in range(n_seeds)] for kind in KINDS]
    counted, off = (np.array([[each[i] for each in row] for row in counts]) for i in (0, 1))
    print("counted", counted.mean(axis=1).round(3), off.mean(axis=1).round(2), flush=True)
    named = [[naming(s, way, steps[2]) for s in range(few_seeds)] for way in WAYS]
    distances, apart = (np.array([[each[i] for each in row] for row in named]) for i in (0, 1))
    print("distances", distances.mean(axis=1).round(3), apart.mean(axis=1).round(3), flush=True)
    made = {
        "errors": errors,
        "slopes": slopes,
        "counted": counted,
        "count_errors": off,
        "distances": distances,
        "apart": apart,
        "named": np.array([row[0][2] for row in named]),
    }
    return {
        name: array.astype(np.float16 if name == "named" else np.float32)
        for name, array in made.items()
    }


def agree(stored: Arrays, made: Arrays) -> bool:
    """Whether two results have the same shapes, and are close in the mean over the seeds."""
    return (
        stored.keys() == made.keys()
        and all(stored[name].shape == array.shape for name, array in made.items())
        and all(
            np.allclose(stored[name].mean(axis=1), made[name].mean(axis=1), rtol=0, atol=close)
            for name, close in CLOSE.items()
        )
    )
