"""The door of a function: its signature says the shapes, and its body is the formula.

>>> @door
... def mix(weights: Annotated[ArrayLike, "... n"], value: Annotated[ArrayLike, "n+ d"]) -> Any:
...     a, v = arrays(weights, value)
...     return a @ v
>>> mix([0.5, 0.5], [[1], [2], [3]])
Traceback (most recent call last):
ValueError: mix: value has shape (3, 1) but (n, d) = (2, d) is expected; n=2 in weights (2,).

A letter has one size in a call; an integer argument gives the letter of its name a size. How
shapes are written is told in `_letters`. Of what is no array, a text says what it must be, and a
hint: "a number above 1; 2 measures in bits"; or it has a check of its own.

What comes in as float16 is computed in float32, and floating-point warnings are off; what goes out
has the dtype of all that came in together. The door is passed once: functions of the book call
each other's ``formula``, which checks nothing.
"""

import functools
import inspect
import math
import re
import typing
from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, ParamSpec, Protocol, TypeVar, cast, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from attnutils import _shapes
from attnutils._letters import AxisOf, Broadcast, Call, Integers, Spec
from attnutils._shapes import FloatArray

P = ParamSpec("P")
R = TypeVar("R", covariant=True)


class Door(Protocol[P, R]):
    """A function that checks its arguments. Its `formula` does not."""

    __name__: str

    @property
    def formula(self) -> Callable[P, R]: ...

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R: ...


@overload
def arrays(x: ArrayLike, /) -> FloatArray: ...
@overload
def arrays(x: ArrayLike, y: ArrayLike, /, *more: ArrayLike) -> tuple[FloatArray, ...]: ...
def arrays(*x: Any) -> Any:
    """The arguments of a formula, as they are: a caller may give lists, but the door makes arrays.

    It is there for the checker of types alone.
    """
    return x[0] if len(x) == 1 else x


class Option:
    """What is no array: a text says what it must be and gives a hint, or it has its own checks."""

    def __init__(self, notes: list[Any]) -> None:
        self.text = notes[0].partition("; ")[0] if isinstance(notes[0], str) else ""
        self.checks = [_check_of(note) if isinstance(note, str) else note for note in notes]
        self.gives: set[str] = set()
        self.needs: set[str] = set()

    def read(self, call: Call, name: str, x: Any) -> Any:
        """`x`, checked; an integer is a size."""
        for check in self.checks:
            x = check(call.function, name, x)
        if isinstance(x, int):
            call.sizes[name] = x
        return x


class Fields:
    """What is in a NamedTuple, and what its letters are called by the one around it."""

    def __init__(self, kind: Any, notes: list[str]) -> None:
        self.kind = kind
        pairs = [pair.split("=") for note in notes for pair in note.split() if "=" in pair]
        self.called = dict(pairs)
        hints = typing.get_type_hints(kind, include_extras=True)
        self.parts = {field: part_of(hint) for field, hint in hints.items()}
        if notes and not pairs:  # a function says the shapes of what it returns
            self.parts = {field: Spec(note) for field, note in zip(hints, notes, strict=True)}
        parts = [part for part in self.parts.values() if part is not None]
        self.gives: set[str] = set().union(*(part.gives for part in parts))
        self.needs: set[str] = set().union(*(part.needs for part in parts)) - self.gives
        self.defaults = kind._field_defaults

    def read(self, call: Call, name: str, x: Any) -> Any:
        """`x` as a NamedTuple of checked parameters, in dtypes of their own."""
        _shapes.fields(call.function, name, x, self.kind)
        around = call.sizes, call.source
        if self.called:
            call.sizes, call.source = (
                {**known, **{new: known[old] for new, old in self.called.items()}}
                for known in around
            )
        values = []
        for (field, part), value in zip(self.parts.items(), x, strict=True):
            if part is None or (value is None and field in self.defaults):
                values.append(value)
            else:
                read = part.array if isinstance(part, Spec) else part.read
                values.append(read(call, f"{name}.{field}", value))
        call.sizes, call.source = around
        is_new = any(value is not old for value, old in zip(values, x, strict=True))
        return self.kind(*values) if is_new else x

    def written(self, call: Call, x: Any) -> Any:
        """What a formula returns, each array in the dtype and with the axes of what came in."""
        values = [
            part.written(call, value) if isinstance(part, Spec) and value is not None else value
            for part, value in zip(self.parts.values(), x, strict=True)
        ]
        return self.kind(*values)


