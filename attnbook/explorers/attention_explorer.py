"""Any tensor of attention scores: pick a slice and a token, see where the weight goes."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import traitlets

from attnbook.explorers._base import (
    Address,
    ArrayTrait,
    Checked,
    Explorer,
    Fixed,
    Temperature,
    checked_array,
    checked_words,
    entries,
    script,
    style,
)
from attnutils._checks import REAL, BoolArray, Choice, FloatArray, Int, Number, array_of
from attnutils.masks import causal_mask, padding_mask
from attnutils.normalize import entropy, masked_softmax
from attnutils.worked_example import KEYS, WORDS

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["AttentionExplorer"]

MOST_TOKENS = 32
MOST_SENTENCES = 8
MOST_ENTRIES = 64  # of a leading axis that is the only one
MOST_SLICES = 144  # of all leading axes together
MOST_ABREAST = 16  # small maps in a line, and lines of two axes


def _checked_sentence(widget: AttentionExplorer, x: Any) -> str | None:
    return _checked_name(type(widget).__name__, x, [each["name"] for each in widget.sentences])


def _checked_name(owner: str, x: Any, names: list[Any]) -> str | None:
    if names != [None]:
        return Choice(*names, hint="it is a name in tokens").check(owner, "sentence", x)
    if x is not None:
        raise ValueError(
            f"{owner}: sentence must be None where there is one without a name, got {x!r}; "
            "a mapping of tokens gives names."
        )
    return None


def _checked_index(widget: AttentionExplorer, x: Any) -> list[int]:
    owner, leading = type(widget).__name__, widget.scores.shape[:-2]
    given = _checked_list(owner, "index", x, "leading axis")
    if len(given) != len(leading):
        raise ValueError(
            f"{owner}: index has {len(given)} entries but scores has {len(leading)} leading axes."
        )
    return [
        Int(0, "it chooses a slice", size - 1).check(owner, f"index[{axis}]", i)
        for axis, (i, size) in enumerate(zip(given, leading, strict=True))
    ]


def _checked_token(widget: AttentionExplorer, x: Any) -> int:
    hint = "it is the index of a token"
    return Int(0, hint, len(widget.tokens) - 1).check(type(widget).__name__, "token", x)


def _checked_mask(widget: AttentionExplorer, x: Any) -> str:
    hint = "causal needs as many queries as keys, padding needs n_real"
    return Choice(*widget.masks, hint=hint).check(type(widget).__name__, "mask", x)


def _checked_order(widget: AttentionExplorer, x: Any) -> list[int]:
    owner, own = type(widget).__name__, list(range(len(widget.tokens)))
    order = [
        Int(0, "it is the index of a token", len(own) - 1).check(owner, f"order[{place}]", i)
        for place, i in enumerate(_checked_list(owner, "order", x, "token"))
    ]
    if sorted(order) != own:
        raise ValueError(
            f"{owner}: order must hold each index from 0 to {own[-1]} once, got {order}."
        )
    if widget.key_tokens and order != own:
        raise ValueError(
            f"{owner}: order cannot be changed where key_tokens are given; "
            "only tokens that are their own keys move together."
        )
    # Noted here, so that it holds before observers run: sentence and order may come together.
    widget._ordered = widget.sentence
    return order


def _checked_list(owner: str, name: str, x: Any, each: str) -> list[Any]:
    given = entries(x)
    if given is None:
        raise TypeError(
            f"{owner}: {name} must be a list of integers, one for each {each}, "
            f"got {type(x).__name__}."
        )
    return given


class AttentionExplorer(Explorer):
    """Look around in a tensor of scores: a heatmap of weights, arcs, and one token's row as bars.

    Each leading axis has a control, and its slices show as small maps. The temperature, the mask
    and the order of the tokens can be changed. The causal mask goes by place, and stays where it
    is in a shuffle; padding goes with its tokens. The traits move the widget, and the widget moves
    the traits: `explorer.temperature = 0.2`. Tokens, axes and `n_real` stay as they were given.
    `weights` and `entropy` are computed by attnutils.

    Several sentences are mappings with the same names: their tokens, and their scores. Their
    lengths may differ, their leading axes may not.

    Parameters
    ----------
    tokens : sequence of str, or mapping of str to sequence of str
        The n_q tokens that ask, 2 to 32; of each of at most 8 sentences.
    scores : array_like of shape (axis..., n_q, n_k), or mapping of str to array_like
        Raw scores. -inf is a score that is masked already. One axis has at most 64 entries, two
        have at most 16 each and 144 together.
    sentence : str, optional
        The name of the sentence at the start; the first by default.
    key_tokens : sequence of str, optional
        The n_k tokens that are asked, 2 to 32. Without them, and in each of several sentences,
        these are `tokens`.
    axes : sequence of str, or mapping of str to sequence, default ()
        A name for each leading axis, two at most. With a mapping each name comes with the labels
        of the axis: text makes a list to choose from, numbers make a slider.
    index : sequence of int, optional
        The slice at the start, an index for each leading axis; the first slice by default.
    token : int, default 0
        Index of the token whose row is shown.
    temperature : float, default 1.0
        At least 0; infinity is uniform.
    mask : {"none", "causal", "padding"}
        causal needs n_q = n_k, padding needs `n_real`.
    n_real : int, optional
        How many of the key tokens are real; the rest is padding. Not with several sentences.
    value_norms : array_like of shape (axis..., n_k), or mapping of str to array_like, optional
        The lengths of what each key hands on. With them the reader may turn to weight times length.
    by_length : bool, default False
        Whether shares of weight times length are shown, in place of weights; only with
        `value_norms`.

    Attributes
    ----------
    sentence : str or None
        Another one keeps the slice, the temperature and the mask, and the token where it has one
        at that index. Its tokens stand in their own order, unless
        another order is set together with it.
    tokens : list of str
        Of the sentence now.
    scores : ndarray of shape (axis..., n_q, n_k)
        Of the sentence now. New ones must have the same shape.
    order : list of int
        The order in which the tokens stand. Only tokens that are their own keys can be shuffled.
    weights : ndarray of shape (n_q, n_k)
        The weights of the slice, in the order of `tokens`.
    shares : ndarray of shape (n_q, n_k)
        What is shown: the weights, or with `by_length` the products of weight and length, divided
        by their sum over the keys.
    entropy : float
        Of the weights of the chosen token's row, in bits.

    Raises
    ------
    ValueError, TypeError
        If shapes, types or names do not fit.

    Examples
    --------
    >>> scores = [[[2, 1], [1, 3]], [[0, 5], [5, 0]]]
    >>> explorer = AttentionExplorer(["Reads", "Book"], scores, axes={"head": ["own", "other"]})
    >>> explorer.weights.round(3)
    array([[0.731, 0.269],
           [0.119, 0.881]])
    >>> explorer.index, explorer.temperature = [1], 0
    >>> explorer.weights
    array([[0., 1.],
           [1., 0.]])

    >>> tokens = {"short": ["Reads", "Book"], "long": ["Child", "Reads", "Book"]}
    >>> scores = {"short": [[2, 1], [1, 3]], "long": [[1, 0, 0], [5, 1, 5], [0, 9, 0]]}
    >>> explorer = AttentionExplorer(tokens, scores, temperature=0)
    >>> explorer.sentence = "long"
    >>> explorer.weights
    array([[1. , 0. , 0. ],
           [0.5, 0. , 0.5],
           [0. , 1. , 0. ]])
    """

    _esm = script("attention_explorer")
    _css = style("attention_explorer")
    _first = "sentence"  # it says which tokens there are

    #: For each sentence its name and its tokens. One that stands alone has None as its name.
    address = Address("explorer")
    sentences = Fixed()
    #: Empty where the tokens are their own keys.
    key_tokens = Fixed()
    #: The scores of all sentences, one after the other, as a flat array: how long each part is
    #: follows from the tokens and the axes.
    score_table = ArrayTrait(masked=True)
    #: For each leading axis its name, its labels as text, and whether to choose from a list.
    #: The lengths of what the keys hand on, alike; empty where none were given.
    norm_table = ArrayTrait()
    axes = Fixed()
    masks = Fixed()
    n_real = Fixed()
    sentence = Checked(None, _checked_sentence)
    index = Checked((), _checked_index)
    token = Checked(0, _checked_token)
    temperature = Temperature()
    mask = Checked("none", _checked_mask)
    order = Checked((), _checked_order)
    by_length = traitlets.Bool(False).tag(sync=True, moved=True)
    #: What the style makes heights and columns of.
    sizes = Fixed()

    def __init__(
        self,
        tokens: Sequence[str] | Mapping[str, Sequence[str]],
        scores: object,
        *,
        sentence: str | None = None,
        key_tokens: Sequence[str] | None = None,
        axes: Sequence[str] | Mapping[str, Sequence[object]] = (),
        index: Sequence[int] | None = None,
        token: int = 0,
        temperature: float = 1.0,
        mask: str = "none",
        n_real: int | None = None,
        value_norms: object = None,
        by_length: bool = False,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        given = _paired(owner, tokens, scores)
        if None not in given:
            for name, value in {"key_tokens": key_tokens, "n_real": n_real}.items():
                if value is not None:
                    raise ValueError(
                        f"{owner}: {name} must be None where tokens is a mapping, got {value!r}; "
                        "make an explorer for each sentence."
                    )
        texts = {
            name: checked_words(owner, words, _entry("tokens", name), MOST_TOKENS)
            for name, (words, _) in given.items()
        }
        if key_tokens is not None:
            key_tokens = checked_words(owner, key_tokens, "key_tokens", MOST_TOKENS)
        named = _checked_axes(owner, axes)
        tensors = {
            name: _checked_scores(
                owner,
                _entry("scores", name),
                numbers,
                named,
                len(texts[name]),
                len(key_tokens or texts[name]),
            )
            for name, (_, numbers) in given.items()
        }
        leading = _common_leading(owner, tensors)
        names = list(texts)
        norms: list[FloatArray] = [np.empty(0)]
        if value_norms is not None:
            norms = [
                _checked_norms(owner, name, each, (*leading, tensors[name].shape[-1]))
                for name, (_, each) in _paired(owner, tokens, value_norms, "value_norms").items()
            ]
        start = names[0] if sentence is None else _checked_name(owner, sentence, names)
        n_q, n_k = tensors[names[0]].shape[-2:]
        if n_real is not None:
            hint = "it counts the keys before the padding"
            n_real = Int(0, hint, n_k).check(owner, "n_real", n_real)
        offered = {"none": True, "causal": n_q == n_k, "padding": n_real is not None}
        masks = [name for name, there in offered.items() if there]
        described = _described(owner, named, leading)
        super().__init__(
            sentences=[{"name": name, "tokens": words} for name, words in texts.items()],
            key_tokens=key_tokens or [],
            score_table=np.concatenate([tensor.ravel() for tensor in tensors.values()]),
            norm_table=np.concatenate([each.ravel() for each in norms]),
            axes=described,
            masks=masks,
            n_real=n_real,
            sentence=start,
            index=[0] * len(leading) if index is None else index,
            token=token,
            temperature=temperature,
            mask=mask,
            order=list(range(len(texts[start]))),
            by_length=by_length,
            sizes=_sizes(list(texts.values()), key_tokens, described),
            **kwargs,
        )

    @classmethod
    def example(cls, words: Sequence[str] = WORDS) -> Self:
        """An explorer with these words, and the scores and lengths of the worked example's keys."""
        n = len(words)
        keys = np.resize(KEYS, (n, 3))
        lengths = np.linalg.norm(keys, axis=-1)
        return cls(words, keys @ keys.T, token=n - 1, value_norms=lengths)

    @traitlets.observe("sentence")
    def _start_in_order(self, change: Any) -> None:
        n_q = len(self.tokens)
        if self.token >= n_q:
            self.token = 0
        if self._ordered != self.sentence:
            self.order = list(range(n_q))

    @property
    def tokens(self) -> list[str]:
        """The tokens of the sentence now."""
        texts: dict[str | None, list[str]] = {x["name"]: x["tokens"] for x in self.sentences}
        return texts[self.sentence]

    @property
    def scores(self) -> FloatArray:
        """The raw scores of the sentence now, of shape (axis..., n_q, n_k)."""
        part, shape = self._place()
        return self.score_table[part].reshape(shape)

    @scores.setter
    def scores(self, scores: object) -> None:
        part, shape = self._place()
        table = self.score_table.copy()
        checked = checked_array(type(self).__name__, "scores", scores, shape, masked=True)
        table[part] = checked.ravel()
        self.score_table = table

    def _place(self, *, norms: bool = False) -> tuple[slice, tuple[int, ...]]:
        """Where the scores, or norms, of the sentence stand in their table, and their shape."""
        leading = [len(axis["labels"]) for axis in self.axes]
        start = 0
        for each in self.sentences:
            n_q = len(each["tokens"])
            n_k = len(self.key_tokens) or n_q
            shape = (*leading, n_k) if norms else (*leading, n_q, n_k)
            stop = start + math.prod(shape)
            if each["name"] == self.sentence:
                break
            start = stop
        return slice(start, stop), shape

    @property
    def may_attend(self) -> BoolArray:
        """The mask in use now, of shape (n_q, n_k), in the order of `tokens`; True = may attend."""
        n_q, n_k = self.scores.shape[-2:]
        if self.mask == "causal":
            places = np.argsort(self.order)
            return causal_mask(n_q)[np.ix_(places, places)]
        if self.mask == "padding":
            return np.broadcast_to(padding_mask(self.n_real or 0, n_k), (n_q, n_k))
        return np.ones((n_q, n_k), dtype=np.bool_)

    @property
    def weights(self) -> FloatArray:
        """The weights of the slice now, of shape (n_q, n_k), in the order of `tokens`."""
        scores = self.scores[tuple(self.index)]
        return masked_softmax(scores, self.may_attend, temperature=self.temperature)

    @property
    def _is_long(self) -> bool:
        return self.by_length and self.norm_table.size > 0

    @property
    def shares(self) -> FloatArray:
        """What is shown now, of the shape of `weights`: these, or shares of weight times length."""
        if not self._is_long:
            return self.weights
        part, shape = self._place(norms=True)
        lengths = self.weights * self.norm_table[part].reshape(shape)[tuple(self.index)]
        total = lengths.sum(axis=-1, keepdims=True)
        found: FloatArray = lengths / np.where(total > 0, total, 1)
        return found

    @property
    def entropy(self) -> float:
        """The entropy of the chosen token's row now, in bits."""
        return float(entropy(self.weights[self.token]))

    def __repr__(self) -> str:
        names = [axis["name"] for axis in self.axes]
        which = "" if self.sentence is None else f"sentence={self.sentence!r}, "
        at = "".join(f"{name}={i}, " for name, i in zip(names, self.index, strict=True))
        return (
            f"AttentionExplorer({len(self.tokens)} tokens, {which}{at}"
            f"token={self.tokens[self.token]!r}, temperature={self.temperature:g}, "
            f"mask={self.mask!r})"
        )

    def _picture(self) -> Figure:
        from attnbook.explorers.pictures._drawing import short
        from attnbook.explorers.pictures.attention_explorer import explorer_picture

        where = [
            f"{axis['name']} {axis['labels'][i]}"
            for axis, i in zip(self.axes, self.index, strict=True)
        ]
        masked = [] if self.mask == "none" else [f"mask {self.mask}"]
        shown = ["weight × length"] if self._is_long else []
        title = ", ".join([*where, *masked, *shown, f"temperature {short(self.temperature)}"])
        is_open = self.may_attend & ~np.isneginf(self.scores[tuple(self.index)])
        keys = self.key_tokens or self.tokens
        columns = list(range(len(keys))) if self.key_tokens else self.order
        at = np.ix_(self.order, columns)
        return explorer_picture(
            title[0].upper() + title[1:],
            [self.tokens[i] for i in self.order],
            [keys[j] for j in columns],
            self.shares[at],
            is_open[at],
            self.order.index(self.token),
        )


