"""Draw what stands for the book elsewhere: the social card, and the picture in README.

Both come from the built front page, where the head has been found: the card is what its button
*Copy picture* gives in the dark, the other one its first screen. Run `make book` first.
"""

import sys

from PIL import Image
from playwright.sync_api import Browser, Page

from tools import browser as browsers
from tools.project import HTML, ROOT

FRONT = HTML / "chapters" / "index.html"
PICTURES = ROOT / "book" / "static"
FOUND = "layer 5, head 11"
COLOURS = 256  # of a palette, in which a picture takes a third of the bytes


def front(chromium: Browser, scheme: str) -> Page:
    """Return the front page in a colour scheme, with the head found."""
    page = chromium.new_page(
        viewport={"width": 1280, "height": 800}, color_scheme=scheme, reduced_motion="reduce"
    )
    page.goto(FRONT.as_uri())
    page.wait_for_selector("html[data-widgets=ready]")
    page.get_by_role("button", name=FOUND, exact=True).click()
    page.mouse.move(0, 0)
    return page


def main() -> None:
    if not FRONT.exists():
        sys.exit("The built book is missing: run `make book`.")
    with browsers.opened() as chromium:
        dark = front(chromium, "dark")
        with dark.expect_download() as saved:
            dark.get_by_role("button", name="Copy picture").click()
        card, screen = PICTURES / "social-card.png", PICTURES / "front-page.png"
        saved.value.save_as(card)
        front(chromium, "light").screenshot(path=screen)
    for path in (card, screen):
        with Image.open(path) as picture:
            picture.convert("RGB").quantize(COLOURS).save(path, optimize=True)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1024:.0f} kB")


if __name__ == "__main__":
    main()
