"""Laws of the token classifier, of its training, and of its tasks."""

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnbook.models.toy_tasks import (
    ClassifierParams,
    classifier_gradients,
    lookup_batch,
    progress,
    reversal_batch,
    token_classifier,
    train,
)
from attnutils import (
    adam_init,
    adam_step,
    attention,
    causal_mask,
    cross_entropy,
    numerical_gradient,
    scaled_dot_scores,
    sinusoidal_encoding,
)

N, D, D_K, D_V, SYMBOLS, CLASSES = 5, 6, 4, 3, 7, 8
OPTIONS = {"encoding": sinusoidal_encoding(N, D), "mask": causal_mask(N)}
leads = pytest.mark.parametrize("lead", [(), (3,)])
with_and_without = pytest.mark.parametrize("options", [{}, OPTIONS])


def make_params(rng):
    shapes = (SYMBOLS, D), (D, D_K), (D, D_K), (D, D_V), (D_V, CLASSES), CLASSES
    return ClassifierParams(*(rng.standard_normal(shape) for shape in shapes))


def make_batch(rng, lead):
    """Tokens, one of them twice in a row, and targets, some of them not asked."""
    tokens = rng.integers(SYMBOLS, size=(*lead, N))
    targets = rng.integers(CLASSES, size=(*lead, N))
    tokens[..., 1] = tokens[..., 0]
    targets[..., 2:4] = -1
    return tokens, targets


@leads
@with_and_without
def test_the_classifier_is_attention_between_two_tables(lead, options):
    rng = np.random.default_rng(0)
    p, (tokens, _) = make_params(rng), make_batch(rng, lead)
    x = np.array([[p.embedding[t] for t in row] for row in tokens.reshape(-1, N)])
    x = x.reshape(*lead, N, D) + options.get("encoding", 0)
    q, k, v = x @ p.w_query, x @ p.w_key, x @ p.w_value
    output, weights = attention(q, k, v, mask=options.get("mask"))
    result = token_classifier(tokens, p, **options)
    assert_allclose(result.logits, output @ p.w_output + p.b_output, atol=1e-13)
    assert_allclose(result.weights, weights, atol=1e-14)
    assert_allclose(result.scores, scaled_dot_scores(q, k), atol=1e-13)


@leads
@with_and_without
def test_gradients_of_every_parameter(lead, options):
    rng = np.random.default_rng(1)
    p, (tokens, targets) = make_params(rng), make_batch(rng, lead)
    loss, gradients = classifier_gradients(tokens, targets, p, **options)
    logits = token_classifier(tokens, p, **options).logits
    assert_allclose(loss, cross_entropy(logits, targets).loss, rtol=1e-14)
    for field, w, gradient in zip(p._fields, p, gradients, strict=True):

        def loss_of(w, field=field):
            moved = p._replace(**{field: w})
            return cross_entropy(token_classifier(tokens, moved, **options).logits, targets).loss

        wanted = numerical_gradient(loss_of, w)
        assert_allclose(gradient, wanted, atol=1e-6 * abs(wanted).max(), err_msg=field)


def test_a_row_to_reverse_has_distinct_tokens():
    tokens, targets = reversal_batch(np.random.default_rng(0), 200)
    assert tokens.shape == (200, 10)
    assert_array_equal(targets, tokens[:, ::-1])
    assert not np.shares_memory(tokens, targets)  # so that changing one leaves the other
    assert all(len(set(row)) == 10 for row in tokens.tolist())
    assert np.bincount(tokens.ravel(), minlength=12).min() > 100  # of 2000, all 12 are there


def test_a_row_to_look_up_asks_for_one_of_its_pairs():
    tokens, targets = lookup_batch(np.random.default_rng(0), 300, n_pairs=4, n_keys=5, n_values=3)
    assert tokens.shape == targets.shape == (300, 5)
    assert (targets[:, :-1] == -1).all()
    asked = set()
    for row, value in zip(tokens.tolist(), targets[:, -1].tolist(), strict=True):
        pairs = dict(divmod(token, 3) for token in row[:-1])
        assert len(pairs) == 4
        assert pairs[row[-1] - 15] == value
        asked.add((list(pairs).index(row[-1] - 15), row[-1] - 15, value))
    assert len(asked) == 4 * 5 * 3  # any of the pairs, any key, any value


def test_training_is_a_loop_of_gradients_and_steps_that_can_be_watched():
    rng = np.random.default_rng(0)
    params, batches = make_params(rng), [make_batch(rng, (2,)) for _ in range(3)]
    given = iter(batches)
    result = train(
        params, lambda: next(given), 3, learning_rate=0.1, watch=lambda *seen: seen, **OPTIONS
    )
    p, state = params, adam_init(params)
    for step, (tokens, targets) in enumerate(batches):
        assert result.watched[step][0] == step
        assert all((a == b).all() for a, b in zip(result.watched[step][1], p, strict=True))
        loss, gradients = classifier_gradients(tokens, targets, p, **OPTIONS)
        assert result.losses[step] == loss
        p, state = adam_step(p, gradients, state, learning_rate=0.1)
    assert all((a == b).all() for a, b in zip(result.params, p, strict=True))
    assert result.watched[3] == (3, result.params)
    some = train(params, lambda: batches[0], 4, watch=lambda step, p: step if step % 2 else None)
    assert some.watched == [1, 3]


@pytest.mark.filterwarnings("ignore:The `ipykernel.comm.Comm` class:DeprecationWarning")
def test_the_output_of_a_cell_is_cleared_when_its_bar_is_done(monkeypatch):
    from tqdm.notebook import tqdm

    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    monkeypatch.setattr("tqdm.auto.tqdm", tqdm)
    cleared = []
    monkeypatch.setattr("IPython.display.clear_output", lambda: cleared.append(True))
    assert [len(cleared) for _ in progress(range(3))] == [0, 0, 0]
    assert len(cleared) == 1