def _entry(argument: str, name: str | None) -> str:
    """What a message calls the tokens or the scores of a sentence."""
    return argument if name is None else f'{argument}["{name}"]'


def _paired(
    owner: str, tokens: Any, scores: Any, what: str = "scores"
) -> dict[str | None, tuple[Any, Any]]:
    """The tokens and the scores of each sentence by its name; None for one without a name."""
    are_mappings = [isinstance(given, Mapping) for given in (tokens, scores)]
    if not any(are_mappings):
        return {None: (tokens, scores)}
    if not all(are_mappings):
        raise TypeError(
            f"{owner}: tokens and {what} must both be mappings of sentences, or neither, "
            f"got {type(tokens).__name__} and {type(scores).__name__}."
        )
    for name in tokens:
        if not isinstance(name, str) or not name.strip():
            raise TypeError(f"{owner}: each name in tokens must be text, got {name!r}.")
    if not 1 <= len(tokens) <= MOST_SENTENCES:
        raise ValueError(
            f"{owner}: tokens has {len(tokens)} sentences but 1 to {MOST_SENTENCES} are expected."
        )
    if set(tokens) != set(scores):
        raise ValueError(
            f"{owner}: {what} has the sentences {list(scores)} but tokens has {list(tokens)}; "
            "their names must be the same."
        )
    return {str(name): (tokens[name], scores[name]) for name in tokens}


