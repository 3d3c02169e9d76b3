"""The built pages as one document for paper.

What a page folds for a reader who is to think first stands at the end of the book, with the page
numbers of both: the answers of questions, and the solutions of exercises with common slips. The
numbers are left open here (`reference`): only the browser that prints knows them.
"""

import json
import re
from collections.abc import Iterable, Iterator
from html import escape
from pathlib import Path
from typing import Any
from urllib.parse import urldefrag, urljoin

import yaml
from bs4 import BeautifulSoup, Tag

from attnbook.explorers import _texts
from book.portable import CHECKS, numbers_of
from tools.project import NODE_MODULES, ROOT

STYLE = Path(__file__).parent / "paper.css"
ARIMO = NODE_MODULES / "@fontsource" / "arimo"
FACES = ("400.css", "400-italic.css", "600.css", "600-italic.css", "700.css", "700-italic.css")
ANSWERS, TITLE = "answers", "Answers and solutions"
# Attributes that name ids of the page they stand on; and urls in attributes of drawings.
NAMING = ("aria-labelledby", "aria-describedby", "for", "headers")
URL = re.compile(r"url\(#([^)]+)\)")
# What only a screen can do.
OFF_PAPER = (
    "script, template, form, button, small, .headerlink, .share, .report, .run-note, .progress, "
    ".finished, .widget-picture summary, details.hide > summary, "
    ".cell:not(.tag_hide-cell) > details.hide"
)


class PaperError(Exception):
    """The book cannot be printed as it is to be; the message says why and what to do."""


def reference(target: str, html: str) -> str:
    """Return a link that ends in the number of the page where its target is, to be filled in."""
    return f'<a class="page-of" href="#{target}">{html} <span class="number">000</span></a>'


def fragment(html: str) -> list[Tag]:
    """Return what a piece of HTML holds, to be put elsewhere."""
    return list(BeautifulSoup(html, "html.parser").contents)


def titled(heading: Tag) -> str:
    return " ".join(heading.get_text().split())


def tidy(root: Tag) -> None:
    """Take off what only a screen can do, and open what is folded."""
    for title in root.select(".cell > details > summary"):
        if CHECKS in title.get_text():
            title.find_parent(class_="cell").decompose()
    for useless in root.select(OFF_PAPER):
        useless.decompose()
    for code in root.select(".highlight pre"):
        code.string = code.get_text()  # its colours are those of the screen
    for folded in root.find_all("details"):
        folded.name = "div"
    for title in root.find_all("summary"):
        title.name = "p"


