"""Build the book into _build/html, unless it is there, whole and up to date.

Sphinx works in a folder of its own; a book that is done takes the old one's place by a rename, and
its stamp is written last. The stamp holds a digest of every file that goes into the book and of
every file that came out, so nothing stale, half built or damaged counts as up to date.

The notebook cache keys on notebooks alone and Sphinx goes by the times of pages alone, so neither
notices a changed widget or package. The digests decide: outputs are kept while everything that they
depend on beside their notebook is the same, parsed pages while only pages and looks have changed.
"""

import argparse
import fcntl
import hashlib
import json
import logging
import os
import shutil
import sys
from collections.abc import Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from tools import address, browser, minilm, pyodide
from tools.project import BUILD, HTML, ROOT, environment

STAMP = BUILD / "stamp.json"
LOCK = BUILD / "lock"
CACHE = BUILD / ".jupyter_cache"
# Where Sphinx works: for the book, and for its preview (tools/serve.py).
BOOK = BUILD / "book"
PREVIEW = BUILD / "preview"

# Every file in the checkout goes into the book but these, and hidden ones. Of tools, only what
# builds it.
APART = {"_build", "node_modules", "tests", "benchmarks", "binder", "tools"}
APART |= {"README.md", "CONTRIBUTING.md", "CITATION.cff", "LICENSE", "LICENSE-TEXT", "Makefile"}
TOOLS = tuple(
    f"tools/{name}.py"
    for name in ("__init__", "address", "browser", "build", "minilm", "project", "pyodide")
)
# What the outputs of a notebook depend on, beside the notebook.
EXECUTION = ("attnutils/", "requirements.lock", "tools/project.py", "python")
# What shows on a page that is parsed already; the scripts and styles of widgets are put into the
# pages when these are written (_ext/static_widgets.py).
LOOKS = ("_python/page/", "_static/", "_theme/", "attnutils/widgets/static/")
# Seconds that a cell may take.
TIMEOUT = 120
PAGES = (".ipynb", ".md", ".rst")
# What who publishes the book says: the commits that links on pages name (_ext/launch_links.py), and
# that a PDF will be beside them (_ext/theme.py).
TOLD = ("BOOK_COMMIT", "BOOK_LAUNCH_COMMIT", "BOOK_PDF")

Digests = dict[str, str]


def inputs() -> Iterator[tuple[str, Path]]:
    """Give each file that goes into the book: its name from the root, and its path."""
    for folder, folders, names in os.walk(ROOT):
        top = APART if Path(folder) == ROOT else ()
        folders[:] = [name for name in folders if not (name in top or is_left_by_a_program(name))]
        for name in names:
            if not (name in top or is_left_by_a_program(name)):
                path = Path(folder, name)
                yield path.relative_to(ROOT).as_posix(), path
    yield from ((name, ROOT / name) for name in TOOLS)


def is_left_by_a_program(name: str) -> bool:
    """Return whether a file or folder is hidden, a cache, or an editor's copy."""
    return name.startswith((".", "#")) or name.endswith(("~", ".egg-info")) or name == "__pycache__"


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def wanted() -> Digests:
    """Return the digests of all that goes into the book, which an up-to-date book carries."""
    found = {"python": sys.version, "pyodide": Path(pyodide.folder()).name}
    found["model"] = Path(minilm.folder()).name
    found |= {n: os.environ[n] for n in TOLD if n in os.environ}
    for name, path in inputs():
        with suppress(FileNotFoundError):  # an editor's, and gone again
            found[name] = digest(path.read_bytes())
    return found


def states() -> dict[str, tuple[int, int]]:
    """Return when each input was written and its size, which differ when it was written again."""
    found = {}
    for name, path in inputs():
        with suppress(FileNotFoundError):
            state = path.stat()
            found[name] = (state.st_mtime_ns, state.st_size)
    return found


def changed(before: Mapping[str, object], now: Mapping[str, object]) -> str:
    """Return which files are others than before, some of them by name."""
    names = sorted(name for name in {*before, *now} if before.get(name) != now.get(name))
    return ", ".join(names if len(names) <= 3 else [*names[:3], f"{len(names) - 3} more"])


