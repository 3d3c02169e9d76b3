"""Show what a cell prints while it runs, and values in the richest form that they have."""

import base64
import io
import sys
import time
from collections.abc import Sequence
from typing import Any

from attnbook.page.widget import AnyWidget

WIDGET = "application/vnd.attnutils.widget+json"
#: Characters of a cell's output that a page shows.
MOST = 200_000
CUT = (
    "\n[The rest is left out: a page shows {} characters of what a cell prints. The cell ran on.]\n"
)
# So many pieces go at once; those of a cell that prints more wait for each other a moment.
_AT_ONCE, _TOGETHER, _SECONDS = 100, 4096, 0.05
#: The forms, the richest first.
_METHODS = {
    "text/html": "_repr_html_",
    "image/svg+xml": "_repr_svg_",
    "image/png": "_repr_png_",
}


def send(message: dict[str, Any], buffers: Sequence[bytes] = ()) -> object:
    """Send a message to the page; `runner.connect` puts the worker's function here."""


class Stream(io.TextIOBase):
    """A stream that hands whole lines on, and what is left when it is flushed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.held: list[str] = []
        self.size = self.pieces = 0
        self.last = 0.0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.held.append(text)
        self.size += len(text)
        if ("\n" in text or "\r" in text) and (
            self.pieces < _AT_ONCE
            or self.size > _TOGETHER
            or time.monotonic() - self.last > _SECONDS
        ):
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Send what is held."""
        text = "".join(self.held)
        self.held.clear()
        self.size = 0
        if text:
            self.pieces += 1
            self.last = time.monotonic()
            send_text(self.name, text)

    def begin(self) -> None:
        """Drop what is left of another cell."""
        self.held.clear()
        self.size = self.pieces = 0


_streams = (Stream("stdout"), Stream("stderr"))
_cell = ""
_silent = False
_figures = 0
_room = MOST
#: What the page knows of the widgets that the cell shows, in their order.
_states: list[dict[str, Any]] = []


def begin(cell: str, silent: bool, states: list[dict[str, Any]]) -> None:
    """Begin with the output of a cell."""
    global _cell, _silent, _room, _states
    _cell, _silent, _room, _states = cell, silent, MOST, [*states]
    sys.stdout, sys.stderr = _streams  # whatever the cell before has put there
    for stream in _streams:
        stream.begin()


def finish() -> None:
    """Send what is left."""
    for stream in _streams:
        stream.flush()


def _fitting(text: str) -> str:
    """What the page has room for, with a note where that is not all."""
    global _room
    if len(text) <= _room:
        _room -= len(text)
        return text
    note = CUT.format(f"{MOST:,}") if _room >= 0 else ""
    kept = text[: max(_room, 0)]
    _room = -1  # and the note once
    return kept + note


def send_text(stream: str, text: str) -> None:
    """Send what was printed."""
    if not _silent and (text := _fitting(text)):
        send({"kind": "stream", "name": stream, "data": text})


def display(*values: Any) -> None:
    """Show values, each in the richest form that it has."""
    finish()
    for value in values:
        if isinstance(value, AnyWidget):
            state, buffers = value.shown(_states.pop(0) if _states else {})
            send({"kind": "display", "name": WIDGET, "data": {**state, "cell": _cell}}, buffers)
        elif not _silent:
            kind, data = richest(value)
            # Half of a picture is none, and neither is half of any HTML.
            if not (kind == "image/png" or is_figure(value)):
                if len(data) > _room and kind != "text/plain":
                    kind, data = "text/plain", repr(value)
                data = _fitting(data)
            if data:
                send({"kind": "display", "name": kind, "data": data})


def clear() -> None:
    """Take back what the cell has shown."""
    finish()
    if not _silent:
        send({"kind": "clear"})


def richest(value: Any) -> tuple[str, str]:
    """Return the richest form of a value: its MIME type, and its text or base64."""
    found: dict[str, Any] = {}
    if not isinstance(value, type):
        if callable(bundle := getattr(value, "_repr_mimebundle_", None)):
            data = bundle()
            found = dict(data[0] if isinstance(data, tuple) else data or {})
        for kind, name in _METHODS.items():
            if kind not in found and callable(method := getattr(value, name, None)):
                found[kind] = method()
        if is_figure(value):
            found["image/svg+xml"] = drawing(value)
    for kind in _METHODS:
        if data := found.get(kind):
            return kind, base64.b64encode(data).decode() if isinstance(data, bytes) else data
    return "text/plain", found.get("text/plain") or repr(value)


def is_figure(value: Any) -> bool:
    """Whether a value is a figure; nothing is imported to see it."""
    module = sys.modules.get("matplotlib.figure")
    return module is not None and isinstance(value, module.Figure)


def drawing(figure: Any) -> str:
    """Draw a figure as the page shows it."""
    global _figures
    from attnbook.page.drawings import on_page  # with matplotlib
    from attnbook.page.figures import draw

    _figures += 1
    return on_page(draw(figure), f"run-{_cell}-{_figures}")


def close_figures() -> None:
    """Show the figures that are open, as a notebook does at the end of a cell, and close them."""
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None or "Figure" not in vars(pyplot):  # nothing was drawn (packages.Late)
        return
    if not _silent:
        display(*map(pyplot.figure, pyplot.get_fignums()))
    pyplot.close("all")
