"""What pages do for readers: keyboard, search, paper, late fonts, no scripts."""

import re
from collections.abc import Callable

import anywidget
import pytest
import traitlets
from playwright.sync_api import Locator, Page, expect

from tests.conftest import SETTLE, resize, until
from tools import widget_page

LESSON = "chapters/temperature"
FRAME = ("header", "aside.book", "footer", ".neighbours", "dialog", ".skip")
#: The dialog, drawer or menu that is open.
OPENED = ":is(dialog[open], .book:popover-open, .menu:popover-open)"


def button(page: Page, name: str) -> Locator:
    """The button that is seen and whose name starts so."""
    found = page.get_by_role("button", name=re.compile(f"^{name}"))
    return found.locator("visible=true").first


@pytest.fixture
def lesson(reopen, server) -> Callable[..., Page]:
    """A function that opens a lesson that has all there is."""
    return lambda **options: reopen(f"{server}/{LESSON}.html", **options).page


# Where in the text the focus is.
PLACE = "[...document.querySelectorAll('main *')].indexOf(document.activeElement)"


def test_the_first_stop_skips_to_the_text_and_the_others_follow_it(lesson):
    page = lesson()
    page.keyboard.press("Tab")
    expect(page.locator(":focus")).to_have_text("Skip to main content")
    page.keyboard.press("Enter")
    stops = []
    for _ in range(20):
        page.keyboard.press("Tab")
        stops.append(page.evaluate(PLACE))
    assert stops[0] > -1
    assert stops == sorted({*stops})


@pytest.mark.parametrize(
    ("width", "openers"), [(1280, ("Source", "Search")), (390, ("Search", "Contents"))]
)
def test_escape_closes_what_was_opened_and_gives_the_focus_back(lesson, width, openers):
    page = lesson(width=width)
    for opener in openers:
        opening = button(page, opener)
        opening.press("Enter")
        page.locator(OPENED).wait_for()
        if opener in ("Search", "Contents"):
            until(page, "s => document.activeElement.closest(s) !== null", OPENED)
        page.keyboard.press("Escape")
        page.locator(OPENED).wait_for(state="hidden")
        expect(opening).to_be_focused()


def test_the_contents_follow_the_reading_and_on_a_phone_lead_to_a_section(lesson):
    page = lesson()
    for section in ("exercises", "the-question", "the-derivative"):
        page.evaluate("id => document.getElementById(id).scrollIntoView()", section)
        marked = page.locator(".book .contents a[aria-current]")
        expect(marked).to_have_attribute("href", f"#{section}")
    resize(page, 390)
    button(page, "Contents").click()
    page.locator(f"{OPENED} a[href='#what-goes-wrong']").click()
    page.locator(OPENED).wait_for(state="hidden")
    expect(page.locator("#what-goes-wrong > h2")).to_be_in_viewport()


def test_an_old_address_leads_to_the_page_where_its_text_is_now(reopen, server):
    page = reopen(f"{server}/chapters/graph-attention.html").page
    page.evaluate("location.hash = 'going-on'")
    page.wait_for_url("**/chapters/finish-line.html")
    page = reopen(f"{server}/chapters/encoder-decoder-attention.html#alone").page
    page.wait_for_url("**#translator:model=without&sentence=3")  # what does not fit would be gone
    expect(page.locator(".attn-translator").get_by_label("without")).to_be_checked()


def test_search_by_keyboard_finds_a_word_and_marks_it_until_escape(lesson):
    page = lesson(width=390)
    page.keyboard.press("Control+k")
    page.locator("dialog[open] input[type=search]:focus").wait_for()
    page.keyboard.type("softmax")
    page.keyboard.press("Enter")
    page.wait_for_url("**/search.html?q=softmax*")
    page.get_by_text("Places found:").wait_for()
    page.locator("#search-results li a").first.click()
    page.wait_for_url("**/chapters/*")
    marked = """() => CSS.highlights.get("sought")?.size &&
      [...CSS.highlights.get("sought")].every(({ startContainer: text, startOffset, endOffset }) =>
        text.data.slice(startOffset, endOffset).toLowerCase() === "softmax")"""
    until(page, marked)
    page.keyboard.press("Escape")
    assert not page.evaluate("CSS.highlights.has('sought')")


