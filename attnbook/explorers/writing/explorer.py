"""A language model that goes on from what a reader types, and where it looks for each letter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Integers, Setting, Temperature, Trait, of_kind
from attnbook.models._stored import packed, unpacked
from attnbook.models.language import (
    LanguageModelParams,
    StoredModel,
    ablate_heads,
    encode_text,
    run,
)
from attnutils import leaves, with_leaves
from attnutils._checks import Choice, Flag, FloatArray, Int, refuse
from attnutils.normalize import softmax

__all__ = ["WritingExplorer"]

MOST_TEXT = 600  # characters
MOST_SEEDS = 1000
START = "\n"  # what stands before the reader's text: a new paragraph


def _checked_model(widget: WritingExplorer, x: Any) -> str:
    names = [each["name"] for each in widget.models]
    if x is None:
        return str(names[0])
    return Choice(*names, hint="it is a name in models").check(type(widget).__name__, "model", x)


def _checked_text(widget: WritingExplorer, x: Any) -> str:
    owner = type(widget).__name__
    if not isinstance(x, str):
        refuse(TypeError, owner, "text", x, "a str", "")
    if len(x) > MOST_TEXT:
        text = f"{owner}: text has {len(x)} characters but at most {MOST_TEXT} are expected"
        raise ValueError(f"{text}; the model reads only the last of them.")
    return x


def _checked_context(widget: WritingExplorer, x: Any) -> int:
    option = Int(1, "the model was trained on no longer pieces", widget.longest)
    return int(option.check(type(widget).__name__, "context", widget.longest if x is None else x))


class WritingExplorer(Explorer):
    """Type a beginning, and a language model goes on, one character at a time.

    A wash behind the characters shows how much it looks at each. The parameters of `models` are
    rounded to 8 bits.

    Parameters
    ----------
    models : mapping of str to StoredModel
        1 to 4 models by name, with the same alphabet, numbers of blocks and heads, and context.
    text : str, default ""
        What the model goes on from, at most 600 characters. Before it stands a line break.
    place : int, default 600
        How many characters stand before the caret; after the end of the text it is the end. The
        model reads up to there, and what it writes takes the place of the rest.
    model : str, optional
        The name of the model at the start; the first by default.
    temperature : float, default 1.0
        At least 0; infinity is uniform.
    heads : sequence of int, optional
        For each head of each block 1, or 0 to switch it off. All are on by default.
    mask : bool, default True
        Whether each position sees only itself and the earlier ones.
    context : int, optional
        How many of the last characters the model reads; as many as in training by default.
    seed : int, default 0
        Of the draws, 0 to 999. The same text and seed draw the same character.

    Examples
    --------
    >>> from attnbook.models.language import load_language_model
    >>> explorer = WritingExplorer({"it": load_language_model()}, "The Mock Turtl", temperature=0)
    >>> explorer.go_on(2)
    >>> explorer.text
    'The Mock Turtle '
    >>> explorer.weights.shape
    (2, 4, 17)
    """

    address = Address("writing")
    alphabet = Trait()
    #: For each model its name, its widths d and d_ff, and its number of parameters.
    models = Trait()
    #: The names of the heads, block by block.
    labels = Trait()
    n_heads = Trait()
    #: The largest context.
    longest = Trait()
    #: For each model its parameters as 8-bit integers, then their scales as float32.
    parameters = Trait()
    model = Trait(None, address="model", check=_checked_model)
    text = Trait("", address="text", check=_checked_text)
    place = Setting(Int(0, "it counts characters", MOST_TEXT), MOST_TEXT, address="caret")
    temperature = Temperature()
    heads = Integers(
        "labels",
        0,
        1,
        "1 switches a head on and 0 switches it off, block by block",
        1,
        address="heads",
    )
    mask = Setting(Flag(), True, address="mask")
    context = Trait(None, address="context", check=_checked_context)
    seed = Setting(Int(0, "it is the start of the draws", MOST_SEEDS - 1), 0, address="seed")

    def __init__(self, models: Mapping[str, StoredModel], text: str = "", **kwargs: Any) -> None:
        owner = type(self).__name__
        if not isinstance(models, Mapping) or not 1 <= len(models) <= 4:
            refuse(TypeError, owner, "models", models, "a mapping with 1 to 4 models", "")
        for name, each in models.items():
            of_kind(owner, f"models[{name!r}]", each, StoredModel)
        alike = {
            (each.alphabet, len(each.params.blocks), each.n_heads, each.context)
            for each in models.values()
        }
        if len(alike) > 1:
            raise ValueError(
                f"{owner}: models must have the same alphabet, numbers of blocks and heads, and "
                "context."
            )
        ((alphabet, n_blocks, n_heads, longest),) = alike
        if not set(START + " ") <= set(alphabet):
            raise ValueError(f"{owner}: the alphabet must have a line break and a blank.")
        self._params: dict[str, LanguageModelParams] = {}
        self._found: tuple[Any, FloatArray, FloatArray] = None, np.zeros(0), np.zeros(0)
        facts, sent = [], b""
        for name, each in models.items():
            arrays = list(leaves(each.params))
            codes, scales = packed(arrays)
            self._params[name] = with_leaves(each.params, unpacked(arrays, codes, scales))
            sent += codes.tobytes() + scales.astype("<f4").tobytes()
            d, d_ff = each.params.blocks[0].feed_forward.w_in.shape
            count = sum(array.size for array in arrays)
            facts.append({"name": str(name), "d": d, "d_ff": d_ff, "count": count})
        super().__init__(
            alphabet=alphabet,
            models=facts,
            labels=[f"block {b}, head {h}" for b in range(n_blocks) for h in range(n_heads)],
            n_heads=n_heads,
            longest=longest,
            parameters=sent,
            text=text,
            **kwargs,
        )

    @property
    def read(self) -> str:
        """What the model reads: the last characters before the caret."""
        text: str = START + self.text[: self.place]
        return text[-self.context :]

    def _run(self) -> tuple[FloatArray, FloatArray]:
        facts = self.model, self.read, tuple(self.heads), self.mask
        if self._found[0] != facts:
            off = [divmod(i, self.n_heads) for i, on in enumerate(self.heads) if not on]
            params = ablate_heads(self._params[self.model], off, n_heads=self.n_heads)
            codes = encode_text(self.read, self.alphabet)
            logits, weights = run(codes, params, self.n_heads, self.mask)
            self._found = facts, logits[-1], np.stack([each[:, -1] for each in weights])
        return self._found[1:]

    @property
    def logits(self) -> FloatArray:
        """Scores of the next character, of shape (n_symbols,)."""
        return self._run()[0]

    @property
    def weights(self) -> FloatArray:
        """Of each head over what is read, from its last character: (n_blocks, n_heads, n)."""
        return self._run()[1]

    @property
    def look(self) -> FloatArray:
        """The mean of these over the heads that are on, of shape (n,); 0 if none is."""
        own = self.weights.reshape(len(self.heads), -1)[np.array(self.heads) == 1]
        return own.sum(axis=0) / max(1, len(own))

    @property
    def probabilities(self) -> FloatArray:
        """How likely the model finds each character at the temperature, of shape (n_symbols,)."""
        return softmax(self.logits, temperature=self.temperature)

    @property
    def next_character(self) -> str:
        """The character that is drawn with the seed."""
        total = np.cumsum(self.probabilities)
        here = draw(self.seed, len(self.text[: self.place])) * total[-1]
        return str(self.alphabet[int(np.searchsorted(total, here, side="right"))])

    def go_on(self, n: int = 1) -> None:
        """Write `n` characters at the caret, or as many as there is room for."""
        for _ in range(min(n, MOST_TEXT - len(self.text[: self.place]))):
            text = self.text[: self.place] + self.next_character
            self.text, self.place = text, MOST_TEXT


def draw(seed: int, place: int) -> float:
    """A number from 0 to below 1 that looks random: the same in the script, bit for bit."""
    x = (seed * 0x9E3779B1 + place * 0x85EBCA6B) & 0xFFFFFFFF
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = ((x ^ x >> shift) * factor) & 0xFFFFFFFF
    return (x ^ x >> 16) / 2**32
