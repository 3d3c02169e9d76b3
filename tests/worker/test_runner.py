"""The worker's Python in ordinary Python: what a cell prints, shows and fails with."""

import json
import subprocess
import sys
from typing import Any

import pytest

from _ext.python import WORKER, names
from tests.examples import WITH_EXAMPLE
from tests.worker.pages import WIDGET, shown
from tools.project import ROOT, environment

PROGRAM = ROOT / "tests" / "worker" / "play.py"


def play(*asks: Any) -> list[dict[str, Any]]:
    """Ask in turn; a text is a cell to run."""
    path = f"{WORKER / 'py'}:{ROOT}"
    done = subprocess.run(
        [sys.executable, PROGRAM],
        input=json.dumps(asks),
        capture_output=True,
        encoding="utf-8",
        env=environment() | {"PYTHONPATH": path, "MPLBACKEND": "module://attnutils._figures"},
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_last_value_is_shown_as_in_a_notebook():
    cells = [
        "1\nx = 2\nx + 1",
        "x + 1;",
        "x + 1; # not shown",
        "'é' + 'ü' ; ",
        "x = 3",
        "None",
        "if x:\n    x",
        "print('a')\ndisplay('b', 4)\nprint('c')\nx",
        "",
        "class A:\n    def _repr_html_(self):\n        return '<b>a</b>'\nA()",
        "A",
        "from IPython.display import HTML\nHTML('<i>x</i>')",
    ]
    assert [shown(answer["parts"]) for answer in play(*cells)] == [
        [("text/plain", "3")],
        [],
        [],
        [],
        [],
        [],
        [],
        [("stdout", "a\nc\n"), ("text/plain", "'b'"), ("text/plain", "4"), ("text/plain", "3")],
        [],
        [("text/html", "<b>a</b>")],
        [("text/plain", "<class '__main__.A'>")],
        [("text/html", "<i>x</i>")],
    ]


def test_what_is_printed_goes_out_at_once_in_order_and_to_its_stream():
    (answer,) = play("import sys\nprint('a')\nprint('b', file=sys.stderr)\nprint('c', end='')")
    assert [(part["name"], part["data"]) for part in answer["parts"]] == [
        ("stdout", "a\n"),
        ("stderr", "b\n"),
        ("stdout", "c"),
    ]


def test_many_lines_travel_together():
    (answer,) = play("for i in range(10_000):\n    print(i)")
    assert len(answer["parts"]) < 1000
    text = "".join(part["data"] for part in answer["parts"])
    assert text == "".join(f"{i}\n" for i in range(10_000))


def test_too_much_output_is_cut_with_a_word_and_the_cell_runs_on():
    loop = "n = 0\nwhile n < 400:\n    print('x' * 999)\n    n += 1"
    cut, after, html, both = play(
        loop, "n", "from IPython.display import HTML\nHTML('y' * 300_000)", "print('z' * 200_001)"
    )
    text = "".join(part["data"] for part in cut["parts"])
    assert text.startswith(("x" * 999 + "\n") * 200 + "\n[The rest is left out")
    assert text.count("[The rest") == 1
    assert len(text) < 200_200
    assert shown(after["parts"]) == [("text/plain", "400")]  # and the next has its own room
    ((kind, data),) = shown(html["parts"])
    assert kind == "text/plain"  # half of HTML is none
    assert "HTML object" in data
    assert "200,000 characters" in shown(both["parts"])[0][1]


def test_a_traceback_has_the_readers_lines_alone():
    define, fails, library, syntax, chained = play(
        {"run": "def f(x):\n    return 1 / x", "name": "define"},
        {"run": "print('before')\n\nf(0)", "name": "fails"},
        "import json\njson.loads('{')",
        "x = 1\ny = (2\n",
        "try:\n    f(0)\nexcept ZeroDivisionError:\n    raise ValueError('no') from None",
    )
    assert (define["error"], define["line"]) == ("", 0)
    assert fails["line"] == 3
    # Some versions of Python mark the place in a line, in a line below it.
    lines = [line for line in fails["error"].splitlines() if line.strip(" ~^")]
    assert lines[:5] == [
        "Traceback (most recent call last):",
        '  File "<fails>", line 3, in <module>',
        "    f(0)",
        '  File "<define>", line 2, in f',
        "    return 1 / x",
    ]
    assert shown(fails["parts"]) == [("stdout", "before\n")]
    assert library["line"] == 2
    assert "decoder.py" not in library["error"]
    assert syntax["line"] == 2
    assert "was never closed" in syntax["error"]
    assert chained["line"] == 4
    assert "ZeroDivisionError" not in chained["error"]


@pytest.mark.parametrize(
    ("source", "says"),
    [
        ("input('name?')", "Write what you would type into the code"),
        ("import micropip", "installs nothing"),
        ("import no_such_package", "Python's own modules, NumPy"),
        ("!pip install x", "commands of Jupyter"),
        ("%matplotlib inline", "commands of Jupyter"),
        ('raise RuntimeError("can\'t start new thread")', "one thread"),
        ("import urllib.error\nraise urllib.error.URLError('x')", "nothing leaves this machine"),
        ("open('my-data.csv')", "sees none of your files"),
        ("raise OSError(52, 'Function not implemented')", "no other programs"),
        ("exit()", "The cell has ended; Python goes on"),
        ("raise MemoryError", "Try something smaller"),
    ],
)
def test_what_does_not_work_here_is_said_with_where_it_does(source, says):
    failed, after = play(source, "1 + 1")
    assert says in failed["error"]
    assert shown(after["parts"]) == [("text/plain", "2")]


def test_an_error_that_says_enough_gets_no_word_more():
    (answer,) = play("raise KeyboardInterrupt")
    assert answer["error"].endswith("KeyboardInterrupt\n")


def test_a_warning_comes_once():
    warns = "import warnings\nfor i in range(3):\n    warnings.warn('careful')"
    first, again = play(warns, warns)
    ((stream, text),) = shown(first["parts"])
    assert stream == "stderr"
    assert text.count("careful") == 2  # the word, and the line that it comes from
    assert shown(again["parts"]) == []


def test_figures_are_shown_where_they_are_closed_and_none_is_left_open():
    draw = "import matplotlib.pyplot as plt\nplt.subplots()\nprint('a')\nplt.show()\nprint('b')"
    shows, ends, value, silent = play(
        draw,
        "plt.plot([1, 2]);",
        "figure, ax = plt.subplots()\nplt.close()\nfigure",
        {"run": draw, "silent": True},
    )
    kinds = [
        [kind for kind, _ in shown(answer["parts"])] for answer in (shows, ends, value, silent)
    ]
    assert kinds == [["stdout", "image/svg+xml"], ["image/svg+xml"], ["image/svg+xml"], []]
    pieces = [part["name"] for part in shows["parts"]]
    assert pieces == ["stdout", "image/svg+xml", "stdout"]


def test_a_silent_cell_shows_nothing_and_defines_its_names():
    silent, after = play({"run": "x = 5\nprint(x)\nx", "silent": True}, "x")
    assert silent["parts"] == []
    assert shown(after["parts"]) == [("text/plain", "5")]


def test_reset_forgets_names():
    *_, after = play("x = 1", {}, "x")
    assert "NameError" in after["error"]


# -- widgets ---------------------------------------------------------------------------------

MAKE = """import numpy as np
from attnutils import AttentionBench
from attnutils.worked_example import KEYS, VALUES, WORDS
bench = AttentionBench(WORDS, KEYS, VALUES, query=5)
bench"""


def test_a_widget_goes_out_with_its_state_and_buffers():
    (answer,) = play(MAKE)
    (part,) = answer["parts"]
    data = part["data"]
    assert part["name"] == WIDGET
    assert (data["widget"], data["cell"]) == ("AttentionBench", "cell")
    assert data["state"]["query"] == 5
    assert ["key_matrix"] in data["buffers"]
    assert len(part["bytes"]) == len(data["buffers"])
    assert not any("esm" in name or "css" in name for name in data["state"])


SHOW = "import attnutils\ndisplay(attnutils.{}.example())"


def test_no_trait_of_a_widget_takes_the_place_of_its_name_on_the_page():
    answers = play(*(SHOW.format(each.__name__) for each in WITH_EXAMPLE))
    names = [part["data"]["model"] for answer in answers for part in answer["parts"]]
    assert names == [f"python-{n}" for n in range(len(WITH_EXAMPLE))]


def test_python_moves_a_widget_and_the_page_moves_python():
    made, moved, same, taken, read, wrong, after = play(
        MAKE,
        "bench.temperature = 0.5",
        "bench.temperature = 0.5",
        {"take": {"model": "python-0", "state": {"temperature": 3}}},
        "bench.temperature",
        {"run": "bench.temperature = -1"},
        "bench.temperature",
    )
    model = made["parts"][0]["data"]["model"]
    assert moved["parts"] == [
        {"kind": "widget", "model": model, "state": {"temperature": 0.5}, "buffers": []}
    ]
    assert same["parts"] == []
    assert taken["parts"] == []  # the page knows
    assert shown(read["parts"]) == [("text/plain", "3.0")]
    assert "temperature" in wrong["error"]
    assert wrong["parts"] == []
    assert shown(after["parts"]) == [("text/plain", "3.0")]


def test_what_follows_from_a_move_goes_back_to_the_page():
    _, taken = play(MAKE, {"take": {"model": "python-0", "state": {"query": 2}}})
    (part,) = taken["parts"]
    assert part["state"] == {}
    assert part["buffers"] == [["query_vector"]]  # that of the other word


def test_a_silent_widget_takes_the_state_of_the_page():
    silent, read = play(
        {"run": MAKE, "silent": True, "widgets": {"cell": [{"temperature": 7, "query": 1}]}},
        "bench.temperature, bench.query",
    )
    (part,) = silent["parts"]
    assert part["data"]["state"]["temperature"] == 7
    assert shown(read["parts"]) == [("text/plain", "(7.0, 1)")]


def test_a_widget_that_is_forgotten_takes_nothing():
    *_, taken = play(MAKE, {}, {"take": {"model": "python-0", "state": {"temperature": 3}}})
    assert taken["parts"] == []


# -- names -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "defines", "takes"),
    [
        ("import numpy as np\nx = np.zeros(3)", "np x", ""),
        ("answer = 3\ncheck('a', answer)", "answer", "check"),
        ("answer = answer + 1", "answer", "answer"),
        ("x += 1", "x", "x"),
        ("x[0] = 1", "", "x"),
        ("def f(a):\n    return a + b + len(a)", "f", "b"),
        ("def f():\n    return c\nc = 1", "c f", "c"),
        ("class A:\n    y = x", "A", "x"),
        ("[i for i in rows]\nlambda q: q + w", "", "rows w"),
        ("x = [{j for j in {i: v for i, v in r}} for r in rows if any(s for s in r)]", "x", "rows"),
        ("for i in range(n):\n    t = i\nt", "i t", "i n t"),
        ("if a:\n    b = 1\nb", "b", "a b"),
        ("x, *y = z", "x y", "z"),
        ("@d\ndef f(): ...", "f", "d"),
        ("from m import *", "", ""),
        ("w = rng.normal()", "rng w", "rng"),
        ("rng = np.random.default_rng(0)\nrng.normal()", "rng", "np"),
        ("x = (", "", ""),
    ],
)
def test_names_of_a_cell(source, defines, takes):
    found = names(source)
    assert (found["defines"], found["takes"]) == (defines.split(), takes.split())
