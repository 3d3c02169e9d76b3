"""The page of pitfalls: its matrix is what its cells say, and no mistake in print is left out."""

import re

import numpy as np
import pytest

from attnutils import masked_softmax, rotary_embedding, scaled_dot_scores
from attnutils.bugs import MISTAKES, PROBES, keeps
from tests.attnutils.test_bugs import SEEN_BY
from tests.book.test_lessons import cell, cells, functions, printed, source

PAGE = "pitfalls"

# The known mistakes of the documents that the book set out from are numbered 1 to 52. Each has a
# row of the table, which these words of it find.
IN_THE_TABLE = {
    (1,): "a sum without `keepdims`",
    (2,): "exponentials of scores as they are",
    (3,): "q.shape[0]",
    (4,): "vector of length 2",
    (5,): "called (6, 3)",
    (6,): "$W_k K$",
    (7,): "until 19 February 2026",
    (8,): "Book should attend",
    (9,): "divide by the dimension",
    (10,): "central limit theorem",
    (11,): "N x N x 4",
    (12,): "$e^x / T$",
    (13,): "position of the largest",
    (14,): "returns the maximum output",
    (15,): "heads $0",
    (16,): "$(H, V)$",
    (17,): "square",
    (18,): "w_h",
    (19,): "the one edge inside",
    (20,): "\\vec b V$, then summed",
    (21,): "over which edges",
    (22,): "a sum over $k$",
    (23,): "fits neatly",
    (24,): "GaAN",
    (25,): "not trainable",
    (26,): "permutation invariant",
    (27,): "one-hot",
    (28,): "tensor-dot",
    (29,): "without a seed",
    (30,): "−1e6 is set",
    (31,): "cut after",
    (32,): "empty rows",
    (33,): "one query, one key",
    (34,): "of a single score",
    (35,): "lVert k_i",
    (36,): "computational savings",
    (37,): "all popular attention mechanisms",
    (38,): "$O(n^2 d)$",
    (39,): "three scales",
    (40,): "a matrix, a vector",
    (41,): "a_{i,j}",
    (42,): "more computing power",
    (43,): "bidirectional RNN",
    (44,): "upper triangle",
    (45,): "e_{1,i}",
    (46,): "$n$ twice",
    (47,): "offset by one position",
    (48,): "equation (14)",
    (49,): "side by side",
    (50,): "$T = 1$",
    (51,): "equal to the keys",
    (52,): "widths of query and keys",
}


def test_no_known_mistake_is_left_out():
    assert [number for group in IN_THE_TABLE for number in group] == list(range(1, 53))
    table = source(cell(PAGE, "sources"))
    rows = [row for row in table.splitlines() if re.match(r"\| (chapter|summary|note|post) ", row)]
    assert len(rows) == len(IN_THE_TABLE)
    for words in IN_THE_TABLE.values():
        assert sum(words in row for row in rows) == 1, words


def matrix():
    """What the page prints: for each mistake the numbers of the laws that see it."""
    lines = printed(cell(PAGE, "matrix")).splitlines()
    assert lines[0].split() == [str(number) for number in range(1, 9)]
    return {
        line[:24].strip(): {at: mark for at, mark in enumerate(line[24:].split(), 1) if mark != "."}
        for line in lines[1:]
    }


def test_the_matrix_is_that_of_the_probes():
    probes = list(PROBES)
    found = {
        mistake: ", ".join(probes[at - 1] + "!" * (mark == "!") for at, mark in seen.items())
        for mistake, seen in matrix().items()
    }
    assert found == SEEN_BY


def test_the_laws_are_told_in_the_order_of_the_columns():
    told = re.findall(r"^(\d)\. (.+)$", source(cell(PAGE, "laws-text")), re.MULTILINE)
    assert [number for number, _ in told] == [str(number) for number in range(1, 9)]
    words = ["ones", "added", "order", "alone", "twice", "divided", "hidden", "nobody"]
    for (_, law), word in zip(told, words, strict=True):
        assert word in law


def test_each_mistake_has_a_pair_whose_line_says_which_laws_see_it():
    pairs = [c for c in cells(PAGE) if c["id"].startswith("pair-") and c["id"] != "pair-code"]
    told = [c["metadata"]["mystnb"]["code_prompt_show"].replace("−", "-") for c in pairs]
    for line, mistake, pair in zip(told, list(MISTAKES)[1:], pairs, strict=True):
        name, seen = re.fullmatch(r"(.+): seen by laws? (.+)", line).groups()
        assert name == mistake
        assert [int(number) for number in re.findall(r"\d", seen)] == list(matrix()[mistake])
        assert f'pair("{mistake}", wrong, right' in source(pair)
        wrong, right = printed(pair).splitlines()
        assert wrong.removeprefix("wrong") != right.removeprefix("right")


@pytest.mark.parametrize(("law", "missed"), [(2, 1), (6, 2), (7, 1), (8, 2), (1, 0), (3, 0)])
def test_what_walks_through_without_a_law(law, missed):
    assert sum(set(seen) == {law} for seen in matrix().values()) == missed


