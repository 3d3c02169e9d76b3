"""Report on what a class hands in: shares of right answers, hard exercises, common slips.

    python -m tools.class_report FOLDER

Learners choose what they hand in: the file `answered.json` that the pages of the book export, or
notebooks that they have run. In FOLDER a learner is a file, or a folder with several. This reads
JSON, runs nothing of it, names no learner and keeps nothing.
"""

import argparse
import ast
import contextlib
import io
import json
import re
import sys
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from attnutils.exercises import all_exercises, check
from tools import course

LARGEST = 30_000_000  # bytes of a file; a notebook of the book has half a million
LONGEST = 2_000  # characters of an answer that is read as numbers
WIDTH = 90  # characters of what a check said
MOST = 10  # rows of a list
CHECK = re.compile(r"""^check\(["']([\w-]+)["'], *(\w+)(?:, *variant=(\d{1,9}))?\)""", re.M)
RIGHT, OPEN = "right", "unanswered"
FORGED = """\
Learners chose to hand these files in. Anybody can write any answer into such a file, so the
numbers say what to teach again; they are no marks."""

#: How far a learner is with each exercise: RIGHT, OPEN, or what the check says is not yet right.
Outcomes = dict[str, str]


class NotReadError(Exception):
    """A file is left out; the message says why."""


class Handed(NamedTuple):
    """The outcomes of each learner, and the files that were left out, each with the reason."""

    learners: list[Outcomes]
    left_out: list[str]


# -- one file ----------------------------------------------------------------------------------


def read(path: Path) -> Outcomes:
    """Return what a file says of the exercises of this book."""
    if path.stat().st_size > LARGEST:
        raise NotReadError("it is larger than any notebook of the book")
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        raise NotReadError("it is not JSON; hand in the file as it was saved") from None
    if isinstance(data, dict) and isinstance(data.get("answered"), list):
        return of_export(data)
    if isinstance(data, dict) and isinstance(data.get("cells"), list):
        return of_notebook(data["cells"])
    raise NotReadError("it is neither an export of the book's pages nor a notebook")


def of_export(data: Mapping[str, Any]) -> Outcomes:
    """Return what an export of the pages says: what is right, and answers that are numbers."""
    named = [name.partition("/") for name in data["answered"] if isinstance(name, str)]
    if named and not {page for page, _, _ in named} & {"index", *course.names()}:
        raise NotReadError("its answers are of another book")
    outcomes = dict.fromkeys((key for _, _, key in named if key in all_exercises()), RIGHT)
    code = data.get("code")
    for text in code.values() if isinstance(code, dict) else ():
        for key, outcome in of_text(text) if isinstance(text, str) else ():
            outcomes.setdefault(key, outcome)
    return outcomes


def of_text(text: str) -> Iterator[tuple[str, str]]:
    """Yield what the check says of a cell whose answer is written in plain numbers."""
    found = CHECK.search(text)
    if not found or len(text) > LONGEST:
        return
    key, name, variant = found.groups()
    try:
        with warnings.catch_warnings(action="ignore"):
            body = ast.parse(text).body
        lines = [line for line in body if isinstance(line, ast.Assign)]
        values = [line.value for line in lines if ast.unparse(line.targets[0]) == name]
        answer = ast.literal_eval(values[-1])
        with contextlib.redirect_stdout(io.StringIO()) as said:
            check(key, answer, variant=None if variant is None else int(variant))
    except (ValueError, TypeError, SyntaxError, LookupError, RecursionError, MemoryError):
        return  # not numbers, or no exercise of this book
    yield key, outcome_of(said.getvalue())


def of_notebook(cells: Iterable[Any]) -> Outcomes:
    """Return what the checks of a notebook printed when its learner ran it."""
    outcomes: Outcomes = {}
    for cell in cells:
        source = joined(cell.get("source")) if isinstance(cell, dict) else ""
        found = CHECK.search(source)
        if found and found[1] in all_exercises() and outcomes.get(found[1]) != RIGHT:
            outputs = cell.get("outputs")
            each = outputs if isinstance(outputs, list) else []
            texts = [joined(output.get("text")) for output in each if isinstance(output, dict)]
            outcomes[found[1]] = outcome_of("".join(texts))
    if not outcomes:
        raise NotReadError("no exercise of this book is in it")
    return outcomes