def test_search_fetches_no_page_and_says_that_it_found_nothing(reopen, server):
    visit = reopen(f"{server}/search.html?q=xylophone")
    visit.page.get_by_text("Nothing found.").wait_for()
    visit.page.goto(f"{server}/search.html?q=*")
    visit.page.get_by_text("Signs alone are not found.").wait_for()
    visit.page.goto(f"{server}/search.html?q=attention")
    visit.page.get_by_text("Places found:").wait_for()
    assert not [address for address in visit.requests if "/chapters/" in address]


def visible(page: Page, selector: str) -> list[str]:
    """What of the elements is seen, as the start of their markup."""
    return page.locator(selector).evaluate_all(
        """items => items.filter((item) => item.checkVisibility({ visibilityProperty: true }))
             .map((item) => item.outerHTML.slice(0, 120))"""
    )


def test_paper_has_pictures_what_is_folded_and_no_controls(lesson):
    page = lesson(theme="dark", width=718)  # A4, within margins of 1 cm
    controls = "button, input, select, textarea, [role=slider], summary:not(.admonition-title)"
    assert visible(page, ", ".join(FRAME))
    page.emulate_media(media="print", color_scheme="dark")
    assert visible(page, f"{', '.join(FRAME)}, {controls}, .widget-live, .veil-note") == []
    slots = page.locator(".widget-slot").count()
    assert len(visible(page, ".widget-slot > .widget-picture")) == slots
    for folded in page.locator("article :is(details.solution, .tag_hide-cell > details)").all():
        assert folded.locator(":scope > :not(summary)").last.is_visible()
    assert page.locator(".veil").first.evaluate("veil => veil.offsetHeight") > 0
    inks = """items => items.filter((item) => item.checkVisibility())
      .map((item) => getComputedStyle(item).color)"""
    seen = {*page.locator("article :is(p, pre, pre span)").evaluate_all(inks)}
    assert seen == {"rgb(31, 35, 40)", "rgb(89, 99, 110)"}  # as in the light


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_the_colours_are_the_readers_choice_from_the_first_press_on(lesson, theme):
    page, themes = lesson(theme=theme), ["light", "dark"]
    colours = {"light": "rgb(255, 255, 255)", "dark": "rgb(20, 24, 30)"}
    mode = button(page, "Colour mode")
    themes.remove(theme)
    for now in (*themes, theme, theme):  # the other, the same by choice, the system's again
        mode.click()
        expect(page.locator("html")).to_have_css("background-color", colours[now])


def test_what_is_not_prose_stays_left_to_right_in_a_translation(lesson):
    page = lesson()
    page.locator("html").evaluate("root => { root.dir = 'rtl'; }")
    for kind in (".katex", "pre", "code", "article svg", ".widget-slot[data-address]"):
        for each in page.locator(kind).all():
            expect(each).to_have_css("direction", "ltr")
    expect(page.locator("article > p, section > p").first).to_have_css("direction", "rtl")


def test_on_a_low_screen_nothing_stays_in_sight(open_page, server):
    page = open_page(f"{server}/{LESSON}.html", width=320, height=200).page
    lasting = """() => [...document.querySelectorAll("*")].filter((item) => {
      const { position, top } = getComputedStyle(item);
      return item.checkVisibility() && position === "sticky" && top !== "auto";
    }).map((item) => item.outerHTML.slice(0, 90))"""
    assert page.evaluate(lasting) == []
    page.set_viewport_size({"width": 320, "height": 800})
    assert page.evaluate(lasting)


# The sum of all that moves without the reader's doing.
OBSERVE = """window.shift = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) if (!entry.hadRecentInput) window.shift += entry.value;
}).observe({ type: "layout-shift", buffered: true });"""


@pytest.mark.parametrize("width", [390, 1280])
def test_a_page_stands_still_while_it_comes_with_late_fonts(open_page, server, width):
    held: list = []

    def hold(page: Page) -> None:
        page.add_init_script(OBSERVE)
        page.route("**/*.woff2", lambda route: held.append(route))

    page = open_page(f"{server}/{LESSON}.html", width=width, prepare=hold, wait=False).page
    page.wait_for_selector("html[data-widgets=ready]")
    page.evaluate(SETTLE)
    assert held
    for font in held:
        font.continue_()
    until(page, "() => document.fonts.status === 'loaded'")
    page.evaluate(SETTLE)
    assert page.evaluate("shift") <= 0.05


