"""Figures in the colours and letters of a page.

A notebook stores a figure as SVG, black on white (`figures`). A page shows what
`on_page` makes of it: colours by their names, so that they follow light and dark, and the letters
of the page; several panels as several drawings, which the page lays side by side as there is room.
The build does this with what is stored, the worker with what a cell draws.
"""

import re
from collections.abc import Iterator
from html import escape
from xml.etree.ElementTree import Element, fromstring, tostring

from attnbook.page.figures import SMALLEST, WIDEST
from attnutils.plotting import FACE, GREYS, ROLE_COLORS

#: Pixels: the smallest letter on a phone, the largest anywhere, and what parts drawings in a row.
LEAST, LARGEST, GAP = 11, 18, 12
#: Pixels of a page to a point of a figure, where there is room.
ROOMY = 1.6

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
#: What figures are made of.
ELEMENTS = {"svg", "g", "path", "use", "defs", "clipPath", "rect", "text", "tspan", "image"}
ELEMENTS |= {"pattern"}
ATTRIBUTES = {"id", "d", "x", "y", "width", "height", "style", "transform", "clip-path", "href"}
ATTRIBUTES |= {"patternUnits", "fill", "viewBox"}
PICTURE = re.compile(r"data:image/png;base64,[A-Za-z0-9+/=]+")
REFERENCE = re.compile(r"url\(#([^)]+)\)")
ELSEWHERE = re.compile(r"url\((?!#)|[@\\]|expression")
PANEL = re.compile(r"panel_(\d+)_\d+" + 4 * r"_(-?[\d.]+)")
DECLARATION = re.compile(r"([\w-]+)\s*:\s*([^;]+)")
#: How matplotlib before 3.9 writes letters.
FONT = re.compile(r"^(?P<style>.*?)(?P<size>[\d.]+)px ")
#: Colours of figures, and what a page calls them.
COLORS = {
    **{color: f"var(--{name})" for name, color in GREYS.items()},
    **{color: f"var(--{role})" for role, color in ROLE_COLORS.items()},
    FACE: "var(--face)",
    "#ffffff": "var(--page)",
    "#b3261e": "light-dark(#b3261e, #ff8a80)",  # what is wrong, as in the style of widgets
}


class FigureError(ValueError):
    """A figure holds what none needs."""


def on_page(svg: str, name: str, alt: str = "") -> str:
    """Return the HTML of a figure that a notebook stores; its ids begin with `name`."""
    root = fromstring(svg)
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{SVG}metadata", f"{SVG}style"):
                parent.remove(child)
    root.attrib = {"viewBox": root.attrib["viewBox"]}
    for part in root.iter():
        tidy(part)
    letters = [size for part in root.iter("text") if (size := font_size(part))] or [SMALLEST]

    (figure,) = (part for part in root if part.get("id") == "figure_1")
    shared = [part for part in root if part is not figure]  # what clips and hatches
    panels: dict[str, tuple[list[float], list[Element]]] = {}
    for part in figure:
        if found := PANEL.fullmatch(part.get("id", "")):
            number, *sizes = found.groups()
            panels.setdefault(number, ([float(x) for x in sizes], []))[1].append(part)
    if not panels:
        panels["0"] = [float(x) for x in root.get("viewBox", "").split()], list(figure)
    used = {found for part in root.iter() for found in references(part)}
    for part in root.iter():
        rename(part, name, used)
    drawings = []
    for box, parts in panels.values():
        view_box = " ".join(f"{x:g}" for x in box)
        drawing = Element("svg", viewBox=view_box, style=f"--w:{box[2]:g}")
        drawing.extend(parts + shared)
        shared = []
        drawings.append(tostring(drawing, encoding="unicode"))

    boxes = [box for box, _ in panels.values()]
    said = f' role="img" aria-label="{escape(alt)}"' if alt else ""
    if max(width for _, _, width, _ in boxes) / min(letters) > WIDEST / SMALLEST:
        said += ' tabindex="0"'  # it scrolls on a phone
    style = measures(boxes, letters)
    return f'<div class="drawing" style="{style}"{said}>{"".join(drawings)}</div>'


