"""The page of pitfalls: what its text claims of the laws and no cell prints; the file of laws."""

import importlib.util
import re

import numpy as np
import pytest

from attnbook.models.bugs import MISTAKES, PROBES, keeps, mistaken_attention
from attnutils import masked_softmax, scaled_dot_scores
from tests.notebooks import cell, functions, printed, source
from tools.project import ROOT

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


@pytest.mark.parametrize(("law", "missed"), [(2, 1), (6, 2), (7, 1), (8, 2), (1, 0), (3, 0)])
def test_what_walks_through_without_a_law(law, missed):
    assert sum(seen == [law] for seen in matrix().values()) == missed


def broken_laws(layer, q, k, v):
    with np.errstate(all="ignore"):
        found = [keeps(probe(layer, q, k, v)).all() for probe in PROBES.values()]
    return [at for at, kept in enumerate(found, 1) if not kept]


def test_laws_are_no_definition():
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=shape) for shape in [(6, 4), (6, 4), (6, 2)])
    for score in (
        scaled_dot_scores,
        lambda q, k: np.zeros((len(q), len(k))),
        lambda q, k: -scaled_dot_scores(q, k),
        lambda q, k: scaled_dot_scores(q, k) / 2,
    ):
        layer = lambda q, k, v, mask, score=score: masked_softmax(score(q, k), mask) @ v  # noqa: E731
        assert broken_laws(layer, q, k, v) == []


def test_the_solution_of_the_finish_line_has_no_guard():
    """The page says what it gives where a row is empty."""
    solution = functions("finish-line", "sol-finish-line", np=np)["my_attention"]
    rng = np.random.default_rng(0)
    x, *params = (rng.normal(size=shape) for shape in [(3, 4), (4, 4), (4, 4), (4, 4), (4, 2)])
    mask = np.array([[True, True, False], [True] * 3, [False] * 3])
    with np.errstate(all="ignore"):
        output, _ = solution(x, *params, 2, mask, None)
    assert np.isnan(output).any(axis=1).tolist() == [False, False, True]


# -- the file that readers run on their own layers -------------------------------------------------

PATH = ROOT / "book/static/attention_laws.py"


@pytest.fixture(scope="module")
def laws():
    spec = importlib.util.spec_from_file_location("attention_laws", PATH)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_says_how_long_the_file_is_and_tells_its_designs(laws):
    told = source(cell(PAGE, "own-layer"))
    assert f"{len(PATH.read_text(encoding='utf-8').splitlines())} lines" in told
    designs = [
        [at for at, mark in enumerate(line[24:].split(), 1) if mark != "."]
        for line in printed(cell(PAGE, "designs")).splitlines()[1:]
    ]
    listed = re.findall(r"^ {4}\S.*? {2,}((?:\d ?)+)$", laws.__doc__, re.MULTILINE)
    rows = [[int(at) for at in row.split()] for row in listed]
    upper, lower, rotary, sink, none, d, capped = designs
    assert rows == [lower, upper, rotary, sink, none, capped]
    assert none == d


@pytest.mark.parametrize("dtype", ["float64", "float32"])
@pytest.mark.parametrize("mistake", MISTAKES)
def test_the_file_sees_what_the_page_sees(laws, capsys, mistake, dtype):
    """Its sizes all differ, so three of the mistakes raise errors and are seen by more laws."""
    for seed in range(3):
        found = laws.report(
            lambda *given: mistaken_attention(*given, mistake=mistake).output,
            dtype=dtype,
            seed=seed,
        )
        seen = matrix()[mistake]
        assert set(found) >= set(seen)
        if mistake not in ("no keepdims", "weights transposed"):
            assert found == seen
    said = capsys.readouterr().out
    assert said.count("Kept.") == 3 * 8 - said.count("BROKEN")
