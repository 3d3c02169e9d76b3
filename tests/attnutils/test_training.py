"""Laws of training: gradients, Adam, the token classifier, and what it learns."""

import math

import nbformat
import numpy as np
import pytest
from nbclient import NotebookClient
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import (
    AdamState,
    ClassifierParams,
    adam_init,
    adam_step,
    attention,
    attention_backward,
    causal_mask,
    classifier_gradients,
    cross_entropy,
    init_classifier,
    numerical_gradient,
    scaled_dot_scores,
    sinusoidal_encoding,
    softmax,
    softmax_backward,
    token_classifier,
)
from attnutils.toy_tasks import lookup_batch, progress, reversal_batch, train

N, D, D_K, D_V, SYMBOLS, CLASSES = 5, 6, 4, 3, 7, 8
leads = pytest.mark.parametrize("lead", [(), (1,), (3,)])


def relative_error(x, expected):
    assert x.shape == expected.shape
    return np.abs(x - expected).max() / np.abs(expected).max()


def make_params(rng, dtype=float):
    shapes = (SYMBOLS, D), (D, D_K), (D, D_K), (D, D_V), (D_V, CLASSES), CLASSES
    return ClassifierParams(*(rng.standard_normal(shape).astype(dtype) for shape in shapes))


def make_batch(rng, lead):
    """Tokens, one of them twice in a row, and targets, some of them not asked."""
    tokens = rng.integers(SYMBOLS, size=(*lead, N))
    targets = rng.integers(CLASSES, size=(*lead, N))
    tokens[..., 1] = tokens[..., 0]
    targets[..., 2:4] = -1
    return tokens, targets


# --- softmax and attention, backwards -----------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7])
def test_softmax_backward_is_the_jacobian(n):
    rng = np.random.default_rng(n)
    d = rng.standard_normal(n)
    a = softmax(rng.standard_normal(n))
    assert_allclose(softmax_backward(a, d), (np.diag(a) - np.outer(a, a)).T @ d, atol=1e-15)


def test_softmax_backward_works_on_rows():
    rng = np.random.default_rng(0)
    s, d = rng.standard_normal((2, 3, 4, 5))
    s[1, 2, :3] = -np.inf
    d_scores = softmax_backward(softmax(s), d)
    numerical = numerical_gradient(lambda x: (softmax(x) * d).sum(), s)
    assert relative_error(d_scores, numerical) < 1e-8
    assert_allclose(d_scores.sum(-1), 0, atol=1e-15)
    assert (d_scores[1, 2, :3] == 0).all()


@leads
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize(("n_q", "n_k"), [(2, 5), (4, 1), (1, 3)])
def test_attention_backward_is_the_numerical_gradient(lead, masked, n_q, n_k):
    rng = np.random.default_rng(n_q)
    arguments = [rng.standard_normal((*lead, *s)) for s in ((n_q, D_K), (n_k, D_K), (n_k, D_V))]
    d = rng.standard_normal((*lead, n_q, D_V))
    mask = rng.random((*lead, n_q, n_k)) < 0.6 if masked else None
    gradients = attention_backward(*arguments, attention(*arguments, mask=mask).weights, d)
    for i, gradient in enumerate(gradients):

        def loss(x, i=i):
            moved = [*arguments[:i], x, *arguments[i + 1 :]]
            return (attention(*moved, mask=mask).output * d).sum()

        numerical = numerical_gradient(loss, arguments[i])
        assert_allclose(gradient, numerical, rtol=0, atol=1e-6 * max(1, np.abs(numerical).max()))
        if masked:
            continue
        if n_k > 1 or i == 2:  # the weight of a single key is 1, whatever the scores
            assert relative_error(gradient, numerical) < 1e-6


def test_a_single_query_is_a_row_without_its_axis():
    rng = np.random.default_rng(0)
    q, k, v, d = (rng.standard_normal(s) for s in (D_K, (5, D_K), (5, D_V), D_V))
    single = attention_backward(q, k, v, attention(q, k, v).weights, d)
    rows = attention_backward(q[None], k, v, attention(q[None], k, v).weights, d[None])
    assert_array_equal(single.query, rows.query[0])
    assert_array_equal(single.key, rows.key)
    assert_array_equal(single.value, rows.value)


