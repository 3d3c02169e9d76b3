"""The page of pitfalls: what its text claims of the laws and no cell prints; the file of laws."""

import importlib.util
import re
from functools import partial

import numpy as np
import pytest

from attnbook.models.bugs import MISTAKES, PROBES, keeps, mistaken_attention
from attnutils import causal_mask, masked_softmax, rotary_embedding, scaled_dot_scores, softmax
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


def scored(score=scaled_dot_scores, see=lambda seen: True):
    """Attention with these scores, and a mask inside."""

    def f(q, k, v, mask):
        seen = np.ones((len(q), len(k)), bool) if mask is None else mask
        return masked_softmax(score(q, k), seen & see(seen)) @ v

    return f


def with_sink(q, k, v, mask):
    s = np.where(True if mask is None else mask, scaled_dot_scores(q, k), -np.inf)
    return softmax(np.hstack([s, np.full((len(q), 1), 0.5)]))[:, :-1] @ v


def turned(q, k, first):
    return scaled_dot_scores(rotary_embedding(q, first + np.arange(len(q))), rotary_embedding(k))


DESIGNS = [
    scored(see=lambda seen: causal_mask(*seen.shape)),
    scored(see=lambda seen: np.tri(*seen.shape, dtype=bool)),
    scored(lambda q, k: turned(q, k, len(k) - len(q))),
    with_sink,
    scored(lambda q, k: q @ k.T / q.shape[-1]),
    scored(lambda q, k: 2 * np.tanh(scaled_dot_scores(q, k) / 2)),
    scored(lambda q, k: turned(q, k, 0)),
]


def test_the_file_lists_what_designs_break_and_the_page_agrees(laws):
    listed = re.findall(r"^ {4}\S.*? {2,}((?:\d ?)+)$", laws.__doc__, re.MULTILINE)
    rows = [[int(at) for at in row.split()] for row in listed]
    assert rows == [laws.report(f) for f in DESIGNS]
    for line in printed(cell(PAGE, "designs")).splitlines()[1:]:
        assert [at for at, mark in enumerate(line[24:].split(), 1) if mark != "."] in rows, line


@pytest.mark.parametrize("corner", ["upper left", "lower right"])
def test_the_ninth_law_is_that_of_causal_layers(laws, corner):
    def causal(further):
        at = (lambda n, m: further) if corner == "upper left" else (lambda n, m: m - n + further)
        return scored(see=lambda seen: np.tri(*seen.shape, at(*seen.shape), dtype=bool))

    assert 9 not in laws.report(causal(0), causal=True)
    assert laws.report(causal(1), causal=True) == [*laws.report(causal(0)), 9]


def tiled(q, k, v, mask, size=64, corrects=True, drops=False):
    """Online softmax over tiles of keys."""
    s = np.where(True if mask is None else mask, scaled_dot_scores(q, k), -np.inf)
    top = np.full((len(q), 1), -np.inf)
    total, weighted = np.zeros_like(top), np.zeros((len(q), v.shape[1]))
    for start in range(0, len(k) - size + 1 if drops else len(k), size):
        tile = slice(start, start + size)
        before, top = top, np.maximum(top, s[:, tile].max(axis=1, keepdims=True))
        base = np.where(np.isneginf(top), 0, top)
        correction = np.exp(before - base) if corrects else 1
        e = np.exp(s[:, tile] - base)
        total = correction * total + e.sum(axis=1, keepdims=True)
        weighted = correction * weighted + e @ v[tile]
    return weighted / np.where(total == 0, 1, total)


def reads(choose):
    """Attention that reads these keys alone."""

    def f(q, k, v, mask):
        at = choose(np.arange(len(k)))
        return scored()(q, k[at], v[at], None if mask is None else mask[:, at])

    return f


@pytest.mark.parametrize(
    ("layer", "is_broken"),
    [
        (tiled, False),
        (partial(tiled, corrects=False), True),
        (partial(tiled, size=8, corrects=False), True),
        (partial(tiled, drops=True), True),
        (reads(lambda at: at[:16]), True),
        (reads(lambda at: at % 256), True),  # counted in 8 bits
        (reads(lambda at: at[-256:]), True),
    ],
)
def test_what_goes_wrong_after_some_keys_is_seen(laws, layer, is_broken):
    for seed in range(3):
        assert bool(laws.report(layer, seed=seed)) == is_broken


def test_a_right_layer_in_bfloat16_keeps_all_with_the_options_that_the_file_names(laws):
    def short(x):  # the eight bits that bfloat16 has
        bits = np.asarray(x, np.float32).view(np.uint32)
        return ((bits + 0x8000) & 0xFFFF0000).astype(np.uint32).view(np.float32)

    def layer(q, k, v, mask):
        return short(scored()(short(q), short(k), short(v), mask))

    assert laws.report(layer) != []
    (options,) = re.findall(r'report\(f, array, ("float32", .+)\)', laws.__doc__)
    for seed in range(3):
        call = f"report(layer, np.asarray, {options}, seed={seed})"
        assert eval(call, {"report": laws.report, "layer": layer, "np": np}) == []


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
