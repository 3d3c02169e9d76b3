"""The built pages as HTML: order, links, texts for pictures, citations, formulas, what they fetch.

The trees of all pages are parsed once, in one process.
"""

import json
import re
import xml.etree.ElementTree as ElementTree
from collections import Counter
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from bs4 import BeautifulSoup

from attnbook.exercises import all_exercises
from book import address
from book.portable import numbers_of
from book.sphinx.theme import digest
from book.sphinx.typesetting import typeset
from tests.pages.conftest import DOCUMENTS, LESSONS, TOC
from tools.project import CHAPTERS, ROOT

PAGE_LINKS = ".book nav > ul > li > a"  # in the sidebar, to the other pages
SOURCES = sorted(p for p in CHAPTERS.iterdir() if p.suffix in {".ipynb", ".md", ".rst"})
METADATA = {
    Path(name).name: json.loads((ROOT / f"{name}.ipynb").read_text(encoding="utf-8"))["metadata"]
    for name in LESSONS
}
SITE = address.pages()  # none where the checkout has no remote
# The page at the root leads on; the one for wrong addresses starts its links at the host.
HEADED = [*DOCUMENTS, "search", "index", "404"]


@pytest.fixture(scope="module")
def pages(trees) -> dict[str, BeautifulSoup]:
    """The pages of the book proper, by their last names."""
    return {Path(name).name: page for name, page in trees.items() if name.startswith("chapters/")}


def is_external(link: str) -> bool:
    parts = urlsplit(link.strip())
    return bool(parts.netloc) or parts.scheme not in ("", "data", "blob")


def target(file: Path, address: str) -> tuple[Path, str]:
    """The file and the anchor that an address in a file means."""
    parts = urlsplit(address)
    found = (file.parent / unquote(parts.path)).resolve() if parts.path else file
    return found, unquote(parts.fragment)


def test_every_page_is_listed_built_and_in_the_sidebar_in_order(pages):
    names = [Path(name).name for name in DOCUMENTS]
    assert set(names) == {path.stem for path in SOURCES} == set(pages)
    assert len(names) == len(set(names))
    for name, page in pages.items():
        links = [a["href"] for a in page.select(PAGE_LINKS)]
        assert links == ["#" if other == name else f"{other}.html" for other in names[1:]]
        assert [a["href"] for a in page.select("[aria-current=page]")] == ["#"]
        sections = [f"#{s['id']}" for s in page.select("article > section > section[id]")]
        contents = [a["href"] for a in page.select(".book .contents a")]
        assert [link for link in contents if link in sections] == sections, name


def test_the_map_says_of_each_lesson_what_it_is_about_and_ends_the_chapter_at_the_finish(pages):
    index = pages["index"]
    stops = index.select(".pagemap .stop")
    finish = stops[0].select_one("ol").find_next_sibling()
    assert finish.get("class") == ["finish"]
    assert Path(finish.a["href"]).stem == Path(TOC["parts"][0]["chapters"][-1]["file"]).name
    assert all(svg.find() for svg in index.select(".stop svg")), "a page without a picture"
    numbers = numbers_of(f"{name}.ipynb" for name in METADATA)
    on_map = {}
    for items in index.select(".pagemap ol"):
        for number, item in enumerate(items.select("li"), int(items.get("start", 1))):
            name = Path(item.a["href"]).stem
            on_map[name] = number
            assert item.p.get_text().split("\n")[1] == METADATA[name]["map"]
    in_sidebar = {
        Path(link["href"]).stem: int(number.get_text())
        for link in index.select(PAGE_LINKS)
        if (number := link.select_one(".number"))
    }
    assert in_sidebar == on_map == numbers


def explained_on(page: str) -> set[str]:
    """The terms for which the glossary sends its readers to a page."""
    glossary = (CHAPTERS / "notation.md").read_text(encoding="utf-8").partition("{glossary}")[2]
    entries = re.findall(r"^(\w.*)\n  .*See \[\]\(([\w-]+)\.ipynb\)", glossary, re.MULTILINE)
    return {term.casefold() for term, at in entries if at == page}


