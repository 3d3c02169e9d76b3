"""The state of an explorer is in the address of its page: opened cold, kept, gone back to."""

import re
import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.conftest import IS_EXHAUSTIVE, Visit, some

RELEASED = tomllib.loads(Path(__file__).with_suffix(".toml").with_stem("addresses").read_text())
ADDRESSED = sorted({address.partition("#")[0] for address in RELEASED})
LESSON = "chapters/temperature.html"
EXPLORER = "[data-address=temperature]"
# How often the page changes its address, and how.
COUNT = """() => {
  window.changes = [];
  for (const way of ["pushState", "replaceState"]) {
    const change = history[way].bind(history);
    history[way] = (...given) => {
      changes.push(way);
      change(...given);
    };
  }
}"""

# So many steps to the left without a rest, however slow the machine is.
STEPS = """(slider, count) => {
  for (let step = 0; step < count; step++) {
    slider.stepDown();
    slider.dispatchEvent(new Event("input", { bubbles: true }));
  }
}"""


def headline(page: Page) -> str:
    return page.locator(f"{EXPLORER} .headline").inner_text()


def state(page: Page) -> str:
    """The address after its #."""
    return page.url.partition("#")[2]


def test_the_list_only_grows():
    assert len(RELEASED) >= 20


@pytest.mark.parametrize("name", some(ADDRESSED, *ADDRESSED[::8]))
def test_an_address_that_was_given_away_says_what_it_said(book, reopen: Callable, name):
    """The first of a page is opened cold, and leads on to the others; or all, with EXHAUSTIVE=1."""
    for address in (each for each in RELEASED if each.startswith(f"{name}#")):
        if IS_EXHAUSTIVE:
            reopen("about:blank")
        page = reopen(f"{book.as_uri()}/{address}").page
        # An explorer that has moved is looked up where it is now.
        page.wait_for_selector(f"[data-address={address.partition('#')[2].partition(':')[0]}]")
        page.wait_for_selector("html[data-widgets=ready]")
        slug, _, moved = state(page).partition(":")
        slot = page.locator(f"[data-address={slug}]")
        # What is as at the start, since nothing of the address fits, says nothing of itself.
        said = slot.locator(".unseen[role=status]" if moved else ".headline").first
        expect(said, address).to_have_text(RELEASED[address])
        expect(slot, address).to_be_in_viewport()


def test_no_anchor_of_the_book_can_be_taken_for_a_state(book):
    # Not parsed, which takes ten seconds; that this finds them is seen at one that is there.
    ids = {
        path.name: re.findall(r'<[^<>]*\sid="([^"]*)"', path.read_text(encoding="utf-8"))
        for path in book.rglob("*.html")
    }
    assert "the-derivative" in ids["temperature.html"]
    assert not [(page, name) for page, names in ids.items() for name in names if ":" in name]


def test_the_address_follows_at_rest_and_back_leads_through_states(server, reopen: Callable):
    visit = reopen(f"{server}/{LESSON}#objectives")
    page = visit.page
    page.evaluate(COUNT)
    start = headline(page)
    slider = page.locator(EXPLORER).get_by_role("slider")
    slider.evaluate(STEPS, 12)
    expect(page).to_have_url(f"{server}/{LESSON}#temperature:T=0.33")
    assert page.evaluate("changes") == ["replaceState"]
    page.reload()
    page.wait_for_selector("html[data-widgets=ready]")
    assert headline(page).startswith("At T = 0.33,")

    # An ordinary link leaves the explorer alone; back leads to the state.
    page.evaluate("location.hash = '#exercises'")
    assert headline(page).startswith("At T = 0.33,")
    page.evaluate("location.hash = '#temperature:tie=1'")
    expect(page.locator(f"{EXPLORER} [type=checkbox]")).to_be_checked()
    assert headline(page).startswith("At T = 1,")
    page.go_back()
    assert state(page) == "exercises"
    page.go_back()
    expect(page.locator(f"{EXPLORER} [type=checkbox]")).not_to_be_checked()
    assert headline(page).startswith("At T = 0.33,")
    page.go_forward()
    page.go_forward()
    expect(page.locator(f"{EXPLORER} [type=checkbox]")).to_be_checked()
    page.evaluate("location.hash = '#temperature:'")
    expect(page.locator(f"{EXPLORER} [type=checkbox]")).not_to_be_checked()
    assert headline(page) == start
    assert not visit.problems


def test_an_explorer_that_has_moved_is_found_on_its_page_however_it_is_asked_for(server, reopen):
    asked = "bench:query=Child&T=0.5"
    page = reopen(f"{server}/chapters/index.html").page
    page.evaluate(f"location.hash = '#{asked}'")
    page.wait_for_url(f"{server}/chapters/attention-mechanism.html#{asked}")
    page.goto(f"{server}/embed/index-bench.html#{asked}")
    page.wait_for_url(f"{server}/embed/attention-mechanism-bench.html#{asked}")
    expect(page.locator("[data-address=bench] .headline")).to_contain_text("With the query q Child")


STRANGE = ["#", "#no-such:T=2", "#no-such-place", "#:", "#%", "#x:%E0%A4%A"]


@pytest.mark.parametrize("hash_", some(STRANGE, "#no-such:T=2", "#x:%E0%A4%A"))
def test_other_addresses_change_nothing(server, reopen: Callable, hash_):
    visit = reopen(f"{server}/{LESSON}{hash_}")
    assert headline(visit.page).startswith("At T = 1,")
    assert visit.page.evaluate("scrollY") == 0
    assert not visit.problems


def test_a_hostile_address_leaves_no_markup_and_no_trace(server, reopen: Callable):
    attack = "%3Cimg src=x onerror=alert(1)%3E"
    long = "x" * 10_000
    visit = reopen(
        f"{server}/chapters/attention-mechanism.html#bench:query={attack}&score={long}&T=2&mask=2"
    )
    slot = visit.page.locator("[data-address=bench]")
    expect(slot.locator(".headline")).to_contain_text("most weight goes to Reads 0.")
    assert slot.locator("img[src=x]").count() == 0
    expect(visit.page).to_have_url(f"{server}/chapters/attention-mechanism.html#bench:T=2")
    assert not visit.problems


def test_a_link_is_copied(server, open_page: Callable):
    def allow(page: Page) -> None:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    address = f"{server}/{LESSON}#temperature:T=0.5"
    page: Page = open_page(address, prepare=allow).page
    corner = page.locator(f"{EXPLORER} + .share")
    corner.get_by_role("button", name="Copy link").press("Enter")
    expect(corner.get_by_role("button").first).to_have_text("Copied")
    assert page.evaluate("navigator.clipboard.readText()") == address
    expect(corner.get_by_role("textbox")).to_be_hidden()


def test_where_nothing_may_be_copied_the_link_is_there_to_copy(book, open_page: Callable):
    def forbid(page: Page) -> None:
        page.add_init_script("delete Navigator.prototype.clipboard")

    visit: Visit = open_page(f"{book.as_uri()}/{LESSON}", prepare=forbid)
    page = visit.page
    page.locator(EXPLORER).get_by_role("slider").press("End")
    corner = page.locator(f"{EXPLORER} + .share")
    corner.get_by_role("button", name="Copy link").press("Enter")
    link = f"{book.as_uri()}/{LESSON}#temperature:T=inf"
    expect(corner.get_by_role("textbox")).to_have_value(link)
    assert page.evaluate("getSelection().toString()") == link
    assert not visit.problems
