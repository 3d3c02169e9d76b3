"""Laws of every function that checks its arguments: wrong ones, dtypes, what stays untouched."""

import inspect
import re
import typing

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal
from numpy.typing import ArrayLike

from tests.numerics.calls import FUNCTIONS, leaves, right_calls

RIGHT = right_calls()
WORDS, RAGGED = ["a"], [[1], [1, 2]]


def wrong_values(annotation, right):
    """What an argument must not be, by what help shows of it, each with its error."""
    text = annotation if isinstance(annotation, str) else ""
    if text.startswith("bool,"):
        yield from ((np.ones(2), TypeError), (RAGGED, ValueError))
        yield np.ones((9,) * 5, bool), ValueError
    elif text.startswith("int "):
        yield from (([0.5], TypeError), ([True], TypeError), (WORDS, TypeError))
        yield from ((RAGGED, ValueError), (np.full(np.shape(right), -2), ValueError))
        yield np.full(np.shape(right), 2**64 - 1, np.uint64), ValueError
        if " below " in text or " to " in text:
            yield np.full(np.shape(right), 99), ValueError
    elif text.startswith("axis"):
        yield from ((9, ValueError), (-9, ValueError), (0.0, TypeError), (True, TypeError))
    elif text.startswith("a list of"):
        yield from (("abc", TypeError), ([1, 2], TypeError), (WORDS * 9, ValueError))
    elif text.startswith("a function"):
        yield from ((1, TypeError), ("dot", TypeError))
    elif text.startswith("a numpy"):
        yield from ((0, TypeError), (None, TypeError))
    elif text == "True or False":
        yield from ((1, TypeError), (None, TypeError), (np.ones(2, bool), TypeError))
    elif text.startswith('"'):
        yield from (("?", ValueError), (1, TypeError), (None, TypeError))
    elif "integer" in text:
        yield from (("2", TypeError), (2.0, TypeError), (True, TypeError), (-1, ValueError))
    elif re.match("a .*number", text):
        yield from (("1", TypeError), (1j, TypeError), (True, TypeError), (np.ones(2), TypeError))
        yield from ((np.nan, ValueError), (-1, ValueError))
    elif text and text != "array_like":
        yield from ((WORDS, TypeError), ([None], TypeError), ([1j], TypeError), ([True], TypeError))
        yield RAGGED, ValueError
        if text != "..." and not text.startswith("broadcasts"):
            yield 1.0, ValueError
    elif hasattr(annotation, "_fields"):
        yield from ((1, TypeError), ({}, TypeError), ((), TypeError))


def changed(x, change, path=""):
    """The same arguments with `change(path, array)` in the place of each array of real numbers."""
    if isinstance(x, np.ndarray) and x.dtype.kind == "f":
        return change(path, x)
    if isinstance(x, dict):
        return {name: changed(part, change, f"{path}.{name}") for name, part in x.items()}
    if hasattr(x, "_fields"):
        return x._replace(**changed(x._asdict(), change, path))
    if isinstance(x, tuple | list):
        return type(x)(changed(part, change, f"{path}.{i}") for i, part in enumerate(x))
    return x


def call(name, change=lambda path, array: array):
    return FUNCTIONS[name](**changed(right_calls()[name], change))


every = pytest.mark.parametrize("name", FUNCTIONS)


def test_the_table_has_every_function():
    assert RIGHT.keys() == FUNCTIONS.keys()


@every
def test_a_wrong_argument_is_called_by_its_name(name):
    signature = inspect.signature(FUNCTIONS[name])
    for argument, parameter in signature.parameters.items():
        for wrong, error in wrong_values(parameter.annotation, RIGHT[name].get(argument)):
            with pytest.raises(error, match=rf"^{name}: {argument} ") as caught:
                FUNCTIONS[name](**{**right_calls()[name], argument: wrong})
            assert type(caught.value) is error


RESULTS = {name: leaves(call(name)) for name in FUNCTIONS}
#: Those that compute with real numbers, in the dtype of all that comes in.
MODULES = ("normalize", "scores", "mechanism", "heads", "positional", "transformer", "graph")
COMPUTING = [
    name
    for name, function in FUNCTIONS.items()
    if function.__module__.endswith(MODULES) and leaves(RIGHT[name])
] + ["softmax_backward", "attention_backward", "cross_entropy", "token_classifier", "translator"]
computing = pytest.mark.parametrize("name", COMPUTING)


@pytest.mark.parametrize("name", [name for name in COMPUTING if "params" in RIGHT[name]])
def test_a_parameter_that_does_not_fit_is_called_by_its_whole_name(name):
    for at, right in leaves({"params": RIGHT[name]["params"]}):
        group = at[1:].partition(".")[0]

        def put(wrong, at=at):
            call(name, lambda path, array: wrong if path == at else array)

        whole = re.escape(re.sub(r"\.(\d)", r"[\1]", at[1:]))
        with pytest.raises(ValueError, match=rf"^{name}: {whole} has shape \(1, 1, 1, 1\) but "):
            put(np.ones((1, 1, 1, 1)))
        for axis in range(at.endswith(("embedding", "table")), right.ndim):  # one too many
            twice = np.repeat(right, [2] + [1] * (right.shape[axis] - 1), axis)
            with pytest.raises(ValueError, match=rf"^{name}: {group}[][.\w]* has "):
                put(twice)


