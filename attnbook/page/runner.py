"""Run the cells of a page as a notebook does: one namespace, the last expression shown.

It runs in the worker, and in ordinary Python for its tests. All that goes to the page goes through
one function, `send(message, buffers)`: what a cell prints as it is written, what it shows in the
richest form that it has, figures as pages show them.
"""

import ast
import builtins
import linecache
import traceback
from collections.abc import Callable, Sequence
from typing import Any

from attnbook.page import notes, show, widget
from attnbook.page.names import parse

Message = dict[str, Any]
Send = Callable[[Message, Sequence[bytes]], object]

_namespace: dict[str, Any] = {}
_cells: set[str] = set()


def connect(send: Send) -> None:
    """Say where messages go, and begin with an empty namespace."""
    show.send = widget.send = send  # type: ignore[assignment]
    builtins.input = notes.no_input
    reset()


def reset() -> None:
    """Forget what the cells defined."""
    widget.forget()
    _namespace.clear()
    _namespace.update(__name__="__main__", __builtins__=builtins, display=show.display)
    _namespace["check"] = check  # which a cell imports that the reader may write anew


def check(name: str, answer: object) -> None:
    """Judge an answer to an exercise."""
    from attnbook import check  # for who asks

    check(name, answer)


def run(source: str, name: str, silent: bool = False, widgets: Any = None) -> dict[str, Any]:
    """Run one cell; return the text of its error, or an empty one, and the line that it is in.

    A silent one shows nothing but its widgets, which the page may have already: they take the
    state that they have there, by the name of their cell.
    """
    show.begin(name, silent, (widgets or {}).get(name, []))
    filename = f"<{name}>"
    _cells.add(filename)
    # What a traceback shows of the cell.
    linecache.cache[filename] = (len(source), None, source.splitlines(True), filename)
    try:
        body, last = compiled(source, filename)
        exec(body, _namespace)
        value = eval(last, _namespace) if last else None
        if value is not None:
            show.display(value)
        show.close_figures()
    except BaseException as error:  # SystemExit and KeyboardInterrupt end the cell, not the worker
        return report(error, filename)
    finally:
        show.finish()
    return {"error": "", "line": 0}


def compiled(source: str, filename: str) -> tuple[Any, Any]:
    """Return the code of a cell, and that of its last expression, if that is to be shown."""
    tree = parse(source, filename)
    last = None
    end = tree.body[-1] if tree.body else None
    if isinstance(end, ast.Expr) and not ends_in_semicolon(source, end):
        tree.body.pop()
        last = compile(ast.Expression(end.value), filename, "eval")
    return compile(tree, filename, "exec"), last


def ends_in_semicolon(source: str, end: ast.Expr) -> bool:
    """Whether the last value is not to be shown, as in a notebook."""
    assert end.end_lineno is not None  # as of all that is parsed
    lines = source.encode().split(b"\n")[end.end_lineno - 1 :]
    return lines[0][end.end_col_offset :].lstrip().startswith(b";")


def report(error: BaseException, filename: str) -> dict[str, Any]:
    """Return a traceback of the reader's lines alone, without this module and libraries."""
    summary = traceback.TracebackException.from_exception(error, compact=True)
    part: traceback.TracebackException | None = summary
    while part is not None:
        kept = [frame for frame in part.stack if frame.filename in _cells]
        part.stack[:] = kept
        part = part.__cause__ or part.__context__
    lines = [frame.lineno for frame in summary.stack if frame.filename == filename]
    if isinstance(error, SyntaxError) and error.filename == filename:
        lines.append(error.lineno or 0)
    text = "".join(summary.format())
    if note := notes.note(error):
        text += f"\n{note}\n"
    return {"error": text, "line": lines[-1] if lines else 0}
