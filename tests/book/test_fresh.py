"""`make book` never shows a stale page, does nothing when nothing changed, and fails clearly."""

import re
import subprocess
import sys

import pytest

CELLS = (
    "import attnutils\n\nattnutils.Question('Which?', {'a': 'no', 'b': 'yes'}, 'b')",
    "print('printed', attnutils.softmax([0.0, 0.0])[0])",
)


@pytest.fixture(scope="module")
def built_book(scratch_book):
    """A scratch book with a widget and a printed number, built once."""
    scratch_book.write(*CELLS)
    assert "printed 0.5" in scratch_book.built()
    return scratch_book


def test_nothing_is_done_when_nothing_changed(built_book):
    before = built_book.page.stat().st_mtime_ns
    result = built_book.build()
    assert result.returncode == 0
    assert "up to date" in result.stdout
    assert built_book.page.stat().st_mtime_ns == before


def test_an_edited_widget_script_shows(built_book):
    built_book.append("attnutils/widgets/static/question.js", "\n// edited on purpose\n")
    assert "edited on purpose" in built_book.built()


def test_an_edited_function_shows(built_book):
    built_book.append(
        "attnutils/normalize.py", "\n\ndef softmax(x):\n    return ['edited on purpose']\n"
    )
    assert "printed edited on purpose" in built_book.built()


@pytest.mark.parametrize(
    "name",
    [
        "_config.yml",
        "_ext/folded.py",
        "_ext/static/mount-widgets.js",
        "_static/favicon.svg",
        "_theme/layout.html",
        "_toc.yml",
        "attnutils/book.mplstyle",
        "attnutils/normalize.py",
        "chapters/index.ipynb",
        "package-lock.json",
        "references.bib",
        "requirements.lock",
        "tools/build.py",
    ],
)
def test_every_input_counts(built_book, name):
    before = built_book.wanted()
    built_book.append(name, "\n")
    assert built_book.wanted() != before


def test_a_failed_build_leaves_no_book_and_does_not_count(built_book):
    broken = "1 / 0"
    built_book.write(*CELLS, broken)
    for _ in range(2):
        result = built_book.build()
        assert result.returncode != 0
        assert "ZeroDivisionError" in result.stderr
        assert not built_book.page.exists()
    built_book.write(*CELLS)
    assert "printed" in built_book.built()


def test_a_warning_fails_the_build(built_book):
    built_book.append("references.bib", "this is not a bibliography {")
    built_book.write("1 + 1")
    notebook = built_book.root / "chapters" / "index.ipynb"
    notebook.write_text(
        notebook.read_text(encoding="utf-8").replace("# A page", "# A page [](nowhere.md)")
    )
    result = built_book.build()
    assert result.returncode != 0
    assert "nowhere.md" in result.stderr
    assert not built_book.page.exists()


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
    assert {"book", "test", "test-colab", "test-live", "audit", "mutants"} < set(targets)
    for target in set(targets) - {"help", "setup"}:
        assert f"make {target}" in result.stdout
