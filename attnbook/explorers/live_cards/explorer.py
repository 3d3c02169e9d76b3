"""Three small pictures that move, each with a link to the page where all of it moves."""

from __future__ import annotations

from html import escape
from typing import Any

import numpy as np

from attnbook.explorers._base import Widget
from attnbook.explorers._traits import Trait
from attnbook.explorers.training.explorer import TrainingExplorer
from attnbook.models.language import encode_text, load_language_model, run
from attnbook.models.reversal import LETTERS
from attnutils import softmax
from attnutils.worked_example import KEYS, VALUES, WORDS

__all__ = ["LiveCards"]

CARDS = (
    ("attention-mechanism", "Change every number", "Six words, six weights, one mean."),
    ("training", "Watch it learn", "A layer learns to read a word from its end."),
    ("language-model", "Watch it write", "Each letter looks back at those before it."),
)
STEPS = (*range(0, 30, 5), *range(30, 72, 3), 80)
TEXT = "The Mock Turtle said the March Hare."


def _told(letter: str) -> str:
    """A letter as a list says it: a comma among commas has quotation marks."""
    return letter if letter.isalnum() or letter.isspace() else f"“{letter}”"


class LiveCards(Widget):
    """Three pictures from pages of the book, each with a slider: a mean, a training, a text.

    Weights are rounded to hundredths.

    Examples
    --------
    >>> LiveCards()
    LiveCards(attention-mechanism, training, language-model)
    """

    cards = Trait()
    #: Words, scores for the query of the last one, values.
    mean = Trait()
    #: Steps of a training, and what the model says before each; the weights are in `maps`.
    training = Trait()
    maps = Trait()
    #: A text, and after each letter the three likeliest next ones; the weights are in `looks`.
    writing = Trait()
    looks = Trait()

    def __init__(self, **kwargs: Any) -> None:
        explorer = TrainingExplorer()
        answers = [explorer.answer_at(step) for step in STEPS]
        alphabet, params, n_heads, _ = load_language_model()
        tokens = encode_text(f"\n{TEXT}", alphabet)
        logits, weights = run(tokens, params, n_heads)
        chances = softmax(logits)[1:]
        likely = [
            [[_told(alphabet[i]), round(float(row[i]), 2)] for i in np.argsort(-row)[:3]]
            for row in chances
        ]
        super().__init__(
            cards=[dict(zip(("page", "title", "says"), card, strict=True)) for card in CARDS],
            mean={
                "words": list(WORDS),
                "scores": (KEYS @ KEYS[-1]).tolist(),
                "values": VALUES[:, 0].tolist(),
            },
            training={
                "steps": STEPS,
                "letters": "".join(LETTERS[i] for i in explorer.example_tokens),
                "said": ["".join(said) for _, said in answers],
            },
            maps=np.rint(100 * np.array([w for w, _ in answers])).astype(np.uint8).tobytes(),
            writing={"text": TEXT, "next": likely},
            looks=np.rint(100 * weights[-1].mean(axis=0)[1:, 1:]).astype(np.uint8).tobytes(),
            **kwargs,
        )

    def __repr__(self) -> str:
        return f"LiveCards({', '.join(card['page'] for card in self.cards)})"

    def _fallback(self) -> dict[str, str]:
        """The links as plain HTML."""
        items = "".join(
            f'<li><a href="{card["page"]}.html">{escape(card["title"])}</a>: '
            f"{escape(card['says'])}</li>"
            for card in self.cards
        )
        return {"text/html": f"<ul>{items}</ul>"}
