"""The writing explorer: its arguments, its numbers, its picture, and its script's numbers."""

import base64
import math

import numpy as np
import pytest

from attnutils import encode_text, init_language_model, load_language_model
from attnutils.language import StoredModel
from attnutils.widgets import WritingExplorer
from attnutils.widgets.writing_explorer import MOST_TEXT, draw
from tests.examples.writing_explorer import MODELS

TEXT = "'What a curious feeling!' said Alice; 'I must be shutting up like a telescope.'"


def make(text=TEXT, **options):
    return WritingExplorer(MODELS, text, **options)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"text": "x" * (MOST_TEXT + 1)}, ValueError, "text has 601 characters but at most 600"),
        ({"text": 7}, TypeError, "text must be a str, got int"),
        ({"model": "another"}, ValueError, "model must be"),
        ({"temperature": -1}, ValueError, "temperature must be"),
        ({"heads": [1] * 7}, ValueError, "heads must be 8 of 0 and 1"),
        ({"heads": [2] * 8}, ValueError, "heads must be 8 of 0 and 1"),
        ({"context": 0}, ValueError, "context must be an integer from 1 to 64"),
        ({"context": 65}, ValueError, "context must be an integer from 1 to 64"),
        ({"seed": 1000}, ValueError, "seed must be an integer from 0 to 999"),
        ({"seed": 0.5}, TypeError, "seed must be"),
    ],
)
def test_bad_options(change, error, message):
    with pytest.raises(error, match=message) as caught:
        make(**change)
    assert str(caught.value).startswith("WritingExplorer: ")


def other(**change):
    return load_language_model()._replace(**change)


@pytest.mark.parametrize(
    ("models", "error", "message"),
    [
        ([], TypeError, "models must be a mapping with 1 to 4"),
        ({}, TypeError, "models must be a mapping with 1 to 4"),
        ({"it": load_language_model().params}, TypeError, r"models\['it'\] must be StoredModel"),
        ({"a": other(), "b": other(context=32)}, ValueError, "the same alphabet"),
        ({"a": other(alphabet="abc" * 21 + "\n")}, ValueError, "a line break and a blank"),
    ],
)
def test_bad_models(models, error, message):
    with pytest.raises(error, match=f"^WritingExplorer: .*{message}"):
        WritingExplorer(models)


def test_a_text_that_does_not_fit_is_refused_and_the_old_one_stays():
    explorer = make()
    with pytest.raises(ValueError, match=r"^WritingExplorer: text"):
        explorer.text = "x" * 700
    with pytest.raises(ValueError, match=r"^WritingExplorer: text"):
        explorer.set_state({"text": "x" * 700})
    assert explorer.text == TEXT


def test_the_model_reads_the_end_of_the_text_after_a_line_break():
    assert make("").read == "\n"
    assert make("ab").read == "\nab"
    assert make().read == TEXT[-64:]
    assert make(context=3).read == TEXT[-3:]


def test_heads_mask_and_temperature_are_those_of_attnutils():
    whole = make().logits
    for change in (
        {"heads": [1] * 7 + [0]},
        {"mask": False},
        {"context": 9},
        {"model": "unmasked"},
    ):
        assert np.abs(make(**change).logits - whole).max() > 0.01
    # In block 0 the last position sees all in any case: what it computes there is the same.
    assert np.ptp(make(temperature=math.inf).probabilities) == 0
    assert make(temperature=0).probabilities.max() == 1


def test_the_same_seed_draws_the_same_and_another_one_not():
    texts = []
    for seed in (3, 3, 4):
        explorer = make(seed=seed)
        explorer.go_on(20)
        texts.append(explorer.text)
    assert texts[0] == texts[1] != texts[2]
    explorer.go_on(10_000)
    assert len(explorer.text) == MOST_TEXT


def test_draws_are_even():
    draws = np.array([draw(seed, place) for seed in range(100) for place in range(600)])
    assert draws.min() >= 0
    assert draws.max() < 1
    counts, _ = np.histogram(draws, bins=20, range=(0, 1))
    assert ((counts - 3000) ** 2 / 3000).sum() < 50  # chi-square with 19 degrees: 1 in 7000
    by_place = draws.reshape(100, 600)
    assert abs(np.corrcoef(by_place[:, :-1].ravel(), by_place[:, 1:].ravel())[0, 1]) < 0.02
    assert abs(np.corrcoef(by_place[:-1].ravel(), by_place[1:].ravel())[0, 1]) < 0.02


