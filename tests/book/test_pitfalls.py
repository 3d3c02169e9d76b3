"""Each mistake on the page of pitfalls fails the test that catches it, and none is left out."""

import json
import re
from typing import Any, NamedTuple

import matplotlib.pyplot as plt
import numpy as np
import pytest

import attnutils
from tools.project import CHAPTERS

CELLS = json.loads((CHAPTERS / "pitfalls.ipynb").read_text(encoding="utf-8"))["cells"]
IDS = [cell["id"] for cell in CELLS]
SOURCES = {cell["id"]: "".join(cell["source"]) for cell in CELLS}
SECTIONS = [
    "Softmax",
    "Scaling and scores",
    "Shapes",
    "Masks",
    "Heads",
    "Graphs",
    "Claims that a cell can check",
]

# The known mistakes of the documents that the book set out from are numbered 1 to 52. Each has
# cells of its own (by their key) or a row of the table (by words of it).
RUNNING = {
    "keepdims": {1},
    "overflow": {2},
    "temperature-outside": {12},
    "ties": {13},
    "hard-output": {14},
    "softmax-each": {34},
    "one-letter": {45},
    "wrong-root": {3},
    "without-root": {9},
    "three-scales": {39},
    "key-length": {35},
    "one-hot": {27},
    "widths": {52},
    "columns": {5},
    "left": {6},
    "outer": {7},
    "comment": {11},
    "overwrite": {40},
    "index-order": {41},
    "conventions": {46},
    "million": {30},
    "zero-values": {30},
    "cut-sum": {31},
    "assign": {32},
    "add": {32},
    "infinite": {32},
    "strict": {44},
    "shift": {47},
    "count-heads": {15},
    "output-rows": {16},
    "global": {18},
    "single-key": {33},
    "edge-softmax": {19, 23},
    "in-degree": {20},
    "all-edges": {21},
    "hidden-sums": {22},
    "concat-width": {49},
    "expected": {8},
    "permute": {26},
    "no-seed": {29},
    "additive-cost": {36},
    "cost": {38},
}
IN_THE_TABLE = {
    4: "vector of length 2",
    10: "central limit theorem",
    17: "square",
    24: "GaAN",
    25: "not trainable",
    28: "tensor-dot",
    37: "all popular attention mechanisms",
    42: "more computing power",
    43: "bidirectional RNN",
    48: "equation (14)",
    50: "$T = 1$",
    51: "equal to the keys",
}


class Call(NamedTuple):
    """A call of `caught`, and how its test ended on the two versions."""

    cell: str
    name: str
    on_wrong: type[BaseException] | None
    on_right: type[BaseException] | None
    same: bool


def error_of(test: Any, version: Any) -> type[BaseException] | None:
    """The type of what the test raises, None if it passes."""
    try:
        test(version)
    except Exception as error:
        return type(error)
    return None


@pytest.fixture(scope="module")
def page():
    """The calls of `caught` on the page, and the page's own `caught`."""
    calls: list[Call] = []
    own: list[Any] = []
    versions: list[Any] = []
    names: dict[str, Any] = {}

    for cell in CELLS:
        if cell["cell_type"] != "code":
            continue

        def record(test, wrong, right, cell=cell["id"]):
            ends = error_of(test, wrong), error_of(test, right)
            versions.append((test, wrong, right))
            calls.append(Call(cell, test.__name__, *ends, wrong is right))

        if own:
            names["caught"] = record
        exec(compile(SOURCES[cell["id"]], cell["id"], "exec"), names)
        if cell["id"] == "caught-code":
            own.append(names["caught"])
        plt.close("all")
    return calls, own[0], names, versions


def test_there_are_many_and_each_mistake_has_one(page):
    calls, *_ = page
    assert len(calls) >= 40
    assert [call.cell for call in calls] == [f"{key}-right" for key in RUNNING]


def test_a_wrong_version_fails_its_test_and_the_right_one_passes(page):
    calls, *_ = page
    ends = {call.name: (call.on_wrong, call.on_right) for call in calls}
    assert ends == dict.fromkeys(ends, (AssertionError, None))
    assert not any(call.same for call in calls)


def test_each_test_has_a_name_of_its_own(page):
    names = [call.name for call in page[0]]
    assert sorted(names) == sorted(set(names))


def test_the_page_turns_tests_away_that_catch_nothing(page):
    _, caught, *_ = page

    def vacuous(version):
        assert True

    def too_strict(version):
        raise AssertionError

    def broken(version):
        raise ZeroDivisionError

    with pytest.raises(RuntimeError, match=r"^vacuous lets the wrong version through$"):
        caught(vacuous, wrong=1, right=2)
    with pytest.raises(AssertionError):
        caught(too_strict, wrong=1, right=2)
    with pytest.raises(ZeroDivisionError):
        caught(broken, wrong=1, right=2)


@pytest.mark.parametrize("key", RUNNING)
def test_the_cells_of_a_mistake(key):
    """A heading with a few words, the wrong cell with its symptom, the right one with the test."""
    at = IDS.index(key)
    assert IDS[at : at + 3] == [key, f"{key}-wrong", f"{key}-right"]
    text, wrong, right = (SOURCES[name] for name in IDS[at : at + 3])
    heading, _, words = text.partition("\n\n")
    assert re.fullmatch(r"### \S.+", heading)
    assert 15 <= len(words.split()) <= 90
    assert "caught(" not in wrong
    assert "print(" in wrong
    (pair,) = re.findall(r"caught\(\w+, wrong=(\w+)_wrong, right=(\w+)_right\)", right)
    assert pair[0] == pair[1]


def test_mistakes_stand_in_groups():
    headings = re.findall(r"^(##+) (.+)$", "\n".join(SOURCES.values()), re.MULTILINE)
    groups, name = {}, ""
    for level, title in headings:
        name = title if level == "##" else name
        groups[name] = groups.get(name, 0) + (level == "###")
    assert [name for name, size in groups.items() if size] == SECTIONS
    assert min(size for size in groups.values() if size) >= 4
    assert sum(groups.values()) == len(RUNNING)


def test_no_known_mistake_is_left_out():
    numbers = [number for group in RUNNING.values() for number in group]
    assert sorted({*numbers, *IN_THE_TABLE}) == list(range(1, 53))
    assert not set(numbers) & set(IN_THE_TABLE)
    rows = [row for row in SOURCES["table"].splitlines() if row.startswith("| ")][1:]
    assert len(rows) == len(IN_THE_TABLE)
    for words in IN_THE_TABLE.values():
        assert sum(words in row for row in rows) == 1, words


def test_it_does_not_matter_when_a_test_is_run(page):
    """No later cell overwrites what an earlier test reads."""
    *_, versions = page
    for test, wrong, right in versions:
        with np.errstate(all="ignore"):
            ends = error_of(test, wrong), error_of(test, right)
        assert ends == (AssertionError, None), test


def test_the_laws_run_on_anything_at_the_end_of_the_page(page):
    *_, names, _ = page
    layer = names["attention_with"](names["softmax"])
    assert all(names["laws"](layer).values())
    assert all(names["laws"](layer, 4, 7).values())


@pytest.mark.parametrize("key", ["cut", "assign", "add", "infinite"])
def test_a_right_mask_is_right_for_a_stack(page, key):
    *_, names, _ = page
    mask = np.tri(6, dtype=bool)
    if key != "cut":
        mask[2] = False
    given = names[f"{key}_right"](names["S"], mask)
    np.testing.assert_allclose(given, attnutils.masked_softmax(names["S"], mask), atol=1e-12)
