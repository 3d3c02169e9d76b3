"""The frame around the text of every page, for tests: its parts, its buttons, what they open."""

import re

from playwright.sync_api import Locator, Page

BAR = "body > header"
BOOK = "aside.book"
PAGE_LINKS = ".book nav > ul > li > a"  # to the other pages
SECTION_LINKS = ".book .contents a"  # into this one
#: What paper has no use for.
FRAME = ("header", "aside.book", "footer", ".neighbours", "dialog", ".skip")

SEARCH, LAUNCH, SOURCE, CONTENTS = "Search", "Launch", "Source", "Contents"
#: The dialog, drawer or menu that is open.
OPENED = ":is(dialog[open], .book:popover-open, .menu:popover-open)"


def button(page: Page, name: str) -> Locator:
    """The button that is seen and bears this name, or one that starts with it."""
    found = page.get_by_role("button", name=re.compile(f"^{name}"))
    return found.locator("visible=true").first


def opened(page: Page) -> Locator:
    """What is open."""
    return page.locator(OPENED)


def open_search(page: Page) -> None:
    """Open the search by its keys, and wait until it takes a word."""
    page.keyboard.press("Control+k")
    page.locator("dialog[open] input[type=search]:focus").wait_for()
