"""What the cells of a page put out in the worker, against what their notebook stores."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree.ElementTree import Element, fromstring

import numpy as np
from matplotlib.path import Path
from matplotlib.transforms import Affine2D
from numpy.typing import NDArray
from scipy.spatial import KDTree

import attnutils.widgets
from _ext.figures import on_page
from _ext.python import code_cells
from tools.project import CHAPTERS

WIDGET = "application/vnd.attnutils.widget+json"
NAMES = sorted(path.stem for path in CHAPTERS.glob("*.ipynb"))
#: In another matplotlib letters are wider or narrower, and move what is beside them by two points.
FAR = 2.5
FIGURE = "image/svg+xml"
#: What the style of a part says of its looks.
LOOKS = "fill", "stroke", "font-weight"
#: The letters of a path.
CODES = {"M": Path.MOVETO, "L": Path.LINETO, "l": Path.LINETO, "z": Path.CLOSEPOLY}
CODES |= {"Q": Path.CURVE3, "C": Path.CURVE4}

Output = tuple[str, Any]


def cells(page: str) -> list[dict[str, Any]]:
    """The code cells of a page, as its notebook has them."""
    return [cell for _, cell in code_cells(CHAPTERS / f"{page}.ipynb")]


def source(cell: dict[str, Any]) -> str:
    return "".join(cell["source"])


def joined(outputs: Iterable[Output]) -> list[Output]:
    """The same with all that goes to a stream in one piece, where it began."""
    found: dict[str, list[str]] = {}
    order: list[Output] = []
    for kind, data in outputs:
        if kind in ("stdout", "stderr"):
            if kind not in found:
                order.append((kind, found.setdefault(kind, [])))
            found[kind].append(data)
        else:
            order.append((kind, data))
    return [(kind, "".join(data) if kind in found else data) for kind, data in order]


def stored(cell: dict[str, Any]) -> list[Output]:
    """What a notebook stores of a cell. A widget stands there as its picture, or as its text."""

    def one(output: dict[str, Any]) -> Output:
        if output["output_type"] == "stream":
            return output["name"], "".join(output["text"])
        data = {kind: "".join(text) for kind, text in output["data"].items()}
        kind = next(k for k in ("text/html", FIGURE, "image/png", "text/plain") if k in data)
        name = data["text/plain"].partition("(")[0]
        if name in attnutils.widgets.__all__:
            return WIDGET, name
        if kind == FIGURE:
            return kind, on_page(data[kind], "stored")
        return kind, data[kind].strip()

    return joined(map(one, cell["outputs"]))


def shown(messages: list[dict[str, Any]]) -> list[Output]:
    """What the worker sent of a cell."""

    def one(message: dict[str, Any]) -> Output:
        kind, name, data = message["kind"], message["name"], message["data"]
        assert kind in ("stream", "display"), message
        return name, data[
            "widget"
        ] if name == WIDGET else data if kind == "stream" else data.strip()

    return joined(map(one, messages))


def outline(html: str) -> list[tuple[Any, NDArray[Any]]]:
    """What a figure is made of, in its order: what each part looks like, and where it is drawn."""
    # Ids carry the name of the figure, or of what drew it; 700 is bold.
    html = re.sub(r"url\(#[^)]*\)", "url()", html).replace("font-weight:700", "font-weight:bold")
    return [*parts_of(fromstring(html), Affine2D())]


def parts_of(part: Element, around: Affine2D) -> Iterator[tuple[Any, NDArray[Any]]]:
    """Yield a part and those in it; `around` is where what holds it stands."""
    here = transform(part.get("transform", "")) + around
    if part.tag not in ("defs", "g", "clipPath", "tspan"):
        style = dict(re.findall(r"([\w-]+):([^;]+)", part.get("style", "")))
        looks = part.tag, "".join(part.itertext()).strip(), *(style.get(key) for key in LOOKS)
        yield looks, here.transform(points(part))
    for inner in part:
        yield from parts_of(inner, here)


def numbers(text: str) -> list[float]:
    return [float(x) for x in re.findall(r"-?\d*\.?\d+", text)]


def transform(text: str) -> Affine2D:
    """The transform that an attribute of this name tells."""
    found = Affine2D()
    for name, told in reversed(re.findall(r"(\w+)\(([^)]*)\)", text)):
        match name, numbers(told):
            case "translate", [x, y]:
                found.translate(x, y)
            case "rotate", [angle, *middle]:
                found.rotate_deg_around(*(middle or [0, 0]), angle)
            case "matrix", values:
                found += Affine2D.from_values(*values)
            case _:
                raise ValueError(text)
    return found


def points(part: Element) -> NDArray[Any]:
    """Where a part is: points along a line, the corners of an area, or the place of a text."""
    if "d" in part.attrib:
        return along(part.get("d", ""))
    x, y, *size = numbers(part.get("viewBox", "")) or [
        float(part.get(key, 0)) for key in ("x", "y", "width", "height")
    ]
    return np.array([[x, y], [x + size[0], y + size[1]]])


def along(line: str) -> NDArray[Any]:
    """Points along a line, so near each other that it does not matter which ones they are."""
    found: list[tuple[Any, int]] = []
    for letter, told in re.findall(r"([A-Za-z])([^A-Za-z]*)", line):
        steps = np.reshape(numbers(told), (-1, 2))
        if letter == "l":
            steps = found[-1][0] + steps.cumsum(axis=0)
        elif letter == "z":
            steps = np.zeros((1, 2))
        found += [(step, CODES[letter]) for step in steps]
    near = []
    for piece in Path(*zip(*found, strict=True)).to_polygons(closed_only=False):
        lengths = np.hypot(*np.diff(piece, axis=0).T)
        at = np.concatenate([[0], lengths.cumsum()])
        where = np.union1d(at, np.arange(0, at[-1], 0.5))
        near.append(np.stack([np.interp(where, at, x) for x in piece.T], axis=-1))
    return np.concatenate(near)


def apart(one: NDArray[Any], other: NDArray[Any]) -> float:
    """How far some point of one shape is from the nearest one of the other (Hausdorff)."""
    pairs = (one, other), (other, one)
    return max(KDTree(there).query(here)[0].max() for here, there in pairs)


def other_figure(old: str, new: str) -> str:
    """What makes one figure another than the stored one, if anything."""
    before, after = outline(old), outline(new)
    was, now = ([looks for looks, _ in parts] for parts in (before, after))
    if was != now:
        lost, gained = Counter(was) - Counter(now), Counter(now) - Counter(was)
        return f"the figure has lost {lost} and gained {gained}, or has another order"
    for (looks, stood), (_, stands) in zip(before, after, strict=True):
        if (far := apart(stood, stands)) > FAR:
            return f"{looks} is {far:.1f} points from where it is in what is stored"
    return ""


def differences(cell: dict[str, Any], answer: dict[str, Any], *, draws: bool) -> str:
    """What differs between a cell and the worker's answer; figures are compared if it draws."""
    if answer["error"]:
        return answer["error"]
    want, got = stored(cell), shown(answer["parts"])
    if [kind for kind, _ in want] != [kind for kind, _ in got]:
        return f"{[*map(short, want)]} is stored, {[*map(short, got)]} came"
    for (kind, old), (_, new) in zip(want, got, strict=True):
        if kind == FIGURE:
            if draws and (problem := other_figure(old, new)):
                return problem
        elif old != new:
            return f"{kind}: {old!r} is stored, {new!r} came"
    return ""


def short(output: Output) -> str:
    return f"{output[0]} {str(output[1])[:200]!r}"
