"""Shapes as signatures write them: what the letters mean in a call, and what does not fit.

* ``... n d``: real numbers. Leading axes broadcast; those of ``*lead n d`` are always the same.
* ``(n) d``: the axis may be missing. The formula has it in any case, the caller as it was given.
* ``n+``: at least one. ``heads*d``: cut into equal parts. ``E ...``: any axes may follow.
* ``broadcasts to ... n d``: numbers that broadcast to this shape and do not enlarge it.
* ``bool broadcasts to ... [heads] n``: a mask; if it has no axis for heads, one is put in.
* ``int E below n``: integers from 0, or ``from -1``, to n - 1; ``int E to n``: from 0 to n.
* ``axis of x``: one of the axes of x, with something along it.

What a wrong number of axes mostly comes from is told behind a semicolon.

Each kind has two parts. `read` makes an array of one argument and returns it with its shape. `fit`
compares the shape with those of the other arguments, and returns what is still to be done with the
array: put an axis in, broadcast, or look at values that have a limit. It knows only shapes, so it
is asked once for calls with the same shapes.
"""

import math
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnutils import _shapes
from attnutils._shapes import FloatArray, IntArray

Shape = tuple[int, ...]
Finish = Callable[[Any], Any] | None

_SPEC = re.compile(r"(?P<lead>\.{3}|\*\w+)? ?(?P<axes>[^.]*?)(?P<rest> \.{3})?")
_AXIS = re.compile(r"(\(?)(?:(\w+)\*)?([\w']+)\)?(\+?)")
_INTEGERS = re.compile(r"int (?P<shape>.+?)( from (?P<low>-\d))? (?P<end>below|to) (?P<size>\w+)")
#: What letters count. The others, such as n, count positions.
_COUNTED = {
    "n_k": "key",
    "n_heads": "head",
    "n_classes": "class",
    "d": "feature",
    "d_memory": "feature",
}


class Call:
    """What the arguments of one call are, before their shapes are compared."""

    def __init__(self, function: str) -> None:
        self.function = function
        self.dtype: Any = None  # of all real numbers together


class Sizes:
    """The size of each letter in a call, and which argument has said so."""

    def __init__(self, function: str) -> None:
        self.function = function
        self.known: dict[str, Any] = {"2": 2}  # None: the axis is missing
        self.source: dict[str, str] = {}
        self.shapes: dict[str, Shape] = {}
        self.leads: dict[str, Shape] = {}

    def fail(self, text: str) -> NoReturn:
        """Raise an error that names the function."""
        raise ValueError(f"{self.function}: {text}.") from None

    def common_lead(self, names: Iterable[str]) -> Shape:
        """What the leading axes of these arguments broadcast to."""
        leads = {name: self.leads.get(name, ()) for name in names}
        try:
            return np.broadcast_shapes(*leads.values())
        except ValueError:
            shapes = ", ".join(f"{name} {self.shapes[name]}" for name in leads)
            text = f"the leading axes of {' and '.join(leads)} do not broadcast ({shapes})"
            self.fail(f"{text}; axis by axis, counted from the right, they must be equal or 1")


