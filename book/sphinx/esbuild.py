"""Scripts as they travel, by esbuild."""

import subprocess
from pathlib import Path

from sphinx.errors import ExtensionError

ROOT = Path(__file__).resolve().parents[1]
# npm installs that of this machine. Its own script, which looks for it, takes ten times as long.
PROGRAMS = ROOT / "node_modules" / "@esbuild"


def esbuild(what: str, *options: str | Path, text: str | None = None) -> str:
    """Make something of a text, or of the files that the options name; return what is printed."""
    (program,) = PROGRAMS.glob("*/bin/esbuild")
    command = [program, "--log-level=warning", *options]
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", cwd=ROOT)
    if done.returncode:
        raise ExtensionError(f"esbuild could not make {what}:\n{done.stderr}")
    return done.stdout
