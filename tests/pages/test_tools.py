"""The commands around the book: its address, launch copies, the preview, a course, downloads."""

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

from tools import build, pyodide
from tools.address import PLACEHOLDER, AddressError, current, held, parse, write
from tools.project import CHAPTERS, ROOT

NEW = "https://github.com/you/yours"


def copy(names: list[str], root: Path) -> Path:
    """Copy files of this checkout into another."""
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, root / name)
    return root


OTHERS = """you/yours github.com/you/yours http://github.com/you/yours git@github.com:you/yours.git
https://gitlab.com/you/yours https://github.com.example.org/you/yours https://github.com/you
https://github.com/-you/yours https://github.com/you/.. https://github.com/you/yours/tree/main"""


@pytest.mark.parametrize("text", ["", f"{NEW} 2", f"{NEW}\n", *OTHERS.split()])
def test_only_a_plain_address_is_taken(text):
    assert {parse(right).url for right in (NEW, f"{NEW}/", f"{NEW}.git")} == {NEW}
    with pytest.raises(AddressError, match=re.escape(repr(text))):
        parse(text)


def test_the_address_is_set_everywhere_and_nothing_else_changes(tmp_path):
    files = [str(path.relative_to(ROOT)) for path in held()]
    assert {address for found in held().values() for address in found} == {current().url}
    root = copy(files, tmp_path)
    before = {name: (root / name).read_bytes() for name in files}
    write(parse("https://github.com/someone/else"), root)
    assert len(write(parse(NEW), root)) == len(files) > 16
    assert {address for found in held(root).values() for address in found} == {NEW}
    assert write(parse(NEW), root) == []
    write(current(), root)
    assert {name: (root / name).read_bytes() for name in files} == before


PAGE = "chapters/temperature.ipynb"
PUBLISHED = ["_config.yml", "pyproject.toml", "CITATION.cff", "README.md", PAGE]
PUBLISHED += ["LICENSE", "LICENSE-TEXT", "binder/requirements.txt", "binder/runtime.txt"]
PUBLISHED += [f"tools/{name}.py" for name in ("__init__", "address", "project", "publish")]


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def remote(tmp_path, monkeypatch) -> Path:
    """A bare repository with one commit, beside `checkout`; git is as on a fresh machine."""
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "PYTHONPATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    root = copy(PUBLISHED, tmp_path / "checkout")
    write(parse(NEW), root)
    git(root, "init", "--quiet", "--initial-branch=main")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=The book")
    git(tmp_path, "clone", "--quiet", "--bare", root, "remote.git")
    git(root, "remote", "add", "origin", tmp_path / "remote.git")
    git(root, "fetch", "--quiet", "origin")
    return tmp_path / "remote.git"


def publish(checkout: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-B", "-m", "tools.publish"]
    return subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=False)


def commit(checkout: Path) -> None:
    git(checkout, "commit", "--quiet", "--all", "--allow-empty", "--message=Another")
    git(checkout, "push", "--quiet", "origin", "main")


def test_launch_copies_install_attnutils_at_the_commit_they_come_from(remote):
    checkout = remote.parent / "checkout"
    source = git(checkout, "rev-parse", "HEAD")
    (checkout / PAGE).write_text("not committed")
    state = git(checkout, "status", "--porcelain", "--branch")
    launched = publish(checkout).stdout.strip()
    assert git(remote, "rev-parse", "launch") == launched
    files = git(remote, "ls-tree", "-r", "--name-only", "launch").split()
    binder = ["binder/requirements.txt", "binder/runtime.txt"]
    assert {*files} == {"LICENSE", "LICENSE-TEXT", "README.md", PAGE, *binder}
    install = f"git+{NEW}@{source}"
    assert git(remote, "show", "launch:binder/requirements.txt") == f"attnutils @ {install}"
    notebook = git(remote, "show", f"launch:{PAGE}")
    assert re.findall(r"SOURCE = .\"(.*?).\"", notebook) == [install]
    # The rest of the notebook is as it was, and so is the checkout.
    assert notebook.replace(install, f"git+{NEW}") == git(checkout, "show", f"HEAD:{PAGE}")
    assert git(checkout, "status", "--porcelain", "--branch") == state


