"""Things to try: each has a state that its explorer can have, a question and what to see."""

import json

import numpy as np
import pytest

from attnutils import AttentionBench, AttentionExplorer, TemperatureExplorer, ThingsToTry
from attnutils.worked_example import KEYS, VALUES, WORDS
from tests.examples import WITH_EXAMPLE
from tests.examples._texts import IMAGE


def bench() -> AttentionBench:
    return AttentionBench(WORDS, KEYS, VALUES, query=5)


def test_a_state_is_whole_and_the_explorer_stays_as_it_was():
    explorer = bench()
    before = explorer.get_state()
    things = ThingsToTry(
        explorer,
        ("Who?", "Nobody.", {"query": 0, "temperature": np.inf}),
        ("Hidden?", "Yes.", {"mask": np.arange(6) != 3}),
    )
    assert explorer.get_state() == before
    first, second = (thing["state"] for thing in things.things)
    assert set(first) == set(second) == set(explorer.moved())
    assert (first["query"], first["temperature"]) == (0, "inf")
    assert first["query_vector"] == KEYS[0].tobytes()  # a query word brings its key
    assert (second["query"], second["temperature"]) == (5, 1)
    assert second["mask"] == [True, True, True, False, True, True]
    explorer.set_state(first)
    assert explorer.query == 0
    assert np.allclose(explorer.weights, 1 / 6)


@pytest.mark.parametrize("make", WITH_EXAMPLE, ids=lambda make: make.__name__)
def test_what_readers_move_is_what_addresses_hold(run_script, make):
    stem = make.__module__.rpartition(".")[2]
    program = """console.log(JSON.stringify(
      Object.keys(TRAITS).filter((name) => TRAITS[name].place)));"""
    assert sorted(run_script(stem, program, None)) == sorted(make.example().moved())


def test_a_setting_that_others_depend_on_is_set_first():
    long, short = [f"word {i}" for i in range(5)], ["a", "b"]
    explorer = AttentionExplorer(
        {"short": short, "long": long}, {"short": np.zeros((2, 2)), "long": np.zeros((5, 5))}
    )
    things = ThingsToTry(explorer, ("?", "!", {"token": 4, "sentence": "long"}))
    assert things.things[0]["state"]["token"] == 4
    assert explorer.sentence == "short"


@pytest.mark.parametrize(
    ("things", "error", "says"),
    [
        ((), ValueError, "ThingsToTry: there is nothing to try."),
        (("Ask", "See", {}), TypeError, "ThingsToTry: a thing must be a tuple"),
        ((("Ask", "See"),), TypeError, "ThingsToTry: a thing must be a tuple"),
        (((1, "See", {}),), TypeError, "ThingsToTry: what to ask must be text, got int."),
        ((("Ask", None, {}),), TypeError, "ThingsToTry: what to see must be text, got NoneType."),
        (
            (("Ask", "See", {"heat": 0}),),
            ValueError,
            "ThingsToTry: TemperatureExplorer has no setting 'heat'; it has normalizer,",
        ),
        ((("Ask", "See", {"scores": [1, 2]}),), ValueError, "has no setting 'scores'"),
        ((("Ask", "See", {"temperature": -1}),), ValueError, "TemperatureExplorer: temperature"),
    ],
)
def test_what_cannot_be_tried_is_refused_and_nothing_changes(things, error, says):
    explorer = TemperatureExplorer.example()
    before = explorer.get_state()
    with pytest.raises(error) as raised:
        ThingsToTry(explorer, *things)
    assert says in str(raised.value)
    assert explorer.get_state() == before


def test_it_needs_an_explorer():
    with pytest.raises(TypeError, match=r"^ThingsToTry: explorer must be one, got str\.$"):
        ThingsToTry("bench", ("Ask", "See", {}))


def test_the_stand_in_has_question_and_answer_as_text():
    things = ThingsToTry(bench(), (f"Is {IMAGE} at $T = 0$?", "See `x`.", {}))
    data, _ = things._repr_mimebundle_()
    assert data["text/plain"] == repr(things) == "ThingsToTry(1 thing)"
    assert "&lt;img" in data["text/html"]
    assert "<img" not in data["text/html"]
    assert '<span data-tex="T = 0">T = 0</span>' in data["text/html"]
    assert "<code>x</code>" in data["text/html"]
    state = {name: x for name, x in things.get_state().items() if name not in ("layout", "things")}
    json.dumps(state, allow_nan=False)