def measures(boxes: list[list[float]], letters: list[float]) -> str:
    """Return what the style of the page needs to know: see `.drawing` there."""
    widest = max(width for _, _, width, _ in boxes)
    beside = max(1, min(len(boxes), int((WIDEST + GAP) // (widest + GAP))))
    rows: dict[float, list[float]] = {}
    for _, top, width, _ in boxes:
        rows.setdefault(top, []).append(width)
    most = min(ROOMY, LARGEST / max(letters))
    longest = max(most * sum(row) + GAP * (len(row) - 1) for row in rows.values())
    return (
        f"--beside:{beside * widest:g};--gaps:{GAP * (beside - 1)}px;"
        f"--least:{LEAST / min(letters):.4g}px;--most:{most:.4g}px;max-width:{longest + 1:.0f}px"
    )


def tidy(part: Element) -> None:
    """Give an element the colours of the page; let nothing through that is not of a figure."""
    part.tag = part.tag.removeprefix(SVG)
    if part.tag not in ELEMENTS:
        raise FigureError(f"a figure holds the element {part.tag}")
    is_text = part.tag in ("text", "tspan")
    part.tail = None
    part.text = part.text if is_text else None
    if LINK in part.attrib:
        part.set("href", "".join(part.attrib.pop(LINK).split()))
    for key, value in part.attrib.items():
        if key not in ATTRIBUTES:
            raise FigureError(f"a figure holds the attribute {key} of {part.tag}")
        inside = value.startswith("#") or PICTURE.fullmatch(value)
        if not inside if key == "href" else ELSEWHERE.search(value):
            raise FigureError(f"a figure fetches {value[:80]}")
    style = {"fill": "#000000"} if part.tag == "text" else {}
    style |= read(part)
    if "fill" in part.attrib:
        style["fill"] = part.attrib.pop("fill")
    if found := FONT.search(style.pop("font", "")):
        style["font-size"] = f"{found['size']}px"
        style |= {"font-style": "oblique"} if re.search("italic|oblique", found["style"]) else {}
        style |= {"font-weight": "bold"} if re.search("bold|700", found["style"]) else {}
    for key in ("fill", "stroke"):
        if key in style:
            style[key] = color(style[key].strip(), is_text)
    for needless in ("font-family", "image-rendering"):
        style.pop(needless, None)
    write(part, style)


def write(part: Element, style: dict[str, str]) -> None:
    """Give an element a style."""
    part.attrib.pop("style", None)
    if style:
        part.set("style", ";".join(f"{key}:{value.strip()}" for key, value in style.items()))


def read(part: Element) -> dict[str, str]:
    """Return the style of an element."""
    return dict(DECLARATION.findall(part.get("style", "")))


def color(value: str, is_text: bool) -> str:
    """Return what a page calls a colour. One that is not the book's stays as it is."""
    if is_text and value in ("#000000", "#ffffff"):  # on a cell, whose ink is dark or light
        return f"light-dark({value}, {'#ffffff' if value == '#000000' else '#000000'})"
    if value in COLORS or not (grey := re.fullmatch(r"#(\w\w)\1\1", value)):
        return COLORS.get(value, value)
    share = (255 - int(grey[1], 16)) / (255 - int(GREYS["ink"][1:3], 16))
    if share >= 1:
        return "var(--ink)"
    return f"color-mix(in srgb, var(--ink) {100 * share:.0f}%, var(--page))"


def font_size(text: Element) -> float:
    """Return the size of a text in points; that of a formula is the size of its largest letters."""
    sizes = [read(part).get("font-size", "0px") for part in text.iter()]
    return max(float(size.removesuffix("px")) for size in sizes)


def references(part: Element) -> Iterator[str]:
    """Yield the ids that an element names."""
    if (link := part.get("href", "")).startswith("#"):
        yield link[1:]
    for key in ("clip-path", "style"):
        yield from REFERENCE.findall(part.get(key, ""))


def rename(part: Element, name: str, used: set[str]) -> None:
    """Make the ids of a figure its own, and take out those that nothing names."""
    own = part.attrib.pop("id", "")
    if own in used:
        part.set("id", f"{name}-{own}")
    if (link := part.get("href", "")).startswith("#"):
        part.set("href", f"#{name}-{link[1:]}")
    for key in ("clip-path", "style"):
        if key in part.attrib:
            part.set(key, REFERENCE.sub(rf"url(#{name}-\1)", part.get(key, "")))
