"""The built pages and their sources: order, links, pictures, citations, nothing from elsewhere."""

import base64
import io
import json
import re
from pathlib import Path
from urllib.parse import parse_qs, unquote, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup, Tag
from fontTools.ttLib import TTFont
from sphinx.errors import ExtensionError

from _ext.answers import CHECK
from _ext.pagemap import what_it_says
from _ext.streams import join_streams
from _ext.styles import PACKAGE
from tests.numerics.test_exercises import FORMS
from tests.book.test_concepts import ROWS, folded, readable
from tests.conftest import parsed
from tests.page.frame import PAGE_LINKS, SECTION_LINKS
from tools.address import current
from tools.project import CHAPTERS, ROOT

TOC = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
DOCUMENTS = [TOC["root"], *(e["file"] for part in TOC["parts"] for e in part["chapters"])]
SOURCES = sorted(p for p in CHAPTERS.iterdir() if p.suffix in {".ipynb", ".md", ".rst"})
METADATA = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))["metadata"]
    for name in DOCUMENTS[1:]
    if (path := ROOT / f"{name}.ipynb").exists()
}
# Docstrings name their sources by key; the page of functions makes citations of them.
REFERENCES = re.compile(r"References\n\s*-{10}\n(.*?)(?:\n\s*\n|\"\"\")", re.DOTALL)
KEY = re.compile(r"^\s*([a-z]+\d{4}[a-z]?)\b", re.MULTILINE)
# Attributes that make a browser fetch something as it shows the page.
FETCHING = {
    "audio": ["src"],
    "embed": ["src"],
    "iframe": ["src"],
    "image": ["href", "xlink:href"],
    "img": ["src", "srcset"],
    "input": ["src"],
    "link": ["href"],
    "object": ["data"],
    "script": ["src"],
    "source": ["src", "srcset"],
    "track": ["src"],
    "use": ["href", "xlink:href"],
    "video": ["src", "poster"],
}
CSS_FETCH = re.compile(r"""url\(\s*["']?([^"')]+)|@import\s+["']([^"']+)""")


@pytest.fixture(scope="session")
def pages(book: Path) -> dict[Path, BeautifulSoup]:
    """Every built page, parsed, by its file."""
    files = [path for path in sorted(book.rglob("*.html")) if "_static" not in path.parts]
    return {path: parsed(path) for path in files}


def lessons(pages: dict[Path, BeautifulSoup]) -> dict[str, BeautifulSoup]:
    """The pages of the book itself, without search and redirection, by their name."""
    return {path.stem: page for path, page in pages.items() if path.parent.name == "chapters"}


def is_external(address: str) -> bool:
    parts = urlsplit(address.strip())
    return bool(parts.netloc) or parts.scheme not in ("", "data", "blob")


def styles(page: BeautifulSoup) -> str:
    """All CSS that is written in a page."""
    blocks = [tag.string or "" for tag in page.find_all("style")]
    return "\n".join([*blocks, *(tag["style"] for tag in page.find_all(style=True))])


def test_every_page_is_in_the_order_and_the_other_way_round():
    listed = {name.removeprefix("chapters/") for name in DOCUMENTS}
    assert listed == {path.stem for path in SOURCES}
    assert len(listed) == len(DOCUMENTS)


def test_every_listed_page_is_built_and_no_other(pages):
    assert set(lessons(pages)) == {Path(name).name for name in DOCUMENTS}


def test_the_sidebar_follows_the_order(pages):
    for name, page in lessons(pages).items():
        links = [a["href"] for a in page.select(PAGE_LINKS)]
        others = [f"{Path(other).name}.html" for other in DOCUMENTS[1:]]
        assert links == ["#" if link == f"{name}.html" else link for link in others]
        current = [a["href"] for a in page.select("[aria-current=page]")]
        assert current == ["#"]


