"""Render the book into _build/html. No notebook runs: `make execute` has stored the outputs.

Sphinx keeps what it has read in _build/book. It reads all pages again where anything but a page has
changed, or where it failed before. The new book takes the place of the old when it is done.
"""

import fcntl
import gc
import hashlib
import logging
import multiprocessing
import os
import re
import shutil
import signal
import sys
from collections.abc import Callable, Iterable
from io import StringIO
from pathlib import Path
from typing import Any

from sphinx.errors import SphinxError

from book import address, portable
from tools import minilm, pyodide
from tools.project import BUILD, HTML, ROOT, environment

PAGES = ("chapters/*.*",)
# What all pages are made of. In `book` there are node_modules, too.
OTHERS = ("_config.yml", "_toc.yml", "references.bib", "requirements.lock", "attnutils/**/*")
OTHERS += ("attnbook/**/*", "book/*.*", "book/[!n]*/**/*", "tools/build.py")


class BuildError(Exception):
    """The pages cannot be made."""


TOLD = (BuildError, SphinxError, portable.PortableError, minilm.NoWeightsError)
TOLD += (pyodide.NoPyodideError, OSError)


def files(patterns: Iterable[str]) -> list[Path]:
    """Return the files of these names, without what programs and editors leave beside them."""
    found = [path for pattern in patterns for path in sorted(ROOT.glob(pattern))]
    left = re.compile(r"[.#].*|.*(~|\.pyc)")
    return [path for path in found if path.is_file() and not left.fullmatch(path.name)]


def digest(patterns: Iterable[str]) -> str:
    """Return a digest of files, and of what else shows on pages."""
    about = [sys.version, address.repository(), address.pages(), pyodide.folder(), minilm.folder()]
    total = hashlib.sha256(repr(about).encode())
    for path in files(patterns):
        total.update(f"{path}\n".encode() + path.read_bytes())
    return total.hexdigest()


def look_through() -> None:
    """Raise what is wrong with a notebook that cannot be read, by its name."""
    for path in files(PAGES):
        if path.suffix == ".ipynb":
            portable.read(path)


def alone(folder: Path) -> None:
    """Keep other builds from a folder until this process ends, however it ends."""
    folder.mkdir(parents=True, exist_ok=True)
    try:
        fcntl.flock(os.open(folder, os.O_RDONLY), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise BuildError(f"another program is at work in {folder}") from None


class Pages:
    """Sphinx with the settings of the book, at work in a folder."""

    def __init__(self, folder: Path) -> None:
        from sphinx.application import Sphinx
        from sphinx.util.console import nocolor

        look_through()
        self.mark, self.others = folder / "made-from", digest(OTHERS)
        #: Whether all pages are read anew.
        self.is_fresh = not self.mark.exists() or self.mark.read_text() != self.others
        self.warnings = StringIO()  # each of them is a mistake
        nocolor()
        logging.getLogger("traitlets").setLevel(logging.WARNING)  # else it prints what it does
        gc.disable()  # looking for cycles among the nodes of all pages takes a fifth of the time
        options = {"status": None, "warning": self.warnings, "freshenv": self.is_fresh}
        folders = ROOT, None, folder / "html", folder / ".doctrees"
        self.app = Sphinx(*folders, "html", settings(), **options)
        self.app.connect("source-read", lambda _, page, text: print(f"Reading {page}", flush=True))
        self.app.connect(
            "doctree-resolved", lambda _, tree, page: print(f"Writing {page}", flush=True)
        )

    def render(self, *, every_page: bool = False) -> None:
        """Make the pages that are not up to date, or every page; raise what is wrong with them."""
        look_through()
        self.mark.unlink(missing_ok=True)  # until all has gone well
        builder = self.app.builder
        builder.build_all() if every_page or self.is_fresh else builder.build_update()
        if every_page:
            self.app.emit("build-finished", None)
        if problem := self.warnings.getvalue():
            raise BuildError(problem)
        self.mark.write_text(self.others)


def settings() -> dict[str, Any]:
    """Return the settings of the book, those of Jupyter Book included."""
    from jupyter_book.config import get_final_config

    own = {"external_toc_path": str(ROOT / "_toc.yml"), "latex_individualpages": False}
    own |= {"nitpicky": True, "model": minilm.folder(), "pyodide": pyodide.folder()}
    config, _ = get_final_config(
        user_yaml=ROOT / "_config.yml", cli_config=own, sourcedir=ROOT, use_external_toc=True
    )
    return config


def build() -> str:
    """Build the book if anything has changed; return what was done."""
    folder, mark = BUILD / "book", BUILD / "made-from"
    alone(folder)
    if not pyodide.folder() and pyodide.wish() != "no":
        print("Getting Python for the pages, once ...", flush=True)
    pyodide.get_or_say()
    minilm.get_or_say()
    now = digest(PAGES + OTHERS)
    if HTML.exists() and mark.exists() and mark.read_text() == now:
        return f"The book is up to date: {HTML / 'index.html'}"
    print("Building the book ...", flush=True)
    shutil.rmtree(folder / "html", ignore_errors=True)
    Pages(folder).render(every_page=True)
    shutil.rmtree(folder / "old", ignore_errors=True)
    if HTML.exists():
        HTML.rename(folder / "old")
    (folder / "html").rename(HTML)
    mark.write_text(now)
    return f"The book is built: {HTML / 'index.html'}"


def run(work: Callable[[], str]) -> int:
    """Do this in the environment of the book; say what was done, or what is wrong."""
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        os.environ.update(environment())
        print(work())
        return 0
    except KeyboardInterrupt:
        print("\nInterrupted.", file=sys.stderr, flush=True)
        for fork in multiprocessing.active_children():
            fork.terminate()
        os._exit(130)  # to put away what was read would take seconds
    except TOLD as error:
        print(f"The book was not built. {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(run(build))
