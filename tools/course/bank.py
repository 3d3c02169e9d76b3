"""The questions of the pages as a bank for other systems: GIFT, Moodle XML and QTI 2.1.

A question is what its cell has stored; alone.toml says how it stands alone. Formulas are TeX
in Moodle XML, as Moodle typesets them, and plain letters elsewhere.
"""

import html
import io
import re
import tomllib
import zipfile
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape, quoteattr

from attnbook.explorers import _texts
from book.portable import Book

QUESTION = "attnbook.explorers.question.explorer.Question"
ALONE = Path(__file__).with_name("alone.toml")
CATEGORY = "$course$/top/Attention Layers"


class BankError(Exception):
    """A question cannot be written; the message says which, why and what to do."""


class Answer(NamedTuple):
    """A choice or a number, with what is said to it."""

    value: Any
    is_right: bool
    said: str


class Item(NamedTuple):
    """A question that stands alone. Its texts have `code` and $TeX$."""

    name: str
    prompt: str
    answers: list[Answer]
    is_number: bool
    tolerance: float


@cache
def told_alone() -> dict[str, Any]:
    return tomllib.loads(ALONE.read_text(encoding="utf-8"))


@cache
def standing_alone() -> dict[str, dict[str, Any] | None]:
    """Return how each question stands alone, None where it does not."""
    named: dict[str, dict[str, Any] | None] = dict.fromkeys(told_alone()["left_out"])
    named |= {name: {} for name in told_alone()["as_they_are"]}
    for page, told in told_alone()["pages"].items():
        named |= {f"{page}/{name}": how for name, how in told.items() if name != "given"}
    return named


def given(page: str) -> str:
    """Return what the exercises of a page must be told where they stand alone."""
    said: str = told_alone()["pages"].get(page, {}).get("given", "")
    return said


