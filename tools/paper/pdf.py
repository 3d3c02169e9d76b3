"""What the browser prints, and what is done to it: tags put in order, bookmarks, information."""

import io
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

from playwright.sync_api import Page
from pypdf import PdfReader, PdfWriter
from pypdf.generic import (
    ArrayObject,
    BooleanObject,
    DictionaryObject,
    IndirectObject,
    NameObject,
    NumberObject,
    create_string_object,
)

from tools.paper.document import Document, PaperError

# The room between the margins of A4 (paper.css), in CSS pixels.
WIDTH, HEIGHT = 612, 930
# Smaller than this, letters could not be read.
SMALLEST = 0.6
ROUNDS = 3

FIT = Path(__file__).with_name("fit.js").read_text(encoding="utf-8")
# Chromium breaks pages that it has printed before in other places: it is to forget these.
FORGET = """() => {
  document.body.style.display = "none";
  document.body.offsetHeight;
  document.body.style.display = "";
}"""
FILL = """(pages) => {
  for (const link of document.querySelectorAll(".page-of")) {
    link.querySelector(".number").textContent = pages[link.getAttribute("href").slice(1)];
  }
}"""


def printed(page: Page, url: str) -> bytes:
    """Return a document as a PDF, with the numbers of pages filled in."""
    page.set_viewport_size({"width": WIDTH, "height": HEIGHT})
    page.emulate_media(media="print")
    page.goto(url, timeout=0)  # it is as large as all pages together
    page.evaluate("document.fonts.ready")
    cut = page.evaluate(FIT, [WIDTH, HEIGHT, SMALLEST])
    if cut:
        raise PaperError("This does not fit on the paper:\n  " + "\n  ".join(cut))
    wanted = page.locator(".page-of").evaluate_all(
        "links => links.map((link) => link.getAttribute('href').slice(1))"
    )
    pages = places(PdfReader(io.BytesIO(print_once(page))))
    if missing := sorted(set(wanted) - set(pages)):
        raise PaperError(f"The contents name places that are not in the book: {missing}")
    for _ in range(ROUNDS):
        page.evaluate(FILL, pages)
        data = print_once(page, print_background=True, tagged=True)
        before, pages = pages, places(PdfReader(io.BytesIO(data)))
        if pages == before:
            return data
    moved = [f"{name}: {n}, {pages[name]}" for name, n in before.items() if pages[name] != n]
    raise PaperError(f"These pages still change after {ROUNDS} rounds:\n  " + "\n  ".join(moved))


def print_once(page: Page, **options: Any) -> bytes:
    page.evaluate(FORGET)
    return page.pdf(prefer_css_page_size=True, **options)


def places(reader: PdfReader) -> dict[str, int]:
    """Return on which page each target of a link is, counted from 1."""
    numbers = {
        page.indirect_reference.idnum: number for number, page in enumerate(reader.pages, start=1)
    }
    return {
        name.removeprefix("/"): numbers[place.page.idnum]
        for name, place in reader.named_destinations.items()
    }


# -- tags ----------------------------------------------------------------------------------------


def order_tags(writer: PdfWriter) -> None:
    """Take out the tags that say nothing: Chromium puts one around each piece of text.

    What is in them goes to the tag above. That takes most of the weight of the tags, and leaves of
    a formula one tag, with its TeX as its text.
    """
    root = writer.root_object["/StructTreeRoot"]
    # Chromium uses two tags of PDF 2.0 in a file of PDF 1.4.
    root[NameObject("/RoleMap")] = DictionaryObject(
        {NameObject(name): NameObject("/Span") for name in ("/Em", "/Strong")}
    )
    above: dict[int, IndirectObject] = {}
    top = root["/K"]
    for each in top if isinstance(top, ArrayObject) else [root.raw_get("/K")]:
        tidy(each, above)
    for leaf in leaves(root["/ParentTree"]):
        numbers = leaf["/Nums"]
        for at in range(1, len(numbers), 2):
            entry = numbers[at]
            if isinstance(entry, IndirectObject) and not isinstance(
                entry.get_object(), ArrayObject
            ):
                numbers[at] = above.get(entry.idnum, entry)
                continue
            array = entry.get_object()
            for place, element in enumerate(array):
                if isinstance(element, IndirectObject):
                    array[place] = above.get(element.idnum, element)


