"""Where the book is: its repository and its pages. No file holds an address.

A workflow of GitHub says it in its environment; elsewhere the remote `origin` does. Where neither
is on GitHub all of this is empty, and the pages show nothing that needs it.
"""

import os
import re
import shutil
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
HOST = "https://github.com/"
REMOTE = re.compile(
    r"(https://([^@/]+@)?github\.com/|git@github\.com:|ssh://git@(ssh\.)?github\.com(:\d+)?/)"
    r"(?P<name>[^/:\s]+/[^/:\s]+?)(\.git)?/?\s*"
)


def repository() -> str:
    """Return the address of the repository, such as https://github.com/you/yours."""
    if name := os.environ.get("GITHUB_REPOSITORY"):
        return f"{os.environ.get('GITHUB_SERVER_URL', HOST).rstrip('/')}/{name}"
    if not ((ROOT / ".git").exists() and shutil.which("git")):  # not that of a folder above
        return ""
    command = ["git", "remote", "get-url", "origin"]
    remote = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout
    found = REMOTE.fullmatch(remote)
    return HOST + found["name"] if found else ""


def pages() -> str:
    """Return where the pages are published, with a slash at its end: BOOK_URL, or GitHub Pages."""
    if own := os.environ.get("BOOK_URL"):
        return own.rstrip("/") + "/"
    owner, _, name = repository().partition(HOST)[2].partition("/")
    host = f"{owner.lower()}.github.io"
    return f"https://{host}/{name}/".replace(f"/{host}/{host}/", f"/{host}/") if owner else ""


def install() -> str:
    """Return what pip takes behind `git+`: the packages at the commit that a workflow builds."""
    commit = os.environ.get("GITHUB_SHA")
    return f"{repository()}@{commit}" if repository() and commit else repository()
