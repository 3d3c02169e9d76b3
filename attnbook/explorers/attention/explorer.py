"""Any tensor of attention scores: pick a slice and a token, see where the weight goes."""

from __future__ import annotations

import math
import numbers
import sys
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import traitlets

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import (
    Address,
    Array,
    Setting,
    Temperature,
    Trait,
    checked_array,
    checked_order,
    entries,
    word_list,
)
from attnutils._checks import REAL, BoolArray, Choice, Flag, FloatArray, Int, Number, array_of
from attnutils.masks import causal_mask, padding_mask
from attnutils.normalize import entropy, masked_softmax

__all__ = ["AttentionExplorer"]

MOST_TOKENS = 32
MOST_SENTENCES = 8
MOST_ENTRIES = 64  # of a leading axis that is the only one
MOST_OF_TWO = 16  # of each of two
MOST_SLICES = 144  # of all leading axes together


def _fits_sentence(widget: AttentionExplorer, x: Any) -> str | None:
    owner, names = type(widget).__name__, [each["name"] for each in widget.sentences]
    if names != [None]:
        hint = "it is a name in tokens"
        return str(Choice(*names, hint=hint).check(owner, "sentence", names[0] if x is None else x))
    if x is not None:
        raise ValueError(
            f"{owner}: sentence must be None where there is one without a name, got {x!r}; "
            "a mapping of tokens gives names."
        )
    return None


def _fits_index(widget: AttentionExplorer, x: Any) -> list[int]:
    owner, sizes = type(widget).__name__, [len(axis["labels"]) for axis in widget.axes]
    given = [0] * len(sizes) if x is None else entries(x)
    if given is None or len(given) != len(sizes):
        raise (TypeError if given is None else ValueError)(
            f"{owner}: index must be a list of {len(sizes)} integers, one for each leading axis "
            f"of scores, got {x!r}."
        )
    return [
        int(Int(0, "it chooses a slice", size - 1).check(owner, f"index[{axis}]", i))
        for axis, (i, size) in enumerate(zip(given, sizes, strict=True))
    ]


def _fits_token(widget: AttentionExplorer, x: Any) -> int:
    last = len(widget.tokens) - 1
    option = Int(0, "it is the index of a token", last)
    return int(option.check(type(widget).__name__, "token", x))


def _fits_mask(widget: AttentionExplorer, x: Any) -> str:
    hint = "causal needs as many queries as keys, padding needs n_real"
    return str(Choice(*widget.masks, hint=hint).check(type(widget).__name__, "mask", x))


def _fits_order(widget: AttentionExplorer, x: Any) -> list[int]:
    owner, n = type(widget).__name__, len(widget.tokens)
    hint = "it is the order in which the tokens stand"
    order = [*range(n)] if x is None else checked_order(owner, "order", x, n, hint)
    if widget.key_tokens and order != sorted(order):
        raise ValueError(
            f"{owner}: order cannot be changed where key_tokens are given; "
            "only tokens that are their own keys move together."
        )
    # Noted here, so that it holds before observers run: sentence and order may come together.
    widget._ordered = widget.sentence
    return order


