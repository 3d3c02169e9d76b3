"""What twenty trainings of the reversal model came to.

Starts are numbered; the numbers 1 to 20 were taken because they come first. Each run is one that
TrainingExplorer shows, so a reader can look at it on the page. It takes some minutes.
"""

import json
from itertools import combinations
from typing import Any

import numpy as np

from attnbook.models.reversal import (
    REMEDIES,
    largest_score,
    minibatch,
    run_of,
    starting_params,
)
from attnbook.models.toy_tasks import (
    ClassifierParams,
    classifier_gradients,
    reversal_batch,
    token_classifier,
)
from attnutils import adam_init, adam_step, sinusoidal_encoding, softmax
from attnutils._checks import FloatArray
from tools.project import ROOT

STORED = ROOT / "attnbook" / "models" / "data" / "reversal_runs.json"
STARTS = range(1, 21)
STUCK = 100  # steps at the rate that is too high
TRAINED = 300
LENGTHS = range(7, 13)
MINIBATCHES = 8  # that are asked what they ask for
ASKED = (0, 5, 10, 20, 30)  # before these steps
TOLERANCE = 0.05  # of a share; where a run ends can hang on the last bit of a number
# A stuck run magnifies that bit, so what its minibatches ask for is compared as a mean over starts.
MAGNIFIED, TOLERANCE_OF_MEANS = "stuck_alike", 0.15
LARGEST = "largest_scores"  # before every fifth step; for the eye, and not compared


def right_by_place(params: ClassifierParams, length: int) -> list[float]:
    """How often each place of fresh sequences is right."""
    tokens, targets = reversal_batch(np.random.default_rng(7), 1000, length=length)
    result = token_classifier(tokens, params, encoding=sinusoidal_encoding(length, 32))
    shares = (result.logits.argmax(axis=-1) == targets).mean(axis=0)
    return [round(float(share), 3) for share in shares]


def what_and_where(params: ClassifierParams) -> tuple[float, float]:
    """Shares: letters right if each place is shown the right one, rows that look there most."""
    tokens, targets = reversal_batch(np.random.default_rng(3), 100)
    encoding = sinusoidal_encoding(10, 32)
    shown = (params.embedding[tokens] + encoding)[:, ::-1] @ params.w_value
    said = (shown @ params.w_output + params.b_output).argmax(axis=-1)
    weights = token_classifier(tokens, params, encoding=encoding).weights
    looked_at = weights.argmax(axis=-1)
    return float((said == targets).mean()), float((looked_at == 9 - np.arange(10)).mean())


def cosine(a: FloatArray, b: FloatArray) -> float:
    """Of the angle between two arrays, each taken as one vector."""
    return float(np.vdot(a, b) / np.linalg.norm(a) / np.linalg.norm(b))


def asked_right(params: ClassifierParams) -> float:
    """How far a minibatch asks for weight on the right places: a cosine, the mean of eight.

    What it asks for is -dA, averaged over its sequences; a row of A can only gain at one place
    what it loses at others, so each row is taken less its mean.
    """
    encoding, right = sinusoidal_encoding(10, 32), np.eye(10)[::-1] - 0.1
    rng, found = np.random.default_rng(5), []
    for _ in range(MINIBATCHES):
        tokens, targets = reversal_batch(rng, 32)
        logits = token_classifier(tokens, params, encoding=encoding).logits
        d_y = (softmax(logits) - np.eye(12)[targets]) @ params.w_output.T
        values = (params.embedding[tokens] + encoding) @ params.w_value
        asked = -(d_y @ values.swapaxes(-2, -1)).mean(axis=0)
        found.append(cosine(asked - asked.mean(axis=-1, keepdims=True), right))
    return round(float(np.mean(found)), 3)


def alike(params: ClassifierParams) -> dict[str, float]:
    """How much alike the gradients of eight minibatches are: the mean cosine of their pairs."""
    rng, encoding = np.random.default_rng(5), sinusoidal_encoding(10, 32)
    each = [
        classifier_gradients(*reversal_batch(rng, 32), params, encoding=encoding).gradients
        for _ in range(MINIBATCHES)
    ]
    arrays = {
        "W_q and W_k": [np.stack([g.w_query, g.w_key]) for g in each],
        "W_v": [g.w_value for g in each],
    }
    return {
        name: round(float(np.mean([cosine(a, b) for a, b in combinations(of, 2)])), 3)
        for name, of in arrays.items()
    }


