"""Plain notebooks: pages as they leave the book, for Colab, JupyterLab, VS Code and GitHub.

Pages are written in MyST, which the book alone reads. Here links get the titles of pages, citations
their authors and years, figures and exercises their numbers, and what a page folds stays folded.
The standard library is enough: the job that publishes installs nothing.
"""

import json
import re
from collections.abc import Iterable, Iterator
from functools import cache, partial
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import normalize

ROOT = Path(__file__).resolve().parent.parent
SETUP = """\
# @title Set-up: installs the book's packages where they are missing
import importlib.util

if importlib.util.find_spec("attnbook") is None:
    %pip install --quiet "git+{}"
"""
#: Below the title of each notebook.
LIVE = """\
*Run all cells (Colab: Runtime > Run all; JupyterLab: Run > Run All Cells), and every explorer and
question is live. Until then you see their pictures and texts.*"""
#: What a question says where no script runs, on a page and here.
SCRIPTS = re.compile(r"<small>[^<]*</small>")
ANSWER = "<small>Run this cell to answer.</small>"
WORDS_OF_YOUR_OWN = "*Why? Your words (double-click here to write):*"
#: The title of the cells that check a page: for those who change it, not for learners.
CHECKS = "How this page is checked"
BOXES = ("admonition", "hint", "important", "margin", "note", "tip", "warning")
COUNTED = {"figure": "Fig.", "table": "Table", "exercise-start": "Exercise"}
FOLDED = "<details>\n<summary><b>{}</b></summary>\n\n{}\n\n</details>"
PLACES = {"exercise-start": "exercise", "solution-start": "solution"}
PLACES |= {"exercise-end": "", "solution-end": ""}

OPENING = r"(?m)^(?P<fence>`{3,}|:{3,})\{(?P<kind>[\w-]+)\} *(?P<title>.*)\n(?P<options>(:\w.*\n)*)"
DIRECTIVE = re.compile(rf"{OPENING}(?P<body>(.*\n)*?)(?P=fence) *$")
OPTION = re.compile(r"(?m)^:([\w-]+): *(.*)$")
TARGET = re.compile(r"(?m)^\(([\w-]+)\)=\n")
LOCAL = re.compile(r"\]\(#?([\w-]+)\)|\{ref\}`[^`]*?([\w-]+)>?`")
# What is true of a page alone, and the sentence for elsewhere behind it, if there is one.
PAGE = re.compile(r"(?s)<!-- page -->.*?<!-- elsewhere:? ?(.*?) ?-->")
CITED = re.compile(r"\{cite(?::[pt])?\}`([^`]+)`")
# For the book alone: a line with a class, a comment, a place for links, a drawing.
MARKS = re.compile(r"(?ms)^\{\.[^}\n]*\}\n|<!--.*?-->|<span id=[^>]*></span>|<svg.*?</svg>\n?")
# Code and formulas, which stay as they are; roles; links that name no host.
INLINE = re.compile(
    r"(?ms)(?P<kept>^(?P<fence>`{3,}).*?^(?P=fence)$|(?<!\})`[^`]+`|\$\$.*?\$\$|\$[^$\n]+\$)"
    r"|\{(?P<role>[\w:]+)\}`((?P<said>[^`<]+) <)?(?P<name>[^`>]+)>?`"
    r"|\[(?P<words>[^\]]*)\]\((?P<file>[\w-]+\.(ipynb|md|rst))?#?(?P<label>[\w-]*)\)"
)
# The colours of the roles, in words as {q}`queries` and in formulas as \cq{Q}.
COMMAND = re.compile(r"\\[A-Za-z]+$")  # at the end of a text
WORDS, FORMULA = re.compile(r"\{[qkvo]\}`([^`]*)`"), re.compile(r"\\c[qkvo]\{")
# Where a page is in a transformer block (book/sphinx/path.py).
HERE = {
    "self-attention": "the attention of a transformer block",
    "heads": "the heads inside the attention of a transformer block",
    "positions": "the positions that are added to the words before the first transformer block",
    "graph": "who may look at whom, inside the attention of a transformer block",
    "head": "one head inside the attention of a transformer block",
    "norm": "the two norms of a transformer block",
    "network": "the network of a transformer block",
    "whole": "a whole transformer block",
}
#: A file that the book offers.
FILE = re.compile(r'<a href="\.\./_static/([^"]+)" download>([^<]+)</a>')
ACCENTS = {"'": "\u0301", "`": "\u0300", '"': "\u0308", "v": "\u030c", "k": "\u0328"}  # in LaTeX

