"""A question: its arguments, and the text that stands in for it, without the answer."""

import numpy as np
import pytest

from attnutils import Question

HOSTILE = "<img src=x onerror=alert(1)>"
TWO = {"yes": "Look again.", "no": "It is not."}


def bundle(widget):
    data, _ = widget._repr_mimebundle_()
    return data


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"prompt": 1, "choices": TWO, "answer": "no"}, TypeError, "prompt"),
        ({"choices": ["yes", "no"], "answer": "no"}, TypeError, "mapping"),
        ({"choices": {"no": "."}, "answer": "no"}, ValueError, "1 entries"),
        ({"choices": {1: ".", "no": "."}, "answer": "no"}, TypeError, "each choice must be text"),
        ({"choices": {"yes": None, "no": "."}, "answer": "no"}, TypeError, "feedback for 'yes'"),
        ({"choices": TWO, "answer": "maybe"}, ValueError, "one of the choices, got 'maybe'"),
        ({"choices": TWO}, ValueError, "one of the choices, got None"),
        ({"choices": TWO, "answer": "no", "right": "Yes."}, ValueError, "belong to a number"),
        ({"choices": TWO, "answer": "no", "quantity": "q"}, ValueError, "belong to a number"),
        ({"answer": 1, "quantity": 2}, TypeError, "quantity must be text"),
        ({"choices": TWO, "answer": "no", "hints": {1: "."}}, ValueError, "belong to a number"),
        ({}, TypeError, "answer must be a number, got None; or give choices"),
        ({"answer": "0.1"}, TypeError, "answer must be a number"),
        ({"answer": np.inf}, ValueError, "answer must be finite"),
        ({"answer": 1, "tolerance": -1}, ValueError, "tolerance must be at least 0"),
        ({"answer": 1, "hints": {"2": "."}}, TypeError, "each key of hints must be a number"),
        ({"answer": 1, "hints": {2: None}}, TypeError, "the hint for 2 must be text"),
        ({"answer": 1, "hints": {1.0: "."}}, ValueError, "which is right"),
        ({"answer": 1, "right": None}, TypeError, "right must be text"),
        ({"choices": TWO, "answer": "no", "tolerance": "1"}, TypeError, "tolerance must be a num"),
    ],
)
def test_bad_questions(arguments, error, message):
    with pytest.raises(error, match=message) as caught:
        Question(**{"prompt": "Is it?", **arguments})
    assert str(caught.value).startswith("Question: ")


def test_what_the_page_is_drawn_from_stays(assign):
    question = Question("Is it?", answer=1)
    with pytest.raises(AttributeError, match=r"^Question: answer cannot be changed"):
        assign(question, "answer", 2.0)
    assert question.answer == 1


def test_a_question_falls_back_to_its_choices_without_the_answer():
    question = Question(
        f"Is `a < b`? {HOSTILE}", {"yes": "Sic.", f"{HOSTILE} & no": "Non."}, answer="yes"
    )
    html = bundle(question)["text/html"]
    assert set(bundle(question)) == {
        "application/vnd.jupyter.widget-view+json",
        "text/plain",
        "text/html",
    }
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


def test_the_text_is_one_stable_line():
    assert repr(Question("Is it?", answer=1)) == "Question('Is it?', a number)"


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
