"""What stands in for a widget where no script runs: a picture, or text without the answer."""

import re
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest

from attnutils import AttentionBench, Question, TemperatureExplorer
from attnutils.widgets import pictures
from attnutils.worked_example import KEYS, VALUES, WORDS

VIEW = "application/vnd.jupyter.widget-view+json"
SCORES = KEYS @ KEYS[5]
HOSTILE = "<img src=x onerror=alert(1)>"


def bundle(widget):
    data, _ = widget._repr_mimebundle_()
    return data


def bench(**options):
    return AttentionBench(WORDS, KEYS, VALUES, **{"query": 5, **options})


def explorer(**options):
    return TemperatureExplorer(WORDS, SCORES, VALUES, **options)


@pytest.mark.parametrize("make", [bench, explorer])
def test_a_picture_goes_with_the_widget(pixels, make):
    data = bundle(make())
    assert set(data) == {VIEW, "text/plain", "image/png"}
    assert data["image/png"] == bundle(make())["image/png"]
    height, width, _ = pixels(make()).shape
    assert 700 <= width <= 800
    assert height < 700


@pytest.mark.parametrize(
    ("make", "change"),
    [
        (bench, {"query": 2}),
        (bench, {"score": "gaussian"}),
        (bench, {"temperature": 0}),
        (bench, {"mask": [True] * 5 + [False]}),
        (explorer, {"temperature": np.inf}),
        (explorer, {"normalizer": "sparsemax", "temperature": 5}),
        (explorer, {"tie": True}),
    ],
)
def test_the_picture_shows_the_traits(pixels, make, change):
    a, b = pixels(make()), pixels(make(**change))
    assert a.shape != b.shape or np.abs(a - b).max() > 100


def test_pictures_are_drawn_from_data():
    folder = Path(pictures.__file__).parent
    for path in folder.glob("*.py"):
        imported = re.findall(r"attnutils\.widgets\.(\w+)", path.read_text(encoding="utf-8"))
        assert set(imported) <= {"pictures"}, path.name


def test_drawing_leaves_matplotlib_alone():
    before = dict(matplotlib.rcParams)
    bundle(bench())
    assert dict(matplotlib.rcParams) == before
    pyplot = sys.modules.get("matplotlib.pyplot")
    assert pyplot is None or pyplot.get_fignums() == []


def test_every_shape_has_a_picture():
    rng = np.random.default_rng(0)
    words = [HOSTILE, "$x^$", *"abcdefghij"]
    bundle(AttentionBench(words, rng.normal(size=(12, 6)), rng.normal(size=(12, 1))))
    bundle(AttentionBench(["a", "b"], [[1], [2]], [[0], [0]], mask=[False, False]))
    bundle(TemperatureExplorer(words, rng.normal(size=12), rng.normal(size=(12, 1))))
    bundle(TemperatureExplorer(["a", "b"], [1, 1], [[0], [0]], temperature=0))


def test_the_text_is_one_stable_line():
    assert bundle(bench())["text/plain"] == repr(bench())
    assert repr(bench()) == "AttentionBench(6 words, query='Book', score='dot', temperature=1)"
    assert repr(explorer(temperature=np.inf)) == (
        "TemperatureExplorer(6 words, temperature=inf, normalizer='softmax', tie=False)"
    )
    assert repr(Question("Is it?", answer=1)) == "Question('Is it?', a number)"


def test_a_question_falls_back_to_its_choices_without_the_answer():
    question = Question(
        f"Is `a < b`? {HOSTILE}", {"yes": "Sic.", f"{HOSTILE} & no": "Non."}, answer="yes"
    )
    html = bundle(question)["text/html"]
    assert set(bundle(question)) == {VIEW, "text/plain", "text/html"}
    assert "Is <code>a &lt; b</code>? &lt;img" in html
    assert "<li>yes</li><li>&lt;img src=x onerror=alert(1)&gt; &amp; no</li>" in html
    assert "<img" not in html
    assert "Sic" not in html
    assert "Non" not in html
    assert "scripts must be on" in html


def test_a_question_about_a_number_does_not_tell_it():
    html = bundle(Question("How much?", answer=0.125, hints={7: "Seven"}, right="Yes"))["text/html"]
    assert "The answer is a number." in html
    for secret in ("0.125", "Seven", "Yes"):
        assert secret not in html


def test_a_question_names_its_number_and_writes_formulas_in_plain_letters():
    question = Question("How much is $\\alpha_1^2 < 1$?", answer=1, quantity="share of $d_k'$")
    html = bundle(question)["text/html"]
    assert 'is <span data-tex="\\alpha_1^2 &lt; 1">α₁² &lt; 1</span>?' in html
    assert 'a number: share of <span data-tex="d_k&#x27;">d_k′</span>.' in html
    assert repr(question) == "Question('How much is α₁² < 1?', a number)"


@pytest.mark.parametrize(
    ("tex", "plain"),
    [
        ("d_k = d_v = 64", "d_k = d_v = 64"),
        (r"e^{-6} \cdot e^{7 + 100}", "e⁻⁶ · e^(7 + 100)"),
        (r"\lVert\partial\alpha/\partial q\rVert", "‖∂α/∂q‖"),
        (r"X X^\top", "X Xᵀ"),
        (r"\sqrt{d_k} \to 1{,}024", "√d_k → 1,024"),
        (r"\cos(-4\omega)", "cos(−4ω)"),
        (r"d_{\mathrm{ff}} \times s_{t' - 1}", "d_ff × s_(t′ − 1)"),
        (r"x_{10}", "x₁₀"),
    ],
)
def test_plain_letters(tex, plain):
    assert Question(f"${tex}$?", answer=1).formulas == {tex: plain}


def test_choices_are_shuffled_once_for_all_unless_they_are_a_scale():
    letters = {letter: "" for letter in "abcdefgh"}

    def order(**options):
        return "".join(text for text, _ in Question("Which?", letters, "a", **options).choices)

    assert order(ordered=True) == "abcdefgh"
    orders = {order(seed=seed) for seed in range(20)}
    assert order() in orders
    assert len(orders) == 20
    assert "abcdefgh" not in orders
    backwards = dict(reversed(letters.items()))
    assert [t for t, _ in Question("Which?", backwards, "a").choices] == list(order())
