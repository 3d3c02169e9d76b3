"""A question to answer before looking: checked in the browser, without a kernel."""

from __future__ import annotations

import hashlib
import itertools
import math
from collections.abc import Mapping
from numbers import Real
from typing import Any

from attnbook.explorers._base import Widget
from attnbook.explorers._texts import FORMULA, check_text, formulas_in, html, plain
from attnbook.explorers._traits import Trait
from attnbook.mix_ups import checked_kinds

__all__ = ["Question"]


class Question(Widget):
    """Predict before you look: one choice of several, or a number.

    Each likely wrong answer has its own feedback. Text between `backticks` is shown as code, TeX
    between dollars as a formula: typeset in the book, in plain letters in a notebook.

    Parameters
    ----------
    prompt : str
        The question.
    choices : mapping of str to str, optional
        Feedback for each choice, right or wrong. Without choices the answer is a number.
    answer : str or float
        The right one of `choices`, or the right number.
    quantity : str, optional
        What the number is; it stands before the field.
    tolerance : float, default 1e-6
        How far a number may be off.
    hints : mapping of float to str, optional
        Feedback for likely wrong numbers. Of other numbers it is told on which side they are.
    right : str, optional
        Feedback for the right number.
    mixed : mapping of str or float to str, optional
        What some wrong choices or numbers of `hints` take for each other, by its name in
        `attnbook.mix_ups`. The book counts it.
    ordered : bool, default False
        Whether the choices are a scale, which keeps its order. Others are shuffled.
    seed : int, default 0
        Another one shuffles the choices in another way.
    veil : bool, default False
        Whether the book hides the answer below until this is answered, up to the comment
        ``<!-- the veil ends -->``. A notebook hides nothing.

    Examples
    --------
    >>> Question("Is softmax linear?", {"yes": "Double the scores.", "no": "It is not."}, "no")
    Question('Is softmax linear?', 2 choices)
    >>> Question("How much is `softmax([0, 0])[0]`?", answer=0.5, right="Equal scores share.")
    Question('How much is `softmax([0, 0])[0]`?', a number)
    """

    prompt = Trait()
    #: Pairs of text and feedback, as they are shown; empty if the answer is a number.
    choices = Trait()
    answer = Trait()
    quantity = Trait()
    tolerance = Trait()
    #: Pairs of number and feedback.
    hints = Trait()
    right = Trait()
    #: The formulas of all texts: in plain letters, by their TeX.
    formulas = Trait()
    veil = Trait()

    def __init__(
        self,
        prompt: str,
        choices: Mapping[str, str] | None = None,
        answer: str | float | None = None,
        *,
        quantity: str = "",
        tolerance: float = 1e-6,
        hints: Mapping[float, str] | None = None,
        right: str = "",
        mixed: Mapping[Any, str] | None = None,
        ordered: bool = False,
        seed: int = 0,
        veil: bool = False,
        **kwargs: Any,
    ) -> None:
        for name, text in (("prompt", prompt), ("quantity", quantity), ("right", right)):
            check_text("Question", name, text)
        tolerance = _number("tolerance", tolerance)
        if choices is not None:
            answer = _checked_choices(choices, answer)
            if hints or right or quantity:
                raise ValueError(
                    "Question: quantity, hints and right belong to a number; with choices, each "
                    "choice has its own feedback."
                )
        else:
            answer = _number("answer", answer, "; or give choices to choose from")
            if tolerance < 0:
                raise ValueError(f"Question: tolerance must be at least 0, got {tolerance:g}.")
            for value, feedback in (hints or {}).items():
                check_text("Question", f"the hint for {value!r}", feedback)
                if abs(_number("each key of hints", value) - answer) <= tolerance:
                    raise ValueError(f"Question: hints has a hint for {value!r}, which is right.")
        mixed = dict(mixed or {})
        checked_kinds("Question", mixed)
        for wrong in mixed:
            if wrong not in (choices or hints or {}) or wrong == answer:
                raise ValueError(f"Question: mixed has {wrong!r}, which is no wrong answer here.")
        pairs = [list(pair) for pair in (choices or {}).items()]
        if not ordered:
            pairs.sort(
                key=lambda pair: hashlib.sha256(f"{seed}{prompt}{pair[0]}".encode()).digest()
            )
        feedbacks = [[float(value), feedback] for value, feedback in (hints or {}).items()]
        texts = [prompt, quantity, right, *itertools.chain(*pairs)]
        texts += (hints or {}).values()
        super().__init__(
            prompt=prompt,
            choices=pairs,
            answer=answer,
            quantity=quantity,
            tolerance=tolerance,
            hints=feedbacks,
            right=right,
            formulas=formulas_in(texts),
            veil=bool(veil),
            **kwargs,
        )

    def __repr__(self) -> str:
        kind = f"{len(self.choices)} choices" if self.choices else "a number"
        return f"Question({FORMULA.sub(lambda found: plain(found[1]), self.prompt)!r}, {kind})"

    def _fallback(self) -> dict[str, str]:
        """The question as plain HTML: no script, and no answer."""
        if self.choices:
            items = "".join(f"<li>{html(text)}</li>" for text, _ in self.choices)
            body = f"<ul>{items}</ul>"
        else:
            what = f": {html(self.quantity)}" if self.quantity else ""
            body = f"<p>The answer is a number{what}.</p>"
        return {
            "text/html": (
                f"<div><p><strong>Predict first.</strong> "
                f"{html(self.prompt)}</p>{body}"
                "<p><small>To check an answer here, scripts must be on.</small></p></div>"
            )
        }


def _checked_choices(choices: Mapping[str, str], answer: object) -> str:
    if not isinstance(choices, Mapping):
        raise TypeError(
            "Question: choices must be a mapping from each choice to its feedback, "
            f"got {type(choices).__name__}."
        )
    if len(choices) < 2:
        raise ValueError(f"Question: choices has {len(choices)} entries but 2 are the least.")
    for text, feedback in choices.items():
        check_text("Question", "each choice", text)
        check_text("Question", f"the feedback for {text!r}", feedback)
    if not isinstance(answer, str) or answer not in choices:
        raise ValueError(f"Question: answer must be one of the choices, got {answer!r}.")
    return answer


def _number(name: str, value: object, hint: str = "") -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"Question: {name} must be a number, got {value!r}{hint}.")
    if not math.isfinite(value):
        raise ValueError(f"Question: {name} must be finite, got {value!r}.")
    return float(value)
