"""The one style of the book: KaTeX's, the colours of code, and the theme's parts.

KaTeX's style and fonts come from its npm package, of the version that typesets
(_ext/typesetting.py); the fonts are cut to the characters in formulas.
"""

import base64
import json
import logging
import re
import shutil
from collections.abc import Iterable, Iterator
from html import unescape
from pathlib import Path
from typing import Any, ClassVar

from docutils import nodes
from fontTools import subset
from pygments.formatters import HtmlFormatter
from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Name, Operator, Text
from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment
from sphinx.environment.collectors import EnvironmentCollector
from sphinx.errors import ExtensionError
from sphinx.highlighting import PygmentsBridge
from sphinx.util.typing import ExtensionMetadata
from sphinxcontrib import katex

from _ext.esbuild import minified
from _ext.lean_formulas import LEAN
from _ext.static_widgets import widget_formulas
from _ext.theme import FOLDER, STYLE
from _ext.typesetting import typeset

PACKAGE = Path(__file__).resolve().parent.parent / "node_modules" / "katex"
# What nearly every formula is set in. These fonts are part of the style: as files they would come
# after the first lines are shown, and lines and columns with formulas would move.
AT_ONCE = ("KaTeX_Main-Regular", "KaTeX_Math-Italic")
# Widgets write letters of formulas, too, and ticks.
IN_WIDGETS = {chr(code) for code in range(ord(" "), ord("~"))} | set("αβγθσℓ✓")
CODE_LIGHT, CODE_DARK = "a11y-high-contrast-light", "a11y-high-contrast-dark"
# The other formats would be dead weight: every browser that runs the widgets reads WOFF2.
OTHER_FORMAT = re.compile(r',url\(fonts/[^)]+\.(?:woff|ttf)\) format\("[a-z]+"\)')


def check_versions(app: Sphinx) -> None:
    """Stop where the typesetter and its style differ: glyphs would sit in the wrong places."""
    script = Path(katex.SRC_DIR, app.config.katex_js_path).read_text(encoding="utf-8")
    typesetter = re.search(r'version:"([\d.]+)"', script)
    try:
        package = json.loads((PACKAGE / "package.json").read_text(encoding="utf-8"))
    except FileNotFoundError as error:
        raise ExtensionError(f"KaTeX's style is missing ({error.filename}): run npm ci") from error
    if not typesetter or typesetter[1] != package["version"]:
        found = typesetter[1] if typesetter else "an unknown version"
        raise ExtensionError(
            f"sphinxcontrib-katex typesets with KaTeX {found}, but package.json takes the style "
            f"of {package['version']}: make the two equal"
        )


class Characters(EnvironmentCollector):
    """Notes the characters that the formulas of each page are typeset with."""

    def process_doc(self, app: Sphinx, doctree: nodes.document) -> None:
        """Note those of a page that was read."""
        found = set()
        for formula in widget_formulas(app.env, app.env.docname):
            found.update(unescape(typeset(formula, display=False)))
        for formula in doctree.findall(lambda n: isinstance(n, nodes.math | nodes.math_block)):
            display = isinstance(formula, nodes.math_block)
            found.update(unescape(typeset(formula.astext(), display=display)))
        noted(app.env)[app.env.docname] = found

    def clear_doc(self, app: Sphinx, env: BuildEnvironment, docname: str) -> None:
        """Forget a page that is read again or gone."""
        noted(env).pop(docname, None)

    def merge_other(
        self, app: Sphinx, env: BuildEnvironment, docnames: set[str], other: BuildEnvironment
    ) -> None:
        """Take over what another process read."""
        noted(env).update({name: noted(other)[name] for name in docnames})


def noted(env: BuildEnvironment) -> dict[str, set[str]]:
    """Return the characters noted so far, page by page; they stay from build to build."""
    if not hasattr(env, "formula_characters"):
        env.formula_characters = {}
    return env.formula_characters


