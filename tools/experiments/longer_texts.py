"""Models trained on short texts, tested on longer ones.

Each of two tasks is learned in each of four schemes of position, from 20 seeds; the models of
seed 0 are kept. The rotary models also read still longer texts, with two remedies that need no
training: a raised base and squeezed positions. It takes some minutes.
"""

from collections.abc import Sequence

import numpy as np

from attnbook.models.layers import of_matrix
from attnbook.models.longer_texts import (
    LONG,
    N_HEADS,
    N_SYMBOLS,
    REMEDIES,
    SCHEMES,
    SHORT,
    STRETCHED,
    TASKS,
    WIDTH,
    PositionModel,
    latest_mark_batch,
    packed,
    remedied,
    three_back_batch,
    unpacked,
)
from attnutils import (
    adam_init,
    adam_step,
    alibi_bias,
    attention,
    attention_backward,
    cross_entropy,
    merge_heads,
    rotary_embedding,
    sinusoidal_encoding,
    split_heads,
)
from tools.project import ROOT

STORED = ROOT / "attnbook" / "models" / "data" / "longer_texts.npz"

SEEDS = 20
STEPS, BATCH, RATE = 600, 64, 0.005
TESTED = 200  # texts for each model
TESTED_STRETCHED = 50  # of these only the last 16 places count
BATCHES = dict(zip(TASKS, (three_back_batch, latest_mark_batch), strict=True))

# Rounding differs from machine to machine, and training makes much of it. The mean over the seeds
# of the accuracy in a part of the text, or at a length, moves by no more than this.
PARTS = (slice(0, 16), slice(16, 24), slice(24, 40), slice(40, 64))
CLOSE = 0.05


def initial(rng: np.random.Generator) -> PositionModel:
    """Random numbers, of a size that keeps the size of what they multiply."""

    def draw(rows: int, columns: int, spread: float) -> np.ndarray:
        return (spread * rng.standard_normal((rows, columns))).astype(np.float32)

    projections = [draw(WIDTH, WIDTH, WIDTH**-0.5) for _ in range(4)]
    return PositionModel(
        draw(N_SYMBOLS, WIDTH, 0.5), *projections, w_class=draw(WIDTH, N_SYMBOLS, WIDTH**-0.5)
    )


def loss_and_gradients(
    model: PositionModel, tokens: np.ndarray, targets: np.ndarray, scheme: str
) -> tuple[float, PositionModel]:
    """The cross-entropy, and its gradient for each matrix: the way back through the layer."""
    x, q, k, v, weights, mixed, z = _forward(model, tokens, scheme)
    loss, d_logits = cross_entropy(z @ model.w_class, targets)
    d_z = d_logits @ model.w_class.T
    d_mixed = split_heads(d_z @ model.w_output.T, N_HEADS)
    d_q, d_k, d_v = attention_backward(q, k, v, weights, d_mixed)
    if scheme == "rotary":  # a rotation goes back by its inverse
        back = -np.arange(tokens.shape[-1])
        d_q, d_k = rotary_embedding(d_q, back), rotary_embedding(d_k, back)
    d_q, d_k, d_v = merge_heads(d_q), merge_heads(d_k), merge_heads(d_v)
    d_x = d_z + d_q @ model.w_query.T + d_k @ model.w_key.T + d_v @ model.w_value.T
    d_embedding = np.zeros_like(model.embedding)
    np.add.at(d_embedding, tokens, d_x)
    return loss, PositionModel(
        d_embedding,
        of_matrix(x, d_q),
        of_matrix(x, d_k),
        of_matrix(x, d_v),
        of_matrix(mixed, d_z),
        of_matrix(z, d_logits),
    )


def _forward(
    model: PositionModel,
    tokens: np.ndarray,
    scheme: str,
    positions: np.ndarray | None = None,
    base: float = 10_000.0,
) -> tuple[np.ndarray, ...]:
    n = tokens.shape[-1]
    x = model.embedding[tokens]
    if scheme == "sinusoidal":
        x = x + sinusoidal_encoding(n, WIDTH).astype(x.dtype)
    projections = model.w_query, model.w_key, model.w_value
    q, k, v = (split_heads(x @ w, N_HEADS) for w in projections)
    if scheme == "rotary":
        q, k = (rotary_embedding(a, positions, base) for a in (q, k))
    bias = alibi_bias(N_HEADS, n).astype(x.dtype) if scheme == "ALiBi" else None
    output, weights = attention(q, k, v, bias=bias, is_causal=True)
    mixed = merge_heads(output)
    return x, q, k, v, weights, mixed, x + mixed @ model.w_output