def came_out() -> Digests:
    """Return the digests of the files of the book."""
    files = sorted(path for path in HTML.rglob("*") if path.is_file())
    return {path.relative_to(HTML).as_posix(): digest(path.read_bytes()) for path in files}


def stamped() -> Digests:
    """Return the digests of what went into the book, none where it is missing or not whole."""
    stamp = read(STAMP)
    return stamp["inputs"] if stamp.get("outputs") == came_out() else {}


def read(path: Path) -> dict:
    """Return what a stamp holds, nothing where there is none."""
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, json.JSONDecodeError):
        return {}


def write(path: Path, stamp: object) -> None:
    """Write a stamp as a whole."""
    new = path.with_suffix(".new")
    new.write_text(json.dumps(stamp), encoding="utf-8")
    os.replace(new, path)


@contextmanager
def alone() -> Iterator[None]:
    """Wait until no other build runs, and let none begin. The system frees what a dead one held."""
    BUILD.mkdir(exist_ok=True)
    with LOCK.open("a") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            print("Another build is running; this one waits for it ...", flush=True)
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def is_look(name: str) -> bool:
    return name.startswith(LOOKS)


def is_page(name: str) -> bool:
    return name.startswith("chapters/") and name.endswith(PAGES)


def execution(digests: Mapping[str, str]) -> Digests:
    """Return the digests of what the outputs of every notebook depend on."""
    return {
        name: value
        for name, value in digests.items()
        if (name.startswith(EXECUTION) and not is_look(name))
        or (name.startswith("chapters/") and not is_page(name))
    }


def execute_side_by_side() -> None:
    """Fill an empty cache: execute the notebooks, if they are several, on all cores.

    Sphinx reads pages, and so executes notebooks, one after the other. It finds these in the cache.
    Those that fail are left to it: it says why.
    """
    from jupyter_cache import get_cache
    from jupyter_cache.executors import load_executor

    cache = get_cache(CACHE)
    for notebook in sorted((ROOT / "chapters").glob("*.ipynb")):
        cache.add_nb_to_project(str(notebook))
    if len(cache.list_unexecuted()) > 1:
        silent = logging.getLogger(__name__)
        silent.setLevel(logging.CRITICAL)
        load_executor("local-parallel", cache, silent).run_and_cache(timeout=TIMEOUT)


def run_sphinx(folder: Path, *, every_page: bool, only: Collection[Path]) -> int:
    """Run Sphinx as `jupyter-book build` does; return its exit status.

    It writes every page, only some, or by itself those that it reads again.
    """
    from jupyter_book.sphinx import build_sphinx

    # a11y-pygments, once imported, lets every logger print what it does.
    logging.getLogger("traitlets").setLevel(logging.WARNING)
    settings = {
        "external_toc_path": str(ROOT / "_toc.yml"),
        "latex_individualpages": False,
        "nb_execution_cache_path": str(CACHE),
        "nb_execution_timeout": TIMEOUT,
        "nitpicky": True,
        "open_browser": browser.opened,
        "model": minilm.folder(),
        "pyodide": pyodide.folder(),
    }
    ended = build_sphinx(
        ROOT,
        folder / "html",
        path_config=ROOT / "_config.yml",
        noconfig=True,
        confoverrides=settings,
        quiet=True,
        warningiserror=True,
        keep_going=True,
        force_all=every_page,
        filenames=[*map(str, only)],
    )
    if isinstance(ended, int):
        return ended
    if not isinstance(ended, Exception):  # Ctrl+C
        raise ended
    print(ended.__cause__ or ended, file=sys.stderr)  # Sphinx has not told what a cell said
    return 1


