"""What a page says of an answer is what `check` says: the same registry, the same words."""

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from _ext.answers import SCRIPTS, STATIC
from attnutils import check
from attnutils.exercises._registry import numbers
from tests.attnutils.test_exercises import FORMS, RIGHT, WRONG, given
from tools.project import ROOT

FOLDERS = {SCRIPTS[0]: STATIC, SCRIPTS[1]: ROOT / "_ext" / "static"}
each_form = pytest.mark.parametrize("key", FORMS)


@pytest.fixture(scope="module")
def script():
    """The scripts of a page, behind each other."""
    return "\n".join(Path(FOLDERS[name], name).read_text(encoding="utf-8") for name in SCRIPTS)


@pytest.fixture
def on_page(run_node, script):
    """What a page says of each of these arrays."""

    def say(form, arrays):
        # JSON has no NaN and no infinity; text has.
        given = [{"values": list(map(repr, a.ravel().tolist())), "shape": a.shape} for a in arrays]
        program = """
        const read = (text) => readField(text)[0];
        console.log(JSON.stringify(input.given.map(({ values, shape }) => {
          const { verdict, text } = judge(input.form, { values: values.map(read), shape });
          return verdict === "right" && !text ? verdict : `${verdict}: ${text}`;
        })));"""
        return run_node(script, program, {"form": form, "given": given})

    return say


@pytest.fixture
def in_python(capsys):
    """What `check` says of each of these arrays."""

    def say(key, arrays):
        for array in arrays:
            check(key, array)
        return capsys.readouterr().out.splitlines()

    return say


def right_values(form):
    """The right value in each shape that is accepted."""
    values = np.array(form["right"])
    return [np.resize(values, shape) for shape in form["shapes"]]


def random_values(form, rng):
    """A hundred answers, most of them near the right one or a slip, some of them rounded."""
    values = [form["right"], *(slip for slip, _ in form["wrong"])]
    for number in range(100):
        value = np.resize(values[rng.integers(len(values))], form["shapes"][0])
        off = rng.normal(size=value.shape) * 10.0 ** rng.integers(-5, 3)
        moved = value + (off if number % 3 else 0)
        yield np.round(moved, int(rng.integers(6))) if number % 2 else moved


def answers(key, form, rng):
    """All that is tried of an exercise."""
    if form["ticks"]:  # each box is ticked or not, and there is nothing else
        yield from map(np.array, itertools.product((0.0, 1.0), repeat=len(form["right"])))
        return
    target = np.reshape(form["right"], form["shapes"][0])
    yield from right_values(form)
    yield from random_values(form, rng)
    for factor in (-1.01, -0.99, 0.99, 1.01):
        yield target + factor * form["atol"]
    for slip, _ in form["wrong"]:
        yield np.reshape(slip, form["shapes"][0 if len(slip) == target.size else 1])
    told = [*RIGHT[key], *(answer for name, answer, _ in WRONG if name == key)]
    yield from (array for array in map(numbers, told) if array is not None)
    for shape in ((), (1,), (0,), (2,), (3, 3), (2, 2), (1, 1, 1), (*target.shape, 1)):
        yield np.ones(shape)
    for special in (math.nan, math.inf, -math.inf, -0.0, 0.0, 1e308, -1e308):
        yield np.full(target.shape, special)
    for decimals in range(5):
        yield np.round(target, decimals)
        yield np.trunc(target * 10.0**decimals) / 10.0**decimals


@each_form
def test_a_page_says_what_check_says(key, on_page, in_python):
    seed = np.random.SeedSequence().entropy
    arrays = list(answers(key, FORMS[key], np.random.default_rng(seed)))
    assert len(arrays) > 100 or FORMS[key]["ticks"]
    answered = [given(FORMS[key], array) for array in arrays]
    assert on_page(FORMS[key], arrays) == in_python(key, answered), f"seed {seed}"
