"""The Python of the worker, run by ordinary Python: cells, widgets, names, packages."""

import ast
import base64
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
import yaml

from attnbook.page.names import names
from book.sphinx.python import WORKER, cell_data, code_cells
from tools.exercises import exercises
from tools.project import CHAPTERS, ROOT, environment

FAKES = WORKER / "fakes"
PROGRAM = Path(__file__).with_name("play_cells.py")
WIDGET = "application/vnd.attnutils.widget+json"


def python(*command: str, data: object, env: dict[str, str]) -> str:
    """What a Python prints that finds these data as JSON in its input."""
    command = (sys.executable, *command)
    text = json.dumps(data)
    done = subprocess.run(command, input=text, capture_output=True, encoding="utf-8", env=env)
    assert done.returncode == 0, done.stderr
    return done.stdout


def play(*asks: Any) -> list[dict[str, Any]]:
    """Ask in turn; a text is a cell to run, and nothing at all a new beginning."""
    data = [{"run": ask} if isinstance(ask, str) else ask for ask in asks]
    own = {"PYTHONPATH": f"{FAKES}:{ROOT}", "MPLBACKEND": "module://attnbook.page.backend"}
    return json.loads(python(str(PROGRAM), data=data, env=environment() | own))


def shown(answer: dict[str, Any]) -> list[tuple[str, Any]]:
    """What a cell put out, a stream in one piece where nothing came between."""
    found: list[tuple[str, Any]] = []
    for part in answer["parts"]:
        kind, data = part["name"], part["data"]
        if part["kind"] == "stream" and found and found[-1][0] == kind:
            data = found.pop()[1] + data
        found.append((kind, data["widget"] if kind == WIDGET else data))
    return found


def test_the_last_value_is_shown_as_in_a_notebook():
    cells = {
        "1\nx = 2\nx + 1": [("text/plain", "3")],
        "x + 1; # not shown": [],
        "'é' + 'ü' ; ": [],
        "x = 3": [],
        "if x:\n    x": [],
        "": [],
        "import sys\nprint('a')\ndisplay('b')\nprint('c')\nprint('d', file=sys.stderr)\nx": [
            *[("stdout", "a\n"), ("text/plain", "'b'"), ("stdout", "c\n"), ("stderr", "d\n")],
            ("text/plain", "3"),
        ],
        "class A:\n    def _repr_html_(self):\n        return '<b>a</b>'\nA()": [
            ("text/html", "<b>a</b>")
        ],
        "A": [("text/plain", "<class '__main__.A'>")],
    }
    silent = {"run": "y = 5\nprint(y)\ny", "silent": True}
    *answers, quiet, after, _, forgotten = play(*cells, silent, "y", {}, "y")
    assert [*map(shown, answers)] == [*cells.values()]
    assert quiet["parts"] == []
    assert shown(after) == [("text/plain", "5")]
    assert "NameError" in forgotten["error"]


def test_many_lines_travel_together_and_too_many_are_cut():
    many = "for i in range(10_000):\n    print(i)"
    loop = "n = 0\nwhile n < 400:\n    print('x' * 999)\n    n += 1"
    html = "from IPython.display import HTML\nHTML('y' * 300_000)"
    lines, cut, after, page = play(many, loop, "n", html)
    assert len(lines["parts"]) < 1000
    assert shown(lines) == [("stdout", "".join(f"{i}\n" for i in range(10_000)))]
    ((_, text),) = shown(cut)
    assert text.startswith(("x" * 999 + "\n") * 200 + "\n[The rest is left out")
    assert len(text) < 200_200
    assert shown(after) == [("text/plain", "400")]  # it ran on; the next has its own room
    assert shown(page)[0][0] == "text/plain"  # half of HTML is none


def test_a_traceback_has_the_readers_lines_alone():
    define = {"run": "def f(x):\n    return 1 / x", "name": "define"}
    fail = {"run": "print('before')\n\nf(0)", "name": "fails"}
    ran, fails, library, syntax = play(
        define, fail, "import json\njson.loads('{')", "x = 1\ny = (2\n"
    )
    assert (ran["error"], ran["line"], fails["line"]) == ("", 0, 3)
    # Some versions of Python mark the place in a line, in a line below it.
    lines = [line for line in fails["error"].splitlines() if line.strip(" ~^")]
    assert lines[1:5] == [
        '  File "<fails>", line 3, in <module>',
        "    f(0)",
        '  File "<define>", line 2, in f',
        "    return 1 / x",
    ]
    assert shown(fails) == [("stdout", "before\n")]
    assert library["line"] == syntax["line"] == 2
    assert "decoder.py" not in library["error"]
    assert "was never closed" in syntax["error"]


