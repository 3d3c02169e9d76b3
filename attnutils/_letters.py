"""Shapes as signatures write them: what the letters mean in a call, and what does not fit.

* ``... n d``: real numbers. Leading axes broadcast; those of ``*lead n d`` are always the same.
* ``(n) d``: the axis may be missing. The formula has it in any case, the caller as it was given.
* ``n+``: at least one. ``heads*d``: cut into equal parts. ``E ...``: any axes may follow.
* ``broadcasts to ... n d``: numbers that broadcast to this shape and do not enlarge it.
* ``bool broadcasts to ... [heads] n``: a mask; if it has no axis for heads, one is put in.
* ``int E below n``: integers from 0, or ``from -1``, to n - 1.
* ``axis of x``: one of the axes of x, with something along it.

What a wrong number of axes mostly comes from is told behind a semicolon.
"""

import math
import re
from collections.abc import Iterable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from attnutils import _shapes
from attnutils._shapes import FloatArray, IntArray

Shape = tuple[int, ...]

_SPEC = re.compile(r"(?P<lead>\.{3}|\*\w+)? ?(?P<axes>[^.]*?)(?P<rest> \.{3})?")
_AXIS = re.compile(r"(\(?)(?:(\w+)\*)?([\w']+)\)?(\+?)")
_INTEGERS = re.compile(r"int (?P<shape>.+?)( from (?P<low>-\d))? below (?P<below>\w+)")


class Call:
    """The arguments of one call: the size of each letter, and which argument has said so."""

    def __init__(self, function: str, **sizes: int) -> None:
        self.function = function
        self.sizes: dict[str, Any] = {"2": 2, **sizes}  # None: the axis is missing
        self.source: dict[str, str] = {}
        self.shapes: dict[str, Shape] = {}
        self.leads: dict[str, Shape] = {}
        self.dtype: Any = None  # of all real numbers together

    def fail(self, text: str) -> NoReturn:
        """Raise an error that names the function."""
        raise ValueError(f"{self.function}: {text}.") from None

    def common_lead(self, names: Iterable[str]) -> Shape:
        """What the leading axes of these arguments broadcast to."""
        leads = {name: self.leads.get(name, ()) for name in names}
        some = set(leads.values()) - {()}
        if len(some) < 2:
            return some.pop() if some else ()
        try:
            return np.broadcast_shapes(*some)
        except ValueError:
            shapes = ", ".join(f"{name} {self.shapes[name]}" for name in leads)
            text = f"the leading axes of {' and '.join(leads)} do not broadcast ({shapes})"
            self.fail(f"{text}; axis by axis, counted from the right, they must be equal or 1")


class Spec:
    """A shape of real numbers, taken apart once."""

    def __init__(self, text: str) -> None:
        shape, _, self.hint = text.partition("; ")
        found = _SPEC.fullmatch(shape)
        assert found, text
        self.lead, self.rest = found["lead"], bool(found["rest"])
        #: Of each axis: "(" if it may be missing, the number of parts, the letter, "+" if some.
        self.axes: list[tuple[str, ...]] = _AXIS.findall(found["axes"])
        self.letters = [letter for _, _, letter, _ in self.axes]
        #: The axis that may be missing: its place from the right, its letter, and the other axes.
        self.at, self.maybe = next(
            (
                (i, letter)
                for i, (mark, _, letter, _) in enumerate(self.axes, -len(self.axes))
                if mark
            ),
            (0, ""),
        )
        self.others = [axis for axis in self.axes if not axis[0]]
        self.gives = set(self.letters)
        self.needs = {parts for _, parts, _, _ in self.axes} - {"", "2"}
        self.text = self.shown({})

    def shown(self, sizes: dict[str, Any]) -> str:
        """The shape in letters, or in numbers where they are known."""
        texts = [*map(str, sizes.get(self.lead, ["..."]))] if self.lead else []
        for _, *factors, _ in self.axes:
            parts = [sizes.get(factor, factor) for factor in factors if factor]
            if None not in parts:
                is_known = all(isinstance(part, int) for part in parts)
                texts.append(str(math.prod(parts)) if is_known else " * ".join(map(str, parts)))
        texts += ["..."] * self.rest
        return f"({', '.join(texts)}{',' * (len(texts) == 1 and texts != ['...'])})"

    def read(self, call: Call, name: str, x: ArrayLike) -> NDArray[Any]:
        """`x` as floats of this shape, in a dtype that is safe to compute in."""
        array = self.array(call, name, x)
        if array.dtype.itemsize == 2:
            array = array.astype(np.float32)
        return np.expand_dims(array, self.at) if self.is_missing(call) else array

    def array(self, call: Call, name: str, x: ArrayLike) -> FloatArray:
        """`x` as floats of this shape, as they were given."""
        array = _shapes.real_array(call.function, name, x, self.text)
        self.fit(call, name, array.shape)
        if array.dtype is not call.dtype:
            known = call.dtype
            call.dtype = array.dtype if known is None else np.promote_types(known, array.dtype)
        return array

    def written(self, call: Call, x: FloatArray) -> FloatArray:
        """What a formula returns, in the dtype and with the axes of what came in."""
        x = x.squeeze(self.at) if self.is_missing(call) else x
        return x if x.dtype is call.dtype or call.dtype is None else x.astype(call.dtype)

    def is_missing(self, call: Call) -> bool:
        """Whether the axis that may be missing is."""
        return bool(self.maybe) and call.sizes[self.maybe] is None

    def fit(self, call: Call, name: str, shape: Shape) -> None:
        """Compare a shape with what is known in this call, and add to it."""
        sizes, source, axes = call.sizes, call.source, self.axes
        call.shapes[name] = shape
        if self.maybe:
            if len(shape) < len(axes) and self.maybe not in sizes:
                sizes[self.maybe], source[self.maybe] = None, name
            if sizes.get(self.maybe, 0) is None:
                axes = self.others
        extra = len(shape) - len(axes)
        if extra < 0 or (extra and not self.lead and not self.rest):
            self.misfit(call, name, [factor for _, *factors, _ in axes for factor in factors])
        start = 0 if self.rest else extra
        for (_, parts, letter, some), size in zip(axes, shape[start:], strict=False):
            if some and not size:
                call.fail(f"{name} has {letter}=0 ({name} {shape}); there must be at least one")
            if parts:
                size, left = divmod(size, sizes[parts])
                if left:
                    self.misfit(call, name, [parts, letter])
            if letter not in sizes:
                sizes[letter], source[letter] = size, name
            elif sizes[letter] != size:
                self.misfit(call, name, [parts, letter])
        if self.lead:
            lead = call.leads[name] = shape[:start]
            if self.lead != "...":
                source.setdefault(self.lead, name)
                if sizes.setdefault(self.lead, lead) != lead:
                    self.misfit(call, name, [self.lead])
            elif lead:
                call.common_lead(call.leads)

    def misfit(self, call: Call, name: str, letters: list[str]) -> NoReturn:
        """Say what was expected, in letters and in numbers, and which argument it clashes with."""
        known = {x: size for x, size in call.sizes.items() if call.source.get(x) != name}
        clashes: dict[str | None, list[str]] = {}
        for letter in letters:
            if letter in known and letter != "2":
                text = "the leading axes" if letter == self.lead else f"{letter}={known[letter]}"
                clashes.setdefault(call.source.get(letter), []).append(text)
        hint = ", ".join(
            " and ".join(texts) + (f" in {source} {call.shapes[source]}" if source else "")
            for source, texts in clashes.items()
        )
        shape, numbers = call.shapes[name], self.shown(known)
        if len(shape) < len(self.axes):
            slip = f"{name}[None] has one axis more" if shape else "put a single number in a list"
            hint = self.hint or hint or slip
        hint = hint or self.hint
        expected = self.text + f" = {numbers}" * (numbers != self.text)
        call.fail(f"{name} has shape {shape} but {expected} is expected" + f"; {hint}" * bool(hint))


