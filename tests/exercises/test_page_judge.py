"""What a page says of an answer is what `check` says: the scripts of the pages, run in Node."""

import contextlib
import io
import itertools
import math

import numpy as np
import pytest

from attnbook import check
from attnbook.exercises._registry import numbers
from attnbook.explorers._base import CORE
from tests.exercises.test_exercises import FORMS, RIGHT, WRONG, given, reshaped
from tools.project import ROOT

ANSWERS = (ROOT / "book" / "sphinx" / "answers.js").as_uri()
NUMBERS = (CORE / "numbers.js").as_uri()
QUESTION = (CORE.parent / "question" / "widget.js").as_uri()
DOCUMENT = (ROOT / "tests" / "explorers" / "document.mjs").as_uri()
SCRIPTS = f"""import {{ judge, judgeFields, readArray, readField }} from "{ANSWERS}";
import {{ parseNumbers }} from "{NUMBERS}";"""
JUDGE = f"""import "{DOCUMENT}";
import {{ judgeNumber, readAnswer }} from "{QUESTION}";"""


def answers(key, form, rng):
    """All that is tried of an exercise, as arrays."""
    if form["ticks"]:  # each box is ticked or not, and there is nothing else
        yield from map(np.array, itertools.product((0.0, 1.0), repeat=len(form["right"])))
        return
    target = np.reshape(form["right"], form["shapes"][0])
    yield from (np.resize(form["right"], shape) for shape in form["shapes"])
    values = [form["right"], *(slip for slip, _ in form["wrong"])]
    for number in range(60):  # most of them near the right one or a slip, some of them rounded
        value = np.resize(values[rng.integers(len(values))], target.shape)
        moved = value + rng.normal(size=value.shape) * 10.0 ** rng.integers(-5, 3)
        yield np.round(moved, int(rng.integers(6))) if number % 2 else moved
    yield from (target + factor * form["atol"] for factor in (-1.01, -0.99, 0.99, 1.01))
    yield from (reshaped(form, slip) for slip, _ in form["wrong"])
    told = [*RIGHT[key], *(answer for name, answer, _ in WRONG if name == key)]
    yield from (array for array in map(numbers, told) if array is not None)
    for shape in ((), (1,), (0,), (3, 3), (*target.shape, 1)):
        yield np.ones(shape)
    for special in (math.nan, math.inf, -math.inf, -0.0, 1e308):
        yield np.full(target.shape, special)
    for decimals in range(5):
        yield np.round(target, decimals)
        yield np.trunc(target * 10.0**decimals) / 10.0**decimals


def test_a_page_says_what_check_says(run_node):
    rngs = {key: np.random.default_rng([*key.encode()]) for key in FORMS}
    tried = {key: list(answers(key, form, rngs[key])) for key, form in FORMS.items()}
    # JSON has no NaN and no infinity; text has.
    data = [
        [form, [(list(map(repr, array.ravel().tolist())), array.shape) for array in tried[key]]]
        for key, form in FORMS.items()
    ]
    program = """
    const read = (text) => readField(text)[0];
    console.log(JSON.stringify(input.map(([form, given]) => given.map(([values, shape]) => {
      const { verdict, text } = judge(form, { values: values.map(read), shape });
      return verdict === "right" && !text ? verdict : `${verdict}: ${text}`;
    }))));"""
    for (key, each), on_page in zip(tried.items(), run_node(SCRIPTS, program, data), strict=True):
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            for array in each:
                check(key, given(FORMS[key], array))
        assert on_page == printed.getvalue().splitlines(), key


SIX = {"values": [0.1, -2, 0, 3, 0.001, 5], "shape": [6]}
# What is read from what a reader types or pastes, as JavaScript writes it.
FIELDS = {
    ".5": "0.5", "0,5": "0.5", "−3": "-3", "1e−3": "0.001", "-1 / 4": "-0.25", "NaN": "NaN",
    "−inf": "-Infinity", "1/0": "Infinity", "1,024": "1.024,1024", "infs": "", "1/": "", "1 2": "",
}  # fmt: skip
TYPED = {
    " .1 ": "0.1", "62,832": "62.832,62832", "1,048,576": "1048576", "1,000.5": "1000.5", "": "",
    "0,832": "0.832", "2/3": "", "1,00.5": "", "10,00,000": "", "Infinity": "", "--1": "",
}  # fmt: skip
PASTED = {
    "(0.1, -2, 0, 3, 1e-3, 5)": SIX, "[ .1   -2.  0. 3.\n 1e-03 5.]": SIX,
    "[np.float64(0.1), −2, 0, 3, 1e-3, 5]": SIX,
    "array([0.1, -2, 0, 3, 1e-3, 5], dtype=float32)": SIX,
    "[[1 2]\n [3 4]]": {"values": [1, 2, 3, 4], "shape": [2, 2]},
    **dict.fromkeys(["a", "[1, [2]]", "[[1, 2], [3]]", "[1, nan]", "[1", "{}"]),
}  # fmt: skip


@pytest.mark.parametrize(
    ("read", "table"),
    [("String(readField(text))", FIELDS), ("String(parseNumbers(text))", TYPED),
     ("readArray(text)", PASTED)],
)  # fmt: skip
def test_what_is_typed_and_pasted_is_read_as_it_is_meant(run_node, read, table):
    program = f"console.log(JSON.stringify(input.map((text) => {read})));"
    assert run_node(SCRIPTS, program, list(table)) == list(table.values())


def test_of_what_a_comma_may_mean_the_right_one_or_a_slip_is_meant(run_node):
    form = {"shapes": [[2]], "right": [1024, 0.5], "atol": 0.001, "decimals": [None, 1],
            "hint": "no", "note": "yes", "wrong": [[[1.024, 0.5], "thousands"]]}  # fmt: skip
    program = """
    const [form, given] = input;
    console.log(JSON.stringify(given.map((x) => judgeFields(form, x.map(readField)).text)));"""
    given = [["1,024", "0,5"], ["1.024", "0,5"], ["2", "0,5"]]
    assert run_node(SCRIPTS, program, [form, given]) == ["yes", "thousands", "no"]


def test_a_number_that_answers_a_question_is_judged(run_node):
    question = {"answer": 0.1, "tolerance": 0.001, "right": "yes", "hints": [[0.6, "sum"]]}
    up, down = "The answer is larger.", "The answer is smaller."
    cases = [([0.101], "yes"), ([0.102], down), ([60, 0.6], "sum"), ([0.602], "sum"), ([-4], up)]
    program = """
    const [question, given] = input;
    console.log(JSON.stringify(given.map((values) => judgeNumber(values, question))));"""
    judged = run_node(JUDGE, program, [question, [values for values, _ in cases]])
    assert judged == [{"right": said == "yes", "feedback": said} for _, said in cases]


def test_a_question_takes_a_simple_fraction_for_a_number(run_node):
    read = {"1/4": [0.25], "−3 / 2": [-1.5], "0,5/2": [0.25], "0.2": [0.2], "1,024": [1.024, 1024],
            **{text: [] for text in ("1/0", "1/", "/2", "1/2/3", "a/2", "")}}  # fmt: skip
    program = "console.log(JSON.stringify(input.map(readAnswer)));"
    assert run_node(JUDGE, program, list(read)) == list(read.values())
