"""Pictures of explorers of a third of their weight: 256 colours to a picture.

Such a picture has some thousand colours, nearly all of them in the smoothed edges of letters. With
the 256 that serve it best a pixel is off by a tenth of one step of 255 on average, which nobody
sees. The notebooks keep the pictures as they were drawn.
"""

import os
from pathlib import Path

from PIL import Image
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.util.typing import ExtensionMetadata


def lighten(path: Path) -> None:
    """Rewrite a PNG with a palette, unless it has one already or something shines through it."""
    with Image.open(path) as picture:
        if picture.mode == "P" or picture.convert("RGBA").getextrema()[3] != (255, 255):
            return
        exact = picture.convert("RGB")
    palette = exact.quantize(256, Image.Quantize.MEDIANCUT, kmeans=8, dither=Image.Dither.NONE)
    palette.save(path, optimize=True)


def lighten_pictures(app: Sphinx, env: BuildEnvironment) -> None:
    """Do so with every picture that myst-nb has taken out of a notebook: once for all builds."""
    for path in sorted(Path(app.outdir).with_name("jupyter_execute").glob("*.png")):
        written = path.stat()
        lighten(path)
        # Sphinx reads a page again whose pictures are newer than its last reading.
        os.utime(path, ns=(written.st_atime_ns, written.st_mtime_ns))


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("env-updated", lighten_pictures)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
