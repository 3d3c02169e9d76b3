"""Shapes as signatures write them: what the letters mean in a call, and what does not fit.

* ``"... n d"``: real numbers. Leading axes broadcast; those of ``*lead n d`` are always the same.
* ``n?``: the axis may be missing. The body has it in any case, the caller as it was given.
* ``n+``: at least one. ``heads*d``: cut into equal parts. ``E ...``: any axes may follow.
* ``Array("... n d", hint)``: what a wrong number of axes mostly comes from.
* ``Broadcast("... n d")``: numbers that broadcast to this shape and do not enlarge it.
* ``Mask("... [heads] n")``: a boolean one; if it has no axis for heads, one is put in.
* ``Index("E", below="n")``: integers from 0 to n - 1; ``to="n"``: from 0 to n.
* ``AxisOf("x")``: one of the axes of x.

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
from numpy.typing import NDArray

from attnutils import _checks
from attnutils._checks import FloatArray, IntArray, array_of

Shape = tuple[int, ...]
Kind = tuple[Shape, np.dtype[Any]]
Finish = Callable[[Any], Any] | None

_AXIS = re.compile(r"(?:(\w+)\*)?([\w']+)([?+]*)")


class Sizes(NamedTuple):
    """What is known of one call."""

    #: The size of each letter, None if the axis is missing, and which argument has said so.
    known: dict[str, tuple[Any, str]]
    shapes: dict[str, Shape]
    leads: dict[str, Shape]
    dtypes: list[np.dtype[Any]]  # of real numbers


class Array:
    """Real numbers of a shape."""

    order = 1
    function = name = ""  # whose argument it is
    numbers = _checks.REAL

    def __init__(self, spec: str, hint: str = "") -> None:
        self.hint = hint
        tokens = spec.split()
        self.lead = tokens.pop(0) if spec.startswith(("...", "*")) else ""
        self.rest = bool(tokens) and tokens[-1] == "..." and bool(tokens.pop())
        found = [_AXIS.fullmatch(token) for token in tokens]
        if None in found:
            raise ValueError(f"not a shape: {spec!r}")
        #: Of each axis: the number of parts, the letter, and "?" or "+".
        self.axes: list[tuple[str, ...]] = [axis.groups("") for axis in found if axis]
        self.letters = [letter for _, letter, _ in self.axes]
        #: The axis that may be missing: its letter, and its place from the right.
        self.maybe = next((letter for _, letter, mark in self.axes if "?" in mark), "")
        self.at = self.letters.index(self.maybe) - len(self.axes) if self.maybe else 0
        self.text = self.shown({})
        self.help = spec

    def shown(self, known: dict[str, Any]) -> str:
        """The shape in letters, or in numbers where they are known."""
        texts = [*map(str, known.get(self.lead, [["..."]])[0])] if self.lead else []
        for *factors, _ in self.axes:
            parts = [known.get(factor, [factor])[0] for factor in factors if factor]
            if None not in parts:
                is_known = all(isinstance(part, int) for part in parts)
                texts.append(str(math.prod(parts)) if is_known else " * ".join(map(str, parts)))
        texts += ["..."] * self.rest
        return f"({', '.join(texts)}{',' * (len(texts) == 1 and texts != ['...'])})"

    def read(self, x: Any) -> tuple[NDArray[Any], Kind]:
        """`x` as an array of such entries."""
        array = array_of(self.numbers, self.function, self.name, x, self.text, self.hint)
        return array, (array.shape, array.dtype)

    def fit(self, kind: Kind, sizes: Sizes) -> Finish:
        """Compare a shape with what is known in this call, and add to it."""
        shape, dtype = kind
        if dtype.kind == "f":
            sizes.dtypes.append(dtype)
        sizes.shapes[self.name] = shape
        known = {**sizes.known}  # a misfit tells what others have said
        axes = self.axes_of(shape, known)
        start = self.start_of(shape, axes, sizes)
        for axis, size in zip(axes, shape[start:], strict=False):
            self.fit_axis(axis, size, known, sizes)
        if self.lead:
            self.fit_lead(shape[:start], known, sizes)
        sizes.known.update(known)
        return partial(np.expand_dims, axis=self.at) if self.is_missing(known) else None

    def axes_of(self, shape: Shape, known: dict[str, Any]) -> list[tuple[str, ...]]:
        """The axes that are there: all, or all but the one that may be missing."""
        if self.maybe and len(shape) < len(self.axes):
            known.setdefault(self.maybe, (None, self.name))
        is_missing = self.is_missing(known)
        return [axis for axis in self.axes if not (is_missing and "?" in axis[2])]

    def start_of(self, shape: Shape, axes: list[tuple[str, ...]], sizes: Sizes) -> int:
        """How many leading axes come before these."""
        extra = len(shape) - len(axes)
        if extra < 0 or (extra and not self.lead and not self.rest):
            self.misfit(shape, sizes, [factor for *factors, _ in axes for factor in factors])
        return 0 if self.rest else extra

    def fit_axis(
        self, axis: tuple[str, ...], size: int, known: dict[str, Any], sizes: Sizes
    ) -> None:
        """Compare the size of an axis, or of its equal parts, with that of its letter."""
        (parts, letter, mark), shape = axis, sizes.shapes[self.name]
        if "+" in mark and not size:
            text = f"{self.name} has {letter}=0 ({self.name} {shape})"
            _checks.fail(ValueError, self.function, text, "there must be at least one")
        size, left = divmod(size, known[parts][0] if parts else 1)
        wanted, _ = known.setdefault(letter, (size, self.name))
        if left or size != wanted:
            self.misfit(shape, sizes, [parts, letter])

    def fit_lead(self, lead: Shape, known: dict[str, Any], sizes: Sizes) -> None:
        """Compare the leading axes: those of ``...`` broadcast, those with a name are the same."""
        sizes.leads[self.name] = lead
        if self.lead == "...":
            self.common_lead(sizes, sizes.leads)
            return
        wanted, _ = known.setdefault(self.lead, (lead, self.name))
        if lead != wanted:
            self.misfit(sizes.shapes[self.name], sizes, [self.lead])

    def is_missing(self, known: dict[str, Any]) -> bool:
        """Whether the axis that may be missing is."""
        return known.get(self.maybe, [0])[0] is None

    def written(self, known: dict[str, Any], dtype: Any, x: FloatArray) -> FloatArray:
        """What a body returns, in the dtype and with the axes of what came in."""
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
            _checks.fail(ValueError, self.function, text, rule)

    def misfit(self, shape: Shape, sizes: Sizes, letters: list[str]) -> NoReturn:
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
        hint = hint or self.hint
        numbers = self.shown(sizes.known)
        _checks.misfit(self.function, self.name, shape, self.text, numbers, hint)


class Broadcast(Array):
    """Numbers that broadcast to a shape."""

    order = 2  # after those that give the sizes
    of_one_text = ""

    def __init__(self, spec: str, hint: str = "") -> None:
        super().__init__(re.sub(r"\[\w+\] ", "", spec), hint)
        #: The same with an axis for heads.
        self.by_head = type(self)(re.sub(r"[][]", "", spec), hint) if "[" in spec else None
        self.help = f"broadcasts to {spec}"

    def fit(self, kind: Kind, sizes: Sizes) -> Finish:
        """What makes exactly the shape of it; its leading axes are those of its letters."""
        name, (shape, _) = self.name, kind
        said = [sizes.known[letter] for letter in self.letters]
        lead = self.common_lead(sizes, (source for _, source in said))
        size = (*lead, *(n for n, _ in said if n is not None))
        if self.by_head and len(shape) > len(size):
            self.by_head.function, self.by_head.name = self.function, name
            return self.by_head.fit(kind, sizes)
        is_short = len(shape) < len(size)
        pairs = zip(reversed(shape), reversed(size), strict=False)
        fits = len(shape) <= len(size) and all(n in (1, m) for n, m in pairs)
        if not fits or (is_short and not self.lead):  # named axes are not left out
            hint = (is_short and self.hint) or f"{name} must broadcast to it and not enlarge it"
            if len(shape) > len(size):
                hint = f"{name}[0] has one axis less" + self.of_one_text
            _checks.misfit(self.function, name, shape, self.text, size, hint)
        axes = [len(lead)] * bool(self.by_head) + [self.at] * self.is_missing(sizes.known)
        if shape == size and not axes:
            return None
        return lambda x: np.expand_dims(np.broadcast_to(x, size), tuple(axes))


class Mask(Broadcast):
    """Booleans that broadcast to a shape."""

    numbers = _checks.BOOLEAN
    of_one_text = "; padding_mask(2, 4) is of one text, padding_mask([2], 4) of a minibatch"

    def __init__(self, spec: str, hint: str = "") -> None:
        super().__init__(spec, hint)
        self.help = f"bool, {self.help}"


class Index(Array):
    """Integers from `least` that are below a size, or at most as large."""

    numbers = _checks.INTEGER

    def __init__(self, spec: str, hint: str = "", *, below: str = "", to: str = "", least: int = 0):
        super().__init__(spec, hint or f"{below.removeprefix('n_')} are counted from 0")
        self.below, self.size, self.least = bool(below), below or to, least
        self.help = f"int {spec}" + (f" below {below}" if below else f" to {to}" if to else "")

    def fit(self, kind: Kind, sizes: Sizes) -> Finish:
        """What looks whether all are in the range, once the size is known."""
        super().fit(kind, sizes)

        def finish(x: IntArray) -> IntArray:
            most = sizes.known[self.size][0] - self.below if self.size else math.inf
            wrong = x[(x < self.least) | (x > most)]
            if wrong.size:
                must = f"from {self.least} to {self.size}{' - 1' * self.below} = {most}"
                must = must if self.size else f"at least {self.least}"
                _checks.refuse(ValueError, self.function, self.name, wrong.flat[0], must, self.hint)
            return x

        return finish


class AxisOf:
    """One of the axes of an array."""

    order = 2
    function = name = ""

    def __init__(self, array: str) -> None:
        self.array, self.help = array, f"axis of {array}"

    def read(self, x: Any) -> tuple[Any, Shape]:
        """`x`: what it may be depends on the array."""
        return x, ()

    def fit(self, kind: Shape, sizes: Sizes) -> Finish:
        """What looks whether there is such an axis."""
        shape = sizes.shapes[self.array]
        axis = _checks.Int(-len(shape), f"{self.array} has shape {shape}", len(shape) - 1)
        return partial(axis.check, self.function, self.name)
