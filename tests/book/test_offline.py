"""What is published beside what `make book` builds, so that pages work without a network."""

import gzip
import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

from _ext.theme import digest
from tools import limits
from tools.offline import __main__ as offline

SITE, COMMIT = "https://you.github.io/yours/", "c" * 40
POLICY = "meta[http-equiv=Content-Security-Policy]"


@pytest.fixture(scope="module")
def published(book: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The book as it is published."""
    target = tmp_path_factory.mktemp("offline") / "published"
    offline.publish(book, target, COMMIT, SITE)
    return target


def names(folder: Path) -> set[str]:
    """The files of a folder."""
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}


def pages(published: Path) -> dict[str, BeautifulSoup]:
    """The pages that are kept, without what cells of theirs show."""
    files = [*(published / "chapters").glob("*.html"), published / "search.html"]
    assert len(files) > 15
    texts = {path: path.read_text(encoding="utf-8") for path in files}
    return {
        path.relative_to(published).as_posix(): BeautifulSoup(
            text.partition("<main")[0] + "</body></html>", "html.parser"
        )
        for path, text in texts.items()
    }


def test_what_is_built_has_nothing_of_it(book, published):
    new = {"service-worker.js", "_static/keep.js", "offline.html"}
    assert names(published) - names(book) == new
    for page in book.rglob("*.html"):
        assert not re.search(r"serviceWorker|service-worker|keep\.js", page.read_text("utf-8"))


def test_it_is_light(published):
    scripts = ("service-worker.js", "_static/keep.js")
    sizes = [len(gzip.compress((published / name).read_bytes())) for name in scripts]
    assert sum(sizes) <= limits.OFFLINE_SCRIPT_KB * limits.KB


def test_a_page_allows_this_worker_and_no_other(published):
    for name, page in pages(published).items():
        (policy,) = page.select(POLICY)
        parts = dict(part.strip().split(" ", 1) for part in policy["content"].split(";"))
        assert parts["worker-src"] == f"blob: {SITE}service-worker.js", name
        assert page.html["data-commit"] == COMMIT


def test_every_file_that_a_page_names_has_its_version_in_its_address(published):
    """So what is kept under an address is what lies there, or the address is another."""
    for name, page in pages(published).items():
        tags = page.select("script[src], link[rel=stylesheet], link[rel=icon]")
        assert sum("keep.js" in str(tag) for tag in tags) == 1, name
        for tag in tags:
            file, version = (tag.get("src") or tag["href"]).split("?v=")
            assert version == offline.version(published / Path(name).parent / file)
    style = (published / "_static" / "book.css").read_text(encoding="utf-8")
    fonts = re.findall(r"url\((fonts/[^)]+)\)", style)
    assert len(fonts) > 15
    for font in fonts:
        file, version = font.split("?v=")
        assert version == offline.version(published / "_static" / file)


def test_the_page_for_what_is_not_kept_leads_to_every_page(published):
    page = BeautifulSoup((published / "offline.html").read_text("utf-8"), "html.parser")
    assert page.title.get_text().startswith("Not here without a network")
    links = {link["href"]: link.get_text() for link in page.select("li[hidden] a")}
    assert set(links) == {SITE + name for name in pages(published)} - {f"{SITE}search.html"}
    assert all(re.match(r"\w", title) for title in links.values())
    (policy,) = page.select(POLICY)
    assert f"script-src '{digest(page.script.string)}'" in policy["content"]


def test_the_end_leaves_the_book_as_it_was_built(book, tmp_path):
    offline.end(book, tmp_path / "ended")
    assert names(tmp_path / "ended") - names(book) == {"service-worker.js"}
    for name in ("chapters/temperature.html", "search.html", "_static/book.css"):
        assert (tmp_path / "ended" / name).read_bytes() == (book / name).read_bytes()


WRONG = [
    ({"BOOK_OFFLINE": "off", "BOOK_COMMIT": COMMIT}, 'BOOK_OFFLINE must be "no" or empty'),
    ({"BOOK_OFFLINE": "", "BOOK_COMMIT": ""}, "BOOK_COMMIT is not set"),
    ({"BOOK_OFFLINE": "", "BOOK_COMMIT": "main"}, "BOOK_COMMIT must be a commit"),
]


@pytest.mark.parametrize(("variables", "told"), WRONG)
def test_what_is_set_wrongly_is_told(monkeypatch, capsys, tmp_path, variables, told):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setattr(offline, "PUBLISHED", tmp_path / "published")
    assert offline.main() == 1
    assert told in capsys.readouterr().err
    assert not (tmp_path / "published").exists()
