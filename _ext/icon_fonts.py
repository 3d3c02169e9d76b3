"""Icons without weight: of Font Awesome, keep the glyphs that the book shows.

The theme ships 1.5 MB of icon script (left out by `_templates/static/webpack-macros.html`) and
300 KB of icon fonts, and its style names each of the 2,000 icons. A book shows some thirty.
"""

import logging
import re
from collections.abc import Iterable
from pathlib import Path

from fontTools import subset
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

# A rule of Font Awesome's style: the names of one icon, and its character.
ICON_RULE = re.compile(r'((?:\.fa-[a-z0-9-]+:before,?)+)\{content:"\\([0-9a-f]{2,5})"\}')
# Where other rules put a character of the fonts' private area: escaped, or as it is.
ESCAPED = re.compile(r'"\\([ef][0-9a-f]{3})"')
PRIVATE = re.compile("[\ue000-\uf8ff]")


def texts(paths: Iterable[Path]) -> str:
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


def keep_used_icons(app: Sphinx, exception: Exception | None) -> None:
    """Cut the icon fonts and the icon style down to what pages, scripts and styles name."""
    if exception or app.builder.format != "html":
        return
    static = Path(app.outdir, "_static")
    # Beside the icon script: maps for debuggers, and templates of the theme, which are no pages.
    for pattern in ("fontawesome.js", "*.map", "*-macros.html"):
        for unused in static.rglob(pattern):
            unused.unlink()

    named = re.findall(
        r"fa-[a-z0-9-]+", texts((*Path(app.outdir).rglob("*.html"), *static.rglob("*.js")))
    )
    used = {f".{name}:before" for name in named}
    style = static / "styles" / "pydata-sphinx-theme.css"
    points: set[int] = set()

    def keep_if_used(rule: re.Match[str]) -> str:
        if used.isdisjoint(rule[1].split(",")):
            return ""
        points.add(int(rule[2], 16))
        return rule[0]

    css = ICON_RULE.sub(keep_if_used, style.read_text(encoding="utf-8"))
    css = re.sub(r',url\([^)]+\.ttf\) format\("truetype"\)', "", css)
    style.write_text(css, encoding="utf-8")

    every_style = texts(static.rglob("*.css"))
    points |= {int(point, 16) for point in ESCAPED.findall(every_style)}
    points |= {ord(character) for character in PRIVATE.findall(every_style)}
    fonts = static / "vendor" / "fontawesome" / "webfonts"
    for unused in fonts.glob("*.ttf"):
        unused.unlink()
    for path in fonts.glob("*.woff2"):
        cut(path, points)


def cut(path: Path, points: set[int]) -> None:
    """Keep these characters of a font file, and nothing that only other characters need."""
    options = subset.Options(flavor="woff2", layout_features=[], notdef_outline=True, hinting=False)
    font = subset.load_font(str(path), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=points)
    subsetter.subset(font)
    subset.save_font(font, str(path), options)


def setup(app: Sphinx) -> ExtensionMetadata:
    logging.getLogger("fontTools").setLevel(logging.WARNING)  # it reports each table it cuts
    app.connect("build-finished", keep_used_icons, priority=900)  # when every file is there
    return {"parallel_read_safe": True, "parallel_write_safe": True}
