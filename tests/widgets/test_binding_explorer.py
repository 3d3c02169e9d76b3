"""The binding explorer: its arguments, its traits, its picture, and its script's numbers."""

import numpy as np
import pytest

from attnutils import BindingExplorer, MultiHeadParams, multi_head_attention, softmax
from attnutils.binding import load_binding_runs
from tests.examples.binding_explorer import COLOURS, THINGS, trained, without_shares

PARAMS = load_binding_runs().params
NARROW = MultiHeadParams(*np.zeros((3, 24, 4)), np.zeros((4, 24)))


def make(params=PARAMS, colours=COLOURS, things=THINGS, item_colours=(0, 1, 2), **options):
    item_things = options.pop("item_things", [0] * len(item_colours))
    return BindingExplorer(params, colours, things, item_colours, item_things, **options)


def cut(name, rows):
    """The parameters of two heads with fewer rows of one matrix."""
    params = PARAMS[2]
    return {2: params._replace(**{name: getattr(params, name)[:rows]})}


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"params": {}}, TypeError, "params must be a mapping of 1 to 6"),
        ({"params": PARAMS[2]}, TypeError, "params must be a mapping"),
        ({"params": {2: PARAMS[2][:4]}}, TypeError, "must hold MultiHeadParams without biases"),
        (
            {"params": {2: PARAMS[2]._replace(b_query=np.zeros(8))}},
            TypeError,
            "must hold MultiHeadParams without biases",
        ),
        ({"params": {0: PARAMS[2]}}, ValueError, "a key of params must be .* at least 1"),
        ({"params": {3: PARAMS[2]}}, ValueError, "3 heads cannot share out a width of 8"),
        ({"params": cut("w_key", 23)}, ValueError, r"w_key has shape \(23, 8\) but \(24, 8\)"),
        ({"params": cut("w_output", 7)}, ValueError, r"w_output has shape \(7, 24\) but \(8, 24\)"),
        (
            {
                "params": {
                    1: PARAMS[1],
                    2: MultiHeadParams(*np.zeros((3, 24, 4)), np.zeros((4, 24))),
                }
            },
            ValueError,
            "all params must have the same width",
        ),
        ({"colours": COLOURS[:1]}, ValueError, "colours has 1 entries but 2 to 12"),
        ({"things": THINGS[:5]}, ValueError, "things has 5 entries but 12"),
        ({"item_colours": [0]}, ValueError, "item_colours must be 2 to 8 different integers"),
        ({"item_colours": [0, 0]}, ValueError, "item_colours must be 2 to 8 different"),
        ({"item_colours": [0, 12]}, ValueError, "from 0 to 11"),
        ({"item_things": [0, 1]}, ValueError, "item_things must be 3 integers from 0 to 11"),
        ({"item_things": [0, 1, 12]}, ValueError, "item_things must be"),
        ({"shares": {1: 0.5}}, ValueError, "shares must have the same numbers of heads"),
        ({"shares": dict.fromkeys(PARAMS, 2)}, ValueError, "shares must be numbers from 0 to 1"),
        ({"n_heads": 3}, ValueError, "n_heads must be 1 or 2 or 4 or 8, got 3"),
        ({"first": 3}, ValueError, "first must be an integer from 0 to 2"),
        ({"second": "red"}, TypeError, "second must be an integer"),
    ],
)
def test_bad_facts(change, error, message):
    with pytest.raises(error, match=message) as caught:
        make(**change)
    assert str(caught.value).startswith("BindingExplorer: ")


@pytest.mark.parametrize("n_heads", PARAMS)
def test_it_computes_what_multi_head_attention_does(n_heads):
    explorer = trained(n_heads=n_heads, first=3, second=1)
    one_hot = np.eye(12)
    question = np.concatenate([one_hot[3], one_hot[1]])[None]
    items = np.concatenate([one_hot[:6], one_hot[explorer.item_things]], axis=-1)
    result = multi_head_attention(question, items, items, PARAMS[n_heads], n_heads=n_heads)
    np.testing.assert_allclose(explorer.weights, result.weights[:, 0], rtol=0, atol=1e-12)
    logits = result.output.reshape(2, 12)
    np.testing.assert_allclose(explorer.chances, softmax(logits), rtol=0, atol=1e-12)
    assert explorer.answers == [THINGS[i] for i in logits.argmax(axis=-1)]
    np.testing.assert_allclose(
        explorer.found @ PARAMS[n_heads].w_output, result.output[0], rtol=0, atol=1e-12
    )


def test_matrices_made_by_hand_need_two_heads():
    explorer = BindingExplorer.example(["a", "b", "c"])
    np.testing.assert_allclose(explorer.weights.max(axis=-1), 0.5, atol=1e-3)
    explorer.n_heads = 2
    assert explorer.answers == ["c", "b"]


def test_the_script_computes_what_attnutils_does(run_script):
    explorers = [
        *(trained(n_heads=n, first=first) for n in PARAMS for first in (0, 5)),
        without_shares(),
        BindingExplorer.example(),
    ]
    cases = [
        {
            "matrices": each.tables[each.counts.index(each.n_heads)].tolist(),
            "heads": each.n_heads,
            "items": list(zip(each.item_colours, each.item_things, strict=True)),
            "asked": [each.item_colours[each.first], each.item_colours[each.second]],
        }
        for each in explorers
    ]
    got = run_script(
        "binding_explorer",
        """
        console.log(JSON.stringify(input.map(({ matrices, heads, items, asked }) =>
          answerWith(matrices, heads, items, asked))));
        """,
        cases,
    )
    for explorer, result in zip(explorers, got, strict=True):
        for name in ("weights", "found", "chances"):
            wanted = getattr(explorer, name)
            np.testing.assert_allclose(result[name], wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize(
    "change", [{"n_heads": 2}, {"second": 2}, {"item_things": [5, 1, 2, 3, 4, 1]}]
)
def test_the_picture_shows_the_traits(pixels, change):
    explorer = trained()
    before = pixels(explorer)
    for name, value in change.items():
        setattr(explorer, name, value)
    after = pixels(explorer)
    assert before.shape != after.shape or np.abs(before - after).max() > 100


def test_the_text_is_one_stable_line():
    assert repr(trained()) == "BindingExplorer(6 items, n_heads=1, asked=['red', 'pink'])"