def test_the_map_says_of_every_lesson_what_it_is_about(pages):
    items = lessons(pages)["index"].select(".pagemap li")
    on_map = {Path(item.a["href"]).stem: item.p.get_text().split("\n")[1] for item in items}
    assert on_map == {name: said["map"] for name, said in METADATA.items()}


def test_the_map_says_what_each_lesson_needs_and_where_one_has_finished(pages):
    stops = lessons(pages)["index"].select(".pagemap .stop")
    on_the_path = [len(part["chapters"]) for part in TOC["parts"][:2]]
    assert [len(stop.select("li")) for stop in stops] == on_the_path
    assert [len(stop.select(".finish")) for stop in stops] == [1, 0]
    assert stops[0].select_one("ol").find_next_sibling().get("class") == ["finish"]
    numbers = {name: number for number, name in enumerate(METADATA, 1)}
    for item in lessons(pages)["index"].select(".pagemap li"):
        needs = METADATA[Path(item.a["href"]).stem].get("needs", {})
        told = [f"{word} ({numbers[page]})" for page, word in needs.items()]
        assert sorted(item.em.get_text().removeprefix("Needs ").split(", ") if item.em else []) == (
            sorted(told)
        )


@pytest.mark.parametrize("name", METADATA)
def test_what_a_lesson_needs_is_taught_before_it_and_used_in_it(name, pages, book):
    article = lessons(pages)[name].article
    needs = METADATA[name].get("needs", {})
    line = next(p for p in article.find_all("p") if p.get_text().startswith("You need"))
    linked = {Path(a["href"].partition("#")[0]).stem for a in line.find_all("a")}
    assert linked == set(needs)
    order = list(METADATA)
    text = folded(readable(book / "chapters" / f"{name}.html").get_text())
    for page, need in needs.items():
        assert order.index(page) < order.index(name)
        word = folded(need).removesuffix("s")
        assert word in text
        taught = [folded(row.concept + row.says) for row in ROWS if row.page == page]
        assert any(word in each for each in [*taught, *map(folded, explained_on(page))]), page


def explained_on(page: str) -> list[str]:
    """The terms for which the glossary sends its readers to a page."""
    glossary = (CHAPTERS / "notation.md").read_text(encoding="utf-8").partition("{glossary}")[2]
    entries = re.findall(r"^(\w.*)\n  (.*)$", glossary, re.MULTILINE)
    return [
        term
        for term, entry in entries
        if f"({page}.ipynb)" in entry.rpartition("See ")[2].partition("First met")[0]
    ]


def test_a_lesson_that_needs_a_later_one_is_named(tmp_path):
    path = tmp_path / "hasty.ipynb"
    path.write_text('{"metadata": {"map": "haste", "needs": {"late": "patience"}}}')
    assert what_it_says(path, {"late": 1}) == ("haste", "Needs patience (1)")
    with pytest.raises(ExtensionError, match=r"^hasty\.ipynb needs late, which is no lesson"):
        what_it_says(path, {})


def test_a_lesson_that_says_nothing_for_the_map_is_named(tmp_path):
    path = tmp_path / "silent.ipynb"
    path.write_text('{"metadata": {}}')
    with pytest.raises(ExtensionError, match=r"^silent\.ipynb does not say what it is about"):
        what_it_says(path, {})


def test_the_numbers_in_the_sidebar_are_those_of_the_map(pages):
    index = lessons(pages)["index"]
    lists = index.select(".pagemap ol")
    on_map = {
        link["href"]: number
        for items in lists
        for number, link in enumerate(items.select("a"), int(items.get("start", 1)))
    }
    in_sidebar = {
        link["href"]: int(link.select_one(".number").get_text())
        for link in index.select(PAGE_LINKS)
        if link.select_one(".number")
    }
    assert in_sidebar == on_map
    assert len(on_map) > 5


def test_the_contents_name_every_section(pages):
    for name, page in lessons(pages).items():
        sections = [f"#{s['id']}" for s in page.select("article > section > section[id]")]
        links = [a["href"] for a in page.select(f"{SECTION_LINKS}")]
        assert [link for link in links if link in sections] == sections, name


