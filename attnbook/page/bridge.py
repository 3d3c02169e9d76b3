"""What worker.js calls: texts of JSON and buffers on that side, objects on this one."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from attnbook.page import runner, widget
from attnbook.page.names import names

reset = runner.reset


def connect(send: Callable[[str, Any], object]) -> None:
    """Say where messages go."""

    from pyodide.ffi import to_js  # in a worker alone

    def send_text(message: dict[str, Any], buffers: Sequence[bytes] = ()) -> None:
        send(json.dumps(message), to_js(list(buffers)))

    runner.connect(send_text)


def run(source: str, name: str, silent: bool, widgets: str) -> str:
    """Run one cell."""
    return json.dumps(runner.run(source, name, silent, json.loads(widgets)))


def names_of(source: str) -> str:
    """Return what a cell defines and takes."""
    return json.dumps(names(source))


def take(text: str, buffers: Sequence[memoryview]) -> None:
    """Take what the reader moved."""
    moved = json.loads(text)
    pairs = zip(moved["paths"], map(bytes, buffers), strict=True)
    widget.take(moved["model"], moved["state"], [*pairs])
