"""Figures in the colours and letters of a page.

A notebook stores a figure as SVG, black on white (attnutils/_figures.py). A page shows what
`on_page` makes of it: colours by their names, so that they follow light and dark, and the letters
of the page; several panels as several drawings, which the page lays side by side as there is room.
The build does this with what is stored, the worker with what a cell draws.
"""

import base64
import io
import re
from collections.abc import Iterator
from html import escape
from itertools import pairwise
from typing import Any
from unicodedata import combining
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

import numpy as np
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from numpy.typing import NDArray
from PIL import Image

from attnutils._figures import SMALLEST, WIDEST
from attnutils.plotting import FACE, GREYS, INKS, ROLE_COLORS

#: Pixels: the smallest letter on a phone, the largest anywhere, and what parts drawings in a row.
LEAST, LARGEST, GAP = 11, 18, 12
#: A formula of so many letters is a symbol.
SYMBOL = 6
#: Pixels of a page to a point of a figure, where there is room.
ROOMY = 1.6

SVG, LINK = "{http://www.w3.org/2000/svg}", "{http://www.w3.org/1999/xlink}href"
#: What figures are made of.
ELEMENTS = {"svg", "g", "path", "use", "defs", "clipPath", "rect", "text", "tspan", "image"}
ELEMENTS |= {"pattern"}
ATTRIBUTES = {"id", "d", "x", "y", "width", "height", "style", "transform", "clip-path", "href"}
ATTRIBUTES |= {"patternUnits", "fill", "viewBox"}
PICTURE = re.compile(r"data:image/png;base64,[\sA-Za-z0-9+/=]+")
REFERENCE = re.compile(r"url\(#([^)]+)\)")
ELSEWHERE = re.compile(r"url\((?!#)|[@\\]|expression")
PANEL = re.compile(r"panel_(\d+)_\d+" + 4 * r"_(-?[\d.]+)")
DECLARATION = re.compile(r"([\w-]+)\s*:\s*([^;]+)")
#: How matplotlib before 3.9 writes letters.
FONT = re.compile(r"^(?P<style>.*?)(?P<size>[\d.]+)px ")
DECIMALS = re.compile(r"-?\d+\.\d+(?:e-?\d+)?")
#: A part of a path that is only straight, of three points or more.
LINE = re.compile(r"M[-\d.]+ [-\d.]+(?:L[-\d.]+ [-\d.]+){2,}")
#: Colours of figures, and what a page calls them.
COLORS = {
    **{color: f"var(--{name})" for name, color in GREYS.items()},
    **{color: f"var(--{role})" for role, color in ROLE_COLORS.items()},
    FACE: "var(--face)",
    "#b3261e": "light-dark(#b3261e, #ff8a80)",  # what is wrong, as in the style of widgets
}


class FigureError(ValueError):
    """A figure holds what none needs."""


def on_page(svg: str, name: str, alt: str = "") -> str:
    """Return the HTML of a figure that a notebook stores; its ids begin with `name`."""
    root = fromstring(svg)
    tidy(root)
    for group in root.iter("g"):
        lines = group.findall("text")
        if len(lines) > 1:
            align(lines)
        if lines and lines[0].find("tspan") is not None and group.find("rect") is None:
            flow(lines[0], read(group).get("fill", "#000000"))
    texts = [size for part in root.iter("text") if (size := font_size(part))]
    for number, image in enumerate([*root.iter("image")]):
        as_inks(image, f"map-{number}")
    used = {found for part in root.iter() for found in references(part)}
    for part in root.iter():
        in_colors(part)
        rename(part, name, used)

    (figure,) = (part for part in root if part.get("id") == "figure_1")
    shared = [part for part in root if part is not figure]  # what clips and hatches
    panels: dict[str, tuple[list[float], list[Element]]] = {}
    for part in figure:
        if found := PANEL.fullmatch(part.get("id", "")):
            number, *place = found.groups()
            panels.setdefault(number, ([float(x) for x in place], []))[1].append(part)
    if not panels:
        panels["0"] = [float(x) for x in root.get("viewBox", "").split()], list(figure)
    drawings = []
    for place, parts in panels.values():
        drawing = Element(
            "svg", viewBox=" ".join(map(short, place)), style=f"--w:{short(place[2])}"
        )
        drawing.extend(parts + shared)
        shared = []
        drawings.append(tostring(trimmed(drawing), encoding="unicode"))

    places = [place for place, _ in panels.values()]
    letters = texts or [SMALLEST]
    said = f' role="img" aria-label="{escape(alt)}"' if alt else ""
    if max(width for _, _, width, _ in places) / min(letters) > WIDEST / SMALLEST:
        said += ' tabindex="0"'  # it scrolls on a phone
    style = measures(places, letters)
    return f'<div class="drawing" style="{style}"{said}>{"".join(drawings)}</div>'


