"""Write launch copies: notebooks that install attnutils at the commit that was published.

A page that is published names commits, so that what a reader launches is what the reader saw. The
copies are made from the notebooks of HEAD, whatever the working tree holds, and go to branch
`launch` of a remote. That branch only ever grows: pages that were published before still link to
its older commits. Neither the working tree, the index nor a branch of this checkout changes.

Prints the commit of the copies. Runs with the standard library only: the job that may write to the
repository installs nothing.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tools.address import Address, AddressError, current
from tools.project import ROOT

BRANCH = "refs/heads/launch"
# What is copied as it is.
KEPT = ("LICENSE", "LICENSE-TEXT", "binder/runtime.txt")
# Where the set-up cell of a notebook says from where it installs attnutils.
SOURCE = re.compile(rb'(SOURCE = \\"git\+)[^"\\]+')
README = """\
# Launch copies

A program wrote this branch; edits belong on branch main. It holds the notebooks of \
[the book]({pages}) for Colab, Binder and JupyterHub, made from commit \
[{short}]({url}/tree/{source}): their first cell installs attnutils at just that commit.
"""
# What git asks to know of an author and of a committer.
IDENTITY = ("NAME", "EMAIL", "DATE")
ATTEMPTS = 5


class PublishError(RuntimeError):
    """The launch copies cannot be published; the message says why and what to do."""


def git(*arguments: str, data: bytes = b"", variables: Mapping[str, str] | None = None) -> bytes:
    """Run git in this checkout and return what it prints."""
    result = subprocess.run(
        ["git", *arguments],
        cwd=ROOT,
        input=data,
        env={**os.environ, **(variables or {})},
        capture_output=True,
        check=False,
    )
    if result.returncode:
        message = result.stderr.decode(errors="replace").strip()
        raise PublishError(f"`git {' '.join(arguments)}` failed: {message}")
    return result.stdout


def line(*arguments: str, data: bytes = b"", variables: Mapping[str, str] | None = None) -> str:
    """Run git and return the line that it prints."""
    return git(*arguments, data=data, variables=variables).decode().strip()


def launch_copy(notebook: bytes, install: str, path: str) -> bytes:
    """Return the bytes of a notebook whose set-up cell installs from this address."""
    copy, times = SOURCE.subn(lambda found: found[1] + install.encode(), notebook)
    if times != 1:
        raise PublishError(
            f'{path} must hold one line `SOURCE = "git+https://..."`, in its first cell, but holds '
            f"{times}: copy that cell from another page."
        )
    return copy


def contents(address: Address, source: str) -> dict[str, bytes]:
    """Return the files that are written for a commit: their contents by their path."""
    install = f"{address.url}@{source}"
    readme = README.format(pages=address.pages, url=address.url, source=source, short=source[:7])
    files = {
        "README.md": readme.encode(),
        "binder/requirements.txt": f"attnutils @ git+{install}\n".encode(),
    }
    listed = git("ls-tree", "-z", "--name-only", source, "chapters/").decode()
    for path in listed.split("\0"):
        if path.endswith(".ipynb"):
            notebook = git("cat-file", "blob", f"{source}:{path}")
            files[path] = launch_copy(notebook, install, path)
    return files


def tree_of(address: Address, source: str) -> str:
    """Write the files of a commit's launch copies and return their tree."""
    entries = git("ls-tree", source, *KEPT).decode()
    for path, content in contents(address, source).items():
        entries += f"100644 {line('hash-object', '-w', '--stdin', data=content)}\t{path}\n"
    with tempfile.TemporaryDirectory() as folder:
        index = {"GIT_INDEX_FILE": str(Path(folder, "index"))}
        git("update-index", "--index-info", data=entries.encode(), variables=index)
        return line("write-tree", variables=index)


def commit_of(tree: str, source: str, parent: str | None) -> str:
    """Write a commit of these files; who and when come from the source, so it can be repeated."""
    fields = line("show", "--no-patch", "--format=%an%n%ae%n%aI%n%cn%n%ce%n%cI", source).split("\n")
    names = [f"GIT_{who}_{what}" for who in ("AUTHOR", "COMMITTER") for what in IDENTITY]
    return line(
        "commit-tree",
        "--no-gpg-sign",
        *(("-p", parent) if parent else ()),
        *("-m", f"Launch copies of {source}"),
        tree,
        variables=dict(zip(names, fields, strict=True)),
    )


def tip_of(remote: str) -> str | None:
    """Return the last commit of the remote's branch, which is then here too; None without one."""
    found = line("ls-remote", remote, BRANCH)
    if not found:
        return None
    git("fetch", "--quiet", "--no-tags", "--no-write-fetch-head", remote, BRANCH)
    return found.split()[0]


def publish(remote: str) -> str:
    """Make sure that a remote's branch ends with the copies of HEAD; return its commit."""
    address = current()
    if address.is_placeholder:
        raise PublishError(
            f"The repository's address is still the placeholder {address.url}, from which nobody "
            "can install attnutils: set yours first (make repository URL=...)."
        )
    if remote not in git("remote").decode().split():
        raise PublishError(
            f"This checkout has no remote called {remote!r}: name one of those that `git remote` "
            "lists, or add it."
        )
    source = line("rev-parse", "HEAD")
    if not git("for-each-ref", "--contains", source, f"refs/remotes/{remote}"):
        raise PublishError(
            f"Commit {source} is not on {remote} as far as this checkout knows, so nobody could "
            f"install attnutils from it: push it first (git push {remote} main)."
        )
    tree = tree_of(address, source)
    for _ in range(ATTEMPTS):
        tip = tip_of(remote)
        if tip and line("rev-parse", f"{tip}^{{tree}}") == tree:
            return tip
        commit = commit_of(tree, source, tip)
        try:
            git("push", "--quiet", remote, f"{commit}:{BRANCH}")
        except PublishError:
            # Never by force. If another push came first, the copies go on top of that.
            if tip_of(remote) == tip:
                raise
        else:
            return commit
    raise PublishError(
        f"Others pushed to branch launch of {remote} at each of {ATTEMPTS} attempts: try again "
        "when they are done."
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("remote", nargs="?", default="origin", help="such as origin, the default")
    try:
        print(publish(parser.parse_args().remote))
    except (AddressError, PublishError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