def leaves(node: Any) -> Iterator[DictionaryObject]:
    """Yield the leaves of a tree of numbers."""
    node = node.get_object()
    if "/Nums" in node:
        yield node
    for kid in node.get("/Kids", ()):
        yield from leaves(kid)


def tidy(reference: IndirectObject, above: dict[int, IndirectObject]) -> None:
    """Take the empty tags out from below a tag, and note for each what has its content now."""
    element = reference.get_object()
    is_formula = element.get("/S") == "/Figure" and str(element.get("/Alt", "")).startswith("$")
    if is_formula:
        element[NameObject("/S")] = NameObject("/Formula")
        element[NameObject("/Alt")] = create_string_object(str(element["/Alt"])[1:])
    kept = ArrayObject()
    is_leaf = element.get("/S") in ("/Figure", "/Formula")
    stack = [(kid, element) for kid in reversed(kids(element))]
    while stack:
        kid, owner = stack.pop()
        inner = kid.get_object()
        if isinstance(kid, IndirectObject) and inner.get("/Type") == "/StructElem":
            if inner.get("/S") == "/NonStruct" or is_leaf:
                above[kid.idnum] = reference
                stack += [(each, inner) for each in reversed(kids(inner))]
            else:
                tidy(kid, above)
                inner[NameObject("/P")] = reference
                kept.append(kid)
        elif isinstance(inner, int):
            kept.append(content(int(inner), owner, element))
        else:
            kept.append(kid)
    if kept:
        element[NameObject("/K")] = kept


def kids(element: DictionaryObject) -> list[Any]:
    """Return what is in a tag."""
    if "/K" not in element:
        return []
    inner = element.raw_get("/K")
    found = inner.get_object()
    return list(found) if isinstance(found, ArrayObject) else [inner]


def content(number: int, owner: DictionaryObject, element: DictionaryObject) -> Any:
    """Return how a tag names content that was its own or that of a tag below."""
    if "/Pg" not in element and "/Pg" in owner:
        element[NameObject("/Pg")] = owner.raw_get("/Pg")
    if element.get("/Pg") is owner.get("/Pg"):
        return NumberObject(number)
    return DictionaryObject(
        {
            NameObject("/Type"): NameObject("/MCR"),
            NameObject("/Pg"): owner.raw_get("/Pg"),
            NameObject("/MCID"): NumberObject(number),
        }
    )


# -- the file ------------------------------------------------------------------------------------


def finished(data: bytes, document: Document, about: dict[str, Any], made: datetime) -> bytes:
    """Return a printed document with bookmarks, and with information that depends on it alone."""
    reader = PdfReader(io.BytesIO(data))
    writer = PdfWriter(clone_from=reader)
    order_tags(writer)
    pages, parent = places(reader), None
    for level, target, title in document.bookmarks():
        entry = writer.add_outline_item(
            title=title, page_number=pages[target] - 1, parent=parent if level else None
        )
        parent = parent if level else entry
    writer.metadata = {
        "/Title": about["title"],
        "/Author": ", ".join(author["name"] for author in about["authors"]),
        "/CreationDate": made.strftime("D:%Y%m%d%H%M%SZ"),
        "/Producer": reader.metadata.producer or "",
    }
    writer.root_object[NameObject("/ViewerPreferences")] = DictionaryObject(
        {NameObject("/DisplayDocTitle"): BooleanObject(True)}
    )
    writer.pdf_header = reader.pdf_header
    writer.page_mode = "/UseOutlines"
    writer.compress_identical_objects(remove_duplicates=False)  # what no longer has a place
    output = io.BytesIO()
    writer.write(output)
    return output.getvalue()