READ = """
const view = new DataView(Uint8Array.from(atob(input.parameters), (c) => c.charCodeAt(0)).buffer);
let end = 0;
const readers = input.models.map(({ d, d_ff: ff }) => {
  const model = unpacked(view, end, { symbols: [...input.alphabet].length, d, ff, blocks: 2 });
  end = model.end;
  return reader(model, 4);
});
"""


def facts(explorer):
    return {
        "parameters": base64.b64encode(explorer.parameters).decode("ascii"),
        "models": explorer.models,
        "alphabet": explorer.alphabet,
    }


def test_logits_of_the_script_are_those_of_attnutils(run_script):
    cases = [
        make(),
        make(""),
        make("é😀 <b>"),
        make(mask=False),
        make(heads=[0, 1, 0, 1, 1, 0, 1, 1]),
        make(heads=[0] * 8, context=7),
        make(model="unmasked", mask=False),
        make(model="unmasked", context=1),
    ]
    got = run_script(
        "writing_explorer",
        READ
        + """
        console.log(JSON.stringify(input.cases.map(({ at, read, heads, mask }) => readers[at](
          symbolsOf(read, [...input.alphabet]), 0, heads, mask).logits)));
        """,
        {
            **facts(cases[0]),
            "cases": [
                {
                    "at": [each["name"] for each in case.models].index(case.model),
                    "read": case.read,
                    "heads": case.heads,
                    "mask": case.mask,
                }
                for case in cases
            ],
        },
    )
    for case, logits in zip(cases, got, strict=True):
        np.testing.assert_allclose(logits, case.logits, rtol=0, atol=1e-9)


def test_the_script_writes_what_attnutils_writes(run_script):
    explorer = make("The Queen ", seed=5)
    got = run_script(
        "writing_explorer",
        READ
        + """
        const alphabet = [...input.alphabet];
        let text = input.text;
        const computed = [];
        for (let i = 0; i < 80; i++) {
          const all = symbolsOf("\\n" + text, alphabet);
          const start = Math.max(0, all.length - 64);
          const now = readers[0](all.slice(start), start, Array(8).fill(1), true);
          computed.push([now.computed, now.symbols.length]);
          text += alphabet[drawn(softmax(now.logits, 1), drawAt(5, text.length))];
        }
        console.log(JSON.stringify({ text, computed }));
        """,
        {**facts(explorer), "text": explorer.text},
    )
    explorer.go_on(80)
    assert got["text"] == explorer.text
    # The first look computes all, then one a character, until the window moves on.
    assert got["computed"][:3] == [[11, 11], [1, 12], [1, 13]]
    assert got["computed"][53] == [1, 64]
    assert got["computed"][54:] == [[64, 64]] * 26


def test_draws_of_the_script_are_those_of_python(run_script):
    pairs = [(seed, place) for seed in (0, 1, 7, 999) for place in (0, 1, 64, 599)]
    script = "console.log(JSON.stringify(input.map(([seed, place]) => drawAt(seed, place))));"
    assert run_script("writing_explorer", script, pairs) == [draw(*pair) for pair in pairs]


def test_models_are_rounded_to_eight_bits_once():
    rng = np.random.default_rng(0)
    params = init_language_model(rng, n_symbols=3, d=4, d_ff=8)
    model = StoredModel("\n a", params, 2, 16)
    explorer = WritingExplorer({"fresh": model}, "a a")
    exact = explorer.logits
    again = StoredModel("\n a", explorer._params["fresh"], 2, 16)
    np.testing.assert_allclose(WritingExplorer({"it": again}, "a a").logits, exact, atol=1e-6)
    assert encode_text(explorer.read, "\n a").tolist() == [0, 2, 1, 2]


@pytest.mark.parametrize("change", [{"text": "Al"}, {"temperature": 3.0}, {"mask": False}])
def test_the_picture_shows_the_traits(pixels, change):
    assert np.abs(pixels(make()) - pixels(make(**change))).max() > 100


def test_the_text_is_one_stable_line():
    assert repr(make("a\nb")) == (
        "WritingExplorer(['masked', 'unmasked'], 'a\\nb', model='masked', temperature=1)"
    )
