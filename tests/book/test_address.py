"""The repository's address: one place, copies that agree, one command that sets them all."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from tools import build
from tools.address import PLACEHOLDER, AddressError, current, held, parse, write
from tools.project import ROOT, kept_files

NEW = "https://github.com/you/yours"


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """The files that hold the address, in a folder of their own."""
    for path in held():
        target = tmp_path / path.relative_to(ROOT)
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, target)
    return tmp_path


def contents(root: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in root.rglob("*") if path.is_file()}


def test_every_copy_agrees():
    wanted = current().url
    assert {str(path): found for path, found in held().items() if set(found) != {wanted}} == {}


def test_no_other_file_holds_the_address():
    known = {*held(), ROOT / "tools" / "address.py"}
    # The example in messages and in the README is nobody's, even where somebody sets just that.
    addresses = [url.encode() for url in {PLACEHOLDER, current().url} - {NEW}]
    strays = [
        str(path)
        for path in (ROOT / name for name in kept_files())
        if path not in known and any(address in path.read_bytes() for address in addresses)
    ]
    assert strays == []


def test_the_address_is_set_everywhere(copy):
    own, before = current(copy), contents(copy)
    # In two steps: whatever the book's own address is, the second changes every file.
    write(parse("https://github.com/someone/else"), copy)
    changed = write(parse(NEW), copy)
    assert sorted(changed) == sorted(before)
    assert {address for found in held(copy).values() for address in found} == {NEW}
    assert write(parse(NEW), copy) == []
    # And nothing else is touched: set back, every byte is as before. (README.md names the new
    # address elsewhere too, as an example.)
    write(own, copy)
    assert contents(copy) == before


def test_copies_that_disagree_are_set_too(copy):
    write(parse("https://github.com/someone/else"), copy)
    notebook = copy / "chapters" / "temperature.ipynb"
    notebook.write_text(notebook.read_text("utf-8").replace("someone/else", "a/third"), "utf-8")
    write(parse(NEW), copy)
    assert {address for found in held(copy).values() for address in found} == {NEW}


def test_a_file_that_lost_its_line_stops_everything(copy):
    cite = copy / "CITATION.cff"
    cite.write_text(re.sub("repository-code:.*\n", "", cite.read_text("utf-8")), "utf-8")
    before = contents(copy)
    with pytest.raises(AddressError, match=r"CITATION\.cff has lost the line"):
        write(parse(NEW), copy)
    assert contents(copy) == before


@pytest.mark.parametrize("text", [NEW, f"{NEW}/", f"{NEW}.git"])
def test_an_address_is_read_as_people_copy_it(text):
    assert parse(text).url == NEW


@pytest.mark.parametrize(
    "text",
    [
        "",
        "you/yours",
        "github.com/you/yours",
        "http://github.com/you/yours",
        "git@github.com:you/yours.git",
        "https://gitlab.com/you/yours",
        "https://github.com.example.org/you/yours",
        "https://user@github.com/you/yours",
        "https://github.com/you",
        "https://github.com/you/",
        "https://github.com/you/yours/tree/main",
        "https://github.com/you/yours?tab=readme",
        "https://github.com/-you/yours",
        "https://github.com/you/..",
        "https://github.com/you/yo urs",
        'https://github.com/you/yours"',
        "https://github.com/you/yours\n",
    ],
)
def test_anything_else_is_refused_in_a_sentence(text):
    with pytest.raises(AddressError) as refused:
        parse(text)
    assert repr(text) in str(refused.value)
    assert "such as https://github.com/you/yours" in str(refused.value)


def test_the_pages_address_follows():
    assert parse(NEW).pages == "https://you.github.io/yours/"
    assert parse("https://github.com/You/Yours").pages == "https://you.github.io/Yours/"
    assert parse("https://github.com/You/you.github.io").pages == "https://you.github.io/"


def test_only_the_placeholder_is_one():
    assert parse(PLACEHOLDER).is_placeholder
    assert not parse(NEW).is_placeholder


@pytest.mark.parametrize(("url", "lines"), [(PLACEHOLDER, 2), (NEW, 1)])
def test_a_build_says_in_a_line_what_its_links_wait_for(monkeypatch, capsys, url, lines):
    monkeypatch.setattr(build.address, "current", lambda: parse(url))
    build.announce("The book is built")
    said = capsys.readouterr().out.splitlines()
    assert len(said) == lines
    assert all("make repository" in line for line in said[1:])


def make(url: str, root: Path) -> subprocess.CompletedProcess[str]:
    """Run `make repository` there, with the environment that is here."""
    shutil.copyfile(ROOT / "Makefile", root / "Makefile")
    ignore = shutil.ignore_patterns("node_modules", "__pycache__")
    shutil.copytree(ROOT / "tools", root / "tools", ignore=ignore)
    (root / ".venv").symlink_to(ROOT / ".venv")
    command = ["make", "repository", f"URL={url}", "--assume-old=setup"]
    # Without the options of a `make test` that runs this, such as -j, of which make would warn.
    variables = {k: v for k, v in os.environ.items() if k not in {"PYTHONPATH", "MAKEFLAGS"}}
    return subprocess.run(
        command, cwd=root, env=variables, capture_output=True, text=True, check=False
    )


def test_make_sets_it(copy):
    result = make(NEW, copy)
    assert result.returncode == 0, result.stderr
    assert f"The address is {NEW}" in result.stdout
    assert current(copy).url == NEW


def test_make_refuses_what_is_malformed(copy):
    before = contents(copy)
    result = make('http://github.com/you/yours"; touch broken #', copy)
    assert result.returncode != 0
    assert result.stderr.startswith("The address must be that of a repository on GitHub")
    assert before.items() <= contents(copy).items()
    assert not (copy / "broken").exists()