@pytest.mark.parametrize("name", METADATA)
def test_what_a_lesson_needs_is_taught_before_it_and_used_in_it(name, pages):
    needs = METADATA[name].get("needs", {})
    line = next(p for p in pages[name].article("p") if p.get_text().startswith("You need"))
    linked = {Path(a["href"].partition("#")[0]).stem for a in line("a")}
    assert linked == set(needs)
    order = list(METADATA)
    for earlier, need in needs.items():
        assert order.index(earlier) < order.index(name)
        word = need.casefold().removesuffix("s")
        here, there = (pages[page].article.get_text().casefold() for page in (name, earlier))
        assert word in here, need
        assert word in there or need.casefold() in explained_on(earlier), f"{need}: not {earlier}"


def test_ids_are_unique(trees):
    for name, page in trees.items():
        ids = Counter(tag["id"] for tag in page.find_all(id=True))
        assert not [each for each, count in ids.items() if count > 1], name
        assert not [each for each in ids if ":" in each], f"{name}: taken for a state"


def test_links_and_anchors_lead_somewhere(book, trees):
    folder = urlsplit(SITE).path or "/"
    anchors = {
        book / f"{name}.html": {tag["id"] for tag in page.find_all(id=True)}
        | {f"{tag['data-address']}:" for tag in page.select("[data-address]")}
        for name, page in trees.items()
    }
    broken = []
    for name, page in trees.items():
        for tag in page.find_all(["a", "area", "link"], href=True):
            link = tag["href"]
            if is_external(link) or link.startswith("data:"):
                continue
            if name == "404":
                assert link.startswith(folder)
                link = link.removeprefix(folder)
            file, anchor = target(book / f"{name}.html", link)
            anchor = re.sub(r"(?<=:).*", "", anchor)  # a state of an explorer
            # A "#" by itself is the link to the page one is on.
            if not file.is_file() or (anchor and anchor not in anchors.get(file, ())):
                broken.append(f"{name}: {tag['href']}")
    assert not broken


def test_pages_and_styles_fetch_only_files_of_the_book(book, trees):
    asked: list[tuple[Path, str]] = []
    for name, page in trees.items():
        for tag in page(["iframe", "image", "img", "link", "script", "source", "use", "video"]):
            # Some links say where something is; they load nothing.
            if not {"next", "prev", "search", "canonical"} & {*tag.get("rel", ())}:
                asked.append((book / f"{name}.html", tag.get("src") or tag.get("href") or ""))
    for path in book.rglob("*.css"):
        named = re.findall(r"""(?:url\(|@import)\s*["']?([^"')]+)""", path.read_text("utf-8"))
        asked += [(path, link) for link in named]
    for path, link in asked:
        assert not is_external(link), f"{path.name} loads {link}"
        if not link.startswith(("data:", "#")):
            assert target(path, link)[0].is_file(), f"{path.name}: no {link}"


def test_scripts_wait_for_the_page_and_those_of_the_search_are_its_own(trees):
    for name, page in trees.items():
        scripts = page("script", src=True)
        assert all(script.has_attr("defer") for script in scripts), name
        files = [Path(urlsplit(script["src"]).path).name for script in scripts]
        assert ("search.js" in files) == (name == "search"), name


def test_every_figure_has_a_text_that_says_what_it_shows(pages):
    problems, drawings = [], 0
    for name, page in pages.items():
        for image in page.select("article img, article svg, article .drawing"):
            if image.get("aria-hidden") == "true" or image.find_parent(class_=["katex", "drawing"]):
                continue
            drawings += "drawing" in image.get("class", ())
            # A drawing in the page itself carries its text inside.
            inside = " ".join(tag.get_text() for tag in image.find_all(["title", "desc"]))
            alt = (image.get("alt") or image.get("aria-label") or inside).strip()
            if len(alt) < 20 or re.fullmatch(r"[\w./-]+", alt):
                problems.append(f"{name}: {alt!r} of {image.get('src')}")
    assert not problems
    assert drawings > 20, "the lessons have lost their figures"