class Spec:
    """A shape of real numbers, taken apart once."""

    turn = 1  # sizes that are given as numbers come first, what broadcasts to others last
    widens = True

    def __init__(self, text: str) -> None:
        shape, _, self.hint = text.partition("; ")
        found = _SPEC.fullmatch(shape)
        assert found, text
        self.lead, self.rest = found["lead"], bool(found["rest"])
        #: Of each axis: "(" if it may be missing, the number of parts, the letter, "+" if some.
        self.axes: list[tuple[str, ...]] = _AXIS.findall(found["axes"])
        self.letters = [letter for _, _, letter, _ in self.axes]
        #: The axis that may be missing: its place from the right, and its letter.
        marks = [mark for mark, *_ in self.axes]
        self.at = marks.index("(") - len(marks) if "(" in marks else 0
        self.maybe = self.letters[self.at] if self.at else ""
        self.text = self.shown({})

    def shown(self, known: dict[str, Any]) -> str:
        """The shape in letters, or in numbers where they are known."""
        texts = [*map(str, known.get(self.lead, ["..."]))] if self.lead else []
        for _, *factors, _ in self.axes:
            parts = [known.get(factor, factor) for factor in factors if factor]
            if None not in parts:
                is_known = all(isinstance(part, int) for part in parts)
                texts.append(str(math.prod(parts)) if is_known else " * ".join(map(str, parts)))
        texts += ["..."] * self.rest
        return f"({', '.join(texts)}{',' * (len(texts) == 1 and texts != ['...'])})"

    def read(self, call: Call, name: str, x: ArrayLike) -> tuple[NDArray[Any], Shape]:
        """`x` as floats, in a dtype that is safe to compute in."""
        array = _shapes.real_array(call.function, name, x, self.text)
        if array.dtype is not call.dtype:
            known = call.dtype
            call.dtype = array.dtype if known is None else np.promote_types(known, array.dtype)
        if self.widens and array.dtype.itemsize == 2:
            array = array.astype(np.float32)
        return array, array.shape

    def fit(self, sizes: Sizes, name: str, shape: Shape) -> Finish:
        """Compare a shape with what is known in this call, and add to it."""
        known, axes = sizes.known, self.axes
        sizes.shapes[name] = shape
        if self.maybe and len(shape) < len(axes) and self.maybe not in known:
            known[self.maybe], sizes.source[self.maybe] = None, name
        is_missing = self.is_missing(known)
        if is_missing:
            axes = [axis for axis in axes if not axis[0]]
        extra = len(shape) - len(axes)
        if extra < 0 or (extra and not self.lead and not self.rest):
            self.misfit(sizes, name, [factor for _, *factors, _ in axes for factor in factors])
        start = 0 if self.rest else extra
        for (_, parts, letter, some), size in zip(axes, shape[start:], strict=False):
            if some and not size:
                rule = f"there must be at least one {_COUNTED.get(letter, 'position')}"
                sizes.fail(f"{name} has {letter}=0 ({name} {shape}); {rule}")
            if parts:
                size, left = divmod(size, known[parts])
                if left:
                    self.misfit(sizes, name, [parts, letter])
            if letter not in known:
                known[letter], sizes.source[letter] = size, name
            elif known[letter] != size:
                self.misfit(sizes, name, [parts, letter])
        if self.lead:
            sizes.leads[name] = lead = shape[:start]
            if self.lead == "...":
                sizes.common_lead(sizes.leads)
            elif self.lead not in known:
                known[self.lead], sizes.source[self.lead] = lead, name
            elif known[self.lead] != lead:
                self.misfit(sizes, name, [self.lead])
        return partial(np.expand_dims, axis=self.at) if is_missing else None

    def is_missing(self, known: dict[str, Any]) -> bool:
        """Whether the axis that may be missing is."""
        return bool(self.maybe) and known.get(self.maybe, 0) is None

    def written(self, known: dict[str, Any], dtype: Any, x: FloatArray) -> FloatArray:
        """What a formula returns, in the dtype and with the axes of what came in."""
        x = x.squeeze(self.at) if self.is_missing(known) else x
        return x if x.dtype is dtype or dtype is None else x.astype(dtype)

    def misfit(self, sizes: Sizes, name: str, letters: list[str]) -> NoReturn:
        """Say what was expected, in letters and in numbers, and which argument it clashes with."""
        known = {x: size for x, size in sizes.known.items() if sizes.source.get(x) != name}
        clashes: dict[str | None, list[str]] = {}
        for letter in letters:
            if letter in known and letter != "2":
                text = "the leading axes" if letter == self.lead else f"{letter}={known[letter]}"
                clashes.setdefault(sizes.source.get(letter), []).append(text)
        hint = ", ".join(
            " and ".join(texts) + (f" in {source} {sizes.shapes[source]}" if source else "")
            for source, texts in clashes.items()
        )
        shape, numbers = sizes.shapes[name], self.shown(known)
        if len(shape) < len(self.axes):
            slip = f"{name}[None] has one axis more" if shape else "put a single number in a list"
            hint = self.hint or hint or slip
        hint = hint or self.hint
        expected = self.text + f" = {numbers}" * (numbers != self.text)
        sizes.fail(
            f"{name} has shape {shape} but {expected} is expected" + f"; {hint}" * bool(hint)
        )


