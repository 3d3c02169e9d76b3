"""Two layers of attention that learn to copy: texts, the model, its gradients, what is stored."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook.models.induction import (
    AttentionOnlyParams,
    ablate_head,
    attention_only,
    attention_only_gradients,
    init_attention_only,
    load_induction_runs,
    repeated_batch,
)
from attnutils import attention, numerical_gradient


@pytest.fixture
def rng():
    return np.random.default_rng(0)


def test_a_text_repeats_and_asks_from_the_second_round_on(rng):
    tokens, targets, periods = repeated_batch(rng, 300)
    assert set(periods.ravel()) == set(range(8, 17))
    for text, wanted, (period,) in zip(tokens, targets, periods, strict=True):
        assert len(set(text)) == len(set(text[:period])) == period
        assert_array_equal(text[period:], text[:-period])
        assert_array_equal(wanted[:period], -1)
        assert_array_equal(wanted[period:-1], text[period + 1 :])
        assert wanted[-1] == text[32 - period]


def test_the_model_is_two_layers_with_residuals_and_nothing_else(rng):
    p = init_attention_only(rng)
    tokens = rng.integers(20, size=(3, 9))
    x, maps = p.embedding[tokens] + p.positions[:9], []
    for layer in (0, 1):
        rows = (x @ w[layer] for w in (p.w_query, p.w_key, p.w_value))
        found, weights = attention(*rows, is_causal=True)
        x = x + found @ p.w_output[layer]
        maps.append(weights)
    result = attention_only(tokens, p)
    assert_allclose(result.logits, x @ p.w_class, atol=1e-12)
    assert_allclose(result.weights, np.stack(maps, axis=1), atol=1e-12)


@pytest.mark.parametrize("n_layers", [1, 2, 3])
@pytest.mark.parametrize("name", AttentionOnlyParams._fields)
def test_the_gradients_are_those_of_the_loss(rng, name, n_layers):
    p = init_attention_only(rng, n_layers)
    tokens, targets, _ = repeated_batch(rng, 2, 4, 5)
    gradients = attention_only_gradients(tokens, targets, p).gradients
    array = getattr(p, name)
    places = {tuple(rng.integers(size) for size in array.shape) for _ in range(12)}

    def loss(x, place):
        changed = array.copy()
        changed[place] = x
        return attention_only_gradients(tokens, targets, p._replace(**{name: changed})).loss

    for place in places:
        wanted = numerical_gradient(lambda x, at=place: loss(x, at), array[place])
        assert_allclose(getattr(gradients, name)[place], wanted, rtol=0, atol=1e-7)


def test_a_head_that_is_off_hands_on_nothing(rng):
    p = init_attention_only(rng)
    off = ablate_head(p, 0)
    assert not off.w_output[0].any()
    assert_array_equal(off.w_output[1], p.w_output[1])
    assert p.w_output[0].all()


def test_the_stored_parameters_are_those_of_seed_0():
    runs = load_induction_runs()
    tokens, targets, _ = repeated_batch(np.random.default_rng(1000), 1000)
    asked = targets >= 0
    for row, params in enumerate((runs.params, *(ablate_head(runs.params, i) for i in (0, 1)))):
        guesses = attention_only(tokens, params).logits.argmax(axis=-1)
        share = (guesses == targets)[asked].mean()
        assert share == pytest.approx(runs.right[0, row], abs=1e-3)
