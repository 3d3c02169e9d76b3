"""What the tests of the widgets share."""

import base64
import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from attnutils.widgets import _base


@pytest.fixture
def pixels() -> Callable[[Any], NDArray[np.int64]]:
    """A function that returns the picture of a widget: height, width, colours."""

    def decode(widget: Any) -> NDArray[np.int64]:
        data, _ = widget._repr_mimebundle_()
        image = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
        return np.asarray(image.convert("RGB")).astype(int)

    return decode


@pytest.fixture
def floats() -> Callable[..., bytes]:
    """A function that returns numbers as a page sends them."""
    return lambda *numbers: np.array(numbers, dtype="<f8").tobytes()


@pytest.fixture(params=["Python", "the page"])
def assign(request: pytest.FixtureRequest) -> Callable[[Any, str, object], None]:
    """A function that gives a widget's trait a value, as Python does or as the page does."""
    if request.param == "Python":
        return setattr
    return lambda widget, name, value: widget.set_state({name: value})


@pytest.fixture
def run_script(run_node: Callable[[str, str, object], Any]) -> Callable[..., Any]:
    """A function that runs JavaScript in Node behind a widget's own script, or its parts."""
    return lambda parts, program, data: run_node(
        _base.script(*([parts] if isinstance(parts, str) else parts)), program, data
    )
