"""The preview of `make serve`: each edit comes to the open page, and so does each mistake.

One server, one page; every test waits for the news that it causes.
"""

import json
import os
import re
import signal
import urllib.request
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

import pytest

from tests.conftest import exhaustive
from tools.serve import ADDRESS

RUN = re.compile(r"run [0-9a-f]{32}")
CELLS = (
    "import attnutils\n\nattnutils.Question('Which?', {'a': 'no', 'b': 'yes'}, 'b')",
    "import uuid\n\nprint('run', uuid.uuid4().hex)",
)


@dataclass
class Preview:
    """An open page of the preview, and what it is told."""

    address: str
    news: BinaryIO

    def told(self) -> dict[str, Any]:
        """Wait for news and return them."""
        for line in self.news:
            if line.startswith(b"data: "):
                return json.loads(line.removeprefix(b"data: "))
        raise EOFError("The server has ended.")

    def after(self, before: dict[str, Any]) -> dict[str, Any]:
        """Wait until there are other news."""
        while (news := self.told()) == before:
            pass
        return news

    def page(self, path: str = "/chapters/index.html") -> str:
        with urllib.request.urlopen(f"{self.address}{path[1:]}") as answer:
            return answer.read().decode()


def serve(book, *options):
    """Start the server; return it and the address that it prints."""
    # An order of a browser that opens nothing.
    server = book.start("-m", "tools.serve", *options, BROWSER="true", PYTHONUNBUFFERED="1")
    line = server.stdout.readline()
    address = re.search(r"http://127\.0\.0\.1:\d+/", line)
    assert address, line + server.stderr.read()
    return server, address[0]


def stop(server):
    server.terminate()
    server.wait()
    with suppress(ProcessLookupError):  # what it left behind would hold its output open
        os.killpg(server.pid, signal.SIGKILL)
    server.communicate()


@pytest.fixture(scope="module")
def preview(scratch_book) -> Iterator[Preview]:
    scratch_book.write(*CELLS)
    server, address = serve(scratch_book, "--port", "0")
    with urllib.request.urlopen(f"{address}events-of-the-preview/chapters/index.html") as events:
        preview = Preview(address, events)
        first = preview.after(preview.told())
        assert first["complaint"] == ""
        yield preview
    stop(server)


@pytest.fixture
def kept(scratch_book) -> Path:
    """A file that goes when the pages are made anew."""
    file = scratch_book.root / "_build" / "preview" / "kept"
    file.touch()
    return file


@pytest.fixture
def now(preview) -> dict[str, Any]:
    """The news as they are: those that a page gets when it is opened."""
    with urllib.request.urlopen(f"{preview.address}events-of-the-preview/") as events:
        return Preview(preview.address, events).told()


@exhaustive
def test_the_page_listens_and_its_file_does_not(scratch_book, preview, now):
    assert f'src="{ADDRESS}" data-number="{now["number"]}"' in preview.page()
    assert "EventSource" in preview.page(ADDRESS)
    file = scratch_book.root / "_build" / "preview" / "html" / "chapters" / "index.html"
    assert ADDRESS not in file.read_text(encoding="utf-8")


def test_an_edited_sentence_shows_and_nothing_runs(scratch_book, preview, now):
    before = RUN.search(preview.page())[0]
    scratch_book.write(*CELLS, text="# A page\n\nA sentence, with a comma.")
    news = preview.after(now)
    assert (news["number"], news["complaint"]) == (now["number"] + 1, "")
    page = preview.page()
    assert "A sentence, with a comma." in page
    assert before in page


def test_a_page_that_is_saved_while_it_is_built_is_made_again_alone(
    scratch_book, preview, now, kept
):
    saves = (
        "from pathlib import Path\n\nfile = Path('index.ipynb')\n"
        "_ = file.write_text(file.read_text().replace('A ' 'draft', 'Saved ' 'later'))"
    )
    scratch_book.write(*CELLS, saves, text="# A draft")
    news = preview.after(now)
    while "Saved later" not in preview.page():
        news = preview.after(news)
    assert news["complaint"] == ""
    assert kept.exists()


def test_an_edited_widget_script_and_style_show_and_nothing_runs(scratch_book, preview, now):
    before = RUN.search(preview.page())[0]
    scratch_book.append("attnutils/widgets/static/question.js", "\nconst aNewScript = 1;\n")
    preview.after(now)
    page = preview.page()
    loaded = re.findall(r'src="\.\.(/_static/widget-[^"]+)"', page)
    assert any("const aNewScript=1;" in preview.page(file) for file in loaded)
    assert before in page


@exhaustive
def test_a_mistake_is_told_and_the_page_stays(scratch_book, preview, now, kept):
    before = RUN.search(preview.page())[0]
    scratch_book.write(*CELLS, "1 / 0")
    news = preview.after(now)
    assert news["number"] == now["number"]
    assert "ZeroDivisionError" in news["complaint"]
    assert before in preview.page()
    scratch_book.write(*CELLS, "print('mended')")
    news = preview.after(news)
    assert (news["number"], news["complaint"]) == (now["number"] + 1, "")
    page = preview.page()
    assert "mended" in page
    assert before not in page  # a notebook whose code changed runs as a whole
    assert kept.exists()


@exhaustive
def test_an_edited_function_shows(scratch_book, preview, now):
    before = RUN.search(preview.page())[0]
    scratch_book.append("attnutils/normalize.py", "\n# edited\n")
    assert preview.after(now)["complaint"] == ""
    assert before not in preview.page()


def test_the_preview_is_no_book(scratch_book):
    assert not (scratch_book.root / "_build" / "html").exists()
    assert not scratch_book.is_up_to_date()


def test_a_port_that_is_taken_is_left_alone(scratch_book, preview):
    port = preview.address.rstrip("/").rpartition(":")[2]
    server, address = serve(scratch_book, "--port", port)
    stop(server)
    assert address != preview.address
