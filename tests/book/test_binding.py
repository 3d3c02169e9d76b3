"""The tool that makes the data of the page on several heads, with fewer and shorter trainings."""

import numpy as np
import pytest

from tools.experiments import binding


@pytest.fixture
def made(monkeypatch):
    monkeypatch.setattr(binding, "SIZES", [(8, 1), (8, 2), (4, 2)])
    monkeypatch.setattr(binding, "LONG_SIZES", [(8, 1)])
    return binding.make(n_seeds=2, steps=(3, 5))


def test_it_stores_a_share_for_each_seed_and_the_parameters_of_one(made):
    assert made["sizes"].tolist() == [[8, 1], [8, 2], [4, 2]]
    assert made["shares"].shape == (3, 2)
    assert made["long_shares"].shape == (1, 2)
    assert ((made["shares"] >= 0) & (made["shares"] < 0.2)).all()
    assert made["n_heads"].tolist() == [1, 2]
    assert made["params"].shape == (2, 4, 24, 8)
    assert made["params"].dtype == np.float16


def test_results_agree_where_means_are_close(made):
    assert binding.agree(made, made)
    off = {**made, "shares": made["shares"] + 0.04}
    assert binding.agree(off, made)
    assert not binding.agree({**made, "shares": made["shares"] + 0.06}, made)
    assert not binding.agree({**made, "long_shares": made["long_shares"] + 0.06}, made)
    assert not binding.agree({**made, "shares": made["shares"][:1]}, made)
    assert not binding.agree({"shares": made["shares"]}, made)
