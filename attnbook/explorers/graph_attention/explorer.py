"""Attention over the edges of a graph: pick a receiver, see what it hears from each sender."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any

import numpy as np
import traitlets

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import (
    Address,
    Array,
    IndexOf,
    Temperature,
    Trait,
    Words,
    checked_array,
    word_list,
)
from attnutils._checked import Arguments
from attnutils._checks import REAL, ArrayLike, Choice, FloatArray, Int, array_of, refuse
from attnutils._shapes import Index
from attnutils.normalize import entropy, masked_softmax

__all__ = ["GraphAttentionExplorer"]


def _mechanism(widget: GraphAttentionExplorer, x: Any) -> str:
    options = [each["name"] for each in widget.mechanisms]
    choice = Choice(*options, hint="it is a key of scores")
    return options[0] if x is None else choice.check(type(widget).__name__, "mechanism", x)


def _head(widget: GraphAttentionExplorer, x: Any) -> int:
    option = Int(0, f'it is a head of the mechanism "{widget.mechanism}"', widget.n_heads - 1)
    return option.check(type(widget).__name__, "head", x)


class GraphAttentionExplorer(Explorer):
    """Draw a graph and pick the node that receives: edges are as wide as their weights.

    The softmax runs over the edges that end at the receiver. Beside the drawing its senders are
    ranked by their scores. The scores can be replaced: `explorer.scores = {"dot": scores}`.

    Parameters
    ----------
    names : sequence of str
        The nodes, 2 to 24, with short names.
    positions : array_like of shape (n_nodes, 2)
        Where to draw each node, at any scale; y points up. Nodes that would overlap are moved
        apart.
    senders, receivers : array_like of int of shape (E,)
        Edge e runs from node ``senders[e]`` to node ``receivers[e]``. An edge from a node to
        itself is given like any other. Where edges have no direction, give both.
    scores : mapping of str to array_like of shape (E,) or (E, n_heads)
        Raw scores by the name of their mechanism, in the order of the edges. -inf hides an edge.
        Mechanisms may differ in their number of heads.
    notes : mapping of str to str, optional
        A short line about a mechanism, such as its formula, which is shown while it is chosen.
    wants, knows : sequence of str, optional
        What each node looks for and what it has to tell, short words, one each. The receiver shows
        what it wants, all others what they know. In the table the right one is marked.
    mechanism : str, optional
        The mechanism at the start; the first by default.
    receiver : int, default 0
        Index of the node that receives.
    head : int, default 0
        A mechanism with fewer heads takes its last one.
    temperature : float, default 1.0
        At least 0; infinity is uniform.

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

    _first = "mechanism"  # it says which heads there are

    address = Address("graph")
    names = Words(2, 24, lettered=True)
    positions = Array("names", 2, fixed=True)
    senders = Trait()
    receivers = Trait()
    wants = Trait()
    knows = Trait()
    #: For each mechanism its name, its number of heads, and its note.
    mechanisms = Trait()
    #: The heads of all mechanisms side by side, of shape (E, sum of n_heads).
    score_table = Array("senders", "columns", masked=True)
    mechanism = Trait(None, address="by", check=_mechanism)
    receiver = IndexOf("names", "nodes are counted from 0", address="node")
    head = Trait(0, address="head", check=_head)
    temperature = Temperature()

    def __init__(
        self,
        names: Sequence[str],
        positions: object,
        senders: object,
        receivers: object,
        scores: Mapping[str, object],
        *,
        notes: Mapping[str, str] | None = None,
        wants: Sequence[str] | None = None,
        knows: Sequence[str] | None = None,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        names = word_list(owner, "names", names, 2, 24, lettered=True)
        start, stop = _checked_edges(owner, senders, receivers, names)
        tables = _checked_scores(owner, scores, len(start))
        texts = _checked_notes(owner, notes, list(tables))
        given = {"wants": wants, "knows": knows}
        if wants is None and knows is None:
            given = {"wants": [], "knows": []}
        topics = {}
        for name, words in given.items():
            if words is None:
                raise ValueError(f"{owner}: give wants and knows, both or neither.")
            n = len(names) if wants is not None else 0
            topics[name] = word_list(owner, name, words, n, n)
        super().__init__(
            names=names,
            positions=positions,
            senders=start,
            receivers=stop,
            wants=topics["wants"],
            knows=topics["knows"],
            mechanisms=[
                {"name": name, "heads": table.shape[1], "note": texts.get(name, "")}
                for name, table in tables.items()
            ],
            score_table=np.hstack(list(tables.values())),
            **kwargs,
        )

    @traitlets.observe("mechanism")
    def _keep_a_head(self, change: Any) -> None:
        self.head = min(self.head, self.n_heads - 1)

    @property
    def scores(self) -> dict[str, FloatArray]:
        """The scores of each mechanism, of shape (E, n_heads)."""
        ends = np.cumsum([each["heads"] for each in self.mechanisms])[:-1]
        tables = np.split(self.score_table, ends, axis=1)
        names = [each["name"] for each in self.mechanisms]
        return dict(zip(names, tables, strict=True))

    @scores.setter
    def scores(self, scores: Mapping[str, object]) -> None:
        owner = type(self).__name__
        tables = _checked_scores(owner, scores, len(self.senders))
        heads = {name: table.shape[1] for name, table in tables.items()}
        expected = {each["name"]: each["heads"] for each in self.mechanisms}
        if heads != expected:
            raise ValueError(
                f"{owner}: scores has the mechanisms and numbers of heads {heads} "
                f"but {expected} are expected; make a new {owner} for others."
            )
        self.score_table = np.hstack([tables[name] for name in expected])

    @property
    def n_heads(self) -> int:
        """How many heads the mechanism has now."""
        return int(self.scores[self.mechanism].shape[1])

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
    text, hint = "a mapping of named mechanisms to scores", 'write {"dot": scores}'
    if not isinstance(scores, Mapping) or not all(isinstance(name, str) for name in scores):
        refuse(TypeError, owner, "scores", scores, text, hint)
    if not scores or not all(name.strip() for name in scores):
        refuse(ValueError, owner, "scores", scores, text, hint)
    tables = {}
    for name, given in scores.items():
        what = f'scores["{name}"]'
        is_column = np.ndim(array_of(REAL, owner, what, given, "(E, n_heads)")) == 1
        shape = (n_edges,) if is_column else (n_edges, "n_heads")
        tables[str(name)] = checked_array(owner, what, given, shape, masked=True).reshape(
            n_edges, -1
        )
    return tables


def _checked_notes(owner: str, notes: Any, mechanisms: list[str]) -> dict[str, str]:
    """The note of each mechanism that has one."""
    if not isinstance(notes, Mapping | None):
        hint = f'write {{"{mechanisms[0]}": "a short line"}}'
        refuse(TypeError, owner, "notes", notes, "a mapping of mechanisms to text", hint)
    for name, note in (notes or {}).items():
        Choice(*mechanisms, hint="it is a key of scores").check(owner, "each key of notes", name)
        if not isinstance(note, str):
            hint = "leave out a mechanism that has no note"
            refuse(TypeError, owner, f'notes["{name}"]', note, "text", hint)
    return dict(notes or {})
