"""Figures of a third of their weight: 256 colours to a picture.

A figure on a page has some thousand colours, nearly all of them in the smoothed edges of letters.
With the 256 that serve it best a pixel is off by a tenth of one step of 255 on average, which
nobody sees. The notebooks keep the figures as they were drawn.
"""

from pathlib import Path

from PIL import Image
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata


def lighten(path: Path) -> None:
    """Rewrite a PNG with a palette, unless it has one already or something shines through it."""
    with Image.open(path) as picture:
        if picture.mode == "P" or picture.convert("RGBA").getextrema()[3] != (255, 255):
            return
        exact = picture.convert("RGB")
    palette = exact.quantize(256, Image.Quantize.MEDIANCUT, kmeans=8, dither=Image.Dither.NONE)
    palette.save(path, optimize=True)


def lighten_pictures(app: Sphinx, exception: Exception | None) -> None:
    """Do so with every figure of the book."""
    if exception or app.builder.format != "html":
        return
    for path in sorted(Path(app.outdir, "_images").glob("*.png")):
        lighten(path)


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("build-finished", lighten_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
