"""The memory explorer in a browser: what the reader moves, and what Python does."""

import numpy as np
import pytest

from attnutils import MemoryExplorer
from attnutils.widgets.memory_explorer import ROOMS, most, run
from tests.page.conftest import from_python, to_python


def slider(widget, name):
    return widget.get_by_role("slider", name=name)


def counted(widget):
    """What the headline says: multiplications, bytes."""
    data = widget.locator(".headline data").evaluate_all("all => all.map((x) => +x.value)")
    return data[1], data[0]


@pytest.fixture
def live(reopen, widget_page):
    return reopen(widget_page(MemoryExplorer())).page.locator(".widget-slot")


def test_it_counts_what_attnutils_counts(live):
    explorer = MemoryExplorer()
    for n, fast, tiled, done in ((2, 1, True, 37), (0, 5, False, 100), (3, 3, False, 50)):
        slider(live, "Words n").fill(str(n))
        slider(live, "Fast memory").fill(str(fast))
        live.get_by_role("radio", name="in tiles" if tiled else "scores written out").check()
        slider(live, "Done").fill(str(done))
        explorer.n, explorer.fast, explorer.tiled = 2 ** (7 + n), 2 ** (3 + fast), tiled
        explorer.done = done
        assert counted(live) == (explorer.bytes_moved, explorer.multiplications)


def test_one_scale_for_both_ways_and_all_memories(live):
    slider(live, "Done").fill("100")
    bars = {}
    for name in ("scores written out", "in tiles"):
        live.get_by_role("radio", name=name).check()
        for room in range(len(ROOMS)):
            slider(live, "Fast memory").fill(str(room))
            bars[name, room] = live.locator("dl .fill").evaluate_all(
                "bars => bars.map((bar) => parseFloat(bar.style.width))"
            )
    for (name, room), drawn in bars.items():
        end = run(1024, ROOMS[room], name == "in tiles")[-1]
        np.testing.assert_allclose(drawn, 100 * np.divide(end, most(1024)), rtol=1e-4)
    tiled = np.array([bars["in tiles", room] for room in range(len(ROOMS))])
    assert (np.diff(tiled, axis=0) < 0).all()  # both bars shrink with each step
    out = [bars["scores written out", room][0] for room in range(len(ROOMS))]
    np.testing.assert_allclose(np.diff(out), np.diff(tiled[:, 0]), atol=0.01)  # equally in both


def test_a_tile_in_the_fast_memory_is_as_large_as_in_the_slow_one(live):
    live.get_by_role("radio", name="in tiles").check()
    slider(live, "Done").fill("40")
    sizes = live.locator("rect.tile").evaluate_all(
        "all => all.map((x) => [x.classList[1], +x.getAttribute('width'), "
        "+x.getAttribute('height')])"
    )
    assert sorted(sizes[:5]) == sorted(sizes[5:])
    assert {role for role, *_ in sizes} == {"q", "k", "v", "s", "o"}


def test_the_page_and_python_move_each_other(show):
    explorer = MemoryExplorer()
    page = show(explorer)
    slider(page, "Done").fill("60")
    page.get_by_role("radio", name="in tiles").check()
    to_python(page, explorer)
    assert (explorer.done, explorer.tiled) == (60, True)
    explorer.n, explorer.fast = 256, 16
    from_python(page, explorer, "n", "fast")
    assert counted(page.locator("body")) == (explorer.bytes_moved, explorer.multiplications)
