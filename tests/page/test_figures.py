"""Figures on pages: in the colours of the page, with letters that are neither small nor large."""

from playwright.sync_api import Page

from tests.conftest import some, until
from tests.page.conftest import ONE_OF_EACH_KIND, PAGES, only

# Of each drawing: its letters in pixels, without indices, how far it scrolls, and how far what it
# draws of text goes beyond its edge.
SHOWN = """drawings => drawings.filter((item) => item.checkVisibility()).map((item) => ({
  name: item.getAttribute("aria-label").slice(0, 60),
  scrolls: item.scrollWidth - item.clientWidth,
  letters: [...item.querySelectorAll("text")].map((text) => {
    const parts = text.children.length ? [...text.children] : [text];
    const sizes = parts.map((part) => parseFloat(getComputedStyle(part).fontSize));
    const { a, b, c, d } = text.getScreenCTM(); // some are turned
    return Math.max(...sizes) * Math.sqrt(a * d - b * c);
  }).map((size) => Math.round(10 * size) / 10),
  cut: Math.max(...[...item.querySelectorAll("text")].map((text) => {
    const [box, edge] = [text, text.ownerSVGElement].map((part) => part.getBoundingClientRect());
    return Math.max(edge.left - box.left, box.right - edge.right);
  })),
}))"""
# The colours that its parts have now; those of a mask are no colours.
COLOURS = """drawings => drawings.map((item) => [item.getAttribute("aria-label").slice(0, 60),
  [...item.querySelectorAll(":is(path, use, rect, text, tspan):not(clipPath *, mask *)")]
    .map((part) => [getComputedStyle(part).fill, getComputedStyle(part).stroke]).flat()
    .filter((colour) => colour !== "none" && !colour.startsWith("url"))])"""
#: Drawings by hand that are wider than a phone: they scroll, and their letters stay large.
WIDE = {"A drawing from left to right. The query Book, (0, 2, 1), is "}


def shown(page: Page) -> list[dict]:
    return page.locator(".drawing").evaluate_all(SHOWN)


# The widest figure is on the first.
@only("phone", some(PAGES, "chapters/attention-mechanism.html", *ONE_OF_EACH_KIND))
def test_letters_have_eleven_pixels_on_a_phone(phone):
    for figure in shown(phone):
        assert min(figure["letters"], default=11) >= 11, figure["name"]
        assert figure["scrolls"] <= 0 or figure["name"] in WIDE, figure


@only("screen", some(PAGES, *ONE_OF_EACH_KIND))
def test_letters_are_not_larger_than_text(screen):
    text = screen.locator("article").evaluate("e => parseFloat(getComputedStyle(e).fontSize)")
    for figure in shown(screen):
        assert max(figure["letters"], default=text) <= text + 0.05, figure["name"]
        assert figure["scrolls"] <= 0, figure["name"]


def test_no_letter_is_cut(screen):
    for figure in shown(screen):
        assert figure["cut"] < 1, figure["name"]


def test_every_colour_turns_with_the_page(screen):
    """No part of a figure has the colour in the dark that it has in the light."""
    looks = []
    for scheme in ("light", "dark"):
        screen.emulate_media(color_scheme=scheme)
        until(screen, f"() => document.documentElement.dataset.theme === '{scheme}'")
        looks.append(screen.locator(".drawing").evaluate_all(COLOURS))
    screen.emulate_media(color_scheme="light")
    for (name, light), (_, dark) in zip(*looks, strict=True):
        same = {one for one, other in zip(light, dark, strict=True) if one == other}
        assert not same, f"{name}: {same}"