def formulas(target: Path, kept: Path, used: set[str]) -> str:
    """Return KaTeX's style, and write the fonts that it names, as WOFF2 only.

    Cutting takes seconds: `kept` has the fonts of the last build, for the same characters.
    """
    source = PACKAGE / "dist"
    key, of = kept / "of.txt", "".join(sorted(used))
    fresh = key.is_file() and key.read_text(encoding="utf-8") == of
    if not fresh:
        shutil.rmtree(kept, ignore_errors=True)
    for folder in (kept, target):
        (folder / "fonts").mkdir(parents=True, exist_ok=True)
    style = OTHER_FORMAT.sub("", (source / "katex.min.css").read_text(encoding="utf-8"))
    for name in re.findall(r"url\((fonts/[^)]+)\)", style):
        path = kept / name
        if not fresh:
            shutil.copyfile(source / name, path)
            cut(path, used)
        if path.stem in AT_ONCE:
            font = base64.b64encode(path.read_bytes()).decode()
            style = style.replace(name, f"data:font/woff2;base64,{font}")
        else:
            shutil.copyfile(path, target / name)
    key.write_text(of, encoding="utf-8")
    return style


def cut(path: Path, used: set[str]) -> None:
    """Keep these characters of a font file, and nothing that only other characters need."""
    options = subset.Options(flavor="woff2", layout_features=[], notdef_outline=True, hinting=False)
    subsetter = subset.Subsetter(options)
    subsetter.populate(text="".join(used))
    with subset.load_font(str(path), options) as font:
        subsetter.subset(font)
        subset.save_font(font, str(path), options)


def colours_of_code() -> dict[str, list[Any]]:
    """Return the kinds of tokens that have a colour of their own in code, by its rule."""
    styles = [get_style_by_name(name) for name in (CODE_LIGHT, CODE_DARK)]
    rules: dict[str, list[Any]] = {}
    for token, name in STANDARD_TYPES.items():
        light, dark = (style.style_for_token(token)["color"] for style in styles)
        is_plain = (light, dark) == tuple(s.style_for_token(Name)["color"] for s in styles)
        if name and light and dark:
            rule = "" if is_plain else f"color: light-dark(#{light}, #{dark})"
            rules.setdefault(rule, []).append(token)
    return rules


def code() -> str:
    """Return the colours of code, each in light and dark."""
    names = {
        rule: ", ".join(f".{STANDARD_TYPES[token]}" for token in tokens)
        for rule, tokens in colours_of_code().items()
    }
    return "".join(f".highlight :is({n}) {{ {rule} }}\n" for rule, n in names.items() if rule)


class FewSpans(HtmlFormatter[str]):
    """Code with a span for each change of colour, not for each token: half of a page's elements.

    The dot of an attribute has the colour of the names beside it, and a space that of what is
    before it, which nobody sees.
    """

    #: The kind of token whose class stands for all of its colour; names and brackets have none.
    STANDS_FOR: ClassVar = {
        token: tokens[0] if rule else Text
        for rule, tokens in colours_of_code().items()
        for token in tokens
    }

    def format(self, tokensource: Iterable[tuple[Any, str]], outfile: Any) -> None:
        """Write the tokens; the formatter joins neighbours of the same kind."""
        super().format(self.coloured(tokensource), outfile)

    def coloured(self, tokens: Iterable[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
        """Give the tokens with the kind that stands for their colour."""
        kind = Text
        for token, text in tokens:
            if text.strip(" "):
                is_dot = (token, text) == (Operator, ".")
                kind = Text if is_dot else self.STANDS_FOR.get(token, token)
            yield kind, text


def write_style(app: Sphinx, env: BuildEnvironment) -> None:
    """Write the style when every page is read and none is written: pages name its digest."""
    target = Path(app.outdir, "_static")
    parts = [path.read_text(encoding="utf-8") for path in sorted((FOLDER / "style").iterdir())]
    used = IN_WIDGETS.union(*noted(env).values())
    styles = [formulas(target, Path(app.doctreedir, "formulas"), used), LEAN, code(), *parts]
    text = minified("\n".join(styles), "css")
    (target / STYLE).write_text(text, encoding="utf-8")


def setup(app: Sphinx) -> ExtensionMetadata:
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # it reports each table it cuts
    PygmentsBridge.html_formatter = FewSpans
    app.connect("builder-inited", check_versions)
    app.add_env_collector(Characters)
    app.connect("env-updated", write_style)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
