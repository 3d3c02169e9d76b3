"""What readers ran into: full storage, old browsers, copying, translating, links, searching."""

import pytest
from playwright.sync_api import expect

LESSON = "chapters/temperature.html"
FULL = "Storage.prototype.setItem = () => { throw new DOMException('', 'QuotaExceededError'); }"
# What a reader who copies an element gets.
COPIED = """(element) => {
  getSelection().selectAllChildren(element);
  const event = new ClipboardEvent("copy", { bubbles: true, clipboardData: new DataTransfer() });
  element.dispatchEvent(event);
  return event.clipboardData.getData("text/plain");
}"""


def full(page):
    page.add_init_script(FULL)


def test_nothing_breaks_where_the_storage_is_full(open_page, server):
    visit = open_page(f"{server}/search.html?q=softmax", prepare=full)
    expect(visit.page.locator("#search-results li a").first).to_be_visible()
    visit.open(f"{server}/{LESSON}")
    page = visit.page
    page.get_by_role("button", name="Colour mode").click()
    expect(page.locator("html")).to_have_attribute("data-mode", "dark")
    visit.open(f"{server}/chapters/pitfalls.html")
    veil = page.locator(".veil").first
    expect(veil).to_have_attribute("hidden", "until-found")
    page.get_by_role("button", name="Never hide answers").first.click()
    expect(veil).not_to_have_attribute("hidden", "until-found")
    assert not visit.problems


@pytest.mark.parametrize(
    ("query", "lesson"),
    [
        ("GQA", "attention-today"),
        ("MLA", "attention-today"),
        ("LLM", "language-model"),
        ("GNN", "graph-attention"),
        ("RMSNorm", "transformer"),
        ("sliding window", "attention-today"),
        ("512", "multi-head-attention"),
        ("causal_mask", "api"),
        ("queries", "attention-mechanism"),
    ],
)
def test_the_search_finds_the_page_and_shows_where(open_page, server, query, lesson):
    page = open_page(f"{server}/search.html?q={query}").page
    found = page.locator("#search-results li")
    addresses = found.locator("a").evaluate_all("links => links.map((link) => link.href)")
    assert any(f"/{lesson}.html" in address for address in addresses[:8]), addresses[:8]
    expect(found.locator("mark").first).to_be_attached()


@pytest.mark.parametrize("query", ["constructor", "__proto__", "(", "toString hasOwnProperty"])
def test_a_search_for_names_of_javascript_is_one_for_words(open_page, server, query):
    visit = open_page(f"{server}/search.html?q={query}")
    assert "undefined" not in visit.page.locator("#search-results").inner_text()
    assert not visit.problems


def test_a_formula_is_copied_once_as_its_tex(open_page, server):
    page = open_page(f"{server}/{LESSON}").page
    paragraph = page.locator("article p:has([data-tex])").first
    text = paragraph.evaluate(COPIED)
    for tex in paragraph.locator("[data-tex]").evaluate_all("all => all.map(e => e.dataset.tex)"):
        assert f"${tex}$" in text
    assert "\n" not in text.strip()
    # One that is not whole is taken as a whole; text without formulas is copied as ever.
    assert page.locator(".katex-html .mord").first.evaluate(COPIED).startswith("$")
    assert page.locator("article h1").evaluate(COPIED) == ""


def test_what_is_no_prose_is_not_translated(open_page, server):
    page = open_page(f"{server}/{LESSON}").page
    for kind in (".katex", "article pre", "article code", ".drawing", "[data-address]"):
        assert page.locator(kind).count() > 0
        assert page.locator(f"{kind}:not([translate=no], [translate=no] *)").count() == 0, kind
    assert page.locator("article p[translate=no]").count() == 0


def test_a_link_to_a_folded_box_opens_it(open_page, server):
    page = open_page(f"{server}/chapters/transformer.html").page
    name = page.locator("details[id]").first.get_attribute("id")
    box = page.locator(f"[id='{name}']")
    assert not box.evaluate("box => box.open")
    page.evaluate("name => { location.hash = name; }", name)
    expect(box).to_have_attribute("open", "")
    page = open_page(f"{server}/chapters/transformer.html#{name}").page
    expect(page.locator(f"[id='{name}']")).to_have_attribute("open", "")


def test_a_menu_is_beside_its_button_also_in_older_browsers(open_page, server):
    def older(page):
        page.add_init_script("CSS.supports = () => false")

    page = open_page(f"{server}/{LESSON}", prepare=older).page
    page.add_style_tag(content=".menu { position-area: none !important; }")
    button = page.get_by_role("button", name="Source")
    button.click()
    menu, at = page.locator("#source").bounding_box(), button.bounding_box()
    assert abs(menu["x"] + menu["width"] - at["x"] - at["width"]) < 2
    assert 0 <= menu["y"] - at["y"] - at["height"] < 12
