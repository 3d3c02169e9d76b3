"""The memory explorer: its arguments, its counts, its picture, its script."""

import numpy as np
import pytest

from attnutils import MemoryExplorer
from attnutils.widgets.memory_explorer import LENGTHS, ROOMS, most, run


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"n": 100}, ValueError, "n must be one of 128, 256, 512, 1024, got 100"),
        ({"n": 2048}, ValueError, "n must be .* got 2048; it counts the words"),
        ({"n": 256.0}, TypeError, "n must be .* got float"),
        ({"fast": 65}, ValueError, "fast must be one of 8, 16, .* got 65; .* in KiB"),
        ({"fast": None}, TypeError, "fast must be .* got NoneType"),
        ({"tiled": 1}, TypeError, "tiled must be True or False, got int"),
        ({"done": 101}, ValueError, "done must be an integer from 0 to 100, got 101"),
        ({"done": True}, TypeError, "done must be .* got bool"),
    ],
)
def test_bad_arguments_are_explained(change, error, message):
    with pytest.raises(error, match=message) as caught:
        MemoryExplorer(**change)
    assert str(caught.value).startswith("MemoryExplorer: ")


def test_it_counts_what_has_been_done():
    explorer = MemoryExplorer(n=128, fast=16)
    assert (explorer.rows, explorer.bytes_moved, explorer.multiplications) == (28, 0, 0)
    explorer.done = 2  # of 5 tiles by 5, a row of 5, 5 by 5: the first of 55 steps
    assert explorer.bytes_moved == 2 * (28 * 64 + 28 * 64 + 28 * 28)
    assert explorer.multiplications == 28 * 28 * 64
    explorer.tiled = True
    explorer.done = 4  # the first of 25
    assert explorer.bytes_moved == 2 * 3 * 28 * 64
    assert explorer.multiplications == 2 * 28 * 28 * 64 + 28 * 65


@pytest.mark.parametrize("change", [{"n": 256}, {"fast": 16}, {"tiled": True}, {"done": 70}])
def test_the_picture_shows_the_traits(pixels, change):
    a, b = pixels(MemoryExplorer(done=30)), pixels(MemoryExplorer(**{"done": 30, **change}))
    assert a.shape != b.shape or np.abs(a - b).max() > 100


def test_nothing_takes_more_than_a_full_bar():
    for n in LENGTHS:
        runs = [run(n, fast, tiled)[-1] for fast in ROOMS for tiled in (False, True)]
        assert most(n) == (max(r.bytes_moved for r in runs), max(r.multiplications for r in runs))


def test_the_text_is_one_stable_line():
    assert repr(MemoryExplorer(fast=8)) == "MemoryExplorer(n=1024, fast=8, tiled=False, done=0)"


def test_the_script_counts_the_same_at_every_step(run_script):
    cases = [[n, fast, tiled] for n in LENGTHS for fast in ROOMS[1:] for tiled in (False, True)]
    got = run_script(
        "memory_explorer",
        """
        console.log(JSON.stringify(input.map(([n, fast, tiled]) =>
          stepsOf(n, rowsThatFit(fast), tiled).map(({ bytes, work }) => [bytes, work]))));
        """,
        cases,
    )
    for case, steps in zip(cases, got, strict=True):
        assert [tuple(step) for step in steps] == run(*case)[1:]


def test_the_script_ends_its_bars_at_the_same_counts(run_script):
    got = run_script(
        "memory_explorer",
        """
        console.log(JSON.stringify(
          input.map((n) => MOST[n]).map(({ bytes, work }) => [bytes, work])));
        """,
        LENGTHS,
    )
    assert [tuple(ends) for ends in got] == [most(n) for n in LENGTHS]
