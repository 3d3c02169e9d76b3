"""A scratch book of one page, built with the real machinery, for tests that change things."""

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tools import build
from tools.execute import METADATA
from tools.project import CHAPTERS, ROOT

# Of the book, a scratch book has its machinery, and pages of its own.
OWN = ("chapters/", "_toc.yml", "references.bib")


class ScratchBook:
    """A checkout of its own, which shares only the environment with this one.

    Its programs find nothing as they like it: a home where nothing can be written, and a folder for
    temporary files whose path is too long for sockets.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.page = root / "_build" / "html" / "chapters" / "index.html"
        for name, source in build.inputs():
            if not name.startswith(OWN):
                (root / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(source, root / name)
        shutil.copyfile(ROOT / "Makefile", root / "Makefile")
        for source in (ROOT / "tools").glob("*.*"):
            shutil.copyfile(source, root / "tools" / source.name)
        self.temporary = root.with_name("a-long-name" * 10)
        self.temporary.mkdir(exist_ok=True)
        (root / ".venv").symlink_to(sys.prefix)
        (root / "node_modules").symlink_to(ROOT / "node_modules")
        (root / "_toc.yml").write_text("format: jb-book\nroot: chapters/index\n")
        (root / "references.bib").write_text("")

    def write(self, *cells: str, text: str = "# A page") -> None:
        """Write the page: this text and these code cells."""
        notebook = nbformat.v4.new_notebook(metadata=METADATA)
        notebook.cells = [nbformat.v4.new_markdown_cell(text, id="text")]
        notebook.cells += [
            nbformat.v4.new_code_cell(source, id=f"cell-{number}")
            for number, source in enumerate(cells)
        ]
        (self.root / "chapters").mkdir(exist_ok=True)
        nbformat.write(notebook, self.root / "chapters" / "index.ipynb")

    def append(self, name: str, text: str) -> None:
        """Add text to the end of a file."""
        with (self.root / name).open("a", encoding="utf-8") as file:
            file.write(text)

    def start(self, *arguments: str, **variables: str) -> subprocess.Popen[str]:
        """Start Python in this checkout, whose output is to be read."""
        command = [self.root / ".venv" / "bin" / "python", *arguments]
        ours = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "MPLCONFIGDIR")}
        ours |= {"HOME": "/dev/null", "TMPDIR": str(self.temporary), "BOOK_PYTHON": "no"}
        pipe = subprocess.PIPE
        # A run in the background of a shell ignores Ctrl+C, and so would what it starts.
        signal.signal(signal.SIGINT, signal.default_int_handler)
        return subprocess.Popen(
            command,
            cwd=self.root,
            env=ours | variables,
            stdout=pipe,
            stderr=pipe,
            text=True,
            start_new_session=True,
        )

    def python(self, *arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run Python in this checkout."""
        process = self.start(*arguments, **variables)
        output, errors = process.communicate()
        return subprocess.CompletedProcess(process.args, process.returncode, output, errors)

    def build(self, *options: str, **variables: str) -> subprocess.CompletedProcess[str]:
        """Run what `make book` runs once the environment is there."""
        return self.python("-m", "tools.build", *options, **variables)

    def is_up_to_date(self) -> bool:
        """Return whether the book counts as up to date."""
        code = "from tools import build; print(build.stamped() == build.wanted())"
        result = self.python("-c", code)
        assert result.returncode == 0, result.stderr
        return result.stdout == "True\n"

    def built(self, *options: str) -> str:
        """Build, insist that it worked, and return the page."""
        result = self.build(*options)
        assert result.returncode == 0, result.stdout + result.stderr
        return self.page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def scratch_book(tmp_path_factory: pytest.TempPathFactory) -> ScratchBook:
    """A scratch book that the tests of a module share, in a folder with a name like a user's."""
    return ScratchBook(tmp_path_factory.mktemp("Bücher und anderes"))


@pytest.fixture(scope="session")
def notebooks() -> dict[str, Path]:
    """Every notebook of the book by its name."""
    return {path.stem: path for path in sorted(CHAPTERS.glob("*.ipynb"))}