Cell = dict[str, Any]


class PortableError(Exception):
    """A page has no plain form; the message says which, where and what to do."""


def read(path: Path) -> dict[str, Any]:
    """Return a notebook, which nobody changes; of a file that is none, say what is wrong."""
    return parsed(path, path.stat().st_mtime_ns)


@cache
def parsed(path: Path, written: int) -> dict[str, Any]:
    """Return a notebook as it was written then."""
    text = path.read_text(encoding="utf-8")
    try:
        notebook: dict[str, Any] = json.loads(text)
        return notebook | {"cells": [*notebook["cells"]]}
    except (json.JSONDecodeError, TypeError, KeyError) as error:
        wrong, line = f"no notebook, or one that was cut off ({error})", getattr(error, "lineno", 1)
        if merge := re.search(r"(?m)^(<{7}|={7}|>{7})", text):
            wrong, line = "a merge left its marks here", text.count("\n", 0, merge.start()) + 1
    raise PortableError(f"{path}, line {line}: {wrong}. Mend it, or: git checkout HEAD -- {path}")


class Work(NamedTuple):
    """A work of the bibliography: its authors and its year as cited, where it is, and all of it."""

    who: str
    year: str
    url: str
    reference: str


def works(text: str) -> Iterator[tuple[str, Work]]:
    """Yield the works of a bibliography by their keys."""
    text = re.sub(r"\{\\(['`\"vk])\{?(\w)\}?\}", lambda found: found[2] + ACCENTS[found[1]], text)
    for entry in normalize("NFC", text).split("@")[1:]:
        fields = dict(re.findall(r"(?ms)^ +(\w+) *= *\{(.*?)\},?$", entry))
        fields = {name: re.sub(r"\\|\s+(?=\s)", "", text) for name, text in fields.items()}
        # Last and first name; that of a group is in braces and one.
        people = fields["author"].split(" and ")
        authors = [[one] if one.startswith("{") else one.split(", ") for one in people]
        authors = [[re.sub("[{}]", "", part) for part in one] for one in authors]
        fields = {name: re.sub("[{}]", "", text) for name, text in fields.items()}
        names = [one[0] for one in authors]
        who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
        starts = {"doi": "https://doi.org/", "eprint": "https://arxiv.org/abs/", "url": ""}
        url = next((start + fields[name] for name, start in starts.items() if name in fields), "")
        full = [" ".join(reversed(one)) for one in authors[:3]]
        by = ", ".join(full) + " et al." * (len(authors) > 3)
        title = f"[{fields['title']}]({url})" if url else fields["title"]
        venue = next((fields[k] for k in ("journal", "booktitle", "publisher") if k in fields), "")
        entire = f"{by}: {title}. {venue}{', ' * bool(venue)}{fields['year']}.".replace("--", "–")
        yield entry.partition("{")[2].partition(",")[0], Work(who, fields["year"], url, entire)


def strip_colours(text: str) -> str:
    """Return text without the colours of the roles; a group keeps the braces that it needs."""
    text = WORDS.sub(r"\1", text)
    while start := FORMULA.search(text):
        depth = 1
        for token in re.finditer(r"\\.|[{}]", text[start.end() :]):
            depth += {"{": 1, "}": -1}.get(token[0], 0)
            if not depth:
                break
        else:
            raise PortableError(f"a brace is not closed: {start[0]}{text[start.end() :][:40]}")
        before, rest = text[: start.start()], text[start.end() :]
        inner, after = rest[: token.start()], rest[token.end() :]
        if needs_braces(before, inner, after):
            inner = f"{{{inner}}}"
        text = before + inner + after
    return text


