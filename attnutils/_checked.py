"""A function that is checked: its signature says what comes in, and its body is the formula.

>>> @checked
... def mix(weights: Annotated[ArrayLike, "... n"], value: Annotated[ArrayLike, "n+ d"]) -> Any:
...     return weights @ value
>>> mix([0.5, 0.5], [[1], [2], [3]])
Traceback (most recent call last):
ValueError: mix: value has shape (3, 1) but (n, d) = (2, d) is expected; n=2 in weights (2,).

A letter has one size in a call; an integer argument gives the letter of its name a size. How
shapes are written is told in `_shapes`, and what else an argument can be in `_checks`.

What comes in as float16 is computed in float32, and floating-point warnings are off; what goes out
has the dtype of all that came in together. Arguments are checked once: what a body calls of this
package, it calls without checks.
"""

import inspect
import typing
from collections.abc import Callable
from copy import copy
from functools import cache, cached_property, lru_cache, partial, wraps
from typing import Annotated, Any, ParamSpec, TypeVar, cast, get_args, get_origin

import numpy as np

from attnutils._checks import ArrayLike as ArrayLike
from attnutils._checks import refuse, state
from attnutils._shapes import Array, Sizes

P = ParamSpec("P")
R = TypeVar("R")

#: The types of a NamedTuple, which many functions take: to be read alone.
hints_of = cache(partial(typing.get_type_hints, include_extras=True))


class Letters:
    """What the letters of a NamedTuple are called around it: ``Letters(d_q="d")``."""

    def __init__(self, **called: str) -> None:
        self.called = called


def part_of(hint: Any) -> Any:
    """What a type says of an argument, or None."""
    kind, *notes = get_args(hint) if get_origin(hint) is Annotated else (hint,)
    if get_args(kind)[1:] == (...,) and hasattr(get_args(kind)[0], "_fields"):
        return Many(get_args(kind)[0])
    if hasattr(kind, "_fields"):
        return Fields(kind, notes)
    return Array(notes[0]) if notes and isinstance(notes[0], str) else (notes or [None])[0]


def bound(part: Any, function: str, name: str) -> Any:
    """The same, of this argument of a function."""
    part = copy(part)
    part.function, part.name = function, name
    return part


class Arguments:
    """What is said of the arguments of a function, or of the fields of a NamedTuple."""

    def __init__(self, function: str, hints: Any, defaults: Any, prefix: str = "") -> None:
        self.hints, parts = hints, {}
        for name, hint in hints.items():
            if part := part_of(hint):
                parts[name] = bound(part, function, prefix + name)
        self.parts = dict(sorted(parts.items(), key=lambda item: item[1].order))
        self.plan = []
        for name, part in self.parts.items():
            default = defaults.get(name, ...)
            known = (default, None) if default in (None, ...) else part.read(default)
            self.plan.append((name, part.read, default, known))
        self.compare = lru_cache(maxsize=256)(self._compare)

    def read(self, given: dict[str, Any]) -> tuple[dict[str, Any], Any]:
        """Put what a body takes into `given`; return the sizes, and the dtype of all."""
        known, dtype, finishes = self.compare(self.read_all(given))
        for name, finish in finishes:
            given[name] = finish(given[name])
        return known, dtype

    def _compare(self, kinds: tuple[Any, ...]) -> tuple[dict[str, Any], Any, list[Any]]:
        """The sizes in a call with these shapes, the dtype of all, and what is to be done."""
        sizes = Sizes({"2": (2, "2")}, {}, {}, [])
        finishes = self.fit_all(kinds, sizes)
        dtype = np.result_type(*sizes.dtypes) if sizes.dtypes else None
        wide = np.promote_types(dtype or np.float32, np.float32)
        for (name, part), kind in zip(self.parts.items(), kinds, strict=True):
            if type(part) is Array and kind is not None and kind[1] != wide:
                finishes.append((name, partial(np.asarray, dtype=wide)))
        return sizes.known, dtype, finishes

    def read_all(self, given: dict[str, Any]) -> tuple[Any, ...]:
        """Put what has been checked by itself into `given`; return shapes, dtypes and sizes."""
        kinds = []
        for name, read, default, known in self.plan:
            given[name], kind = known if given[name] is default else read(given[name])
            kinds.append(kind)
        return tuple(kinds)

    def fit_all(self, kinds: tuple[Any, ...], sizes: Sizes) -> list[tuple[str, Any]]:
        """Compare all shapes; return by name what is still to be done with an argument."""
        pairs = zip(self.parts.items(), kinds, strict=True)
        fits = [(name, part.fit(kind, sizes)) for (name, part), kind in pairs if kind is not None]
        return [(name, finish) for name, finish in fits if finish]


