"""The state of an explorer as the text of an address: what its script reads, Python takes."""

import base64
import itertools

import pytest

from attnutils import AttentionBench
from tests.conftest import some
from tests.examples import WITH_EXAMPLE
from tools import widget_page

# Values that fit somewhere, that fit nowhere, and nearly.
VALUES = [
    *("0", "1", "2", "3", "7", "8", "64", "127", "128", "129", "-1", "0.5", "1.5", "1e6", "1e7"),
    *("inf", "-inf", "NaN", "nan", "Infinity", "", " 1", "1,2,3", "0,0,0", "0,1,2,3,4,5"),
    *("-2,0.5", "0,0", "0,1e6", "1,1e7", "0,0,1,1,1,-1,-1,0,0,0,2,2", "9,9,1,1,1,-1,-1,0,0,0,2,1"),
    *("6", "8", "11", "13", "17", "20"),
    *("B", "E", "-1,0,1,2,3", "1,2,3,4,5,6,7,8,9", "0,0,0,0,0,0,0,0,-0.5"),
    *("5,4,3,2,1,0", "000000", "101011", "1.0", "1e400", "true", "null", "__proto__"),
    *("softmax", "sparsemax", "causal", "padding", "rotary", "alibi", "dot", "GAT", "gaussian"),
    *(
        "Book",
        "The",
        "book",
        "the",
        "The@0",
        "Book@5",
        "Ann",
        "a",
        "Child",
        "Sleepy",
        "Reads",
        "A",
        "<img src=x onerror=alert(1)>",
    ),
]

# Reads texts as states and writes them again. Arrays travel as base64.
PROGRAM = """
const bytes = (text) => new DataView(Uint8Array.from(atob(text), (c) => c.charCodeAt(0)).buffer);
const text = (value) => (value instanceof DataView
  ? { bytes: btoa(String.fromCharCode(...new Uint8Array(value.buffer))) } : value);
const state = { ...input.state };
for (const { path, data } of input.buffers) state[path[0]] = bytes(data);
const start = { get: (name) => state[name] };
const names = Object.values(TRAITS).flatMap(({ place }) => place?.name ?? []);
const found = [...names.flatMap((name) => input.values.map((value) => [[name, value]])),
  ...input.pairs.map(([a, b]) => names.map((name, i) => [name, i % 2 ? a : b]))].map((pairs) => {
  const asked = String(new URLSearchParams(pairs));
  const read = widget.address.read(asked, start);
  const written = widget.address.write({ get: (name) => read[name] ?? state[name] }, start);
  const again = widget.address.read(written, start);
  return { asked, written, state: Object.entries(read).map(([name, x]) => [name, text(x)]),
    again: Object.entries(again).map(([name, x]) => [name, text(x)]) };
});
console.log(JSON.stringify(found));
"""


@pytest.mark.parametrize(
    "make", some(WITH_EXAMPLE, *WITH_EXAMPLE[::4]), ids=lambda make: make.__name__
)
def test_python_takes_what_an_address_says(run_script, make):
    stem = make.__module__.rpartition(".")[2]
    given = widget_page.saved(make.example())
    pairs = [*itertools.combinations(VALUES, 2)][::7]
    given |= {"values": VALUES, "pairs": pairs}
    found = run_script(stem, PROGRAM, given)
    widget, calm = make.example(), make.example().get_state()
    for each in found:
        assert each["again"] == each["state"], each["asked"]
        state = {
            name: memoryview(base64.b64decode(x["bytes"])) if isinstance(x, dict) else x
            for name, x in each["state"]
        }
        # It refuses what does not fit with an error.
        widget.set_state(state)
        got = {name: x for name, x in widget.get_state(list(state)).items()}
        assert got == {n: bytes(x) if isinstance(x, memoryview) else x for n, x in state.items()}
        assert bool(each["written"]) == (got != {name: calm[name] for name in state})
    assert sum(bool(each["written"]) for each in found) > 10


@pytest.mark.parametrize("address", ["", "Bench", "a:b", "a b", "1st", "x" * 21, 3, None, "ä"])
def test_an_explorer_has_a_short_name_in_addresses(address):
    with pytest.raises(ValueError, match=r"^AttentionBench: address must be"):
        AttentionBench(["a", "b"], [[1], [2]], [[1], [2]], address=address)
    bench = AttentionBench(["a", "b"], [[1], [2]], [[1], [2]], address="second-1")
    assert bench.get_state("address") == {"address": "second-1"}


def test_the_kinds_of_explorers_have_names_of_their_own():
    names = [make.example().address for make in WITH_EXAMPLE]
    assert len(set(names)) == len(names)
