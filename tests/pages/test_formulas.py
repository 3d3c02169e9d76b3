"""Formulas in few elements: every letter stays where KaTeX puts it."""

import pytest

from _ext.lean_formulas import lean
from tools.project import ROOT

KATEX = (ROOT / "node_modules" / "katex" / "dist" / "katex.mjs").as_uri()
# Indices, limits, roots, accents, matrices, tall and nested parts.
FORMULAS = [
    r"\textstyle \sum_{i = 0}^{n_{k_0} - 1} x_i^{2^2} \Bigl( \frac{a_1}{\sqrt{b^2 + 1}} \Bigr)",
    r"\hat x_j \; \tilde{\mathbf q}' \!\left[ \begin{matrix} 1 & 2 \\ 3 & 4 \end{matrix} \right]",
    r"{}_i \log_2 \! \operatorname{rowsum}(\text{a word } \mid c) \mathrm dW \not= \overline{ab}",
    r"\underbrace{4 n d^2}_{\text{projections}} + \overrightarrow{\mathbf h}_t , \qquad 1{,}024",
]
# Each formula: its letters, and where they stand from its left edge and its line.
PLACES = """async (body) => {
  document.querySelector("article").innerHTML = body;
  await document.fonts.ready;
  return [...document.querySelectorAll(".katex-html")].map((formula) => {
    const from = formula.closest("p").firstElementChild.getBoundingClientRect();
    const texts = document.createTreeWalker(formula, NodeFilter.SHOW_TEXT);
    const found = [];
    while (texts.nextNode()) {
      [...texts.currentNode.data].forEach((letter, i) => {
        const range = document.createRange();
        range.setStart(texts.currentNode, i);
        range.setEnd(texts.currentNode, i + 1);
        const { left, top } = range.getBoundingClientRect();
        if (letter !== "\u200b") found.push([letter, left - from.left, top - from.top]);
      });
    }
    return found;
  });
}"""


def test_every_letter_stays_where_it_is(reopen, server, run_node):
    program = (
        f'import katex from "{KATEX}";\n'
        "console.log(JSON.stringify(input.map((tex) => katex.renderToString(tex))));"
    )
    typeset = run_node("", program, FORMULAS)
    body = "".join(f"<p><b>x</b> {html}</p><p><b>x</b> {lean(html)}</p>" for html in typeset)
    places = reopen(f"{server}/chapters/temperature.html").page.evaluate(PLACES, body)
    assert len(places) == 2 * len(FORMULAS)
    for whole, few in zip(places[::2], places[1::2], strict=True):
        assert [letter for letter, *_ in few] == [letter for letter, *_ in whole]
        assert [at for _, *at in few] == [pytest.approx(at, abs=0.2) for _, *at in whole]
