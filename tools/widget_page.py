"""A page with any widgets on it, as the book would show them."""

import base64
import json
from typing import Any

from ipywidgets.widgets.widget import _remove_buffers

from attnbook import explorers
from tools.project import ROOT

MOUNTER = ROOT / "book" / "sphinx" / "static" / "mount-widgets.js"
VIEW = "application/vnd.jupyter.widget-view+json"


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


def html(*widgets: Any, style: str = "") -> str:
    """The whole page, with a style of its own."""
    records = [saved(widget) for widget in widgets]
    for record, widget in zip(records, widgets, strict=True):
        record["state"]["_esm"] = widget._esm
    return of_saved(*records, style=style)


def of_saved(*records: dict[str, Any], style: str = "") -> str:
    """The whole page of widgets that were saved."""
    models, styles, slots = {}, set(), []
    for number, record in enumerate(records):
        name, model = record["widget"].rpartition(".")[2], f"widget-{number}"
        state = dict(record["state"])
        if name in explorers.__all__:
            kind = getattr(explorers, name)
            state["_esm"] = kind._esm  # what a notebook defines brings its own
            styles.add(kind._css)
        models[model] = {"widget": name, "state": state, "buffers": record["buffers"]}
        slots.append(
            f'<div class="widget-slot" data-widget="{name}" data-model="{model}" '
            f'data-address="{state.get("address", "")}">'
            f'<script type="{VIEW}">{{"model_id": "{model}"}}</script></div>'
        )
    text = json.dumps({"models": models}).replace("<", "\\u003c")
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Widgets</title>'
        '<link rel="icon" href="data:,">'
        "<style>:root { color-scheme: light dark; background: light-dark(#fff, #14181e); "
        f"color: light-dark(#000, #fff); }} {''.join(styles)} {style}</style>"
        f"<main><h1>Widgets</h1>{''.join(slots)}</main>"
        f'<script type="application/json" id="widget-data">{text}</script>'
        f"<script>{MOUNTER.read_text(encoding='utf-8')}</script>"
    )
