"""A question to answer before looking: checked in the browser, without a kernel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from html import escape
from numbers import Real
from typing import Any

from attnutils.widgets._base import Fixed, Widget, script, style

__all__ = ["Question"]


class Question(Widget):
    """Predict before you look: one choice of several, or a number.

    Each likely wrong answer has its own feedback. Text between `backticks` is shown as code.

    Parameters
    ----------
    prompt : str
        The question.
    choices : mapping of str to str, optional
        Feedback for each choice, right or wrong. Without choices the answer is a number.
    answer : str or float
        The right one of `choices`, or the right number.
    tolerance : float, default 1e-6
        How far a number may be off.
    hints : mapping of float to str, optional
        Feedback for likely wrong numbers.
    right : str, optional
        Feedback for the right number.

    Raises
    ------
    ValueError, TypeError
        If the parts do not fit each other.

    Examples
    --------
    >>> Question("Is softmax linear?", {"yes": "Double the scores.", "no": "It is not."}, "no")
    Question('Is softmax linear?', 2 choices)
    >>> Question("How much is `softmax([0, 0])[0]`?", answer=0.5, right="Equal scores share.")
    Question('How much is `softmax([0, 0])[0]`?', a number)
    """

    _esm = script("numbers", "question")
    _css = style("question")

    prompt = Fixed()
    #: Pairs of text and feedback; empty if the answer is a number.
    choices = Fixed()
    answer = Fixed()
    tolerance = Fixed()
    #: Pairs of number and feedback.
    hints = Fixed()
    right = Fixed()

    def __init__(
        self,
        prompt: str,
        choices: Mapping[str, str] | None = None,
        answer: str | float | None = None,
        *,
        tolerance: float = 1e-6,
        hints: Mapping[float, str] | None = None,
        right: str = "",
        **kwargs: Any,
    ) -> None:
        _check_text("prompt", prompt)
        _check_text("right", right)
        tolerance = _number("tolerance", tolerance)
        if choices is not None:
            answer = _checked_choices(choices, answer)
            if hints or right:
                raise ValueError(
                    "Question: hints and right belong to a number; with choices, each choice "
                    "has its own feedback."
                )
        else:
            answer = _number("answer", answer, "; or give choices to choose from")
            if tolerance < 0:
                raise ValueError(f"Question: tolerance must be at least 0, got {tolerance:g}.")
            for value, feedback in (hints or {}).items():
                _check_text(f"the hint for {value!r}", feedback)
                if abs(_number("each key of hints", value) - answer) <= tolerance:
                    raise ValueError(f"Question: hints has a hint for {value!r}, which is right.")
        super().__init__(
            prompt=prompt,
            choices=[list(pair) for pair in (choices or {}).items()],
            answer=answer,
            tolerance=tolerance,
            hints=[[float(value), feedback] for value, feedback in (hints or {}).items()],
            right=right,
            **kwargs,
        )

    def __repr__(self) -> str:
        kind = f"{len(self.choices)} choices" if self.choices else "a number"
        return f"Question({self.prompt!r}, {kind})"

    def _fallback(self) -> dict[str, str]:
        """The question as plain HTML: no script, and no answer."""
        if self.choices:
            items = "".join(f"<li>{_code(text)}</li>" for text, _ in self.choices)
            body = f"<ul>{items}</ul>"
        else:
            body = "<p>The answer is a number.</p>"
        return {
            "text/html": (
                f"<div><p><strong>Predict first.</strong> "
                f"{_code(self.prompt)}</p>{body}"
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
        _check_text("each choice", text)
        _check_text(f"the feedback for {text!r}", feedback)
    if not isinstance(answer, str) or answer not in choices:
        raise ValueError(f"Question: answer must be one of the choices, got {answer!r}.")
    return answer


def _check_text(name: str, text: object) -> None:
    if not isinstance(text, str):
        raise TypeError(f"Question: {name} must be text, got {type(text).__name__}.")


def _number(name: str, value: object, hint: str = "") -> float:
    if isinstance(value, bool) or not isinstance(value, Real):
        raise TypeError(f"Question: {name} must be a number, got {value!r}{hint}.")
    if not math.isfinite(value):
        raise ValueError(f"Question: {name} must be finite, got {value!r}.")
    return float(value)


def _code(text: str) -> str:
    """Escaped text, in which backticks mark code."""
    parts = escape(text).split("`")
    return "".join(f"<code>{part}</code>" if i % 2 else part for i, part in enumerate(parts))