def test_the_output_changes_with_the_query_by_a_covariance():
    rng = np.random.default_rng(0)
    q, k, v = (rng.standard_normal(s) for s in (D_K, (5, D_K), (5, D_V)))
    a = attention(q, k, v).weights
    jacobian = [attention_backward(q, k, v, a, d).query for d in np.eye(D_V)]
    covariance = np.zeros((D_V, D_K))
    for alpha, key, value in zip(a, k, v, strict=True):
        covariance += alpha * np.outer(value - a @ v, key - a @ k)
    assert_allclose(jacobian, covariance / math.sqrt(D_K), atol=1e-14)


def test_what_is_hidden_gets_no_gradient():
    rng = np.random.default_rng(0)
    q, k, v, d = (rng.standard_normal(s) for s in ((3, D_K), (3, D_K), (3, D_V), (3, D_V)))
    d[2] = 0  # the only row that sees the last key
    gradients = attention_backward(q, k, v, attention(q, k, v, is_causal=True).weights, d)
    assert (gradients.key[2] == 0).all()
    assert (gradients.value[2] == 0).all()
    assert (gradients.query[0] == 0).all()  # a single key takes it all


# --- cross-entropy ------------------------------------------------------------------------------


@leads
def test_cross_entropy_is_the_mean_surprise(lead):
    rng = np.random.default_rng(0)
    logits = 3 * rng.standard_normal((*lead, N, CLASSES))
    targets = make_batch(rng, lead)[1]
    surprise = []
    for z, t in zip(logits.reshape(-1, CLASSES), targets.ravel(), strict=True):
        if t >= 0:
            surprise.append(-math.log(math.exp(z[t]) / sum(math.exp(x) for x in z)))
    loss, d_logits = cross_entropy(logits, targets)
    assert type(loss) is float
    assert_allclose(loss, sum(surprise) / len(surprise), rtol=1e-14)
    numerical = numerical_gradient(lambda z: cross_entropy(z, targets).loss, logits)
    assert relative_error(d_logits, numerical) < 1e-8
    assert (d_logits[targets == -1] == 0).all()


def test_what_is_not_asked_does_not_count():
    rng = np.random.default_rng(0)
    logits = rng.standard_normal((4, CLASSES))
    few = cross_entropy(logits, [3, -1, 0, -1])
    assert_allclose(few.loss, cross_entropy(logits[[0, 2]], [3, 0]).loss, rtol=1e-15)
    assert_allclose(few.d_logits[[0, 2]], cross_entropy(logits[[0, 2]], [3, 0]).d_logits)


def test_large_logits_do_not_overflow():
    with np.errstate(all="raise"):
        loss, d_logits = cross_entropy([[1e6, 0, -1e300], [1e308, -1e308, 0]], [1, 0])
    assert loss == 5e5
    assert_array_equal(d_logits, [[0.5, -0.5, 0], [0, 0, 0]])
    assert cross_entropy([[0, -np.inf, 0]], [0]).loss == pytest.approx(math.log(2))
    assert cross_entropy([5.0, 5.0], 1).loss == pytest.approx(math.log(2))


# --- Adam ---------------------------------------------------------------------------------------


def test_two_steps_of_adam_by_hand():
    params, state = [np.array([1.0, 2.0])], AdamState(0, [np.zeros(2)], [np.zeros(2)])
    options = {"learning_rate": 0.1, "beta_1": 0.5, "beta_2": 0.75, "eps": 1.0}
    params, state = adam_step(params, [np.array([2.0, 0.0])], state, **options)
    # The mean is 0.5 * 2 = 1, the mean of squares 0.25 * 4 = 1; corrected they are 2 and 4.
    assert state.step == 1
    assert_allclose(state.mean, [[1, 0]])
    assert_allclose(state.square, [[1, 0]])
    assert_allclose(params, [[1 - 0.1 * 2 / (2 + 1), 2]])
    params, state = adam_step(params, [np.array([-1.0, 4.0])], state, **options)
    # 0.5 - 0.5 and 2; 0.75 + 0.25 and 4. The corrections divide by 0.75 and 0.4375.
    assert state.step == 2
    assert_allclose(state.mean, [[0, 2]])
    assert_allclose(state.square, [[1, 4]])
    second = 2 - 0.1 * (2 / 0.75) / (math.sqrt(4 / 0.4375) + 1)
    assert_allclose(params, [[1 - 0.1 * 2 / (2 + 1), second]])


