"""The training explorer: its runs, its arguments, its picture, and the arithmetic of its script."""

import numpy as np
import pytest

from attnutils import TrainingExplorer, init_classifier, token_classifier
from attnutils.toy_tasks import classifier_gradients, train
from attnutils.widgets.training_explorer import (
    EXAMPLE,
    RATES,
    REMEDIES,
    encoding_of,
    minibatch,
    remedied,
    starting_params,
)

# Trains as the page does, and tells losses and the last parameters.
PROGRAM = """
const model = reversal();
console.log(JSON.stringify(input.map(({ start, positions, plan, example, steps }) => {
  const found = [];
  trainer(model, ({ stages }) => found.push(...stages), Infinity)(
    { id: 0, run: { start, positions, plan, example }, to: steps });
  return found;
})));
"""
RUNS = [
    {"start": 1, "positions": True, "plan": [[0, 0.01, 0]]},
    {"start": 77, "positions": False, "plan": [[0, 0.05, 0]]},
    {"start": 9999, "positions": True, "plan": [[0, 0.2, 0], [3, 0.0001, 0]]},
    *(
        {"start": 5, "positions": True, "plan": [[0, 0.2, 0], [4, 0.01, remedy]]}
        for remedy in range(1, len(REMEDIES))
    ),
]


@pytest.fixture
def explorer():
    return TrainingExplorer()


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"example": [0, 1]}, ValueError, "example must be ten letters from 0 to 11"),
        ({"example": [0] * 10}, ValueError, "example must be ten letters"),
        ({"example": [3, 4, 5, 6, 7, 8, 9, 10, 11, 12]}, ValueError, "example must be"),
        ({"example": [0.5] * 10}, TypeError, "example has dtype float64"),
        ({"rate": 0.02}, ValueError, "rate must be one of 0.0001, 0.001, 0.01, 0.05, 0.2"),
        ({"start": 0}, ValueError, "start must be an integer from 1 to 9999, got 0"),
        ({"start": True}, TypeError, "start must be .* got bool"),
        ({"positions": 1}, TypeError, "positions must be True or False, got int"),
    ],
)
def test_bad_arguments_are_explained(change, error, message):
    with pytest.raises(error, match=message) as caught:
        TrainingExplorer(**change)
    assert str(caught.value).startswith("TrainingExplorer: ")


@pytest.mark.parametrize(
    "plan",
    [
        [],
        [[1, 0.01, 0]],
        [[0, 0.01, 1]],
        [[0, 0.03, 0]],
        [[0, 0.01]],
        [[0, 0.01, 0], [0, 0.05, 0]],
        [[0, 0.01, 0], [5, 0.05, 0], [4, 0.05, 0]],
        [[0, 0.01, 0], [5, 0.05, 6]],
        [[0, 0.01, 0], [5, 0.05, -1]],
        [[0, 0.01, 0], [3001, 0.05, 0]],
        [[0, 0.01, 0], [1.5, 0.05, 0]],
        [[step, RATES[step % 2], 0] for step in range(25)],
    ],
)
def test_a_plan_that_cannot_be_is_refused(explorer, assign, plan):
    with pytest.raises(ValueError, match=r"^TrainingExplorer: plan must be"):
        assign(explorer, "plan", plan)
    assert explorer.plan == [[0, 0.01, 0]]


def test_a_start_is_drawn_as_init_classifier_draws(explorer):
    ours, theirs = starting_params(3), init_classifier(np.random.default_rng(0), 12, 12)
    for a, b in zip(ours, theirs, strict=True):
        assert a.shape == b.shape
        assert abs(a.mean()) < 0.06
        assert a.std() == pytest.approx(b.std(), rel=0.15)
    assert np.any(ours.w_key != starting_params(4).w_key)
    assert np.any(ours.w_key != starting_params(3, redrawn=True).w_key)


def test_minibatches_hold_distinct_letters_and_their_reversals():
    rows = [minibatch(start, step) for start in (1, 2) for step in range(50)]
    tokens, targets = (np.concatenate(part) for part in zip(*rows, strict=True))
    assert all(len(set(row)) == 10 for row in tokens)
    assert np.array_equal(tokens[:, ::-1], targets)
    assert len({tuple(row) for row in tokens}) == len(tokens)
    # Each letter comes as often as another at each place: 3,200 rows, 12 letters.
    counts = np.stack([np.bincount(column, minlength=12) for column in tokens.T])
    assert abs(counts / len(tokens) - 1 / 12).max() < 0.025


