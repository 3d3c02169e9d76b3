"""The page of pitfalls: what its text claims of the laws and no cell prints."""

import re

import numpy as np
import pytest

from attnbook.lessons.bugs import MISTAKES, PROBES, keeps
from attnutils import masked_softmax, rotary_embedding, scaled_dot_scores
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


def broken_laws(layer, q, k, v):
    with np.errstate(all="ignore"):
        found = [keeps(probe(layer, q, k, v)).all() for probe in PROBES.values()]
    return [at for at, kept in enumerate(found, 1) if not kept]


def test_laws_are_no_definition_and_more_inside_keeps_fewer():
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=shape) for shape in [(6, 4), (6, 4), (6, 2)])

    def layer_of(score, see=lambda mask: mask):
        return lambda q, k, v, mask: masked_softmax(score(q, k), see(mask)) @ v

    for score in (
        scaled_dot_scores,
        lambda q, k: np.zeros((len(q), len(k))),
        lambda q, k: -scaled_dot_scores(q, k),
        lambda q, k: scaled_dot_scores(q, k) / 2,
    ):
        assert broken_laws(layer_of(score), q, k, v) == []

    def rotary(q, k):
        return scaled_dot_scores(rotary_embedding(q), rotary_embedding(k))

    assert broken_laws(layer_of(scaled_dot_scores, np.tril), q, k, v) == [3, 4]
    assert broken_laws(layer_of(rotary), q, k, v) == [2, 3, 4, 5, 6]


def test_the_solution_of_the_finish_line_has_no_guard():
    """The page says what it gives where a row is empty."""
    solution = functions("finish-line", "sol-finish-line", np=np)["my_attention"]
    rng = np.random.default_rng(0)
    x, *params = (rng.normal(size=shape) for shape in [(3, 4), (4, 4), (4, 4), (4, 4), (4, 2)])
    mask = np.array([[True, True, False], [True] * 3, [False] * 3])
    with np.errstate(all="ignore"):
        output, _ = solution(x, *params, 2, mask, None)
    assert np.isnan(output).any(axis=1).tolist() == [False, False, True]