class AttentionExplorer(Explorer):
    """Look around in a tensor of scores: a map of weights, and arcs from the token that asks.

    Two leading axes, or one with numbers, are a wall with a tile for each slice; one with texts is
    a choice. Temperature, mask and order of the tokens can be changed. The causal mask goes by
    place, and stays where it is in a shuffle; padding goes with its tokens. Several sentences are
    mappings with the same names: their tokens, and their scores. Their lengths may differ, their
    leading axes may not. Another sentence keeps what it can; its tokens stand in their own order,
    unless another is set together with it.

    Parameters
    ----------
    tokens : sequence of str, or mapping of str to sequence of str
        The n_q tokens that ask, 2 to 32; of each of at most 8 sentences.
    scores : array_like of shape (axis..., n_q, n_k), or mapping of str to array_like
        Raw scores. -inf is a score that is masked already. One axis has at most 64 entries, two
        have at most 16 each and 144 together.
    key_tokens : sequence of str, optional
        The n_k tokens that are asked, 2 to 32, in their place. Not with several sentences.
    axes : sequence of str, or mapping of str to sequence, default ()
        A name for each leading axis, two at most; with a mapping, each with its labels, all texts
        or all numbers.
    n_real : int, optional
        How many of the key tokens are real; the rest is padding. Not with several sentences.
    value_norms : array_like of shape (axis..., n_k), or mapping of str to array_like, optional
        The lengths of what each key hands on, for `by_length`.
    elsewhere : tuple of (str, str), optional
        A link behind the menu of the sentences: its text, and the place on the page, "#name".
    sentence : str, optional
        The name of the sentence; the first by default.
    index : sequence of int, optional
        The slice, an index for each leading axis; the first by default.
    token : int, default 0
        Index of the token that asks.
    temperature : float, default 1.0
        At least 0; infinity is uniform.
    mask : {"none", "causal", "padding"}
        causal needs n_q = n_k, padding needs `n_real`.
    order : sequence of int, optional
        The order in which the tokens stand. Only tokens that are their own keys can be shuffled.
    by_length : bool, default False
        Whether `shares` are of weight times length, in place of weights; only with `value_norms`.

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
    """

    _first = "sentence"  # it says which tokens there are

    address = Address("explorer")
    #: For each sentence its name and its tokens. One that stands alone has None as its name.
    sentences = Trait()
    #: Empty where the tokens are their own keys.
    key_tokens = Trait()
    #: For each leading axis its name, its labels as text, and whether these were texts.
    axes = Trait()
    masks = Trait()
    n_real = Trait()
    elsewhere = Trait()
    #: The scores of all sentences, one after the other, flat; the lengths alike, or none.
    score_table = Array("scores", masked=True)
    norm_table = Array("norms", default=None)
    sentence = Trait(None, address="sentence", check=_fits_sentence)
    index = Trait(None, address="at", check=_fits_index)
    token = Trait(0, address="token", check=_fits_token)
    temperature = Temperature()
    mask = Trait("none", address="mask", check=_fits_mask)
    order = Trait(None, address="order", check=_fits_order)
    by_length = Setting(Flag("it says what is shown"), False, address="length")

    def __init__(
        self,
        tokens: Sequence[str] | Mapping[str, Sequence[str]],
        scores: object,
        *,
        key_tokens: Sequence[str] | None = None,
        axes: Sequence[str] | Mapping[str, Sequence[object]] = (),
        n_real: int | None = None,
        value_norms: object = None,
        elsewhere: tuple[str, str] | None = None,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        texts, tables = _by_sentence(owner, tokens, scores=scores, value_norms=value_norms)
        for alone, value in {"key_tokens": key_tokens, "n_real": n_real}.items():
            if value is not None and None not in texts:
                raise ValueError(
                    f"{owner}: {alone} must be None where tokens is a mapping, got {value!r}; "
                    "make an explorer for each sentence."
                )
        keys = texts
        if key_tokens is not None:
            keys = {None: word_list(owner, "key_tokens", key_tokens, 2, MOST_TOKENS)}
        labels = _checked_labels(owner, axes)
        leading: tuple[int | str, ...] = tuple(labels)
        made: list[FloatArray] = []
        for name, table in tables["scores"].items():
            shape = (*leading, len(texts[name]), len(keys[name]))
            made.append(_checked_scores(owner, _entry("scores", name), table, shape))
            leading = made[-1].shape[:-2]  # the same in all sentences
        norms: list[FloatArray] = []
        for name, table in tables["value_norms"].items():
            what = _entry("value_norms", name)
            norms.append(checked_array(owner, what, table, (*leading, len(keys[name]))))
            if norms[-1].min() < 0:
                raise ValueError(
                    f"{owner}: {what} must hold lengths, at least 0, got {norms[-1].min():g}."
                )
        n_q, n_k = made[0].shape[-2:]
        if n_real is not None:
            hint = "it counts the keys before the padding"
            n_real = Int(0, hint, n_k).check(owner, "n_real", n_real)
        offered = {"none": True, "causal": n_q == n_k, "padding": n_real is not None}
        if elsewhere is not None and not (
            isinstance(elsewhere, tuple)
            and len(elsewhere) == 2
            and all(isinstance(part, str) for part in elsewhere)
            and elsewhere[1].startswith("#")
        ):
            raise TypeError(
                f"{owner}: elsewhere must be a text and a place on the page, as in "
                f"('Another', '#name'), got {elsewhere!r}."
            )
        super().__init__(
            sentences=[{"name": name, "tokens": words} for name, words in texts.items()],
            key_tokens=keys[None] if key_tokens is not None else [],
            axes=_described(owner, labels, made[0].shape[:-2]),
            masks=[name for name, there in offered.items() if there],
            n_real=n_real,
            elsewhere=elsewhere and [*elsewhere],
            score_table=np.concatenate([table.ravel() for table in made]),
            norm_table=np.concatenate([table.ravel() for table in norms]) if norms else None,
            **kwargs,
        )

    @traitlets.observe("sentence")
    def _start_in_order(self, change: Any) -> None:
        if self.token >= len(self.tokens):
            self.token = 0
        if self._ordered != self.sentence:
            self.order = None

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
        start = stop = 0
        shape: tuple[int, ...] = ()
        for each in self.sentences:
            n_q = len(each["tokens"])
            n_k = len(self.key_tokens) or n_q
            leading = [len(axis["labels"]) for axis in self.axes]
            shape = (*leading, n_k) if norms else (*leading, n_q, n_k)
            start, stop = stop, stop + math.prod(shape)
            if each["name"] == self.sentence:
                break
        return slice(start, stop), shape

    @property
    def may_attend(self) -> BoolArray:
        """The mask in use now, of shape (n_q, n_k), in the order of `tokens`; True = may attend."""
        n_q, n_k = self.scores.shape[-2:]
        if self.mask == "causal":
            positions = np.argsort(self.order)
            return causal_mask(n_q)[np.ix_(positions, positions)]
        if self.mask == "padding":
            return np.broadcast_to(padding_mask(self.n_real or 0, n_k), (n_q, n_k))
        return np.ones((n_q, n_k), dtype=np.bool_)

    @property
    def weights(self) -> FloatArray:
        """The weights of the slice now, of shape (n_q, n_k), in the order of `tokens`."""
        scores = self.scores[tuple(self.index)]
        return masked_softmax(scores, self.may_attend, temperature=self.temperature)

    @property
    def shares(self) -> FloatArray:
        """What is shown now, of the shape of `weights`: these, or shares of weight times length."""
        if not (self.by_length and self.norm_table.size):
            return self.weights
        part, shape = self._place(norms=True)
        lengths = self.weights * self.norm_table[part].reshape(shape)[tuple(self.index)]
        total = lengths.sum(axis=-1, keepdims=True)
        found: FloatArray = lengths / np.where(total > 0, total, 1)
        return found

    @property
    def entropy(self) -> float:
        """The entropy of the weights of the token that asks now, in bits."""
        return float(entropy(self.weights[self.token]))


# -- what the constructor is given -----------------------------------------------------------


def _entry(argument: str, name: str | None) -> str:
    """What a message calls the tokens or the scores of a sentence."""
    return argument if name is None else f'{argument}["{name}"]'


def _by_sentence(
    owner: str, tokens: Any, **tables: Any
) -> tuple[dict[str | None, list[str]], dict[str, dict[str | None, Any]]]:
    """The tokens and the tables of each sentence by its name; None for one without a name."""
    are_named = isinstance(tokens, Mapping)
    given: dict[str | None, Any] = dict(tokens) if are_named else {None: tokens}
    if are_named and not all(isinstance(name, str) and name.strip() for name in given):
        raise TypeError(f"{owner}: each name in tokens must be text, got {[*given]}.")
    if not 1 <= len(given) <= MOST_SENTENCES:
        raise ValueError(
            f"{owner}: tokens has {len(given)} sentences but 1 to {MOST_SENTENCES} are expected."
        )
    found: dict[str, dict[str | None, Any]] = {}
    for what, table in tables.items():
        if table is not None and isinstance(table, Mapping) != are_named:
            raise TypeError(
                f"{owner}: tokens and {what} must both be mappings of sentences, or neither, "
                f"got {type(tokens).__name__} and {type(table).__name__}."
            )
        found[what] = {} if table is None else dict(table) if are_named else {None: table}
        if found[what].keys() != given.keys() and (table is not None or what == "scores"):
            raise ValueError(
                f"{owner}: {what} has the sentences {[*found[what]]} but tokens has {[*given]}; "
                "their names must be the same."
            )
        found[what] = {name: found[what][name] for name in given if name in found[what]}
    texts = {
        name: word_list(owner, _entry("tokens", name), words, 2, MOST_TOKENS)
        for name, words in given.items()
    }
    return texts, found


def _checked_scores(
    owner: str, what: str, scores: object, shape: tuple[int | str, ...]
) -> FloatArray:
    """The scores of a sentence; a letter in the shape stands for any size."""
    expected = f"({', '.join(map(str, shape))})"
    given = array_of(REAL, owner, what, scores, expected)
    if given.ndim != len(shape):
        raise ValueError(
            f"{owner}: {what} has shape {given.shape} but {expected} is expected; "
            "axes has a name for each leading axis."
        )
    array = checked_array(owner, what, given, shape, masked=True)
    leading = array.shape[:-2]
    most = MOST_ENTRIES if len(leading) == 1 else MOST_OF_TWO
    if max(leading, default=1) > most or math.prod(leading) > MOST_SLICES:
        raise ValueError(
            f"{owner}: {what} has shape {array.shape}; at most {most} entries an axis and "
            f"{MOST_SLICES} slices in all can be shown."
        )
    return array


def _checked_labels(owner: str, axes: object) -> dict[str, list[Any] | None]:
    """The labels of each leading axis by its name: all text, or all numbers; None: not given."""
    if isinstance(axes, str) or not isinstance(axes, Mapping | Sequence):
        raise TypeError(
            f"{owner}: axes must be a sequence of names, or a mapping of names to labels, "
            f"got {type(axes).__name__}."
        )
    if not all(isinstance(name, str) and name for name in axes):
        raise TypeError(f"{owner}: each name in axes must be text, got {[*axes]}.")
    if len(axes) > 2 or len(set(axes)) < len(axes):
        raise ValueError(f"{owner}: axes must have at most 2 names, all different, got {[*axes]}.")
    found: dict[str, list[Any] | None] = {}
    for name in axes:
        labels = entries(axes[name]) if isinstance(axes, Mapping) else None
        kinds = {
            str if isinstance(x, str) else isinstance(x, numbers.Real) and not isinstance(x, bool)
            for x in labels or ()
        }
        if isinstance(axes, Mapping) and kinds not in ({str}, {True}):
            raise TypeError(
                f"{owner}: the labels of {name} in axes must be a list, all text or all numbers, "
                f"got {axes[name]!r}."
            )
        if labels and kinds == {True}:
            largest, what = sys.float_info.max, f"each label of {name} in axes"
            option = Number(-largest, "write any other label as text", largest)
            labels = [option.check(owner, what, label) for label in labels]
        found[name] = labels
    return found


def _described(
    owner: str, axes: Mapping[str, list[Any] | None], sizes: tuple[int, ...]
) -> list[dict[str, Any]]:
    """Each leading axis with its labels as text, and whether these make a list to choose from."""
    described = []
    for (name, given), size in zip(axes.items(), sizes, strict=True):
        labels = [*range(size)] if given is None else given
        if len(labels) != size:
            raise ValueError(
                f"{owner}: axes has {len(labels)} labels for {name} but scores has {size} "
                "entries along that axis."
            )
        are_words = isinstance(labels[0], str)
        texts = [str(x) if are_words else f"{x:.12g}".replace("-", "−") for x in labels]
        described.append({"name": name, "labels": texts, "choose": are_words})
    return described
