"""The one style of the book: KaTeX's, the colours of code, the theme's parts, the explorers'."""

import base64
import re
import shutil
from pathlib import Path

from pygments.styles import get_style_by_name
from pygments.token import STANDARD_TYPES, Name
from sphinx.application import Sphinx

from attnbook.explorers._base import CORE
from book.sphinx.theme import FOLDER, STYLE
from book.sphinx.typesetting import PACKAGE

# What nearly every formula is set in. These fonts are part of the style: as files they would come
# after the first lines are shown, which would move, and not at all to an explorer in a sandbox.
AT_ONCE = ("KaTeX_Main-Regular", "KaTeX_Math-Italic")
CODE_LIGHT, CODE_DARK = "a11y-high-contrast-light", "a11y-high-contrast-dark"
# The other formats would be dead weight: every browser that runs the widgets reads WOFF2.
OTHER_FORMAT = re.compile(r',url\(fonts/[^)]+\.(?:woff|ttf)\) format\("[a-z]+"\)')


def formulas(static: Path) -> str:
    """Return KaTeX's style, and write the fonts that it names."""
    style = OTHER_FORMAT.sub("", (PACKAGE / "dist/katex.min.css").read_text(encoding="utf-8"))
    (static / "fonts").mkdir(parents=True, exist_ok=True)
    for path in (PACKAGE / "dist/fonts").glob("*.woff2"):
        if path.stem in AT_ONCE:
            font = base64.b64encode(path.read_bytes()).decode()
            style = style.replace(f"fonts/{path.name}", f"data:font/woff2;base64,{font}")
        else:
            shutil.copy(path, static / "fonts")
    return style


def code() -> str:
    """Return the colours of code, each in light and dark."""
    light, dark = get_style_by_name(CODE_LIGHT), get_style_by_name(CODE_DARK)
    rules: dict[tuple[str, str], list[str]] = {}
    for token, name in STANDARD_TYPES.items():
        colours = light.style_for_token(token)["color"], dark.style_for_token(token)["color"]
        if name and all(colours):
            rules.setdefault(colours, []).append(f".{name}")
    rules.pop((light.style_for_token(Name)["color"], dark.style_for_token(Name)["color"]))
    return "".join(
        f".highlight :is({', '.join(names)}) {{ color: light-dark(#{day}, #{night}) }}\n"
        for (day, night), names in rules.items()
    )


def write_style(app: Sphinx) -> None:
    """Write the style before a page is written: pages name its digest."""
    static = Path(app.outdir, "_static")
    shared = sorted(CORE.glob("*.css"), key=lambda path: path.stem != "explorer")
    explorers = sorted(CORE.parent.glob("*/widget.css"))
    files = [*sorted((FOLDER / "style").iterdir()), *shared, *explorers]
    parts = [formulas(static), code(), *(path.read_text(encoding="utf-8") for path in files)]
    (static / STYLE).write_text("\n".join(parts), encoding="utf-8")


def setup(app: Sphinx) -> None:
    app.connect("builder-inited", write_style)