def measures(places: list[list[float]], letters: list[float]) -> str:
    """Return what the style of the page needs to know: see `.drawing` there."""
    widest = max(width for _, _, width, _ in places)
    beside = max(1, min(len(places), int((WIDEST + GAP) // (widest + GAP))))
    rows: dict[float, list[float]] = {}
    for _, top, width, _ in places:
        rows.setdefault(top, []).append(width)
    most = min(ROOMY, LARGEST / max(letters))
    longest = max(most * sum(row) + GAP * (len(row) - 1) for row in rows.values())
    return (
        f"--beside:{short(beside * widest)};--gaps:{GAP * (beside - 1)}px;"
        f"--least:{LEAST / min(letters):.4g}px;--most:{most:.4g}px;max-width:{longest + 1:.0f}px"
    )


def tidy(root: Element) -> None:
    """Let nothing through but what figures are made of."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in (f"{SVG}metadata", f"{SVG}style"):
                parent.remove(child)
    for part in root.iter():
        part.tag = part.tag.removeprefix(SVG)
        if part.tag not in ELEMENTS:
            raise FigureError(f"a figure holds the element {part.tag}")
        part.tail = None
        if part.tag not in ("text", "tspan"):
            part.text = None
        if LINK in part.attrib:
            part.set("href", part.attrib.pop(LINK))
        if part is root:
            part.attrib = {"viewBox": part.attrib["viewBox"]}
        for key, value in part.attrib.items():
            if key not in ATTRIBUTES:
                raise FigureError(f"a figure holds the attribute {key} of {part.tag}")
            inside = value.startswith("#") or PICTURE.fullmatch(value)
            if not inside if key == "href" else ELSEWHERE.search(value):
                raise FigureError(f"a figure fetches {value[:80]}")
        if part.get("transform", "").startswith("rotate(-0 "):
            del part.attrib["transform"]
        style = dict(DECLARATION.findall(part.get("style", "")))
        if found := FONT.search(style.pop("font", "")):
            style["font-size"] = f"{found['size']}px"
            style |= (
                {"font-style": "oblique"} if re.search("italic|oblique", found["style"]) else {}
            )
            style |= {"font-weight": "bold"} if re.search("bold|700", found["style"]) else {}
        if style.pop("stroke-dashoffset", "0") != "0":
            raise FigureError("dashes begin where they end")
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


def font_size(text: Element) -> float:
    """Return the size of a text in points; that of a formula is the size of its largest letters."""
    sizes = [read(part).get("font-size", "0px") for part in text.iter()]
    return max(float(size.removesuffix("px")) for size in sizes)


def align(lines: list[Element]) -> None:
    """Hold the lines of a text where they were held: in other letters they are not as long.

    matplotlib says of lines only where they begin, as long as its own letters are.
    """
    found = [re.fullmatch(r"translate\((\S+) (\S+)\)", line.get("transform", "")) for line in lines]
    if None in found:
        return  # turned
    starts = np.array([float(match[1]) for match in found if match])
    lengths = np.array([length(line) for line in lines])
    # What all lines have in common: where they begin, end, or their middle.
    places = {"start": starts, "middle": starts + lengths / 2, "end": starts + lengths}
    anchor = min(places, key=lambda name: float(np.ptp(places[name])))
    for line, x, match in zip(lines, places[anchor], found, strict=True):
        line.attrib.pop("transform")
        line.set("x", str(x))
        line.set("y", match[2] if match else "0")
        write(line, {**read(line), "text-anchor": anchor})


def flow(formula: Element, fill: str) -> None:
    """Let the letters of a formula follow each other.

    matplotlib says of each where it stands, among its own letters. What is left of that are gaps
    and heights. A symbol stays in the middle of its place.
    """
    letters = sorted(
        (float(x), float(part.get("y", "0").split()[0]), letter, font_of(part))
        for part in formula
        for x, letter in zip(part.get("x", "").split(), part.text or "", strict=True)
    )
    fill = next((read(part)["fill"] for part in formula if "fill" in read(part)), fill)
    formula.clear()
    style = {"fill": fill}
    end = last_y = width = 0.0
    run = None
    for x, y, letter, font in letters:
        glyph = Element("tspan", style=font)
        glyph.text = letter
        gap = x - end
        if run is None or font != run.get("style") or y != last_y or abs(gap) > 0.5:
            run = SubElement(formula, "tspan", style=font)
            run.text = ""
            run.set("dx", str(gap))
            run.set("dy", str(y - last_y))
        run.text = (run.text or "") + letter
        # A hat takes no room, and stands over a letter that others follow.
        end, last_y = x if combining(letter) else x + length(glyph), y
        width = max(width, end)
    if len(letters) <= SYMBOL:
        formula.set("x", str(width / 2))
        style["text-anchor"] = "middle"
    write(formula, style)


def font_of(letters: Element) -> str:
    """Return what the style of letters says beside their colour."""
    return ";".join(
        f"{key}:{value.strip()}" for key, value in read(letters).items() if key != "fill"
    )


def length(text: Element) -> float:
    """Return how long a text is in matplotlib's own letters."""
    style = read(text)
    letters = FontProperties(
        size=font_size(text),
        weight=style.get("font-weight", "normal").strip(),
        style=style.get("font-style", "normal").strip(),  # type: ignore[arg-type]
    )
    return text_to_path.get_text_width_height_descent(text.text or "", letters, False)[0]


def as_inks(image: Element, label: str) -> None:
    """Turn a heat map into a layer for each of its inks, which the page colours."""
    data = base64.b64decode(image.get("href", "").split(",", 1)[1])
    with Image.open(io.BytesIO(data)) as picture:
        pixels = np.asarray(picture.convert("RGBA")).astype(int)
    layers = amounts(pixels[..., :3]) if (pixels[..., 3] == 255).all() else {}
    size = {"width": image.get("width", ""), "height": image.get("height", "")}
    if not layers:  # another picture
        image.set("href", "".join(image.get("href", "").split()))
        return
    size |= {key: image.get(key, "") for key in ("x", "y") if key in image.attrib}
    place = image.get("transform", "")
    image.clear()
    image.tag = "g"
    image.set("transform", place)
    for variable, amount in layers.items():
        buffer = io.BytesIO()
        Image.fromarray(amount.astype(np.uint8)).save(buffer, "PNG", optimize=True)
        mask = SubElement(image, "mask", id=f"{label}-{variable}")
        href = f"data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"
        SubElement(mask, "image", size, href=href)
        style = f"fill:var(--{variable})"
        SubElement(image, "rect", size, style=style, mask=f"url(#{label}-{variable})")


def amounts(rgb: NDArray[Any]) -> dict[str, NDArray[Any]]:
    """Return how much of each ink is on white, 0 to 255; nothing where there is something else."""
    missing = (rgb == in_numbers(FACE)).all(axis=-1)
    for names in (("weight",), ("minus", "plus")):
        rest = (rgb != 255).any(axis=-1) & ~missing
        found = {"face": np.where(missing, 255, 0)} if missing.any() else {}
        for name in names:
            full = 255 - in_numbers(INKS[name])
            share = (255 - rgb) @ full / (full @ full)
            here = rest & (abs(255 - rgb - share[..., None] * full) < 2).all(axis=-1)
            found[name] = np.where(here, (share * 255).round().clip(0, 255), 0)
            rest &= ~here
        if not rest.any():
            return found
    return {}


def in_numbers(color: str) -> NDArray[Any]:
    """Return red, green and blue of a colour, 0 to 255."""
    return np.array([int(color[at : at + 2], 16) for at in (1, 3, 5)])


def references(part: Element) -> Iterator[str]:
    """Yield the ids that an element names."""
    if (link := part.get("href", "")).startswith("#"):
        yield link[1:]
    for key in ("clip-path", "mask", "style"):
        yield from REFERENCE.findall(part.get(key, ""))


def rename(part: Element, name: str, used: set[str]) -> None:
    """Make the ids of a figure its own, and take out those that nothing names."""
    own = part.get("id", "")
    if own in used:
        part.set("id", f"{name}-{own}")
    elif own and not PANEL.fullmatch(own) and own != "figure_1":
        del part.attrib["id"]
    if (link := part.get("href", "")).startswith("#"):
        part.set("href", f"#{name}-{link[1:]}")
    for key in ("clip-path", "mask", "style"):
        if key in part.attrib:
            part.set(key, REFERENCE.sub(rf"url(#{name}-\1)", part.get(key, "")))


def in_colors(part: Element) -> None:
    """Give an element the colours of the page."""
    style = read(part)
    is_text = part.tag in ("text", "tspan")
    if part.tag == "text":
        style.setdefault("fill", "#000000")
    for key in ("fill", "stroke"):
        if key in style:
            style[key] = color(style[key].strip(), is_text)
    if "fill" in part.attrib:
        style["fill"] = color(part.attrib.pop("fill"), is_text)
    write(part, style)


def color(value: str, is_text: bool) -> str:
    """Return what a page calls a colour. One that is not the book's stays as it is."""
    if is_text and value in ("#000000", "#ffffff"):  # on a cell, whose ink is dark or light
        return f"light-dark({value}, {'#ffffff' if value == '#000000' else '#000000'})"
    if value == "#ffffff":
        return "var(--page)"
    if value in COLORS or not (grey := re.fullmatch(r"#(\w\w)\1\1", value)):
        return COLORS.get(value, value)
    share = (255 - int(grey[1], 16)) / (255 - int(GREYS["ink"][1:3], 16))
    if share >= 1:
        return "var(--ink)"
    return f"color-mix(in srgb, var(--ink) {100 * share:.0f}%, var(--page))"


def trimmed(drawing: Element) -> Element:
    """Shorten what a drawing says, without a difference that is seen."""
    for parent in drawing.iter():
        for child in list(parent):
            if child.tag in ("g", "defs") and not len(child):
                parent.remove(child)
    for part in drawing.iter():
        if PANEL.fullmatch(part.get("id", "")):
            del part.attrib["id"]
        for key in ("d", "x", "y", "dx", "dy", "width", "height", "transform"):
            if key in part.attrib:
                value = DECIMALS.sub(lambda found: short(float(found[0])), part.get(key, ""))
                part.set(key, value)
        if "d" in part.attrib:
            path = re.sub(r"\s*([A-Za-z])\s*", r"\1", part.get("d", ""))
            part.set("d", LINE.sub(lambda found: step_by_step(found[0]), path))
        for key in ("dx", "dy"):
            if part.get(key) == "0":
                del part.attrib[key]
    return drawing


def short(x: float) -> str:
    """A number in hundredths, as SVG reads it."""
    return f"{x:.2f}".rstrip("0").rstrip(".") if round(x, 2) else "0"


def step_by_step(line: str) -> str:
    """Say of each point of a line how far it is from the one before: that is shorter.

    Steps that go on in the same way, level or upright, are one.
    """
    numbers = [round(100 * float(number)) for number in re.findall(r"[-\d.]+", line)]
    points = list(zip(numbers[::2], numbers[1::2], strict=True))
    steps: list[tuple[int, int]] = []
    for (x, y), (to_x, to_y) in pairwise(points):
        step = to_x - x, to_y - y
        before = steps[-1] if steps else (0, 0)
        if any(step[i] == before[i] == 0 < step[1 - i] * before[1 - i] for i in (0, 1)):
            step = before[0] + step[0], before[1] + step[1]
            steps.pop()
        steps.append(step)
    written = " ".join(f"{short(x / 100)} {short(y / 100)}" for x, y in steps)
    return f"M{short(points[0][0] / 100)} {short(points[0][1] / 100)}l{written}"
