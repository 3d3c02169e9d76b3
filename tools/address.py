"""Set the address of the repository in every file that must hold it.

Its one place is `repository: url:` in _config.yml; Sphinx and the tools read it there. A few files
stand alone and need a copy: a notebook in Colab has nothing but itself. Runs with the standard
library only, before anything is installed.
"""

import argparse
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tools.project import ROOT

PLACEHOLDER = "https://github.com/your-name/attention-layers"
SOURCE = "_config.yml"

# The files that hold the address, and what stands right before it there.
PLACES = {
    SOURCE: "\n  url: ",
    "pyproject.toml": '\nRepository = "',
    "CITATION.cff": "\nrepository-code: ",
    "README.md": "pip install git+",
    "chapters/*.ipynb": 'SOURCE = \\"git+',
}
# Names as GitHub allows them.
ADDRESS = re.compile(
    r"https://github\.com/(?P<owner>[A-Za-z0-9](?:-?[A-Za-z0-9]){0,38})/(?P<name>[A-Za-z0-9._-]{1,100})"
)


class AddressError(ValueError):
    """This is not the address of a repository that the book can be launched from."""


@dataclass(frozen=True)
class Address:
    """Where the repository of a book is."""

    owner: str
    name: str

    @property
    def url(self) -> str:
        """The address of the repository."""
        return f"https://github.com/{self.owner}/{self.name}"

    @property
    def pages(self) -> str:
        """Where GitHub Pages shows the book, with a slash at its end."""
        host = f"{self.owner.lower()}.github.io"
        folder = "" if self.name.lower() == host else f"{self.name}/"
        return f"https://{host}/{folder}"

    @property
    def is_placeholder(self) -> bool:
        """Whether nobody has set the address so far."""
        return self.url == PLACEHOLDER


def parse(text: str) -> Address:
    """Return the address that a text holds, as the browser shows it or as `git clone` takes it."""
    found = ADDRESS.fullmatch(text.removesuffix("/").removesuffix(".git"))
    if not found or found["name"] in {".", ".."}:
        raise AddressError(
            "The address must be that of a repository on GitHub, whose notebooks Colab can open, "
            f"such as https://github.com/you/yours, but it is {text!r}: copy it from the browser."
        )
    return Address(found["owner"], found["name"])


def places(root: Path = ROOT) -> Iterator[tuple[Path, re.Pattern[str]]]:
    """Yield the files that hold the address, each with a pattern that ends with the address."""
    for name, before in PLACES.items():
        for path in sorted(root.glob(name)):
            yield path, re.compile(f"(?<={re.escape(before)})" + r"""[^\s"'`\\]+""")


def held(root: Path = ROOT) -> dict[Path, list[str]]:
    """Return the addresses that stand in each of the files."""
    return {path: pattern.findall(path.read_text("utf-8")) for path, pattern in places(root)}


def current(root: Path = ROOT) -> Address:
    """Return the address of this book."""
    found = held(root)[root / SOURCE]
    if len(found) != 1:
        raise AddressError(f"{SOURCE} must hold one line `  url: https://github.com/you/yours`.")
    return parse(found[0])


def write(address: Address, root: Path = ROOT) -> list[Path]:
    """Set the address everywhere; return the files that changed. An error changes nothing."""
    changed = {}
    for path, pattern in places(root):
        old = path.read_text("utf-8")
        new, times = pattern.subn(address.url, old)
        if not times:
            raise AddressError(
                f"{path.relative_to(root)} has lost the line that holds the address, so nothing "
                "was changed: put the line back first."
            )
        if new != old:
            changed[path] = new
    for path, text in changed.items():
        path.write_text(text, "utf-8")
    return list(changed)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("url", metavar="URL", help="such as https://github.com/you/yours")
    try:
        address = parse(parser.parse_args().url)
        changed = write(address)
    except AddressError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"The address is {address.url} ({len(changed)} files changed).")
    return 0


if __name__ == "__main__":
    sys.exit(main())