def _checked_norms(
    owner: str, name: str | None, norms: object, shape: tuple[int, ...]
) -> FloatArray:
    what = _entry("value_norms", name)
    array = checked_array(owner, what, norms, shape)
    if (array < 0).any():
        raise ValueError(f"{owner}: {what} must hold lengths, at least 0, got {array.min():g}.")
    return array


def _common_leading(owner: str, tensors: Mapping[str | None, FloatArray]) -> tuple[int, ...]:
    """The leading axes of the scores, which all sentences share."""
    (first, wanted), *rest = ((name, tensor.shape[:-2]) for name, tensor in tensors.items())
    for name, leading in rest:
        if leading != wanted:
            raise ValueError(
                f"{owner}: {_entry('scores', name)} has leading axes {leading} "
                f"but {_entry('scores', first)} has {wanted}; they must be the same."
            )
    return wanted


def _checked_axes(owner: str, axes: object) -> dict[str, list[object] | None]:
    """The labels of each leading axis by its name; None where there are none."""
    if isinstance(axes, str) or not isinstance(axes, Mapping | Sequence):
        raise TypeError(
            f"{owner}: axes must be a sequence of names, or a mapping of names to labels, "
            f"got {type(axes).__name__}."
        )
    for name in axes:
        if not isinstance(name, str) or not name:
            raise TypeError(f"{owner}: each name in axes must be text, got {name!r}.")
    if len(set(axes)) < len(axes):
        raise ValueError(f"{owner}: axes must have different names, got {axes!r}.")
    if len(axes) > 2:
        raise ValueError(f"{owner}: axes must have at most 2 names, got {len(axes)}.")
    if not isinstance(axes, Mapping):
        return {str(name): None for name in axes}
    return {str(name): _checked_labels(owner, name, given) for name, given in axes.items()}


