"""GraphAttentionExplorer: what it refuses, its traits, its picture, its numbers in JavaScript."""

import json
import math
import re

import numpy as np
import pytest
from matplotlib.text import Text

from attnutils import GraphAttentionExplorer, entropy, segment_softmax
from attnutils.widgets._base import number_to_json
from attnutils.widgets.pictures._drawing import weight_text
from tests.page.conftest import POSITIONS, temperature_at
from tests.page.test_graph_attention_explorer import MAKE

NAMES = list("ABCD")
SQUARE = [[0, 0], [1, 0], [1, 1], [0, 1]]
# A hears from all, itself too, B from A and C, C from B alone, D from none.
SENDERS = [0, 1, 2, 3, 0, 2, 1]
RECEIVERS = [0, 0, 0, 0, 1, 1, 2]
E = len(SENDERS)
SCORES = {
    "mean": np.zeros(E),
    "GAT": np.random.default_rng(0).normal(size=(E, 3)),
    "dot": np.random.default_rng(1).normal(scale=3, size=(E, 1)),
}


def explorer(**options):
    given = {
        "names": NAMES,
        "positions": SQUARE,
        "senders": SENDERS,
        "receivers": RECEIVERS,
        "scores": SCORES,
    }
    return GraphAttentionExplorer(**given | options)


def at_temperature(scores, receivers, temperature):
    """Segment softmax at any temperature: its limits are taken receiver by receiver."""
    scores, receivers = np.array(scores, dtype=float), np.array(receivers)
    top = np.full(receivers.max() + 1, -np.inf)
    np.maximum.at(top, receivers, scores)
    with np.errstate(invalid="ignore", over="ignore"):
        gap = np.where(scores == top[receivers], 0, scores - top[receivers])
    gap[np.isneginf(scores)] = -np.inf
    if temperature == 0:
        gap = np.where(gap == 0, 0, -np.inf)
    elif temperature == math.inf:
        gap = np.where(np.isneginf(gap), -np.inf, 0)
    else:
        with np.errstate(over="ignore"):
            gap = gap / temperature
    return segment_softmax(gap, receivers, len(top))


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"names": "ABCD"}, TypeError, "names must be a list of 2 to 24 words"),
        ({"names": ["A"]}, ValueError, "names has 1 entries but 2 to 24"),
        ({"names": ["A"] * 25}, ValueError, "names has 25 entries but 2 to 24"),
        ({"names": ["A", " ", "C", "D"]}, ValueError, "must have a letter, .*; write"),
        ({"positions": SQUARE[:3]}, ValueError, r"positions has shape \(3, 2\) but \(4, 2\)"),
        ({"positions": [[0, math.nan]] * 4}, ValueError, "positions .* no NaN"),
        ({"positions": [["a", "b"]] * 4}, TypeError, "positions has dtype"),
        ({"senders": [0, 1]}, ValueError, r"receivers has shape \(7,\) .* E=2 in senders \(2,\)"),
        ({"senders": [0.5] * E}, TypeError, "senders has dtype float64 but integers"),
        ({"senders": [4] * E}, ValueError, "senders must be from 0 to n_nodes - 1 = 3, got 4"),
        (
            {"receivers": [-1] * E},
            ValueError,
            "receivers must be from 0 to n_nodes - 1 = 3, got -1",
        ),
        ({"receivers": [RECEIVERS]}, ValueError, r"receivers has shape \(1, 7\) but \(E,\)"),
        ({"senders": [], "receivers": []}, ValueError, "no edge but at least one is expected; "),
        (
            {"senders": [0, 1, 2, 3, 0, 2, 1], "receivers": [0, 0, 0, 0, 1, 1, 0]},
            ValueError,
            r"edge 6 runs from 'B' \(node 1\) to 'A' \(node 0\), as edge 1 does.*leave one out",
        ),
        ({"scores": np.zeros(E)}, TypeError, 'scores must be a mapping .* write {"dot": scores}'),
        ({"scores": {}}, ValueError, 'at least one mechanism, got none; write {"dot": scores}'),
        (
            {"scores": {1: np.zeros(E)}},
            TypeError,
            "each key of scores must be text, got int; write",
        ),
        (
            {"scores": {"": np.zeros(E)}},
            ValueError,
            "each key of scores must name a mechanism, got ''; write a word, as in",
        ),
        ({"scores": {"a": np.zeros(6)}}, ValueError, r'scores\["a"\] has shape \(6,\) but \(7,\)'),
        ({"scores": {"a": np.zeros((6, 2))}}, ValueError, r"\(6, 2\) but \(7, n_heads\)"),
        ({"scores": {"a": np.zeros((E, 0))}}, ValueError, r"\(7, 0\) but \(7, n_heads\)"),
        ({"scores": {"a": 1}}, ValueError, r"shape \(\) but \(7, n_heads\)"),
        ({"scores": {"a": np.full(E, np.inf)}}, ValueError, r"or -inf where .* no \+inf"),
        ({"scores": {"a": [[1], [1, 2]]}}, ValueError, "ragged"),
        ({"mechanism": "max"}, ValueError, '"mean" or "GAT" or "dot", got "max"'),
        ({"receiver": 4}, ValueError, "receiver .* from 0 to n_nodes - 1 = 3, got 4; nodes are"),
        ({"receiver": "A"}, TypeError, "receiver must be an integer .* got str; nodes are counted"),
        ({"mechanism": "GAT", "head": 3}, ValueError, r'from 0 to 2, got 3; .* "GAT"'),
        ({"head": 1}, ValueError, 'from 0 to 0, got 1; .* "mean"'),
        ({"temperature": -1}, ValueError, "temperature .* got -1"),
        ({"notes": "a"}, TypeError, 'notes must be a mapping .* got str; write {"mean": '),
        ({"notes": {"dot": 1}}, TypeError, r'notes\["dot"\] must be text, got int; leave out'),
        ({"notes": {"max": "a"}}, ValueError, 'each key of notes must be "mean" .* got "max"'),
    ],
)
def test_bad_facts(change, error, message):
    with pytest.raises(error, match=message) as caught:
        explorer(**change)
    assert str(caught.value).startswith("GraphAttentionExplorer: ")


