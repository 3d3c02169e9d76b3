"""Small models of attention alone that learn to go on with what repeats.

Each is trained from 20 seeds. Rounding takes a training elsewhere on another machine, so two files
agree if the means over the seeds do.
"""

from collections.abc import Callable

import numpy as np

from attnbook.models._stored import packed, unpacked
from attnbook.models.induction import (
    LETTERS,
    AttentionOnlyParams,
    ablate_head,
    attention_only,
    attention_only_gradients,
    init_attention_only,
    repeated_batch,
)
from attnutils import adam_init, adam_step, attention
from tools.project import ROOT

STORED = ROOT / "attnbook" / "models" / "data" / "induction.npz"
SEEDS = 20
STEPS, LONG_STEPS = 300, 1000
BATCH, TESTED = 64, 1000  # texts
EVERY = 5  # steps, between two looks, and in a mean of the loss
LATEST = 16  # no text repeats later, so no place after it need be known by the one before
CLOSE = 0.05  # to each other, the means over the seeds

Arrays = dict[str, np.ndarray]
Watch = Callable[[AttentionOnlyParams], None]


def train(
    seed: int, n_layers: int, n_steps: int, watch: Watch = lambda params: None
) -> tuple[AttentionOnlyParams, np.ndarray]:
    """Train a model as the page does; return its parameters, and the loss in means of a few."""
    rng = np.random.default_rng(seed)
    params = init_attention_only(rng, n_layers)
    state = adam_init(params)
    losses = []
    for step in range(n_steps):
        if step % EVERY == 0:
            watch(params)
        tokens, targets, _ = repeated_batch(rng, BATCH)
        loss, gradients = attention_only_gradients(tokens, targets, params)
        params, state = adam_step(params, gradients, state)
        losses.append(loss)
    watch(params)
    return params, np.reshape(losses, (-1, EVERY)).mean(axis=1)


def share_right(params: AttentionOnlyParams, seed: int) -> float:
    """The share of right letters in new texts."""
    tokens, targets, _ = repeated_batch(np.random.default_rng(1000 + seed), TESTED)
    guesses = attention_only(tokens, params).logits.argmax(axis=-1)
    return float((guesses == targets)[targets >= 0].mean())


def look(params: AttentionOnlyParams, seed: int) -> list[float]:
    """The share of right letters, and what each layer gives to the place that it should find."""
    tokens, targets, _ = repeated_batch(np.random.default_rng(2000 + seed), 200)
    logits, weights = attention_only(tokens, params)
    before, induction = weights[:, 0], weights[:, 1]
    asked = targets >= 0
    places = np.arange(1, LATEST + 1)
    # True where the letter before the key is the letter of the query
    after_same = np.zeros_like(induction, bool)
    after_same[..., 1:] = tokens[:, :, None] == tokens[:, None, :-1]
    return [
        float((logits.argmax(axis=-1) == targets)[asked].mean()),
        float(before[:, places, places - 1].mean()),
        float((induction * after_same).sum(axis=-1)[asked].mean()),
    ]


def through_doors(params: AttentionOnlyParams, seed: int) -> list[float]:
    """The share right, where what layer 0 has found is kept from queries, keys or values."""
    p = params
    tokens, targets, _ = repeated_batch(np.random.default_rng(1000 + seed), TESTED)
    first = p.embedding[tokens] + p.positions

    def layer(i: int, *streams: np.ndarray) -> np.ndarray:
        projections = p.w_query, p.w_key, p.w_value
        rows = (x @ w[i] for x, w in zip(streams, projections, strict=True))
        output: np.ndarray = attention(*rows, is_causal=True).output @ p.w_output[i]
        return output

    second = first + layer(0, first, first, first)
    shares = []
    for door in range(3):
        streams = [first if i == door else second for i in range(3)]
        guesses = ((second + layer(1, *streams)) @ p.w_class).argmax(axis=-1)
        shares.append(float((guesses == targets)[targets >= 0].mean()))
    return shares


def circuits(params: AttentionOnlyParams) -> list[int]:
    """How many letters find their own, in keys for queries and in outputs; and how many places."""
    p = params
    marked = p.embedding @ p.w_value[0] @ p.w_output[0]  # what is written beside a letter
    sought = (p.embedding @ p.w_query[1]) @ (marked @ p.w_key[1]).T
    copied = p.embedding @ p.w_value[1] @ p.w_output[1] @ p.w_class
    by_place = (p.positions @ p.w_query[0]) @ (p.positions @ p.w_key[0]).T
    own = np.arange(len(LETTERS))
    back = [int(by_place[i, : i + 1].argmax() == i - 1) for i in range(1, LATEST + 1)]
    return [
        int((sought.argmax(axis=1) == own).sum()),
        int((copied.argmax(axis=1) == own).sum()),
        sum(back),
    ]


def make(n_seeds: int = SEEDS, steps: tuple[int, int] = (STEPS, LONG_STEPS)) -> Arrays:
    """The arrays to store."""
    few, many = steps
    rows: dict[str, list[object]] = {}
    made: Arrays = {}
    for seed in range(n_seeds):
        watched: list[list[float]] = []
        params, losses = train(
            seed, 2, few, watch=lambda p, seed=seed, to=watched: to.append(look(p, seed))
        )
        if seed == 0:
            made["codes"], made["scales"] = packed(params)
        params = AttentionOnlyParams(*unpacked(params, *packed(params)))  # as they are stored
        one, one_losses = train(seed, 1, many)
        found = {
            "losses": losses,
            "one_losses": one_losses,
            "right": [
                share_right(p, seed) for p in (params, *(ablate_head(params, i) for i in (0, 1)))
            ],
            "one_right": share_right(one, seed),
            "doors": through_doors(params, seed),
            "watched": watched,
            "circuits": circuits(params),
        }
        for name, row in found.items():
            rows.setdefault(name, []).append(row)
        shown = {
            name: np.round(found[name], 3) for name in ("right", "one_right", "doors", "circuits")
        }
        print(f"seed {seed}: {shown}", flush=True)
    for name, all_rows in rows.items():
        made[name] = np.array(all_rows, np.int8 if name == "circuits" else np.float16)
    return made


def agree(stored: Arrays, made: Arrays) -> bool:
    """Whether two results have the same shapes, and shares that are close in the mean."""
    return (
        stored.keys() == made.keys()
        and all(stored[name].shape == array.shape for name, array in made.items())
        and all(
            np.allclose(stored[name].mean(axis=0), made[name].mean(axis=0), rtol=0, atol=CLOSE)
            for name in ("right", "one_right", "doors")
        )
    )
