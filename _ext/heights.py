"""Room for the explorers: how high each is at any width, measured when its page is written.

An explorer stands when its script has run. So that nothing moves then, its height is kept free: it
is laid out in a browser at many widths, and the style of its page gets a rule for each height. The
browser comes from who builds, in the setting `open_browser`; where none can be had, no room is kept
and the build says so. What was measured before is not measured again.
"""

import hashlib
import json
import sys
from collections.abc import Set
from contextlib import ExitStack
from itertools import pairwise
from pathlib import Path
from typing import Any

from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

from _ext.theme import STYLE

MOUNTER = Path(__file__).parent / "static" / "mount-widgets.js"
# Of the place of an explorer, in px: from that of the smallest phone to the widest on a page.
WIDTHS = range(280, 881, 15)
# A widget draws itself anew in the frame in which its width has changed, after this callback. Where
# the height leaps, as when a line breaks, the width at which it does is looked for.
SWEEP = """async ([widths, leap]) => {
  await document.fonts.ready;
  const frame = () => new Promise(requestAnimationFrame);
  const places = [...document.querySelectorAll(".place")];
  const seen = [];
  await frame();
  const look = async (width) => {
    for (const place of places) place.style.width = `${width}px`;
    await frame();
    seen.push([width, ...places.map((place) =>
      Math.ceil(place.querySelector(".widget-live").getBoundingClientRect().height))]);
  };
  for (const width of widths) await look(width);
  for (let found = true; found;) {
    seen.sort(([a], [b]) => a - b);
    const between = seen.slice(1).flatMap(([width, ...heights], i) => {
      const [before, ...others] = seen[i];
      const leaps = heights.some((height, k) => Math.abs(height - others[k]) > leap);
      return leaps && width - before > 1 ? [(before + width) >> 1] : [];
    });
    found = between.length > 0;
    for (const width of between) await look(width);
  }
  return seen;
}"""
FRAMED = 640  # px, from which on parts of an explorer stand beside each other
LEAP = 9  # px, more than what follows a width as such

Heights = list[tuple[int, int]]  # pairs of a width and the height there


def page(data: dict[str, Any], models: list[str], style: str, stages: Set[str]) -> str:
    """Return a page with some of the models in `data`, each in a place of its own."""
    slots = "".join(
        f'<div class="place"><div class="widget-slot{" stage" * (model in stages)}">'
        '<script type="application/json">'
        f'{{"model_id": "{model}"}}</script></div></div>'
        for model in models
    )
    text = json.dumps(data).replace("<", "\\u003c")
    return (
        f'<!doctype html><html lang="en"><style>{style}</style>{slots}'
        f'<script type="application/json" id="widget-data">{text}</script>'
        f"<script>{MOUNTER.read_text(encoding='utf-8')}</script>"
    )


def measure(
    tab: Any, data: dict[str, Any], models: list[str], style: str, stages: Set[str] = frozenset()
) -> list[Heights]:
    """Return the heights of each model; `tab` is a page of Playwright's."""
    tab.set_content(page(data, models, style, stages))
    tab.wait_for_selector("html[data-widgets=ready]")
    seen = tab.evaluate(SWEEP, [list(WIDTHS), LEAP])
    return [[(width, heights[i]) for width, *heights in seen] for i in range(len(models))]


def rules(model: str, heights: Heights) -> str:
    """Return the style that keeps these heights free.

    Between two widths the larger height counts: too much room moves nothing.
    """
    slot, kept = f'.widget-slot[data-model="{model}"]', heights[-1][1]
    # What frames the explorer alone has to know its height, too (static/addresses.js).
    wide = min(FRAMED, heights[-1][0])
    framed = max(height for width, height in heights if width >= wide)
    lines = [f"{slot} {{ min-height: {kept}px; --framed: {framed}; }}"]
    last, _ = heights[-1]
    for (before, narrower), (width, wider) in reversed([*pairwise(heights)]):
        height = max(narrower, wider)
        if not kept - 4 <= height <= kept:
            kept = height
            # Where it leaps, and at the width that most screens have, it is exact.
            end = width - 1 if width in (before + 1, last) else width
            within = f"@container place (max-width: {end}px)"
            lines.append(f"{within} {{ {slot} {{ min-height: {kept}px; }} }}")
    return "\n".join(lines)


def room(
    app: Sphinx, data: dict[str, Any], models: list[str], styles: list[str], stages: Set[str]
) -> str:
    """Return the style that keeps the height of each of these models of a page free.

    Those of `stages` stand on the stage, which has a style of its own.
    """
    book = Path(app.outdir, "_static", STYLE).read_text(encoding="utf-8")  # it brings the letters
    style = "\n".join([book, *styles])
    asked = json.dumps([data, models, style, sorted(stages), SWEEP])
    key = hashlib.sha256(asked.encode()).hexdigest()
    memory = Path(app.doctreedir, "heights", key)
    if memory.exists():
        heights = json.loads(memory.read_text(encoding="utf-8"))
    elif tab := _tab(app):
        heights = measure(tab, data, models, style, stages)
        memory.parent.mkdir(exist_ok=True)
        memory.write_text(json.dumps(heights), encoding="utf-8")
    else:
        return ""
    return "\n".join(map(rules, models, heights))


def _tab(app: Sphinx) -> Any:
    """Return a page of the browser, which opens once; nothing where there is none."""
    if not hasattr(app, "measuring"):
        app.measuring, app.tab = ExitStack(), None
        try:
            app.tab = app.measuring.enter_context(app.config.open_browser()).new_page()
        except RuntimeError as error:
            # Not a warning of Sphinx's: those end the build.
            print(f"No room is kept for explorers while they load. {error}", file=sys.stderr)
    return app.tab


def close(app: Sphinx, exception: Exception | None) -> None:
    """Close the browser, if it was opened."""
    if hasattr(app, "measuring"):
        app.measuring.close()


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_config_value("open_browser", None, "")
    app.connect("build-finished", close)
    return {"parallel_read_safe": True, "parallel_write_safe": False}
