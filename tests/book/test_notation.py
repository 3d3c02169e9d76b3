"""One letter, one thing: the pages write their mathematics in the symbols of the notation.

Each row of the tables under *Symbols* in `chapters/notation.md` holds symbols, what they mean, and
the pages that use them so.
A symbol has one row. A page that takes a letter for something else meets a row that says what the
letter means already, and does not name the page; a page that takes it for that adds itself there.
Letters in a subscript are indices, which have a table of their own, or a name: `W_q` is listed as
it is. What a page quotes in the letters of its source stands in a block of the class `quoted`.
"""

import ast
import json
import re
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

import pytest

from tests.book.test_lessons import LESSONS
from tools.project import CHAPTERS

FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$([^$\n]+?)\$", re.DOTALL)
CODE = re.compile(r"```(?!\{).*?```|`[^`\n]*`", re.DOTALL)
QUOTED = re.compile(r"^(:{3,})\{[^\n]*\n(?::[^\n]*\n)*:class:[^\n]*\bquoted\b.*?^\1$", re.M | re.S)

GREEK = (
    "alpha|beta|gamma|delta|epsilon|zeta|eta|theta|kappa|lambda|mu|nu|xi|pi|rho|sigma|tau|phi|chi"
    "|psi|omega|ell|Gamma|Delta|Theta|Lambda|Xi|Pi|Sigma|Phi|Psi|Omega"
)
DRESS = "mathbf|mathcal|mathrm|tilde|hat|bar|vec"

# The name of a size or a matrix, in a subscript; other words are no symbols, nor are commands.
LINK = re.compile(r"\[(\d+)\]\(([\w-]+)\.ipynb\)")
LABEL = re.compile(r"_\s*\{?\s*\\mathrm\s*\{(\w{2,})\}\s*\}?")
WORDS = re.compile(
    r"_?\s*\{?\\(?:(?:operatorname\*?|text|begin|end)\s*\{[^{}]*\}|mathrm\s*\{[^{}]{2,}\})\}?"
    rf"|\\(?!(?:{GREEK}|{DRESS})(?![A-Za-z]))(?:[A-Za-z]+|.)"
)
LETTER = rf"(?:\\(?:{GREEK})(?![A-Za-z])|[A-Za-z])"
GROUP = r"\{(?:[^{}]|\{[^{}]*\})*\}"
SCRIPT = rf"\s*({GROUP}|@\w+@|{LETTER}'*|[^\s\\])"
SYMBOL = re.compile(
    rf"(\\(?:{DRESS})(?![A-Za-z])\s*(?:{GROUP}|{LETTER}|\d)|{LETTER})('*)"
    rf"(?:\s*\^{SCRIPT})?(?:\s*_{SCRIPT})?(?:\s*\^{SCRIPT})?"
)


def plain(tex: str) -> str:
    """Write a part of a formula in one way."""
    return re.sub(r"[{}\s@]", "", tex)


def symbols(tex: str, named: set[str], indices: set[str]) -> Iterator[str]:
    """Yield the symbols of a formula; a subscript is of indices, or a part of the name."""
    tex = WORDS.sub(" ", LABEL.sub(r"_@\1@", tex))
    for letter, prime, above, below, then in SYMBOL.findall(tex):
        label = plain(below).rstrip("'")
        base, name = plain(letter), f"{plain(letter + prime)}_{label}"
        is_label = "@" in below or re.fullmatch(rf"{{?{LETTER}'*}}?", below)
        is_index = is_label and label in indices
        if base[-1].isdigit():
            continue
        if name in named or (is_label and not is_index):
            yield name
            below = ""
        else:
            yield base + prime if base + prime in named else base
        for script in (above, below, then):
            yield from symbols(script, named, indices)


class Row(NamedTuple):
    """A line of the tables: its symbols, what they mean, the numbers of the pages."""

    symbols: list[str]
    meaning: str
    listed: str
    pages: set[int]
    are_indices: bool


@cache
def rows() -> list[Row]:
    text = (CHAPTERS / "notation.md").read_text(encoding="utf-8")
    found = []
    for part in text.partition("## Symbols")[2].partition("## Glossary")[0].split("### ")[1:]:
        for line in re.findall(r"^\| \$.*\|$", part, re.MULTILINE):
            first, meaning, *_, pages = (cell.strip() for cell in line.strip("|").split("|"))
            shown = [LABEL.sub(r"_\1", tex) for tex in re.findall(r"\$(.+?)\$", first)]
            are_indices = part.startswith("Indices")
            found.append(Row([*map(plain, shown)], meaning, pages, numbers(pages), are_indices))
    return found


