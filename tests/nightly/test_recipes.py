"""The commands that train what the pages have stored: cheap runs of each, and what they compare."""

from importlib import import_module

import numpy as np
import pytest

from attnbook.models import graph_lookup
from attnbook.models.longer_texts import REMEDIES, SCHEMES, TASKS, latest_mark_batch, unpacked
from attnbook.models.recurrent_translator import (
    Translator,
    batch_of,
    init_translator,
    random_sentence,
)
from attnbook.models.reversal import load_reversal_runs
from attnutils import FeedForwardParams, causal_mask, cross_entropy
from attnutils.gradients import leaves, with_leaves
from tools.experiments import __main__ as experiments
from tools.experiments import (
    binding,
    digit_runs,
    induction,
    language_model,
    longer_texts,
    lookup_runs,
    number_sets,
    recurrent_translator,
    reversal_runs,
    transformer_translator,
)
from tools.experiments.digit_runs import Trial


@pytest.mark.parametrize("name", experiments.NAMES)
def test_what_is_stored_is_small_and_agrees_with_itself(name):
    module = import_module(f"tools.experiments.{name}")
    stored = experiments.load(module.STORED)
    assert module.agree(stored, stored)
    assert module.STORED.stat().st_size <= 150_000


SHORT = {name: each._replace(steps=3) for name, each in language_model.RECIPES.items()}
# Settings and options of a short run, and which means over seeds are to be how close.
RUNS = {
    binding: ({}, {"n_seeds": 2, "steps": (3, 5)}, ["shares", "long_shares"], 0.05),
    digit_runs: ({}, {"n_seeds": 2, "n_steps": 2}, ["right", "last", "hidden"], 0.03),
    induction: ({"TESTED": 20}, {"n_seeds": 2, "steps": (10, 5)}, ["right", "doors"], 0.05),
    language_model: ({"RECIPES": SHORT}, {}, [], 0),
    longer_texts: ({"TESTED": 4, "TESTED_STRETCHED": 4}, {"seeds": range(1), "steps": 2}, [], 0),
    lookup_runs: ({}, {"steps": 25, "seeds": range(1)}, ["answers"], 0.05),
    number_sets: (
        {"TESTED": 300},
        {"n_seeds": 2, "few_seeds": 2, "steps": (2, 2, 2)},
        ["counted", "distances", "apart"],
        0.05,
    ),
    recurrent_translator: ({"TESTED": 4}, {"n_seeds": 2, "steps": 2}, ["right"], 0.06),
    transformer_translator: (
        {},
        {"n_seeds": 2, "n_steps": 3},
        [*transformer_translator.MEASURED],
        0.1,
    ),
}


@pytest.mark.parametrize("module", RUNS, ids=lambda module: module.__name__)
def test_a_short_run_has_the_form_of_what_is_stored(module, monkeypatch):
    settings, options, means, close = RUNS[module]
    for name, value in settings.items():
        monkeypatch.setattr(module, name, value)
    made, stored = module.make(**options), experiments.load(module.STORED)
    assert made.keys() == stored.keys()
    for name, array in made.items():
        assert (array.dtype.kind, array.ndim) == (stored[name].dtype.kind, stored[name].ndim), name
    for name in means:
        for off, is_near in ((0, True), (0.7 * close, True), (1.3 * close, False)):
            other = {**made, name: made[name] + np.asarray(off, made[name].dtype)}
            assert module.agree(other, made) == is_near, (name, off)
        assert not module.agree({**made, name: made[name][..., :1]}, made)


# -- gradients of the recipes


def along(loss, arrays, gradients, rng):
    """Compare gradients with the slope of a loss along a direction, an array at a time."""
    for i, (array, gradient) in enumerate(zip(arrays, gradients, strict=True)):
        direction = rng.normal(size=array.shape)
        ahead, behind = (
            loss([*arrays[:i], array + e * direction, *arrays[i + 1 :]]) for e in (1e-5, -1e-5)
        )
        slope = (gradient * direction).sum()
        assert slope == pytest.approx((ahead - behind) / 2e-5, rel=1e-4, abs=1e-7), i


@pytest.mark.parametrize("scheme", SCHEMES)
def test_gradients_of_the_longer_texts(scheme):
    rng = np.random.default_rng(0)
    model = [part.astype(np.float64) for part in longer_texts.initial(rng)]
    batch = latest_mark_batch(rng, 2, 6)

    def of(arrays):
        given = longer_texts.PositionModel(*arrays)
        return longer_texts.loss_and_gradients(given, *batch, scheme)

    along(lambda arrays: of(arrays)[0], model, of(model)[1], rng)


