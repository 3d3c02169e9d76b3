"""Words to put in another order, and what a layer of attention makes of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import traitlets

from attnbook.explorers._base import (
    Address,
    ArrayTrait,
    Checked,
    Explorer,
    Fixed,
    checked_array,
    checked_order,
    checked_words,
    script,
    style,
)
from attnutils._checks import FloatArray
from attnutils.mechanism import attention
from attnutils.positional import sinusoidal_encoding
from attnutils.worked_example import KEYS, VALUES, WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["WordOrderExplorer"]


def _checked_order(owner: str, name: str, x: Any, n: int) -> list[int]:
    hint = "it names each word once, by its place in words, from left to right"
    return checked_order(owner, name, x, n, hint)


class WordOrderExplorer(Explorer):
    """Move words to other places, and see whether their outputs notice.

    One layer of self-attention reads the words from left to right. Below each word stands its
    output, and a mark at what it was in the first order. The traits move the widget, and the widget
    moves the traits: `explorer.order = [1, 0, 2]`. `outputs` is computed by attnutils.

    Parameters
    ----------
    words : sequence of str
        The n words, 2 to 12.
    x : array_like of shape (n, d)
        An embedding for each word. d is even, at most 8.
    projections : array_like of shape (3, d, d), optional
        W_q, W_k and W_v; without them, each is the identity.
    second : sequence of int, optional
        Another order, which has a button of its own; without it, the reverse.

    Attributes
    ----------
    order : list of int
        Which word stands at each place.
    has_positions : bool
        Whether the sinusoidal encoding is added to the embeddings.
    is_causal : bool
        Whether each word sees only itself and what stands before it.
    outputs : ndarray of shape (n, d)
        A row for each word, in the order of `words`.
    gaps : ndarray of shape (n,)
        How far the output of each word is from that in the first order: the largest difference.

    Raises
    ------
    ValueError, TypeError
        If shapes, types or values do not fit.

    References
    ----------
    vaswani2017 : the sinusoidal encoding.

    Examples
    --------
    >>> explorer = WordOrderExplorer(["child", "reads", "book"], [[1, 0], [0, 2], [-1, 1]])
    >>> explorer.order = [2, 1, 0]
    >>> explorer.gaps.round(4)
    array([0., 0., 0.])
    >>> explorer.has_positions = True
    >>> explorer.gaps.round(4)
    array([2.1177, 0.192 , 0.9774])
    """

    _esm = script("positions", "word_order_explorer")
    _css = style("word_order_explorer")

    address = Address("order")
    words = Fixed()
    second = Fixed()
    x = ArrayTrait()
    projections = ArrayTrait()
    order = Checked(
        (), lambda widget, x: _checked_order(type(widget).__name__, "order", x, len(widget.words))
    )
    has_positions = traitlets.Bool(False).tag(sync=True, moved=True)
    is_causal = traitlets.Bool(False).tag(sync=True, moved=True)

    def __init__(
        self,
        words: Sequence[str],
        x: object,
        projections: object = None,
        second: Sequence[int] | None = None,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        words = checked_words(owner, words)
        n = len(words)
        embeddings = checked_array(owner, "x", x, (n, "d"))
        d = embeddings.shape[1]
        if d % 2 or d > 8:
            raise ValueError(
                f"{owner}: x has d={d} but an even d of at most 8 is expected; each sine has its "
                "cosine, and each component a bar."
            )
        given = np.stack([np.eye(d)] * 3) if projections is None else projections
        second = range(n)[::-1] if second is None else second
        super().__init__(
            words=words,
            x=embeddings,
            projections=checked_array(owner, "projections", given, (3, d, d)),
            second=_checked_order(owner, "second", second, n),
            order=list(range(n)),
            **kwargs,
        )

    @classmethod
    def example(cls, words: Sequence[str] = WORDS) -> Self:
        """An explorer with these words, each beside its value as in the worked example."""
        return cls(words, np.resize(np.hstack([KEYS, VALUES]), (len(words), 4)))

    @property
    def outputs(self) -> FloatArray:
        """What the layer makes of each word now, of shape (n, d)."""
        return self._outputs(self.order)

    @property
    def gaps(self) -> FloatArray:
        """How far each output is from that in the first order, of shape (n,)."""
        gaps: FloatArray = np.abs(self.outputs - self._outputs(range(len(self.words)))).max(axis=1)
        return gaps

    def _outputs(self, order: Sequence[int]) -> FloatArray:
        given = self.x[list(order)]
        if self.has_positions:
            given = given + sinusoidal_encoding(*given.shape)
        q, k, v = given @ self.projections  # (n, d) @ (3, d, d)
        outputs: FloatArray = attention(q, k, v, is_causal=self.is_causal).output
        return outputs[np.argsort(order)]

    def __repr__(self) -> str:
        text = " ".join(self.words[i] for i in self.order)
        return (
            f"WordOrderExplorer({text!r}, has_positions={self.has_positions}, "
            f"is_causal={self.is_causal})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures.word_order_explorer import order_picture

        return order_picture(
            self.words,
            self.order,
            self.outputs,
            self._outputs(range(len(self.words))),
            has_positions=self.has_positions,
            is_causal=self.is_causal,
        )