def _checked_labels(owner: str, name: str, given: object) -> list[object]:
    """The labels of one leading axis: all text, or all finite numbers."""
    labels = entries(given)
    if labels is not None and all(isinstance(label, str) for label in labels):
        return labels
    if labels is None or not all(
        isinstance(label, numbers.Real) and not isinstance(label, bool) for label in labels
    ):
        raise TypeError(
            f"{owner}: the labels of {name} in axes must be a list, all text or all numbers, "
            f"got {given!r}."
        )
    largest, hint = sys.float_info.max, "write any other label as text"
    what = f"each label of {name} in axes"
    return [Number(-largest, hint, largest).check(owner, what, label) for label in labels]


def _checked_scores(
    owner: str, what: str, scores: object, axes: Mapping[str, object], n_q: int, n_k: int
) -> FloatArray:
    """The scores as an array of shape (axis..., n_q, n_k)."""
    expected = f"({', '.join([*axes, 'n_q', 'n_k'])})"
    given = array_of(REAL, owner, what, scores, expected)
    if given.ndim != len(axes) + 2:
        raise ValueError(
            f"{owner}: {what} has shape {given.shape} but {expected} is expected; "
            "axes has a name for each leading axis."
        )
    array = checked_array(owner, what, given, (*axes, n_q, n_k), masked=True)
    leading = array.shape[:-2]
    slices, most = math.prod(leading), MOST_ENTRIES if len(leading) == 1 else MOST_ABREAST
    if max(leading, default=1) > most or slices > MOST_SLICES:
        raise ValueError(
            f"{owner}: {what} has shape {array.shape} with {slices} slices; at most "
            f"{most} entries an axis and {MOST_SLICES} slices in all can be shown."
        )
    return array