def joined(text: Any) -> str:
    """Return a text of a notebook, which may be there in lines."""
    lines = text if isinstance(text, list) else [text]
    return "".join(line for line in lines if isinstance(line, str))


def outcome_of(printed: str) -> str:
    """Return the outcome that the last line of what a cell printed tells."""
    (line,) = printed.strip().splitlines()[-1:] or [OPEN]
    word, _, hint = line.partition(": ")
    if word == "not yet" and hint:
        return readable(hint)
    return RIGHT if word == RIGHT else OPEN


def readable(text: str) -> str:
    """Return a text from outside as one short line, without what a terminal would obey."""
    line = "".join(character for character in text if character.isprintable())
    return line if len(line) <= WIDTH else f"{line[: WIDTH - 1]}…"


# -- the class ---------------------------------------------------------------------------------


def gather(folder: Path) -> Handed:
    """Read what lies in a folder: a learner is a file, or a folder with several."""
    learners: list[Outcomes] = []
    left_out: list[str] = []
    for entry in sorted(folder.iterdir()):
        inside = sorted(entry.rglob("*")) if entry.is_dir() else [entry]
        files = [path for path in inside if path.is_file() and not is_hidden(path, folder)]
        outcomes: Outcomes = {}
        is_learner = False
        for path in files:
            try:
                new = read(path)
            except (NotReadError, OSError) as error:
                left_out.append(f"{readable(str(path.relative_to(folder)))}: {error}")
                continue
            is_learner = True
            for key, outcome in new.items():
                if outcome == RIGHT or outcomes.get(key, OPEN) == OPEN:
                    outcomes[key] = outcome
        if is_learner:
            learners.append(outcomes)
    return Handed(learners, left_out)


def is_hidden(path: Path, folder: Path) -> bool:
    """Return whether a program left this: `.DS_Store`, `.ipynb_checkpoints`."""
    return any(part.startswith(".") for part in path.relative_to(folder).parts)


def report(handed: Handed) -> str:
    """Return the report as text."""
    learners, left_out = handed
    if learners:
        lines = [
            f"{counted(len(learners))} handed in something.",
            "",
            FORGED,
            "",
            *shares(learners),
        ]
    else:
        lines = ["No learner has handed in anything that can be read."]
    if left_out:
        lines += ["", "Left out:", *(f"  {reason}" for reason in left_out)]
    return "\n".join(lines).rstrip() + "\n"


def counted(learners: int) -> str:
    return f"{learners} learner{'' if learners == 1 else 's'}"


def shares(learners: list[Outcomes]) -> Iterator[str]:
    """Yield the lines of the report: right answers by page, the hardest, the commonest slips."""
    yield f"{'Of those who tried something of a page':40} right  not yet  open"
    hard = []
    for name in course.names():
        keys = course.exercises(name)
        there = [each for each in learners if any(each.get(key, OPEN) != OPEN for key in keys)]
        if not there:
            continue
        yield f"  {course.title(f'{name}.ipynb')} ({counted(len(there))})"
        for key in keys:
            found = [each.get(key, OPEN) for each in there]
            right, still_open = found.count(RIGHT), found.count(OPEN)
            not_yet = len(there) - right - still_open
            yield f"    {key:36} {right:5}  {not_yet:7}  {still_open:4}"
            told = f"{key}: {right} of {len(there)} right, {not_yet} not yet"
            hard.append((right / len(there), -not_yet, told))
    slips = Counter(
        (key, outcome)
        for each in learners
        for key, outcome in each.items()
        if outcome not in (RIGHT, OPEN)
    )
    yield from ("", "Hardest")
    hardest = [told for share, _, told in sorted(hard) if share < 1][:MOST]
    yield from (f"  {told}" for told in hardest or ["none: all are right"])
    yield from ("", "Commonest slips")
    common = [f"{n} × {key}: {hint}" for (key, hint), n in slips.most_common(MOST)]
    yield from (f"  {told}" for told in common or ["none that the files tell of"])


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", help="what learners have handed in")
    folder = parser.parse_args().folder
    if not folder or not Path(folder).is_dir():
        print(
            f"{folder!r} is no folder: name the one with what learners have handed in, as in "
            "`make class-report FOLDER=handed-in`.",
            file=sys.stderr,
        )
        return 1
    print(report(gather(Path(folder))), end="")
    return 0


if __name__ == "__main__":
    sys.exit(main())