def test_ids_are_unique(pages):
    for path, page in pages.items():
        ids = [tag["id"] for tag in page.find_all(id=True)]
        twice = sorted({name for name in ids if ids.count(name) > 1})
        assert not twice, f"{path.name}: {twice}"


def target(page: Path, address: str) -> tuple[Path, str]:
    """The file and the anchor that an address on a page means."""
    parts = urlsplit(address)
    file = (page.parent / unquote(parts.path)).resolve() if parts.path else page
    return file, unquote(parts.fragment)


def test_links_and_anchors_lead_somewhere(book, pages):
    folder = urlsplit(current().pages).path
    anchors = {path: {tag["id"] for tag in page.find_all(id=True)} for path, page in pages.items()}
    broken = []
    for path, page in pages.items():
        for tag in page.find_all(["a", "area", "link"], href=True):
            if is_external(tag["href"]) or tag["href"].startswith("data:"):
                continue
            link = tag["href"]
            if path.name == "404.html":  # its links start at the host
                assert link.startswith(folder)
                link = link.removeprefix(folder)
            file, anchor = target(path, link)
            # A "#" by itself is the link to the page one is on.
            if not file.is_file() or (anchor and anchor not in anchors.get(file, ())):
                broken.append(f"{path.name}: {tag['href']}")
    assert not broken, "\n".join(broken)


def fetched(page: BeautifulSoup) -> list[str]:
    """Every address that a page makes a browser fetch."""
    found: list[str] = []
    for name, attributes in FETCHING.items():
        for tag in page.find_all(name):
            # These links say where something is; they load nothing.
            if name == "link" and {"next", "prev", "search", "canonical"} & set(tag["rel"]):
                continue
            for value in (tag[attribute] for attribute in attributes if tag.has_attr(attribute)):
                found += re.split(r"\s+[\d.]+[wx],?\s*", value.strip())
    found += [url or imported for url, imported in CSS_FETCH.findall(styles(page))]
    return [address for address in found if address]


def test_pages_fetch_only_files_of_the_book(pages):
    for path, page in pages.items():
        for address in fetched(page):
            assert not is_external(address), f"{path.name} loads {address}"
            if not address.startswith("data:"):
                assert target(path, address)[0].is_file(), f"{path.name}: no {address}"


def test_styles_fetch_only_files_of_the_book(book):
    found = [
        (path, url or imported)
        for path in book.rglob("*.css")
        for url, imported in CSS_FETCH.findall(path.read_text(encoding="utf-8"))
    ]
    assert found
    for path, address in found:
        assert not is_external(address), f"{path.name} loads {address}"
        if not address.startswith(("data:", "#")):
            assert target(path, address)[0].is_file(), f"{path.name}: no {address}"


def alt_problem(image: Tag) -> str | None:
    """What is wrong with the text that stands in for an image, if anything."""
    # A drawing in the page itself carries its text inside.
    inside = " ".join(tag.get_text() for tag in image.find_all(["title", "desc"]))
    alt = (image.get("alt") or image.get("aria-label") or inside).strip()
    if len(alt) < 20:
        return f"alt text of {len(alt)} characters"
    if re.search(r"\.(png|svg|jpe?g|gif)$", alt) or re.fullmatch(r"[\w./-]+", alt):
        return f"alt text is a file name: {alt}"
    return None


def test_every_figure_has_alt_text_that_says_what_it_shows(pages):
    problems = []
    images = 0
    for name, page in lessons(pages).items():
        for image in page.select("article img, article svg, article .drawing"):
            if image.get("aria-hidden") == "true" or image.find_parent(class_=["katex", "drawing"]):
                continue
            images += 1
            if problem := alt_problem(image):
                problems.append(f"{name}: {problem} ({image.get('src')})")
    assert not problems, "\n".join(problems)
    assert images >= 5, "the lessons have lost their figures"


