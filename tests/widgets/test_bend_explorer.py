"""The LeakyReLU explorer: its arguments, its numbers, its picture, its script."""

import numpy as np
import pytest

from attnutils import BendExplorer, GATParams, gat_layer, softmax

NAMES, PARTS = ["Eli", "Fay", "Gus", "Hal"], [1, 4, 3, 2]


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"names": ["Eli"]}, ValueError, "names has 1 entries but 2 to 12 are expected"),
        ({"names": NAMES[:3]}, ValueError, r"sender_parts has shape \(4,\) but \(3,\)"),
        (
            {"sender_parts": [1, 4, 3, 11]},
            ValueError,
            "sender_parts must lie from -10 to 10, .* 11",
        ),
        ({"sender_parts": [1, 4, 3, np.nan]}, ValueError, "sender_parts must hold numbers"),
        ({"receiver_part": 10.5}, ValueError, "receiver_part must be a number from -10 to 10"),
        ({"receiver_part": "6"}, TypeError, "receiver_part must be .* got str"),
        ({"slope": -0.6}, ValueError, "slope must be a number from -0.5 to 1, got -0.6"),
        ({"slope": 1.5}, ValueError, "slope must be .* got 1.5"),
    ],
)
def test_bad_arguments_are_explained(change, error, message):
    with pytest.raises(error, match=message) as caught:
        BendExplorer(**{"names": NAMES, "sender_parts": PARTS} | change)
    assert str(caught.value).startswith("BendExplorer: ")


@pytest.mark.parametrize("receiver_part", [-10, -2.5, 0, 7])
def test_it_scores_as_gat_does(receiver_part):
    explorer = BendExplorer(NAMES, PARTS, receiver_part=receiver_part)
    # One feature each: the receiver holds r, the senders hold t.
    nodes = np.array([[receiver_part, 0], *([0, t] for t in PARTS)])
    params = GATParams(np.eye(2)[:, None], [[1.0, 0]], [[0, 1.0]])
    expected = gat_layer(nodes, [1, 2, 3, 4], [0] * 4, params, self_loops=False)
    np.testing.assert_allclose(explorer.weights, expected.weights[:, 0], atol=1e-12)
    np.testing.assert_allclose(softmax(explorer.scores), explorer.weights)


def test_only_a_slope_below_0_swaps():
    order = np.argsort(PARTS).tolist()
    for slope in (0.1, 0.2, 1):
        for receiver_part in np.arange(-10, 10.5, 0.5):
            explorer = BendExplorer(NAMES, PARTS, receiver_part=receiver_part, slope=slope)
            assert np.argsort(explorer.scores).tolist() == order
    fallen = BendExplorer(NAMES, PARTS, receiver_part=-10, slope=-0.4)
    assert np.argsort(fallen.scores).tolist() == order[::-1]


@pytest.mark.parametrize("change", [{"receiver_part": -6}, {"slope": 1, "receiver_part": -2}])
def test_the_picture_shows_the_traits(pixels, change):
    a, b = pixels(BendExplorer(NAMES, PARTS)), pixels(BendExplorer(NAMES, PARTS, **change))
    assert a.shape != b.shape or np.abs(a - b).max() > 100


def test_the_text_is_one_stable_line():
    text = "BendExplorer(4 senders, receiver_part=-6, slope=0.2)"
    assert repr(BendExplorer(NAMES, PARTS, receiver_part=-6)) == text


def test_the_script_computes_the_same_numbers(run_script):
    cases = [(r, slope) for r in (-10, -2.5, 0, 3) for slope in (-0.5, 0, 0.2, 1)]
    got = run_script(
        "bend_explorer",
        """
        console.log(JSON.stringify(input.cases.map(([r, slope]) => {
          const { scores, weights } = slid(input.parts, r, slope);
          return [scores, weights];
        })));
        """,
        {"cases": cases, "parts": PARTS},
    )
    for (r, slope), result in zip(cases, got, strict=True):
        explorer = BendExplorer(NAMES, PARTS, receiver_part=r, slope=slope)
        np.testing.assert_allclose(result, [explorer.scores, explorer.weights], atol=1e-12)