def clipped(
    start: int, limit: float | None = 10, rate: float = 0.2, steps: int = TRAINED
) -> tuple[ClassifierParams, list[float]]:
    """Train at the rate that is too high, with scores clipped after each step, or without.

    What is learned, and the largest score before each step.
    """
    encoding, params = sinusoidal_encoding(10, 32), starting_params(start)
    state, found = adam_init(params), []
    for step in range(steps):
        tokens, targets = minibatch(start, step)
        found.append(largest_score(params, tokens))
        gradients = classifier_gradients(tokens, targets, params, encoding=encoding).gradients
        params, state = adam_step(params, gradients, state, learning_rate=rate)
        if limit is not None:
            shrink = min(1, limit / largest_score(params, tokens)) ** 0.5
            params = params._replace(w_query=shrink * params.w_query, w_key=shrink * params.w_key)
    return params, found


def record(start: int) -> dict[str, Any]:
    """What the runs of one start came to."""
    run = run_of(start, [[0, 0.01, 0]], True, TRAINED)
    curves = np.array([what_and_where(stage.params) for stage in run[:101]])
    stuck = run_of(start, [[0, 0.2, 0]], True, STUCK)[-1]
    tokens, _ = reversal_batch(np.random.default_rng(7), 200)
    weights = token_classifier(tokens, stuck.params, encoding=sinusoidal_encoding(10, 32)).weights
    after = []
    for remedy in range(len(REMEDIES)):
        plan = [[0, 0.2, 0], [STUCK, 0.01, remedy]]
        params = run_of(start, plan, True, STUCK + TRAINED)[-1].params
        after.append(round(float(np.mean(right_by_place(params, 10))), 3))
    return {
        "start": start,
        "right_by_place": {str(n): right_by_place(run[-1].params, n) for n in LENGTHS},
        "what_half_way": int(np.argmax(curves[:, 0] >= 0.5)),
        "where_half_way": int(np.argmax(curves[:, 1] >= 0.5)),
        "asked_right": {str(step): asked_right(run[step].params) for step in ASKED},
        "trained_alike": alike(run[ASKED[-1]].params),
        "stuck_alike": alike(stuck.params),
        "stuck_right": round(float(np.mean(right_by_place(stuck.params, 10))), 3),
        "stuck_largest_weight": round(float(weights.max(axis=-1).mean()), 3),
        "right_after": dict(zip(REMEDIES, after, strict=True)),
        "right_clipped": round(float(np.mean(right_by_place(clipped(start)[0], 10))), 3),
        LARGEST: {
            name: [round(x, 1) for x in clipped(start, limit, steps=STUCK + 1)[1][::5]]
            for name, limit in (("as it is", None), ("clipped", 10))
        },
    }


def flat(x: Any) -> list[float]:
    """All numbers of a record, in order."""
    if isinstance(x, dict | list):
        return [
            number for item in (x.values() if isinstance(x, dict) else x) for number in flat(item)
        ]
    return [float(x)]


def make(starts: range = STARTS) -> list[dict[str, Any]]:
    """The records to store."""
    records = []
    for start in starts:
        records.append(record(start))
        print(start, json.dumps(records[-1]["right_after"]), flush=True)
    return records


def settled(records: list[dict[str, Any]]) -> FloatArray:
    """All numbers but those that a stuck run magnifies."""
    return np.array(
        flat(
            [
                {k: x for k, x in record.items() if k not in (MAGNIFIED, LARGEST)}
                for record in records
            ]
        )
    )


def means(records: list[dict[str, Any]]) -> FloatArray:
    """Of those that a stuck run magnifies, over the starts."""
    return np.array([flat(record[MAGNIFIED]) for record in records]).mean(axis=0)


def agree(stored: list[dict[str, Any]], made: list[dict[str, Any]]) -> bool:
    """Whether no number is much off, or no mean of those that a stuck run magnifies."""
    return bool(
        np.abs(settled(made) - settled(stored)).max() <= TOLERANCE
        and np.abs(means(made) - means(stored)).max() <= TOLERANCE_OF_MEANS
    )