def test_formulas_are_typeset_and_right(pages):
    assert any(page.select(".katex") for page in lessons(pages).values())
    for path, page in pages.items():
        assert not page.select(".katex-error"), path.name
        assert "$$" not in page.get_text(), path.name
        # KaTeX writes a name with limits, as in n_{\\max}, as two children of an index.
        for index in page.select("msub, msup"):
            assert len(index.find_all(recursive=False)) == 2, f"{path.name}: {index}"


def held(*files):
    """The characters of these fonts."""
    fonts = [TTFont(io.BytesIO(file)) for file in files]
    return {chr(code) for font in fonts for code in font.getBestCmap()}


def fonts_of(style, folder):
    """The fonts that a style holds, and those that it names."""
    inside = re.findall(r"url\(data:font/woff2;base64,([^)]+)\)", style)
    named = re.findall(r"url\((fonts/[^)]+)\)", style)
    return [*map(base64.b64decode, inside), *((folder / name).read_bytes() for name in named)]


def test_every_character_of_a_formula_has_its_glyph(book, pages):
    static = book / "_static"
    cut = held(*fonts_of((static / "book.css").read_text(encoding="utf-8"), static))
    whole = held(*(path.read_bytes() for path in (PACKAGE / "dist" / "fonts").glob("*.woff2")))
    formulas = [part for page in pages.values() for part in page.select(".katex-html")]
    used = set("".join(part.get_text() for part in formulas))
    assert used & whole <= cut
    assert len(cut) < len(whole) / 2


def test_a_page_has_a_language_and_one_title(pages):
    for path, page in pages.items():
        assert page.html["lang"] == "en", path.name
        assert len(page.select("h1")) == 1, path.name


def test_no_page_waits_for_a_script(pages):
    scripts = [(path, tag) for path, page in pages.items() for tag in page("script", src=True)]
    assert len(scripts) >= len(DOCUMENTS)
    for path, script in scripts:
        assert script.has_attr("defer"), f"{path.name}: {script['src']}"


# ---- citations --------------------------------------------------------------------------------


