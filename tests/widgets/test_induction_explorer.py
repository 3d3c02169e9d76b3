"""The induction explorer: its arguments, its traits, its picture, and its script's numbers."""

import base64

import numpy as np
import pytest

from attnutils import softmax
from attnutils.induction import (
    LETTERS,
    attention_only,
    init_attention_only,
    repeated_batch,
    without_head,
)
from attnutils.widgets import InductionExplorer
from tests.examples.induction_explorer import PARAMS, STATES, WIDE

ONE = init_attention_only(np.random.default_rng(0), n_layers=1)
TEXT = "gbalcegbalce"


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"params": PARAMS[:3]}, TypeError, r"params must be AttentionOnlyParams\(embedding"),
        ({"params": ONE}, ValueError, "params must have two layers of one width"),
        (
            {"params": PARAMS._replace(positions=PARAMS.positions[:9])},
            ValueError,
            "20 symbols and 32 places",
        ),
        ({"text": ""}, ValueError, "text must be 1 to 32 of the letters a to t, got ''"),
        ({"text": "a" * 33}, ValueError, "text must be 1 to 32 of"),
        ({"text": "cat u"}, ValueError, "got 'cat u'; the model has learned no others"),
        ({"text": 3}, TypeError, "text must be 1 to 32 of the letters a to t, got int"),
        ({"place": 32}, ValueError, "place must be an integer from 0 to 31"),
        ({"heads": [1]}, ValueError, "heads must be 2 of 0 and 1"),
        ({"heads": [1, 2]}, ValueError, "heads must be 2 of 0 and 1"),
    ],
)
def test_bad_facts(change, error, message):
    with pytest.raises(error, match=message) as caught:
        InductionExplorer(**{"params": PARAMS, "text": TEXT, **change})
    assert str(caught.value).startswith("InductionExplorer: ")


@pytest.mark.parametrize("heads", [[1, 1], [0, 1], [1, 0], [0, 0]])
def test_it_computes_what_attnutils_does(heads):
    explorer = InductionExplorer(PARAMS, TEXT, heads=heads)
    params = PARAMS
    for layer in (0, 1):
        params = params if heads[layer] else without_head(params, layer)
    logits, weights = attention_only([LETTERS.index(letter) for letter in TEXT], params)
    # What is stored has 8 bits already, so rounding changes nothing.
    np.testing.assert_allclose(explorer.weights, weights, rtol=0, atol=1e-6)
    np.testing.assert_allclose(explorer.probabilities, softmax(logits), rtol=0, atol=1e-6)
    assert explorer.guesses == "".join(LETTERS[i] for i in logits.argmax(axis=-1))


def test_with_both_heads_it_goes_on_and_with_one_it_does_not():
    explorer = InductionExplorer(PARAMS, TEXT)
    assert explorer.guesses[6:] == "balceg"
    for heads in ([0, 1], [1, 0]):
        explorer.heads = heads
        wrong = sum(a != b for a, b in zip(explorer.guesses[6:], "balceg", strict=True))
        assert wrong >= 4


def test_the_script_computes_what_attnutils_does(run_script):
    explorers = [
        *STATES,
        *WIDE,
        *(InductionExplorer(PARAMS, TEXT, heads=h) for h in ([1, 1], [0, 0])),
    ]
    cases = [
        {
            "bytes": base64.b64encode(each.parameters).decode(),
            "sizes": {"symbols": 20, "places": 32, "d": each.width},
            "symbols": [LETTERS.index(letter) for letter in each.text],
            "heads": each.heads,
        }
        for each in explorers
    ]
    got = run_script(
        "induction_explorer",
        """
        console.log(JSON.stringify(input.map(({ bytes, sizes, symbols, heads }) => {
          const { buffer, byteOffset, length } = Buffer.from(bytes, "base64");
          const model = modelFrom(new DataView(buffer, byteOffset, length), sizes);
          return readLetters(model, symbols, heads);
        })));
        """,
        cases,
    )
    for explorer, result in zip(explorers, got, strict=True):
        np.testing.assert_allclose(result["weights"], explorer.weights, rtol=0, atol=1e-9)
        np.testing.assert_allclose(result["chances"], explorer.probabilities, rtol=0, atol=1e-9)


def test_other_letters_repeat_as_in_training(run_script):
    draws = np.random.default_rng(0).random((50, 21)).tolist()
    texts = run_script(
        "induction_explorer",
        f"""
        console.log(JSON.stringify(input.map((draws) => {{
          let at = 0;
          return repeating("{LETTERS}", 30, () => draws[at++]);
        }})));
        """,
        draws,
    )
    periods = set()
    for text in texts:
        period = next(p for p in range(1, 31) if text[p:] == text[:-p])
        assert len(set(text)) == period
        periods.add(period)
    assert periods == {*repeated_batch(np.random.default_rng(0), 500).periods.ravel()}


@pytest.mark.parametrize("change", [{"heads": [0, 1]}, {"place": 3}, {"text": "stopthatcat"}])
def test_the_picture_shows_the_traits(pixels, change):
    explorer = InductionExplorer.example()
    before = pixels(explorer)
    for name, value in change.items():
        setattr(explorer, name, value)
    assert np.abs(before - pixels(explorer)).max() > 100


def test_the_text_is_one_stable_line():
    assert repr(InductionExplorer.example()) == (
        "InductionExplorer('gbalcegbalce', place=8, heads=[1, 1])"
    )
