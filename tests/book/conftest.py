"""A scratch book of one page, built with the real machinery, for tests that change things."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import nbformat
import pytest

from tools.execute import METADATA
from tools.project import CHAPTERS, ROOT

COPIED = (
    *("_ext", "_static", "_theme", "attnutils", "tools"),
    *("_config.yml", "Makefile", "package.json", "package-lock.json", "requirements.lock"),
)


class ScratchBook:
    """A checkout of its own, which shares only the environment with this one."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.page = root / "_build" / "html" / "chapters" / "index.html"
        for name in COPIED:
            source = ROOT / name
            ignore = shutil.ignore_patterns("__pycache__")
            if source.is_dir():
                shutil.copytree(source, root / name, ignore=ignore)
            else:
                shutil.copyfile(source, root / name)
        (root / ".venv").symlink_to(sys.prefix)
        (root / "node_modules").symlink_to(ROOT / "node_modules")
        (root / "_toc.yml").write_text("format: jb-book\nroot: chapters/index\n")
        (root / "references.bib").write_text("")

    def write(self, *cells: str) -> None:
        """Write the page: a title and these code cells."""
        notebook = nbformat.v4.new_notebook(metadata=METADATA)
        notebook.cells = [nbformat.v4.new_markdown_cell("# A page", id="title")]
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

    def python(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """Run Python in this checkout."""
        command = [self.root / ".venv" / "bin" / "python", *arguments]
        variables = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
        return subprocess.run(
            command, cwd=self.root, env=variables, capture_output=True, text=True, check=False
        )

    def build(self) -> subprocess.CompletedProcess[str]:
        """Run what `make book` runs once the environment is there."""
        return self.python("-m", "tools.build")

    def wanted(self) -> str:
        """Return the stamp that an up-to-date book would carry."""
        return self.python("-c", "from tools import build; print(build.wanted())").stdout

    def built(self) -> str:
        """Build, insist that it worked, and return the page."""
        result = self.build()
        assert result.returncode == 0, result.stdout + result.stderr
        return self.page.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def scratch_book(tmp_path_factory: pytest.TempPathFactory) -> ScratchBook:
    """A scratch book that the tests of a module share."""
    return ScratchBook(tmp_path_factory.mktemp("a book"))


@pytest.fixture(scope="session")
def notebooks() -> dict[str, Path]:
    """Every notebook of the book by its name."""
    return {path.stem: path for path in sorted(CHAPTERS.glob("*.ipynb"))}
