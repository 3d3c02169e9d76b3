"""`make book` never shows a stale page, does nothing when nothing changed, and fails clearly."""

import re
import shutil
import signal
import subprocess
import sys
import time

import nbformat
import pytest
from bs4 import BeautifulSoup

from tests.conftest import IS_EXHAUSTIVE, exhaustive, some
from tools import build
from tools.execute import METADATA

# The second cell says another number each time it runs.
CELLS = (
    "import attnutils\n\nattnutils.Question('Which?', {'a': 'no', 'b': 'yes'}, 'b')",
    "import uuid\n\nprint('run', uuid.uuid4().hex)",
    "print('printed', attnutils.softmax([0.0, 0.0])[0])",
)
RUN = re.compile(r"run [0-9a-f]{32}")
TASK = "# Tasks\n\n```{exercise-start} A task\n:label: ex-task\n```\n\nWhat is 1 + 1?"
EXERCISE = nbformat.v4.new_notebook(
    metadata=METADATA,
    cells=[
        nbformat.v4.new_markdown_cell(TASK, id="task"),
        nbformat.v4.new_code_cell("answer = ...", id="ex-task-answer"),
        nbformat.v4.new_markdown_cell("```{exercise-end}\n```", id="task-end"),
        nbformat.v4.new_code_cell("import attnutils", id="after"),
        nbformat.v4.new_code_cell("attnutils.WidthExplorer.example()", id="explorer"),
        nbformat.v4.new_code_cell('text = ""  # @param {type:"string"}', id="form"),
    ],
)


@pytest.fixture(scope="module")
def first_build(scratch_book):
    """The first build of a scratch book with widgets and a printed number, and a page that names
    its title, where no browser is."""
    scratch_book.write(*CELLS)
    scratch_book.append(
        "_toc.yml", "chapters:\n  - file: chapters/other\n  - file: chapters/exercise\n"
    )
    nbformat.write(EXERCISE, scratch_book.root / "chapters" / "exercise.ipynb")
    scratch_book.append("chapters/other.md", "# Another page\n\n[](index.ipynb)\n")
    return scratch_book.build(CHROME_PATH="/bin/false")


@pytest.fixture(scope="module")
def built_book(scratch_book, first_build):
    assert first_build.returncode == 0, first_build.stdout + first_build.stderr
    assert "printed 0.5" in scratch_book.page.read_text(encoding="utf-8")
    return scratch_book


def kept_free(book):
    """The heights that the styles of the widgets keep free."""
    styles = (book.root / "_build" / "html" / "_static").glob("widgets-*.css")
    text = "".join(path.read_text(encoding="utf-8") for path in styles)
    return re.findall(r"data-model=widget-\d+\]\{min-height:\d+px", text)


def test_a_book_that_is_built_without_a_browser_keeps_no_room_and_says_so(first_build, built_book):
    told = [line for line in first_build.stderr.splitlines() if "No room is kept" in line]
    assert len(told) == 1
    assert "CHROME_PATH is /bin/false" in told[0]
    assert not kept_free(built_book)


def test_without_python_in_the_pages_an_exercise_leads_to_where_it_runs(built_book):
    page = BeautifulSoup(built_book.page.with_name("exercise.html").read_text(), "html.parser")
    note, missing = page.select(".run-note")
    assert note.find_parent(class_="exercise")
    assert note.get_text() == "Write and run your answer in Colab or Binder."
    menu = {link.get_text(): link["href"] for link in page.select("#launch a")}
    assert {link.get_text(): link["href"] for link in note.select("a")} == menu
    assert menu["Colab"].endswith("/main/chapters/exercise.ipynb")
    assert not page.select("[data-cell], [data-python], script[src*='run.js']")
    assert missing.get_text().startswith("This copy of the book was built without the model")
    assert not page.select(".run-form")


def test_nothing_is_done_when_nothing_changed(built_book):
    before = built_book.page.stat().st_mtime_ns
    result = built_book.build()
    assert result.returncode == 0
    assert "up to date" in result.stdout
    assert built_book.page.stat().st_mtime_ns == before


# What is asked of the digests needs no build: the module is pointed at the scratch book.
@pytest.fixture
def digests(built_book, monkeypatch):
    monkeypatch.setenv("BOOK_PYTHON", "no")  # as the scratch book was built
    monkeypatch.setattr(build, "ROOT", built_book.root)
    monkeypatch.setattr(build, "BUILD", built_book.root / "_build")
    monkeypatch.setattr(build, "HTML", built_book.root / "_build" / "html")
    monkeypatch.setattr(build, "STAMP", built_book.root / "_build" / "stamp.json")
    assert build.stamped() == build.wanted()
    return build


