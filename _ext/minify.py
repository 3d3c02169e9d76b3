"""Scripts and styles as they travel: without comments and blanks. Names stay as they are."""

import functools
import subprocess
from pathlib import Path

from sphinx.errors import ExtensionError

ROOT = Path(__file__).resolve().parents[1]
PROGRAM = ROOT / "node_modules" / "esbuild" / "bin" / "esbuild"


@functools.cache
def minified(text: str, kind: str) -> str:
    """Return a script ("js") or a style ("css") without what only its readers need."""
    command = ["node", PROGRAM, f"--loader={kind}", "--minify-whitespace", "--log-level=warning"]
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8")
    if done.returncode:
        raise ExtensionError(f"esbuild does not understand this {kind}:\n{done.stderr}")
    return done.stdout
