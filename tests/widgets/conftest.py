"""What the tests of the widgets share."""

import base64
import io
import json
import subprocess
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from attnutils.widgets import _base
from tools.project import environment


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
def run_script() -> Callable[[str, str, object], Any]:
    """A function that runs JavaScript in Node behind a widget's own script."""

    def run(widget: str, program: str, data: object) -> Any:
        """Return what `program` prints as JSON; it finds `data` parsed in `input`."""
        script = f"{_base.script(widget)}\nconst input = {json.dumps(data)};\n{program}"
        done = subprocess.run(
            ["node", "--input-type=module", "-"],
            input=script,
            capture_output=True,
            encoding="utf-8",
            env=environment(),
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
