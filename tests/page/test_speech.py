"""What a screen reader says of each widget and of a page, from Chromium's accessibility tree.

speech/ holds, for widgets by their names, what is heard from top to bottom: a line for each stop,
the cells of a row side by side. Read it with your eyes closed, so to speak, before you change it. A
test that fails prints what is said now.
"""

import re
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page

from attnutils import Question
from tests.conftest import Visit, some
from tests.examples import USUAL
from tests.page.conftest import ONE_OF_EACH_KIND, SKELETON, mover, only, resize
from tools import widget_page as widget_pages
from tools.project import ROOT

HERE = Path(__file__).with_name("speech")
ASKED = [
    Question("What is `a`?", {"one": "It is.", "two": "It is less."}, "one"),
    Question("How much?", answer=1),
]
WIDGETS = {type(widget).__name__: widget for widget in USUAL} | {
    "Question": ASKED[0],
    "Question-number": ASKED[1],
}
# Of these only what is in them is heard.
SILENT = {"none", "generic", "rowgroup", "figure", "form", "DescriptionList", "RootWebArea"}
STATES = {"checked": "checked", "expanded": "open"}

Node = dict[str, Any]


class Tree:
    """The accessibility tree below an element."""

    def __init__(self, page: Page, selector: str) -> None:
        client = page.context.new_cdp_session(page)
        nodes = client.send("Accessibility.getFullAXTree")["nodes"]
        self.nodes: dict[str, Node] = {node["nodeId"]: node for node in nodes}
        self.client = client
        document = client.send("DOM.getDocument")["root"]["nodeId"]
        found = client.send("DOM.querySelector", {"nodeId": document, "selector": selector})
        about = client.send("DOM.describeNode", {"nodeId": found["nodeId"]})["node"]
        self.root = next(n for n in nodes if n.get("backendDOMNodeId") == about["backendNodeId"])

    def children(self, node: Node) -> list[Node]:
        """What is below a node and heard; what is not heard gives way to what is in it."""
        found: list[Node] = []
        for child in (self.nodes[i] for i in node.get("childIds", []) if i in self.nodes):
            if child["ignored"] or role(child) in SILENT or heading(child) == 'group ""':
                found += self.children(child)
            elif role(child) != "InlineTextBox":
                found.append(child)
        return found

    def text(self, node: Node) -> str:
        """All that is said of a node and of what is in it, on one line."""
        if role(node) == "StaticText":
            return name(node)
        return self.stop(node) or joined(self.text(child) for child in self.children(node))

    def stop(self, node: Node) -> str:
        """A control: its role, its name, its value or its state; nothing if it is none."""
        properties = {p["name"]: p["value"].get("value") for p in node.get("properties", [])}
        if "focusable" not in properties:
            return ""
        value = str(node.get("value", {}).get("value", ""))
        if role(node) == "spinbutton":
            value = f"{float(value):.6g}"  # Chromium keeps it in single precision
        if role(node) == "slider":
            about = self.client.send(
                "DOM.describeNode", {"backendNodeId": node["backendDOMNodeId"]}
            )
            attributes = about["node"]["attributes"]
            value = attributes[attributes.index("aria-valuetext") + 1]
        states = [
            word if properties[key] in ("true", True) else f"not {word}"
            for key, word in STATES.items()
            if key in properties and role(node) != "combobox"
        ]
        return ", ".join([heading(node), *([value] if value else []), *states])

    def lines(self, node: Node, depth: int = 0) -> list[str]:
        """What is heard, a line for each stop."""
        said = []
        run: list[str] = []  # of texts that follow each other
        labels = {name(n) for n in self.nodes.values() if self.stop(n)}
        for child in [*self.children(node), None]:
            if child is not None and role(child) in {"StaticText", "emphasis", "strong", "code"}:
                run.append(self.text(child))
                continue
            # The label of a control is heard as its name.
            if joined(run) and joined(run) not in labels:
                said.append("  " * depth + joined(run))
            run = []
            if child is None or role(child) in {"Legend", "Figcaption", "caption"}:
                continue
            if role(child) == "LabelText":
                said += ["  " * depth + self.stop(c) for c in self.children(child) if self.stop(c)]
            elif role(child) == "row":
                cells = [self.text(cell) or "–" for cell in self.children(child)]
                said.append("  " * depth + " | ".join(cells))
            elif role(child) in {"paragraph", "term", "definition", "status", "alert"}:
                text = self.text(child)
                said += ["  " * depth + text] if text else []
            elif role(child) == "listitem":
                said.append("  " * depth + joined(self.text(part) for part in self.children(child)))
            else:
                said.append("  " * depth + (self.stop(child) or heading(child)))
                if role(child) in {"group", "table", "list"}:
                    said += self.lines(child, depth + 1)
        return said


def role(node: Node) -> str:
    return node.get("role", {}).get("value", "")


def name(node: Node) -> str:
    return node.get("name", {}).get("value", "")


