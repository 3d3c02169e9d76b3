"""A text of letters, and two heads that go on with it: together, or one switched off."""

from __future__ import annotations

from typing import Any

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import Address, Integers, Setting, Trait, of_kind
from attnbook.models._stored import packed, unpacked
from attnbook.models.induction import (
    LENGTH,
    LETTERS,
    AttentionOnlyOutput,
    AttentionOnlyParams,
    ablate_head,
    attention_only,
)
from attnutils._checks import FloatArray, Int, refuse
from attnutils.normalize import softmax

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


class InductionExplorer(Explorer):
    """Type letters, and a model of two heads guesses each next one.

    The arcs show where each head looks. The parameters are rounded to 8 bits.

    Parameters
    ----------
    params : AttentionOnlyParams
        Of two layers, in the sizes of `init_attention_only`.
    text : str
        1 to 32 of the letters a to t.
    place : int, default 31
        Which letter asks, counted from 0; after the end of the text it is the last.
    heads : sequence of int, optional
        For the head of each layer 1, or 0 to switch it off. Both are on by default.

    References
    ----------
    elhage2021
    olsson2022

    Examples
    --------
    >>> from attnbook.models.induction import load_induction_runs
    >>> explorer = InductionExplorer(load_induction_runs().params, "gbalcegbalce")
    >>> explorer.guesses[6:]
    'balceg'
    >>> explorer.heads = [0, 1]
    >>> explorer.guesses[6:] == "balceg"
    False
    """

    address = Address("induction")
    #: The letters that the model knows.
    letters = Trait()
    #: The names of the heads.
    labels = Trait()
    #: Width of the stream.
    width = Trait()
    #: The most letters of a text.
    longest = Trait()
    #: The parameters as 8-bit integers, then their scales as float32.
    parameters = Trait()
    text = Trait(address="text", check=_checked_text)
    place = Setting(
        Int(0, "after the end of the text it is the last place", LENGTH - 1),
        LENGTH - 1,
        address="at",
    )
    heads = Integers(
        "labels",
        0,
        1,
        "1 switches the head of a layer on and 0 switches it off",
        1,
        address="heads",
    )

    def __init__(self, params: AttentionOnlyParams, text: str, **kwargs: Any) -> None:
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
            labels=[f"head of layer {layer}" for layer in range(N_LAYERS)],
            width=d,
            longest=LENGTH,
            parameters=codes.tobytes() + scales.astype("<f4").tobytes(),
            text=text,
            **kwargs,
        )

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
