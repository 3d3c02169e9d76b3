"""The stored runs of the dictionary lookup: they are what the page's training gives."""

import numpy as np
import pytest

import attnutils
from tools.experiments import lookup_runs


@pytest.fixture(scope="module")
def page():
    """The functions of the page's training."""
    return lookup_runs.functions()


@pytest.mark.parametrize("n_layers", [1, 2])
@pytest.mark.parametrize("kind", ["GAT", "GATv2"])
def test_the_gradients_are_right(page, kind, n_layers):
    rng = np.random.default_rng(0)
    params = page["start"](kind, n_layers, 3, rng, width=5, hidden=6)
    batch = page["lookup_batch"](rng, 3, 4)
    _, gradients, _ = page["gradients"](kind, params, *batch)
    for i, (array, gradient) in enumerate(zip(params, gradients, strict=True)):
        numerical = attnutils.numerical_gradient(
            lambda x, i=i: page["gradients"](kind, [*params[:i], x, *params[i + 1 :]], *batch)[0],
            array,
        )
        np.testing.assert_allclose(gradient, numerical, atol=1e-6)


@pytest.mark.parametrize("kind", ["GAT", "GATv2"])
def test_the_heads_are_those_of_attnutils(page, kind):
    m = 4
    rng = np.random.default_rng(1)
    params = page["start"](kind, 1, m, rng)[:3]
    ask, know, told = page["lookup_batch"](rng, m, 1)
    scores, z, _ = page["gat_pass" if kind == "GAT" else "gatv2_pass"](params, ask, know)
    weights = attnutils.softmax(scores)[0]
    np.testing.assert_array_equal(know[0].argmax(axis=1), m + np.arange(m))
    np.testing.assert_array_equal(know[0][:, 2 * m :].argmax(axis=1), told[0])

    receivers, senders = np.divmod(np.arange(m * m), m)
    ends = senders + m, receivers
    nodes = np.vstack([ask, know[0]])
    w, *rest = params
    if kind == "GAT":
        given = attnutils.GATParams(w[:, None], *(a[None] for a in rest))
        layer = attnutils.gat_layer
    else:
        given = attnutils.GATv2Params(w[:, None], rest[0][:, None], rest[1][None])
        layer = attnutils.gatv2_layer
    expected = layer(nodes, *ends, given, self_loops=False)
    np.testing.assert_allclose(weights.ravel(), expected.weights[:, 0], atol=1e-12)
    np.testing.assert_allclose((weights @ z[0]), expected.output[:m], atol=1e-12)


def test_a_run_is_as_it_was_stored(page):
    runs = attnutils.load_lookup_runs()
    assert runs.steps.tolist() == list(range(0, lookup_runs.STEPS + 1, lookup_runs.EVERY))
    for n_layers, kind in ((1, "GAT"), (2, "GATv2")):
        made = page["train"](kind, n_layers, 4, 3, 100)[:, 0]
        np.testing.assert_allclose(runs.answers[4, n_layers, kind][3, :5], made, atol=0.02)


def test_what_the_page_says_of_the_stored_runs():
    answers = attnutils.load_lookup_runs().answers
    last = {key: runs[:, -1] for key, runs in answers.items()}
    assert all(runs.shape == (20, 25) for runs in answers.values())
    assert (last[8, 1, "GAT"] < 0.15).all()
    assert np.sum(last[8, 1, "GATv2"] > 0.99) >= 17
    assert (last[4, 1, "GATv2"] > 0.99).all()
    assert np.median(last[4, 1, "GAT"]) < 0.26
    assert 0.44 < last[4, 1, "GAT"].max() < 0.45
    assert np.sum(last[4, 2, "GAT"] > 0.99) == 19
    assert np.sum(last[8, 2, "GAT"] > 0.99) < 10


def test_results_agree_if_their_means_do():
    made = np.full((2, 2, 2, 3, 4), 0.5, np.float16)
    other = made.copy()
    other[..., 0, -1] += 0.1  # one seed of three
    assert lookup_runs.agree({"answers": made}, {"answers": other})
    other[..., -1] += 0.1
    assert not lookup_runs.agree({"answers": made}, {"answers": other})
    assert not lookup_runs.agree({"answers": made}, {"answers": made[..., 1:]})


def test_it_makes_a_row_for_each_kind(capsys):
    made = lookup_runs.make(steps=25, seeds=range(1))
    assert made["answers"].shape == (2, 2, 2, 1, 2)
    assert made["steps"].tolist() == [0, 25]
    assert len(capsys.readouterr().out.splitlines()) == 8
