"""The tool that makes the data of the page on induction heads, with fewer and shorter trainings."""

import numpy as np
import pytest

from attnutils.induction import AttentionOnlyParams, init_attention_only
from tools.experiments import induction


@pytest.fixture(scope="module")
def made():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(induction, "TESTED", 20)
        return induction.make(n_seeds=2, steps=(10, 5))


def test_it_stores_a_row_for_each_seed_and_the_parameters_of_one(made):
    assert {name: array.shape for name, array in made.items()} == {
        "codes": (10_496,),
        "scales": (212,),
        "losses": (2, 2),
        "one_losses": (2, 1),
        "right": (2, 3),
        "one_right": (2,),
        "fixed_right": (2, 3),
        "doors": (2, 3),
        "watched": (2, 3, 3),
        "circuits": (2, 3),
    }
    assert made["codes"].dtype == made["circuits"].dtype == np.int8
    shares = np.concatenate([made[name].ravel() for name in ("right", "doors", "watched")])
    assert ((shares >= 0) & (shares < 0.5)).all()
    assert (made["losses"] > 2).all()


def by_hand() -> AttentionOnlyParams:
    """One-hot letters, places and notes side by side, and two heads that were not trained."""
    letters, places = slice(0, 20), slice(20, 52)
    width = 72
    one = np.eye(width)
    to_note = np.roll(one, 52, axis=1)  # a letter becomes a note
    back = np.zeros((width, width))
    back[places, places] = np.eye(32, k=-1)  # place i asks for place i - 1
    letter = np.zeros((width, width))
    letter[letters, letters] = np.eye(20)
    note = np.zeros((width, width))
    note[52:, letters] = np.eye(20)
    place = np.zeros((width, width))
    place[places, places] = np.eye(32)
    return AttentionOnlyParams(
        one[:20],
        one[20:52],
        np.stack([400 * back, 400 * letter]),
        np.stack([place, note]),
        np.stack([letter, letter]),
        np.stack([to_note, 2 * one]),
        one[:, :20],
    )


def test_what_is_measured_is_what_two_heads_made_by_hand_do():
    params = by_hand()  # place 0 sees itself alone: its note is its own letter, and misleads
    assert induction.share_right(params, 0) > 0.85
    right, before, after_same = induction.look(params, 0)
    assert right > 0.85
    assert before > 0.99
    assert 0.85 < after_same < 0.99
    queries, keys, values = induction.through_doors(params, 0)
    assert queries > 0.85
    assert keys < 0.3
    assert values > 0.85
    assert induction.circuits(params) == [20, 20, 16]


def test_random_parameters_show_nothing_of_it():
    params = init_attention_only(np.random.default_rng(0))
    match, copy, back = induction.circuits(params)
    assert match < 10
    assert copy < 10
    assert back < 10
    assert max(induction.look(params, 0)) < 0.3


def test_results_agree_where_means_are_close(made):
    assert induction.agree(made, made)
    for name in ("right", "one_right", "fixed_right", "doors"):
        assert induction.agree({**made, name: made[name] + np.float16(0.03)}, made)
        assert not induction.agree({**made, name: made[name] + np.float16(0.07)}, made)
    assert not induction.agree({**made, "losses": made["losses"][:1]}, made)
    assert not induction.agree({"right": made["right"]}, made)