class Page:
    """A built page on its way to paper."""

    def __init__(self, path: Path, site: str, caption: str, number: int) -> None:
        self.path, self.site, self.caption, self.number = path, site, caption, number
        self.name = path.stem
        soup = BeautifulSoup(path.read_text(encoding="utf-8"), "html.parser")
        found = soup.find("article")
        if found is None or found.find("h1") is None:
            raise PaperError(f"{path} has no article with a title: build the book anew.")
        self.article: Tag = found
        self.widgets = self._data("widget-data").get("models", {})
        self.exercises = self._data("exercise-data")
        #: The title with its number, as in the contents, and those of sections by their ids.
        self.head, self.sections = "", dict[str, str]()
        #: What goes to the end of the book.
        self.answers: list[str] = []
        self.solutions: list[str] = []

    def _data(self, name: str) -> dict[str, Any]:
        script = self.article.find("script", id=name)
        return json.loads(script.string) if script else {}

    def key(self, name: str) -> str:
        """Return what an id of this page is in the document."""
        return f"{self.name}--{name}"

    def prepare(self) -> str:
        """Return the page as a part of the document."""
        article = self.article
        for formula in article.find_all(class_="katex"):  # what is drawn, and TeX for who hears it
            formula.find(class_="katex-mathml").decompose()
            del formula.find(class_="katex-html")["aria-hidden"]
            formula.attrs |= {"role": "img", "aria-label": formula["data-tex"]}
        self._ask_questions()
        self._move_what_is_seen()
        self._name_explorers()
        self._move_solutions()
        tidy(article)
        self._name_sections()
        self._rewrite(article)
        article["id"] = self.name
        article["class"] = "part"
        article["style"] = f"page: {self.name}"
        return str(article)

    def _ask_questions(self) -> None:
        for number, slot in enumerate(self.article.select("[data-widget=Question]"), start=1):
            here, there = self.key(f"question-{number}"), self.key(f"answer-{number}")
            slot["id"] = f"question-{number}"
            asked = f"Question {number}. {reference(there, 'Answer: page')}"
            slot.append(fragment(f'<p class="see">{asked}</p>')[0])
            title = f"Question {number} {reference(here, 'page')}"
            told = "".join(answer(self.widgets[slot["data-model"]]["state"]))
            for formula in slot.select("template > [data-tex]"):
                plain = f'<span data-tex="{re.escape(escape(formula["data-tex"]))}">.*?</span>'
                told = re.sub(plain, lambda _, html=str(formula): html, told)
            self.answers.append(f'<div class="told" id="{there}"><h3>{title}</h3>{told}</div>')

    def _move_what_is_seen(self) -> None:
        """Move what one sees who has tried the things to try: first comes the prompt alone."""
        pictures = self.article.select(".widget-picture:has(ol > li > details)")
        for number, picture in enumerate(pictures, start=1):
            here, there = self.key(f"try-{number}"), self.key(f"seen-{number}")
            seen = [details.extract() for details in picture.select("ol > li > details")]
            picture["id"] = f"try-{number}"
            see = f'<p class="see">{reference(there, "What to see: page")}</p>'
            picture.append(fragment(see)[0])
            told = fragment(f"<ol>{''.join(f'<li>{each}</li>' for each in seen)}</ol>")[0]
            for title in told.select("summary"):
                title.decompose()
            tidy(told)
            self._rewrite(told)
            title = f"Things to try {number} {reference(here, 'page')}"
            self.answers.append(f'<div class="told" id="{there}"><h3>{title}</h3>{told}</div>')

    def _name_explorers(self) -> None:
        """Say below the picture of an explorer where it moves, where that is known."""
        for slot in self.article.select(".widget-slot[data-address]"):
            place = "on the screen"
            if self.site:
                url = f"{self.site}chapters/{self.path.name}#{slot['data-address']}:"
                place = f'at <a href="{url}">{url.removeprefix("https://")}</a>'
            slot.append(fragment(f'<p class="see">An explorer: move it {place}</p>')[0])

    def _move_solutions(self) -> None:
        for number, solution in enumerate(self.article.select("details.solution"), start=1):
            exercise = solution.find_previous_sibling(class_="exercise")
            if exercise is None:
                raise PaperError(f"{self.path.name}: a solution does not follow its exercise.")
            here, there = self.key(exercise["id"]), self.key(f"solution-{number}")
            see = f'<p class="see">{reference(there, "Solution: page")}</p>'
            solution.replace_with(fragment(see)[0])
            name = titled(exercise.find(class_="admonition-title"))
            solution.find("summary").decompose()
            asked = exercise.select_one("[data-exercise]")
            told = ""
            if asked:
                ticks = asked.find("input", type="checkbox") is not None
                told = slips(self.exercises[asked["data-exercise"]], ticks=ticks)
            tidy(solution)
            self._rewrite(solution)
            self.solutions.append(
                f'<div class="told" id="{there}"><h3>{escape(name)} {reference(here, "page")}</h3>'
                f"{solution.decode_contents()}{told}</div>"
            )

    def _name_sections(self) -> None:
        """Move the names of sections to their headings: a link then leads to the words."""
        for section in self.article.find_all("section", id=True):
            heading = section.find(re.compile("^h[1-6]$"), recursive=False)
            if heading is None:
                continue
            if heading.name == "h2":
                self.sections[self.key(section["id"])] = titled(heading)
            heading["id"] = section["id"]
            del section["id"]
        if self.number:
            number = f'<span class="lesson">{self.number}</span> '
            self.article.find("h1").insert(0, *fragment(number))
        self.head = titled(self.article.find("h1"))

    def _rewrite(self, root: Tag) -> None:
        """Make names those of the document, links lead within it, and files be found."""
        for tag in root.find_all(True):
            if "id" in tag.attrs:
                tag["id"] = self.key(tag["id"])
            for name in NAMING:
                if name in tag.attrs:
                    tag[name] = " ".join(map(self.key, tag[name].split()))
            for name, value in tag.attrs.items():
                if isinstance(value, str) and "url(#" in value:
                    tag[name] = URL.sub(lambda found: f"url(#{self.key(found[1])})", value)
            if tag.name == "img":
                tag["src"] = (self.path.parent / tag["src"]).resolve().as_uri()
                tag.attrs.pop("loading", None)
            for name in ("href", "xlink:href"):
                if name in tag.attrs and "page-of" not in tag.get("class", ()):
                    self._lead(tag, name)

    def _lead(self, tag: Tag, name: str) -> None:
        """Lead a link to a place in the document, or out of it to the published book."""
        page, place = urldefrag(tag[name])
        if ":" in page:
            return
        path = (self.path.parent / page).resolve() if page else self.path
        if path.parent == self.path.parent and path.suffix == ".html":
            tag[name] = f"#{path.stem}--{place}" if place else f"#{path.stem}"
        elif self.site:
            tag[name] = urljoin(f"{self.site}chapters/", tag[name])
        else:
            del tag[name]


def listed_pages(html: Path, site: str) -> list[Page]:
    """Return the pages that _toc.yml names, in its order; lessons have numbers as on the map."""
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    groups = [(part["caption"], page["file"]) for part in toc["parts"] for page in part["chapters"]]
    numbers = numbers_of(filter(Path.exists, (ROOT / f"{file}.ipynb" for _, file in groups)))
    pages = [Page(html / f"{toc['root']}.html", site, "", 0)]
    for caption, file in groups:
        number = numbers.get(Path(file).name, 0)
        pages.append(Page(html / f"{file}.html", site, caption, number))
    return pages