def test_a_book_that_is_not_whole_is_not_up_to_date(built_book, digests, tmp_path):
    html, stamp = digests.HTML, digests.STAMP
    for path in (html, built_book.page, html / "_static", html / "searchindex.js", stamp):
        path.rename(tmp_path / "aside")
        assert digests.stamped() != digests.wanted(), path
        (tmp_path / "aside").rename(path)
    whole = built_book.page.read_bytes()
    built_book.page.write_bytes(whole[:-1])
    assert digests.stamped() != digests.wanted()
    built_book.page.write_bytes(whole)
    assert digests.stamped() == digests.wanted()


@pytest.mark.parametrize(
    "name",
    [
        "_config.yml",
        "_ext/folded.py",
        "_ext/static/mount-widgets.js",
        "_static/favicon.svg",
        "_theme/layout.html",
        "_toc.yml",
        "a-new-folder/of/the-book.css",
        "attnutils/book.mplstyle",
        "attnutils/widgets/static/core.js",
        "chapters/index.ipynb",
        "package-lock.json",
        "references.bib",
        "requirements.lock",
        "tools/build.py",
        "tools/project.py",
    ],
)
def test_every_input_counts(built_book, digests, name):
    path = built_book.root / name
    there = path.read_bytes() if path.exists() else None
    path.parent.mkdir(parents=True, exist_ok=True)
    built_book.append(name, "\n")
    assert digests.stamped() != digests.wanted()
    if there is None:
        shutil.rmtree(built_book.root / path.relative_to(built_book.root).parts[0])
    else:
        path.write_bytes(there)
    assert digests.stamped() == digests.wanted()


@pytest.mark.parametrize("name", ["tests/x.py", "chapters/.index.ipynb.new", "README.md", "a.py~"])
def test_what_is_not_in_the_book_does_not_count(built_book, digests, name):
    path = built_book.root / name
    path.parent.mkdir(exist_ok=True)
    path.write_text("new")
    assert digests.stamped() == digests.wanted()
    path.unlink()


def test_what_builds_the_book_counts(built_book):
    code = "import sys, tools.build; print(*(n for n in sys.modules if n.startswith('tools')))"
    modules = built_book.python("-c", code).stdout.split()
    files = {f"{name.replace('.', '/')}.py" for name in modules} - {"tools.py"}
    assert files | {"tools/__init__.py"} == set(build.TOOLS)


@exhaustive
def test_two_builds_at_once_and_an_edited_widget_script(built_book):
    before = RUN.search(built_book.page.read_text())[0]
    built_book.append("attnutils/widgets/static/question.js", "\nconst editedOnPurpose = 1;\n")
    both = [built_book.start("-m", "tools.build") for _ in range(2)]
    said = sorted("".join(process.communicate()) for process in both)
    assert [process.returncode for process in both] == [0, 0], said
    assert sum("The book is built" in text for text in said) == 1
    assert sum("up to date" in text for text in said) == 1
    page = built_book.page.read_text(encoding="utf-8")
    loaded = re.findall(r'src="\.\./(_static/widget-[^"]+)"', page)
    site = built_book.page.parents[1]
    assert any("const editedOnPurpose=1;" in (site / file).read_text("utf-8") for file in loaded)
    assert before in page  # no notebook ran for it