def numbers(pages: str) -> set[int]:
    """Read a list of pages, such as 3, 5–7, where the first is a link."""
    plainly = LINK.sub(r"\1", pages)
    spans = [span.partition("–") for span in plainly.split(", ")]
    return {n for start, _, end in spans for n in range(int(start), int(end or start) + 1)}


@cache
def listed() -> dict[str, list[Row]]:
    """The rows of each symbol; one with a subscript stands for all, unless there is one without."""
    alone = {symbol for row in rows() for symbol in row.symbols}
    found: dict[str, list[Row]] = {}
    for row in rows():
        bare = {symbol.partition("_")[0] for symbol in row.symbols} - alone
        for symbol in {*row.symbols, *bare}:
            found.setdefault(symbol, []).append(row)
    return found


def texts(name: str) -> Iterator[str]:
    """What a page says in Markdown: its cells, its captions, its questions."""
    for cell in json.loads((CHAPTERS / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            yield source
        else:
            tree = ast.walk(ast.parse(source))
            yield from (
                node.value
                for node in tree
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
            )
        yield cell["metadata"].get("mystnb", {}).get("figure", {}).get("caption", "")


def used(text: str) -> set[str]:
    """The symbols of a text, without its code and its quotations."""
    text = CODE.sub(" ", QUOTED.sub(" ", text))
    indices = {symbol for row in rows() if row.are_indices for symbol in row.symbols}
    formulas = [one or other for one, other in FORMULA.findall(text)]
    return {symbol for tex in formulas for symbol in symbols(tex, set(listed()), indices)}


@cache
def symbols_of(name: str) -> frozenset[str]:
    return frozenset(symbol for text in texts(name) for symbol in used(text))


@pytest.mark.parametrize(
    ("tex", "found"),
    [
        (r"v^h_j W_O^h", "v h j W_O h"),
        (r"\mathrm dW_q = X^\top \mathrm dQ", r"\mathrmd W_q X \mathrmd Q"),
        (r"d_{\mathrm{ff}} + b_\mathrm{in}", "d_ff b_in"),
        (r"s_\text{Book} + \operatorname{softmax}(x) + \bar s_{j'}", r"s x \bars j'"),
        (r"\tilde q_{n_k - 1} \cdot \mathbf{0}", r"\tildeq n_k"),
        (r"\sum_{j' \in \mathcal N_i} e^{s_{ij'}}", r"j' \mathcalN i e s i j'"),
        (r"W_q' \ell_a", r"W_q \ell a"),
        (r"W_c", "W_c"),
    ],
)
def test_symbols_are_found(tex, found):
    assert list(symbols(tex, {"W_q", "W_O", "n_k", "j'"}, {"i", "j", "j'", "a"})) == found.split()


def test_code_and_quotations_are_not_read():
    text = "$a$ `$b$`\n\n:::{note}\n:class: dropdown quoted\n\n$c$\n:::\n\n$$d$$\n\n```\n$f$\n```\n"
    assert used(text) == {"a", "d"}


def test_a_symbol_has_one_row_and_is_used():
    assert not {symbol for symbol, found in listed().items() if len(found) > 1}
    everywhere = frozenset().union(*map(symbols_of, LESSONS))
    for row in rows():
        for symbol in row.symbols:
            assert {symbol, symbol.partition("_")[0]} & everywhere, symbol


@pytest.mark.parametrize("name", LESSONS)
def test_a_page_uses_symbols_as_the_notation_says(name):
    number = LESSONS.index(name) + 1
    mine = symbols_of(name)
    problems = [f"{symbol}: not in the notation" for symbol in mine if symbol not in listed()]
    for row in rows():
        here = sorted(symbol for symbol in mine if row in listed().get(symbol, []))
        if here and number not in row.pages:
            means = f"means {row.meaning!r}; if that is what it is here, add {number} to its pages"
            problems.append(f"{', '.join(here)}: {means}")
        if number in row.pages and not here:
            problems.append(f"{', '.join(row.symbols)}: not used on page {number}, which is listed")
    assert not problems, "\n".join(problems)


def test_the_first_page_of_a_symbol_is_linked():
    text = (CHAPTERS / "notation.md").read_text(encoding="utf-8")
    links = LINK.findall(text.partition("## Glossary")[0])
    assert len(links) >= len(rows())
    assert not [link for link in links if LESSONS[int(link[0]) - 1] != link[1]]
    assert all(LINK.match(row.listed) for row in rows())