def test_formulas_are_typeset_and_right(trees):
    formulas = 0
    for name, page in trees.items():
        formulas += len(page.find_all(class_="katex"))
        assert not page.find_all(class_="katex-error"), name
        assert not page.find_all(string=re.compile(r"\$\$")), name
        # KaTeX writes a name with limits, as in n_{\\max}, as two children of an index.
        for index in page.find_all(["msub", "msup"]):
            assert len(index.find_all(recursive=False)) == 2, f"{name}: {index}"
    assert formulas > 1000


def test_a_colour_in_a_formula_is_for_the_eye_alone():
    formula = BeautifulSoup(typeset(r"\cq{Q}\ck{K}^\top", False), "html.parser").span
    assert [formula.select_one(f".katex-html .{role}").get_text() for role in "qk"] == ["Q", "K"]
    assert formula["data-tex"] == r"QK^\top"
    assert not formula.math.select("[class]")


def keys_of(path: Path) -> set[str]:
    """The keys that a page or the docstrings of a module cite."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        sections = re.findall(r"References\n\s*-{10}\n(.*?)(?:\n\s*\n|\"\"\")", text, re.DOTALL)
        return set(re.findall(r"^\s*([a-z]+\d{4}[a-z]?)\b", "\n".join(sections), re.MULTILINE))
    groups = re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", text)
    return {key.strip() for group in groups for key in group.split(",")}


def test_every_key_is_cited_and_every_citation_is_defined():
    bibliography = (ROOT / "references.bib").read_text(encoding="utf-8")
    keys = re.findall(r"^@\w+\{\s*([^,\s]+)", bibliography, re.MULTILINE)
    assert len(keys) == len(set(keys)), "a key is defined twice"
    modules = sorted(ROOT.glob("attn*/**/*.py"))
    cited = set().union(*(keys_of(path) for path in [*SOURCES, *modules]))
    assert set(keys) == cited


def test_each_section_has_a_link_to_report_a_mistake(pages):
    for name, page in pages.items():
        sections = page.article.section.find_all("section", id=True, recursive=False)
        links = [report.a["href"] for report in page.select(".report")]
        assert [link for link in links if f"page=chapters%2F{name}" in link] == links
        assert len(links) == (len(sections) if SITE else 0)


def said(page: BeautifulSoup) -> dict[str, list[str]]:
    """What the elements in the head of a page say, by their name."""
    found: dict[str, list[str]] = {"title": [page.head.title.get_text()]}
    for tag in page.head("meta", content=True):
        name = tag.get("name") or tag.get("property") or tag.get("http-equiv")
        found.setdefault(name, []).append(tag["content"])
    found["canonical"] = [tag["href"] for tag in page.head("link", rel="canonical")]
    return found


@pytest.mark.parametrize("name", HEADED)
def test_a_page_describes_itself_alone_and_knows_its_address(trees, book, name):
    page = trees[name]
    head = said(page)
    alike = [n for n in HEADED if said(trees[n])["description"] == head["description"]]
    assert alike == [name]
    (description,), (title,) = head["description"], head["og:title"]
    assert 50 <= len(description) <= 200
    assert head["og:description"] == [description]
    assert head["title"][0].startswith(title)
    assert head["title"][0].endswith("Attention Layers")
    assert page.html["lang"] == "en"
    assert len(page("h1")) == len(head["viewport"]) == 1
    where = {"index": [f"{SITE}{DOCUMENTS[0]}.html"], "404": []}.get(name, [f"{SITE}{name}.html"])
    assert head["canonical"] == head.get("og:url", []) == (where if SITE else [])
    assert head.get("og:image", []) == ([f"{SITE}_static/social-card.png"] if SITE else [])
    assert (book / "_static" / "social-card.png").stat().st_size < 60 * 1024
    assert not {"robots", "googlebot"} & set(head)
    style = (book / "_static" / "book.css").read_text(encoding="utf-8")
    (colours,) = re.findall(r"--page: light-dark\((#\w+), (#\w+)\)", style)
    assert tuple(head["theme-color"]) == colours


def test_search_engines_find_every_page(book):
    assert (book / "sitemap.xml").exists() == bool(SITE)
    if not SITE:
        return
    root = ElementTree.parse(book / "sitemap.xml").getroot()
    name = "{http://www.sitemaps.org/schemas/sitemap/0.9}loc"
    assert {loc.text for loc in root.iter(name)} == {f"{SITE}{page}.html" for page in DOCUMENTS}
    assert f"Sitemap: {SITE}sitemap.xml" in (book / "robots.txt").read_text(encoding="utf-8")


def test_every_colour_of_the_page_has_another_in_the_dark(book):
    style = (book / "_static" / "book.css").read_text(encoding="utf-8")
    colours = re.findall(r"(--[\w-]+): light-dark\((#\w+), (#\w+)\)", style)
    assert len(colours) > 10
    assert not [name for name, light, dark in colours if light == dark]


# What a page may do: nothing of another host, no script but the book's own and those of these
# digests. To a page that others frame, Python does not come; two pages need no file to be read.
OWN = (
    "default-src 'self'; script-src 'self' blob: 'wasm-unsafe-eval' {}; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "worker-src blob:; object-src 'none'; base-uri 'none'; form-action 'self'"
)
FRAMED = (
    "default-src 'none'; connect-src 'self'; script-src 'self' blob: {}; "
    "style-src 'self' 'unsafe-inline'; img-src 'self' data: blob:; font-src 'self' data:; "
    "base-uri 'none'; form-action 'none'"
)
BARE = (
    "default-src 'none'; connect-src 'self'; style-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'"
)


def test_the_policy_of_a_page_allows_its_own_scripts_and_no_other_host(trees):
    for name, page in trees.items():
        (meta,) = page("meta", {"http-equiv": "Content-Security-Policy"})
        assert not meta.find_previous(["script", "link", "style"])
        scripts = page(lambda t: t.name == "script" and t.get("type", "module") == "module")
        inline = dict.fromkeys(f"'{digest(s.string)}'" for s in scripts if not s.get("src"))
        wanted = BARE if name in ("index", "404") else FRAMED if name.startswith("embed/") else OWN
        assert meta["content"] == wanted.format(" ".join(inline)), name


def test_every_exercise_that_asks_for_numbers_has_its_fields_and_no_other(pages):
    found = [form for page in pages.values() for form in page.select("form.exercise-fields")]
    asking = [key for key, exercise in all_exercises().items() if exercise.form]
    assert sorted(form["data-exercise"] for form in found) == sorted(asking)


def test_a_veil_follows_a_question_and_hides_no_heading(pages):
    veils = [veil for page in pages.values() for veil in page.select(".veil")]
    assert len(veils) >= 4
    for veil in veils:
        assert veil.find_previous_sibling().select("[data-widget=Question]")
        assert not veil("section") + veil(["h1", "h2", "h3"])


def test_each_explorer_with_an_address_has_a_page_to_embed(trees, pages):
    places = {
        f"embed/{name}-{slot['data-address']}": slot["data-widget"]
        for name, page in pages.items()
        for slot in page.select(".widget-slot[data-address]:not([data-address=''])")
    }
    assert len(places) > 20
    embeds = {name: page for name, page in trees.items() if name.startswith("embed/")}
    assert set(embeds) == set(places)
    for name, widget in places.items():
        page = embeds[name]
        assert [slot["data-widget"] for slot in page.select(".widget-slot")] == [widget]
        assert page.h1.get_text()
        assert not page.select("aside, nav, form, .share")