class Broadcast(Spec):
    """What a mask or numbers broadcast to."""

    def __init__(self, text: str) -> None:
        shape = text.removeprefix("bool ").removeprefix("broadcasts to ")
        super().__init__(re.sub(r"\[\w+\] ", "", shape))
        self.is_mask = text.startswith("bool")
        #: The same with an axis for heads.
        self.by_head = Broadcast(re.sub(r"\[(\w+)\] ", r"\1 ", text)) if "] " in text else None
        self.needs = self.by_head.needs if self.by_head else self.gives

    def read(self, call: Call, name: str, x: ArrayLike) -> NDArray[Any]:
        """`x` as an array of exactly the shape; its leading axes are those of its letters."""
        lead = call.common_lead(call.source[x] for x in self.letters if x in call.source)
        size = (*lead, *(call.sizes[x] for x in self.letters if call.sizes[x] is not None))
        check = _shapes.booleans if self.is_mask else _shapes.real_array
        array: NDArray[Any] = check(call.function, name, x, f"{self.text} = {size}")
        if self.by_head and array.ndim > len(size):
            return self.by_head.read(call, name, array)
        same_rank = array.ndim == len(size)
        try:
            fits = np.broadcast_shapes(array.shape, size) == size
        except ValueError:
            fits = False
        if not fits or not (same_rank or self.lead):  # of axes with names none may be left out
            rule = f"{name} must broadcast to that shape and not enlarge it"
            hint = self.hint or rule if array.ndim < len(size) else rule
            text = f"{name} has shape {array.shape} but {self.text} = {size} is expected"
            call.fail(f"{text}; {hint}")
        array = np.broadcast_to(array, size)
        array = np.expand_dims(array, len(lead)) if self.by_head else array
        return np.expand_dims(array, self.at) if self.is_missing(call) else array


class Integers(Spec):
    """A shape of integers that are below a size."""

    def __init__(self, text: str) -> None:
        shape, _, hint = text.partition("; ")
        found = _INTEGERS.fullmatch(shape)
        assert found, text
        super().__init__(f"{found['shape']}; {hint}")
        self.low, self.below = int(found["low"] or 0), found["below"]
        self.needs = {self.below}
        kind = self.below.removeprefix("n_")
        self.rule = "-1 where nothing is asked" if self.low else f"{kind} are counted from 0"

    def read(self, call: Call, name: str, x: ArrayLike) -> IntArray:
        """`x` as an array of integers."""
        high, largest = call.sizes[self.below] - 1, f"{self.below} - 1"
        function, text, hint = call.function, self.text, self.rule
        array = _shapes.integers(function, name, x, text, self.low, high, largest, hint)
        self.fit(call, name, array.shape)
        return array


class AxisOf:
    """One of the axes of an array, with something along it."""

    def __init__(self, text: str) -> None:
        self.array = text.removeprefix("axis of ")
        self.gives: set[str] = set()
        self.needs = {self.array}

    def read(self, call: Call, name: str, x: int) -> int:
        """`x` as an axis, counted from 0."""
        shape = call.shapes[self.array]
        n = len(shape)
        if type(x) is not int or not -n <= x < n:
            expected = f"an integer from {-n} to {n - 1} for {self.array} of shape {shape}"
            x = _shapes.integer(call.function, name, x, expected, "", -n, n - 1)
        if not shape[x]:
            text = f"{self.array} has shape {shape} with nothing along axis {x}"
            call.fail(f"{text}; weights need at least one entry to share")
        return x % n
