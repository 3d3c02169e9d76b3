"""The door: what it lets in, what it makes of it, and what it says of what does not fit."""

import inspect
from typing import Annotated, NamedTuple

import numpy as np
import pytest
from numpy.testing import assert_array_equal
from numpy.typing import ArrayLike, NDArray

from attnutils import attention, cross_entropy, encoder_block, masked_softmax, padding_mask, softmax
from attnutils._door import arrays, door
from attnutils.toy_tasks import train

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
        (lambda: total([1], [1], x=[1]), "multiple values for argument 'x'"),
        (lambda: total([1], z=[1]), "unexpected keyword argument 'z'"),
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
    assert_array_equal(softmax(x, axis=-1), np.full((2, 3), 1 / 3))
    assert_array_equal(softmax(x, axis=0), np.full((2, 3), 1 / 2))
    with pytest.raises(ValueError, match="from -2 to 1 for x of shape"):
        softmax(x, axis=2)
    mask = np.zeros((2, 3), bool)
    for hidden in ([True, False, True], [False, True, True]):
        mask[:] = hidden
        assert_array_equal(masked_softmax(x, mask)[0], np.array(hidden) / 2)
    for dtype in (np.float16, np.float32, np.float64):
        assert total(x.astype(dtype), y.astype(dtype)).dtype == dtype


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
    assert shown["need_weights"].annotation == "True or False"
    assert inspect.signature(softmax).return_annotation == "... n"
    assert "ArrayLike" not in str(inspect.signature(encoder_block))
    returned = inspect.signature(cross_entropy).return_annotation
    assert returned == "loss: float, d_logits: *lead n_classes"
    assert inspect.signature(padding_mask).parameters["lengths"].annotation == "int ... to n_key"
    assert inspect.signature(train).parameters["mask"].annotation == "array_like"


def test_fields_have_letters_of_their_own():
    class Inner(NamedTuple):
        w: Annotated[Floats, "d h"]

    class Outer(NamedTuple):
        first: Annotated[Inner, "d=n"]
        second: Annotated[Inner, "d=m"]

    globals().update(Inner=Inner, Outer=Outer)

    @door
    def both(x: Annotated[ArrayLike, "n m"], params: Outer) -> Annotated[Floats, "n m"]:
        return arrays(x)

    fits = Outer(Inner(np.ones((2, 5))), Inner(np.ones((3, 7))))
    assert both(np.ones((2, 3), "f4"), fits).dtype == np.float64
    message = (
        r"^both: params\.second\.w has shape \(2, 7\) but \(d, h\) = \(3, h\) is expected; d=3 in x"
    )
    with pytest.raises(ValueError, match=message):
        both(np.ones((2, 3)), fits._replace(second=Inner(np.ones((2, 7)))))


def test_formulas_check_nothing_and_give_the_same():
    x, mask = np.array([[1.0, 2], [3, 5]]), np.array([[True, False], [True, True]])
    assert_array_equal(masked_softmax.formula(x, mask), masked_softmax(x, mask))
    np.testing.assert_allclose(softmax.formula(x, 0, -1.0), softmax.formula(-x, 0, 1.0))
