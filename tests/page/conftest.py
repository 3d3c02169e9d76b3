"""Pages to try widgets on: those of the built book, and one with any widgets."""

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from ipywidgets.widgets.widget import _remove_buffers
from playwright.sync_api import Locator

from tools.project import ROOT

MOUNTER = ROOT / "_ext" / "static" / "mount-widgets.js"


def saved(widget: Any) -> dict[str, Any]:
    """What the static page keeps of a widget: its public traits, and its arrays in base64."""
    traits = {k: v for k, v in widget.get_state().items() if k[0] != "_" and k != "layout"}
    state, paths, buffers = _remove_buffers(traits)
    encoded = [base64.b64encode(buffer).decode() for buffer in buffers]
    return {
        "widget": type(widget).__name__,
        "state": state,
        "buffers": [
            {"path": path, "data": data} for path, data in zip(paths, encoded, strict=True)
        ],
    }


@pytest.fixture
def widget_page(tmp_path: Path) -> Callable[..., str]:
    """A function that writes a page with these widgets, as the book would; returns its address."""

    def write(*widgets: Any) -> str:
        data = {
            "scripts": {type(widget).__name__: widget._esm for widget in widgets},
            "models": {f"widget-{i}": saved(widget) for i, widget in enumerate(widgets)},
        }
        styles = {widget._css for widget in widgets}
        view = "application/vnd.jupyter.widget-view+json"
        slots = "".join(
            f'<div class="widget-slot" data-widget="{type(widget).__name__}">'
            f'<script type="{view}">{{"model_id": "widget-{i}"}}</script></div>'
            for i, widget in enumerate(widgets)
        )
        text = json.dumps(data).replace("<", "\\u003c")
        page = tmp_path / "widgets.html"
        page.write_text(
            '<!doctype html><html lang="en"><meta charset="utf-8"><title>Widgets</title>'
            '<link rel="icon" href="data:,">'
            "<style>:root { color-scheme: light dark; background: light-dark(#fff, #14181e); "
            f"color: light-dark(#000, #fff); }} {''.join(styles)}</style>"
            f"<main><h1>Widgets</h1>{slots}</main>"
            f'<script type="application/json" id="widget-data">{text}</script>'
            f"<script>{MOUNTER.read_text(encoding='utf-8')}</script>",
            encoding="utf-8",
        )
        return page.as_uri()

    return write


@pytest.fixture
def numbers() -> Callable[[Locator], list[float]]:
    """A function that reads the exact numbers behind what a widget shows."""

    def read(data: Locator) -> list[float]:
        return data.evaluate_all("items => items.map((item) => Number(item.value))")

    return read