def states(book: Book, page: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the questions of a page by their names, as they are stored."""
    for cell in book.notebooks[page]["cells"]:
        for output in cell.get("outputs", []):
            widget = output.get("metadata", {}).get("widget", {})
            if widget.get("widget") == QUESTION:
                yield f"{page}/{cell['id']}", widget["state"]


def items(book: Book, page: str) -> list[Item]:
    """Return the questions of a page that stand alone."""
    found = []
    for name, state in states(book, page):
        if name not in standing_alone():
            raise BankError(f"{ALONE.name} does not say whether the question {name} stands alone.")
        how = standing_alone()[name]
        if how is not None:
            found.append(item(name, state, how))
    return found


def item(name: str, state: dict[str, Any], how: dict[str, Any]) -> Item:
    """Return a question with the texts that it has alone."""
    answers = [Answer(text, text == state["answer"], said) for text, said in state["choices"]]
    if not answers:
        wrong = (Answer(value, False, said) for value, said in state["hints"])
        answers = [Answer(state["answer"], True, state["right"]), *wrong]
    for old, new in how.get("swap", ()):
        if not any(old in text for answer in answers for text in answer if isinstance(text, str)):
            raise BankError(f"{ALONE.name}: nothing in the question {name} says {old!r} any more.")
        answers = [
            Answer(*(part.replace(old, new) if isinstance(part, str) else part for part in answer))
            for answer in answers
        ]
    prompt = how.get("prompt", state["prompt"])
    return Item(name, prompt, answers, not state["choices"], state["tolerance"])


def typeset(text: str) -> str:
    """Return a text as HTML with formulas in TeX."""
    parts = re.split(r"(\$[^$]+\$)", text)
    return "".join(
        rf"\({html.escape(part[1:-1], quote=False)}\)"
        if part.startswith("$")
        else _texts.html(part)
        for part in parts
    )


def in_letters(text: str) -> str:
    """Return a text as HTML with formulas in plain letters."""
    return re.sub(r"</?span[^>]*>", "", _texts.html(text))


def decimal(tolerance: float) -> str:
    """Return a tolerance without an exponent, which not every system reads."""
    return f"{tolerance:.6f}".rstrip("0").rstrip(".")


def escaped(text: str) -> str:
    """Return a text in which nothing is a sign of GIFT."""
    return re.sub(r"([~=#{}:\\])", r"\\\1", text)


def gift(book: Book, pages: Iterable[str]) -> str:
    """Return questions in the format GIFT."""

    def said(text: str) -> str:
        return escaped(in_letters(text))

    lines = []
    for page in pages:
        lines += [f"$CATEGORY: {CATEGORY}/{book.titles[page]}", ""]
        for name, prompt, answers, is_number, tolerance in items(book, page):
            lines.append(f"::{name}::[html]{said(prompt)} {{{'#' * is_number}")
            for value, is_right, told in answers:
                mark, shown = "=" if is_right else "~", value if is_number else said(value)
                if is_number:
                    mark = "=" if is_right else "=%0%"
                    shown = f"{value:.10g}:{decimal(tolerance)}"
                lines.append(f"\t{mark}{shown}#{said(told)}")
            lines += ["}", ""]
    return "\n".join(lines)


def moodle(book: Book, pages: Iterable[str]) -> str:
    """Return questions as Moodle XML."""

    def text(said: str) -> str:
        return f"<text>{escape(said)}</text>"

    lines = ['<?xml version="1.0" encoding="UTF-8"?>', "<quiz>"]
    for page in pages:
        category = text(f"{CATEGORY}/{book.titles[page]}")
        lines.append(f'<question type="category"><category>{category}</category></question>')
        for name, prompt, answers, is_number, tolerance in items(book, page):
            kind = "numerical" if is_number else "multichoice"
            lines += [
                f'<question type="{kind}"><name>{text(name)}</name>',
                f'<questiontext format="html">{text(typeset(prompt))}</questiontext>',
                "<defaultgrade>1</defaultgrade><penalty>0.3333333</penalty><hidden>0</hidden>",
            ]
            if not is_number:
                lines.append("<single>true</single><shuffleanswers>true</shuffleanswers>")
            for value, is_right, said in answers:
                form = "moodle_auto_format" if is_number else "html"
                shown = f"{value:.10g}" if is_number else typeset(value)
                lines += [
                    f'<answer fraction="{100 * is_right}" format="{form}">{text(shown)}',
                    f'<feedback format="html">{text(typeset(said))}</feedback>',
                    f"<tolerance>{decimal(tolerance)}</tolerance></answer>"
                    if is_number
                    else "</answer>",
                ]
            lines.append("</question>")
    return "\n".join([*lines, "</quiz>", ""])


NAMESPACE = "http://www.imsglobal.org/xsd/imsqti_v2p1"
ITEM = f"""\
<?xml version="1.0" encoding="UTF-8"?>
<assessmentItem xmlns="{NAMESPACE}" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"
 xsi:schemaLocation="{NAMESPACE} {NAMESPACE.replace("imsqti", "qti/qtiv2p1/imsqti")}.xsd"
 identifier={{name}} title={{title}} adaptive="false" timeDependent="false">
<responseDeclaration identifier="RESPONSE" cardinality="single" baseType="{{kind}}">
<correctResponse><value>{{right}}</value></correctResponse></responseDeclaration>
<outcomeDeclaration identifier="SCORE" cardinality="single" baseType="float">
<defaultValue><value>0</value></defaultValue></outcomeDeclaration>
<outcomeDeclaration identifier="FEEDBACK" cardinality="single" baseType="identifier"/>
<itemBody>
{{body}}
</itemBody>
<responseProcessing><responseCondition>
{{process}}
</responseCondition></responseProcessing>
{{feedback}}
</assessmentItem>
"""


def qti_item(question: Item) -> str:
    """Return a question as an item of QTI 2.1."""
    name, prompt, answers, is_number, tolerance = question

    def value(number: int) -> str:
        return f"{answers[number].value:.10g}" if is_number else f"A{number}"

    kind = "float" if is_number else "identifier"
    if is_number:
        within = f"{decimal(tolerance)} {decimal(tolerance)}"
        near = f'<equal toleranceMode="absolute" tolerance="{within}">'
        test, end = near, "</equal>"
        field = '<textEntryInteraction responseIdentifier="RESPONSE" expectedLength="10"/>'
        body = f"<p>{in_letters(prompt)}</p>\n<p>{field}</p>"
    else:
        test, end = "<match>", "</match>"
        choices = "\n".join(
            f'<simpleChoice identifier="A{number}">{in_letters(answer.value)}</simpleChoice>'
            for number, answer in enumerate(answers)
        )
        shuffled = 'responseIdentifier="RESPONSE" shuffle="true" maxChoices="1"'
        inner = f"<prompt>{in_letters(prompt)}</prompt>\n{choices}"
        body = f"<choiceInteraction {shuffled}>\n{inner}\n</choiceInteraction>"
    process, feedback = [], []
    for number, answer in enumerate(answers):
        tag = "responseElseIf" if number else "responseIf"
        is_it = f'<baseValue baseType="{kind}">{value(number)}</baseValue>'
        scored = f'<baseValue baseType="float">{int(answer.is_right)}</baseValue>'
        told = f'<baseValue baseType="identifier">F{number}</baseValue>'
        process.append(
            f'<{tag}>{test}<variable identifier="RESPONSE"/>{is_it}{end}'
            f'<setOutcomeValue identifier="SCORE">{scored}</setOutcomeValue>'
            f'<setOutcomeValue identifier="FEEDBACK">{told}</setOutcomeValue></{tag}>'
        )
        shows = f'outcomeIdentifier="FEEDBACK" identifier="F{number}" showHide="show"'
        feedback.append(f"<modalFeedback {shows}>{in_letters(answer.said)}</modalFeedback>")
    return ITEM.format(
        name=quoteattr(name.replace("/", "-")),
        title=quoteattr(name),
        kind=kind,
        right=value(next(n for n, answer in enumerate(answers) if answer.is_right)),
        body=body,
        process="\n".join(process),
        feedback="\n".join(feedback),
    )


def qti(book: Book, pages: Iterable[str]) -> bytes:
    """Return questions as a package of QTI 2.1."""
    found = [each for page in pages for each in items(book, page)]
    files = {f"{each.name.replace('/', '-')}.xml": qti_item(each) for each in found}
    resources = "\n".join(
        f'<resource identifier="{file[:-4]}" type="imsqti_item_xmlv2p1" href="{file}">'
        f'<file href="{file}"/></resource>'
        for file in files
    )
    files["imsmanifest.xml"] = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        '<manifest xmlns="http://www.imsglobal.org/xsd/imscp_v1p1" identifier="attention-layers">\n'
        "<metadata><schema>QTIv2.1 Package</schema>"
        "<schemaversion>1.0.0</schemaversion></metadata>\n"
        f"<organizations/>\n<resources>\n{resources}\n</resources>\n</manifest>\n"
    )
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in files.items():
            archive.writestr(zipfile.ZipInfo(file, (1980, 1, 1, 0, 0, 0)), text)
    return packed.getvalue()