def answer(state: dict[str, Any]) -> Iterator[str]:
    """Yield what a question says of right and wrong answers, the right one first."""
    if state["choices"]:
        told = dict(state["choices"])
        right = state["answer"]
        yield f"<p><strong>{_texts.html(right)}</strong> {_texts.html(told.pop(right))}</p>"
        wrong = told.items()
    else:
        value = f"{state['answer']:.6g}".replace("-", "−")
        yield f"<p><strong>{value}</strong> {_texts.html(state['right'])}</p>"
        wrong = [(f"{number:.6g}".replace("-", "−"), text) for number, text in state["hints"]]
    yield listed("Other answers", ((_texts.html(a), _texts.html(b)) for a, b in wrong))


def slips(form: dict[str, Any], *, ticks: bool) -> str:
    """Return what the check of an exercise says of common slips, as HTML.

    Of boxes to tick it says what was wrong without the numbers of the boxes.
    """
    rows = [
        ("" if ticks else ", ".join(f"{v:.6g}".replace("-", "−") for v in values), text)
        for values, text in form["wrong"]
    ]
    rows.append(("Anything else" if rows and not ticks else "", form["hint"]))
    return listed("Common slips", ((escape(a), escape(b)) for a, b in rows))


def listed(title: str, rows: Iterable[tuple[str, str]]) -> str:
    """Return a list of answers with what is said of each; both are HTML."""
    items = "".join(f"<li>{f'<em>{a}</em>: ' if a else ''}{b}</li>" for a, b in rows)
    return f'<p class="rows">{title}</p><ul class="rows">{items}</ul>' if items else ""


def cover(article: Tag, about: dict[str, Any], made: str, site: str) -> str:
    """Return the cover: title, the picture that opens the book, authors, date, licence."""
    title, _, subtitle = about["title"].partition(": ")
    picture = article.select_one(".widget-picture img")
    shown = f'<img src="{picture["src"]}" alt="{escape(picture["alt"])}">' if picture else ""
    authors = ", ".join(author["name"] for author in about["authors"])
    where = f'<p><a href="{site}">{site.removeprefix("https://")}</a></p>' if site else ""
    return (
        f'<section class="cover"><p class="title">{escape(title)}</p>'
        f'<p class="subtitle">{escape(subtitle[:1].upper() + subtitle[1:])}</p>{shown}'
        f"<p>{escape(authors)}</p><p>{escape(made)}</p>{where}"
        "<p>Text and figures: CC BY 4.0. Code: MIT. Data of the trained heads: Apache-2.0.</p>"
        "</section>"
    )


def contents(pages: list[Page], last: dict[str, str]) -> str:
    """Return the contents, with the answers at their end; numbers of pages are left open."""
    rows, caption = [], ""
    told = [(page.caption, page.name, page.head, page.sections) for page in pages]
    for above, name, head, sections in [*told, (pages[-1].caption, ANSWERS, TITLE, last)]:
        if above != caption:
            rows.append(f'<p class="caption">{escape(above)}</p>')
            caption = above
        for key, title in {name: head, **sections}.items():
            kind = ' class="page"' * (key == name)
            rows.append(f"<p{kind}>{reference(key, f'<span>{escape(title)}</span>')}</p>")
    return f'<nav class="index"><h1>Contents</h1>{"".join(rows)}</nav>'


def document(html: Path, about: dict[str, Any], made: str, site: str) -> str:
    """Return the pages of a built book as one document."""
    pages = listed_pages(html, site)
    body = "".join(page.prepare() for page in pages)
    told = {f"{ANSWERS}--{p.name}": (p.head, p.answers + p.solutions) for p in pages}
    told = {key: each for key, each in told.items() if each[1]}
    last = "".join(
        f'<h2 id="{key}">{escape(head)}</h2>{"".join(all_)}' for key, (head, all_) in told.items()
    )
    body += f'<article class="part" id="{ANSWERS}" style="page: {ANSWERS}"><h1>{TITLE}</h1>{last}'
    front = cover(pages[0].article, about, made, site)
    front += contents(pages, {key: head for key, (head, _) in told.items()})
    styles = [html / "_static/book.css", *(ARIMO / name for name in FACES), STYLE]
    links = "".join(f'<link rel="stylesheet" href="{path.as_uri()}">' for path in styles)
    # The line above the pages of each part.
    heads = {page.name: page.head for page in pages} | {ANSWERS: TITLE}
    rules = "".join(
        f"@page {name}{{@top-left{{content:{json.dumps(head, ensure_ascii=False)}}}}}"
        for name, head in heads.items()
    )
    text = (
        f'<!DOCTYPE html><html lang="en" data-theme="light"><head><meta charset="utf-8">'
        f"<title>{escape(about['title'])}</title>{links}<style>{rules}</style></head>"
        f"<body>{front}{body}</article></body></html>"
    )
    lost = {*re.findall(r' href="#([^"]+)"', text)} - {*re.findall(r' id="([^"]+)"', text)}
    if lost:
        raise PaperError(f"Links lead to what is not in the book: {', '.join(sorted(lost))}")
    return text
