"""Build the book into _build/html, unless it is there and up to date.

The notebook cache keys on notebooks alone and Sphinx keeps parsed pages, so neither notices a
changed widget or package. A digest of everything that a page depends on decides instead: where
it differs, the book is built from clean. Outputs are kept from one build to the next only while
everything that they depend on beside their notebook is the same.
"""

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

from tools import address
from tools.project import BUILD, HTML, ROOT, environment

NOTEBOOK_CACHE = BUILD / ".jupyter_cache"
STAMP = BUILD / "stamp.json"

# What the outputs of a notebook depend on, beside the notebook; and what its page does.
EXECUTION = ("attnutils", "requirements.lock")
PAGES = (
    *("chapters", "_ext", "_static", "_theme"),
    *("_config.yml", "_toc.yml", "references.bib", "package-lock.json", "tools/build.py"),
)
# The commits that links on pages name, given by who publishes them (_ext/launch_links.py).
COMMITS = ("BOOK_COMMIT", "BOOK_LAUNCH_COMMIT")


def files(names: Iterable[str]) -> list[Path]:
    """Return the files that bear these names or lie in the folders that do, in a fixed order."""
    found: list[Path] = []
    for path in (ROOT / name for name in names):
        found += [path] if path.is_file() else path.rglob("*")
    skipped = {"__pycache__", ".ipynb_checkpoints", ".DS_Store"}
    return sorted(p for p in found if p.is_file() and skipped.isdisjoint(p.parts))


def digest(paths: Iterable[Path]) -> str:
    """Return a digest of the Python version and of the names and contents of the files."""
    total = hashlib.sha256(sys.version.encode())
    for path in paths:
        total.update(path.relative_to(ROOT).as_posix().encode() + b"\0")
        total.update(hashlib.sha256(path.read_bytes()).digest())
    return total.hexdigest()


def wanted() -> dict[str, str]:
    """Return the stamp that an up-to-date book carries."""
    data = (p for p in files(["chapters"]) if p.suffix not in {".ipynb", ".md", ".rst"})
    return {
        "execution": digest([*files(EXECUTION), *data]),
        "pages": digest(files((*EXECUTION, *PAGES))),
        **{name: os.environ[name] for name in COMMITS if os.environ.get(name)},
    }


def stamped() -> dict[str, str]:
    """Return the stamp of the last build that ended well, empty if there is none."""
    try:
        return json.loads(STAMP.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def announce(what: str) -> None:
    """Say where the book is, and what its links wait for."""
    print(f"{what}: {HTML / 'index.html'}")
    if address.current().is_placeholder:
        print("Its Colab links wait for `make repository URL=https://github.com/you/yours`.")


def build(*, clean: bool = False) -> int:
    """Build the book where needed; return the exit status of the build."""
    stamp, old = wanted(), {} if clean else stamped()
    if old == stamp:
        announce("The book is up to date")
        return 0

    # From here until the build has ended well there is no book, so none can be out of date.
    STAMP.unlink(missing_ok=True)
    for path in BUILD.iterdir() if BUILD.exists() else ():
        if path == NOTEBOOK_CACHE and old.get("execution") == stamp["execution"]:
            continue
        shutil.rmtree(path) if path.is_dir() else path.unlink()

    print("Building the book ...", flush=True)
    jupyter_book = Path(sys.executable).parent / "jupyter-book"
    command = [sys.executable, jupyter_book, "build", "--quiet", "-W", "--keep-going", "-n", ROOT]
    # Warnings and errors come on the other stream; this one only says where the book is.
    status = subprocess.run(
        command, cwd=ROOT, env=environment(), stdout=subprocess.DEVNULL, check=False
    ).returncode
    if status == 0:
        # Sphinx's digest of its settings serves a next build on top of this one: there is none.
        (HTML / ".buildinfo").unlink(missing_ok=True)
        STAMP.write_text(json.dumps(stamp) + "\n", encoding="utf-8")
        announce("The book is built")
    else:
        shutil.rmtree(HTML, ignore_errors=True)
        print("The book was not built; the messages above say why.", file=sys.stderr)
    return status


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clean", action="store_true", help="build even if nothing changed")
    sys.exit(build(clean=parser.parse_args().clean))
