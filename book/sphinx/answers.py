"""Exercises that ask for numbers are answered on the page: fields, and what judges them.

What is right, what is a likely slip and what is said of both come from attnbook.exercises, as
data; `answers.js` says of an answer what `check` would say. The fields are hidden until
that script is there. The code cell stays below, without its "unanswered".
"""

import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from attnbook.exercises import all_exercises
from attnbook.exercises._registry import UNANSWERED, Form
from book.sphinx.esbuild import esbuild
from book.sphinx.static_widgets import script, stands_in

SCRIPT = Path(__file__).with_suffix(".js")
CHECK = re.compile(r"""\bcheck\(["']([\w-]+)["'], answer\)""")
# What the page needs of a form; the rest is in the markup.
JUDGED = ("shapes", "right", "atol", "shift", "decimals", "wrong", "hint", "note")


def field(form: Form, name: str) -> str:
    """Return the markup of one field with this name."""
    # The keypad of a phone that has only digits may lack the minus.
    numbers = [*form["right"], *(number for slip, _ in form["wrong"] for number in slip)]
    keypad = "decimal" if min(numbers) >= 0 else "text"
    return (
        f'<input type="text" inputmode="{keypad}" autocomplete="off" spellcheck="false" '
        f'aria-label="{escape(name)}">'
    )


def fields(page: str, key: str, form: Form) -> str:
    """Return the form of an exercise: a field, a row or a table of them, or boxes to tick."""
    asks, each, shape = form["asks"], form["each"], form["shapes"][0]
    in_unit = f", in {form['unit']}" if form["unit"] else ""
    unit = f'<span class="unit" aria-hidden="true">{escape(form["unit"])}</span>'
    if form["ticks"]:
        boxes = (f'<label><input type="checkbox">{escape(name)}</label>' for name in each)
        body = f"<fieldset><legend>{escape(asks)}</legend>{''.join(boxes)}</fieldset>"
    elif not shape:
        body = f'<span aria-hidden="true">{escape(asks)} =</span> {field(form, asks + in_unit)}'
        body = f'<div class="single">{body}{unit if form["unit"] else ""}</div>'
    else:
        columns = range(shape[1]) if len(shape) > 1 else None
        rows = []
        for name in each:
            names = [name] if columns is None else [f"{name}, column {c}" for c in columns]
            cells = "".join(field(form, f"{asks}, {n}{in_unit}") for n in names)
            label = re.sub(r"_(\w)", r"<sub>\1</sub>", escape(name))
            rows.append(f'<div><span aria-hidden="true">{label}</span>{cells}</div>')
        kind = "row" if columns is None else "rows"
        body = (
            f'<p class="asks">{escape(asks + in_unit)}</p><div class="{kind}">{"".join(rows)}</div>'
        )
    return (
        f'<form class="exercise-fields" data-exercise="{key}" data-answer="{page}/{key}" hidden>'
        f"{body}<button>Check</button>"
        '<p class="result" role="status"></p></form>\n'
    )


class ExerciseFields(SphinxPostTransform):
    """Put fields in front of the cells that check numbers, and on the page what judges them."""

    default_priority = 750  # the outputs of cells are chosen by then
    formats = ("html",)

    def run(self, **_: Any) -> None:
        forms: dict[str, Any] = {}
        page = self.env.docname.rpartition("/")[2]
        for cell in list(self.document.findall(nodes.container)):
            if cell.get("nb_element") != "cell_code" or not stands_in(cell, "exercise"):
                continue
            found = CHECK.search(cell.astext())
            make = all_exercises()[found[1]].form if found else None
            if found is None or make is None:
                continue
            form = make()
            forms[found[1]] = {name: form[name] for name in JUDGED}  # type: ignore[literal-required]
            place = cell.parent.index(cell)
            cell.parent.insert(place, nodes.raw("", fields(page, found[1], form), format="html"))
            for output in list(cell.children):
                if output.astext().strip() == UNANSWERED:
                    cell.remove(output)
        if forms:
            self.document += script("application/json", forms, id="exercise-data")
            self.document["has_exercises"] = True


def add_scripts(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Load the script where there is something to answer."""
    if doctree and (doctree.get("has_exercises") or doctree.get("has_veils")):
        app.add_js_file(SCRIPT.name)


def write_script(app: Sphinx) -> None:
    """Write the script, with what it imports."""
    target = Path(app.outdir, "_static", SCRIPT.name)
    esbuild(SCRIPT.name, SCRIPT, f"--outfile={target}", "--bundle", "--minify", "--format=iife")


def setup(app: Sphinx) -> None:
    app.add_post_transform(ExerciseFields)
    app.connect("builder-inited", write_script)
    app.connect("html-page-context", add_scripts)