def test_the_defaults_of_adam_are_those_that_were_published():
    rng = np.random.default_rng(0)
    params, g = [rng.standard_normal(3)], [rng.standard_normal(3)]
    named = {"learning_rate": 0.01, "beta_1": 0.9, "beta_2": 0.999, "eps": 1e-8}
    one, other = (adam_step(params, g, adam_init(params), **o) for o in ({}, named))
    assert_array_equal(one[0], other[0])
    assert_array_equal(one[1].mean, other[1].mean)
    assert_array_equal(one[1].square, other[1].square)


@pytest.mark.parametrize("scale", [1e-4, 1, 1e4])
def test_the_first_step_is_the_learning_rate_whatever_the_slope(scale):
    g = scale * np.array([-1.0, 3.0])
    (moved,), _ = adam_step([np.zeros(2)], [g], adam_init([np.zeros(2)]), learning_rate=0.25)
    assert_allclose(moved, [0.25, -0.25], rtol=1e-3)


def test_adam_finds_the_bottom():
    params, state = (np.array([5.0, -3.0]), np.array([[2.0]])), None
    state = adam_init(params)
    for _ in range(500):
        gradients = tuple(2 * (p - 1) for p in params)
        params, state = adam_step(params, gradients, state, learning_rate=0.1)
    assert type(params) is tuple
    assert_allclose(np.concatenate([p.ravel() for p in params]), 1, atol=1e-3)


def test_adam_keeps_the_type_of_its_parameters():
    rng = np.random.default_rng(0)
    p = make_params(rng)
    stepped, state = adam_step(p, p, adam_init(p))
    assert type(stepped) is type(state.mean) is type(state.square) is ClassifierParams
    assert type(adam_step([], [], adam_init([]))[0]) is list


# --- numerical gradient -------------------------------------------------------------------------


def test_numerical_gradient_of_any_shape():
    x = np.array([[1.0, 2.0], [0.5, -1.0]])
    assert_allclose(numerical_gradient(lambda y: (y**3).sum(), x), 3 * x**2, rtol=1e-8)
    assert numerical_gradient(lambda y: y**2, 3).shape == ()
    assert numerical_gradient(lambda y: y.sum(), np.zeros((0, 2))).shape == (0, 2)
    gradient = numerical_gradient(lambda y: y.sum(), np.ones(2, np.float32))
    assert gradient.dtype == np.float64
    assert_allclose(gradient, 1, rtol=1e-8)  # a step of 1e-6 is not lost in float32


def test_the_step_of_a_numerical_gradient():
    assert_allclose(numerical_gradient(lambda y: y[0] ** 3, [0.0], step=0.5), [0.25])


def test_a_function_that_changes_what_it_gets_is_harmless():
    x = np.array([1.0, 2.0])

    def function(y):
        y *= 2
        return y.sum()

    assert_allclose(numerical_gradient(function, x), 2, rtol=1e-8)
    assert_array_equal(x, [1, 2])


# --- the classifier -----------------------------------------------------------------------------


@leads
def test_the_classifier_is_attention_between_two_tables(lead):
    rng = np.random.default_rng(0)
    p, (tokens, _) = make_params(rng), make_batch(rng, lead)
    encoding, mask = sinusoidal_encoding(N, D), causal_mask(N)
    for options in ({}, {"encoding": encoding}, {"mask": mask}):
        x = np.array([[p.embedding[t] for t in row] for row in tokens.reshape(-1, N)])
        x = x.reshape(*lead, N, D) + options.get("encoding", 0)
        q, k, v = x @ p.w_query, x @ p.w_key, x @ p.w_value
        output, weights = attention(q, k, v, mask=options.get("mask"))
        result = token_classifier(tokens, p, **options)
        assert_allclose(result.logits, output @ p.w_output + p.b_output, atol=1e-13)
        assert_allclose(result.weights, weights, atol=1e-14)
        assert_allclose(result.scores, scaled_dot_scores(q, k), atol=1e-13)


