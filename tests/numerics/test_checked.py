"""`checked`: what it lets in, what it makes of it, and what it says of what does not fit."""

import inspect
from typing import Annotated, Any

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import ArrayLike, NDArray

from attnutils import attention, cross_entropy, masked_softmax, numerical_gradient, softmax
from attnutils._checked import checked
from attnutils._checks import Function, Int
from attnutils._shapes import Index

Floats = NDArray[np.floating]


@checked
def total(
    x: Annotated[ArrayLike, "... n? d"],
    y: Annotated[ArrayLike, "... d"],
    at: Annotated[ArrayLike, Index("m", below="d")] = (0,),
    times: Annotated[int, Int(1, "it counts")] = 1,
) -> Annotated[Floats, "... n? d"]:
    assert x.ndim > 1
    return times * (x + y[..., None, :])


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: total([1, 2]), "missing 1 required positional argument: 'y'"),
        (lambda: total([1], [1], [0], 1, 1), "from 2 to 4 positional arguments but 5 were given"),
        (lambda: total([1], [1], z=1), "unexpected keyword argument 'z'"),
    ],
)
def test_a_call_that_python_refuses_is_refused_by_python(call, message):
    with pytest.raises(TypeError, match=rf"total\(\) .*{message}"):
        call()


def test_an_axis_that_is_missing_is_put_in_and_taken_out_again():
    assert total(np.ones(3), np.ones(3)).shape == (3,)
    assert total(np.ones((2, 3)), np.ones(3)).shape == (2, 3)
    assert total(np.ones((5, 2, 3)), np.ones((5, 3))).shape == (5, 2, 3)


def test_values_are_looked_at_in_every_call_of_the_same_shapes():
    x, y = np.ones((2, 3)), np.ones(3)
    total(x, y, [2])
    with pytest.raises(ValueError, match="from 0 to d - 1 = 2, got 3"):
        total(x, y, [3])
    mask = np.zeros((2, 3), bool)
    for hidden in ([True, False, True], [False, True, True]):
        mask[:] = hidden
        assert_array_equal(masked_softmax(x, mask)[0], np.array(hidden) / 2)


def test_a_default_that_does_not_fit_and_a_text_that_is_none_are_found_at_once():
    with pytest.raises(ValueError, match=r"^wrong: n must be an integer of at least 2, got 1"):

        @checked
        def wrong(n: Annotated[int, Int(2, "it counts")] = 1) -> int:
            return n

    with pytest.raises(ValueError, match=r"not a shape: 'n\.d'"):

        @checked
        def unread(x: Annotated[ArrayLike, "n.d"]) -> int:
            return 1


def test_help_shows_shapes_and_names():
    shown = inspect.signature(attention)
    assert shown.parameters["key"].annotation == "... n_k+ d_k"
    assert shown.parameters["mask"].annotation == "bool, broadcasts to ... n_q? n_k"
    assert shown.return_annotation == "output: ... n_q? d_v, weights: ... n_q? n_k"
    assert "scores: 'a function of query and key' = scaled_dot_scores" in str(shown)
    returned = inspect.signature(cross_entropy).return_annotation
    assert returned == "loss: float, d_logits: *lead n_classes"


@checked
def twice(x: Annotated[ArrayLike, "n"], function: Annotated[Any, Function("x", "")] = None) -> Any:
    return softmax(x, axis=7) if function is None else function(x)


def test_inside_there_are_no_checks_and_in_a_function_of_the_callers_there_are():
    with pytest.raises(np.exceptions.AxisError):
        twice([1.0])
    with pytest.raises(ValueError, match="softmax: axis must be an integer from -1 to 0"):
        twice([1.0], lambda x: softmax(x, axis=7))
    with pytest.raises(ValueError, match="softmax: axis must be"):  # so it is after an error
        softmax([1.0], axis=7)


def test_warnings_of_a_function_of_the_callers_are_heard():
    """Those of the book's own arithmetic are not."""

    def scores(query, key):
        return query @ key.T / np.zeros(2)

    for call in (
        lambda: attention(np.ones((2, 1)), np.ones((2, 1)), np.ones((2, 1)), scores=scores),
        lambda: numerical_gradient(lambda x: float(np.log(x).sum()), [0.0]),
        lambda: twice([0.0], lambda x: 1 / x),
    ):
        with np.errstate(all="raise"), pytest.raises(FloatingPointError):
            call()
        with np.errstate(all="ignore"):
            call()
