"""Formulas in few elements: what KaTeX writes, without what only holds a size.

A letter with an index takes fourteen elements of KaTeX, and a page has hundreds of them. A strut
becomes a pseudo-element (LEAN), a space the margin of what stands beside it, an index one shifted
element, and a wrapper that no rule of the style names goes. All that is drawn stays in its place.
In the MathML the annotation goes, which no one hears or sees, and each row of one; the letters of a
word become the word, which is then heard as one.
"""

import re
from itertools import pairwise
from typing import TypeGuard
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

# Classes that change nothing: the style has no rule for them, or one that holds without it.
SILENT = {
    *("mord", "mop", "mbin", "mrel", "mopen", "mclose", "mpunct", "minner"),
    *("mtight", "text", "mathrm"),
}
# Where a rule of the style asks for the children.
ASKED = {"inner", "delim-size1", "delim-size4"}
# How large letters are in each size of TeX, as the style has it. There is no size 0.
SIZES = (0, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.2, 1.44, 1.728, 2.074, 2.488)
# The struts of a line, and of the rows that hang in a stack; an index makes no line higher.
LEAN = """
.katex .base::before, .katex .vlist > span::before { content: ""; display: inline-block; }
.katex .base::before { height: var(--h); vertical-align: var(--v); }
.katex .vlist > span::before { height: var(--p); }
.katex .script { line-height: 0; }
"""
XMLNS = re.compile(r""" xmlns=(["']).*?\1""")
LENGTH = re.compile(r"([\w-]+):(-?[\d.]+)em;")
SIZING = re.compile(r"sizing reset-size(\d+) size(\d+)\b.*")

Item = str | Element


def lean(html: str) -> str:
    """Return a formula of KaTeX in fewer elements, with its source as an attribute."""
    root = ElementTree.fromstring(XMLNS.sub("", html))
    for math in list(root.iter("math")):
        formula = root if root.get("class") == "katex" else root[0]
        formula.set("data-tex", without_source(math))
    for part in list(root.iter("span")):
        if classes(part) == ["katex-html"]:
            slim(part)
            if root.get("class") == "katex" and len(part) == 1:
                take_in(part, part[0])
    return ElementTree.tostring(root, encoding="unicode", short_empty_elements=False)


def without_source(math: Element) -> str:
    """Take the annotation away and return it. The outer row is `math`, a row of one that one."""
    ((row, source),) = math
    math[:] = row[:] if row.tag == "mrow" else [row]
    for part in math.iter():
        join_letters(part)
    while rows := [(p, i) for p in math.iter() for i, part in enumerate(p) if is_row_of_one(part)]:
        for parent, i in rows:
            parent[i] = parent[i][0]
    return source.text or ""


def join_letters(part: Element) -> None:
    """Make upright letters that follow each other one name, which is upright by itself."""
    for one, other in reversed(list(pairwise(part))):
        if is_upright(one) and is_upright(other):
            one.text = f"{one.text}{other.text}"
            part.remove(other)
    for child in part:
        if is_upright(child) and len(child.text or "") > 1:
            del child.attrib["mathvariant"]


def is_upright(part: Element) -> bool:
    letters = part.text or ""
    is_name = part.tag == "mi" and letters.isascii() and letters.isalpha()
    return is_name and part.get("mathvariant") == "normal"


def is_row_of_one(part: Element) -> bool:
    return part.tag == "mrow" and len(part) == 1


def classes(part: Element) -> list[str]:
    return part.get("class", "").split()


def name(part: Element, names: list[str]) -> None:
    part.attrib.pop("class", None)
    if names:
        part.attrib = {"class": " ".join(names), **part.attrib}


def style(part: Element, declarations: str) -> None:
    if declarations:
        part.set("style", part.get("style", "") + declarations)


def lengths(part: Element) -> dict[str, float]:
    """Return what the style of an element gives in em."""
    return {key: float(em) for key, em in LENGTH.findall(part.get("style", ""))}


def has_only_margins(part: Element) -> bool:
    return not re.sub(r"margin-(left|right):-?[\d.]+em;", "", part.get("style", ""))


def content(part: Element) -> list[Item]:
    """Return the texts and elements in a part, in their order."""
    items: list[Item] = [part.text or ""]
    for child in part:
        items += [child, child.tail or ""]
    return [item for item in items if item != ""]


def fill(part: Element, items: list[Item]) -> None:
    """Put texts and elements into a part, in place of what is there."""
    part.text, part[:] = "", []
    for item in items:
        if not isinstance(item, str):
            part.append(item)
            item.tail = ""
        elif len(part):
            part[-1].tail = f"{part[-1].tail}{item}"
        else:
            part.text += item


def take_in(part: Element, only: Element) -> None:
    """Make a part and the only one in it one element."""
    name(part, [*classes(part), *classes(only)])
    style(part, only.get("style", ""))
    fill(part, content(only))


