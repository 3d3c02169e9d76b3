"""Shapes as signatures write them: what the letters mean in a call, and what does not fit.

* ``... n d``: real numbers. Leading axes broadcast; those of ``*lead n d`` are always the same.
* ``(n) d``: the axis may be missing. The formula has it in any case, the caller as it was given.
* ``n+``: at least one. ``heads*d``: cut into equal parts. ``E ...``: any axes may follow.
* ``broadcasts to ... n d``: numbers that broadcast to this shape and do not enlarge it.
* ``bool broadcasts to ... [heads] n``: a mask; if it has no axis for heads, one is put in.
* ``int E below n``: integers from 0, or ``from -1``, to n - 1; ``int E to n``: from 0 to n.
* ``axis of x``: one of the axes of x, with something along it.

What a wrong number of axes mostly comes from is told behind a semicolon.

Each kind has two parts. `read` makes an array of one argument and returns it with its shape and
dtype. `fit` compares these with those of the other arguments, and returns what is still to be done
with the array: put an axis in, broadcast, or look at values that have a limit. It knows no values,
so it is asked once for calls with the same shapes and dtypes.
"""

import math
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnutils import _shapes
from attnutils._shapes import FloatArray, IntArray

Shape = tuple[int, ...]
Kind = tuple[Shape, np.dtype[Any]]
Known = dict[str, tuple[Any, str]]
Finish = Callable[[Any], Any] | None

_SPEC = re.compile(r"(?P<lead>\.{3}|\*\w+)? ?(?P<axes>[^.]*?)(?P<rest> \.{3})?")
_AXIS = re.compile(r"(\(?)(?:(\w+)\*)?([\w']+)\)?(\+?)")
_INTEGERS = re.compile(r"int (.+?)(?: from (-1))? (below|to) (\w+)(; .*)?")
#: What letters count. The others, such as n, count positions.
_COUNTED = {
    "n_k": "key",
    "n_heads": "head",
    "n_classes": "class",
    "d": "feature",
    "d_memory": "feature",
}


class Sizes(NamedTuple):
    """What is known of one call."""

    #: The size of each letter, None if the axis is missing, and which argument has said so.
    known: Known
    shapes: dict[str, Shape]
    leads: dict[str, Shape]
    dtypes: list[np.dtype[Any]]  # of real numbers


class Spec:
    """A shape of real numbers, taken apart once."""

    turn = 1  # sizes that are given as numbers come first, what broadcasts to others last

    def __init__(self, function: str, name: str, text: str) -> None:
        self.function, self.name = function, name
        self.check: Callable[..., NDArray[Any]] = _shapes.real_array
        shape, _, self.hint = text.partition("; ")
        found = _SPEC.fullmatch(shape)
        assert found, text
        self.lead, self.rest = found["lead"], bool(found["rest"])
        #: Of each axis: "(" if it may be missing, the number of parts, the letter, "+" if some.
        self.axes: list[tuple[str, ...]] = _AXIS.findall(found["axes"])
        self.letters = [letter for _, _, letter, _ in self.axes]
        #: The axis that may be missing: its letter, and its place from the right.
        self.maybe = next((letter for mark, _, letter, _ in self.axes if mark), "")
        self.at = self.letters.index(self.maybe) - len(self.axes) if self.maybe else 0
        self.text = self.shown({})

    def shown(self, known: Known) -> str:
        """The shape in letters, or in numbers where they are known."""
        texts = [*map(str, known.get(self.lead, [["..."]])[0])] if self.lead else []
        for _, *factors, _ in self.axes:
            parts = [known.get(factor, [factor])[0] for factor in factors if factor]
            if None not in parts:
                is_known = all(isinstance(part, int) for part in parts)
                texts.append(str(math.prod(parts)) if is_known else " * ".join(map(str, parts)))
        texts += ["..."] * self.rest
        return f"({', '.join(texts)}{',' * (len(texts) == 1 and texts != ['...'])})"

    def read(self, x: ArrayLike) -> tuple[NDArray[Any], Kind]:
        """`x` as an array of such entries."""
        array = self.check(self.function, self.name, x, self.text)
        return array, (array.shape, array.dtype)

    def fit(self, sizes: Sizes, kind: Kind) -> Finish:
        """Compare a shape with what is known in this call, and add to it."""
        shape, dtype = kind
        if dtype.kind == "f":
            sizes.dtypes.append(dtype)
        sizes.shapes[self.name] = shape
        known = {**sizes.known}  # a misfit tells what others have said
        if self.maybe and len(shape) < len(self.axes):
            known.setdefault(self.maybe, (None, self.name))
        is_missing = self.is_missing(known)
        axes = [axis for axis in self.axes if not (is_missing and axis[0])]
        extra = len(shape) - len(axes)
        if extra < 0 or (extra and not self.lead and not self.rest):
            self.misfit(sizes, shape, [factor for _, *factors, _ in axes for factor in factors])
        start = 0 if self.rest else extra
        for (_, parts, letter, some), size in zip(axes, shape[start:], strict=False):
            if some and not size:
                rule = f"there must be at least one {_COUNTED.get(letter, 'position')}"
                text = f"{self.name} has {letter}=0 ({self.name} {shape})"
                _shapes.fail(ValueError, self.function, text, rule)
            size, left = divmod(size, known[parts][0] if parts else 1)
            if left or known.setdefault(letter, (size, self.name))[0] != size:
                self.misfit(sizes, shape, [parts, letter])
        if self.lead:
            lead = sizes.leads[self.name] = shape[:start]
            if self.lead == "...":
                self.common_lead(sizes, sizes.leads)
            elif known.setdefault(self.lead, (lead, self.name))[0] != lead:
                self.misfit(sizes, shape, [self.lead])
        sizes.known.update(known)
        wide = np.promote_types(dtype, np.float32)
        if wide == dtype and not is_missing:
            return None
        return lambda x: np.expand_dims(x.astype(wide, copy=False), self.at if is_missing else ())

    def is_missing(self, known: Known) -> bool:
        """Whether the axis that may be missing is."""
        return known.get(self.maybe, [0])[0] is None

    def written(self, known: Known, dtype: Any, x: FloatArray) -> FloatArray:
        """What a formula returns, in the dtype and with the axes of what came in."""
        x = x.squeeze(self.at) if self.is_missing(known) else x
        return x if x.dtype is dtype or dtype is None else x.astype(dtype)

    def common_lead(self, sizes: Sizes, names: Iterable[str]) -> Shape:
        """What the leading axes of these arguments broadcast to."""
        leads = {name: sizes.leads.get(name, ()) for name in names}
        try:
            return np.broadcast_shapes(*leads.values())
        except ValueError:
            shapes = ", ".join(f"{name} {sizes.shapes[name]}" for name in leads)
            text = f"the leading axes of {' and '.join(leads)} do not broadcast ({shapes})"
            rule = "axis by axis, counted from the right, they must be equal or 1"
            _shapes.fail(ValueError, self.function, text, rule)

    def misfit(self, sizes: Sizes, shape: Shape, letters: list[str]) -> NoReturn:
        """Say what was expected, and which arguments it clashes with."""
        clashes: dict[str, list[str]] = {}
        for letter in letters:
            size, source = sizes.known.get(letter, (None, letter))
            if source != letter:
                text = "the leading axes" if letter == self.lead else f"{letter}={size}"
                where = f" in {source} {sizes.shapes[source]}" if source else ""
                clashes.setdefault(where, []).append(text)
        hint = ", ".join(" and ".join(texts) + where for where, texts in clashes.items())
        if len(shape) < len(self.axes):
            longer = f"{self.name}[None] has one axis more"
            hint = self.hint or hint or (longer if shape else "put a single number in a list")
        numbers = self.shown(sizes.known)
        _shapes.misfit(self.function, self.name, shape, self.text, numbers, hint or self.hint)


