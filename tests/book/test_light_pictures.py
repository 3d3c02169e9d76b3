"""Figures in few colours: lighter files, and no difference that can be seen."""

import base64
import json

import numpy as np
import pytest
from PIL import Image

from _ext.light_pictures import lighten
from tools.project import CHAPTERS


@pytest.fixture
def figure(tmp_path):
    """The heaviest picture that a notebook holds, as a file."""
    stored = [
        output["data"]["image/png"]
        for path in CHAPTERS.glob("*.ipynb")
        for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
        for output in cell.get("outputs", [])
        if "image/png" in output.get("data", {})
    ]
    path = tmp_path / "figure.png"
    path.write_bytes(base64.b64decode("".join(max(stored, key=len))))
    return path


def pixels(path):
    with Image.open(path) as picture:
        return np.asarray(picture.convert("RGB")).astype(int)


def test_a_figure_is_lighter_and_looks_the_same(figure):
    exact, weight = pixels(figure), figure.stat().st_size
    lighten(figure)
    off = abs(pixels(figure) - exact).max(axis=-1)
    assert figure.stat().st_size < weight / 2
    assert off.mean() < 0.3
    assert (off > 8).mean() < 0.005


def test_it_is_done_once(figure):
    lighten(figure)
    once = figure.read_bytes()
    lighten(figure)
    assert figure.read_bytes() == once


def test_what_shines_through_is_left_alone(tmp_path):
    path = tmp_path / "glass.png"
    Image.new("RGBA", (4, 4), (10, 20, 30, 40)).save(path)
    before = path.read_bytes()
    lighten(path)
    assert path.read_bytes() == before


def test_the_figures_of_the_book_have_few_colours(book):
    figures = list((book / "_images").glob("*.png"))
    assert figures
    for path in figures:
        with Image.open(path) as picture:
            assert picture.mode == "P", path.name