def needs_braces(before: str, inner: str, after: str) -> bool:
    r"""Whether a group of a formula says something else without them: \top{K} is not \topK."""
    borders = (before, inner), (inner, after)
    runs_on = any(COMMAND.search(left) and right[:1].isalpha() for left, right in borders)
    is_base = len(inner) > 1 and after.startswith(("_", "^", "'"))
    return runs_on or is_base or before.endswith(("_", "^"))


def numbers_of(files: Iterable[str | Path]) -> dict[str, int]:
    """Return the numbers of lessons by their names; the finish line of the chapter has none."""
    names = [Path(file).stem for file in files if Path(file).suffix == ".ipynb"]
    return {name: i for i, name in enumerate(filter(lambda n: n != "finish-line", names), 1)}


def markdown(name: str, text: str) -> Cell:
    return {"cell_type": "markdown", "id": name, "metadata": {}, "source": text}


def with_captions(cells: Iterable[Cell]) -> Iterator[Cell]:
    """Yield cells with their sources as texts; behind a figure one with its caption."""
    for cell in cells:
        source = "".join(cell["source"])
        if cell["cell_type"] == "markdown":
            source = strip_colours(source)
        yield cell | {"source": source}
        if figure := cell["metadata"].get("mystnb", {}).get("figure"):
            text = f"```{{figure}} {strip_colours(figure['caption'])}\n:name: {figure['name']}\n```"
            yield markdown(f"{cell['id']}-caption", text)


