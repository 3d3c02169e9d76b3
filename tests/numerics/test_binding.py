"""The task of two things at once: its questions, its gradients, and what heads make of it."""

import numpy as np
import pytest
from numpy.testing import assert_array_equal

from attnbook.models.binding import (
    binding_batch,
    binding_share,
    load_binding_runs,
    train_binding,
)


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_a_question_names_the_colours_of_two_items_and_wants_their_things(rng):
    question, items, things = binding_batch(rng, 500)
    colours, nouns = items[..., :12].argmax(-1), items[..., 12:].argmax(-1)
    assert_array_equal(items.reshape(500, 6, 2, 12).sum(-1), 1)
    assert all(len(set(row)) == 6 for row in colours.tolist())
    asked = question.reshape(500, 2, 12).argmax(-1)
    assert_array_equal(asked, colours[:, :2])
    assert_array_equal(things, nouns[:, :2])
    # Things repeat: with things that are all different one head would do.
    assert 20 < (things[:, 0] == things[:, 1]).sum() < 70


def test_training_starts_from_the_generator_and_takes_its_steps():
    one, same, start = (train_binding(np.random.default_rng(5), 2, n_steps=n) for n in (3, 3, 0))
    for w, other in zip(one[:4], same[:4], strict=True):
        assert_array_equal(w, other)
    assert 0.01 < np.abs(one.w_key - start.w_key).max() < 0.07  # three steps of .02


def test_the_stored_parameters_are_those_of_seed_0():
    shares, _, params = load_binding_runs()
    for n_heads, learned in params.items():
        found = binding_share(np.random.default_rng(0), learned, n_heads)
        assert found == pytest.approx(shares[8, n_heads][0], abs=0.03)
