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

import inspect
import math
import re
import typing
from collections.abc import Callable
from functools import cache, lru_cache, partial, wraps
from typing import Annotated, Any, ParamSpec, Protocol, TypeVar, cast, get_args, overload

import numpy as np
from numpy.typing import ArrayLike

from attnutils import _shapes
from attnutils._letters import AxisOf, Broadcast, Integers, Known, Sizes, Spec
from attnutils._shapes import FloatArray

P = ParamSpec("P")
R = TypeVar("R", covariant=True)

#: The types of a NamedTuple, which many functions take: to be read alone.
_hints = cache(partial(typing.get_type_hints, include_extras=True))
_RANGE = re.compile(r"an? (.*?)(from|above|of at least) (\d+)(?: to (below )?(\d+|inf))?")


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

    turn = 0

    def __init__(self, function: str, name: str, notes: list[Any]) -> None:
        self.function, self.name = function, name
        self.text = notes[0].partition("; ")[0] if isinstance(notes[0], str) else ""
        self.checks = [_check_of(note) if isinstance(note, str) else note for note in notes]

    def read(self, x: Any) -> tuple[Any, int | None]:
        """`x`, checked; an integer is a size."""
        for check in self.checks:
            x = check(self.function, self.name, x)
        return x, x if type(x) is int else None

    def fit(self, sizes: Sizes, size: int) -> None:
        """Add a size to those that are known."""
        sizes.known[self.name] = size, ""


def _check_of(text: str) -> Callable[[str, str, Any], Any]:
    """A check for a text such as "a number from 0 to 1; 0 gives ReLU"."""
    must, _, hint = text.partition("; ")
    if must == "True or False":
        return partial(_shapes.flag, hint=hint)
    if must.startswith(("a function of ", "a numpy.")):
        is_one = callable if must.startswith("a function") else _shapes.is_generator
        refuse = partial(_shapes.refuse, TypeError)
        return lambda f, name, x: x if is_one(x) else refuse(f, name, x, must, hint)
    if must.startswith('"'):
        return partial(_shapes.choice, options=must[1:-1].split('" or "'), hint=hint)
    found = _RANGE.fullmatch(must)
    assert found, text
    kind, where, low, below, high = found.groups()
    least, most = int(low), float(high or "inf")
    if "integer" in kind:
        step = 1 if kind == "integer " else 2  # even or odd
        return lambda f, name, x: _shapes.integer(f, name, x, must, hint, least, most, step)
    bottom = math.nextafter(least, math.inf) if where == "above" else least
    top = math.nextafter(most, 0) if below or "finite" in kind else most
    return lambda f, name, x: _shapes.number(f, name, x, must, hint, bottom, top)


def part_of(hint: Any, function: str = "", name: str = "") -> Any:
    """What a type says of this argument of a function, or None."""
    kind, *notes = get_args(hint) if typing.get_origin(hint) is Annotated else (hint,)
    if hasattr(kind, "_fields"):
        return Fields(function, name, kind, notes)
    if not notes:
        return None
    if not isinstance(notes[0], str) or re.match(r'an? |True|"', notes[0]):
        return Option(function, name, notes)
    kinds = {"bool": Broadcast, "broadcasts": Broadcast, "int": Integers, "axis": AxisOf}
    return kinds.get(notes[0].split()[0], Spec)(function, name, notes[0])


class Arguments:
    """What arguments must be; the parts are compiled once, and equal shapes compared once."""

    def __init__(
        self, function: str, hints: dict[str, Any], defaults: dict[str, Any], prefix: str = ""
    ) -> None:
        parts = {name: part_of(hint, function, prefix + name) for name, hint in hints.items()}
        some = [(name, part) for name, part in parts.items() if part]
        self.parts = dict(sorted(some, key=lambda item: item[1].turn))
        self.plan = []
        for name, part in self.parts.items():
            default = defaults.get(name, self)  # self is what nobody can give
            known = (default, None) if default in (None, self) else part.read(default)
            self.plan.append((name, part.read, default, known))
        self.compare = lru_cache(maxsize=256)(self._compare)

    def read(self, given: dict[str, Any]) -> tuple[Known, Any]:
        """Put what a formula takes into `given`; return the sizes, and the dtype of all."""
        known, dtype, finishes = self.compare(self.kinds(given))
        for name, finish in finishes:
            given[name] = finish(given[name])
        return known, dtype

    def kinds(self, given: dict[str, Any]) -> tuple[Any, ...]:
        """Put what has been checked by itself into `given`; return shapes, dtypes and sizes."""
        kinds = []
        for name, read, default, known in self.plan:
            given[name], kind = known if given[name] is default else read(given[name])
            kinds.append(kind)
        return tuple(kinds)

    def fits(self, sizes: Sizes, kinds: tuple[Any, ...]) -> list[tuple[str, Any]]:
        """Compare all with each other; what is still to be done, by name."""
        pairs = zip(self.parts.items(), kinds, strict=True)
        fits = [(name, part.fit(sizes, kind)) for (name, part), kind in pairs if kind is not None]
        return [(name, finish) for name, finish in fits if finish]

    def _compare(self, kinds: tuple[Any, ...]) -> tuple[Known, Any, list[tuple[str, Any]]]:
        """The sizes in a call with these shapes, and what is to be done with its arguments."""
        sizes = Sizes({"2": (2, "2")}, {}, {}, [])
        finishes = self.fits(sizes, kinds)
        return sizes.known, np.result_type(*sizes.dtypes) if sizes.dtypes else None, finishes