@leads
@pytest.mark.parametrize("encoded", [False, True])
@pytest.mark.parametrize("masked", [False, True])
def test_gradients_of_every_parameter(lead, encoded, masked):
    rng = np.random.default_rng(1)
    p, (tokens, targets) = make_params(rng), make_batch(rng, lead)
    options = {
        "encoding": sinusoidal_encoding(N, D) if encoded else None,
        "mask": causal_mask(N) if masked else None,
    }
    loss, gradients = classifier_gradients(tokens, targets, p, **options)
    logits = token_classifier(tokens, p, **options).logits
    assert_allclose(loss, cross_entropy(logits, targets).loss, rtol=1e-14)
    for field, w, gradient in zip(p._fields, p, gradients, strict=True):

        def loss_of(w, field=field):
            moved = p._replace(**{field: w})
            return cross_entropy(token_classifier(tokens, moved, **options).logits, targets).loss

        assert relative_error(gradient, numerical_gradient(loss_of, w)) < 1e-6, field


def test_init_classifier_keeps_the_size_of_what_it_multiplies():
    p = init_classifier(np.random.default_rng(0), 50, 40, d=100)
    assert [w.shape for w in p] == [(50, 100), *[(100, 100)] * 3, (100, 40), (40,)]
    assert [w.std().round(2) for w in p] == [0.5, 0.1, 0.1, 0.1, 0.1, 0]
    assert init_classifier(np.random.default_rng(0), 2, 2).w_query.shape == (32, 32)
    again = init_classifier(np.random.default_rng(0), 50, 40, d=100)
    assert all((a == b).all() for a, b in zip(p, again, strict=True))


# --- all of them --------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_dtypes_are_kept(dtype):
    rng = np.random.default_rng(0)
    p, (tokens, targets) = make_params(rng, dtype), make_batch(rng, (2,))
    q, k, v = (rng.standard_normal((N, D)).astype(dtype) for _ in range(3))
    encoding = sinusoidal_encoding(N, D).astype(dtype)
    gradients = classifier_gradients(tokens, targets, p, encoding=encoding).gradients
    stepped, state = adam_step(p, gradients, adam_init(p))
    for arrays in (
        [softmax_backward(q, k)],
        attention_backward(q, k, v, np.eye(N, dtype=dtype), v),
        [cross_entropy(q, [0] * N).d_logits],
        token_classifier(tokens, p, encoding=encoding),
        gradients,
        stepped,
    ):
        assert {x.dtype for x in arrays} == {np.dtype(dtype)}
    wide = np.promote_types(dtype, np.float32)
    assert {x.dtype for x in (*state.mean, *state.square)} == {wide}
    assert token_classifier(tokens, p, encoding=np.zeros((N, D))).logits.dtype == np.float64


def test_integers_become_float64():
    ones = np.ones((2, 2), int)
    assert softmax_backward(ones, ones).dtype == np.float64
    assert attention_backward(ones, ones, ones, ones, ones).key.dtype == np.float64
    assert cross_entropy(ones, [0, 1]).d_logits.dtype == np.float64
    assert adam_step([ones], [ones], adam_init([ones]))[0][0].dtype == np.float64


def test_nothing_is_changed_in_place():
    """A frozen array refuses to be written to."""
    rng = np.random.default_rng(0)
    p, (tokens, targets) = make_params(rng), make_batch(rng, (2,))
    q, k, v = rng.standard_normal((3, N, D))
    encoding, mask = sinusoidal_encoding(N, D), causal_mask(N)
    state = adam_init(p)
    for x in (*p, *state.mean, *state.square, tokens, targets, q, k, v, encoding, mask):
        x.flags.writeable = False
    softmax_backward(q, k)
    attention_backward(q, k, v, q @ k.T, v)
    cross_entropy(q, [0] * N)
    numerical_gradient(np.sum, q)
    gradients = classifier_gradients(tokens, targets, p, encoding=encoding, mask=mask).gradients
    _, later = adam_step(p, gradients, state)
    for x in (*gradients, *later.mean, *later.square):
        x.flags.writeable = False
    adam_step(p, gradients, later)
    train(p, lambda: (tokens, targets), 2, encoding=encoding, mask=mask)


def test_no_hard_sum_warns():
    rng = np.random.default_rng(0)
    p, (tokens, targets) = make_params(rng, np.float16), make_batch(rng, (2,))
    for scale in (6e-8, 60000, np.inf, np.nan):
        params = ClassifierParams(*((scale * np.sign(w)).astype(np.float16) for w in p))
        x = (scale * np.sign(rng.standard_normal((N, N)))).astype(np.float16)
        with np.errstate(all="raise"):
            softmax_backward(x, x)
            attention_backward(x, x, x, x, x)
            cross_entropy(x, [0] * N)
            gradients = classifier_gradients(tokens, targets, params).gradients
            adam_step(params, gradients, adam_init(params))


