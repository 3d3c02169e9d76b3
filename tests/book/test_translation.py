"""The tool that trains the translators: its gradients, and what it stores."""

import numpy as np
import pytest

from attnutils.translation import Translator, batch_of, init_translator, random_sentence
from tools.experiments import translation


@pytest.mark.parametrize("attends", [True, False])
def test_the_gradient_is_the_slope_of_the_loss(attends):
    rng = np.random.default_rng(0)
    drawn = init_translator(rng, attends=attends, m=3)
    p = Translator(*(x.astype(float) for x in drawn if x is not None))
    tokens, targets, _ = batch_of([random_sentence(rng, n) for n in (1, 2)])
    gradients = translation.loss_and_gradients(p, tokens, targets)[1]
    for name, x in p._asdict().items():
        if x is None:
            continue
        along = rng.normal(size=x.shape)
        ahead, behind = (
            translation.loss_and_gradients(p._replace(**{name: x + e * along}), tokens, targets)[0]
            for e in (1e-5, -1e-5)
        )
        slope = (ahead - behind) / 2e-5
        assert (getattr(gradients, name) * along).sum() == pytest.approx(slope, abs=1e-7), name


@pytest.fixture(scope="module")
def made():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(translation, "TESTED", 4)
        patch.setattr(translation, "MEMORY_LENGTHS", (3, 4))
        patch.setattr(translation, "FITTED", 400)
        yield translation.make(n_seeds=2, steps=2, memory_seeds=3)


def test_it_stores_shares_for_each_seed_and_the_parameters_of_one(made):
    assert made["right"].shape == (3, 2, 6)
    assert (made["right"] == 0).all()  # after two steps
    assert made["aligned"].shape == (2,)
    assert 8 < made["lengths"][0] < 11
    assert made["memory"].shape[:2] == (3, 3)
    assert (made["memory"][2] > 0.9).all()  # 128 numbers, three or four words
    assert made["attention_codes"].size > made["last_state_codes"].size


def test_results_agree_where_means_are_close(made):
    assert translation.agree(made, made)
    assert translation.agree({**made, "right": made["right"] + 0.05}, made)
    for name in ("right", "aligned", "memory"):
        assert not translation.agree({**made, name: made[name] + 0.07}, made)
    assert not translation.agree({"right": made["right"]}, made)
