"""Publishing: launch copies on a branch of their own, and links that name what was built.

The steps are those of publish.yml, run against a bare repository in place of GitHub's.
"""

import json
import os
import re
import shutil
import subprocess
import sys
from itertools import combinations
from pathlib import Path
from urllib.parse import urlsplit

import nbformat
import pytest
import yaml
from bs4 import BeautifulSoup
from sphinx.errors import ConfigError

from _ext import launch_links
from tests.conftest import exhaustive, parsed
from tests.page.frame import BAR
from tools.address import PLACEHOLDER, Address, current, parse, write
from tools.build import wanted
from tools.paper.__main__ import FILE as PDF
from tools.project import CHAPTERS, HTML, ROOT

WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "publish.yml").read_text("utf-8"))
# What publishing needs, beside what builds a scratch book.
NEEDED = (
    *("binder", "CITATION.cff", "LICENSE", "LICENSE-TEXT"),
    *("README.md", "pyproject.toml", "tools/offline"),
)
PAGE = "chapters/index.ipynb"
YOURS, THEIRS = Address("you", "yours"), Address("somebody-else", "their-lecture")
LINKS = {
    "Binder": "https://mybinder.org/v2/gh/{name}/{launched}?urlpath=lab/tree/{path}",
    "Colab": "https://colab.research.google.com/github/{name}/blob/{launched}/{path}",
    "Show source": "https://github.com/{name}/blob/{built}/{path}?plain=1",
}


# ---- a repository, its remote, and the steps ---------------------------------------------------