def test_weights_are_a_softmax_over_the_edges_of_each_receiver():
    made = explorer(mechanism="GAT", head=2)
    wanted = segment_softmax(SCORES["GAT"][:, 2], RECEIVERS, 4)
    np.testing.assert_allclose(made.weights, wanted, rtol=0, atol=1e-15)
    np.testing.assert_allclose(np.bincount(RECEIVERS, made.weights), [1, 1, 1], atol=1e-12)
    for t in (0, 5e-324, 0.3, 7, math.inf):
        made.temperature = t
        wanted = at_temperature(SCORES["GAT"][:, 2], RECEIVERS, t)
        np.testing.assert_allclose(made.weights, wanted, rtol=0, atol=1e-12)
    for receiver in range(4):
        made.receiver = receiver
        mine = made.weights[np.array(RECEIVERS) == receiver]
        assert made.entropy == pytest.approx(float(entropy(mine)) if mine.size else 0)


def test_hidden_edges_get_nothing():
    scores = [0, -np.inf, 0, -np.inf, -np.inf, -np.inf, 0]
    made = explorer(scores={"dot": scores}, receiver=1)
    for t in (0, 1, math.inf):
        made.temperature = t
        assert made.weights.tolist() == [0.5, 0, 0.5, 0, 0, 0, 1]
        assert made.entropy == 0


def test_one_number_an_edge_is_one_head():
    made = explorer()
    assert {name: table.shape for name, table in made.scores.items()} == {
        "mean": (E, 1),
        "GAT": (E, 3),
        "dot": (E, 1),
    }
    for name, table in made.scores.items():
        assert table.tolist() == SCORES[name].reshape(E, -1).tolist()
    assert (made.mechanism, made.n_heads) == ("mean", 1)
    made.mechanism = "GAT"
    assert made.n_heads == 3


