"""What the cells of a page put out in the worker, against what their notebook stores."""

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any
from xml.etree.ElementTree import fromstring

import numpy as np

import attnutils.widgets
from _ext.figures import on_page
from _ext.python import code_cells
from tools.project import CHAPTERS

WIDGET = "application/vnd.attnutils.widget+json"
NAMES = sorted(path.stem for path in CHAPTERS.glob("*.ipynb"))
#: In another matplotlib letters are wider or narrower, and move what is beside them by some points.
FAR = 4.0
FIGURE = "image/svg+xml"
#: Where the parts of a figure say what they are, and where they are.
LOOKS, PLACES = ("fill", "stroke", "font-weight"), ("viewBox", "d", "x", "y", "dy", "transform")

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


def outline(html: str) -> list[tuple[Any, list[float]]]:
    """What a figure is made of, in its order: what each part looks like, and its numbers."""
    parts = []
    for part in fromstring(html).iter():
        if part.tag not in ("defs", "g", "clipPath", "tspan"):
            style = dict(re.findall(r"([\w-]+):([^;]+)", part.get("style", "")))
            looks = part.tag, "".join(part.itertext()).strip(), *(style.get(key) for key in LOOKS)
            places = " ".join(part.get(key, "") for key in PLACES)
            parts.append((looks, [float(x) for x in re.findall(r"-?\d*\.?\d+", places)]))
    return parts


def other_figure(old: str, new: str) -> str:
    """What makes one figure another than the stored one, if anything."""
    before, after = outline(old), outline(new)
    if (was := Counter(looks for looks, _ in before)) != (
        now := Counter(looks for looks, _ in after)
    ):
        return f"the figure has lost {was - now} and gained {now - was}"
    for (looks, stood), (_, stands) in zip(before, after, strict=True):
        if len(stood) != len(stands):  # a line of as few points as look the same
            stood, stands = ([min(each), max(each)] if each else [] for each in (stood, stands))
        if np.abs(np.subtract(stood, stands)).max(initial=0) > FAR:
            return f"{looks} stands at {stands}, and at {stood} in what is stored"
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
