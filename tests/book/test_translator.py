"""The tool that makes the data of the page on the transformer, with fewer and shorter trainings."""

import numpy as np
import pytest

from tools.experiments import translator


@pytest.fixture(scope="module")
def made():
    return translator.make(n_seeds=2, n_steps=3)


def test_it_stores_a_row_for_each_way_and_the_parameters_of_one_seed(made):
    assert made["switches"].tolist() == [[1, 1], [1, 0], [0, 1], [0, 0]]
    for name in ("losses", "repeats", "sentences"):
        assert made[name].shape == (4, 2)
    for name in ("taught", "written"):
        assert made[name].shape == (4, 2, 5)
        assert ((made[name] >= 0) & (made[name] <= 1)).all()
    assert made["params"].shape == (4, 1728)
    assert made["params"].dtype == np.float16
    assert (made["losses"] > 1).all()  # three steps teach little


def test_results_agree_where_means_are_close(made):
    assert translator.agree(made, made)
    for name in translator.MEASURED:
        assert translator.agree({**made, name: made[name] + 0.09}, made)
        assert not translator.agree({**made, name: made[name] + 0.11}, made)
    assert not translator.agree({**made, "params": made["params"][:1]}, made)
    assert not translator.agree({"losses": made["losses"]}, made)