def test_the_head_follows_where_the_mechanism_has_fewer():
    made = explorer(mechanism="GAT", head=2)
    made.mechanism = "dot"
    assert made.head == 0
    # The page sends both at once.
    made.set_state({"head": 2, "mechanism": "GAT"})
    assert (made.mechanism, made.head) == ("GAT", 2)
    made.set_state({"mechanism": "dot", "head": 0})
    assert (made.mechanism, made.head) == ("dot", 0)
    with pytest.raises(ValueError, match=r'from 0 to 2, got 3; .* "GAT"'):
        made.set_state({"head": 3, "mechanism": "GAT"})


@pytest.mark.parametrize(
    ("name", "value"), [("mechanism", "dot"), ("receiver", 2), ("head", 1), ("temperature", 0.0)]
)
def test_traits_travel_both_ways(name, value):
    made = explorer(mechanism="GAT")
    setattr(made, name, value)
    sent = json.loads(json.dumps(made.get_state(name)))
    assert sent == {name: value}
    other = explorer(mechanism="GAT")
    other.set_state(sent)
    assert getattr(other, name) == value


def test_the_scores_travel_as_they_are():
    made = explorer(scores={"a": [-np.inf, *range(6)], "b": np.eye(E)[:, :2] / 3})
    table = np.column_stack([[-np.inf, *range(6)], np.eye(E)[:, :2] / 3])
    assert made.get_state("score_table")["score_table"] == table.astype("<f8").tobytes()
    made.set_state({"score_table": memoryview((np.ones((E, 3))).astype("<f8").tobytes())})
    assert made.scores["b"].tolist() == np.ones((E, 2)).tolist()
    with pytest.raises(
        ValueError, match=r"^GraphAttentionExplorer: score_table has shape \(7, 2\)"
    ):
        made.score_table = np.ones((E, 2))


def test_the_scores_can_be_replaced():
    made = explorer(mechanism="dot")
    new = {"GAT": np.ones((E, 3)), "dot": range(E), "mean": np.full(E, -np.inf)}
    made.scores = new  # in any order
    assert list(made.scores) == ["mean", "GAT", "dot"]
    for name, table in made.scores.items():
        assert table.tolist() == np.reshape(new[name], (E, -1)).tolist()
    np.testing.assert_allclose(made.weights, segment_softmax(np.arange(7.0), RECEIVERS, 4))


@pytest.mark.parametrize(
    ("scores", "error", "message"),
    [
        (
            {"GAT": np.ones((E, 3)), "dot": np.ones(E)},
            ValueError,
            "{'GAT': 3, 'dot': 1} but {'mean': 1, 'GAT': 3, 'dot': 1} are expected; make a new",
        ),
        (SCORES | {"GAT": np.ones((E, 2))}, ValueError, "{'mean': 1, 'GAT': 2, 'dot': 1} but"),
        (SCORES | {"dot": np.ones(E - 1)}, ValueError, r'scores\["dot"\] has shape \(6,\)'),
        (np.ones(E), TypeError, "scores must be a mapping"),
    ],
)
def test_scores_that_do_not_fit_are_refused(scores, error, message):
    made = explorer()
    before = made.get_state()
    with pytest.raises(error, match=f"^GraphAttentionExplorer: .*{message}"):
        made.scores = scores
    assert made.get_state() == before


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("mechanism", "max"),
        ("mechanism", None),
        ("receiver", 4),
        ("receiver", 1.0),
        ("head", 3),
        ("head", -1),
        ("temperature", math.nan),
    ],
)
def test_a_bad_assignment_is_refused_and_nothing_changes(assign, name, value):
    made = explorer(mechanism="GAT")
    before = made.get_state()
    with pytest.raises((TypeError, ValueError), match=f"^GraphAttentionExplorer: {name}"):
        assign(made, name, value)
    assert made.get_state() == before


def test_arguments_are_copied():
    senders, positions, scores = list(SENDERS), np.array(SQUARE), np.arange(E)
    made = explorer(senders=senders, positions=positions, scores={"a": scores})
    senders[0], positions[:], scores[:] = 3, 9, 9
    assert made.senders == SENDERS
    assert made.positions == SQUARE
    assert made.scores["a"][:, 0].tolist() == list(range(E))


