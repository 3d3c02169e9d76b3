"""Packages come when they are imported, and what draws when something is drawn."""

import io
import json
import subprocess
import sys
import zipfile
from collections.abc import Callable

import pytest

from _ext.python import WORKER

# Stands for matplotlib, with a style that notes what was used, and for two packages.
FILES = {
    "matplotlib": {
        "matplotlib/__init__.py": "import other\nloaded = [__name__]\nrc = {}\n"
        "from matplotlib.colors import Map",
        "matplotlib/colors.py": "from matplotlib import loaded\nclass Map: pass\nshade = 2",
        "matplotlib/style.py": "def use(name):\n    from matplotlib import rc\n    rc[name] = True",
        "matplotlib/patches.py": "from matplotlib import loaded\nloaded.append(__name__)\nbox = 1",
        "matplotlib/pyplot.py": "from matplotlib import loaded, style\nloaded.append(__name__)\n"
        "import matplotlib.patches\nfigure = 2\ncount = 0\ndef draw():\n    global count\n"
        "    count += 1",
    },
    "other": {"other/__init__.py": "from third import number"},
    "third": {"third.py": "number = 3"},
    "scipy": {"scipy/__init__.py": ""},
}
NEEDS = {"matplotlib": ["other"], "other": ["third"], "third": [], "scipy": []}
PROGRAM = """
import base64, json, sys
from pathlib import Path
given = json.load(sys.stdin)
import packages
fetched, told = [], []
def fetch(name, *progress):
    fetched.append(name)
    told.append(progress)
    return base64.b64decode(given["data"][name])
sys.path.insert(0, given["site"])
packages.connect(json.dumps(given["table"]), given["site"], fetch, None)
"""


def archive(files: dict[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, text in files.items():
            packed.writestr(name, text)
    return out.getvalue()


def run(program: str, tmp_path, damage: Callable[[bytes], bytes] = bytes) -> str:
    """What a program prints that runs with these packages within reach, the third as damaged."""
    import base64

    data = {name: archive(files) for name, files in FILES.items()}
    table = {
        name: {
            "file": f"{name}.whl",
            "imports": [name],
            "depends": NEEDS[name],
            "library": False,
            "sent": 10 * len(name),
        }
        for name in FILES
    }
    data["third"] = damage(data["third"])
    given = {
        "site": str(tmp_path),
        "table": table,
        "data": {name: base64.b64encode(each).decode() for name, each in data.items()},
    }
    command = [sys.executable, "-S", "-c", PROGRAM + program]
    variables = {"PYTHONPATH": str(WORKER / "py")}
    done = subprocess.run(
        command, input=json.dumps(given), capture_output=True, encoding="utf-8", env=variables
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_a_package_comes_with_what_it_needs_when_it_is_imported(tmp_path):
    program = "import third; print(fetched); import other; print(fetched, other.number)"
    assert run(program, tmp_path) == "['third']\n['third', 'other'] 3\n"


def test_how_far_a_package_is_counts_what_it_needs(tmp_path):
    program = "import third; told.clear(); import matplotlib; matplotlib.rc; print(told)"
    assert run(program, tmp_path) == "[('matplotlib', 0, 150), ('matplotlib', 50, 150)]\n"


def test_importing_what_draws_fetches_nothing_until_it_is_used(tmp_path):
    program = """
import matplotlib.pyplot as plt
import matplotlib.patches
plt.style.use("book")
print(fetched)
print(plt.figure, matplotlib.loaded, matplotlib.rc)
plt.draw(); plt.draw()
print(plt.count, sys.modules["matplotlib.pyplot"] is plt, type(plt).__name__, plt.__file__[-9:])
print(fetched)
plt.style.use("second")
print(matplotlib.rc)
"""
    assert run(program, tmp_path).splitlines() == [
        "[]",
        "2 ['matplotlib', 'matplotlib.pyplot'] {'book': True}",
        "2 True module pyplot.py",
        "['third', 'other', 'matplotlib']",
        "{'book': True, 'second': True}",
    ]


@pytest.mark.parametrize(
    "program",
    [
        "from matplotlib.pyplot import figure; print(figure)",
        "import matplotlib as mpl; import matplotlib.pyplot as p; mpl.rc; print(p.figure)",
        "import matplotlib.patches as m; assert m.box == 1; import matplotlib.pyplot as p; "
        "print(p.figure)",
        "from matplotlib.colors import shade; import matplotlib.pyplot as p; "
        "assert p.figure == shade; print(shade)",
    ],
)
def test_whichever_name_comes_first(tmp_path, program):
    assert run(program, tmp_path) == "2\n"


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: data[:-1],
        lambda data: data[:40] + b"?" + data[41:],  # of what is packed
        lambda data: data.replace(b"PK\1\2", b"PK\1?"),  # where its directory begins
        lambda data: b"<!doctype html>",
    ],
    ids=["cut", "changed", "without a directory", "another file"],
)
def test_a_damaged_file_is_not_unpacked(tmp_path, damage):
    program = """
try:
    import third
except ImportError as error:
    print(error)
"""
    assert run(program, tmp_path, damage) == "third.whl is damaged: load the page again.\n"
    assert not list(tmp_path.glob("third*"))


def test_a_part_of_scipy_that_is_not_served_says_so(tmp_path):
    program = """
import scipy
try:
    import scipy.stats
except ModuleNotFoundError as error:
    print(error)
"""
    assert run(program, tmp_path) == (
        "No module named 'scipy.stats': of SciPy, this page has sparse, linalg and special. "
        "The rocket at the top opens it elsewhere.\n"
    )


def test_what_nobody_has_is_not_found(tmp_path):
    program = "try:\n    import nothing\nexcept ModuleNotFoundError as e:\n    print(e, fetched)"
    assert run(program, tmp_path) == "No module named 'nothing' []\n"