def test_a_run_is_the_one_that_attnutils_trains(explorer):
    batches = iter(range(20))
    result = train(
        starting_params(1),
        lambda: minibatch(1, next(batches)),
        20,
        encoding=encoding_of(10, True),
    )
    explorer.step = 20
    np.testing.assert_allclose(explorer.losses[:20], result.losses, rtol=0, atol=1e-12)
    for mine, theirs in zip(explorer.params, result.params, strict=True):
        np.testing.assert_allclose(mine, theirs, rtol=0, atol=1e-12)


def test_a_remedy_changes_what_it_says_and_no_more():
    params = starting_params(2)
    kept = {
        0: {*params._fields},
        1: {*params._fields} - {"w_query", "w_key"},
        2: {*params._fields} - {"w_query"},
        3: {*params._fields} - {"w_query", "w_key"},
        4: {*params._fields} - {"w_query", "w_key"},
        5: {"w_query", "w_key", "b_output"},
    }
    for remedy, same in kept.items():
        after = remedied(params, remedy, 2)
        changed = zip(params._fields, params, after, strict=True)
        assert {name for name, a, b in changed if np.array_equal(a, b)} == same
    np.testing.assert_array_equal(remedied(params, 1, 2).w_key, params.w_key / 30)
    np.testing.assert_array_equal(remedied(params, 3, 2).w_query, params.w_query / 3)


def test_it_learns_and_says_nine_letters_as_if_they_were_ten(explorer):
    explorer.step = 100
    assert explorer.said == explorer.letters[::-1]
    assert np.array_equal(explorer.weights.argmax(axis=-1), np.arange(10)[::-1])
    explorer.length = 9
    right = [a == b for a, b in zip(explorer.said, explorer.letters[::-1], strict=True)]
    assert right == [True] + [False] * 8


def test_the_script_takes_the_same_steps(run_script):
    """Losses, weights and letters of the first ten steps, from the same start, to 1e-6."""
    runs = [{**run, "example": EXAMPLE, "steps": 10} for run in RUNS]
    for run, stages in zip(runs, run_script("reversal", PROGRAM, runs), strict=True):
        explorer = TrainingExplorer(start=run["start"], positions=run["positions"])
        explorer.plan, explorer.step = run["plan"], 10
        assert [stage["step"] for stage in stages] == list(range(11))
        losses = [stage["loss"] for stage in stages]
        np.testing.assert_allclose(losses, explorer.losses, rtol=0, atol=1e-6)
        for stage in stages:
            for answer, explorer.length in zip(stage["answers"], (10, 9), strict=True):
                weights, said = explorer.answer_at(stage["step"])
                got = np.reshape(answer["weights"], weights.shape)
                np.testing.assert_allclose(got, weights, rtol=0, atol=1e-6)
                assert ["abcdefghijkl"[letter] for letter in answer["said"]] == said


def test_the_gradient_of_the_script_is_that_of_attnutils(run_script):
    program = """
    const model = reversal();
    const { loss, gradients } = model.backward(model.drawn(3), model.minibatch(3, 7), true);
    console.log(JSON.stringify([loss, ...gradients]));
    """
    loss, *got = run_script("reversal", program, None)
    wanted = classifier_gradients(
        *minibatch(3, 7), starting_params(3), encoding=encoding_of(10, True)
    )
    assert loss == pytest.approx(wanted.loss, abs=1e-12)
    flat = np.concatenate([array.ravel() for array in wanted.gradients])
    np.testing.assert_allclose(got, flat, rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    "change",
    [{"positions": False}, {"start": 2}, {"length": 9}, {"step": 30}, {"plan": [[0, 0.2, 0]]}],
)
def test_the_picture_shows_the_traits(pixels, explorer, change):
    other = TrainingExplorer()
    for name, value in change.items():
        setattr(other, name, value)
    a, b = pixels(explorer), pixels(other)
    assert a.shape != b.shape or np.abs(a - b).max() > 100


def test_what_is_said_is_what_the_model_says(explorer):
    explorer.step = 5
    logits = token_classifier(EXAMPLE, explorer.params, encoding=encoding_of(10, True)).logits
    assert explorer.said == ["abcdefghijkl"[letter] for letter in logits.argmax(axis=-1)]


def test_the_text_is_one_stable_line(explorer):
    explorer.length = 9
    assert repr(explorer) == "TrainingExplorer(cajklhfgd, start=1, step=0)"