def test_the_branch_grows_where_something_is_new(remote):
    checkout = remote.parent / "checkout"
    first = publish(checkout).stdout.strip()
    assert publish(checkout).stdout.strip() == first
    commit(checkout)
    tree = git(remote, "rev-parse", "launch^{tree}")
    other = git(remote, "commit-tree", "-p", "launch", "-m", "From somebody else", tree)
    git(remote, "update-ref", "refs/heads/launch", other)
    git(remote.parent, "clone", "--quiet", "--depth=1", remote.as_uri(), "shallow")
    second = publish(remote.parent / "shallow").stdout.strip()
    assert git(remote, "rev-list", "launch").split() == [second, other, first]
    assert publish(checkout).stdout.strip() == second


def test_what_nobody_could_install_is_not_published(remote):
    checkout = remote.parent / "checkout"

    def told() -> str:
        done = publish(checkout)
        assert (done.returncode, done.stdout) == (1, "")
        assert git(remote, "for-each-ref", "refs/heads/launch") == ""
        return done.stderr

    git(checkout, "commit", "--quiet", "--allow-empty", "--message=Mine alone")
    assert "git push origin main" in told()
    page = checkout / PAGE
    page.write_text(page.read_text("utf-8").replace("SOURCE = ", "ORIGIN = "), "utf-8")
    commit(checkout)
    assert f"{PAGE} must hold one line `SOURCE = " in told()
    config = checkout / "_config.yml"
    config.write_text(config.read_text("utf-8").replace(NEW, PLACEHOLDER), "utf-8")
    assert "make repository URL=" in told()


def test_links_of_a_page_lead_to_its_branch(book):
    name = current().url.removeprefix("https://github.com/")
    for path in (book / "chapters").glob("*.html"):
        (source,) = (file.name for file in CHAPTERS.glob(f"{path.stem}.*"))
        html, place = path.read_text(encoding="utf-8"), f"{name}/blob/main/chapters/{source}"
        assert f'href="https://github.com/{place}?plain=1"' in html
        colab = f'href="https://colab.research.google.com/github/{place}"'
        assert (colab in html) == source.endswith(".ipynb")


def test_a_page_that_is_saved_while_it_is_built_counts_as_changed(tmp_path, monkeypatch):
    states = iter([{"a.md": (1, 1), "b.md": (1, 1)}, {"a.md": (2, 1), "b.md": (1, 1)}])
    monkeypatch.setattr(build, "states", lambda: next(states))
    monkeypatch.setattr(build, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(build, "execute_side_by_side", lambda: None)
    monkeypatch.setattr(build, "run_sphinx", lambda *_, **__: 0)
    build.make_pages(tmp_path / "pages", {"a.md": "one", "b.md": "two"})
    # And as no new page, for which all would be made anew.
    assert build.read(tmp_path / "pages" / "inputs.json") == {"a.md": "", "b.md": "two"}


def test_a_saved_sentence_is_seen(tmp_path):
    own = ("chapters/", "_toc.yml", "references.bib")
    copy([name for name, _ in build.inputs() if not name.startswith(own)], tmp_path)
    copy(["tools/serve.py", "tools/local_server.py"], tmp_path)
    (tmp_path / ".venv").symlink_to(sys.prefix)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    (tmp_path / "_toc.yml").write_text("format: jb-book\nroot: chapters/index\n")
    (tmp_path / "references.bib").touch()
    (tmp_path / "chapters").mkdir()
    page = tmp_path / "chapters" / "index.md"
    page.write_text("# A page\n\nA first sentence.\n")
    # An order of a browser that opens nothing.
    variables = os.environ | {"BROWSER": "true", "BOOK_PYTHON": "no", "PYTHONPATH": str(tmp_path)}
    command = [tmp_path / ".venv" / "bin" / "python", "-u", "-m", "tools.serve", "--port", "0"]
    pipe = subprocess.PIPE
    server = subprocess.Popen(command, cwd=tmp_path, env=variables, stdout=pipe, text=True)
    try:
        address = re.search(r"http://127\.0\.0\.1:\d+/", server.stdout.readline())[0]

        def seen(sentence: str) -> bool:
            for _ in range(600):
                with contextlib.suppress(OSError):  # no page so far
                    found = urllib.request.urlopen(f"{address}chapters/index.html").read()
                    if sentence in found.decode():
                        return True
                time.sleep(0.1)
            return False

        assert seen("A first sentence.")
        page.write_text("# A page\n\nA second sentence.\n")
        assert seen("A second sentence.")
    finally:
        server.terminate()
        server.communicate()


FILES = {"a.whl": b"a", "b.whl": b"b"}
WANTED = {name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()}


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
