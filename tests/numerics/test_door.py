"""The door: what it lets in, what it makes of it, and what it says of what does not fit."""

import inspect
from typing import Annotated

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import ArrayLike, NDArray

from attnutils import attention, cross_entropy, masked_softmax
from attnutils._door import arrays, door

Floats = NDArray[np.floating]


@door
def total(
    x: Annotated[ArrayLike, "... (n) d"],
    y: Annotated[ArrayLike, "... d"],
    at: Annotated[ArrayLike, "int m below d"] = (0,),
    times: Annotated[int, "an integer of at least 1; it counts"] = 1,
) -> Annotated[Floats, "... (n) d"]:
    a, b = arrays(x, y)
    assert a.ndim > 1
    return times * (a + b[..., None, :])


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
    assert total.formula(np.ones((2, 3)), np.ones(3)).shape == (2, 3)


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

        @door
        def wrong(n: Annotated[int, "an integer of at least 2; it counts"] = 1) -> int:
            return n

    with pytest.raises(AssertionError):

        @door
        def unread(x: Annotated[ArrayLike, "n.d"]) -> int:
            return 1


def test_help_shows_shapes():
    shown = inspect.signature(attention).parameters
    assert shown["key"].annotation == "... n_k+ d_k"
    assert shown["mask"].annotation == "bool broadcasts to ... (n_q) n_k"
    returned = inspect.signature(cross_entropy).return_annotation
    assert returned == "loss: float, d_logits: *lead n_classes"
