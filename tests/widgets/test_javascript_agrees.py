"""What the browser computes equals what attnutils computes."""

import json
import math

import numpy as np
import pytest

from attnutils import (
    AttentionBench,
    attention,
    dot_scores,
    entropy,
    gaussian_scores,
    hardmax,
    masked_softmax,
    scaled_dot_scores,
    softmax,
    sparsemax,
)
from attnutils.widgets._base import number_to_json
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.page.conftest import POSITIONS, temperature_at

TEMPERATURES = [
    0.0,
    5e-324,
    1e-300,
    1e-3,
    0.25,
    1.0,
    math.sqrt(3),
    10.0,
    33.0,
    1e6,
    1e308,
    math.inf,
    *map(temperature_at, POSITIONS),
]
SCORES = [
    list(KEYS @ KEYS[5]),
    [7.0, 7.0, 7.0, 1.0],
    [710.0, 709.0, -709.0],
    [1e-12, 0.0, -1e-12, 2e-12],
    [-5.0],
    [0.0, 0.0],
    list(np.random.default_rng(0).normal(scale=20, size=12)),
]


def to_json(numbers):
    return [number_to_json(x) for x in numbers]


def test_normalizers_and_entropy(run_script):
    got = run_script(
        "temperature_explorer",
        """
        const results = input.scores.map((scores) => input.temperatures.map((text) => {
          const all = Object.keys(NORMALIZERS).map((name) =>
            atTemperature(scores, [], name, readNumber(text)));
          return all.map(({ weights, entropy }) => [...weights, entropy]);
        }));
        console.log(JSON.stringify(results));
        """,
        {"scores": SCORES, "temperatures": to_json(TEMPERATURES)},
    )
    for scores, by_temperature in zip(SCORES, got, strict=True):
        for t, results in zip(TEMPERATURES, by_temperature, strict=True):
            wanted = [
                softmax(scores, temperature=t),
                sparsemax(scores, temperature=t),
                hardmax(scores),
            ]
            for weights, result in zip(wanted, results, strict=True):
                np.testing.assert_allclose(
                    result, [*weights, entropy(weights)], rtol=0, atol=1e-12, err_msg=f"T = {t}"
                )


def test_masked_softmax(run_script):
    masks = [[bool(bits >> i & 1) for i in range(6)] for bits in range(64)]
    scores = SCORES[0]
    got = run_script(
        "temperature_explorer",
        """
        console.log(JSON.stringify(input.masks.map((mask) => input.temperatures.map((text) =>
          softmax(input.scores, readNumber(text), mask)))));
        """,
        {"scores": scores, "masks": masks, "temperatures": to_json(TEMPERATURES)},
    )
    for mask, by_temperature in zip(masks, got, strict=True):
        for t, weights in zip(TEMPERATURES, by_temperature, strict=True):
            wanted = masked_softmax(scores, mask, temperature=t)
            np.testing.assert_allclose(weights, wanted, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("name", "scores"),
    [("dot", dot_scores), ("scaled_dot", scaled_dot_scores), ("gaussian", gaussian_scores)],
)
def test_attention(run_script, name, scores):
    rng = np.random.default_rng(0)
    cases = [(q, KEYS, VALUES) for q in KEYS]
    cases += [
        (rng.normal(size=d), rng.normal(size=(n, d)), rng.normal(size=(n, 1)))
        for n, d in [(2, 1), (5, 2), (12, 6)]
    ]
    got = run_script(
        "attention_bench",
        """
        console.log(JSON.stringify(input.cases.map(([q, keys, values]) =>
          input.temperatures.map((text) => {
            const { weights, output } = attend({ query: 0, q, keys, values,
              mask: keys.map(() => true), score: input.name, temperature: readNumber(text) });
            return [...weights, output];
          }))));
        """,
        {
            "name": name,
            "cases": [(q.tolist(), k.tolist(), v[:, 0].tolist()) for q, k, v in cases],
            "temperatures": to_json(TEMPERATURES),
        },
    )
    for (q, k, v), by_temperature in zip(cases, got, strict=True):
        for t, result in zip(TEMPERATURES, by_temperature, strict=True):
            output, weights = attention(q, k, v, scores=scores, temperature=t)
            np.testing.assert_allclose(result, [*weights, *output], rtol=0, atol=1e-12)


def test_when_a_challenge_is_met(run_script):
    rng = np.random.default_rng(0)
    bench = AttentionBench(WORDS, KEYS, VALUES, query=5, challenge=("Book", "Child"))
    states = [
        {
            "query": int(rng.choice([5, 5, 2])),
            "q": rng.integers(-2, 3, 3).tolist(),
            "mask": (rng.random(6) < 0.7).tolist(),
            "score": str(rng.choice(["dot", "scaled_dot", "gaussian"])),
            "temperature": number_to_json(float(rng.choice([0, 1, 20, math.inf]))),
        }
        for _ in range(400)
    ]
    got = run_script(
        "attention_bench",
        """
        console.log(JSON.stringify(input.states.map((state) => {
          const bench = { ...state, keys: input.keys, values: input.values,
            temperature: readNumber(state.temperature) };
          return attendsMost(bench, attend(bench), 5, 2);
        })));
        """,
        {"states": states, "keys": KEYS.tolist(), "values": VALUES[:, 0].tolist()},
    )
    wanted = []
    for state in states:
        bench.query, bench.query_vector, bench.mask = state["query"], state["q"], state["mask"]
        bench.score, bench.temperature = state["score"], float(state["temperature"])
        wanted.append(bench.is_met)
    assert got == wanted
    assert 20 < sum(wanted) < 380


def test_infinite_numbers_are_read_the_same_way(run_script):
    numbers = [0.0, -2.5, 5e-324, math.inf, -math.inf]
    got = run_script(
        "temperature_explorer",
        "console.log(JSON.stringify(input.map(readNumber).map(writeNumber)));",
        to_json(numbers),
    )
    assert got == to_json(numbers)
    assert json.loads(json.dumps(got)) == [0.0, -2.5, 5e-324, "inf", "-inf"]
