"""What the cells of a page put out in the worker, against what their notebook stores."""

import base64
import io
from collections.abc import Iterable
from typing import Any

import numpy as np
from PIL import Image

import attnutils.widgets
from _ext.python import code_cells
from tools.project import CHAPTERS

WIDGET = "application/vnd.attnutils.widget+json"
NAMES = sorted(path.stem for path in CHAPTERS.glob("*.ipynb"))
#: Figures are compared in squares of so many pixels: another matplotlib smooths letters and lines
#: in another way, and a label that is wider moves what is beside it by a pixel, or the edge. Only
#: so large a share of the squares may be far from the stored ones, in steps of 255.
BLUR, FAR, LARGEST = 8, 96, 0.005

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
        kind = next(k for k in ("text/html", "image/png", "text/plain") if k in data)
        name = data["text/plain"].partition("(")[0]
        if name in attnutils.widgets.__all__:
            return WIDGET, name
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


def pixels(png: str) -> np.ndarray:
    with Image.open(io.BytesIO(base64.b64decode(png))) as picture:
        return np.asarray(picture.convert("RGB").reduce(BLUR), dtype=float)


def differences(cell: dict[str, Any], answer: dict[str, Any], *, draws: bool) -> str:
    """What differs between a cell and the worker's answer; figures are compared if it draws."""
    if answer["error"]:
        return answer["error"]
    want, got = stored(cell), shown(answer["parts"])
    if [kind for kind, _ in want] != [kind for kind, _ in got]:
        return f"{[*map(short, want)]} is stored, {[*map(short, got)]} came"
    for (kind, old), (_, new) in zip(want, got, strict=True):
        if kind != "image/png" and old != new:
            return f"{kind}: {old!r} is stored, {new!r} came"
        if kind == "image/png" and draws:
            a, b = pixels(old), pixels(new)
            if np.abs(np.subtract(a.shape, b.shape)).max() > 1:
                return f"the picture is {b.shape}, not {a.shape}"
            height, width = np.minimum(a.shape, b.shape)[:2]
            a, b = a[:height, :width], b[:height, :width]
            if (share := (np.abs(a - b).max(axis=-1) > FAR).mean()) > LARGEST:
                return f"{share:.2%} of the picture is another"
    return ""


def short(output: Output) -> str:
    return f"{output[0]} {str(output[1])[:200]!r}"