@pytest.mark.parametrize("attends", [True, False])
def test_gradients_of_the_translation(attends):
    rng = np.random.default_rng(0)
    drawn = init_translator(rng, attends=attends, m=3)
    arrays = [x.astype(float) for x in drawn if x is not None]
    tokens, targets, _ = batch_of([random_sentence(rng, n) for n in (1, 2)])

    def of(arrays):
        return recurrent_translator.loss_and_gradients(Translator(*arrays), tokens, targets)

    gradients = [x for x in of(arrays)[1] if x is not None]
    along(lambda arrays: of(arrays)[0], arrays, gradients[: len(arrays)], rng)


def double(params):
    """Parameters in float64, one after the other, and the way back to their names."""
    arrays = [np.asarray(x, np.float64) for x in leaves(params)]
    return arrays, lambda given: with_leaves(params, given)


@pytest.mark.parametrize("trial", [Trial(), Trial(n_queries=2, mask=causal_mask(16))])
def test_gradients_of_the_digits(trial):
    rng = np.random.default_rng(0)
    arrays, named = double(digit_runs.start(rng, trial))
    tokens, digits = rng.random((3, 16, 4)), np.array([3, 0, 9])

    def of(given):
        logits, back = digit_runs.logits_and_back(tokens, named(given), trial)
        loss, d_logits = cross_entropy(logits, digits)
        return loss, list(leaves(back(d_logits)))

    along(lambda given: of(given)[0], arrays, of(arrays)[1], rng)


def test_gradients_of_the_dots():
    rng = np.random.default_rng(0)
    arrays, named = double(number_sets.start_of_dots(rng))
    features, wanted = number_sets.dots(rng, 3)

    def of(given):
        said, back = number_sets.name_places(features, named(given))
        return ((said - wanted) ** 2).sum(), list(leaves(back(2 * (said - wanted))))

    along(lambda given: of(given)[0], arrays, of(arrays)[1], rng)


@pytest.mark.parametrize("kind", number_sets.KINDS)
def test_gradients_of_the_counting(kind):
    rng = np.random.default_rng(0)
    network = FeedForwardParams(*(rng.normal(size=s) for s in ((3, 16), 16, (16, 1), 1)))
    arrays, named = double(number_sets.CountParams(rng.normal(size=3), network))
    counts = number_sets.things(rng, 5)

    def of(given):
        loss, _, found = number_sets.count_gradients(counts, named(given), kind)
        return loss, list(leaves(found))

    along(lambda given: of(given)[0], arrays, of(arrays)[1], rng)


@pytest.mark.parametrize("n_layers", [1, 2])
@pytest.mark.parametrize("kind", ["GAT", "GATv2"])
def test_gradients_of_the_lookup(kind, n_layers):
    rng, page = np.random.default_rng(0), lookup_runs.functions()
    params = page["start"](kind, n_layers, 3, rng, width=5, hidden=6)
    batch = page["lookup_batch"](rng, 3, 4)
    gradients = page["gradients"](kind, params, *batch)[1]
    along(lambda arrays: page["gradients"](kind, arrays, *batch)[0], [*params], gradients, rng)


# -- what is stored is what the recipe gives


def test_a_lookup_that_is_trained_again_is_as_stored():
    runs, train = graph_lookup.load_lookup_runs(), lookup_runs.functions()["train"]
    for n_layers, kind in ((1, "GAT"), (2, "GATv2")):
        made = train(kind, n_layers, 4, 3, 100)[:, 0]
        np.testing.assert_allclose(runs.answers[4, n_layers, kind][3, :5], made, atol=0.02)


def test_a_reversal_that_is_trained_again_is_as_stored():
    (before,) = (run for run in load_reversal_runs() if run["start"] == 7)
    again, wanted = (reversal_runs.settled([each]) for each in (reversal_runs.record(7), before))
    np.testing.assert_allclose(again, wanted, rtol=0, atol=reversal_runs.TOLERANCE)


def test_the_stored_models_of_longer_texts_do_as_is_stored():
    stored = experiments.load(longer_texts.STORED)
    for t, task in enumerate(TASKS):
        for s, scheme in enumerate(SCHEMES):
            model = unpacked(stored["models"][t, s])
            right, asked = longer_texts.tested(model, task, scheme, 0)
            # A rounding may decide between two classes.
            assert np.abs(right - stored["right"][t, s, 0].astype(int)).max() <= 2
            np.testing.assert_array_equal(asked, stored["asked"][t, 0])
        model = unpacked(stored["models"][t, SCHEMES.index("rotary")])
        for r, remedy in enumerate(REMEDIES):
            right, asked = longer_texts.stretched(model, task, remedy, 0)
            np.testing.assert_allclose(right, stored["stretched"][t, r, 0].astype(int), atol=2)
            np.testing.assert_array_equal(asked, stored["stretched_asked"][t, 0])


def test_longer_texts_agree_up_to_a_little():
    stored = experiments.load(longer_texts.STORED)
    asked = stored["stretched_asked"].astype(int)[:, None]
    for share, is_near in ((0.03, True), (0.07, False)):
        other = {**stored, "stretched": stored["stretched"] + (share * asked).astype(int)}
        assert longer_texts.agree(stored, other) == is_near