def git(folder, *arguments):
    result = subprocess.run(
        ["git", *arguments], cwd=folder, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


@pytest.fixture(scope="module", autouse=True)
def settings():
    """Git as it is on a fresh machine, not as the user has set it up; an author from here."""
    with pytest.MonkeyPatch.context() as patch:
        for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
            patch.delenv(name, raising=False)
        patch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        patch.setenv("GIT_CONFIG_NOSYSTEM", "1")
        for who in ("AUTHOR", "COMMITTER"):
            patch.setenv(f"GIT_{who}_NAME", "Somebody")
            patch.setenv(f"GIT_{who}_EMAIL", "somebody@example.org")
        yield


@pytest.fixture(scope="module")
def book_in_git(scratch_book):
    """A scratch book with one commit, in which the address is still the placeholder."""
    root = scratch_book.root
    scratch_book.write("import attnutils\n\nprint(attnutils.softmax([0.0, 0.0])[0])")
    notebook = nbformat.read(root / PAGE, as_version=4)
    notebook.cells.insert(0, nbformat.read(CHAPTERS / "index.ipynb", as_version=4).cells[0])
    nbformat.write(notebook, root / PAGE)
    for name in NEEDED:
        copy = shutil.copytree if (ROOT / name).is_dir() else shutil.copyfile
        copy(ROOT / name, root / name)
    write(parse(PLACEHOLDER), root)
    git(root, "init", "--quiet", "--initial-branch=main")
    (root / ".git" / "info" / "exclude").write_text(".venv\nnode_modules\n_build\n*.egg-info\n")
    git(root, "add", "--all")
    git(root, "commit", "--quiet", "--message=The book", "--date=2020-02-02T02:02:02+02:00")
    return scratch_book


@pytest.fixture
def remote(book_in_git, tmp_path):
    """A bare repository that holds the book."""
    git(tmp_path, "clone", "--quiet", "--bare", book_in_git.root, "remote.git")
    return tmp_path / "remote.git"


@pytest.fixture
def checkout(remote):
    """A checkout of it, whose remote `origin` it is."""
    git(remote.parent, "clone", "--quiet", remote, "checkout")
    return remote.parent / "checkout"


def steps(job):
    """The commands of a job of the workflow."""
    return [step for step in WORKFLOW["jobs"][job]["steps"] if "run" in step]


def run(checkout, command, address=YOURS, **variables):
    """Run a command as GitHub does; return what came of it."""
    return subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", command],
        cwd=checkout,
        env={
            **{name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
            "PATH": os.pathsep.join([str(Path(sys.prefix, "bin")), os.environ["PATH"]]),
            "GITHUB_SERVER_URL": "https://github.com",
            "GITHUB_REPOSITORY": f"{address.owner}/{address.name}",
            "GITHUB_OUTPUT": str(checkout.parent / "output"),
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
    )


def publish(checkout, address=YOURS):
    """Run the steps of the job that writes launch copies; return their commit."""
    output = checkout.parent / "output"
    output.write_text("")
    for step in steps("launch"):
        result = run(checkout, step["run"], address)
        assert result.returncode == 0, result.stderr
    return re.fullmatch(r"commit=([0-9a-f]{40})\n", output.read_text())[1]


def error(checkout):
    """Publish, which must fail, and return the one line that says why."""
    result = run(checkout, "python3 -m tools.publish")
    assert result.returncode == 1
    assert result.stdout == ""
    assert "Traceback" not in result.stderr
    return result.stderr.strip()


def commit(checkout, message="Another"):
    """Commit what changed, push it, and return the commit."""
    git(checkout, "commit", "--quiet", "--all", "--allow-empty", f"--message={message}")
    git(checkout, "push", "--quiet", "origin", "main")
    return git(checkout, "rev-parse", "HEAD")


# ---- launch copies -----------------------------------------------------------------------------


def test_launch_copies_install_attnutils_at_the_commit_they_come_from(checkout, remote):
    source = git(checkout, "rev-parse", "HEAD")
    launched = publish(checkout)
    assert git(remote, "rev-parse", "launch") == launched
    assert set(git(remote, "ls-tree", "-r", "--name-only", "launch").split()) == {
        *("LICENSE", "LICENSE-TEXT", "README.md"),
        *("binder/requirements.txt", "binder/runtime.txt"),
        PAGE,
    }
    for same in ("LICENSE", "LICENSE-TEXT", "binder/runtime.txt"):
        assert git(remote, "rev-parse", f"launch:{same}") == git(
            checkout, "rev-parse", f"HEAD:{same}"
        )
    install = f"git+{YOURS.url}@{source}"
    assert git(remote, "show", "launch:binder/requirements.txt") == f"attnutils @ {install}"
    notebook = git(remote, "show", f"launch:{PAGE}")
    setup = nbformat.reads(notebook, as_version=4).cells[0].source
    assert re.findall(r'^SOURCE = "(.*)"$', setup, re.MULTILINE) == [install]
    # The rest of the notebook is as it was.
    old = git(checkout, "show", f"HEAD:{PAGE}")
    assert notebook.replace(install, f"git+{PLACEHOLDER}") == old
    readme = git(remote, "show", "launch:README.md")
    assert f"{YOURS.url}/tree/{source}" in readme
    assert YOURS.pages in readme
    assert git(remote, "show", "--no-patch", "--format=%an %ae %ad %s", launched) == git(
        checkout, "show", "--no-patch", f"--format=%an %ae %ad Launch copies of {source}", source
    )


@exhaustive
def test_the_notebooks_of_the_book_are_copied_in_full(checkout, remote):
    for path in CHAPTERS.glob("*.ipynb"):
        shutil.copyfile(path, checkout / "chapters" / path.name)
    git(checkout, "add", "chapters")
    source = commit(checkout)
    publish(checkout)
    for path in CHAPTERS.glob("*.ipynb"):
        copy = subprocess.run(
            ["git", "show", f"launch:chapters/{path.name}"],
            cwd=remote,
            capture_output=True,
            check=True,
        ).stdout
        old = path.read_bytes()
        wanted = old.replace(current().url.encode(), f"{YOURS.url}@{source}".encode(), 1)
        assert copy == wanted, path.name


def test_publishing_again_changes_nothing(checkout):
    assert publish(checkout) == publish(checkout)


def test_the_same_commit_gives_the_same_copies_anywhere(checkout, remote):
    launched = publish(checkout)
    git(remote, "update-ref", "-d", "refs/heads/launch")
    git(remote.parent, "clone", "--quiet", "--depth=1", remote.as_uri(), "another")
    assert publish(remote.parent / "another") == launched


def test_each_commit_is_added_to_those_before_it(checkout, remote):
    launched = []
    for _ in range(3):
        launched.insert(0, publish(checkout))
        commit(checkout)
    assert git(remote, "rev-list", "launch").split() == launched


def test_a_shallow_checkout_adds_to_the_history_too(checkout, remote):
    first = publish(checkout)
    commit(checkout)
    git(remote.parent, "clone", "--quiet", "--depth=1", remote.as_uri(), "shallow")
    second = publish(remote.parent / "shallow")
    assert git(remote, "rev-list", "launch").split() == [second, first]


def test_nothing_of_the_checkout_changes(checkout):
    run(checkout, steps("launch")[0]["run"])
    (checkout / "staged.txt").write_text("staged\n")
    git(checkout, "add", "staged.txt")
    (checkout / "README.md").write_text("not committed\n")

    def state():
        return (
            (checkout / ".git" / "index").read_bytes(),
            git(checkout, "status", "--porcelain"),
            git(checkout, "for-each-ref", "refs/heads", "refs/remotes/origin/main"),
            git(checkout, "symbolic-ref", "HEAD"),
            (checkout / PAGE).read_bytes(),
        )

    git(checkout, "status")  # refreshes the index
    before = state()
    assert run(checkout, "python3 -m tools.publish").returncode == 0
    assert state() == before


def test_what_is_not_committed_is_not_published(checkout, remote):
    page = checkout / PAGE
    page.write_text(page.read_text("utf-8").replace("# A page", "# A draft"), "utf-8")
    publish(checkout)
    assert "# A page" in git(remote, "show", f"launch:{PAGE}")


def pushing_meanwhile(checkout, remote, *, always):
    """Let somebody else push to branch launch whenever this checkout has looked at it."""
    program = remote.parent / "look-and-push"
    program.write_text(
        f"""#!/bin/sh
git-upload-pack "$@" || exit
test -e '{program}.on' || exit 0
cd '{remote}'
new=$(git commit-tree -p launch -m 'From somebody else' launch^{{tree}})
git update-ref refs/heads/launch $new
{"" if always else f"rm '{program}.on'"}
"""
    )
    program.chmod(0o755)
    (remote.parent / "look-and-push.on").touch()
    git(checkout, "config", "remote.origin.uploadpack", str(program))


def test_a_push_that_came_first_stays(checkout, remote):
    publish(checkout)
    commit(checkout)
    pushing_meanwhile(checkout, remote, always=False)
    launched = publish(checkout)
    subjects = git(remote, "log", "--format=%s", launched).split("\n")
    assert len(subjects) == 3
    assert subjects[1] == "From somebody else"


def test_pushes_that_come_first_each_time_end_in_a_sentence(checkout, remote):
    publish(checkout)
    commit(checkout)
    pushing_meanwhile(checkout, remote, always=True)
    assert "Others pushed to branch launch of origin" in error(checkout)
    assert git(remote, "log", "-1", "--format=%s", "launch") == "From somebody else"


def test_a_push_that_is_refused_says_why(checkout, remote):
    run(checkout, steps("launch")[0]["run"])
    hook = remote / "hooks" / "update"
    hook.write_text("#!/bin/sh\necho 'This branch is protected.' >&2\nexit 1\n")
    hook.chmod(0o755)
    assert "This branch is protected." in error(checkout)
    assert git(remote, "for-each-ref", "refs/heads/launch") == ""


def test_a_placeholder_is_not_published(checkout, remote):
    assert "make repository URL=" in error(checkout)
    assert git(remote, "for-each-ref", "refs/heads/launch") == ""


def test_a_commit_that_nobody_else_has_is_not_published(checkout, remote):
    run(checkout, steps("launch")[0]["run"])
    git(checkout, "commit", "--quiet", "--allow-empty", "--message=Mine alone")
    message = error(checkout)
    assert git(checkout, "rev-parse", "HEAD") in message
    assert "git push origin main" in message
    assert git(remote, "for-each-ref", "refs/heads/launch") == ""


def test_a_missing_remote_gets_a_sentence(checkout):
    run(checkout, steps("launch")[0]["run"])
    git(checkout, "remote", "rename", "origin", "upstream")
    assert "no remote called 'origin'" in error(checkout)


def test_a_remote_that_is_gone_says_so(checkout, remote):
    run(checkout, steps("launch")[0]["run"])
    shutil.rmtree(remote)
    assert str(remote) in error(checkout)


def test_a_notebook_without_the_line_gets_a_sentence(checkout, remote):
    run(checkout, steps("launch")[0]["run"])
    page = checkout / PAGE
    page.write_text(page.read_text("utf-8").replace("SOURCE = ", "ORIGIN = "), "utf-8")
    commit(checkout)
    assert error(checkout).startswith(f"{PAGE} must hold one line `SOURCE = ")
    assert git(remote, "for-each-ref", "refs/heads/launch") == ""


def test_git_asks_the_step_for_its_token(tmp_path):
    step = steps("launch")[-1]
    given = {name: str(value) for name, value in step["env"].items()} | {"TOKEN": "the-token"}
    result = subprocess.run(
        ["git", "credential", "fill"],
        cwd=tmp_path,
        env={**os.environ, **given},
        input="protocol=https\nhost=github.com\n\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert "username=x-access-token\npassword=the-token\n" in result.stdout


# ---- what is installed -------------------------------------------------------------------------


def install(folder, target, *what, **variables):
    """Install without dependencies and without a network; return what pip notes of it."""
    command = [sys.executable, "-m", "pip", "--isolated", "install", "--quiet", "--no-deps"]
    command += ["--no-build-isolation", "--no-index", "--target", target, *what]
    result = subprocess.run(
        command,
        cwd=folder,
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    (note,) = target.glob("attnutils-*.dist-info/direct_url.json")
    assert (target / "attnutils" / "widgets" / "static" / "core.js").is_file()
    return json.loads(note.read_text("utf-8"))


@exhaustive
def test_binder_and_colab_install_the_commit_that_was_published(checkout, remote, tmp_path):
    source = git(checkout, "rev-parse", "HEAD")
    publish(checkout)
    commit(checkout)  # later commits change nothing
    git(remote.parent, "clone", "--quiet", "--branch=launch", remote, "binder")
    redirected = {
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{remote.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": YOURS.url,
    }
    note = install(
        remote.parent / "binder",
        tmp_path / "installed",
        *("-r", "binder/requirements.txt"),
        **redirected,
    )
    assert note["url"] == YOURS.url
    assert note["vcs_info"]["commit_id"] == source


def test_binder_installs_the_package_of_main(checkout, tmp_path):
    note = install(checkout, tmp_path / "installed", "-r", "binder/requirements.txt")
    assert note["url"] == checkout.as_uri()


def test_binder_has_a_python_that_the_book_supports():
    runtime = (ROOT / "binder" / "runtime.txt").read_text().strip()
    assert re.fullmatch(r"python-3\.1[123]", runtime)


# ---- links -------------------------------------------------------------------------------------


def links(page):
    """The address behind each of a page's buttons that leads to one of three places."""
    buttons = page.select(f"{BAR} a[href]")
    named = {button.get_text(strip=True): button["href"] for button in buttons}
    return {name: named[name] for name in LINKS if name in named}


def build(book, address, built, launched):
    """Run the steps of the job that builds; return the folder that is published."""
    first, second, third = steps("build")
    assert run(book.root, first["run"], address).returncode == 0
    made, put = second["run"].splitlines()
    assert made.split("#")[0].strip() == "make pdf"  # which needs the book, so builds it
    assert put == f"cp {PDF.relative_to(ROOT)} {HTML.relative_to(ROOT)}/"
    assert second["env"] == {
        "PYTHON": "python",
        "BOOK_COMMIT": "${{ github.sha }}",
        "BOOK_PDF": "1",
        "BOOK_PYTHON": "required",
        "BOOK_LAUNCH_COMMIT": "${{ needs.launch.outputs.commit }}",
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("BOOK_COMMIT", built)
        patch.setenv("BOOK_PDF", second["env"]["BOOK_PDF"])
        patch.setenv("BOOK_LAUNCH_COMMIT", launched)
        book.built()
    assert third["env"] == {
        "BOOK_COMMIT": "${{ github.sha }}",
        "BOOK_OFFLINE": "${{ vars.BOOK_OFFLINE }}",
    }
    done = run(book.root, third["run"], address, BOOK_COMMIT=built, BOOK_OFFLINE="")
    assert done.returncode == 0, done.stderr
    (upload,) = [
        step["with"]["path"]
        for step in WORKFLOW["jobs"]["build"]["steps"]
        if "upload-pages-artifact" in step.get("uses", "")
    ]
    assert (book.root / upload / "service-worker.js").is_file()
    return book.root / upload


def with_words_for(address, path):
    """A file of a book, with words in place of its address and of the address's parts."""
    text = path.read_bytes()
    folder = urlsplit(address.pages).path
    for part in (address.url, address.pages, f"{address.owner}/{address.name}", folder):
        text = text.replace(part.encode(), b"HERE")
    return text


def contents(folder, address):
    """Every file of a built book, without its address."""
    files = (path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder): with_words_for(address, path) for path in files}


@exhaustive
def test_links_name_commits_and_copies_of_the_book_differ_in_the_address_alone(
    book_in_git, checkout, remote
):
    source, launched = git(checkout, "rev-parse", "HEAD"), publish(checkout)
    assert git(remote, "cat-file", "-t", f"{launched}:{PAGE}") == "blob"
    html = build(book_in_git, YOURS, source, launched)
    page = BeautifulSoup(book_in_git.page.read_text("utf-8"), "html.parser")
    assert links(page) == {
        name: link.format(name="you/yours", built=source, launched=launched, path=PAGE)
        for name, link in LINKS.items()
    }

    # The workflow puts the file where the link leads.
    (offer,) = page.select(f'{BAR} a[href$=".pdf"]')
    built = book_in_git.root / "_build" / "html"
    assert (book_in_git.page.parent / offer["href"]).resolve() == built / PDF.name

    yours = contents(html, YOURS)
    theirs = contents(build(book_in_git, THEIRS, source, launched), THEIRS)
    assert yours.keys() == theirs.keys()
    assert [name for name in yours if yours[name] != theirs[name]] == []


def test_other_commits_make_another_book(monkeypatch):
    books = [wanted()]
    for name in ("BOOK_COMMIT", "BOOK_LAUNCH_COMMIT", "BOOK_PDF"):
        for digit in "ab":
            monkeypatch.setenv(name, 40 * digit)
            books.append(wanted())
    assert all(one != other for one, other in combinations(books, 2))


@pytest.mark.parametrize("value", ["main", "abc1234", 40 * "g", 41 * "a", f"{40 * 'a'}\n"])
def test_what_is_no_commit_is_refused(monkeypatch, value):
    monkeypatch.setenv("BOOK_COMMIT", value)
    with pytest.raises(ConfigError, match="BOOK_COMMIT must be a commit") as caught:
        launch_links.commit("BOOK_COMMIT")
    assert repr(value) in str(caught.value)


def test_links_lead_to_the_branch_main_unless_the_book_is_published(book):
    address = current()
    for path in (book / "chapters").glob("*.html"):
        (source,) = CHAPTERS.glob(f"{path.stem}.*")
        # Only a notebook can be launched.
        names = LINKS if source.suffix == ".ipynb" else ["Show source"]
        assert links(parsed(path)) == {
            name: LINKS[name].format(
                name=f"{address.owner}/{address.name}",
                built="main",
                launched="main",
                path=f"chapters/{source.name}",
            )
            for name in names
        }, path.name
