"""Sets of numbers, and queries that learn to read them: draws, gradients, what is stored."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnbook.models.number_sets import (
    SetReaderParams,
    load_set_runs,
    number_sets,
    read_sets,
    set_reader_gradients,
    train_set_reader,
)
from attnutils import numerical_gradient


def test_a_set_has_4_to_12_numbers_and_its_answers():
    numbers, is_there, answers = number_sets(np.random.default_rng(0), 500)
    assert set(is_there.sum(axis=1)) == set(range(4, 13))
    for row, there, answer in zip(numbers, is_there, answers, strict=True):
        x = row[there]
        assert_allclose(answer, [x.min(), x.mean(), x.max()])
        assert there[: len(x)].all()


def test_what_is_not_in_a_set_has_no_say():
    rng = np.random.default_rng(0)
    numbers, is_there, _ = number_sets(rng, 50)
    params = SetReaderParams(*(rng.normal(size=shape) for shape in ((2, 1), (2, 3), 3)))
    other = np.where(is_there, numbers, rng.random(numbers.shape))
    said, weights = read_sets(numbers, is_there, params)
    assert_allclose(read_sets(other, is_there, params)[0], said)
    assert not weights[~np.broadcast_to(is_there[:, None], weights.shape)].any()


@pytest.mark.parametrize("name", SetReaderParams._fields)
def test_the_gradients_are_those_of_the_loss(name):
    rng = np.random.default_rng(0)
    sets = number_sets(rng, 5)
    params = SetReaderParams(*(rng.normal(size=shape) for shape in ((3, 1), (3, 3), 3)))
    gradients = set_reader_gradients(*sets, params)[1]

    def loss(array):
        return set_reader_gradients(*sets, params._replace(**{name: array}))[0]

    wanted = numerical_gradient(loss, getattr(params, name))
    assert_allclose(getattr(gradients, name), wanted, rtol=0, atol=1e-8)


def test_a_training_gives_what_is_stored():
    runs = load_set_runs()
    learned = train_set_reader(np.random.default_rng(0), 3)
    assert_allclose(np.sort(learned.query[:, 0]), runs.slopes[2, 0, :3], atol=0.02)
    numbers, is_there, answers = number_sets(np.random.default_rng(1000), 2000)
    errors = np.sqrt(((read_sets(numbers, is_there, learned)[0] - answers) ** 2).mean(axis=0))
    assert_allclose(errors, runs.errors[2, 0], atol=1e-3)