@pytest.mark.parametrize(
    ("positions", "tall"),
    [
        (SQUARE, 100),
        ([[0, 0], [2, 0], [2, 1], [0, 1]], 50),
        ([[0, 0]] * 4, 0),
        ([[0, 0], [1, 0], [2, 0], [3, 0]], 0),
        ([[0, 0], [0, 1], [0, 2], [0, 3]], 300),
        ([[0, 0], [1, 9], [0, 2], [0, 3]], 300),
    ],
)
def test_room_is_kept_for_the_shape_of_the_drawing(positions, tall):
    assert explorer(positions=positions).sizes["tall"] == tall


def test_room_is_kept_for_the_longest_list_and_note():
    made = explorer(notes={"GAT": "a" * 43})
    assert made.sizes == {"most": 4, "tall": 100, "lines": 2}
    assert explorer(scores={"mean": SCORES["mean"]}).sizes["lines"] == 0


def test_the_text_is_one_stable_line():
    assert repr(explorer(mechanism="GAT", head=1, receiver=2, temperature=np.inf)) == (
        "GraphAttentionExplorer(4 nodes, 7 edges, mechanism='GAT', receiver='C', head=1, "
        "temperature=inf)"
    )


# -- the picture -----------------------------------------------------------------------------


def large(**options):
    n = 24
    names = ["<img src=x onerror=alert(1)>", "$x^$", "$a_$", *(f"node{i}" for i in range(n - 3))]
    scores = {"$x^$": np.random.default_rng(0).normal(size=(n * n, 2))}
    positions = np.random.default_rng(1).normal(size=(n, 2))
    ends = np.indices((n, n)).reshape(2, -1)
    return GraphAttentionExplorer(names, positions, *ends, scores, **options)


@pytest.mark.parametrize(
    "change", [{"mechanism": "dot"}, {"receiver": 1}, {"head": 1}, {"temperature": 0}]
)
def test_the_picture_shows_the_traits(pixels, change):
    made = explorer(mechanism="GAT")
    before = pixels(made)
    for name, value in change.items():
        setattr(made, name, value)
    after = pixels(made)
    assert after.shape != before.shape or np.abs(after - before).max() > 100


def test_the_picture_ranks_by_the_head_that_is_chosen(pixels):
    same = SCORES["GAT"][:, 0]
    a, b = (
        explorer(scores={"GAT": np.column_stack([other, same])}, head=1) for other in (same, -same)
    )
    np.testing.assert_array_equal(pixels(a), pixels(b))


def test_the_picture_is_of_the_receiver_alone(pixels):
    # What the others hear does not change it: edges 4, 5 and 6 end at B and C.
    scores = SCORES["GAT"].copy()
    scores[4:] += 9
    np.testing.assert_array_equal(
        *(pixels(explorer(scores={"GAT": given})) for given in (SCORES["GAT"], scores))
    )


def texts_of(figure):
    return [text.get_text() for text in figure.findobj(Text)]


def test_the_picture_lists_the_best_and_counts_the_rest():
    made = large()
    weights = np.sort(made.weights[np.array(made.receivers) == made.receiver])[::-1]
    texts = texts_of(made._picture())
    shown = [text for text in texts if re.fullmatch(r"0\.\d{3}|<\.001", text)]
    assert shown == [weight_text(w) for w in weights[:12]]
    assert "and 12 more" in texts


def test_numbers_stand_at_the_edges_of_a_picture_that_is_not_crowded():
    def at_edges(widget):
        texts = texts_of(widget._picture())
        return [text for text in texts if re.fullmatch(r"\.\d\d|0|1", text)]

    assert len(at_edges(explorer(mechanism="GAT"))) == 4
    assert not at_edges(large())


@pytest.mark.parametrize(
    ("scores", "bold"),
    [
        ([1, 1, 1, 1], []),
        ([-np.inf, 1, -np.inf, 1], []),
        ([99, 1, 99, 1], ["A", "C"]),
        ([-np.inf, 1, -np.inf, -np.inf], ["B"]),
        ([-np.inf] * 4, []),
    ],
)
def test_the_best_are_bold_in_the_picture_unless_all_are(scores, bold):
    figure = explorer(scores={"dot": [*scores, 0, 0, 0]})._picture()
    title, *beside = [
        text.get_text() for text in figure.axes[0].texts if text.get_weight() == "bold"
    ]
    assert title == "dot, temperature 1"
    share = f"{1 / max(1, len(bold)):.3f}"
    assert beside == [text for name in bold for text in (name, share)]