class Broadcast(Spec):
    """What a mask or numbers broadcast to."""

    turn = 2

    def __init__(self, text: str) -> None:
        shape = text.removeprefix("bool ").removeprefix("broadcasts to ")
        super().__init__(re.sub(r"\[\w+\] ", "", shape))
        self.is_mask = text.startswith("bool")
        #: The same with an axis for heads.
        self.by_head = Broadcast(re.sub(r"\[(\w+)\] ", r"\1 ", text)) if "] " in text else None

    def read(self, call: Call, name: str, x: ArrayLike) -> tuple[NDArray[Any], Shape]:
        """`x` as an array of booleans or numbers."""
        check = _shapes.booleans if self.is_mask else _shapes.real_array
        array: NDArray[Any] = check(call.function, name, x, self.text)
        return array, array.shape

    def fit(self, sizes: Sizes, name: str, shape: Shape) -> Finish:
        """What makes exactly the shape of it; its leading axes are those of its letters."""
        known = sizes.known
        lead = sizes.common_lead(sizes.source[x] for x in self.letters if x in sizes.source)
        size = (*lead, *(known[x] for x in self.letters if known[x] is not None))
        if self.by_head and len(shape) > len(size):
            return self.by_head.fit(sizes, name, shape)
        try:
            fits = np.broadcast_shapes(shape, size) == size
        except ValueError:
            fits = False
        if not fits or not (len(shape) == len(size) or self.lead):  # named axes are not left out
            rule = f"{name} must broadcast to that shape and not enlarge it"
            hint = self.hint or rule if len(shape) < len(size) else rule
            expected = f"{self.text} = {size}"
            sizes.fail(f"{name} has shape {shape} but {expected} is expected; {hint}")
        axes = [len(lead)] * bool(self.by_head) + [self.at] * self.is_missing(known)
        if shape == size and not axes:
            return None
        return lambda x: np.expand_dims(np.broadcast_to(x, size), tuple(axes))


class Integers(Spec):
    """A shape of integers that are below a size, or at most as large."""

    def __init__(self, text: str) -> None:
        shape, _, hint = text.partition("; ")
        found = _INTEGERS.fullmatch(shape)
        assert found, text
        super().__init__(f"{found['shape']}; {hint}")
        self.low, self.size = int(found["low"] or 0), found["size"]
        self.is_below = found["end"] == "below"
        counted = f"{self.size.removeprefix('n_')} are counted from 0" if self.is_below else hint
        self.rule = "-1 where nothing is asked" if self.low else counted

    def read(self, call: Call, name: str, x: ArrayLike) -> tuple[IntArray, Shape]:
        """`x` as an array of integers."""
        array = _shapes.integers(call.function, name, x, self.text, self.rule)
        return array, array.shape

    def fit(self, sizes: Sizes, name: str, shape: Shape) -> Finish:
        """What looks whether all are in the range, once the size is known."""
        super().fit(sizes, name, shape)
        largest = self.size + " - 1" * self.is_below

        def finish(x: IntArray) -> IntArray:
            high = sizes.known[self.size] - self.is_below
            return _shapes.in_range(sizes.function, name, x, self.low, high, largest, self.rule)

        return finish


class AxisOf:
    """One of the axes of an array, with something along it."""

    turn = 2

    def __init__(self, text: str) -> None:
        self.array = text.removeprefix("axis of ")

    def read(self, call: Call, name: str, x: int) -> tuple[int, Shape]:
        """`x`: what it may be depends on the array."""
        return x, ()

    def fit(self, sizes: Sizes, name: str, shape: Shape) -> Finish:
        """What makes of a number an axis, counted from 0."""
        return partial(_shapes.axis, sizes.function, name, self.array, sizes.shapes[self.array])