@computing
def test_the_dtype_of_a_result_is_that_of_all_arguments(name):
    for dtype in ("f2", "f4", "f8"):
        found = leaves(call(name, lambda path, array, dtype=dtype: array.astype(dtype)))
        assert {array.dtype for _, array in found} == {np.dtype(dtype)}
    for at, _ in leaves(RIGHT[name]):
        for dtype in ("f4", "f8"):  # one of them is wider; what is added to scores does not count

            def cast(path, array, at=at, dtype=dtype):
                return array.astype(dtype if path == at else "f2")

            is_bias = name != "layer_norm" and at in (".bias", ".edge_bias")
            expected = {np.dtype("f2" if is_bias else dtype)}
            assert {array.dtype for _, array in leaves(call(name, cast))} == expected


@pytest.mark.parametrize("name", ["classifier_gradients", "attention_only_gradients"])
def test_a_gradient_has_the_dtype_of_its_parameter(name):
    for at, _ in leaves({"params": RIGHT[name]["params"]}):

        def cast(path, array, at=at):
            return array.astype("f4" if path == at else "f8")

        found = {path.replace("gradients", "params"): x for path, x in leaves(call(name, cast))}
        assert {path for path, x in found.items() if x.dtype == "f4"} == {at}


@computing
def test_a_narrow_argument_takes_no_digits_from_wide_ones(name):
    for at, _ in leaves(RIGHT[name]):

        def rounded(path, array, at=at, dtype="f8"):
            return array.astype("f4").astype(dtype) if path == at else 1e3 * array

        narrow, wide = (
            leaves(call(name, lambda path, array, d=d: rounded(path, array, dtype=d)))
            for d in ("f4", "f8")
        )
        for (_, x), (_, y) in zip(narrow, wide, strict=True):
            if x.dtype == "f8":
                assert_allclose(x, y, rtol=1e-9, atol=1e-12, err_msg=at)


@computing
@pytest.mark.parametrize(("dtype", "rtol"), [("f2", 6e-4), ("f4", 1e-4)])
def test_results_have_the_digits_of_their_dtype(name, dtype, rtol):
    """What is float16 is computed in float32."""
    narrow, wide = (
        leaves(call(name, lambda path, array, d=d: array.astype(dtype).astype(d)))
        for d in (dtype, "f8")
    )
    for (_, x), (_, y) in zip(narrow, wide, strict=True):
        assert_allclose(x, y, rtol=rtol, atol=rtol / 10)


@computing
def test_integers_become_float64(name):
    found = leaves(call(name, lambda path, array: array.astype(int)))
    assert {array.dtype for _, array in found} == {np.dtype("f8")}


@every
def test_arguments_may_be_read_only_and_results_are_new(name):
    def frozen(path, array):
        array.flags.writeable = False
        return array

    given = changed(right_calls()[name], frozen)
    for array in given.values():
        if isinstance(array, np.ndarray):  # masks too
            frozen("", array)
    for (_, x), (_, y) in zip(leaves(FUNCTIONS[name](**given)), RESULTS[name], strict=True):
        assert x.flags.writeable or name in ("split_heads", "ablate_head", "ablate_heads")
        assert_array_equal(x, y)


@computing
def test_lists_are_as_good_as_arrays(name):
    def listed(path, array):
        return array.tolist() if path.count(".") == 1 else array

    for (_, x), (_, y) in zip(leaves(call(name, listed)), RESULTS[name], strict=True):
        assert_array_equal(x, y)


def has_lead(name, argument):
    text = str(inspect.signature(FUNCTIONS[name]).parameters[argument].annotation)
    return text.removeprefix("int ").startswith(("...", "*lead"))


#: Those whose arguments have leading axes; the loss of cross_entropy is a mean over them.
BATCHED = [
    name
    for name in [*COMPUTING, "language_model"]
    if name != "cross_entropy" and any(has_lead(name, each) for each in RIGHT[name])
]


@pytest.mark.parametrize("name", BATCHED)
def test_a_batch_is_its_examples_one_by_one(name):
    right = RIGHT[name] | ({"axis": -1} if "axis" in RIGHT[name] else {})
    other = {key: np.flip(x) if has_lead(name, key) else x for key, x in right.items()}
    both = {
        key: np.stack([x, other[key]]) if has_lead(name, key) else x for key, x in right.items()
    }
    batch, *single = (leaves(FUNCTIONS[name](**given)) for given in (both, right, other))
    for at, alone in enumerate(single):
        for (_, x), (_, y) in zip(batch, alone, strict=True):
            assert_allclose(x[at], y, rtol=1e-5, atol=1e-6)


@computing
@pytest.mark.parametrize("dtype", ["f2", "f4", "f8"])
def test_no_number_is_too_hard(name, dtype):
    """Overflow, underflow and inf - inf, whatever the caller asked of NumPy."""
    limits = np.finfo(dtype)
    for size in (limits.smallest_subnormal, limits.max, np.inf, np.nan):

        def hard(path, array, size=size):
            return np.where(array < 0, -size, size).astype(dtype)

        given = changed(right_calls()[name], hard)
        with np.errstate(all="raise"):
            FUNCTIONS[name](**given)


@every
def test_types_allow_lists_where_arrays_come_in(name):
    hints = typing.get_type_hints(FUNCTIONS[name].__wrapped__, include_extras=True)
    for argument, right in RIGHT[name].items():
        if isinstance(right, np.ndarray):
            assert typing.get_args(hints[argument])[0] in (ArrayLike, ArrayLike | None)