def _described(
    owner: str, axes: Mapping[str, list[object] | None], sizes: tuple[int, ...]
) -> list[dict[str, Any]]:
    """Each leading axis with its labels as text, and whether these make a list to choose from."""
    described = []
    for (name, given), size in zip(axes.items(), sizes, strict=True):
        labels = list(range(size)) if given is None else given
        if len(labels) != size:
            raise ValueError(
                f"{owner}: axes has {len(labels)} labels for {name} but scores has {size} "
                "entries along that axis."
            )
        are_words = isinstance(labels[0], str)
        texts = [str(x) if are_words else f"{x:.12g}".replace("-", "−") for x in labels]
        described.append({"name": name, "labels": texts, "choose": are_words})
    return described


def _sizes(
    texts: Sequence[Sequence[str]], key_tokens: Sequence[str] | None, axes: list[dict[str, Any]]
) -> dict[str, int]:
    """What the style makes heights and columns of, by the names that it has for them.

    Of several sentences the largest counts, so that what follows on the page stays in its place.
    """
    keys = [key_tokens] if key_tokens else texts
    labels = [axis["labels"] for axis in axes]
    across = labels[-1] if labels else []
    down = labels[0] if len(labels) == 2 else []
    lines, columns = max(1, len(down)), max(1, len(across))
    if not down and columns > MOST_ABREAST:  # one axis in several lines, named by their first
        lines = math.ceil(columns / MOST_ABREAST)
        columns = math.ceil(columns / lines)
        down = across[::columns]
    return {
        "queries": max(map(len, texts)),
        "keys": max(map(len, keys)),
        "letters": max(len(key) for words in keys for key in words),
        "axes": len(axes) if math.prod(map(len, labels)) > 1 else 0,  # no small maps of one slice
        "lines": lines,
        "columns": columns,
        "side": max((len(label) for label in down), default=0),
        "words": int(bool(axes) and axes[-1]["choose"]),
    }