def test_what_does_not_work_here_says_where_it_does():
    said = {
        "input('name?')": "Write what you would type into the code",
        "import micropip": "installs nothing",
        "import no_such_package": "Python's own modules, NumPy",
        "!pip install x": "commands of Jupyter",
        'raise RuntimeError("can\'t start new thread")': "one thread",
        "import urllib.error\nraise urllib.error.URLError('x')": "nothing leaves this machine",
        "open('my-data.csv')": "sees none of your files",
        "raise OSError(52, 'Function not implemented')": "no other programs",
        "exit()": "The cell has ended; Python goes on",
        "raise MemoryError": "Try something smaller",
    }
    *failed, after = play(*said, "1 + 1")
    for (source, words), answer in zip(said.items(), failed, strict=True):
        assert words in answer["error"], source
    assert shown(after) == [("text/plain", "2")]


def test_figures_are_shown_where_they_are_closed_and_none_is_left_open():
    draw = "import matplotlib.pyplot as plt\nplt.subplots()\nprint('a')\nplt.show()\nprint('b')"
    value = "figure, ax = plt.subplots()\nplt.close()\nfigure"
    answers = play(draw, "plt.plot([1, 2]);", value, {"run": draw, "silent": True})
    assert [[kind for kind, _ in shown(answer)] for answer in answers] == [
        ["stdout", "image/svg+xml", "stdout"],
        ["image/svg+xml"],
        ["image/svg+xml"],
        [],
    ]


# -- widgets ---------------------------------------------------------------------------------

MAKE = """import numpy as np
from attnbook import AttentionBench
from attnutils.worked_example import KEYS, VALUES, WORDS
bench = AttentionBench(WORDS, KEYS, VALUES, query=5)
bench"""


def test_python_moves_a_widget_and_the_page_moves_python():
    made, moved, same, taken, follows, read, wrong, after, _, forgotten = play(
        MAKE,
        "bench.temperature = 0.5",
        "bench.temperature = 0.5",
        {"take": {"model": "python-0", "state": {"temperature": 3}}},
        {"take": {"model": "python-0", "state": {"query": 2}}},
        "bench.temperature",
        {"run": "bench.temperature = -1"},
        "bench.temperature",
        {},
        {"take": {"model": "python-0", "state": {"temperature": 2}}},
    )
    (part,) = made["parts"]
    data = part["data"]
    assert (data["widget"], data["cell"], data["state"]["query"]) == ("AttentionBench", "cell", 5)
    assert ["key_matrix"] in data["buffers"]
    assert len(part["bytes"]) == len(data["buffers"])
    assert not any("esm" in name or "css" in name for name in data["state"])
    assert moved["parts"] == [
        {"kind": "widget", "model": "python-0", "state": {"temperature": 0.5}, "buffers": []}
    ]
    assert same["parts"] == taken["parts"] == forgotten["parts"] == []  # the page knows
    (part,) = follows["parts"]
    assert (part["state"], part["buffers"]) == ({}, [["query_vector"]])  # that of the other word
    assert shown(read) == shown(after) == [("text/plain", "3.0")]
    assert "temperature" in wrong["error"]
    assert wrong["parts"] == []


def test_a_silent_widget_takes_the_state_of_the_page():
    silent, read = play(
        {"run": MAKE, "silent": True, "widgets": {"cell": [{"temperature": 7, "query": 1}]}},
        "bench.temperature, bench.query",
    )
    assert silent["parts"][0]["data"]["state"]["temperature"] == 7
    assert shown(read) == [("text/plain", "(7.0, 1)")]


TEXTS = """from attnbook import AttentionExplorer
tokens = {"short": ["a", "b"], "long": ["a", "b", "c"]}
scores = {name: [[0] * len(each)] * len(each) for name, each in tokens.items()}
explorer = AttentionExplorer(tokens, scores)
explorer"""


def test_an_order_goes_with_the_sentence_of_its_length():
    moved = {"order": [2, 0, 1], "sentence": "long", "token": 2}  # things to try go by the alphabet
    silent, read = play(
        {"run": TEXTS, "silent": True, "widgets": {"cell": [moved]}},
        "explorer.sentence, explorer.order, explorer.token",
    )
    assert silent["error"] == ""
    assert shown(read) == [("text/plain", "('long', [2, 0, 1], 2)")]


# -- names -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("source", "defines", "takes"),
    [
        ("answer = answer + 1", "answer", "answer"),
        ("x += 1", "x", "x"),
        ("def f(a):\n    return a + b + len(a)", "f", "b"),
        ("def f():\n    return c\nc = 1", "c f", "c"),
        ("class A:\n    y = x", "A", "x"),
        ("[i for i in rows]\nlambda q: q + w", "", "rows w"),
        ("x = [{j for j in {i: v for i, v in r}} for r in rows if any(s for s in r)]", "x", "rows"),
        ("for i in range(n):\n    t = i\nt", "i t", "n"),
        ("for i in range(n):\n    t += i", "i t", "n t"),
        ("while a:\n    a = b", "a", "a b"),
        ("if a:\n    b = 1\nb", "b", "a b"),
        ("if a:\n    b = 1\n    b += c", "b", "a c"),
        ("if a:\n    b = 1\nelse:\n    b = 2\nb", "b", "a"),
        ("with f(a) as b:\n    b + c", "b", "a c f"),
        ("try:\n    b = 1\nexcept E as e:\n    b = e\nb", "b e", "E"),
        ("w = rng.normal()", "rng w", "rng"),
        ("rng = np.random.default_rng(0)\nrng.normal()", "rng", "np"),
        ("x = (", "", ""),
    ],
)
def test_names_of_a_cell(source, defines, takes):
    found = names(source)
    assert (found["defines"], found["takes"]) == (defines.split(), takes.split())