# --- tasks and training -------------------------------------------------------------------------


def test_a_row_to_reverse_has_distinct_tokens():
    tokens, targets = reversal_batch(np.random.default_rng(0), 200)
    assert tokens.shape == targets.shape == (200, 10)
    assert tokens.dtype.kind == targets.dtype.kind == "i"
    assert not np.shares_memory(tokens, targets)  # so that changing one leaves the other
    for row, target in zip(tokens.tolist(), targets.tolist(), strict=True):
        assert len(set(row)) == 10
        assert target == list(reversed(row))
    assert np.bincount(tokens.ravel(), minlength=12).min() > 100  # of 2000, all 12 are there
    tokens, _ = reversal_batch(np.random.default_rng(0), 1, length=5, n_symbols=5)
    assert sorted(tokens[0]) == [0, 1, 2, 3, 4]


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
    assert lookup_batch(np.random.default_rng(0), 2)[0].shape == (2, 7)
    assert lookup_batch(np.random.default_rng(0), 500)[0].max() == 8 * 8 + 7


def learn(batch, n_symbols, n_classes, n_steps, **options):
    """Train on a fixed stream of batches; accuracy and attention weights on 500 fresh rows."""
    rng = np.random.default_rng(0)
    params = init_classifier(rng, n_symbols, n_classes)
    result = train(params, lambda: batch(rng, 32), n_steps, **options)
    tokens, targets = batch(rng, 500)
    logits, _, weights = token_classifier(tokens, result.params, **options)
    asked = targets >= 0
    return result, (logits.argmax(-1) == targets)[asked].mean(), weights


def test_reversal_is_learned_with_positions():
    result, accuracy, weights = learn(
        reversal_batch, 12, 12, 300, encoding=sinusoidal_encoding(10, 32)
    )
    assert accuracy == 1
    assert result.losses[0] > 2
    assert result.losses[-1] < 0.01
    assert (weights.mean(0).argmax(-1) == np.arange(10)[::-1]).all()  # the antidiagonal


def test_reversal_cannot_be_learned_without_positions():
    result, accuracy, _ = learn(reversal_batch, 12, 12, 300)
    assert 0.07 < accuracy < 0.16  # any of the nine other tokens
    assert result.losses[-50:].mean() > math.log(9)


def test_lookup_is_learned():
    mask = np.arange(7) < 6  # the query is not looked at
    _, accuracy, weights = learn(lookup_batch, 72, 8, 600, mask=mask)
    assert accuracy > 0.95
    assert (weights[:, -1].max(-1) > 0.5).mean() > 0.95  # one pair is picked


def test_training_is_the_same_each_time():
    def run():
        rng = np.random.default_rng(5)
        return train(init_classifier(rng, 6, 6, d=8), lambda: reversal_batch(rng, 4, 3, 6), 20)

    one, other = run(), run()
    assert_array_equal(one.losses, other.losses)
    assert all((a == b).all() for a, b in zip(one.params, other.params, strict=True))


def test_training_is_a_loop_of_gradients_and_steps():
    rng = np.random.default_rng(0)
    params, batches = make_params(rng), [make_batch(rng, (2,)) for _ in range(3)]
    options = {"encoding": sinusoidal_encoding(N, D), "mask": causal_mask(N)}
    given = iter(batches)
    result = train(params, lambda: next(given), 3, learning_rate=0.1, **options)
    p, state = params, adam_init(params)
    for (tokens, targets), loss in zip(batches, result.losses, strict=True):
        expected, gradients = classifier_gradients(tokens, targets, p, **options)
        assert loss == expected
        p, state = adam_step(p, gradients, state, learning_rate=0.1)
    assert all((a == b).all() for a, b in zip(result.params, p, strict=True))
    assert result.losses.dtype == np.float64
    assert result.watched == []