def heading(node: Node) -> str:
    """A group, a table, a picture: role and name."""
    return f'{role(node)} "{name(node)}"'


def joined(texts: Iterable[str]) -> str:
    """Texts that follow each other, as one."""
    return re.sub(r" (?=[,;:?)]|\.(?!\d))", "", " ".join(" ".join(texts).split()))


@pytest.fixture(
    scope="module", params=some(WIDGETS, *[*WIDGETS][::3]), ids=lambda name: f"{name}@heard"
)
def heard(request, browser, tmp_path_factory):
    """The name of a widget, a page with it alone, and what is heard of it."""
    path = tmp_path_factory.mktemp("heard") / "widget.html"
    path.write_text(widget_pages.html(WIDGETS[request.param]), encoding="utf-8")
    page = browser.new_page()
    Visit(page).open(path.as_uri())
    yield request.param, page, speech(page)
    page.close()


def headline(page: Page) -> str:
    """The sentence with the numbers, as it is heard."""
    tree = Tree(page, ".headline")
    return tree.text(tree.root)


def speech(page: Page) -> str:
    """What is heard of the widget on a page now."""
    tree = Tree(page, ".attn")
    return "\n".join([heading(tree.root), *tree.lines(tree.root, 1)]) + "\n"


def test_a_widget_reads_as_written_down(heard):
    widget, _, said = heard
    written = HERE / f"{widget}.txt"
    if said != (written.read_text(encoding="utf-8") if written.exists() else ""):
        file = written.relative_to(ROOT)
        pytest.fail(f"{file} says something else, or is not there. Heard:\n{said}", pytrace=False)


def test_nothing_is_written_down_of_what_is_not_there():
    assert {path.stem for path in HERE.iterdir()} <= set(WIDGETS)


@pytest.mark.parametrize(
    "widget",
    some(
        [name for name in WIDGETS if "Question" not in name],
        *(type(widget).__name__ for widget in SKELETON),
    ),
)
def test_a_step_is_spoken_once_after_the_hand_rests(open_page, widget_page, widget):
    def hold_time(page: Page) -> None:
        page.clock.install(time=0)

    page = open_page(widget_page(WIDGETS[widget]), prepare=hold_time).page
    page.clock.pause_at(3600)
    page.evaluate(
        """() => {
          window.said = [];
          const places = document.querySelectorAll("[role=status], [role=alert]");
          for (const place of places) {
            new MutationObserver(() => place.textContent && said.push(place.textContent))
              .observe(place, { childList: true, characterData: true, subtree: true });
          }
        }"""
    )
    # Nothing is said that has not changed: at the start, at another width, at a table unfolded.
    page.set_viewport_size({"width": 390, "height": 800})
    for summary in page.locator("summary").all():
        summary.click()
    page.wait_for_function("document.querySelector('.attn').clientWidth < 390")
    page.clock.run_for(1000)
    assert page.evaluate("said") == []
    # Every step changes the sentence; that of blocks of keys would not.
    mover(page, 0 if widget == "OnlineSoftmaxExplorer" else -1).focus()
    for key in ("ArrowUp", "ArrowDown", "ArrowUp"):
        page.keyboard.press(key)
        page.clock.run_for(300)
    assert page.evaluate("said") == []
    page.clock.run_for(100)
    assert page.evaluate("said") == [page.locator(".headline").text_content()]
    page.clock.run_for(6000)  # then it is there once, for who reads on
    assert speech(page).count(headline(page)) == 1


def test_nothing_on_a_widget_is_nameless_or_said_twice(heard):
    _, page, said = heard
    assert '""' not in said
    lines = [line.strip() for line in said.splitlines()]
    sentences = [line for line in lines if len(line) > 30]
    assert len(set(sentences)) == len(sentences)
    resize(page, 390)
    assert '""' not in speech(page)


@only("screen", ONE_OF_EACH_KIND)
def test_a_page_has_its_landmarks_headings_and_texts_for_pictures(screen):
    page = screen
    main = Tree(page, "main")
    heard = [node for node in main.nodes.values() if not node["ignored"]]
    named = [(role(node), name(node)) for node in heard]
    assert [r for r, _ in named].count("main") == 1
    assert ("navigation", "Main") in named
    assert all(text for r, text in named if r in ("image", "navigation", "region", "dialog"))

    def level(node: Node) -> int:
        return next(p["value"]["value"] for p in node["properties"] if p["name"] == "level")

    order: list[int] = []

    def collect(node: Node) -> None:
        for child in main.children(node):
            if role(child) == "heading":
                order.append(level(child))
            collect(child)

    collect(main.root)
    assert order[0] == 1
    assert order.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(order))
    # Tables of the text and of the widgets have heads.
    headless = page.locator("main table:visible").evaluate_all(
        "tables => tables.filter((t) => !t.querySelector('th')).map((t) => t.textContent)"
    )
    assert headless == []
