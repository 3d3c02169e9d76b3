"""Formulas in few elements: every letter stays where KaTeX puts it."""

import re

import pytest

from _ext.lean_formulas import SILENT, lean
from tests.book.test_pages import DOCUMENTS
from tests.conftest import IS_EXHAUSTIVE, parsed
from tools.project import ROOT

KATEX = ROOT / "node_modules" / "katex" / "dist"
TYPESET = """
import katex from "%s";
console.log(JSON.stringify(input.map(([tex, displayMode]) =>
  katex.renderToString(tex, { displayMode }))));
"""
# What no page need have at the moment: cut marks, limits, roots, tall and nested parts.
STRANGE = [
    r"\textstyle \sum_{i = 0}^{n_{k_0} - 1} x_i^{2^2} \Bigl( \frac{a_1}{\sqrt{b^2 + 1}} \Bigr)",
    r"\Big\Vert_h \, y \quad \hat x_j \; \tilde{\mathbf q}' \!\left[ \begin{matrix} 1 & 2 \\ 3 & 4"
    r" \end{matrix} \right]",
    r"{}_i \log_2 \! \operatorname{rowsum}(\text{a word } \mid c) \mathrm dW \not= \overline{ab}",
    r"\underbrace{4 n d^2}_{\text{projections}} + \overrightarrow{\mathbf h}_t , \qquad 1{,}024",
    r"\begin{gathered} S = Q K^\top, \\ A = \operatorname{softmax}(S) \end{gathered}",
]
# Each formula: its letters and rules, and where they stand from its left edge and its line.
PLACES = """async () => {
  await document.fonts.ready;
  const all = [...document.querySelectorAll(".katex-html")];
  return all.map((formula) => {
    const from = formula.closest("p").firstElementChild.getBoundingClientRect();
    const texts = document.createTreeWalker(formula, NodeFilter.SHOW_TEXT);
    const found = [];
    const place = ({ left, top }) => [left - from.left, top - from.top];
    while (texts.nextNode()) {
      const { data } = texts.currentNode;
      for (let i = 0; i < data.length; i += 1) {
        const range = document.createRange();
        range.setStart(texts.currentNode, i);
        range.setEnd(texts.currentNode, i + 1);
        if (data[i] !== "\u200b") found.push([data[i], ...place(range.getBoundingClientRect())]);
      }
    }
    for (const drawn of formula.querySelectorAll("svg, .frac-line, .overline-line")) {
      found.push([drawn.tagName, ...place(drawn.getBoundingClientRect())]);
    }
    const { width, height } = formula.closest("p").getBoundingClientRect();
    return [...found, ["size", width, height]];
  });
}"""


@pytest.fixture(scope="module")
def typeset(book, run_node):
    """Formulas as KaTeX writes them: those of the book, thinned out, and strange ones."""
    formulas = [(tex, displayed) for tex in STRANGE for displayed in (False, True)]
    found = {
        (part["data-tex"], "katex-display" in part.parent.get("class", ""))
        for name in DOCUMENTS
        for part in parsed(book / f"{name}.html").select("article .katex[data-tex]")
    }
    formulas += sorted(found)[:: 1 if IS_EXHAUSTIVE else 10]
    assert len(formulas) > 80
    return run_node("", TYPESET % (KATEX / "katex.mjs").as_uri(), formulas)


def test_every_letter_stays_where_it_is(visit, server, typeset):
    visit.open(f"{server}/chapters/temperature.html")
    body = "".join(f"<p><b>x</b> {html}</p><p><b>x</b> {lean(html)}</p>" for html in typeset)
    visit.page.evaluate("(html) => { document.querySelector('article').innerHTML = html; }", body)
    places = visit.page.evaluate(PLACES)
    assert len(places) == 2 * len(typeset)
    for whole, few in zip(places[::2], places[1::2], strict=True):
        assert [name for name, *_ in few] == [name for name, *_ in whole]
        assert [at for _, *at in few] == [pytest.approx(at, abs=0.2) for _, *at in whole]


def heard(html: str) -> list[str]:
    """What the MathML is made of, without rows and letters."""
    tags = re.findall(r"<(\w+)", html.partition("<math")[2].partition("</math>")[0])
    return [tag for tag in tags if tag not in {"mrow", "mi", "semantics", "annotation"}]


def test_what_is_heard_is_built_as_katex_builds_it(typeset):
    assert any("mtable" in heard(html)[:1] for html in typeset)
    for html in typeset:
        assert heard(lean(html)) == heard(html), html


def test_less_than_half_is_left(typeset):
    before, after = (
        sum(html.count("</") for html in some) for some in (typeset, map(lean, typeset))
    )
    assert after < before / 2


def test_silent_classes_have_no_rule():
    style = (KATEX / "katex.min.css").read_text(encoding="utf-8")
    rules = dict(rule.rsplit("{", 1) for rule in style.split("}") if "{" in rule)
    named = {
        name: body
        for names, body in rules.items()
        for name in SILENT
        if re.search(rf"\.{name}(?![\w-])", names)
    }
    # Letters that stand upright already.
    assert named == {"mathrm": "font-style:normal"}
