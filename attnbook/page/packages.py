"""Packages come when they are imported, and matplotlib when something is drawn.

The first come with Python. The others are fetched by whoever imports them, while Python waits:
a worker may. `import matplotlib.pyplot as plt` stands in the first cell of every page, so it makes
an empty module, which is filled when one of its names is used: else each first press would fetch
7 MB more and take twice the time.
"""

import importlib
import importlib.util
import io
import json
import sys
import zipfile
from collections.abc import Callable, Sequence
from importlib.abc import Loader
from importlib.machinery import FileFinder, ModuleSpec
from types import ModuleType
from typing import Any

Buffer = bytes | memoryview
#: Fetches the file of a package, for the one that is wanted, when so much of the whole is there.
Fetch = Callable[[str, str, int, int], Buffer]
#: Loads a library that modules of packages ask for by its name.
Link = Callable[[str, bytes], object]
#: What is empty until it is used.
LATE = "matplotlib"

_styles: list[Any] = []


class Packages(Loader):
    """A finder of modules: of packages that the book has and that are not there yet."""

    def __init__(self, packages: dict[str, Any], site: str, fetch: Fetch, link: Link) -> None:
        self.packages, self.site, self.fetch, self.link = packages, site, fetch, link
        self.there: set[str] = set()
        self.package_of = {
            module: name for name, package in packages.items() for module in package["imports"]
        }

    def unpack(self, name: str, data: Buffer) -> None:
        """Put the files of a package where Python finds them."""
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            if self.packages[name]["library"]:
                for file in archive.namelist():
                    self.link(file, archive.read(file))
            else:
                archive.extractall(self.site)
        self.there.add(name)
        # Not of all finders: each part of the standard library would read its archive again.
        for finder in sys.path_importer_cache.values():
            if isinstance(finder, FileFinder):
                finder.invalidate_caches()

    def get(self, name: str) -> None:
        """Fetch a package and what it needs, unless it is there."""
        todo, missing = [name], []
        while todo:
            one = todo.pop()
            if one not in self.there and one not in missing:
                missing.append(one)
                todo += self.packages[one]["depends"]
        loaded, total = 0, sum(self.packages[one]["sent"] for one in missing)
        for one in reversed(missing):
            self.unpack(one, self.fetch(one, name, loaded, total))
            loaded += self.packages[one]["sent"]

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Find a module of a package that is not there, and fetch that one or make it late."""
        top = fullname.partition(".")[0]
        name = self.package_of.get(top)
        if name is None or name in self.there:
            return None
        if top == LATE:
            return ModuleSpec(fullname, self, is_package=fullname == LATE)
        self.get(name)
        return importlib.util.find_spec(fullname)

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Make a module that is empty until it is used."""
        return Late(spec.name, self)

    def exec_module(self, module: ModuleType) -> None:
        """Let it be empty."""


class Late(ModuleType):
    """A module that becomes itself when the first of its names is used."""

    def __init__(self, name: str, packages: Packages) -> None:
        super().__init__(name)
        self.__dict__["_packages"] = packages
        if name == f"{LATE}.pyplot":
            self.__dict__["style"] = Style()

    def __getattr__(self, name: str) -> Any:
        if name == "__path__":
            raise AttributeError(name)  # asked by the import system of what is no package
        become(self)
        return getattr(self, name)


class Style:
    """`plt.style` before something is drawn: it notes what is used."""

    def use(self, style: Any) -> None:
        """Use a style when there is something to draw."""
        _styles.append(style)

    def __getattr__(self, name: str) -> Any:
        return getattr(importlib.import_module(f"{LATE}.style"), name)


def become(module: ModuleType) -> None:
    """Let a late module become itself, after what it is in."""
    module.__dict__["_packages"].get(LATE)
    whole = sys.modules[LATE]
    if module is not whole and isinstance(whole, Late):
        become(whole)
    if not isinstance(module, Late):
        return  # what it is in has used it
    module.__class__ = ModuleType  # type: ignore[assignment]
    importlib.reload(module)
    if module is whole:
        while _styles:
            importlib.import_module(f"{LATE}.style").use(_styles.pop(0))


def connect(packages: str, site: str, fetch: Fetch, link: Link) -> Packages:
    """Find packages from here on; they are given as JSON, as the build wrote them."""
    finder = Packages(json.loads(packages), site, fetch, link)
    sys.meta_path.append(finder)  # last: what is there comes first
    return finder
