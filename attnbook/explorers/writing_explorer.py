"""A language model that goes on from what a reader types."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import traitlets

from attnbook.explorers._base import (
    Address,
    Checked,
    Explorer,
    Fixed,
    Temperature,
    Widget,
    checked_words,
    of_kind,
    script,
    style,
)
from attnbook.lessons._stored import packed, unpacked
from attnbook.lessons.language import (
    LanguageModelParams,
    StoredModel,
    ablate_heads,
    encode_text,
    language_model,
    load_language_model,
)
from attnutils import leaves, with_leaves
from attnutils._checks import INTEGER, Choice, FloatArray, Int, array_of, refuse
from attnutils.normalize import softmax
from attnutils.worked_example import WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["WritingExplorer"]

MOST_TEXT = 600  # characters
MOST_SEEDS = 1000
START = "\n"  # what stands before the reader's text: a new paragraph


# The oldest traitlets takes no type arguments.
class Text(traitlets.Unicode):  # type: ignore[type-arg]
    """The reader's text, with what the model has added."""

    def validate(self, obj: Any, value: Any) -> str:
        """Take any text that has room."""
        owner = type(obj).__name__
        if not isinstance(value, str):
            refuse(TypeError, owner, "text", value, "a str", "")
        if len(value) > MOST_TEXT:
            text = f"{owner}: text has {len(value)} characters but at most {MOST_TEXT} are expected"
            raise ValueError(f"{text}; the model reads only the last of them.")
        return value


def _checked_model(widget: WritingExplorer, x: Any) -> str:
    names = [each["name"] for each in widget.models]
    return Choice(*names, hint="it is a name in models").check(type(widget).__name__, "model", x)


def _checked_heads(widget: WritingExplorer, x: Any) -> list[int]:
    owner, n = type(widget).__name__, widget.most_heads
    hint = "1 switches a head on and 0 switches it off, block by block"
    given = array_of(INTEGER, owner, "heads", x, f"({n},)", hint)
    if given.shape != (n,) or not set(given.tolist()) <= {0, 1}:
        raise ValueError(f"{owner}: heads must be {n} of 0 and 1, got {x!r}; {hint}.")
    return [int(on) for on in given]


def _checked_context(widget: WritingExplorer, x: Any) -> int:
    owner, hint = type(widget).__name__, "the model was trained on no longer pieces"
    return Int(1, hint, widget.longest).check(owner, "context", x)


def _checked_seed(widget: Widget, x: Any) -> int:
    return Int(0, "", MOST_SEEDS - 1).check(type(widget).__name__, "seed", x)