@pytest.mark.parametrize("word", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_an_interrupted_build_leaves_the_book_as_it_was(built_book, word):
    before = built_book.page.read_bytes()
    built_book.write(*CELLS, text="# A new page")
    record = built_book.root / "_build" / "book" / "inputs.json"
    record.parent.mkdir(exist_ok=True)
    record.touch()
    process = built_book.start("-m", "tools.build")
    while record.exists() and process.poll() is None:  # it goes when the work begins
        time.sleep(0.01)
    process.send_signal(word)
    process.communicate()
    assert process.returncode != 0
    assert not record.exists()
    assert built_book.page.read_bytes() == before
    assert not built_book.is_up_to_date()
    built_book.write(*CELLS)
    assert built_book.is_up_to_date()  # nothing of it was touched


@exhaustive
def test_a_book_is_built_after_an_interrupted_one(built_book):
    """The test above has left a cache and parsed pages that may be half written."""
    before = RUN.search(built_book.page.read_text())[0]
    built_book.write(*CELLS, text="# Another page")
    page = built_book.built()
    assert "Another page" in page
    assert before not in page  # so the notebook ran
    assert kept_free(built_book)  # this time there was a browser


def tree(folder):
    return {p.relative_to(folder): p.read_bytes() for p in folder.rglob("*") if p.is_file()}


@exhaustive
def test_an_edited_title_shows_wherever_it_is_named_without_running_anything(built_book):
    before = RUN.search(built_book.page.read_text())[0]
    built_book.write(*CELLS, text="# Another title\n\nA sentence.")
    page = built_book.built()
    assert "A sentence." in page
    assert before in page
    html = built_book.root / "_build" / "html"
    assert "Another title" in (html / "chapters" / "other.html").read_text(encoding="utf-8")

    # And the same bytes come from clean.
    kept = tree(html)
    (built_book.root / "_build" / "book" / "inputs.json").unlink()
    (built_book.root / "_build" / "stamp.json").unlink()
    built_book.built()
    assert tree(html) == kept


@exhaustive
def test_a_failed_build_keeps_the_old_book_and_does_not_count(built_book):
    before = tree(built_book.root / "_build" / "html")
    for cells, text, said, times in (
        (("1 / 0",), "# A page", "ZeroDivisionError", 2 if IS_EXHAUSTIVE else 1),
        # A page that was read: once more.
        *some([(CELLS, "# A page [](nowhere.md)", "nowhere.md", 2)]),
    ):
        built_book.write(*cells, text=text)
        for _ in range(times):
            result = built_book.build()
            assert result.returncode != 0
            assert said in result.stderr
            assert tree(built_book.root / "_build" / "html") == before
            assert not built_book.is_up_to_date()


def test_a_build_that_fails_names_what_was_edited_meanwhile(monkeypatch, capsys):
    states = iter([{"a": "1"}, {"a": "1"}, {"a": "2", "b": "1"}])
    monkeypatch.setattr(build, "wanted", lambda: next(states))
    monkeypatch.setattr(build, "make_pages", lambda *_, **__: (1, {}))
    assert build.build() == 1
    assert "Changed while it was built: a, b. Build it again." in capsys.readouterr().err
    assert build.changed(dict.fromkeys("abcde"), {}) == ""
    assert build.changed(dict.fromkeys("abcde", 1), {"a": 1}) == "b, c, d, 1 more"


def test_an_edited_function_shows_and_a_removed_page_vanishes(built_book):
    toc = built_book.root / "_toc.yml"
    toc.write_text(toc.read_text().partition("chapters:")[0])
    built_book.append(
        "attnutils/normalize.py", "\n\ndef softmax(x):\n    return ['edited on purpose']\n"
    )
    built_book.write(*CELLS)
    assert "printed edited on purpose" in built_book.built()
    assert not built_book.page.with_name("other.html").exists()


# ---- the environment --------------------------------------------------------------------------


def fake_python(folder, name, body):
    path = folder / name
    path.write_text(f"#!/bin/sh\n{body}\n", encoding="utf-8")
    path.chmod(0o755)
    return path


def make(scratch_book, *arguments, **variables):
    return subprocess.run(
        ["make", *arguments],
        cwd=scratch_book.root,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    "lacks",
    [
        "sys.exit(1)",
        "sys.version_info = (3, 10)",
        "sys.version_info = (3, 14)",
        "sys.modules['ensurepip'] = None",  # as on Debian without python3-venv
    ],
)
def test_an_unsupported_python_gets_one_sentence(scratch_book, tmp_path, lacks):
    body = f'exec "{sys.executable}" -c "import sys; {lacks}; exec(sys.argv[1])" "$2"'
    python = fake_python(tmp_path, "python", body)
    result = make(scratch_book, "book", f"PYTHON={python}", PATH="/usr/bin:/bin")
    assert result.returncode != 0
    ours = [line for line in result.stderr.splitlines() if not line.startswith("make")]
    assert len(ours) == 1
    assert ours[0].startswith(str(python))
    assert "3.11, 3.12 or 3.13" in ours[0]


def test_no_python_at_all_gets_one_sentence(scratch_book, tmp_path):
    (scratch_book.root / ".venv").rename(scratch_book.root / ".venv-aside")
    try:
        for name in ("python3", "python3.11", "python3.12", "python3.13"):
            fake_python(tmp_path, name, "echo 'command not found' >&2; exit 127")
        result = make(scratch_book, "book", PATH=f"{tmp_path}:/usr/bin:/bin")
    finally:
        (scratch_book.root / ".venv-aside").rename(scratch_book.root / ".venv")
    assert result.returncode != 0
    ours = [line for line in result.stderr.splitlines() if not line.startswith("make")]
    assert len(ours) == 1
    assert "No Python 3.11, 3.12 or 3.13" in ours[0]


def test_make_alone_prints_the_targets(scratch_book):
    result = make(scratch_book, PATH="/usr/bin:/bin")
    assert result.returncode == 0
    targets = re.findall(r"^([a-z-]+):", (scratch_book.root / "Makefile").read_text(), re.MULTILINE)
    assert {"book", "serve", "lab", "test", "audit"} < set(targets)
    for target in set(targets) - {"help", "setup"}:
        assert f"make {target}" in result.stdout
