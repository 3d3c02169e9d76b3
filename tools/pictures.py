"""The pictures of explorers that notebooks store: what GitHub and readers without scripts see.

Each is a screenshot of the explorer at rest. `make execute` takes one anew when its state, its
script or its style has changed, but for comments and formatting. Their digest is stored beside it,
with the heights that the explorer has in places of three widths, so that a page keeps room for it.
"""

import base64
import hashlib
import io
import json
import threading
from functools import cache
from typing import Any

from PIL import Image

from attnbook import explorers
from book.sphinx.esbuild import esbuild
from tools import browser, widget_page

#: In px: a laptop, a tablet, a phone. The place of an explorer is as wide there as on a page.
WIDTHS = (1280, 768, 390)
ALONE = """h1 { display: none } body { margin: 0 32px } main { max-width: 880px; margin: auto }
@media (max-width: 640px) { body { margin: 0 16px } }"""
SETTLE = "() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
#: What is trained in the page has come.
THERE = "() => !/ on the way to /.test(document.body.innerText)"
#: What cannot be pressed in a picture is not in it.
ABSENT = ".try, .ends-row, details { display: none !important; }"
ONE_AT_A_TIME = threading.Lock()


def digest(saved: dict[str, Any]) -> str:
    """Return what a picture is of: the state of an explorer, with its script and style."""
    name = saved["widget"].rpartition(".")[2]
    kind = getattr(explorers, name, None) if name in explorers.__all__ else None
    scripts = (small(kind._esm, "js"), small(kind._css, "css")) if kind else ()
    facts = [saved["state"], saved["buffers"], *scripts]
    return hashlib.sha256(json.dumps(facts, sort_keys=True).encode()).hexdigest()[:16]


@cache
def small(text: str, kind: str) -> str:
    """A script or style without what changes no picture: comments and formatting."""
    options = "--minify", f"--loader={kind}", "--legal-comments=none"
    return esbuild("a script of an explorer", *options, text=text)


def add(notebook: Any, before: Any) -> None:
    """Put a picture beside each explorer of a notebook: of the one before, if it is of the same."""
    old = {each["widget"]["picture"]["digest"]: each for each in _places(before)}
    new = []
    for output in _shown(notebook):
        now = digest(output.metadata["widget"])
        if now in old and "picture" in old[now]["widget"]:
            output["data"]["image/png"] = old[now]["png"]
            output.metadata["widget"]["picture"] = old[now]["widget"]["picture"]
        else:
            new.append((output, now))
    if new:
        with ONE_AT_A_TIME:
            taken = take([output.metadata["widget"] for output, _ in new])
        for (output, now), (png, room) in zip(new, taken, strict=True):
            output["data"]["image/png"] = base64.b64encode(png).decode("ascii")
            output.metadata["widget"]["picture"] = {"digest": now, "room": room}


def _shown(notebook: Any) -> list[Any]:
    """The outputs that are explorers: a question has a text in its place."""
    return [
        output
        for cell in notebook.cells
        for output in cell.get("outputs", [])
        if "widget" in output.get("metadata", {}) and "text/html" not in output["data"]
    ]


def _places(notebook: Any) -> list[dict[str, Any]]:
    return [
        {"widget": output.metadata["widget"], "png": output["data"]["image/png"]}
        for output in _shown(notebook)
        if "picture" in output.metadata["widget"]
    ]


def take(saved: list[dict[str, Any]]) -> list[tuple[bytes, list[int]]]:
    """Return a picture of each as PNG, and its heights in places of the three widths."""
    taken = []
    with browser.opened() as chromium:
        for each in saved:
            page = chromium.new_page(
                viewport={"width": 1280, "height": 900},
                device_scale_factor=1.5,
                color_scheme="light",
                reduced_motion="reduce",
            )
            page.set_content(widget_page.of_saved(each, style=ALONE))
            page.wait_for_selector("html[data-widgets=ready]")
            page.wait_for_function(THERE)
            root, room = page.locator(".attn").first, []
            for width in WIDTHS[::-1]:
                page.set_viewport_size({"width": width, "height": 900})
                page.evaluate(SETTLE)
                room.insert(0, round(root.evaluate("e => e.getBoundingClientRect().height")))
            page.add_style_tag(content=ABSENT)
            taken.append((_small(root.screenshot()), room))
            page.close()
    return taken


def _small(png: bytes) -> bytes:
    """The same picture in 128 colours."""
    buffer = io.BytesIO()
    image = Image.open(io.BytesIO(png)).convert("RGB")
    image.quantize(128, dither=Image.Dither.NONE).save(buffer, format="PNG", optimize=True)
    return buffer.getvalue()