def test_lines_of_what_a_cell_only_imports():
    lines = "import numpy as np, os.path\nnp.set_printoptions(precision=4)\nx = np.ones(2)"
    mine = "from attnutils import entropy, softmax\ndef softmax(s):\n    return s"
    found = [names(source) for source in (lines, mine, "x += 1\ny = x")]
    assert [each["imports"] for each in found] == [
        {"np": "import numpy as np\nnp.set_printoptions(precision=4)", "os": "import os.path"},
        {"entropy": "from attnutils import entropy"},
        {},
    ]
    sure = [each["sure"] for each in found]
    assert sure == [["x"], ["softmax"], ["y"]]


def test_the_cells_that_run_before_define_what_a_cell_takes(run_node):
    pages = [[cell_data(cell) for _, cell in code_cells(path)] for path in CHAPTERS.glob("*.ipynb")]
    address = json.dumps((ROOT / "book/python/page/plan.js").as_uri())
    plan = f"import {{ apart, needed }} from {address};"
    told = "input.map(apart).map((page) => [page, page.map((_, at) => needed(page, at))])"
    planned = run_node(plan, f"console.log(JSON.stringify({told}));", pages)
    slices_of = [slices for _, slices in planned]
    for cells, slices in planned:
        defined = {"display"}.union(*(cell["defines"] for cell in cells))
        for at, (cell, before) in enumerate(zip(cells, slices, strict=True)):
            own = names(cell.get("source", ""))["defines"]
            there = {"display"}.union(own, *(cells[i]["defines"] for i in before))
            left = {"display"}.union(*(cells[i]["defines"] for i in range(at))) - there
            # A function may take what a later cell defines.
            gaps = {"____"}  # of an exercise
            assert {*cell["takes"]} - gaps <= defined.union(own) - left, cell["id"]
            assert all({*slices[i]} <= {*before} for i in before), cell["id"]
    # Fewer than half of all earlier cells.
    assert sum(len(i) for slices in slices_of for i in slices) < sum(len(p) ** 2 / 4 for p in pages)


def test_no_exercise_of_the_chapter_runs_a_training_or_a_drawing():
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text(encoding="utf-8"))
    for exercise in exercises(*(Path(each["file"]).stem for each in toc["parts"][0]["chapters"])):
        for cell, text in exercise.cells:
            used = {node.id for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Name)}
            lengthy = {"plt"} | {name for name in used if name.startswith("train")}
            assert not used & lengthy, (exercise.page, exercise.name, cell)


# -- packages --------------------------------------------------------------------------------

# Stands for matplotlib, with a style that is noted, and for two packages that it needs.
FILES = {
    "matplotlib": {
        "matplotlib/__init__.py": "import other\nrc = []",
        "matplotlib/style.py": "from matplotlib import rc\nuse = rc.append",
        "matplotlib/pyplot.py": "from matplotlib import style\nfigure = 2",
    },
    "other": {"other/__init__.py": "from third import number"},
    "third": {"third.py": "number = 3"},
}
NEEDS = {"matplotlib": ["other"], "other": ["third"], "third": []}
CONNECT = """
import base64, json, sys
given = json.load(sys.stdin)
from attnbook.page import packages
fetched = []
def fetch(name, *progress):
    fetched.append(name)
    return base64.b64decode(given["data"][name])
sys.path.insert(0, given["site"])
packages.connect(json.dumps(given["table"]), given["site"], fetch, None)
"""


def run(program: str, site: Path) -> str:
    """What a program prints that runs with these packages within reach."""
    table, data = {}, {}
    for name, files in FILES.items():
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for path, text in files.items():
                archive.writestr(path, text)
        data[name] = base64.b64encode(out.getvalue()).decode()
        table[name] = {"file": f"{name}.whl", "imports": [name], "depends": NEEDS[name]}
        table[name] |= {"library": False, "sent": 10}
    given, env = {"site": str(site), "table": table, "data": data}, {"PYTHONPATH": str(ROOT)}
    return python("-S", "-c", CONNECT + program, data=given, env=env).strip()


LATE = "import matplotlib.pyplot as plt\nplt.style.use('book')\nprint(*fetched)\nprint(plt.figure)"


@pytest.mark.parametrize(
    ("program", "printed"),
    [
        ("import other\nprint(fetched, other.number)", "['third', 'other'] 3"),
        # It is fetched when something of it is used, not when it is imported.
        (f"{LATE}\nimport matplotlib as m\nprint(fetched[-1], m.rc)", "\n2\nmatplotlib ['book']"),
        ("from matplotlib.pyplot import figure\nprint(figure)", "2"),
        ("try:\n    import nothing\nexcept ImportError:\n    print(fetched)", "[]"),
    ],
)
def test_packages_come_when_they_are_needed(tmp_path, program, printed):
    assert run(program, tmp_path) == printed.strip()
