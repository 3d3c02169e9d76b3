"""Texts of widgets: `backticks` mark code, dollars formulas, which the book typesets.

With a language before them, as in {fr}`le chat`, backticks mark words of that language.
"""

import re
from collections.abc import Iterable
from html import escape

_MARKED = re.compile(r"((?:\{\w\w\})?`[^`]*`|\$[^$]+\$)")
FORMULA = re.compile(r"\$([^$]+)\$")
# A sign takes the space after it; a relation gives one back.
_SIGNS = {
    "cdot": "· ", "times": "× ", "approx": "≈ ", "le": "≤ ", "ge": "≥ ", "to": "→ ", ",": " ",
    "infty": "∞", "partial": "∂", "lVert": "‖", "rVert": "‖", "dots": "…", "top": "ᵀ", "sqrt": "√",
    "alpha": "α", "phi": "φ", "pi": "π", "omega": "ω", "mathrm": "", "mathbf": "", "tfrac12": "½",
    "ell": "ℓ",
}  # fmt: skip
_RAISED = str.maketrans("0123456789−+ᵀ", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ᵀ")
_LOWERED = str.maketrans("0123456789−+", "₀₁₂₃₄₅₆₇₈₉₋₊")


def check_text(owner: str, name: str, text: object) -> None:
    """Insist that a text is one."""
    if not isinstance(text, str):
        raise TypeError(f"{owner}: {name} must be text, got {type(text).__name__}.")


def formulas_in(texts: Iterable[str]) -> dict[str, str]:
    """The formulas of all texts: in plain letters, by their TeX."""
    return {tex: plain(tex) for text in texts for tex in FORMULA.findall(text)}


def html(text: str) -> str:
    """Text as HTML: backticks mark code, dollars formulas, which the book typesets by their TeX."""

    def mark(part: str) -> str:
        if part.startswith("{") and part.endswith("`"):
            return f'<span lang="{part[1:3]}">{escape(part[5:-1])}</span>'
        if part.startswith("`"):
            return f"<code>{escape(part[1:-1])}</code>"
        if part.startswith("$"):
            return f'<span data-tex="{escape(part[1:-1])}">{escape(plain(part[1:-1]))}</span>'
        return escape(part)

    return "".join(map(mark, _MARKED.split(text)))


def plain(tex: str) -> str:
    """A short formula in plain letters."""
    tex = re.sub(r"\\mathrm\{(\w+)\}", r"\1", tex)
    text = re.sub(
        r"\\(tfrac12|[a-zA-Z]+|,) ?", lambda found: _SIGNS.get(found[1], found[0][1:]), tex
    )
    text = text.replace("-", "−").replace("'", "′")
    text = re.sub(r"\^(\{[^{}]*\}|.)", lambda found: _moved(found[1], "^", _RAISED), text)
    text = re.sub(r"_(\{[^{}]*\}|.)", lambda found: _moved(found[1], "_", _LOWERED), text)
    return text.replace("{", "").replace("}", "")


def _moved(part: str, mark: str, letters: dict[int, int]) -> str:
    """An exponent or an index: small where there are small letters for all of it."""
    part = part.strip("{}")
    if all(ord(character) in letters for character in part):
        return part.translate(letters)
    return f"{mark}{part}" if part.isalnum() else f"{mark}({part})"
