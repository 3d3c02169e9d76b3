"""The code cells of the pages and what their notebooks store, for who runs them in the worker."""

from collections.abc import Iterable
from typing import Any

import attnutils.widgets
from _ext.python import code_cells
from tools.project import CHAPTERS

WIDGET = "application/vnd.attnutils.widget+json"
FIGURE = "image/svg+xml"
NAMES = sorted(path.stem for path in CHAPTERS.glob("*.ipynb"))

Output = tuple[str, Any]


def cells(page: str) -> list[dict[str, Any]]:
    """The code cells of a page, as its notebook has them."""
    return [cell for _, cell in code_cells(CHAPTERS / f"{page}.ipynb")]


def joined(outputs: Iterable[Output]) -> list[Output]:
    """The same with all that goes to a stream in one piece, where it began."""
    streams = {"stdout": "", "stderr": ""}
    order: list[Output] = []
    for kind, data in outputs:
        if kind not in streams or not streams[kind]:
            order.append((kind, data))
        if kind in streams:
            streams[kind] += data
    return [(kind, streams.get(kind, data)) for kind, data in order]


def stored(cell: dict[str, Any]) -> list[Output]:
    """What a notebook stores of a cell: of a widget its name, of a figure that there is one."""

    def one(output: dict[str, Any]) -> Output:
        if output["output_type"] == "stream":
            return output["name"], "".join(output["text"])
        data = {kind: "".join(text) for kind, text in output["data"].items()}
        kind = next(k for k in ("text/html", FIGURE, "image/png", "text/plain") if k in data)
        name = data["text/plain"].partition("(")[0]
        if name in attnutils.widgets.__all__:
            return WIDGET, name
        return kind, "" if kind == FIGURE else data[kind].strip()

    return joined(map(one, cell["outputs"]))


def shown(messages: list[dict[str, Any]]) -> list[Output]:
    """What the worker sent of a cell."""

    def one(message: dict[str, Any]) -> Output:
        kind, name, data = message["kind"], message["name"], message["data"]
        assert kind in ("stream", "display"), message
        if name == WIDGET:
            return name, data["widget"]
        return name, data if kind == "stream" else "" if name == FIGURE else data.strip()

    return joined(map(one, messages))


def difference(cell: dict[str, Any], answer: dict[str, Any]) -> str:
    """What differs between what is stored of a cell and the worker's answer, if anything."""
    want, got = stored(cell), shown(answer["parts"])
    if answer["error"] or want == got:
        return answer["error"]
    return f"{want} is stored, {got} came"