class Fields:
    """What is in a NamedTuple; of a result, the function that returns it says the shapes."""

    order = 1
    function = name = ""

    def __init__(self, kind: Any, notes: Any = ()) -> None:
        self.kind, self.hints = kind, hints_of(kind)
        self.called = notes[0].called if notes and isinstance(notes[0], Letters) else {}
        if notes and not self.called:
            pairs = zip(self.hints, notes, strict=True)
            self.hints = {field: Annotated[Any, note] for field, note in pairs}

    @cached_property
    def fields(self) -> Arguments:
        """What is said of each."""
        defaults = self.kind._field_defaults
        return Arguments(self.function, self.hints, defaults, f"{self.name}.")

    def read(self, x: Any) -> tuple[Any, tuple[Any, ...]]:
        """`x` as a NamedTuple of checked parameters, in dtypes of their own."""
        if not isinstance(x, self.kind):
            must = f"{self.kind.__name__}({', '.join(self.kind._fields)})"
            refuse(TypeError, self.function, self.name, x, must, "arrays are passed in by name")
        given = x._asdict()
        kinds = self.fields.read_all(given)
        is_new = any(value is not old for value, old in zip(given.values(), x, strict=True))
        return self.kind(**given) if is_new else x, kinds

    def fit(self, kinds: tuple[Any, ...], sizes: Sizes) -> None:
        """Compare the shapes of the parameters."""
        if self.called:
            own = {new: sizes.known[old] for new, old in self.called.items()}
            sizes = sizes._replace(known={**sizes.known, **own})
        self.fields.fit_all(kinds, sizes)

    def written(self, known: dict[str, Any], dtype: Any, x: Any) -> Any:
        """What a body returns, each array in the dtype and with the axes of what came in."""
        arrays = [(n, part) for n, part in self.fields.parts.items() if isinstance(part, Array)]
        some = [(n, part, y) for n, part in arrays if (y := getattr(x, n)) is not None]
        return x._replace(**{n: part.written(known, dtype, y) for n, part, y in some})


class Many(Fields):
    """A tuple of NamedTuples of a kind, such as the blocks of a model."""

    def read(self, x: Any) -> tuple[Any, tuple[Any, ...]]:
        """`x` as a tuple of checked parameters."""
        if not isinstance(x, tuple | list) or hasattr(x, "_fields"):
            refuse(TypeError, self.function, self.name, x, f"a tuple of {self.kind.__name__}")
        read = [self.one(i).read(each) for i, each in enumerate(x)]
        return tuple(each for each, _ in read), tuple(kinds for _, kinds in read)

    def fit(self, kinds: tuple[Any, ...], sizes: Sizes) -> None:
        """Compare the shapes in each; sizes that are of one alone may differ."""
        for i, each in enumerate(kinds):
            self.one(i).fit(each, sizes._replace(known={**sizes.known}))

    def one(self, i: int) -> Any:
        """What is said of one of them."""
        return _one(self.kind, self.function, f"{self.name}[{i}]")


@cache
def _one(kind: Any, function: str, name: str) -> Any:
    return bound(Fields(kind), function, name)


class Named:
    """A function as a default: help shows its name, and not its address in memory."""

    def __init__(self, function: Any) -> None:
        self.function = function

    def __repr__(self) -> str:
        return str(self.function.__name__)


def shown(hint: Any, *, is_result: bool = False) -> Any:
    """What help says of a type: its shape, or what it must be; of a result also the names."""
    part, kind = part_of(hint), getattr(hint, "__origin__", hint)
    if is_result and isinstance(part, Fields):
        fields = [(name, shown(each)) for name, each in part.hints.items()]
        return ", ".join(f"{name}: {getattr(x, '__name__', x)}" for name, x in fields)
    if part and not isinstance(part, Fields):
        return part.help
    return "array_like" if kind in (ArrayLike, ArrayLike | None) else kind


def checked(function: Callable[P, R]) -> Callable[P, R]:
    """Check the arguments of a function by its signature."""
    hints = typing.get_type_hints(function, include_extras=True)
    parameters = inspect.signature(function).parameters
    order = [name for name, p in parameters.items() if p.kind is not p.KEYWORD_ONLY]
    defaults = {name: p.default for name, p in parameters.items() if p.default is not p.empty}
    returned, result, names = part_of(hints["return"]), hints.pop("return"), set(parameters)
    arguments, body = Arguments(function.__name__, hints, defaults), cast(Any, function)

    @wraps(function)
    def wrapped(*args: P.args, **kwargs: P.kwargs) -> R:
        if getattr(state, "is_inside", False):
            return function(*args, **kwargs)
        given: Any = {**defaults, **dict(zip(order, args, strict=False)), **kwargs}
        is_twice = kwargs and kwargs.keys() & order[: len(args)]
        if is_twice or len(args) > len(order) or given.keys() != names:
            return function(*args, **kwargs)  # Python says what is missing or too many
        known, dtype = arguments.read(given)
        state.is_inside = True
        try:
            with np.errstate(all="ignore"):
                found = body(**given)
                return returned.written(known, dtype, found) if returned else found
        finally:
            state.is_inside = False

    shown_as = {
        name: p.replace(annotation=shown(hints.get(name))) for name, p in parameters.items()
    }
    named = {name: Named(x) for name, x in defaults.items() if callable(x)}
    shown_as |= {name: shown_as[name].replace(default=x) for name, x in named.items()}
    signature = inspect.Signature(
        [*shown_as.values()], return_annotation=shown(result, is_result=True)
    )
    vars(wrapped)["__signature__"] = signature
    return wrapped