def keys_of(path: Path) -> set[str]:
    """The keys that a page or the docstrings of a module cite."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".py":
        return {key for section in REFERENCES.findall(text) for key in KEY.findall(section)}
    groups = re.findall(r"\{cite(?::\w+)?\}`([^`]+)`", text)
    return {key.strip() for group in groups for key in group.split(",")}


def test_every_key_is_cited_and_every_citation_is_defined():
    bibliography = (ROOT / "references.bib").read_text(encoding="utf-8")
    keys = re.findall(r"^@\w+\{\s*([^,\s]+)", bibliography, re.MULTILINE)
    assert len(keys) == len(set(keys)), "a key is defined twice"
    modules = sorted((ROOT / "attnutils").rglob("*.py"))
    cited = set().union(*(keys_of(path) for path in [*SOURCES, *modules]))
    assert set(keys) - cited == set(), "defined but never cited"
    assert cited - set(keys) == set(), "cited but never defined"


def test_docstrings_cite_on_the_page_of_functions(pages):
    """Every source that a docstring names is a link to the bibliography there."""
    documents = [lessons(pages)[name] for name in ("api", "widgets")]
    links = [a["href"] for page in documents for a in page.select(".bibtex-citation a")]
    assert all(link.startswith("bibliography.html#") for link in links)
    cited = set().union(*(keys_of(path) for path in (ROOT / "attnutils").rglob("*.py")))
    assert len(set(links)) == len(cited) >= 15


def test_a_citation_says_what_the_entry_starts_with(pages):
    entries = {
        entry["id"]: entry.select_one(".label").get_text().strip("[]")
        for entry in lessons(pages)["bibliography"].select("div.citation")
    }
    assert len(set(entries.values())) == len(entries), "two entries cannot be told apart"
    citations = {
        (urlsplit(link["href"]).fragment, link.get_text())
        for page in lessons(pages).values()
        for link in page.select("a[href*='bibliography.html#'], span.bibtex-citation a")
    }
    wrong = {c for c in citations if re.sub(r"[\[\]()]", "", c[1]) not in entries[c[0]]}
    assert citations
    assert wrong == set()


def has_fields(cell: dict) -> bool:
    """Whether a cell checks an answer that is still to be given, and that the page has fields for.

    Such a cell prints "unanswered", which the page leaves out.
    """
    found = CHECK.search("".join(cell["source"]))
    return found is not None and found[1] in FORMS and "answer = ..." in "".join(cell["source"])


def test_a_page_prints_what_its_notebook_has_stored(pages):
    seen = 0
    for name, page in lessons(pages).items():
        path = CHAPTERS / f"{name}.ipynb"
        if not path.exists():
            continue
        stored = [
            "".join(output["text"]).rstrip()
            for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]
            for output in cell.get("outputs", [])
            if output["output_type"] == "stream" and not has_fields(cell)
        ]
        shown = [output.get_text().rstrip() for output in page.select(".output.stream")]
        assert shown == stored, name
        seen += len(shown)
    assert seen


def test_pieces_of_a_stream_are_joined_where_they_were_cut():
    cut = [
        {"output_type": "stream", "name": "stdout", "text": text} for text in ("so", " it ", "is\n")
    ]
    assert join_streams(cut) == [
        {"output_type": "stream", "name": "stdout", "text": "so it is\n"},
    ]


def test_each_section_has_its_link(pages):
    issues = f"{current().url}/issues/new"
    for name, page in lessons(pages).items():
        sections = page.article.section.find_all("section", id=True, recursive=False)
        for section in sections:
            (report,) = section.find_all(class_="report", recursive=False)
            (link,) = report.find_all("a")
            parts = urlsplit(link["href"])
            assert f"{parts.scheme}://{parts.netloc}{parts.path}" == issues
            filled = parse_qs(parts.query)
            assert filled["page"] == [f"chapters/{name}"]
            assert filled["commit"] == ["main"]  # of a book that is not published
            (heading,) = section.find_all("h2", recursive=False)
            if not heading.select(".math"):
                mark = heading.select_one(".headerlink").get_text()
                assert filled["section"] == [heading.get_text().removesuffix(mark)]
            assert link.get_text() in link["aria-label"]
        assert len(page.select(".report")) == len(sections)


def test_the_form_has_the_fields_that_the_links_fill(pages):
    link = lessons(pages)["temperature"].select_one(".report > a")["href"]
    filled = parse_qs(urlsplit(link).query)
    (template,) = filled.pop("template")
    form = yaml.safe_load((ROOT / ".github" / "ISSUE_TEMPLATE" / template).read_text("utf-8"))
    assert set(filled) < {field["id"] for field in form["body"]}


@pytest.fixture(scope="module")
def terms(book):
    """The words that the search knows."""
    index = (book / "searchindex.js").read_text(encoding="utf-8")
    found = json.loads(index[index.index("(") + 1 : index.rindex(")")])
    return {*found["terms"], *found["titleterms"]}


def test_the_search_knows_no_number_as_its_script_searches_for_none(book, terms):
    assert r"queryTerm.match(/^\d+$/)" in (book / "_static" / "searchtools.js").read_text("utf-8")
    assert "2d" in terms
    assert not [term for term in terms if term.isdecimal()]


def test_the_search_knows_no_words_that_only_neighbours_make(terms):
    """Cells and labels of drawings: there are many with the words of the example.

    The choices of an answer, which end with its button, are still one word.
    """
    assert {"sleepi", "child", "queri"} <= terms
    joined = [term for term in terms if re.search("thesleep|sleepychild|childread|abook", term)]
    assert all(term.endswith("check") for term in joined), joined
