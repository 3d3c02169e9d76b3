"""What a finished PDF of the book must hold: each check says what is wrong."""

import io
import re
from collections.abc import Iterator
from typing import Any

from pypdf import PdfReader
from pypdf.generic import ArrayObject, IndirectObject

from tools.paper.document import Document
from tools.paper.pdf import kids, leaves, places

LARGEST = 15_000_000
FILES = ("/FontFile", "/FontFile2", "/FontFile3")


def problems(data: bytes, document: Document) -> list[str]:
    """Return what is wrong with a PDF of the document; nothing if all is well."""
    reader = PdfReader(io.BytesIO(data))
    pages = places(reader)
    lines = [page.extract_text().splitlines() for page in reader.pages]
    heads = {part.head for part in document.parts}
    texts = [squeezed("".join(body(each, heads))) for each in lines]
    return [
        *size(data),
        *information(reader),
        *numbers(lines),
        *order(document, pages),
        *bookmarks(reader, document, texts),
        *links(reader, document, pages),
        *fonts(reader),
        *tags(reader),
        *sentences(document, pages, texts),
    ]


def body(page: list[str], heads: set[str]) -> list[str]:
    """Return the lines of a page without the line above it and its number, which come first."""
    return [line for line in page[:2] if not (line in heads or line.isdigit())] + page[2:]


def squeezed(text: str) -> str:
    """Return a text without its spaces, which a PDF has as distances."""
    return re.sub(r"\s+", "", text)


def size(data: bytes) -> Iterator[str]:
    if len(data) > LARGEST:
        yield f"the file has {len(data) / 1e6:.1f} MB, more than {LARGEST / 1e6:.0f}"


def information(reader: PdfReader) -> Iterator[str]:
    root = reader.root_object
    if not reader.metadata or not reader.metadata.title:
        yield "the file has no title"
    if not root.get("/Lang"):
        yield "the file names no language"
    if not root.get("/MarkInfo", {}).get("/Marked") or "/StructTreeRoot" not in root:
        yield "the file has no tags"


def numbers(lines: list[list[str]]) -> Iterator[str]:
    """All pages but the cover have their number above or below the text."""
    for number, page in enumerate(lines[1:], start=2):
        if str(number) not in (*page[:2], *page[-2:]):
            yield f"page {number} does not show its number: Chromium 131 is the oldest that does"


def order(document: Document, pages: dict[str, int]) -> Iterator[str]:
    """Each part begins on a later page than the one before it."""
    starts = [pages.get(part.name, 0) for part in document.parts]
    for part, before, start in zip(document.parts, [1, *starts], starts, strict=False):
        if start <= before:
            yield f"{part.name} begins on page {start}, the part before it on page {before}"


def bookmarks(reader: PdfReader, document: Document, texts: list[str]) -> Iterator[str]:
    """They are the entries of the contents, and lead to pages that show their words."""
    found = list(flat(reader.outline))
    wanted = [(level, title) for level, _, title in document.bookmarks()]
    if [(level, each.title) for level, each in found] != wanted:
        yield f"{len(found)} bookmarks differ from the {len(wanted)} entries of the contents"
    for _, each in found:
        page = reader.get_destination_page_number(each)
        if page is None or squeezed(each.title) not in texts[page]:
            yield f"the bookmark {each.title!r} leads to a page without these words"


def flat(outline: list[Any], level: int = 0) -> Iterator[tuple[int, Any]]:
    for each in outline:
        if isinstance(each, list):
            yield from flat(each, level + 1)
        else:
            yield level, each


def links(reader: PdfReader, document: Document, pages: dict[str, int]) -> Iterator[str]:
    """Each link in the document leads to a place in the PDF, each other one to the web."""
    led = set()
    for number, page in enumerate(reader.pages, start=1):
        for annotation in page.get("/Annots", ()):
            link = annotation.get_object()
            action = link.get("/A", {})
            if "/Dest" in link:
                led.add(str(link["/Dest"]).removeprefix("/"))
            elif not str(action.get("/URI", "")).startswith("https://"):
                yield f"page {number} has a link that leads to {action.get('/URI')}"
    wanted = set(re.findall(r'<a [^>]*href="#([^"]+)"', document.html))
    for target in sorted((led | wanted) - set(pages)):
        yield f"a link leads to {target}, which is not there"
    for target in sorted(wanted - led):
        yield f"the links to {target} were lost"


def fonts(reader: PdfReader) -> Iterator[str]:
    """Each is in the file: as a file of its own, or as drawings (Type 3)."""
    seen = set()
    for page in reader.pages:
        for font in page["/Resources"].get("/Font", {}).values():
            font = font.get_object()
            for each in (d.get_object() for d in font.get("/DescendantFonts", [font])):
                name = str(each.get("/BaseFont"))
                descriptor = each.get("/FontDescriptor", {}).get_object()
                embedded = each["/Subtype"] == "/Type3" or any(f in descriptor for f in FILES)
                if not embedded and name not in seen:
                    seen.add(name)
                    yield f"the font {name} is not embedded"


def tags(reader: PdfReader) -> Iterator[str]:
    """What the pages mark belongs to tags that are there, each below the one that it names."""
    root = reader.root_object.get("/StructTreeRoot")
    if root is None:
        return
    there = set()
    stack = [(kid, None) for kid in kids(root)]
    while stack:
        reference, above = stack.pop()
        element = reference.get_object()
        if not isinstance(reference, IndirectObject) or element.get("/Type") != "/StructElem":
            continue
        there.add(reference.idnum)
        if above is not None and element.raw_get("/P") != above:
            yield f"the tag {element['/S']} names another above it than that which it is in"
        stack += [(kid, reference) for kid in kids(element)]
    marked = {
        element.idnum
        for leaf in leaves(root["/ParentTree"])
        for entry in leaf["/Nums"][1::2]
        for element in items(entry)
        if isinstance(element, IndirectObject)
    }
    if marked - there:
        yield f"{len(marked - there)} tags of marked content are not in the tree of tags"


def items(entry: Any) -> list[Any]:
    """Return what a leaf has under one number: the tags of a page, or the tag of a link."""
    found = entry.get_object()
    return list(found) if isinstance(found, ArrayObject) else [entry]


def sentences(document: Document, pages: dict[str, int], texts: list[str]) -> Iterator[str]:
    """The samples of each part are text on its pages."""
    starts = [pages.get(part.name, 1) for part in document.parts] + [len(texts) + 1]
    for part, start, end in zip(document.parts, starts, starts[1:], strict=False):
        text = "".join(texts[start - 1 : end - 1])
        for sample in part.samples:
            if squeezed(sample) not in text:
                yield f"{part.name} does not have as text: {sample}"