class Book:
    """The pages, and what each must know of the others: titles, labels, numbers, works."""

    def __init__(self, root: Path = ROOT, *, online: str = "", install: str = "") -> None:
        """`online` is where the pages are published, `install` what pip takes behind `git+`."""
        self.online, self.install = online, install
        self.works = dict(works((root / "references.bib").read_text(encoding="utf-8")))
        self.notebooks: dict[str, dict[str, Any]] = {}
        self.lessons: dict[str, list[str]] = {}  # the names of notebooks in each part of the book
        self.titles: dict[str, str] = {}  # of all pages
        self.labels: dict[str, tuple[str, str]] = {}  # the page, and the words for what is counted
        self.linked: dict[str, list[str]] = {}  # the labels to which their own page leads
        lessons: list[str] = []
        toc = (root / "_toc.yml").read_text(encoding="utf-8")
        for kind, value in re.findall(r"(root|caption|file): (.+)", toc):
            if kind == "caption":
                self.lessons[value] = lessons = []
                continue
            paths = [root / f"{value}.{suffix}" for suffix in ("ipynb", "md", "rst")]
            path = next(filter(Path.is_file, paths), paths[0])
            text = path.read_text(encoding="utf-8")
            if path.suffix == ".ipynb":
                notebook = read(path)
                cells = [*with_captions(notebook["cells"])]
                self.notebooks[path.stem] = notebook | {"cells": cells}
                text = "\n".join(c["source"] for c in cells if c["cell_type"] == "markdown")
                lessons.append(path.stem)
            self.note(path.stem, text)
        self.beside = {*self.notebooks}  # those in one folder: links lead from one to another

    def note(self, page: str, text: str) -> None:
        """Note the title and the labels of a page, and count on."""
        title = re.search(r"(?m)^# (.+)$|^(.+)\n=+$", text)
        self.titles[page] = (title[1] or title[2]) if title else page
        self.linked[page] = [label for pair in LOCAL.findall(text) for label in pair if label]
        self.labels |= dict.fromkeys(TARGET.findall(text), (page, ""))
        for start in re.finditer(OPENING, text):
            options, word = dict(OPTION.findall(start["options"])), COUNTED.get(start["kind"], "")
            number = 1 + sum(words.startswith(word) for _, words in self.labels.values())
            label = options.get("name") or options.get("label", "")
            self.labels[label] = (page, word and f"{word} {number}")

    def plain(self, text: str, page: str) -> str:
        """Return text of a page as Markdown."""
        try:
            text = DIRECTIVE.sub(partial(self.block, page), text)
            text = TARGET.sub(lambda found: self.anchor(page, found[1]), text)
            text = FILE.sub(rf"[\2]({self.online}_static/\1)" if self.online else r"\2", text)
            text = MARKS.sub("", PAGE.sub(r"\1", text))
            return INLINE.sub(partial(self.inline, page), text).strip()
        except KeyError as error:
            wrong = f"no page, label, work, role or directive that is known has the name {error}"
            raise PortableError(f"{page}: {wrong}.") from None

    def anchor(self, page: str, label: str) -> str:
        """Return what a link on this page leads to, if there is one."""
        return f'<a id="{label}" name="{label}"></a>\n\n' if label in self.linked[page] else ""

    def block(self, page: str, found: re.Match[str]) -> str:
        """Return a directive as Markdown."""
        kind, title, body = found["kind"], found["title"], found["body"].strip()
        options = dict(OPTION.findall(found["options"]))
        if kind in ("figure", "table"):
            return f"**{self.labels[options['name']][1]}** {title}\n\n{body}"
        if kind == "you-are-here":
            return f"*You are here: {HERE[title]}.*"
        if kind == "pagemap":
            return "\n".join(self.map(options.get("part", ""), body))
        body = DIRECTIVE.sub(partial(self.block, page), body)
        if kind == "stop-line":
            return f"---\n\n{body}"
        if "dropdown" in options.get("class", ""):
            return self.anchor(page, options.get("name", "")) + FOLDED.format(title, body)
        if kind not in BOXES:
            raise KeyError(kind)
        return "> " + f"**{title or kind.title()}**\n\n{body}".replace("\n", "\n> ")

    def inline(self, page: str, found: re.Match[str]) -> str:
        """Return a role or a link as Markdown; code and formulas stay as they are."""
        if found["kept"]:
            return found[0]
        if found["role"]:
            return self.role(found["role"], found["said"], found["name"], page)
        there = (found["file"] or page).partition(".")[0]
        return self.link(found["words"] or self.titles[there], there, found["label"], page)

    def role(self, role: str, said: str | None, name: str, page: str) -> str:
        """Return the words of a role."""
        if role in ("term", "fr"):
            return said or name
        if role in ("ref", "numref"):
            there, words = self.labels[name]
            return self.link(said or words, there, name, page)
        form = {"cite": "{}, {}", "cite:p": "{}, {}", "cite:t": "{} [{}]"}[role]
        cited = [(form.format(*self.works[key]), self.works[key].url) for key in name.split(",")]
        linked = [f"[{words}]({url})" if url else words for words, url in cited]
        return " and ".join(linked) if role == "cite:t" else f"[{'; '.join(linked)}]"

    def references(self, page: str) -> Iterator[tuple[str, Cell]]:
        """Yield a cell with the works that a page cites, if it does."""
        texts = [c["source"] for c in self.notebooks[page]["cells"] if c["cell_type"] == "markdown"]
        keys = {key for text in texts for group in CITED.findall(text) for key in group.split(",")}
        lines = [f"- {work.reference}" for work in sorted(self.works[key] for key in keys)]
        if lines:
            yield "", markdown("references", "\n".join(["## References\n", *lines]))

    def link(self, words: str, there: str, label: str, page: str) -> str:
        """Return a link: on this page, to the notebook beside it, or to what is published."""
        if there == page:
            return f"[{words}](#{label})" if label in self.linked[page] else words
        if there in self.beside:
            return f"[{words}]({there}.ipynb)"
        return f"[{words}]({self.online}chapters/{there}.html)" if self.online else words

    def map(self, part: str, finish: str) -> Iterator[str]:
        """Yield the lines of the map of the pages, or of one part of it."""
        numbers = numbers_of(f"{page}.ipynb" for part in self.lessons.values() for page in part)
        for caption, lessons in self.lessons.items():
            lines = [] if part else [f"\n**{caption}**\n"]
            for page in lessons:
                entry = f"[{self.titles[page]}]({page}.ipynb): "
                about = self.notebooks[page]["metadata"]["map"]
                if page in numbers:
                    lines.append(f"{numbers[page]}. {entry}{about}")
                else:
                    lines.append(f"\n{entry}{finish or about}")
            if lessons and part in ("", caption):
                yield from (*lines, "")

    def pieces(self, page: str) -> Iterator[tuple[str, Cell]]:
        """Yield the plain cells behind where each stands: "exercise", "solution" or neither."""
        place = heading = ""
        for cell in self.notebooks[page]["cells"]:
            text, at, name = cell["source"], 0, cell["id"]
            if cell["cell_type"] == "code":
                yield place, self.code(cell)
                continue
            borders = (d for d in DIRECTIVE.finditer(text) if d["kind"] in PLACES)
            for number, border in enumerate((*borders, None)):
                said = heading + self.plain(text[at : border.start() if border else None], page)
                if name == "title":
                    title, _, rest = said.partition("\n")
                    said = f"{title}\n\n{LIVE}\n{rest}".strip()
                if said:
                    yield place, markdown(f"{name}-{number}" if number else name, said)
                if place == "exercise" and re.search(r"\b[Ww]hy\b", said):
                    yield place, markdown(f"{name}-why", WORDS_OF_YOUR_OWN)
                heading = ""
                if border:
                    at, place = border.end(), PLACES[border["kind"]]
                    if place == "exercise":
                        label = self.labels[OPTION.findall(border["options"])[0][1]][1]
                        heading = f"### {label}: {border['title']}\n\n"
        yield from self.references(page)

    def code(self, cell: Cell) -> Cell:
        """Return a code cell without what the book alone reads; what a page hides is folded."""
        tags, about = cell["metadata"].get("tags", []), cell["metadata"].get("mystnb", {})
        plain = cell | {"metadata": {}, "outputs": [*map(self.output, cell["outputs"])]}
        if cell["id"] == "setup" and self.install:
            plain = folded(plain, source=SETUP.format(self.install))
        if {"hide-input", "hide-cell", "remove-input"} & {*tags}:
            prompt = about.get("code_prompt_show", "The code").removeprefix("Show ")
            plain = folded(plain, prompt[0].upper() + prompt[1:])
        if "hide-cell" in tags:
            plain["metadata"]["jupyter"]["outputs_hidden"] = True
        return plain

    def output(self, output: dict[str, Any]) -> dict[str, Any]:
        """Return an output without what the book alone reads; a question says how to answer it."""
        plain = output | {"metadata": {}} if "metadata" in output else output
        if html := plain.get("data", {}).get("text/html"):
            data = plain["data"] | {"text/html": SCRIPTS.sub(ANSWER, "".join(html))}
            plain = plain | {"data": data}
        return plain

    def notebook(self, page: str) -> str:
        """Return the text of the plain notebook of a page, in which solutions are folded."""
        pieces = self.pieces(page)
        return written(solution(c) if place == "solution" else c for place, c in pieces)


def solution(cell: Cell) -> Cell:
    """Return a cell of a solution, folded and without what it prints."""
    if cell["cell_type"] == "markdown":
        return cell | {"source": FOLDED.format("Solution in words", cell["source"])}
    return folded(cell, "Solution in code", outputs=[])


def folded(cell: Cell, title: str = "", **new: object) -> Cell:
    """Return a code cell that readers open: Colab goes by its title, Jupyter by a mark."""
    head = "" if cell["source"].startswith("# @title") else f"# @title {title}\n"
    hidden = {"cellView": "form", "jupyter": {"source_hidden": True}}
    return cell | {"metadata": cell["metadata"] | hidden, "source": head + cell["source"]} | new


def written(cells: Iterable[Cell]) -> str:
    """Return the text of the file of a notebook."""
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    language = {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"}
    about = {"kernelspec": kernel, "language_info": language}
    about = {"metadata": about, "nbformat": 4, "nbformat_minor": 5}
    return json.dumps({"cells": [*cells]} | about, ensure_ascii=False, indent=1) + "\n"
