"""Where do heads of a model look from one word? Guess, then see."""

from __future__ import annotations

from typing import Any

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Array, Trait, Words, word_list
from attnutils._checks import FloatArray, Int
from attnutils.normalize import softmax

__all__ = ["HeadTeaser"]

MOST_HEADS = 4


def _checked_heads(widget: HeadTeaser, x: Any) -> list[str]:
    names = word_list("HeadTeaser", "heads", x, 1, MOST_HEADS)
    if len(names) != len(widget.scores):
        raise ValueError(
            f"HeadTeaser: scores has {len(widget.scores)} rows, but heads has {len(names)} names."
        )
    return names


def _token(least: int, name: str) -> Any:
    def check(widget: HeadTeaser, x: Any) -> int:
        hint = "it is the index of a token"
        return int(Int(least, hint, len(widget.tokens) - 1).check("HeadTeaser", name, x))

    return check


class HeadTeaser(Explorer):
    """Where do heads of a model look from one word of a sentence? Guess, then see their weights.

    With a guess, arcs lead from the word that asks to all others, the thicker the more weight, a
    tint for each head: `teaser.guess = 2`.

    Parameters
    ----------
    tokens : sequence of str
        The n tokens, 2 to 32.
    scores : array_like of shape (H, n)
        For each of 1 to 4 heads the scores of the word that asks and all n keys.
    asks : int
        Index of the token that asks.
    heads : sequence of str
        A name for each of the H heads.
    guess : int, default -1
        Index of the token that the reader has guessed; -1 before a guess.

    Examples
    --------
    >>> teaser = HeadTeaser(["the", "cat", "slept"], [[0, 3, 1]], 2, heads=["a head"])
    >>> teaser.weights.round(3)
    array([[0.042, 0.844, 0.114]])
    """

    address = Address("head")
    tokens = Words(2, 32)
    scores = Array("H", "tokens", fixed=True)
    asks = Trait(check=_token(0, "asks"))
    heads = Trait(check=_checked_heads)
    guess = Trait(-1, address="guess", js=("place", "tokens"), check=_token(-1, "guess"))

    @property
    def weights(self) -> FloatArray:
        """The weights of each head, of shape (H, n)."""
        return softmax(self.scores)
