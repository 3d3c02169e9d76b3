"""Write the plain notebooks of HEAD to branch `launch` of origin, for Colab, Binder and hubs.

Their first cell installs the book's packages at the commit that they are made from. The branch only
grows: pages that were published before lead to its older commits. Nothing in this checkout changes.
Prints the commit of the notebooks. Needs the standard library alone.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from book import address
from book.portable import Book

BRANCH = "refs/heads/launch"
IDENTITY = ("-c", "user.name=tools/publish.py", "-c", "user.email=noreply@github.com")
README = """\
A program wrote this branch; edits belong on branch main. It holds the notebooks of
[the book]({}) as Colab, Binder and JupyterHub open them, made from commit {}.
"""


def git(*arguments: str | Path, **variables: str) -> str:
    """Run git and return what it prints, or stop with what it says."""
    command, environment = ["git", *map(str, arguments)], os.environ | variables
    done = subprocess.run(
        command, cwd=address.ROOT, env=environment, capture_output=True, text=True
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed: {done.stderr.strip()}")
    return done.stdout.strip()


def write(folder: Path, root: Path, url: str, commit: str) -> None:
    """Write the files of the branch, from those of a commit."""
    book = Book(root, online=address.pages(), install=f"{url}@{commit}")
    files = {f"chapters/{page}.ipynb": book.notebook(page) for page in book.notebooks}
    files["README.md"] = README.format(address.pages() or url, commit)
    files[".binder/requirements.txt"] = f"attnutils @ git+{url}@{commit}\n"
    for name in ("LICENSE", "LICENSE-TEXT", ".binder/runtime.txt"):
        files[name] = (root / name).read_text(encoding="utf-8")
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")


def main() -> None:
    url, source = address.repository(), git("rev-parse", "HEAD")
    if not url:
        sys.exit("There is no address yet: git remote add origin https://github.com/you/yours")
    if not git("branch", "--remotes", "--contains", source):
        sys.exit(f"Nobody can install commit {source} before it is there: git push origin HEAD")
    with TemporaryDirectory() as name:
        folder, here = Path(name), git("rev-parse", "--absolute-git-dir")
        git("archive", "--output", folder / "source.tar", source)
        shutil.unpack_archive(folder / "source.tar", folder / "source")  # of git, our own
        write(folder / "plain", folder / "source", url, source)
        at, index = ("--git-dir", here, "--work-tree", folder / "plain"), str(folder / "index")
        git("-C", folder / "plain", *at, "add", "--all", "--force", GIT_INDEX_FILE=index)
        tree = git(*at, "write-tree", GIT_INDEX_FILE=index)
    if tip := git("ls-remote", "origin", BRANCH)[:40]:
        git("fetch", "--quiet", "--depth=1", "--no-write-fetch-head", "origin", BRANCH)
    if not tip or git("rev-parse", f"{tip}^{{tree}}") != tree:
        parent, message = ("-p", tip) if tip else (), f"Notebooks of {source}"
        tip = git(*IDENTITY, "commit-tree", *parent, "-m", message, tree)
        git("push", "--quiet", "origin", f"{tip}:{BRANCH}")  # never by force
    print(tip)


if __name__ == "__main__":
    main()