def trained(task: str, scheme: str, seed: int, steps: int = STEPS) -> PositionModel:
    """Teach a model on short texts; its numbers are as they are stored."""
    rng = np.random.default_rng(seed)
    model = initial(rng)
    state = adam_init(model)
    for _ in range(steps):
        tokens, targets = BATCHES[task](rng, BATCH, SHORT)
        _, gradients = loss_and_gradients(model, tokens, targets, scheme)
        model, state = adam_step(model, gradients, state, learning_rate=RATE)
    return unpacked(packed(model).astype(np.float16))


def tested(
    model: PositionModel, task: str, scheme: str, seed: int
) -> tuple[np.ndarray, np.ndarray]:
    """At each position of longer texts: how many answers are right, and how many were asked."""
    tokens, targets = BATCHES[task](np.random.default_rng(1000 + seed), TESTED, LONG)
    answers = (_forward(model, tokens, scheme)[-1] @ model.w_class).argmax(-1)
    return (answers == targets).sum(0), (targets >= 0).sum(0)


def stretched(
    model: PositionModel, task: str, remedy: str, seed: int
) -> tuple[list[int], list[int]]:
    """The same in the last places of texts of each length, with a remedy for rotary positions."""
    right, asked = [], []
    for length in STRETCHED:
        rng = np.random.default_rng(2000 + seed)
        tokens, targets = BATCHES[task](rng, TESTED_STRETCHED, length)
        z = _forward(model, tokens, "rotary", *remedied(remedy, length))[-1][:, -SHORT:]
        last = targets[:, -SHORT:]
        right.append(int(((z @ model.w_class).argmax(-1) == last).sum()))
        asked.append(int((last >= 0).sum()))
    return right, asked


def make(seeds: Sequence[int] = range(SEEDS), steps: int = STEPS) -> dict[str, np.ndarray]:
    """The arrays to store."""
    models, right, asked, both = [], [], [], []
    for task in TASKS:
        for scheme in SCHEMES:
            made = [trained(task, scheme, seed, steps) for seed in seeds]
            counts = [
                tested(model, task, scheme, seed) for model, seed in zip(made, seeds, strict=True)
            ]
            models.append(packed(made[0]).astype(np.float16))
            right.append([count[0] for count in counts])
            if scheme == "rotary":
                each = [*zip(made, seeds, strict=True)]
                both.append([[stretched(m, task, r, seed) for m, seed in each] for r in REMEDIES])
            print(f"{task}, {scheme}: {len(made)} models", flush=True)
        asked.append([count[1] for count in counts])  # the same texts for all schemes
    shape = len(TASKS), len(SCHEMES)
    last = np.array(both, np.uint16)  # (tasks, remedies, seeds, 2, lengths)
    return {
        "models": np.reshape(models, (*shape, *models[0].shape)),
        "right": np.reshape(right, (*shape, len(seeds), LONG)).astype(np.uint8),
        "asked": np.array(asked, np.uint8),
        "stretched": last[..., 0, :],
        "stretched_asked": last[:, 0, :, 1],  # the same texts for all remedies
    }


def means(arrays: dict[str, np.ndarray]) -> np.ndarray:
    """The accuracy in parts of the text, over all seeds: (tasks, schemes, parts)."""
    right, asked = (arrays[name].astype(int) for name in ("right", "asked"))
    parts = [
        right[..., part].sum((-2, -1)) / asked[:, None, :, part].sum((-2, -1)) for part in PARTS
    ]
    return np.stack(parts, axis=-1)


def stretched_means(arrays: dict[str, np.ndarray]) -> np.ndarray:
    """The accuracy in the last places, over all seeds: (tasks, remedies, lengths)."""
    right, asked = (arrays[name].sum(-2, dtype=int) for name in ("stretched", "stretched_asked"))
    return right / asked[:, None]


def agree(stored: dict[str, np.ndarray], made: dict[str, np.ndarray]) -> bool:
    """Whether two results say the same."""
    return all(stored[name].shape == array.shape for name, array in made.items()) and all(
        bool((np.abs(each(stored) - each(made)) <= CLOSE).all())
        for each in (means, stretched_means)
    )
