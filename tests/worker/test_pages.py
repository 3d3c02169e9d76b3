"""What counts as another output of a cell, and what does not."""

import base64
import io

import numpy as np
import pytest
from PIL import Image

from tests.worker import pages

CELL = next(cell for cell in pages.cells("temperature") if cell["id"] == "draw-four")
PICTURE = dict(pages.stored(CELL))["image/png"]
TEXT = {
    "cell_type": "code",
    "outputs": [{"output_type": "stream", "name": "stdout", "text": "1\n"}],
}


def changed(change) -> str:
    """The stored picture, changed."""
    with Image.open(io.BytesIO(base64.b64decode(PICTURE))) as picture:
        new = Image.fromarray(change(np.asarray(picture.convert("RGB"))))
    out = io.BytesIO()
    new.save(out, "PNG")
    return base64.b64encode(out.getvalue()).decode()


def said(cell, kind, *parts, error=""):
    sent = [{"kind": kind, "name": name, "data": data} for name, data in parts]
    return pages.differences(cell, {"error": error, "parts": sent}, draws=True)


def test_the_same_is_the_same():
    assert said(CELL, "display", ("image/png", PICTURE)) == ""
    assert said(TEXT, "stream", ("stdout", "1\n")) == ""


@pytest.mark.parametrize(
    "parts", [[], [("stdout", "2\n")], [("stderr", "1\n")], [("stdout", "1\n"), ("stderr", "w")]]
)
def test_another_text_is_noticed(parts):
    assert said(TEXT, "stream", *parts)


def test_an_error_is_noticed():
    assert said(TEXT, "stream", ("stdout", "1\n"), error="NameError") == "NameError"


@pytest.mark.parametrize(
    "change",
    [
        lambda picture: picture[::-1],
        lambda picture: picture[:, ::-1],
        lambda picture: np.full_like(picture, 255),
        lambda picture: picture[24:],
        lambda picture: np.roll(picture, 20, axis=0),
    ],
    ids=["upside down", "mirrored", "empty", "smaller", "moved"],
)
def test_another_picture_is_noticed(change):
    assert said(CELL, "display", ("image/png", changed(change)))


def test_a_picture_that_is_moved_by_a_pixel_is_the_same():
    assert said(CELL, "display", ("image/png", changed(lambda a: np.roll(a, 1, axis=1)))) == ""