class Broadcast(Spec):
    """What a mask or numbers broadcast to."""

    turn = 2

    def __init__(self, function: str, name: str, text: str) -> None:
        shape = text.removeprefix("bool ").removeprefix("broadcasts to ")
        super().__init__(function, name, re.sub(r"\[\w+\] ", "", shape))
        self.is_mask = text.startswith("bool")
        if self.is_mask:
            self.check = _shapes.booleans
        #: The same with an axis for heads.
        with_heads = re.sub(r"\[(\w+)\]", r"\1", shape)
        self.by_head = Broadcast(function, name, with_heads) if with_heads != shape else None

    def fit(self, sizes: Sizes, kind: Kind) -> Finish:
        """What makes exactly the shape of it; its leading axes are those of its letters."""
        shape, _ = kind
        said = [sizes.known[letter] for letter in self.letters]
        lead = self.common_lead(sizes, (source for _, source in said))
        size = (*lead, *(n for n, _ in said if n is not None))
        if self.by_head and len(shape) > len(size):
            return self.by_head.fit(sizes, kind)
        is_short = len(shape) < len(size)
        pairs = zip(reversed(shape), reversed(size), strict=False)
        fits = len(shape) <= len(size) and all(n in (1, m) for n, m in pairs)
        if not fits or (is_short and not self.lead):  # named axes are not left out
            rule = f"{self.name} must broadcast to that shape and not enlarge it"
            hint = (is_short and self.hint) or rule
            _shapes.misfit(self.function, self.name, shape, self.text, str(size), hint)
        axes = [len(lead)] * bool(self.by_head) + [self.at] * self.is_missing(sizes.known)
        if shape == size and not axes:
            return None
        return lambda x: np.expand_dims(np.broadcast_to(x, size), tuple(axes))


class Integers(Spec):
    """A shape of integers that are below a size, or at most as large."""

    def __init__(self, function: str, name: str, text: str) -> None:
        found = _INTEGERS.fullmatch(text)
        assert found, text
        shape, low, end, self.size, hint = found.groups("")
        super().__init__(function, name, shape + hint)
        self.low, self.is_below = int(low or 0), end == "below"
        counted = f"{self.size.removeprefix('n_')} are counted from 0"
        below = "-1 where nothing is asked" if low else counted
        self.rule = below if self.is_below else self.hint
        self.check = partial(_shapes.integers, hint=self.rule)

    def fit(self, sizes: Sizes, kind: Kind) -> Finish:
        """What looks whether all are in the range, once the size is known."""
        super().fit(sizes, kind)

        def finish(x: IntArray) -> IntArray:
            high = sizes.known[self.size][0] - self.is_below
            if x.size and not self.low <= x.min() <= x.max() <= high:
                must = f"from {self.low} to {self.size}{' - 1' * self.is_below} = {high}"
                wrong = x.min() if x.min() < self.low else x.max()
                _shapes.refuse(ValueError, self.function, self.name, wrong, must, self.rule)
            return x

        return finish


class AxisOf:
    """One of the axes of an array, with something along it."""

    turn = 2

    def __init__(self, function: str, name: str, text: str) -> None:
        self.function, self.name = function, name
        self.array = text.removeprefix("axis of ")

    def read(self, x: int) -> tuple[int, Shape]:
        """`x`: what it may be depends on the array."""
        return x, ()

    def fit(self, sizes: Sizes, kind: Shape) -> Finish:
        """What makes of a number an axis, counted from 0."""
        return partial(_shapes.axis, self.function, self.name, self.array, sizes.shapes[self.array])
