"""A page with any widgets on it, as the book would show them."""

import base64
import json
from typing import Any

from ipywidgets.widgets.widget import _remove_buffers

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


def slot(widget: Any, model: str) -> str:
    """The place of a widget."""
    address = getattr(widget, "address", "")
    return (
        f'<div class="widget-slot" data-widget="{type(widget).__name__}" data-model="{model}" '
        f'data-address="{address}">'
        f'<script type="{VIEW}">{{"model_id": "{model}"}}</script></div>'
    )


def data(*widgets: Any) -> dict[str, Any]:
    """What the mounter reads."""
    models = {f"widget-{i}": saved(widget) for i, widget in enumerate(widgets)}
    # A widget may name another one.
    names = {
        f"IPY_MODEL_{w.model_id}": f"IPY_MODEL_{n}" for n, w in zip(models, widgets, strict=True)
    }
    for model in models.values():
        if (other := model["state"].get("explorer")) in names:
            model["state"]["explorer"] = names[other]
    for model, widget in zip(models.values(), widgets, strict=True):
        model["state"]["_esm"] = widget._esm
    return {"models": models}


def html(*widgets: Any, style: str = "") -> str:
    """The whole page, with a style of its own."""
    styles = {widget._css for widget in widgets}
    slots = "".join(slot(widget, f"widget-{i}") for i, widget in enumerate(widgets))
    text = json.dumps(data(*widgets)).replace("<", "\\u003c")
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>Widgets</title>'
        '<link rel="icon" href="data:,">'
        "<style>:root { color-scheme: light dark; background: light-dark(#fff, #14181e); "
        f"color: light-dark(#000, #fff); }} {''.join(styles)} {style}</style>"
        f"<main><h1>Widgets</h1>{slots}</main>"
        f'<script type="application/json" id="widget-data">{text}</script>'
        f"<script>{MOUNTER.read_text(encoding='utf-8')}</script>"
    )