class WritingExplorer(Explorer):
    """Type a beginning, and a language model goes on, one character at a time.

    The traits move the widget, and the widget moves the traits: `explorer.text = "Alice "`.
    `models` stay as they were given; their parameters are rounded to 8 bits.

    Parameters
    ----------
    models : mapping of str to StoredModel
        1 to 4 models by name, with the same alphabet, numbers of blocks and heads, and context.
    text : str, default ""
        What the model goes on from, at most 600 characters. Before it stands a line break.
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

    Attributes
    ----------
    logits : ndarray of shape (n_symbols,)
        Scores of the next character.
    probabilities : ndarray of shape (n_symbols,)
        Their softmax at the temperature.
    next_character : str
        The one that is drawn.

    Raises
    ------
    ValueError, TypeError
        If types, names or sizes do not fit.

    Examples
    --------
    >>> explorer = WritingExplorer({"it": load_language_model()}, "The Mock Turtl", temperature=0)
    >>> explorer.go_on(2)
    >>> explorer.text
    'The Mock Turtle '
    """

    _esm = script("writing_explorer")
    _css = style("writing_explorer")

    address = Address("writing")
    alphabet = Fixed()
    #: For each model its name, its widths d and d_ff, and its number of parameters.
    models = Fixed()
    n_blocks = Fixed()
    n_heads = Fixed()
    #: The largest context.
    longest = Fixed()
    #: For each model its parameters as 8-bit integers, then their scales as float32.
    parameters = Fixed()
    model = Checked("", _checked_model)
    text = Text("").tag(sync=True, moved=True)
    temperature = Temperature()
    heads = Checked((), _checked_heads)
    mask = traitlets.Bool(True).tag(sync=True, moved=True)
    context = Checked(1, _checked_context)
    seed = Checked(0, _checked_seed)

    def __init__(
        self,
        models: Mapping[str, StoredModel],
        text: str = "",
        *,
        model: str | None = None,
        temperature: float = 1.0,
        heads: Sequence[int] | None = None,
        mask: bool = True,
        context: int | None = None,
        seed: int = 0,
        **kwargs: Any,
    ) -> None:
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
        self._found: tuple[Any, FloatArray] = None, np.zeros(0)  # for what, and the logits
        facts, sent = [], b""
        for name, each in models.items():
            arrays = list(leaves(each.params))
            codes, scales = packed(arrays)
            self._params[name] = with_leaves(each.params, unpacked(arrays, codes, scales))
            sent += codes.tobytes() + scales.astype("<f4").tobytes()
            d, d_ff = each.params.blocks[0].feed_forward.w_in.shape
            count = sum(array.size for array in arrays)
            facts.append({"name": str(name), "d": d, "d_ff": d_ff, "count": count})
        self.most_heads = n_blocks * n_heads
        super().__init__(
            alphabet=alphabet,
            models=facts,
            n_blocks=n_blocks,
            n_heads=n_heads,
            longest=longest,
            parameters=sent,
            model=facts[0]["name"] if model is None else model,
            text=text,
            temperature=temperature,
            heads=[1] * self.most_heads if heads is None else heads,
            mask=mask,
            context=longest if context is None else context,
            seed=seed,
            **kwargs,
        )

    @classmethod
    def example(cls, words: Sequence[str] = WORDS) -> Self:
        """An explorer that goes on from these words."""
        text = " ".join(checked_words(cls.__name__, words))
        models = {"masked": load_language_model(), "unmasked": load_language_model(is_causal=False)}
        return cls(models, text, context=12)

    @property
    def read(self) -> str:
        """What the model reads: the last characters of the text."""
        text: str = START + self.text
        return text[-self.context :]

    @property
    def logits(self) -> FloatArray:
        """Scores of the next character, of shape (n_symbols,)."""
        facts = self.model, self.read, tuple(self.heads), self.mask
        if self._found[0] == facts:
            return self._found[1]
        off = [divmod(i, self.n_heads) for i, on in enumerate(self.heads) if not on]
        params = ablate_heads(self._params[self.model], off, n_heads=self.n_heads)
        codes = encode_text(self.read, self.alphabet)
        found = language_model(codes, params, n_heads=self.n_heads, is_causal=self.mask)
        self._found = facts, found[-1]
        return self._found[1]

    @property
    def probabilities(self) -> FloatArray:
        """How likely the model finds each character at the temperature, of shape (n_symbols,)."""
        return softmax(self.logits, temperature=self.temperature)

    @property
    def next_character(self) -> str:
        """The character that is drawn with the seed."""
        total = np.cumsum(self.probabilities)
        here = draw(self.seed, len(self.text)) * total[-1]
        return str(self.alphabet[int(np.searchsorted(total, here, side="right"))])

    def go_on(self, n: int = 1) -> None:
        """Write `n` characters, or as many as there is room for."""
        for _ in range(min(n, MOST_TEXT - len(self.text))):
            self.text += self.next_character

    def __repr__(self) -> str:
        return (
            f"WritingExplorer({[each['name'] for each in self.models]}, {self.text!r}, "
            f"model={self.model!r}, temperature={self.temperature:g})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.writing_explorer import writing_picture

        return writing_picture(self.text, self.alphabet, self.probabilities, self.temperature)


def draw(seed: int, place: int) -> float:
    """A number from 0 to below 1 that looks random: the same in the script, bit for bit."""
    x = (seed * 0x9E3779B1 + place * 0x85EBCA6B) & 0xFFFFFFFF
    for shift, factor in ((16, 0x7FEB352D), (15, 0x846CA68B)):
        x = ((x ^ x >> shift) * factor) & 0xFFFFFFFF
    return (x ^ x >> 16) / 2**32
