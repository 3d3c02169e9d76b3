"""Two copies of this checkout with two addresses, built, must differ in nothing but the address."""

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from urllib.parse import urlsplit

from tools.address import Address
from tools.project import ROOT, kept_files

# Unlike each other, and unlike any word of the book.
FIRST = Address("first-owner", "first-name")
SECOND = Address("Another-Owner", "a-name-of-another-length")
# What a checkout shares with its copies.
SHARED = (".venv", "node_modules")


class CopyError(RuntimeError):
    """A copy could not be made or built."""


def run(folder: Path, *command: str) -> str:
    """Run a command in a folder; return what it prints."""
    # The tools of the copy, not of this checkout.
    variables = {key: value for key, value in os.environ.items() if key != "PYTHONPATH"}
    result = subprocess.run(
        command,
        cwd=folder,
        env=variables,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode:
        step = " ".join(command[1:])
        raise CopyError(f"{step} failed in a copy of this checkout:\n{result.stdout.strip()}")
    return result.stdout


def copy(folder: Path) -> None:
    """Copy what git keeps of this checkout, or would keep, to a folder."""
    if not (ROOT / ".git").exists():
        raise CopyError("Copies are made of what git keeps, and this folder is no clone.")
    for name in kept_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    for name in SHARED:
        (folder / name).symlink_to(ROOT / name)


def build(folder: Path, address: Address) -> Path:
    """Give a copy an address and build it; return the folder of its pages."""
    run(folder, sys.executable, "-m", "tools.address", address.url)
    run(folder, sys.executable, "-m", "tools.build")
    return folder / "_build" / "html"


def forms(address: Address) -> list[bytes]:
    """Return how an address stands in pages: with its parts, which Binder and 404.html need."""
    path = urlsplit(address.pages).path
    return [
        s.encode() for s in (address.url, address.pages, f"{address.owner}/{address.name}", path)
    ]


def files(folder: Path) -> set[Path]:
    """Return the names of all files in a folder."""
    return {path.relative_to(folder) for path in folder.rglob("*") if path.is_file()}


def differences(
    first: Path, second: Path, addresses: tuple[Address, Address] = (FIRST, SECOND)
) -> list[str]:
    """Return the names of the files that differ in more than the address, or that one lacks."""
    ours, theirs = files(first), files(second)
    spelled = [forms(address) for address in addresses]
    unlike = {str(name) for name in ours ^ theirs}
    for name in ours & theirs:
        text = (second / name).read_bytes()
        for ours_in, theirs_in in zip(*spelled, strict=True):
            text = text.replace(theirs_in, ours_in)
        if text != (first / name).read_bytes():
            unlike.add(str(name))
    return sorted(unlike)


def compare() -> tuple[int, list[str]]:
    """Build two copies; return how many files one has, and which differ otherwise."""
    with tempfile.TemporaryDirectory() as folder:
        pages = []
        for name, address in (("first", FIRST), ("second", SECOND)):
            copied = Path(folder) / name
            copied.mkdir()
            copy(copied)
            pages.append(build(copied, address))
        return len(files(pages[0])), differences(*pages)
