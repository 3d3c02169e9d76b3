"""A text of letters, and two heads that go on with it: together, or one switched off."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np

from attnbook.explorers._base import Address, Checked, Explorer, Fixed, of_kind, script, style
from attnbook.lessons._stored import packed, unpacked
from attnbook.lessons.induction import (
    LENGTH,
    LETTERS,
    AttentionOnlyOutput,
    AttentionOnlyParams,
    ablate_head,
    attention_only,
    load_induction_runs,
)
from attnutils._checks import INTEGER, FloatArray, Int, array_of, refuse
from attnutils.normalize import softmax

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["InductionExplorer"]

N_LAYERS = 2


def _checked_text(widget: InductionExplorer, x: Any) -> str:
    owner = type(widget).__name__
    expected = f"1 to {LENGTH} of the letters {LETTERS[0]} to {LETTERS[-1]}"
    if not isinstance(x, str):
        refuse(TypeError, owner, "text", x, expected, "")
    if not 1 <= len(x) <= LENGTH or not set(x) <= set(LETTERS):
        hint = "the model has learned no others"
        raise ValueError(f"{owner}: text must be {expected}, got {x!r}; {hint}.")
    return x


def _checked_place(widget: InductionExplorer, x: Any) -> int:
    owner, hint = type(widget).__name__, "after the end of the text it is the last place"
    return Int(0, hint, LENGTH - 1).check(owner, "place", x)


def _checked_heads(widget: InductionExplorer, x: Any) -> list[int]:
    owner, hint = type(widget).__name__, "1 switches the head of a layer on and 0 switches it off"
    given = array_of(INTEGER, owner, "heads", x, f"({N_LAYERS},)", hint)
    if given.shape != (N_LAYERS,) or not set(given.tolist()) <= {0, 1}:
        raise ValueError(f"{owner}: heads must be {N_LAYERS} of 0 and 1, got {x!r}; {hint}.")
    return [int(on) for on in given]


class InductionExplorer(Explorer):
    """Type letters, and a model of two heads guesses each next one.

    The arcs show where each head looks. The traits move the widget, and the widget moves the
    traits. The parameters stay as they were given, rounded to 8 bits.

    Parameters
    ----------
    params : AttentionOnlyParams
        Of two layers, in the sizes of `init_attention_only`.
    text : str
        1 to 32 of the letters a to t.
    place : int, default 31
        Which letter asks, counted from 0; after the end of the text it is the last.
    heads : sequence of int, default (1, 1)
        For the head of each layer 1, or 0 to switch it off.

    Attributes
    ----------
    weights : ndarray of shape (2, n, n)
        Of each layer, for the n letters of the text.
    probabilities : ndarray of shape (n, 20)
        Of the letter that comes after each.
    guesses : str
        The likeliest of these at each place: what is to come next.

    Raises
    ------
    ValueError, TypeError
        If sizes, types or letters do not fit.

    References
    ----------
    elhage2021
    olsson2022

    Examples
    --------
    >>> explorer = InductionExplorer(load_induction_runs().params, "gbalcegbalce")
    >>> explorer.guesses[6:]
    'balceg'
    >>> explorer.heads = [0, 1]
    >>> explorer.guesses[6:] == "balceg"
    False
    """

    _esm = script("induction_explorer")
    _css = style("induction_explorer")

    address = Address("induction")
    #: The letters that the model knows.
    letters = Fixed()
    #: Width of the stream.
    width = Fixed()
    #: The most letters of a text.
    longest = Fixed()
    #: The parameters as 8-bit integers, then their scales as float32.
    parameters = Fixed()
    text = Checked("", _checked_text)
    place = Checked(LENGTH - 1, _checked_place)
    heads = Checked((), _checked_heads)

    def __init__(
        self,
        params: AttentionOnlyParams,
        text: str,
        *,
        place: int = LENGTH - 1,
        heads: Any = (1, 1),
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        of_kind(owner, "params", params, AttentionOnlyParams)
        sizes = tuple(np.shape(array) for array in params)
        d = sizes[0][-1] if sizes[0] else 0
        square = (N_LAYERS, d, d)
        wanted = ((len(LETTERS), d), (LENGTH, d), *[square] * 4, (d, len(LETTERS)))
        if sizes != wanted:
            raise ValueError(
                f"{owner}: params must have two layers of one width, {len(LETTERS)} symbols and "
                f"{LENGTH} places, got the shapes {sizes}."
            )
        codes, scales = packed(params)
        self._params = AttentionOnlyParams(*unpacked(params, codes, scales))
        super().__init__(
            letters=LETTERS,
            width=d,
            longest=LENGTH,
            parameters=codes.tobytes() + scales.astype("<f4").tobytes(),
            text=text,
            place=place,
            heads=heads,
            **kwargs,
        )

    @classmethod
    def example(cls) -> Self:
        """An explorer with what was trained, and letters that come twice."""
        return cls(load_induction_runs().params, "gbalcegbalce", place=8)

    def _output(self) -> AttentionOnlyOutput:
        params = self._params
        for layer, on in enumerate(self.heads):
            params = params if on else ablate_head(params, layer)
        return attention_only([LETTERS.index(letter) for letter in self.text], params)

    @property
    def weights(self) -> FloatArray:
        """The weights of both layers, of shape (2, n, n)."""
        return self._output().weights

    @property
    def probabilities(self) -> FloatArray:
        """Of each letter after each place, of shape (n, 20)."""
        return softmax(self._output().logits)

    @property
    def guesses(self) -> str:
        """The likeliest letter after each place."""
        return "".join(LETTERS[i] for i in self._output().logits.argmax(axis=-1))

    def __repr__(self) -> str:
        return f"InductionExplorer({self.text!r}, place={self.place}, heads={self.heads})"

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.induction_explorer import induction_picture

        place = min(self.place, len(self.text) - 1)
        return induction_picture(
            self.text, self.guesses, self.weights, place, self.heads, self.longest
        )