def test_a_page_without_scripts_has_pictures_formulas_menus_and_all_links(open_page, book):
    address = f"{book.as_uri()}/{LESSON}.html"
    page = open_page(address, scripts=False, width=390, theme="dark").page
    expect(page.locator("html")).to_have_css("background-color", "rgb(20, 24, 30)")
    assert page.locator("article .katex-html").first.is_visible()
    for slot in page.locator(".widget-slot:not(details *)").all():
        slot.scroll_into_view_if_needed()  # pictures load when they are wanted
        assert slot.locator(".widget-picture").is_visible()
        for image in slot.locator("img").all():
            expect(image).not_to_have_js_property("naturalWidth", 0)
    assert page.locator(".veil p").first.is_visible()
    exercise = page.locator("#ex-reads-odds")
    expect(exercise.locator("form")).to_be_hidden()
    expect(exercise.locator(".cell_input")).to_contain_text('check("reads-odds", answer)')
    for part in page.locator("article details").all():
        part.locator("summary").first.click()
        assert part.locator(":scope > :not(summary)").first.is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    for opener in page.locator("body > header button:visible").all():  # none is dead
        menu = page.locator(f"[id='{opener.get_attribute('popovertarget')}']")
        opener.press("Enter")
        assert menu.locator("a").first.is_visible()
        page.keyboard.press("Escape")
        expect(opener).to_be_focused()


class Counter(anywidget.AnyWidget):
    """As a reader may write one."""

    _esm = """export default {
      initialize({ model }) { model.set("started", model.get("started") + 1); },
      render({ model, el }) {
        const button = document.createElement("button");
        const show = () => {
          button.textContent = ["label", "count", "started"].map((name) => model.get(name)).join();
        };
        button.onclick = () => model.set("count", model.get("numbers").getFloat64(8, true));
        model.on("change:count", show);
        show();
        el.append(button);
      },
    };"""
    _css = ""
    label = traitlets.Unicode("</script><img src=x>").tag(sync=True)
    count = traitlets.Float(5).tag(sync=True)
    started = traitlets.Int(0).tag(sync=True)
    numbers = traitlets.Bytes(bytes(14) + b"\x04\x40").tag(sync=True)  # 0 and 2.5


class Throws(Counter):
    _esm = "export default { async render({ el }) { el.textContent = 'half'; await 0; throw 1; } };"


def test_views_of_one_model_agree_and_one_that_fails_leaves_the_others_alone(reopen, tmp_path):
    first, other = Counter(), Counter()
    html = widget_page.html(first, Throws(), other)
    slot = html[html.index('<div class="widget-slot"') : html.index("</div>") + 6]
    page = tmp_path / "widgets.html"
    page.write_text(html.replace("</main>", f"{slot}</main>"))
    visit = reopen(page.as_uri())
    buttons = visit.page.locator(".widget-slot button")
    buttons.first.click()
    start = "</script><img src=x>"
    expect(buttons).to_have_text([f"{start},2.5,1", f"{start},5,1", f"{start},2.5,1"])
    states = visit.page.locator(".widget-slot").evaluate_all("all => all.map(e => e.dataset.state)")
    assert states == ["live", "failed", "live", "live"]
    (problem,) = visit.problems
    assert "Throws could not be shown" in problem


def test_pictures_take_the_place_of_widgets_that_do_not_come(open_page, server):
    address, file = f"{server}/{LESSON}.html", "**/widgets/TemperatureExplorer.js*"
    page = open_page(
        address, prepare=lambda page: page.route(file, lambda route: route.abort())
    ).page
    failed = page.locator(".widget-slot[data-widget=TemperatureExplorer]:not(.veil *)")
    for slot in failed.all():
        expect(slot).to_have_attribute("data-state", "failed")
        slot.scroll_into_view_if_needed()
        expect(slot.locator("img")).not_to_have_js_property("naturalWidth", 0)
        picture, whole = slot.locator(".widget-picture").bounding_box(), slot.bounding_box()
        assert whole["height"] <= picture["height"] + 40  # no room is kept for what never came
    rest = page.locator(".widget-slot:not([data-widget=TemperatureExplorer])")
    assert rest.count() == page.locator(".widget-slot[data-state=live]").count() > 0
