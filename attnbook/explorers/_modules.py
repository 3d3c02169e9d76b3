"""JavaScript modules joined into one text, for a page and a notebook cell, which load one.

Each module becomes a function that runs once and returns what it exports; what it imports stands
at its top. So its other names are its own, as in a browser that loads modules. Imports and exports
have one form each::

    import { softmax, sum as total } from "../core/compute.js";
    export const hardmax = (scores) => softmax(scores, 0);

and a module may export one thing by ``default``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cache
from pathlib import Path

IMPORT = re.compile(r'^import \{([^}]*)\} from "(\.\.?/[^"]+)";\n', re.MULTILINE)
EXPORT = re.compile(
    r"^export (?:(?:async )?(?:const|let|class|function\*?) (?:(\w+)|\{([^}]*)\})|default)",
    re.MULTILINE,
)
OTHER = re.compile(r"^(?:import|export)\b.*", re.MULTILINE)


@cache
def read(path: Path) -> str:
    """Return the text of a file, which is read once."""
    return path.read_text(encoding="utf-8")


def name_of(path: Path) -> str:
    """What a module is called where modules are joined: core_compute."""
    return f"{path.parent.name}_{path.stem}"


def exported(path: Path) -> list[str]:
    """Return the names that a module exports."""
    found = EXPORT.findall(read(path))
    return [name for one, some in found for name in names_in(one or some or "default")]


def names_in(text: str) -> list[str]:
    """Return the names between the braces of an import or export."""
    return [name.strip() for name in text.split(",") if name.strip()]


def order(*paths: Path) -> list[Path]:
    """Return modules and all that they import, each behind what it needs."""
    done: list[Path] = []

    def visit(path: Path, above: Sequence[Path]) -> None:
        if path in above:
            circle = " imports ".join(map(name_of, [*above[above.index(path) :], path]))
            raise ValueError(f"modules cannot import each other: {circle}.")
        for _, source in IMPORT.findall(read(path)):
            target = (path.parent / source).resolve()
            if target not in done:
                visit(target, [*above, path])
        if path not in done:
            done.append(path)

    for path in paths:
        visit(path.resolve(), [])
    return done


def joined(modules: Iterable[Path]) -> str:
    """Return modules, in this order, as one text."""
    return "".join(map(as_function, modules))


def as_function(path: Path) -> str:
    """Return a module as a function that has run."""

    def taken(match: re.Match[str]) -> str:
        names, source = names_in(match[1]), (path.parent / match[2]).resolve()
        for name in names:
            if name.split()[0] not in exported(source):
                raise ValueError(
                    f"{name_of(path)} imports {name.split()[0]!r}, which {name_of(source)} does "
                    f"not export; it exports {', '.join(exported(source))}."
                )
        given = ", ".join(": ".join(name.split(" as ")) for name in names)
        return f"const {{ {given} }} = {name_of(source)};\n"

    body = IMPORT.sub(taken, read(path))
    body = re.sub(r"^export default\b", "const defaultExport =", body, flags=re.MULTILINE)
    body = EXPORT.sub(lambda match: match[0].removeprefix("export "), body)
    if other := OTHER.search(body):
        raise ValueError(f"{name_of(path)}: an import or export of another form, {other[0]!r}.")
    names = [name if name != "default" else "default: defaultExport" for name in exported(path)]
    return f"const {name_of(path)} = (() => {{\n{body}\nreturn {{ {', '.join(names)} }};\n}})();\n"


def styles(modules: Iterable[Path]) -> str:
    """Return the styles that stand beside modules, in their order."""
    beside = [path.with_suffix(".css") for path in modules]
    return "\n".join(path.read_text(encoding="utf-8") for path in beside if path.exists())
