"""The commands around the book: its address, plain notebooks, the preview, downloads."""

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from functools import partial
from http.client import HTTPException
from pathlib import Path

import pytest

from book import address
from tools import pyodide
from tools.local_server import QuietHandler, serving
from tools.project import NODE_MODULES, ROOT, kept_files

NEW = "https://github.com/you/yours"


def copy(root: Path, *starts: str) -> Path:
    """Copy the files of this checkout whose names start so into another."""
    for name in kept_files():
        if name.as_posix().startswith(starts):
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(ROOT / name, root / name)
    return root


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def checkout(tmp_path, monkeypatch) -> Path:
    """A checkout with one commit and a bare repository as its remote."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "PYTHONPATH", "BOOK_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.delenv("GITHUB_REPOSITORY", raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    names = ("chapters/", "_toc.yml", "references.bib", "LICENSE", ".binder/")
    own = ("book/portable.py", "book/address.py", "tools/__init__.py", "tools/publish.py")
    root = copy(tmp_path / "checkout", *names, *own)
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=The book")
    git(tmp_path, "clone", "--quiet", "--bare", root, "remote.git")
    git(root, "remote", "add", "origin", tmp_path / "remote.git")
    git(root, "fetch", "--quiet", "origin")
    return root


REMOTES = [
    f"{NEW}.git",
    f"{NEW}/",
    "git@github.com:you/yours.git",
    "https://x:y@github.com/you/yours",
    "ssh://git@github.com:22/you/yours",
    "ssh://git@ssh.github.com:443/you/yours.git",
]
OTHERS = ["https://gitlab.com/you/yours", "https://github.com.example.org/you/yours", "/srv/yours"]
OTHERS += [
    "ssh://git@github.com:you/yours",
    "https://github.com/yours",
    "git@github.com:22/you/yours",
]


@pytest.mark.parametrize("remote", REMOTES + OTHERS)
def test_the_address_is_that_of_the_remote(checkout, monkeypatch, remote):
    monkeypatch.setattr(address, "ROOT", checkout)
    git(checkout, "remote", "set-url", "origin", remote)
    assert address.repository() == (NEW if remote in REMOTES else "")
    assert address.pages() == ("https://you.github.io/yours/" if remote in REMOTES else "")
    monkeypatch.setenv("GITHUB_REPOSITORY", "me/mine")
    assert address.repository() == "https://github.com/me/mine"
    monkeypatch.setenv("BOOK_URL", "https://example.org")
    assert address.pages() == "https://example.org/"


def publish(checkout: Path, repository: str = "you/yours") -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-m", "tools.publish"]
    variables = os.environ | {"GITHUB_REPOSITORY": repository}
    return subprocess.run(command, cwd=checkout, env=variables, capture_output=True, text=True)


def test_launch_copies_install_the_packages_at_the_commit_they_come_from(checkout):
    source = git(checkout, "rev-parse", "HEAD")
    (checkout / "chapters" / "temperature.ipynb").write_text("not committed")
    state = git(checkout, "status", "--porcelain", "--branch")
    launched = publish(checkout).stdout.strip()
    remote = checkout.parent / "remote.git"
    assert git(remote, "rev-parse", "launch") == launched
    notebook = git(remote, "show", "launch:chapters/temperature.ipynb")
    assert f"git+{NEW}@{source}" in notebook
    assert "{term}" not in notebook
    wanted = git(remote, "show", "launch:.binder/requirements.txt")
    assert wanted == f"attnutils @ git+{NEW}@{source}"
    assert git(checkout, "status", "--porcelain", "--branch") == state
    # The branch grows where something is new.
    assert publish(checkout).stdout.strip() == launched
    git(checkout, "commit", "--quiet", "--allow-empty", "--message=Another")
    assert "git push origin HEAD" in publish(checkout).stderr  # nobody could install it
    git(checkout, "push", "--quiet", "origin", "main")
    second = publish(checkout).stdout.strip()
    assert git(remote, "rev-list", "launch").split() == [second, launched]


def test_without_an_address_nothing_is_published(checkout):
    done = publish(checkout, "")
    assert (done.returncode, done.stdout) == (1, "")
    assert "git remote add origin" in done.stderr


def test_a_saved_sentence_is_seen(tmp_path):
    copy(tmp_path, "_config.yml", "attnutils/", "attnbook/", "book/", "tools/")
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "book" / "node_modules").symlink_to(NODE_MODULES)
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: chapters/index\n")
    (tmp_path / "references.bib").touch()
    (tmp_path / "chapters").mkdir()
    source = tmp_path / "chapters" / "index.md"
    source.write_text("# A page\n\nA first sentence.\n")
    # An order of a browser that opens nothing.
    variables = os.environ | {"BROWSER": "true", "BOOK_PYTHON": "no", "PYTHONPATH": str(tmp_path)}
    command = [tmp_path / ".venv" / "bin" / "python", "-u", "-m", "tools.serve", "0"]
    pipe = subprocess.PIPE
    server = subprocess.Popen(command, cwd=tmp_path, env=variables, stdout=pipe, text=True)
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())[0]

        def seen(sentence: str) -> bool:
            for _ in range(2400):
                # No page so far, or not all of it.
                with contextlib.suppress(OSError, HTTPException):
                    page = urllib.request.urlopen(f"{address}/chapters/index.html", timeout=5)
                    if sentence in page.read().decode():
                        return True
                time.sleep(0.1)
            return False

        assert seen("A first sentence.")
        source.write_text("# A page\n\nA second sentence.\n")
        assert seen("A second sentence.")
    finally:
        server.terminate()
        server.communicate(timeout=60)


FILES = {"a.whl": b"a", "b.whl": b"b"}
WANTED = {name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()}


def test_wheels_come_from_their_makers_then_from_the_book_then_from_others(monkeypatch, tmp_path):
    wheels = tmp_path / "_static" / "python" / "wheels"
    wheels.mkdir(parents=True)
    for name, data in FILES.items():
        (wheels / name).write_bytes(data)
    with serving(partial(QuietHandler, directory=tmp_path)) as own:
        monkeypatch.setenv("BOOK_URL", own)
        places = pyodide.sources(f"{own}/nothing/")
        assert [*places][:2] == [f"{own}/nothing/", f"{own}/_static/python/wheels/"]
        pyodide.complete(tmp_path / "kept", WANTED, places)
    assert {path.name for path in (tmp_path / "kept").iterdir()} == {*FILES}
    monkeypatch.setattr(address, "pages", lambda: "")
    assert len(pyodide.sources("cdn")) == 2


def test_wrong_bytes_of_a_download_are_not_kept_and_the_next_source_is_asked(tmp_path):
    asked = []

    def right(names):
        asked.append(names)
        return ((name, FILES[name]) for name in names)

    def wrong(names):
        yield "b.whl", b"b"
        yield "a.whl", b"another"

    with pytest.raises(pyodide.NoPyodideError, match=r"missing: a\.whl"):
        pyodide.complete(tmp_path, WANTED, {"first": wrong})
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == {"b.whl": b"b"}
    (tmp_path / "b.whl").write_bytes(b"damaged")
    for _ in range(2):  # the second time all is there
        pyodide.complete(tmp_path, WANTED, {"first": wrong, "second": right})
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == FILES
    assert asked == [["a.whl"]]