def make_pages(
    folder: Path, new: Digests, *, every_page: bool = False, first: Collection[Path] = ()
) -> tuple[int, Digests]:
    """Make the pages of the book in a folder that Sphinx keeps things in; return the exit status
    and the digests of what went into them.

    New looks go onto every page, or if some pages are asked for first, onto these: they then still
    count as new. Whoever is killed here leaves no record of what the folder or the cache holds:
    they are then made anew. Where a build fails, the next one reads again the pages that were
    edited, or where more than pages had changed, all.
    """
    before = states()
    record, cache_record = folder / "inputs.json", CACHE / "inputs.json"
    old, old_cache = read(record), read(cache_record)
    record.unlink(missing_ok=True)
    cache_record.unlink(missing_ok=True)

    if old_cache != execution(new):
        shutil.rmtree(CACHE, ignore_errors=True)
    changed = {name for name in {*old, *new} if old.get(name) != new.get(name)}
    edited = {name for name in changed if is_page(name) and name in old and name in new}
    # A page that is new or gone counts, too: others may name it.
    anew = not old or not all(name in edited or is_look(name) for name in changed)
    if anew:
        shutil.rmtree(folder, ignore_errors=True)
    for name in edited:  # Sphinx reads again what it does not have
        (folder / ".doctrees" / name).with_suffix(".doctree").unlink(missing_ok=True)
    if every_page:
        shutil.rmtree(folder / "html", ignore_errors=True)
    looks = {name for name in changed if is_look(name)}
    if not looks or edited:
        first = ()
    every_page = every_page or bool(looks and not first)

    if not CACHE.exists():
        execute_side_by_side()
    status = run_sphinx(folder, every_page=every_page, only=first)

    # What was written meanwhile may or may not be in the pages: it counts as changed.
    after = states()
    sure = {name: value for name, value in new.items() if before.get(name) == after.get(name)}
    CACHE.mkdir(exist_ok=True)
    write(cache_record, execution(sure))
    folder.mkdir(exist_ok=True)
    unfinished = changed if status else looks if first else ()
    made = {name: "" if name in unfinished else sure.get(name, "") for name in new}
    write(record, {} if status and anew else made)
    return status, sure


def announce(what: str) -> None:
    """Say where the book is, and what its links wait for."""
    print(f"{what}: {HTML / 'index.html'}")
    if address.current().is_placeholder:
        print("Its Colab links wait for `make repository URL=https://github.com/you/yours`.")


def build(*, clean: bool = False) -> int:
    """Build the book where needed; return the exit status of the build."""
    with alone():
        new = wanted()
        if clean:
            for path in (STAMP, BOOK / "inputs.json", CACHE / "inputs.json"):
                path.unlink(missing_ok=True)
        if stamped() == new:
            announce("The book is up to date")
            return 0
        pyodide.get_or_say()
        minilm.get_or_say()
        new = wanted()

        print("Building the book ...", flush=True)
        status, sure = make_pages(BOOK, new, every_page=True)
        if status:
            print("The book was not built; the messages above say why.", file=sys.stderr)
            if names := changed(new, wanted()):
                print(f"Changed while it was built: {names}. Build it again.", file=sys.stderr)
            return status
        # Sphinx's digest of its settings serves a next build on top of this one: there is none.
        (BOOK / "html" / ".buildinfo").unlink(missing_ok=True)
        STAMP.unlink(missing_ok=True)
        replaced = BUILD / "replaced"
        shutil.rmtree(replaced, ignore_errors=True)
        if HTML.exists():
            HTML.rename(replaced)
        (BOOK / "html").rename(HTML)
        write(STAMP, {"inputs": sure, "outputs": came_out()})
        shutil.rmtree(replaced, ignore_errors=True)
        announce("The book is built")
        return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--clean", action="store_true", help="build even if nothing changed")
    arguments = parser.parse_args()
    try:
        os.environ.update(environment())
        return build(clean=arguments.clean)
    except KeyboardInterrupt:
        print("\nInterrupted: the book was not built.", file=sys.stderr)
    except (OSError, minilm.NoWeightsError, pyodide.NoPyodideError) as error:
        print(f"The book was not built: {error}", file=sys.stderr)
    return 1


if __name__ == "__main__":
    sys.exit(main())
