"""The kernel regression explorer in Python: its arguments, its traits, its picture, its script."""

import json
import math

import numpy as np
import pytest

from attnutils import KernelRegressionExplorer, gaussian_scores, softmax
from attnutils.widgets._base import number_to_json

RNG = np.random.default_rng(0)
X = RNG.uniform(0, 5, size=20)
Y = np.sin(2 * X) + RNG.normal(scale=0.3, size=20)
BANDWIDTHS = [0.0, 5e-324, 1e-200, 1e-9, 0.1, 0.5, 1.0, 10.0, 1e200, math.inf]


def explorer(x=X, y=Y, **options):
    return KernelRegressionExplorer(x, y, **options)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"x": X[:19]}, ValueError, r"y has shape \(20,\) but \(19,\) is expected"),
        ({"y": Y[:, None]}, ValueError, r"y has shape \(20, 1\) but \(20,\) is expected"),
        ({"x": X[:, None]}, ValueError, r"x has shape \(20, 1\) but \(n,\) is expected"),
        ({"x": 3}, ValueError, r"x has shape \(\) but \(n,\) is expected"),
        ({"x": [], "y": []}, ValueError, r"x has shape \(0,\)"),
        ({"x": [1], "y": [1]}, ValueError, "x has 1 numbers but 2 to 64 are expected"),
        ({"x": np.arange(65), "y": np.arange(65)}, ValueError, "x has 65 numbers but 2 to 64"),
        ({"x": np.where(X > 1, X, np.nan)}, ValueError, "x must hold numbers .* no NaN"),
        ({"y": np.where(Y > 0, Y, np.inf)}, ValueError, "y must hold numbers .* no infinity"),
        ({"x": ["a"] * 20}, TypeError, "x has dtype <U1 but real numbers are expected"),
        ({"y": [[1, 2], [3]]}, ValueError, "y is a ragged list"),
        (
            {"query": math.inf},
            ValueError,
            "query must be a number from -1000000 to 1000000, got inf",
        ),
        ({"query": math.nan}, ValueError, "query must be a number .* got nan"),
        ({"query": "2"}, TypeError, "query must be a number .* got str"),
        ({"query": [2.0]}, TypeError, "query must be a number .* got list"),
        ({"bandwidth": -0.5}, ValueError, "bandwidth must be a number from 0 to inf, got -0.5"),
        ({"bandwidth": math.nan}, ValueError, "bandwidth must be a number from 0 to inf, got nan"),
        ({"bandwidth": None}, TypeError, "bandwidth must be a number from 0 to inf, got NoneType"),
        ({"bandwidth": True}, TypeError, "bandwidth must be a number from 0 to inf, got bool"),
    ],
)
def test_bad_arguments_are_explained(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        explorer(**arguments)
    assert str(caught.value).startswith("KernelRegressionExplorer: ")


def test_numbers_of_every_kind_are_taken():
    widget = explorer([3, 1], [1, 2], query=np.float32(1.5), bandwidth=10**400)
    assert (widget.query, widget.bandwidth) == (1.5, math.inf)
    assert type(widget.query) is type(explorer(bandwidth=2).bandwidth) is float
    assert explorer([3, 1, 2], [0, 0, 0]).query == 2


def test_by_hand():
    # Scores -1/2 and -2 at T = 1/4 are -2 and -8: odds of e^6.
    widget = explorer([1, 4], [10, 20], query=2, bandwidth=0.5)
    assert widget.temperature == 0.25
    np.testing.assert_allclose(widget.weights, [1 / (1 + np.exp(-6)), 1 / (1 + np.exp(6))])
    assert widget.output == pytest.approx(10 + 10 / (1 + np.exp(6)), abs=1e-12)


@pytest.mark.parametrize("bandwidth", [0.1, 0.5, 1, 3, 10])
def test_a_squared_bandwidth_is_a_temperature(bandwidth):
    widget = explorer(query=2, bandwidth=bandwidth)
    narrow = softmax(gaussian_scores([2], X[:, None], bandwidth=bandwidth))
    np.testing.assert_allclose(widget.weights, narrow, rtol=0, atol=1e-15)
    warm = softmax(gaussian_scores([2], X[:, None]), temperature=bandwidth**2)
    assert widget.weights.tolist() == warm.tolist()


def test_the_limits():
    widget = explorer([0, 1, 3, 1], [5, 7, 9, 2], query=2, bandwidth=0)
    assert widget.weights.tolist() == [0, 1 / 3, 1 / 3, 1 / 3]
    assert widget.output == 6
    widget.query = 1
    assert widget.weights.tolist() == [0, 0.5, 0, 0.5]
    widget.bandwidth = np.inf
    assert widget.weights.tolist() == [0.25] * 4
    assert widget.output == 5.75


def test_weights_at_many_queries():
    widget = explorer(bandwidth=0.5)
    rows = widget.weights_at([-1, 2, 7])
    assert rows.shape == (3, 20)
    np.testing.assert_allclose(rows.sum(axis=1), 1)
    widget.query = 7
    assert widget.weights.tolist() == rows[2].tolist()
    with pytest.raises(ValueError, match=r"queries has shape \(\) but \(m,\) is expected"):
        widget.weights_at(2)


@pytest.mark.parametrize("bandwidth", BANDWIDTHS)
def test_bandwidth_travels_both_ways(bandwidth):
    widget = explorer(bandwidth=bandwidth)
    sent = json.loads(json.dumps(widget.get_state("bandwidth"), allow_nan=False))
    assert sent == {"bandwidth": "inf" if bandwidth == math.inf else bandwidth}
    widget.bandwidth = 3
    widget.set_state(sent)
    assert widget.bandwidth == bandwidth
    assert 0 <= widget.weights.min() <= widget.weights.max() <= 1


def test_the_other_traits_travel_both_ways(floats):
    widget = explorer([3, 1], [4, 5], query=2)
    assert widget.get_state(["x", "y", "query"]) == {
        "x": floats(3, 1),
        "y": floats(4, 5),
        "query": 2,
    }
    widget.set_state({"x": memoryview(floats(0, 9)), "y": floats(1, 2), "query": 8.5})
    assert (widget.x.tolist(), widget.y.tolist(), widget.query) == ([0, 9], [1, 2], 8.5)


@pytest.mark.parametrize(
    ("name", "value"),
    [("query", math.inf), ("query", 2e6), ("bandwidth", -1), ("bandwidth", math.nan)],
)
def test_a_bad_assignment_is_refused_and_nothing_changes(assign, name, value):
    widget = explorer()
    before = widget.get_state()
    with pytest.raises(ValueError, match=f"^KernelRegressionExplorer: {name} "):
        assign(widget, name, value)
    assert widget.get_state() == before


@pytest.mark.parametrize(
    ("name", "value"), [("x", [1, 2]), ("y", np.full(20, np.nan)), ("query", "a")]
)
def test_what_python_alone_can_assign_is_checked_too(name, value):
    widget = explorer()
    before = widget.get_state()
    with pytest.raises((TypeError, ValueError), match=f"^KernelRegressionExplorer: {name} "):
        setattr(widget, name, value)
    assert widget.get_state() == before


def test_what_is_given_stays_as_it_is():
    x = X.copy()
    widget = explorer(x)
    x[0] = 99
    assert widget.x[0] == X[0]
    with pytest.raises(ValueError, match="read-only"):
        widget.x[0] = 0


@pytest.mark.parametrize(
    "change",
    [{"query": 1}, {"bandwidth": 0}, {"bandwidth": np.inf}, {"x": X[::-1]}, {"y": Y + np.sin(X)}],
)
def test_the_picture_shows_the_traits(pixels, change):
    a, b = pixels(explorer()), pixels(explorer(**change))
    assert np.abs(a - b).max() > 100


def test_every_shape_has_a_picture():
    for bandwidth in BANDWIDTHS:
        explorer(bandwidth=bandwidth, query=-3)._repr_mimebundle_()
    explorer([2, 2], [1, 1])._repr_mimebundle_()
    explorer(np.arange(64) / 7, np.zeros(64))._repr_mimebundle_()
    explorer([-1e6, 1e6, 1e6], [1e6, 0, -1e6], bandwidth=0)._repr_mimebundle_()


def test_the_text_is_one_stable_line():
    widget = explorer(query=2, bandwidth=np.inf)
    text = "KernelRegressionExplorer(20 points, query=2, bandwidth=inf)"
    assert repr(widget) == widget._repr_mimebundle_()[0]["text/plain"] == text


def test_the_script_computes_what_attnutils_computes(run_script):
    points = [
        (X, Y),
        (np.array([0, 1, 3, 1]), np.array([5, 7, 9, 2])),
        (RNG.normal(scale=1e3, size=64), RNG.normal(size=64)),
    ]
    queries = [-7.0, 0.0, 1.0, 2.0, 2.46, 1e6]
    got = run_script(
        "kernel_regression_explorer",
        """
        console.log(JSON.stringify(input.points.map(([keys, values]) =>
          input.queries.map((query) => input.bandwidths.map(readNumber).map((sigma) => {
            const { weights, output } = regress(keys, values, query, sigma * sigma);
            return [...weights, output];
          })))));
        """,
        {
            "points": [(x.tolist(), y.tolist()) for x, y in points],
            "queries": queries,
            "bandwidths": [number_to_json(bandwidth) for bandwidth in BANDWIDTHS],
        },
    )
    for (x, y), by_query in zip(points, got, strict=True):
        for query, by_bandwidth in zip(queries, by_query, strict=True):
            for bandwidth, result in zip(BANDWIDTHS, by_bandwidth, strict=True):
                widget = explorer(x, y, query=query, bandwidth=bandwidth)
                np.testing.assert_allclose(
                    result, [*widget.weights, widget.output], rtol=0, atol=1e-12
                )