def test_what_is_watched():
    rng = np.random.default_rng(0)
    params, batch = make_params(rng), make_batch(rng, ())
    result = train(params, lambda: batch, 4, watch=lambda step, p: (step, p))
    assert [step for step, _ in result.watched] == [0, 1, 2, 3, 4]
    seen = [p for _, p in result.watched]
    assert seen[0] is params
    assert seen[-1] is result.params
    for p, loss in zip(seen, result.losses, strict=False):
        assert classifier_gradients(*batch, p).loss == loss
    some = train(params, lambda: batch, 4, watch=lambda step, p: step if step % 2 else None)
    assert some.watched == [1, 3]
    none = train(params, lambda: batch, 0, watch=lambda step, p: step)
    assert none.losses.shape == (0,)
    assert none.watched == [0]


# --- the progress bar ---------------------------------------------------------------------------


def test_a_bar_in_a_terminal_is_wiped_away(capsys, monkeypatch):
    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    assert list(progress("abc")) == ["a", "b", "c"]
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "0/3" in shown.err
    assert "\n" not in shown.err
    assert shown.err.split("\r")[-2].isspace()


def test_no_bar_if_that_is_wished(capsys, monkeypatch):
    monkeypatch.setenv("TQDM_DISABLE", "1")
    assert list(progress(iter([1, 2]))) == [1, 2]
    assert capsys.readouterr() == ("", "")


# ipywidgets 7 opens its channels as ipykernel no longer likes.
@pytest.mark.filterwarnings("ignore:The `ipykernel.comm.Comm` class:DeprecationWarning")
def test_the_output_of_a_cell_is_cleared_when_its_bar_is_done(monkeypatch):
    from tqdm.notebook import tqdm

    monkeypatch.delenv("TQDM_DISABLE", raising=False)
    monkeypatch.setattr("tqdm.auto.tqdm", tqdm)
    cleared = []
    monkeypatch.setattr("IPython.display.clear_output", lambda: cleared.append(True))
    assert [len(cleared) for _ in progress(range(3))] == [0, 0, 0]
    assert len(cleared) == 1


@pytest.mark.parametrize(("disable", "printed"), [("", "after\n"), ("1", "before\nafter\n")])
def test_a_saved_notebook_holds_nothing_of_the_bar(disable, printed, monkeypatch):
    monkeypatch.setenv("TQDM_DISABLE", disable)
    code = "from attnutils.toy_tasks import progress\nfor step in progress(range(9)): pass"
    cells = [code, f"print('before')\n{code}\nprint('after')"]
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(c) for c in cells])
    NotebookClient(notebook, kernel_name="python3").execute()
    silent, speaking = notebook.cells
    assert silent.outputs == []
    assert [output.text for output in speaking.outputs] == [printed]


def test_infinite_logits_share():
    loss, d_logits = cross_entropy([[np.inf, np.inf, 0], [np.inf, 0, 0]], [0, 0])
    assert loss == pytest.approx(np.log(2) / 2)
    assert_array_equal(d_logits, [[-0.25, 0.25, 0], [0, 0, 0]])
    assert cross_entropy([[np.inf, 0]], [1]).loss == np.inf


def test_float16_is_computed_in_a_wider_type():
    """A square of 1e-4, and a product of 60,000 with a sum, are beyond float16."""
    start = [np.zeros(2, np.float16)]
    after, _ = adam_step(start, [np.array([1e-4, -1e-4], np.float16)], adam_init(start))
    assert_allclose(after[0], [-0.01, 0.01], rtol=1e-3)

    weights, d = np.array([0.25, 0.75], np.float16), np.array([60000, -60000], np.float16)
    assert_array_equal(softmax_backward(weights, d), [22496, -22496])

    rng = np.random.default_rng(0)
    q, k = (rng.standard_normal((3, 4)).astype(np.float16) for _ in range(2))
    v, d_output = (200 * rng.standard_normal((3, 4)).astype(np.float16) for _ in range(2))
    given = [q, k, v / 100, softmax(rng.standard_normal((3, 3))).astype(np.float16), d_output]
    narrow = attention_backward(*given)
    wide = attention_backward(*(x.astype(np.float64) for x in given))
    for a, b in zip(narrow, wide, strict=True):
        assert a.dtype == np.float16
        assert_allclose(a, b, rtol=2e-3, atol=2e-2)


def test_one_wider_argument_widens_the_result():
    single, double = np.ones((2, 2), np.float32), np.ones((2, 2))
    assert softmax_backward(single, double).dtype == np.float64
    assert softmax_backward(single, single).dtype == np.float32
    assert attention_backward(*[single] * 4, double).key.dtype == np.float64
    assert attention_backward(*[single] * 3, double, single).value.dtype == np.float64
