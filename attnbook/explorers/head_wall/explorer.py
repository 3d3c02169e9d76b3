"""All heads of a model on a sentence. One of them is to be found."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import traitlets

from attnbook.explorers._base import Explorer
from attnbook.explorers._texts import check_text
from attnbook.explorers._traits import Address, Trait, entries
from attnbook.models.trained_heads import PronounHeads, TrainedHeads
from attnutils._checks import Choice, FloatArray, Int, refuse
from attnutils.normalize import softmax

__all__ = ["HeadWall"]

MOST_TOKENS = 32


def _checked_sentence(widget: HeadWall, x: Any) -> str:
    names = [each["name"] for each in widget.sentences]
    return Choice(*names, hint="it is a name in heads").check("HeadWall", "sentence", x)


def _checked_asks(widget: HeadWall, x: Any) -> int:
    hint = "it is the index of a word among those that can ask"
    return Int(0, hint, len(widget.askers) - 1).check("HeadWall", "asks", x)


def _checked_head(widget: HeadWall, x: Any) -> int:
    return Int(0, "heads are counted layer by layer", widget.n_heads - 1).check(
        "HeadWall", "head", x
    )


def _checked_tried(widget: HeadWall, x: Any) -> list[int]:
    given = entries(x)
    if given is None:
        refuse(TypeError, "HeadWall", "tried", x, "a list of heads", "")
    return [Int(0, "", widget.n_heads - 1).check("HeadWall", "tried", head) for head in given]


class HeadWall(Explorer):
    """A tile for each head of a model: where it looks from one word of a sentence.

    Arcs lead from the word that asks to all others, as thick as the weights of one head; a tile has
    a bar for each token. A word that is pressed asks, a tile that is pressed is tried. In the first
    sentence one head is to be found: the only one that gives a word more than half. The page has
    weights rounded to hundredths.

    Parameters
    ----------
    heads : mapping of str to TrainedHeads or PronounHeads
        Sentences by their text, of at most 32 tokens each. In a sentence of `PronounHeads` one word
        can ask.
    asks : int
        Index of the token of the first sentence that asks.
    find : int
        Index of the token of which the game is.
    steps : sequence of (str, str, str)
        What comes when the head is found: what a button says, a sentence, and what to see in it.
    head : int, default 0
        The head at the start. Heads are counted layer by layer.

    Raises
    ------
    ValueError, TypeError
        If names or types do not fit, or if not exactly one head gives the word more than half.

    Examples
    --------
    >>> from attnbook.models.trained_heads import load_trained_heads
    >>> cat = "The cat slept because it was tired"
    >>> wall = HeadWall({cat: load_trained_heads()[cat]}, asks=5, find=2)
    >>> wall.head = 5 * 12 + 11
    >>> wall.weights[wall.head]
    array([0.18, 0.01, 0.69, 0.05, 0.  , 0.02, 0.01, 0.03, 0.02])
    """

    _first = "sentence"

    address = Address("wall")
    #: For each sentence its name, its tokens, and which of them can ask.
    sentences = Trait()
    #: How many layers, and how many heads in each.
    shape = Trait()
    game = Trait()
    steps = Trait()
    #: Hundredths, a byte each: of all sentences, heads, words that ask.
    table = Trait()
    sentence = Trait(check=_checked_sentence, address="sentence")
    asks = Trait(0, check=_checked_asks, address="asks")
    head = Trait(0, check=_checked_head, address="head")
    #: The heads that were pressed in the game, until it was found.
    tried = Trait([], check=_checked_tried, address="tried")

    def __init__(
        self,
        heads: Mapping[str, TrainedHeads | PronounHeads],
        *,
        asks: int,
        find: int,
        steps: Sequence[tuple[str, str, str]] = (),
        head: int = 0,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        if not isinstance(heads, Mapping) or not heads:
            refuse(TypeError, owner, "heads", heads, "a mapping with a sentence", "")
        sentences, tables = [], []
        for name, of in heads.items():
            check_text(owner, "a name in heads", name)
            if not isinstance(of, TrainedHeads | PronounHeads):
                kinds = "TrainedHeads or PronounHeads"
                refuse(TypeError, owner, f"heads[{name!r}]", of, kinds, "")
            n, one = len(of.tokens), isinstance(of, PronounHeads)
            if n > MOST_TOKENS:
                raise ValueError(f"{owner}: heads has {n} tokens but at most {MOST_TOKENS} fit.")
            askers = [of.asks] if isinstance(of, PronounHeads) else list(range(n))
            sentences.append({"name": name, "tokens": list(of.tokens), "askers": askers})
            tables.append(hundredths(of.scores[..., None, :] if one else of.scores))
        first, tokens = tables[0], sentences[0]["tokens"]
        game = {"asks": asks, "find": Int(0, "", len(tokens) - 1).check(owner, "find", find)}
        Int(0, "", first.shape[2] - 1).check(owner, "asks", asks)
        winners = int((first[:, :, asks, find] > 50).sum())
        if winners != 1:
            text = f"find must be a token that one head alone gives more than half, not {winners}"
            raise ValueError(f"{owner}: {text}.")
        super().__init__(
            sentences=sentences,
            shape=list(first.shape[:2]),
            game=game,
            steps=_checked_steps(owner, steps, list(heads)),
            table=b"".join(each.tobytes() for each in tables),
            sentence=next(iter(heads)),
            asks=asks,
            head=head,
            **kwargs,
        )

    @traitlets.observe("sentence")
    def _somebody_asks(self, change: Any) -> None:
        if self.asks >= len(self.askers):
            self.asks = 0

    @property
    def _at(self) -> int:
        return [each["name"] for each in self.sentences].index(self.sentence)

    @property
    def n_heads(self) -> int:
        """How many heads there are."""
        layers, heads = self.shape
        return int(layers * heads)

    @property
    def tokens(self) -> list[str]:
        """The tokens of the sentence now."""
        tokens: list[str] = self.sentences[self._at]["tokens"]
        return tokens

    @property
    def askers(self) -> list[int]:
        """Which of them can ask."""
        askers: list[int] = self.sentences[self._at]["askers"]
        return askers

    @property
    def weights(self) -> FloatArray:
        """The weights of the word that asks, a row for each head."""
        sizes = [self.n_heads * len(x["askers"]) * len(x["tokens"]) for x in self.sentences]
        start, size = sum(sizes[: self._at]), sizes[self._at]
        table = np.frombuffer(self.table, np.uint8, size, start)
        return table.reshape(self.n_heads, len(self.askers), -1)[:, self.asks] / 100


def hundredths(scores: FloatArray) -> Any:
    """The weights of scores as hundredths, rounded, a byte each."""
    return np.rint(100 * softmax(scores)).astype(np.uint8)


def _checked_steps(owner: str, steps: Any, names: list[str]) -> list[dict[str, str]]:
    made = []
    for step in steps:
        if not (isinstance(step, tuple) and len(step) == 3):
            refuse(TypeError, owner, "steps", step, "tuples of three texts", "")
        press, sentence, says = step
        check_text(owner, "steps", press)
        check_text(owner, "steps", says)
        Choice(*names, hint="the second is a sentence").check(owner, "steps", sentence)
        made.append({"press": press, "sentence": sentence, "says": says})
    return made