def slim(part: Element, is_in_stack: bool = False) -> None:
    """Take away in a part what only holds a size, and silent wrappers."""
    hang(part)
    keeps = is_in_stack or not ASKED.isdisjoint(classes(part))
    items: list[Item] = []
    for item in content(part):
        if not isinstance(item, str):
            slim(item, "vlist" in classes(part))
        is_kept = isinstance(item, str) or keeps or not is_silent(item)
        items += [item] if is_kept else content(item)
    fill(part, joined(spaced(items)))
    if len(content(part)) == len(part) == 1 and is_one_with(part, part[0]):
        take_in(part, part[0])
    if classes(part) == ["msupsub", "vlist-t"] and len(part[0]) == 1:
        shift(part, part[0])
    name(part, [one for one in classes(part) if one not in SILENT])


def hang(part: Element) -> None:
    """Note the size of a strut where a pseudo-element takes it."""
    if classes(part) == ["base"] and classes(part[0]) == ["strut"]:
        size = part[0].get("style", "")
        style(part, size.replace("height:", "--h:").replace("vertical-align:", "--v:"))
        part.remove(part[0])
    elif "vlist-t" in classes(part):
        # If there is a second row it has the depth, as the strut of the line has.
        stack = part[0][0]
        part[:] = [stack]
        name(part, ["vlist-t"])
        (size,) = {row[0].get("style", "") for row in stack}
        style(stack, size.replace("height:", "--p:"))
        for row in stack:
            row.remove(row[0])


def is_silent(part: Element) -> bool:
    return part.tag == "span" and not part.get("style") and SILENT.issuperset(classes(part))


def is_one_with(part: Element, only: Element) -> bool:
    """Whether a part and all that is in it can be one element."""
    if classes(part) == ["msupsub"]:
        return classes(only) == ["vlist-t"]
    is_letters = bool(only.text) and not len(only) and has_only_margins(only)
    return is_letters and not part.get("style") and ("sizing" in classes(part) or is_silent(part))


def shift(part: Element, stack: Element) -> None:
    """Make a stack of one row, an index or an exponent, letters that are shifted."""
    (row,) = stack
    sizes = SIZING.fullmatch(row[0].get("class", "")) if len(row) else None
    if sizes is None or len(content(row)) > 1 or not has_only_margins(row[0]):
        return
    size, at = SIZES[int(sizes[2])] / SIZES[int(sizes[1])], lengths(row)
    own = lengths(row[0])
    name(part, ["script", *classes(row[0])])
    style(part, f"vertical-align:{number((-at['top'] - lengths(stack)['--p']) / size)}em;")
    for side in ("margin-left", "margin-right"):
        if margin := at.get(side, 0) / size + own.get(side, 0):
            style(part, f"{side}:{number(margin)}em;")
    fill(part, content(row[0]))


def number(x: float) -> str:
    return f"{round(x, 5):g}"


def spaced(items: list[Item]) -> list[Item]:
    """Make each space the margin of what stands beside it, if it can: of an element first."""
    for space in filter(is_space, list(items)):
        at = items.index(space)
        sides = [(at - 1, "margin-right"), (at + 1, "margin-left")]
        if any(map(is_space, items[at + 2 : at + 3])):
            sides.reverse()  # a sign between two spaces takes both
        sides = [(i, side) for i, side in sides if 0 <= i < len(items) and can_widen(items[i])]
        sides.sort(key=lambda place: isinstance(items[place[0]], str))
        for i, side in sides[:1]:
            items[i] = widened(items[i], side, lengths(space)["margin-right"])
            items.remove(space)
    return items


def is_space(item: Item) -> TypeGuard[Element]:
    """Whether an item is a margin and no more; the space of a text is a character."""
    if isinstance(item, str) or classes(item) != ["mspace"]:
        return False
    return list(lengths(item)) == ["margin-right"]


def can_widen(item: Item) -> bool:
    """Whether an em of an item is an em of the line."""
    return isinstance(item, str) or {"mspace", "sizing"}.isdisjoint(classes(item))


def widened(item: Item, side: str, by: float) -> Element:
    """Return an item with a margin; a text becomes an element."""
    if isinstance(item, str):
        text, item = item, Element("span")
        item.text = text
    margin = lengths(item).get(side, 0) + by
    item.set("style", re.sub(rf"{side}:[^;]*;", "", item.get("style", "")))
    style(item, f"{side}:{number(margin)}em;")
    return item


def joined(items: list[Item]) -> list[Item]:
    """Join neighbours that are letters with the same class, and no more."""
    found: list[Item] = []
    for item in items:
        last = found[-1] if found else ""
        if not isinstance(item, str) and not isinstance(last, str) and are_alike(last, item):
            last.text = f"{last.text}{item.text}"
        else:
            found.append(item)
    return found


def are_alike(one: Element, other: Element) -> bool:
    parts = one, other
    are_letters = all(part.text and not len(part) and not part.get("style") for part in parts)
    return are_letters and one.attrib == other.attrib
