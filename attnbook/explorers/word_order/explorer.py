"""Words to put in another order, and what a layer of attention makes of each."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import (
    Address,
    Array,
    Order,
    Setting,
    Words,
    checked_array,
)
from attnutils._checks import Flag, FloatArray
from attnutils.mechanism import attention
from attnutils.positional import sinusoidal_encoding

__all__ = ["WordOrderExplorer"]

_HINT = "it names each word once, by its index in words, from left to right"


class WordOrderExplorer(Explorer):
    """Move words to other places, and see whether their outputs notice.

    One layer of self-attention reads the words from left to right. Below each word stands its
    output, and a mark at what it was in the first order.

    Parameters
    ----------
    words : sequence of str
        The n words, 2 to 12.
    x : array_like of shape (n, d)
        An embedding for each word. d is even, at most 8.
    projections : array_like of shape (3, d, d), optional
        W_q, W_k and W_v; without them, each is the identity.
    order : sequence of int, optional
        Which word stands at each place.
    has_positions : bool, default False
        Whether the sinusoidal encoding is added to the embeddings.
    is_causal : bool, default False
        Whether each word sees only itself and what stands before it.

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

    address = Address("order")
    words = Words()
    x = Array("words", "d")
    projections = Array(3, "d", "d")
    order = Order("words", _HINT, address="of")
    has_positions = Setting(Flag("it says what is added to each word"), False, address="p")
    is_causal = Setting(Flag("it hides what comes later"), False, address="causal")

    def __init__(
        self,
        words: Sequence[str],
        x: object,
        projections: object = None,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        d = checked_array(owner, "x", x, ("n", "d")).shape[1]
        if d % 2 or d > 8:
            raise ValueError(
                f"{owner}: x has d={d} but an even d of at most 8 is expected; each "
                "sine has its cosine, and each component a bar."
            )
        if projections is None:
            projections = np.stack([np.eye(d)] * 3)
        super().__init__(words=words, x=x, projections=projections, **kwargs)

    @property
    def outputs(self) -> FloatArray:
        """What the layer makes of each word now, a row for each in the order of `words`."""
        return self._outputs(self.order)

    @property
    def gaps(self) -> FloatArray:
        """How far each output is from that in the first order: the largest difference."""
        gaps: FloatArray = np.abs(self.outputs - self._outputs(range(len(self.words)))).max(axis=1)
        return gaps

    def _outputs(self, order: Sequence[int]) -> FloatArray:
        given = self.x[list(order)]
        if self.has_positions:
            given = given + sinusoidal_encoding(*given.shape)
        q, k, v = given @ self.projections  # (n, d) @ (3, d, d)
        outputs: FloatArray = attention(q, k, v, is_causal=self.is_causal).output
        return outputs[np.argsort(order)]
