"""What a page says of itself: to search engines, to places that link to it, to lost readers."""

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup
from PIL import Image

from tests.book.test_pages import DOCUMENTS
from tools import address
from tools.project import ROOT

SITE = address.current().pages
FIRST = f"{DOCUMENTS[0]}.html"
PAGES = [*(f"{name}.html" for name in DOCUMENTS), "search.html", "index.html", "404.html"]
CARD = "_static/social-card.png"


def said(book: Path, page: str) -> dict[str, list[str]]:
    """What the elements in the head of a page say, by their name."""
    text = (book / page).read_text(encoding="utf-8").partition("</head>")[0]
    head = BeautifulSoup(text, "html.parser").head
    found: dict[str, list[str]] = {"title": [head.title.get_text()]}
    for tag in head.find_all("meta", content=True):
        name = tag.get("name") or tag.get("property") or tag.get("http-equiv")
        found.setdefault(name, []).append(tag["content"])
    found["canonical"] = [tag["href"] for tag in head.find_all("link", rel="canonical")]
    return found


@pytest.mark.parametrize("page", PAGES)
def test_a_page_describes_itself_and_once(book, page):
    head = said(book, page)
    (description,) = head["description"]
    assert 50 <= len(description) <= 200
    assert head["og:description"] == [description]
    assert head["og:type"] == ["website"]
    assert head["og:site_name"] == ["Attention Layers"]
    assert len(head["viewport"]) == 1
    (title,) = head["og:title"]
    assert head["title"][0].startswith(title)
    assert head["title"][0].endswith("Attention Layers")


def test_no_two_pages_describe_themselves_alike(book):
    descriptions = [said(book, page)["description"][0] for page in PAGES]
    assert len(set(descriptions)) == len(PAGES)


@pytest.mark.parametrize("page", PAGES)
def test_a_page_knows_its_address(book, page):
    head = said(book, page)
    where = {"index.html": [SITE + FIRST], "404.html": []}.get(page, [SITE + page])
    assert head["canonical"] == head.get("og:url", []) == where


@pytest.mark.parametrize("page", PAGES)
def test_a_link_to_a_page_comes_with_a_picture(book, page):
    head = said(book, page)
    assert head["og:image"] == [SITE + CARD]
    assert head["twitter:card"] == ["summary_large_image"]
    assert len(head["og:image:alt"][0]) > 20
    with Image.open(book / CARD) as card:
        assert head["og:image:width"] == [str(card.width)] == ["1200"]
        assert head["og:image:height"] == [str(card.height)] == ["630"]
    assert (book / CARD).stat().st_size < 60 * 1024


def test_the_foot_of_a_page_names_the_author(book):
    author = yaml.safe_load((ROOT / "_config.yml").read_text(encoding="utf-8"))["author"]
    for name in PAGES[:-2]:
        html = (book / name).read_text(encoding="utf-8")
        footer = BeautifulSoup(html[html.rindex("<footer") :], "html.parser").footer
        assert footer.get_text().startswith(f"By {author}. ©"), name


def test_the_browsers_bar_has_the_colour_of_the_page(book):
    style = (book / "_static" / "book.css").read_text(encoding="utf-8")
    (colours,) = re.findall(r"--page: light-dark\((#\w+), (#\w+)\)", style)
    for page in PAGES:
        assert tuple(said(book, page)["theme-color"]) == colours


def test_search_engines_may_list_every_page(book):
    # The one for wrong addresses, too: the host answers with an error, which none lists.
    refusing = [
        page
        for page in PAGES
        if {"robots", "googlebot"} & {name.lower() for name in said(book, page)}
    ]
    assert refusing == []


def test_the_list_of_pages_is_whole(book):
    root = ElementTree.parse(book / "sitemap.xml").getroot()
    name = "{http://www.sitemaps.org/schemas/sitemap/0.9}"
    assert root.tag == f"{name}urlset"
    assert {loc.text for loc in root.iter(f"{name}loc")} == {f"{SITE}{d}.html" for d in DOCUMENTS}
    robots = (book / "robots.txt").read_text(encoding="utf-8").splitlines()
    assert robots == ["User-agent: *", "Allow: /", f"Sitemap: {SITE}sitemap.xml"]


def test_the_root_leads_to_the_first_page(server, open_page: Callable):
    page = open_page(f"{server}/", wait=False).page
    page.wait_for_url(f"**/{FIRST}")
    page.goto(f"{server}/", wait_until="commit")
    page.wait_for_url(f"**/{FIRST}")


@pytest.mark.parametrize("scripts", [True, False])
def test_a_wrong_address_gets_a_page_with_a_way_out(book, open_page: Callable, scripts):
    """At any depth: whatever is asked for under the address of the book."""
    folder = urlsplit(SITE).path

    def host(route) -> None:
        path = urlsplit(route.request.url).path
        file = book / path.removeprefix(folder)
        found = path.startswith(folder) and file.is_file()
        if found:
            route.fulfill(path=file)
        else:
            route.fulfill(status=404, content_type="text/html", path=book / "404.html")

    for lost in ("nowhere.html", "chapters/a/b/nowhere.html"):
        visit = open_page(
            f"{SITE}{lost}",
            prepare=lambda page: page.route("**/*", host),
            scripts=scripts,
        )
        assert visit.page.locator("h1").inner_text() == "Page not found"
        assert visit.requests == [f"{SITE}{lost}"]  # it needs nothing else to be read
        for link in ("search the book", "Go to the first page"):
            visit.page.goto(f"{SITE}{lost}", wait_until="commit")
            visit.page.get_by_role("link", name=link).click()
            expected = "search.html" if "search" in link else FIRST
            assert visit.page.url == f"{SITE}{expected}"
            visit.page.locator("main").wait_for()
