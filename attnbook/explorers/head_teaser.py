"""Where do heads of a model look from one word? Guess, then see."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from attnbook.explorers._base import (
    Address,
    ArrayTrait,
    Checked,
    Explorer,
    Fixed,
    Widget,
    Words,
    checked_array,
    checked_words,
    script,
    style,
)
from attnutils._checks import Choice, FloatArray, Int
from attnutils.normalize import softmax
from attnutils.scores import dot_scores, gaussian_scores
from attnutils.worked_example import KEYS, WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["HeadTeaser"]

MOST_TOKENS = 32
MOST_HEADS = 4
MOST_SENTENCES = 8


def _checked_sentence(widget: HeadTeaser, x: Any) -> str | None:
    names = [each["name"] for each in widget.sentences]
    owner = type(widget).__name__
    if names == [None]:
        if x is not None:
            text = f"{owner}: sentence must be None where there is one without a name, got {x!r}"
            raise ValueError(f"{text}; a mapping of tokens gives names.")
        return None
    return Choice(*names, hint="it is a name in tokens").check(owner, "sentence", x)


def _checked_guess(widget: Widget, x: Any) -> int:
    n = len(widget.sentences[0]["tokens"])
    return Int(-1, "", n - 1).check(type(widget).__name__, "guess", x)


class HeadTeaser(Explorer):
    """Where do heads of a model look from one word of a sentence? Guess, then see their weights.

    With a guess, arcs lead from the word that asks to all others, the thicker the more weight.
    Several sentences are mappings with the same names, as for versions that differ in a word; they
    have equally many tokens. The traits move the widget, and the widget moves the traits:
    `teaser.guess = 2`. Tokens and scores stay as they were given.

    Parameters
    ----------
    tokens : sequence of str, or mapping of str to sequence of str
        The n tokens, 2 to 32; of each of at most 8 sentences.
    scores : array_like of shape (H, n), or mapping of str to array_like
        For each head the scores of the word that asks and all n keys.
    asks : int
        Index of the token that asks.
    heads : sequence of str
        A name for each of the H heads, 1 to 4.
    sentence : str, optional
        The name of the sentence at the start; the first by default.
    guess : int, default -1
        Index of the token that the reader has guessed; -1 before a guess.

    Attributes
    ----------
    tokens : list of str
        Of the sentence now.
    weights : ndarray of shape (H, n)
        Of the sentence now.

    Raises
    ------
    ValueError, TypeError
        If shapes, types or names do not fit.

    Examples
    --------
    >>> teaser = HeadTeaser(["the", "cat", "slept"], [[0, 3, 1]], 2, heads=["a head"])
    >>> teaser.weights.round(3)
    array([[0.042, 0.844, 0.114]])
    >>> teaser.guess = 1
    """

    _esm = script("arcs", "head_teaser")
    _css = style("arcs", "head_teaser")
    _first = "sentence"

    address = Address("head")
    #: For each sentence its name and its tokens. One that stands alone has None as its name.
    sentences = Fixed()
    asks = Fixed()
    heads = Fixed()
    #: The scores of all sentences, of shape (sentences, H, n).
    score_table = ArrayTrait()
    sentence = Checked(None, _checked_sentence)
    guess = Checked(-1, _checked_guess)

    def __init__(
        self,
        tokens: Sequence[str] | Mapping[str, Sequence[str]],
        scores: object,
        asks: int,
        *,
        heads: Sequence[str],
        sentence: str | None = None,
        guess: int = -1,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        if isinstance(tokens, Mapping) != isinstance(scores, Mapping):
            raise TypeError(f"{owner}: tokens and scores must both be mappings, or neither.")
        texts: Any = tokens if isinstance(tokens, Mapping) else {None: tokens}
        numbers: Any = scores if isinstance(scores, Mapping) else {None: scores}
        if list(texts) != list(numbers) or not 1 <= len(texts) <= MOST_SENTENCES:
            raise ValueError(
                f"{owner}: tokens and scores must have the same 1 to {MOST_SENTENCES} names, "
                f"got {list(texts)} and {list(numbers)}."
            )
        words = {
            name: checked_words(owner, each, "tokens", MOST_TOKENS) for name, each in texts.items()
        }
        lengths = {len(each) for each in words.values()}
        if len(lengths) > 1:
            raise ValueError(
                f"{owner}: all sentences must have equally many tokens, got {sorted(lengths)}."
            )
        (n,) = lengths
        names = Words(f"a list of 1 to {MOST_HEADS} words").check(owner, "heads", heads)
        if not 1 <= len(names) <= MOST_HEADS:
            raise ValueError(
                f"{owner}: heads has {len(names)} entries but 1 to {MOST_HEADS} are expected."
            )
        table = [checked_array(owner, "scores", each, (len(names), n)) for each in numbers.values()]
        super().__init__(
            sentences=[{"name": name, "tokens": each} for name, each in words.items()],
            asks=Int(0, "it is the index of a token", n - 1).check(owner, "asks", asks),
            heads=names,
            score_table=np.stack(table),
            sentence=next(iter(words)) if sentence is None else sentence,
            guess=guess,
            **kwargs,
        )

    @classmethod
    def example(cls, words: Sequence[str] = WORDS) -> Self:
        """A teaser with these words and a guess, and two scores of the worked example."""
        n = len(words)
        keys = np.resize(KEYS, (n, 3))
        scores = {"dot": dot_scores(keys[-1], keys), "gaussian": gaussian_scores(keys[-1], keys)}
        tokens = dict.fromkeys(scores, words)
        heads = ["the worked example"]
        table = {name: [row] for name, row in scores.items()}
        return cls(tokens, table, n - 1, heads=heads, guess=0)

    @property
    def _at(self) -> int:
        return [each["name"] for each in self.sentences].index(self.sentence)

    @property
    def tokens(self) -> list[str]:
        """The tokens of the sentence now."""
        tokens: list[str] = self.sentences[self._at]["tokens"]
        return tokens

    @property
    def weights(self) -> FloatArray:
        """The weights of each head on the sentence now, of shape (H, n)."""
        return softmax(self.score_table[self._at])

    def __repr__(self) -> str:
        which = "" if self.sentence is None else f"sentence={self.sentence!r}, "
        return (
            f"HeadTeaser({len(self.tokens)} tokens, heads={self.heads!r}, {which}"
            f"asks={self.tokens[self.asks]!r}, guess={self.guess})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.head_teaser import teaser_picture

        return teaser_picture(self.tokens, self.asks, self.heads, self.weights, self.guess)
