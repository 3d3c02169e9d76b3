"""The page of pitfalls: what its text claims of the laws and no cell prints."""

import re

import numpy as np
import pytest

from attnutils import masked_softmax, rotary_embedding, scaled_dot_scores
from attnutils.bugs import MISTAKES, PROBES, keeps
from tests.notebooks import cell, cells, functions, printed, source

PAGE = "pitfalls"


def matrix():
    """What the page prints: for each mistake the numbers of the laws that see it."""
    header, *lines = printed(cell(PAGE, "matrix")).splitlines()
    assert header.split() == [str(number) for number in range(1, len(PROBES) + 1)]
    return {
        line[:24].strip(): [at for at, mark in enumerate(line[24:].split(), 1) if mark != "."]
        for line in lines
    }


def test_the_laws_are_told_in_the_order_of_the_columns():
    told = re.findall(r"^\d\. (.+)$", source(cell(PAGE, "laws-text")), re.MULTILINE)
    words = ["ones", "added", "order", "alone", "twice", "divided", "hidden", "nobody"]
    assert all(word in law for law, word in zip(told, words, strict=True))


def test_each_mistake_has_a_pair_whose_line_says_which_laws_see_it():
    pairs = [c for c in cells(PAGE) if c["id"].startswith("pair-") and c["id"] != "pair-code"]
    told = [c["metadata"]["mystnb"]["code_prompt_show"].replace("−", "-") for c in pairs]
    for line, mistake, pair in zip(told, list(MISTAKES)[1:], pairs, strict=True):
        name, seen = re.fullmatch(r"(.+): seen by laws? (.+)", line).groups()
        assert name == mistake
        assert [int(number) for number in re.findall(r"\d", seen)] == matrix()[mistake]
        assert f'pair("{mistake}", wrong, right' in source(pair)
        wrong, right = printed(pair).splitlines()
        assert wrong.removeprefix("wrong") != right.removeprefix("right")


@pytest.mark.parametrize(("law", "missed"), [(2, 1), (6, 2), (7, 1), (8, 2), (1, 0), (3, 0)])
def test_what_walks_through_without_a_law(law, missed):
    assert sum(seen == [law] for seen in matrix().values()) == missed


def arrays_of(seed, *shapes):
    return [np.random.default_rng([seed, at]).normal(size=s) for at, s in enumerate(shapes)]


def broken_laws(layer, *arrays):
    with np.errstate(all="ignore"):
        found = [keeps(probe(layer, *arrays)).all() for probe in PROBES.values()]
    return [at for at, kept in enumerate(found, 1) if not kept]


def layer_of(score):
    return lambda q, k, v, mask: masked_softmax(score(q, k), mask) @ v


@pytest.mark.parametrize("seed", range(5))
def test_laws_are_no_definition_and_more_inside_keeps_fewer(seed):
    right = layer_of(scaled_dot_scores)
    arrays, seen = arrays_of(seed, (4, 5), (6, 5), (6, 2)), np.ones((4, 6), dtype=bool)
    for score in (
        lambda q, k: np.zeros((len(q), len(k))),
        lambda q, k: -scaled_dot_scores(q, k),
        lambda q, k: scaled_dot_scores(q, k) / 2,
    ):
        assert broken_laws(layer_of(score), *arrays) == []
        assert not np.allclose(layer_of(score)(*arrays, seen), right(*arrays, seen))

    def rotary(q, k, v, mask):
        return right(rotary_embedding(q), rotary_embedding(k), v, mask)

    def causal(q, k, v, mask):
        return right(q, k, v, np.tril(mask))

    arrays = arrays_of(seed, (6, 4), (6, 4), (6, 2))
    assert broken_laws(right, *arrays) == []
    assert broken_laws(causal, *arrays) == [3, 4]
    assert broken_laws(rotary, *arrays) == [2, 3, 4, 5, 6]


def test_in_float32_keys_are_shifted_by_1_000():
    """By 10,000 a right layer is accused; by 100 the overflow is missed on some of the seeds."""

    def score(q, k):
        q, k = np.float32(q), np.float32(k)
        return q @ k.T / np.float32(q.shape[-1] ** 0.5)

    def overflowing(q, k, v, mask):
        e = np.exp(score(q, k))
        return e / e.sum(axis=-1, keepdims=True) @ v

    def count(layer, far, tolerance):
        found, mask = 0, np.ones((4, 6), dtype=bool)
        for seed in range(20):
            rng = np.random.default_rng(seed)
            q, k, v = (rng.normal(size=shape) for shape in [(4, 5), (6, 5), (6, 2)])
            with np.errstate(all="ignore"):
                moved = np.abs(layer(q, k + far, v, mask) - layer(q, k, v, mask)).max()
            found += not moved <= tolerance  # NaN is seen
        return found

    assert count(layer_of(score), 10_000, 1e-5) == 20
    assert count(layer_of(score), 1_000, 1e-3) == 0
    assert count(overflowing, 1_000, 1e-3) == 20
    assert count(overflowing, 100, 1e-3) == 13


def test_the_solution_of_the_finish_line_has_no_guard():
    """The page says what it gives where a row is empty."""
    solution = functions("graph-attention", "sol-finish-line", np=np)["my_attention"]
    x, *params = arrays_of(0, (3, 4), (4, 4), (4, 4), (4, 4), (4, 2))
    mask = np.array([[True, True, False], [True] * 3, [False] * 3])
    with np.errstate(all="ignore"):
        output, _ = solution(x, *params, 2, mask, None)
    assert np.isnan(output).any(axis=1).tolist() == [False, False, True]
