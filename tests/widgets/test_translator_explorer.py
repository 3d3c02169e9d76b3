"""The translator explorer: its arguments, its numbers, its picture, and its script's numbers."""

import numpy as np
import pytest

from attnutils import TranslatorExplorer, softmax
from attnutils.translation import FRENCH, translate, translate_by_rule
from tests.examples.translator_explorer import LONG, MODELS, SHORT, made


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"models": {}}, TypeError, "models must be a mapping of 1 to 3 names"),
        ({"models": MODELS["attention"]}, TypeError, "models must be a mapping"),
        ({"models": {"one": 1}}, TypeError, r"models\['one'\] must be a Translator"),
        ({"sentences": []}, ValueError, "sentences has 0 entries but 1 to 8 are expected"),
        ({"sentences": SHORT}, TypeError, "sentences must be a list of 1 to 8 words"),
        ({"sentences": ["the cow ."]}, ValueError, r"words that are unknown: \['cow'\]"),
        ({"sentences": ["cat"]}, ValueError, "a sentence has 1 words but 2 to 60"),
        ({"translator": 2}, ValueError, "translator must be an integer from 0 to 1"),
        ({"sentence": 2}, ValueError, "sentence must be an integer from 0 to 1"),
        ({"step": 30}, ValueError, "step must be an integer from 0 to"),
    ],
)
def test_bad_facts(change, error, message):
    given = {"models": MODELS, "sentences": [SHORT, LONG], **change}
    with pytest.raises(error, match=message) as caught:
        TranslatorExplorer(given.pop("models"), given.pop("sentences"), **given)
    assert str(caught.value).startswith("TranslatorExplorer: ")


@pytest.mark.parametrize("name", MODELS)
def test_it_shows_what_attnutils_translates(name):
    explorer = made(translator=list(MODELS).index(name))
    for sentence, text in enumerate((SHORT, LONG)):
        explorer.sentence = sentence
        expected = translate(MODELS[name], text.split())
        right = translate_by_rule(text.split())[0]
        for step, word in enumerate(expected.words):
            explorer.step = step
            assert explorer.word == word == FRENCH[explorer.probabilities.argmax()]
            assert explorer.right_word == (right[step] if step < len(right) else "")
            chances = softmax(expected.logits[step])
            np.testing.assert_allclose(explorer.probabilities, chances, atol=1e-3)
            if name == "attention":
                np.testing.assert_allclose(explorer.weights, expected.weights[step], atol=1e-3)
            else:
                assert explorer.weights is None


def test_a_step_behind_the_end_is_the_last_one():
    explorer = made(sentence=0, step=12)
    assert explorer.word == "."
    explorer.sentence = 1
    assert explorer.word != "."


def test_the_script_computes_what_attnutils_does(run_script):
    explorer = made(sentence=1, step=9)
    got = run_script(
        "translator_explorer",
        "console.log(JSON.stringify(lookBack(input.scores, input.logits)));",
        {
            "scores": explorer.scores[0, 1, 9][: len(LONG.split())].tolist(),
            "logits": explorer.logits[0, 1, 9].tolist(),
        },
    )
    np.testing.assert_allclose(got["weights"], explorer.weights, rtol=0, atol=1e-12)
    np.testing.assert_allclose(got["chances"], explorer.probabilities, rtol=0, atol=1e-12)


@pytest.mark.parametrize("change", [{"translator": 1}, {"sentence": 1}, {"step": 2}])
def test_the_picture_shows_the_traits(pixels, change):
    before = pixels(made(step=1))
    after = pixels(made(**{"step": 1, **change}))
    assert before.shape != after.shape or np.abs(before - after).max() > 100


def test_the_text_is_one_stable_line():
    assert repr(made()) == f"TranslatorExplorer({SHORT!r}, translator='attention', step=0)"