def test_how_few_laws_would_do():
    """Of 1 and 5 one could go, of 3 and 4 one; the game needs four, and five to tell which."""
    assert printed(cell(PAGE, "smallest")).splitlines() == [
        "for all fifteen:",
        *(str(laws) for laws in [(1, 2, 3, 6, 7, 8), (1, 2, 4, 6, 7, 8)]),
        *(str(laws) for laws in [(2, 3, 5, 6, 7, 8), (2, 4, 5, 6, 7, 8)]),
        "for the seven of the game:",
        "(2, 6, 7, 8)",
        "to tell these seven apart:",
        "(2, 4, 6, 7, 8)",
    ]
    both = {name: tuple(seen) for name, seen in matrix().items()}
    assert both["one more in the total"] == (1, 5)
    assert both["a triangle built in"] == (3, 4)


def broken_laws(layer, *arrays):
    with np.errstate(all="ignore"):
        found = [keeps(probe(layer, *arrays)).all() for probe in PROBES.values()]
    return [at for at, kept in enumerate(found, 1) if not kept]


def layer_of(score):
    return lambda q, k, v, mask: masked_softmax(score(q, k), mask) @ v


@pytest.mark.parametrize("seed", range(20))
def test_laws_are_no_definition(seed):
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=shape) for shape in [(4, 5), (6, 5), (6, 2)]]
    right = layer_of(scaled_dot_scores)
    for score in (
        lambda q, k: np.zeros((len(q), len(k))),
        lambda q, k: -scaled_dot_scores(q, k),
        lambda q, k: scaled_dot_scores(q, k) / 2,
    ):
        layer, seen = layer_of(score), np.ones((4, 6), dtype=bool)
        assert broken_laws(layer, *arrays) == []
        assert not np.allclose(layer(*arrays, seen), right(*arrays, seen))
    shown = [line[24:].split() for line in printed(cell(PAGE, "no-definition")).splitlines()]
    assert shown == [["."] * 8] * 3


@pytest.mark.parametrize("seed", range(20))
def test_right_layers_with_more_inside_keep_fewer_laws(seed):
    def rotary(q, k, v, mask):
        return right(rotary_embedding(q), rotary_embedding(k), v, mask)

    def causal(q, k, v, mask):
        return right(q, k, v, np.tril(mask))

    right = layer_of(scaled_dot_scores)
    rng = np.random.default_rng(seed)
    arrays = [rng.normal(size=shape) for shape in [(6, 4), (6, 4), (6, 2)]]
    assert broken_laws(right, *arrays) == []
    assert broken_laws(causal, *arrays) == [3, 4]
    assert broken_laws(rotary, *arrays) == [2, 3, 4, 5, 6]


def test_in_float32_keys_are_shifted_by_1_000():
    """By 10,000 a right layer is accused; by 100 the overflow is missed on 7 of 20 seeds."""

    def score(q, k):
        q, k = np.float32(q), np.float32(k)
        return q @ k.T / np.float32(q.shape[-1] ** 0.5)

    def overflowing(q, k, v, mask):
        e = np.exp(score(q, k))
        return e / e.sum(axis=-1, keepdims=True) @ v

    def seen(layer, far, seed, tolerance):
        rng = np.random.default_rng(seed)
        q, k, v = (rng.normal(size=shape) for shape in [(4, 5), (6, 5), (6, 2)])
        mask = np.ones((4, 6), dtype=bool)
        with np.errstate(all="ignore"):
            moved = np.abs(layer(q, k + far, v, mask) - layer(q, k, v, mask)).max()
        return not moved <= tolerance  # NaN is seen

    def count(*given):
        return sum(seen(*given[:2], seed, given[2]) for seed in range(20))

    assert count(layer_of(score), 10_000, 1e-5) == 20
    assert count(layer_of(score), 1_000, 1e-3) == 0
    assert count(overflowing, 1_000, 1e-3) == 20
    assert count(overflowing, 100, 1e-3) == 13


def test_what_keeps_the_nine_laws_of_the_finish_line():
    lines = printed(cell(PAGE, "finish")).splitlines()
    keeping = [line[:23].strip() for line in lines if line.endswith("keeps all nine")]
    assert keeping == ["no mistake", "hidden scores -1e9", "no guard for nothing"]


def test_the_solution_of_the_finish_line_has_no_guard():
    """The page says what it gives where a row is empty."""
    solution = functions("graph-attention", "sol-finish-line", np=np)["my_attention"]
    rng = np.random.default_rng(0)
    x, *params = (rng.normal(size=shape) for shape in [(3, 4), (4, 4), (4, 4), (4, 4), (4, 2)])
    mask = np.array([[True, True, False], [True] * 3, [False] * 3])
    with np.errstate(all="ignore"):
        output, _ = solution(x, *params, 2, mask, None)
    assert np.isnan(output).any(axis=1).tolist() == [False, False, True]


def test_a_cache_that_is_short_is_right_on_short_texts():
    printed_lines = printed(cell(PAGE, "torch-cache")).splitlines()
    assert printed_lines == [
        "2 kept, words that are off: []",
        "1 kept, words that are off: [ 8 12]",
    ]
