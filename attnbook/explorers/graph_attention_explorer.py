"""Attention over the edges of a graph: pick a receiver, see what it hears from each sender."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Self

import numpy as np
import traitlets

from attnbook.explorers._base import (
    Address,
    ArrayTrait,
    Checked,
    Explorer,
    Fixed,
    Temperature,
    Words,
    checked_array,
    checked_words,
    script,
    style,
)
from attnutils._checks import REAL, ArrayLike, Choice, FloatArray, Int, array_of
from attnutils._door import Arguments
from attnutils._shapes import Index
from attnutils.normalize import entropy, masked_softmax

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["GraphAttentionExplorer"]

MOST_NODES = 24
TALLEST = 300  # hundredths of the width
LETTERS_A_LINE = 42  # of a note, beside the drawing


def _checked_mechanism(widget: GraphAttentionExplorer, x: Any) -> str:
    options = [mechanism["name"] for mechanism in widget.mechanisms]
    return Choice(*options, hint="it is a key of scores").check(
        type(widget).__name__, "mechanism", x
    )


def _checked_receiver(widget: GraphAttentionExplorer, x: Any) -> int:
    n, hint = len(widget.names), "nodes are counted from 0"
    return Int(0, hint, n - 1).check(type(widget).__name__, "receiver", x)


def _checked_head(widget: GraphAttentionExplorer, x: Any) -> int:
    hint = f'it is a head of the mechanism "{widget.mechanism}"'
    return Int(0, hint, widget.n_heads - 1).check(type(widget).__name__, "head", x)


class GraphAttentionExplorer(Explorer):
    """Draw a graph and pick the node that receives: edges are as wide as their weights.

    The softmax runs over the edges that end at the receiver. Beside the drawing its senders are
    ranked by their scores. The traits move the widget, and the widget moves the traits:
    `explorer.receiver = 2`. The scores can be replaced: `explorer.scores = {"dot": scores}`. The
    graph and the notes stay as they were given. `weights` and `entropy` are computed by attnutils.

    Parameters
    ----------
    names : sequence of str
        The nodes, 2 to 24, with short names.
    positions : array_like of shape (n_nodes, 2)
        Where to draw each node, at any scale; y points up. The widget moves nodes that would
        overlap apart; in the picture that stands in for it they lie on each other.
    senders, receivers : array_like of int of shape (E,)
        Edge e runs from node ``senders[e]`` to node ``receivers[e]``. An edge from a node to
        itself is given like any other. Where edges have no direction, give both.
    scores : mapping of str to array_like of shape (E,) or (E, n_heads)
        Raw scores by the name of their mechanism, in the order of the edges. -inf hides an edge.
        Mechanisms may differ in their number of heads.
    mechanism : str, optional
        The mechanism at the start; the first by default.
    receiver : int, default 0
        Index of the node that receives.
    head : int, default 0
        A mechanism with fewer heads takes its last one.
    temperature : float, default 1.0
        At least 0; infinity is uniform.
    notes : mapping of str to str, optional
        A short line about a mechanism, such as its formula, which is shown while it is chosen.
    wants, knows : sequence of str, optional
        What each node looks for and what it has to tell, short words, one each. The receiver shows
        what it wants, all others what they know. In the table the right one is marked.

    Attributes
    ----------
    scores : dict of str to ndarray of shape (E, n_heads)
        New ones take the place of all; their mechanisms and numbers of heads must be the same.
    n_heads : int
        Of the mechanism now.
    weights : ndarray of shape (E,)
        The weights of the mechanism and head now. Those of one receiver sum to 1.
    entropy : float
        Of the receiver's weights, in bits.

    Raises
    ------
    ValueError, TypeError
        If shapes, types or names do not fit, or an edge is given twice.

    Examples
    --------
    >>> triangle, scores = [[0, 0], [1, 0], [0, 1]], {"mean": [0, 0, 0], "dot": [2, 1, 5]}
    >>> explorer = GraphAttentionExplorer(
    ...     ["A", "B", "C"], triangle, senders=[1, 2, 0], receivers=[0, 0, 1], scores=scores
    ... )
    >>> explorer.weights
    array([0.5, 0.5, 1. ])
    >>> explorer.mechanism = "dot"
    >>> explorer.weights.round(3)
    array([0.731, 0.269, 1.   ])
    """

    _esm = script("graph_attention_explorer")
    _css = style("graph_attention_explorer")
    _first = "mechanism"  # it says which heads there are

    address = Address("graph")
    names = Fixed()
    positions = Fixed()
    senders = Fixed()
    receivers = Fixed()
    wants = Fixed()
    knows = Fixed()
    #: For each mechanism its name, its number of heads, and its note.
    mechanisms = Fixed()
    #: The heads of all mechanisms side by side, of shape (E, sum of n_heads).
    score_table = ArrayTrait(masked=True)
    mechanism = Checked("", _checked_mechanism)
    receiver = Checked(0, _checked_receiver)
    head = Checked(0, _checked_head)
    temperature = Temperature()
    #: What the style makes heights of: the longest list, the drawing, the longest note.
    sizes = Fixed()

    def __init__(
        self,
        names: Sequence[str],
        positions: object,
        senders: object,
        receivers: object,
        scores: Mapping[str, object],
        *,
        mechanism: str | None = None,
        receiver: int = 0,
        head: int = 0,
        temperature: float = 1.0,
        notes: Mapping[str, str] | None = None,
        wants: Sequence[str] | None = None,
        knows: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        names = checked_words(owner, names, "names", MOST_NODES)
        if not all(name.strip() for name in names):
            raise ValueError(
                f"{owner}: each entry of names must have a letter, got {names}; "
                "write what each node is called."
            )
        points = checked_array(owner, "positions", positions, (len(names), 2))
        start, stop = _checked_edges(owner, senders, receivers, names)
        tables = _checked_scores(owner, scores, len(start))
        texts = _checked_notes(owner, notes, list(tables))
        wanted, known = _checked_topics(owner, wants, knows, len(names))
        super().__init__(
            names=names,
            positions=points.tolist(),
            senders=start,
            receivers=stop,
            wants=wanted,
            knows=known,
            mechanisms=[
                {"name": name, "heads": table.shape[1], "note": texts.get(name, "")}
                for name, table in tables.items()
            ],
            score_table=np.hstack(list(tables.values())),
            mechanism=next(iter(tables)) if mechanism is None else mechanism,
            receiver=receiver,
            head=head,
            temperature=temperature,
            sizes={
                "most": int(np.bincount(stop).max()),
                "tall": _tall(points),
                "lines": max(
                    math.ceil(len(text) / LETTERS_A_LINE) for text in ["", *texts.values()]
                ),
            },
            **kwargs,
        )

    @classmethod
    def example(cls, words: Sequence[str] = ("A", "B", "C")) -> Self:
        """An explorer with these nodes: the first hears from all, the second from the last."""
        n = len(words)
        angles = 2 * np.pi * np.arange(n) / n
        scores = {"dot": np.eye(n + 1)[:, :2], "mean": np.zeros(n + 1)}
        ends = [*range(n), n - 1], [0] * n + [1]
        return cls(words, np.c_[np.cos(angles), np.sin(angles)], *ends, scores)

    @traitlets.observe("mechanism")
    def _keep_a_head(self, change: Any) -> None:
        self.head = min(self.head, self.n_heads - 1)

    @property
    def scores(self) -> dict[str, FloatArray]:
        """The scores of each mechanism, of shape (E, n_heads)."""
        ends = np.cumsum([mechanism["heads"] for mechanism in self.mechanisms])
        tables = np.split(self.score_table, ends[:-1], axis=1)
        return {
            mechanism["name"]: table
            for mechanism, table in zip(self.mechanisms, tables, strict=True)
        }

    @scores.setter
    def scores(self, scores: Mapping[str, object]) -> None:
        owner = type(self).__name__
        tables = _checked_scores(owner, scores, len(self.senders))
        heads = {name: table.shape[1] for name, table in tables.items()}
        expected = {x["name"]: x["heads"] for x in self.mechanisms}
        if heads != expected:
            raise ValueError(
                f"{owner}: scores has the mechanisms and numbers of heads {heads} "
                f"but {expected} are expected; make a new {owner} for others."
            )
        self.score_table = np.hstack([tables[name] for name in expected])

    @property
    def n_heads(self) -> int:
        """How many heads the mechanism has now."""
        heads: dict[str, int] = {x["name"]: x["heads"] for x in self.mechanisms}
        return heads[self.mechanism]

    @property
    def weights(self) -> FloatArray:
        """The weights now, of shape (E,): a softmax over the edges of each receiver."""
        edges, n = (self.receivers, self.senders), len(self.names)
        scores = np.full((n, n), -np.inf)  # where there is no edge
        scores[edges] = self.scores[self.mechanism][:, self.head]
        weights: FloatArray = masked_softmax(scores, temperature=self.temperature)[edges]
        return weights

    @property
    def entropy(self) -> float:
        """The entropy of the receiver's weights now, in bits."""
        return float(entropy(self.weights * (np.array(self.receivers) == self.receiver)))

    def __repr__(self) -> str:
        return (
            f"GraphAttentionExplorer({len(self.names)} nodes, {len(self.senders)} edges, "
            f"mechanism={self.mechanism!r}, receiver={self.names[self.receiver]!r}, "
            f"head={self.head}, temperature={self.temperature:g})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures._drawing import short
        from attnbook.explorers.pictures.graph_attention_explorer import graph_picture

        head = f", head {self.head}" if self.n_heads > 1 else ""
        return graph_picture(
            f"{self.mechanism}{head}, temperature {short(self.temperature)}",
            self.names,
            self.positions,
            self.senders,
            self.receivers,
            topics=[
                want if i == self.receiver else know
                for i, (want, know) in enumerate(zip(self.wants, self.knows, strict=True))
            ],
            receiver=self.receiver,
            scores=self.scores[self.mechanism][:, self.head],
            weights=self.weights,
            bits=self.entropy,
        )


_EDGES = {
    "n_nodes": Annotated[int, Int(0)],
    "senders": Annotated[ArrayLike, Index("E", below="n_nodes")],
    "receivers": Annotated[ArrayLike, Index("E", below="n_nodes")],
}


def _checked_edges(
    owner: str, senders: Any, receivers: Any, names: Sequence[str]
) -> tuple[list[int], list[int]]:
    """The ends of at least one edge, each pair of them once."""
    given = {"n_nodes": len(names), "senders": senders, "receivers": receivers}
    Arguments(owner, _EDGES, {}).read(given)
    start, stop = given["senders"].tolist(), given["receivers"].tolist()
    if not start:
        raise ValueError(
            f"{owner}: senders and receivers hold no edge but at least one is expected; "
            "senders=[1], receivers=[0] is the edge from node 1 to node 0."
        )
    first: dict[tuple[int, int], int] = {}
    for e, (j, i) in enumerate(zip(start, stop, strict=True)):
        if first.setdefault((j, i), e) != e:
            raise ValueError(
                f"{owner}: edge {e} runs from {names[j]!r} (node {j}) to {names[i]!r} (node {i}), "
                f"as edge {first[j, i]} does, but each edge is expected once; leave one out."
            )
    return start, stop


def _checked_scores(owner: str, scores: Any, n_edges: int) -> dict[str, FloatArray]:
    """The scores of each mechanism, of shape (E, n_heads)."""
    if not isinstance(scores, Mapping):
        raise TypeError(
            f"{owner}: scores must be a mapping of mechanisms to scores, "
            f'got {type(scores).__name__}; write {{"dot": scores}}.'
        )
    if not scores:
        raise ValueError(
            f'{owner}: scores must have at least one mechanism, got none; write {{"dot": scores}}.'
        )
    tables = {}
    for name, given in scores.items():
        if not isinstance(name, str):
            raise TypeError(
                f"{owner}: each key of scores must be text, got {type(name).__name__}; "
                'write {"dot": scores}.'
            )
        if not name.strip():
            raise ValueError(
                f"{owner}: each key of scores must name a mechanism, got {name!r}; "
                'write a word, as in {"dot": scores}.'
            )
        what = f'scores["{name}"]'
        is_column = np.ndim(array_of(REAL, owner, what, given, "(E, n_heads)")) == 1
        table = checked_array(
            owner, what, given, (n_edges,) if is_column else (n_edges, "n_heads"), masked=True
        )
        tables[str(name)] = table.reshape(n_edges, -1)
    return tables


def _checked_notes(owner: str, notes: Any, mechanisms: list[str]) -> dict[str, str]:
    """The note of each mechanism that has one."""
    if notes is None:
        return {}
    if not isinstance(notes, Mapping):
        raise TypeError(
            f"{owner}: notes must be a mapping of mechanisms to text, got {type(notes).__name__}; "
            f'write {{"{mechanisms[0]}": "a short line"}}.'
        )
    for name, note in notes.items():
        Choice(*mechanisms, hint="it is a key of scores").check(owner, "each key of notes", name)
        if not isinstance(note, str):
            raise TypeError(
                f'{owner}: notes["{name}"] must be text, got {type(note).__name__}; '
                "leave out a mechanism that has no note."
            )
    return dict(notes)


def _checked_topics(owner: str, wants: Any, knows: Any, n: int) -> tuple[list[str], list[str]]:
    """What each node wants and knows: both for all nodes, or neither."""
    if wants is None and knows is None:
        return [], []
    for name, other, given in (("wants", "knows", wants), ("knows", "wants", knows)):
        if given is None:
            raise ValueError(f"{owner}: {other} is given without {name}; give both or neither.")
    wanted, known = (
        Words(f"a list of n_nodes={n} words", counts=[n]).check(owner, name, given)
        for name, given in (("wants", wants), ("knows", knows))
    )
    return wanted, known


def _tall(points: FloatArray) -> int:
    """The height of the drawing in hundredths of its width."""
    across, up = np.ptp(points, axis=0).tolist()
    return round(min(TALLEST, 100 * up / across)) if across else TALLEST if up else 0