class Fields:
    """What is in a NamedTuple, and what its letters are called by the one around it."""

    turn = 1

    def __init__(self, function: str, name: str, kind: Any, notes: list[str]) -> None:
        self.function, self.name, self.kind = function, name, kind
        hints = _hints(kind)
        self.called = dict(re.findall(r"(\w+)=(\w+)", " ".join(notes)))
        if notes and not self.called:  # a function says the shapes of what it returns
            hints = {field: Annotated[Any, note] for field, note in zip(hints, notes, strict=True)}
        self.fields = Arguments(function, hints, kind._field_defaults, f"{name}.")

    def read(self, x: Any) -> tuple[Any, tuple[Any, ...]]:
        """`x` as a NamedTuple of checked parameters, in dtypes of their own."""
        _shapes.fields(self.function, self.name, x, self.kind)
        given = x._asdict()
        kinds = self.fields.kinds(given)
        is_new = any(value is not old for value, old in zip(given.values(), x, strict=True))
        return self.kind(**given) if is_new else x, kinds

    def fit(self, sizes: Sizes, kinds: tuple[Any, ...]) -> None:
        """Compare the shapes of the parameters."""
        if self.called:
            own = {new: sizes.known[old] for new, old in self.called.items()}
            sizes = sizes._replace(known={**sizes.known, **own})
        self.fields.fits(sizes, kinds)

    def written(self, known: Known, dtype: Any, x: Any) -> Any:
        """What a formula returns, each array in the dtype and with the axes of what came in."""
        values = x._asdict()
        for field, part in self.fields.parts.items():
            if isinstance(part, Spec) and values[field] is not None:
                values[field] = part.written(known, dtype, values[field])
        return self.kind(**values)


def _shown(signature: inspect.Signature) -> inspect.Signature:
    """The signature as help shows it: with shapes, and not with all that can be made an array."""

    def text(hint: Any) -> Any:
        notes = getattr(hint, "__metadata__", ())
        texts = [note.partition("; ")[0] for note in notes if isinstance(note, str)]
        is_any_array = hint in (ArrayLike, ArrayLike | None)
        kind = "array_like" if is_any_array else getattr(hint, "__origin__", hint)
        return ", ".join(texts) or kind

    shown = [p.replace(annotation=text(p.annotation)) for p in signature.parameters.values()]
    returned = text(signature.return_annotation)
    if hasattr(returned, "_fields"):
        texts = [(field, text(hint)) for field, hint in _hints(returned).items()]
        returned = ", ".join(
            f"{field}: {x if isinstance(x, str) else inspect.formatannotation(x)}"
            for field, x in texts
        )
    return signature.replace(parameters=shown, return_annotation=returned)


def door(function: Callable[P, R]) -> Door[P, R]:
    """Check the arguments of a function by the shapes in its signature."""
    hints = typing.get_type_hints(function, include_extras=True)
    returned = part_of(hints.pop("return"))
    signature = inspect.signature(function)
    parameters = signature.parameters
    defaults = {name: p.default for name, p in parameters.items() if p.default is not p.empty}
    arguments = Arguments(function.__name__, hints, defaults)
    has_arrays = any(not isinstance(part, Option) for part in arguments.parts.values())
    formula = cast(Any, function)
    # A function that returns its arguments by name: Python itself says if one is missing.
    bare = [p.replace(annotation=p.empty, default=p.empty) for p in parameters.values()]
    by_name = eval(f"lambda {str(inspect.Signature(bare))[1:-1]}: locals()")
    inner = inspect.unwrap(formula)
    by_name.__defaults__, by_name.__kwdefaults__ = inner.__defaults__, inner.__kwdefaults__
    by_name.__qualname__ = function.__qualname__

    @wraps(function)
    def checked(*args: P.args, **kwargs: P.kwargs) -> R:
        given = by_name(*args, **kwargs)
        known, dtype = arguments.read(given)
        if not has_arrays:
            return cast(R, formula(**given))
        with np.errstate(all="ignore"):
            result = formula(**given)
            return cast(R, returned.written(known, dtype, result) if returned else result)

    vars(checked).update(formula=function, __signature__=_shown(signature))
    return cast(Door[P, R], checked)