def test_every_state_has_a_picture(pixels):
    pixels(explorer(receiver=3))
    pixels(explorer(scores={"a": np.full(E, -np.inf)}))
    pixels(explorer(positions=[[0, 0]] * 4))


# -- JavaScript ------------------------------------------------------------------------------


def test_the_browser_computes_what_attnutils_computes(run_script):
    rng = np.random.default_rng(0)
    n, senders = 6, np.tile(np.arange(6), 5)
    receivers = np.repeat(np.arange(5), 6)  # none ends at the last node
    rows = rng.normal(scale=300, size=(5, 6))
    rows[1], rows[2, 2:4], rows[3], rows[4] = 1e6, -np.inf, -np.inf, [7, 7, 1, 7, -3, 0]
    scores = rows.ravel()
    shuffle = rng.permutation(30)
    senders, receivers, scores = senders[shuffle], receivers[shuffle], scores[shuffle]
    temperatures = [0.0, 5e-324, 1e-3, 0.25, 1.0, 7.3, 1e308, math.inf]
    got = run_script(
        "graph_attention_explorer",
        """
        const scores = input.scores.map(readNumber);
        console.log(JSON.stringify(input.temperatures.map((text) =>
          Array.from({ length: input.n }, (_, receiver) =>
            receive(input.receivers, scores, receiver, readNumber(text))))));
        """,
        {
            "n": n,
            "receivers": receivers.tolist(),
            "scores": [number_to_json(x) for x in scores],
            "temperatures": [number_to_json(t) for t in temperatures],
        },
    )
    made = GraphAttentionExplorer(
        list("abcdef"), rng.normal(size=(n, 2)), senders, receivers, {"dot": scores}
    )
    for t, heard in zip(temperatures, got, strict=True):
        made.temperature = t
        wanted = at_temperature(scores, receivers, t)
        np.testing.assert_allclose(made.weights, wanted, rtol=0, atol=1e-12, err_msg=f"T = {t}")
        seen = np.full(30, np.nan)
        for receiver, result in enumerate(heard):
            assert (receivers[result["edges"]] == receiver).all()
            seen[result["edges"]] = result["weights"]
        np.testing.assert_allclose(seen, wanted, rtol=0, atol=1e-12, err_msg=f"T = {t}")
        assert heard[5]["weights"] == []


def test_the_browser_computes_every_kind_of_graph_at_every_place_of_the_slider(run_script):
    graphs = [make() for make in MAKE.values()]
    got = run_script(
        "graph_attention_explorer",
        """
        console.log(JSON.stringify(input.graphs.map(({ receivers, scores, n }) =>
          input.positions.map((position) => Array.from({ length: n }, (_, receiver) =>
            receive(receivers, scores, receiver, temperatureAt(position)))))));
        """,
        {
            "positions": POSITIONS,
            "graphs": [
                {
                    "receivers": list(made.receivers),
                    "scores": made.scores[made.mechanism][:, made.head].tolist(),
                    "n": len(made.names),
                }
                for made in graphs
            ],
        },
    )
    for made, by_position in zip(graphs, got, strict=True):
        for position, heard in zip(POSITIONS, by_position, strict=True):
            made.temperature = temperature_at(position)
            seen = np.full(len(made.receivers), np.nan)
            for of_receiver in heard:
                seen[of_receiver["edges"]] = of_receiver["weights"]
            np.testing.assert_allclose(seen, made.weights, rtol=0, atol=1e-12)


def test_an_edge_reads_the_same_in_the_picture_and_in_the_browser(run_script):
    from attnutils.plotting import _short

    weights = [0.0, 0.006, 0.12, 0.376, 0.5, 0.994, 1.0]
    got = run_script(
        "graph_attention_explorer", "console.log(JSON.stringify(input.map(cellText)));", weights
    )
    assert got == [_short(w) for w in weights]
