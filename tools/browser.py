"""Find a Chromium for the checks, or get one."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

# Chromium as root needs --no-sandbox; the rest keeps it quiet and off the network.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking"]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MACOS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
NONE_FOUND = (
    "The checks need a Chromium and found none. Install chromium or google-chrome, or run "
    "`.venv/bin/playwright install --with-deps chromium`, or set CHROME_PATH to its program."
)


class NoBrowserError(RuntimeError):
    """No browser is here and none could be had."""


def runs(path: str) -> bool:
    """Return whether this is a browser that starts: the file alone says little."""
    try:
        command = [path, *FLAGS, "--dump-dom", "about:blank"]
        return subprocess.run(command, capture_output=True, timeout=60).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


def playwrights_own() -> str:
    """Return where Playwright keeps its Chromium, whether it is there or not."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def find() -> str | None:
    """Return the program of a browser that is already here."""
    named = os.environ.get("CHROME_PATH")
    if named:
        if not runs(named):
            raise NoBrowserError(f"CHROME_PATH is {named}, which does not start as a Chromium.")
        return named
    there = [path for name in NAMES if (path := shutil.which(name))]
    candidates = [*there, *MACOS, playwrights_own()]
    return next((path for path in candidates if Path(path).exists() and runs(path)), None)


def install() -> None:
    """Try to get one: Playwright's own, else Debian's package where that is permitted."""
    root = [] if os.geteuid() == 0 else ["sudo", "-n"]
    attempts = [
        [sys.executable, "-m", "playwright", "install", "chromium"],
        [*root, "apt-get", "install", "--yes", "--quiet", "chromium"],
    ]
    if shutil.which("apt-get"):
        attempts.insert(1, [*root, "apt-get", "update", "--quiet"])
    for command in attempts:
        print(f"Looking for a browser: {' '.join(command)}", flush=True)
        try:
            subprocess.run(command, timeout=900, check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            print(error, file=sys.stderr)
        if find():
            return


def path() -> str:
    """Return the program of a browser; get one if there is none."""
    found = find()
    if not found:
        install()
        found = find()
    if not found:
        raise NoBrowserError(NONE_FOUND)
    return found


if __name__ == "__main__":
    try:
        print(path())
    except NoBrowserError as error:
        sys.exit(str(error))
