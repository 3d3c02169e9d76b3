"""Styles without weight: of the theme's, keep the rules that some page can use, in one file.

No text shows before every style is there. The theme brings the whole of Bootstrap, 310 KB of which
the book uses a part, and with the extensions it makes ten files. A rule goes if it asks for a class
or an id that is a word of no page and of no script, so what a script may add keeps its style.
"""

import hashlib
import posixpath
import re
from pathlib import Path
from typing import Any

import tinycss2
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinx.util.typing import ExtensionMetadata

from _ext.icon_fonts import texts

# The book's own style has nothing to spare.
OWN = "book.css"
# The styles that a page names, but those of its widgets, and what these styles name.
LINK = re.compile(r'\s*<link [^>]*href="((?:\.\./)*)_static/((?!widgets-)[^"?]+\.css)[^"]*"[^>]*>')
IMPORT = re.compile(r"""@import\s*["']([^"']+)["'];""")
ADDRESS = re.compile(r"""url\((["']?)(?!data:|#)([^"')]+)\1\)""")
# Bootstrap puts the class of a tooltip together, so no script holds it as a word.
PUT_TOGETHER = {"bs-tooltip-auto"}
# Rules that hold rules.
GROUPS = {"media", "supports", "layer", "container"}
WORD = re.compile(r"[A-Za-z_-][\w-]*")


def may_match(selectors: list[Any], words: set[str]) -> bool:
    """Return whether a page can hold what one of the selectors names, brackets aside."""
    names: set[str] = set()
    before = None
    for token in selectors:
        if token == ",":
            if names <= words:
                return True
            names = set()
        elif token.type == "hash" or (token.type == "ident" and before == "."):
            # A name that is no word, such as `w-1/2`, is not looked for.
            names |= {token.value} if WORD.fullmatch(token.value) else set()
        before = token
    return names <= words


def kept(rules: list[Any], words: set[str]) -> str:
    """Return the text of the rules that a page can use."""
    found = []
    for rule in rules:
        if rule.type == "error":
            raise ExtensionError(f"A style cannot be read, so it cannot be cut: {rule.message}")
        if rule.type == "at-rule" and rule.lower_at_keyword in GROUPS and rule.content is not None:
            if inner := kept(tinycss2.parse_rule_list(rule.content, True, True), words):
                found.append(f"@{rule.at_keyword}{tinycss2.serialize(rule.prelude)}{{{inner}}}")
        elif rule.type == "at-rule" or may_match(rule.prelude, words):
            found.append(rule.serialize())
    return "".join(found)


def cut(style: str, words: set[str]) -> str:
    """Return a style with only the rules that a page can use, and without comments."""
    return kept(tinycss2.parse_stylesheet(style, skip_comments=True, skip_whitespace=True), words)


def read(static: Path, name: str, words: set[str]) -> str:
    """Return what is left of a style, with what it imports; addresses start at `static`."""
    folder = posixpath.dirname(name)
    style = (static / name).read_text(encoding="utf-8")

    def imported(found: re.Match[str]) -> str:
        return read(static, posixpath.normpath(posixpath.join(folder, found[1])), words)

    def moved(found: re.Match[str]) -> str:
        return f"url({posixpath.normpath(posixpath.join(folder, found[2]))})"

    style = style.removeprefix('@charset "UTF-8";')
    style = ADDRESS.sub(moved, style if name == OWN else cut(style, words))
    return IMPORT.sub(imported, style)


def join_styles(app: Sphinx, exception: Exception | None) -> None:
    """Put one style in the place of those that each page names."""
    if exception or app.builder.format != "html":
        return
    root, static = Path(app.outdir), Path(app.outdir, "_static")
    pages = {path: path.read_text(encoding="utf-8") for path in root.rglob("*.html")}
    scripts = texts(static.rglob("*.js"))
    words = PUT_TOGETHER.union(WORD.findall("\n".join([*pages.values(), scripts])))
    for path, page in pages.items():
        links = list(LINK.finditer(page))
        if not links:
            continue
        style = "\n".join(read(static, link[2], words) for link in links)
        name = f"style-{hashlib.sha256(style.encode()).hexdigest()[:8]}.css"
        (static / name).write_text(style, encoding="utf-8")
        joined = f'\n  <link rel="stylesheet" href="{links[0][1]}_static/{name}">'
        before, after = page[: links[0].start()], page[links[0].end() :]
        path.write_text(before + joined + LINK.sub("", after), encoding="utf-8")
    for path in static.rglob("*.css"):
        if not path.match("style-*.css") and not path.match("widgets-*.css"):
            path.unlink()


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("build-finished", join_styles, priority=950)  # when every file is there
    return {"parallel_read_safe": True, "parallel_write_safe": True}