def _check_of(text: str) -> Callable[[str, str, Any], Any]:
    """A check for a text such as "a number from 0 to 1; 0 gives ReLU"."""
    expected, _, hint = text.partition("; ")
    if expected == "True or False":
        return partial(_shapes.flag, hint=hint)
    if expected.startswith("a function of "):
        return partial(_shapes.callback, expected=expected, hint=hint)
    if expected.startswith('"'):
        return partial(_shapes.choice, options=expected[1:-1].split('" or "'), hint=hint)
    found = re.fullmatch(
        r"an? (.*?)(from|above|of at least) (\d+)(?: to (below )?(\d+|inf))?", expected
    )
    assert found, text
    kind, where, low, below, high = found.groups()
    if "integer" in kind:
        step = 1 if kind == "integer " else 2  # even or odd
        return partial(_shapes.integer, expected=expected, hint=hint, low=int(low), step=step)
    least = math.nextafter(int(low), math.inf) if where == "above" else int(low)
    most = (
        math.nextafter(float(high or "inf"), 0)
        if below or "finite" in kind
        else float(high or "inf")
    )
    return partial(_shapes.number, expected=expected, hint=hint, low=least, high=most)


def part_of(hint: Any) -> Any:
    """What a type says of its argument, or None."""
    kind, *notes = get_args(hint) if typing.get_origin(hint) is Annotated else (hint,)
    if hasattr(kind, "_fields"):
        return Fields(kind, notes)
    if not notes:
        return None
    if not isinstance(notes[0], str) or re.match(r'an? |True|"', notes[0]):
        return Option(notes)
    kinds = {"bool": Broadcast, "broadcasts": Broadcast, "int": Integers, "axis": AxisOf}
    return kinds.get(notes[0].split()[0], Spec)(notes[0])


def in_order(parts: dict[str, Any]) -> dict[str, Any]:
    """The parts in the order of the signature, but each after the letters that it needs."""
    order: dict[str, Any] = {}
    known: set[str] = set()
    while waiting := [name for name in parts if name not in order]:
        name = next((name for name in waiting if parts[name].needs <= known), waiting[0])
        order[name] = parts[name]
        known |= {name} | parts[name].gives
    return order


def _shown(function: Callable[..., Any]) -> inspect.Signature:
    """The signature as help shows it: with shapes, and not with all that can be made an array."""

    def text(hint: Any) -> Any:
        notes = getattr(hint, "__metadata__", ())
        texts = [note.partition("; ")[0] for note in notes if isinstance(note, str)]
        return ", ".join(texts) or getattr(hint, "__origin__", hint)

    signature = inspect.signature(function)
    shown = [p.replace(annotation=text(p.annotation)) for p in signature.parameters.values()]
    returned = text(signature.return_annotation)
    return signature.replace(parameters=shown, return_annotation=returned)


def door(function: Callable[P, R]) -> Door[P, R]:
    """Check the arguments of a function by the shapes in its signature."""
    hints = typing.get_type_hints(function, include_extras=True)
    returned = part_of(hints.pop("return"))
    parameters = inspect.signature(function).parameters
    defaults = {name: p.default for name, p in parameters.items() if p.default is not p.empty}
    positional = [name for name, p in parameters.items() if p.kind is not p.KEYWORD_ONLY]
    every = set(parameters)

    parts = {name: part for name, hint in hints.items() if (part := part_of(hint)) is not None}
    has_arrays = any(not isinstance(part, Option) for part in parts.values())
    plan = []
    for name, part in in_order(parts).items():
        default = defaults.get(name, parts)  # which nobody can give
        if isinstance(part, Option) and name in defaults and default is not None:
            default = defaults[name] = part.read(Call(function.__name__), name, default)
        # Whether there is something along an axis depends on the call.
        plan.append((name, part.read, parts if isinstance(part, AxisOf) else default))

    @functools.wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        given = {**defaults, **dict(zip(positional, args, strict=False)), **kwargs}
        twice = kwargs and not kwargs.keys().isdisjoint(positional[: len(args)])
        if twice or len(args) > len(positional) or given.keys() != every:
            return function(*args, **kwargs)  # an error that says what is missing or unknown
        call = Call(function.__name__)
        for name, read, default in plan:
            if given[name] is not default:
                given[name] = read(call, name, given[name])
        if not has_arrays:
            return cast(R, cast(Any, function)(**given))
        with np.errstate(all="ignore"):
            result = cast(Any, function)(**given)
            return cast(R, returned.written(call, result) if returned else result)

    cast(Any, checked).formula = function
    cast(Any, checked).__signature__ = _shown(function)
    return cast(Door[P, R], checked)
