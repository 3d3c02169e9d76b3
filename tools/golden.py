"""What readers get, as text, to be compared before and after a change that must not show.

    python -m tools.golden FOLDER    # then: diff -r BEFORE AFTER

For each built page its text, ids, links, texts for pictures and the states of its explorers; for
each explorer its headline as it starts and after two presses of an arrow key.
"""

import json
import sys
from pathlib import Path

from bs4 import BeautifulSoup
from playwright.sync_api import sync_playwright

from tools import browser
from tools.project import HTML

SETTLE = "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))"
MOVER = ":is([role=slider], input[type=range], input[type=number], input[type=radio])"


def described(path: Path) -> dict[str, object]:
    """Return what a page says and what it holds."""
    page = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
    data = page.find("script", id="widget-data")
    models = json.loads(data.string)["models"] if data else {}
    for junk in page(["script", "style"]):
        junk.decompose()
    return {
        "text": [line for line in page.get_text("\n").split("\n") if line.strip()],
        "ids": [tag["id"] for tag in page(id=True)],
        "links": [tag["href"] for tag in page("a", href=True)],
        "alts": [tag["alt"] for tag in page("img", alt=True)],
        "labels": [tag["aria-label"] for tag in page(**{"aria-label": True})],
        "states": [models[name]["state"] for name in models],
    }


def headlines() -> dict[str, list[str]]:
    """Return what the explorers of each page say at first and after each of two presses."""
    said, program = {}, browser.path()
    with sync_playwright() as playwright:
        page = browser.launch(playwright.chromium, program).new_page()
        for path in sorted(HTML.rglob("chapters/*.html")):
            page.goto(path.as_uri())
            for slot in page.locator(".widget-slot").all():
                name = f"{path.stem} {slot.get_attribute('data-widget')}"
                slot.evaluate("e => e.closest('.veil')?.dispatchEvent(new Event('beforematch'))")
                if not (head := slot.locator(".headline")).count():
                    continue
                texts = [head.first.text_content()]
                for _ in range(2):
                    if (mover := slot.locator(MOVER)).count():
                        mover.first.focus()
                        page.keyboard.press("ArrowDown")
                        page.evaluate(SETTLE)
                    texts.append(head.first.text_content())
                said.setdefault(name, []).extend(texts)
    return said


def main() -> None:
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    pages = {
        str(p.relative_to(HTML)).replace("/", "--"): described(p) for p in HTML.rglob("*.html")
    }
    for name, what in {**pages, "headlines": headlines()}.items():
        text = json.dumps(what, indent=1, ensure_ascii=False)
        (folder / f"{name}.json").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
