"""Known weaknesses of the packages that the book pins, as PyPI and npm know them today."""

import json
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tools import environments
from tools.project import ROOT, npm

LOCK = "requirements.lock"
NODE_LOCK = "package-lock.json"
REQUIREMENTS = Path(__file__).parent / "requirements.txt"

# Advisories that do not concern this book, each with the reason, which the audit prints.
ACCEPTED: dict[str, str] = {}


@dataclass
class Found:
    """What the look-up of one lock gave."""

    lock: str
    packages: int = 0
    #: "package version: advisory" for each that is known.
    known: list[str] = field(default_factory=list)
    #: Known, and why it does not matter.
    accepted: list[str] = field(default_factory=list)
    #: Why some or all packages were not looked up; empty if all were.
    unchecked: str = ""

    def add(self, advisory: str, text: str) -> None:
        """Note an advisory by its identifier."""
        if advisory in ACCEPTED:
            self.accepted.append(f"{text}: {ACCEPTED[advisory]}")
        else:
            self.known.append(text)


def last_line(text: str) -> str:
    """Return the last line that says something."""
    return next((line for line in reversed(text.splitlines()) if line.strip()), "no word of why")


def read_pip(output: str, errors: str) -> Found:
    """Read what pip-audit prints. A package that it skipped is not known to be sound."""
    found = Found(LOCK)
    try:
        packages = json.loads(output)["dependencies"]
    except (json.JSONDecodeError, KeyError):
        found.unchecked = f"{LOCK} could not be looked up: {last_line(errors)}"
        return found
    found.packages = len(packages)
    skipped = [package for package in packages if "skip_reason" in package]
    for package in packages:
        for entry in package.get("vulns", ()):
            found.add(entry["id"], f"{package['name']} {package['version']}: {entry['id']}")
    if skipped or not packages:
        reason = skipped[0]["skip_reason"] if skipped else "the list is empty"
        count = f"{len(skipped)} of {len(packages)} packages"
        found.unchecked = f"{count} of {LOCK} could not be looked up, such as: {reason}"
    return found


def read_npm(output: str, errors: str) -> Found:
    """Read what `npm audit --json` prints."""
    found = Found(NODE_LOCK)
    try:
        report: dict[str, Any] = json.loads(output)
    except json.JSONDecodeError:
        report = {}
    if "vulnerabilities" not in report:
        reason = report.get("message") or last_line(errors)
        found.unchecked = f"{NODE_LOCK} could not be looked up: {reason}"
        return found
    found.packages = report["metadata"]["dependencies"]["total"]
    for name, entry in report["vulnerabilities"].items():
        # An entry that names a package only passes on the weakness of that package.
        for advisory in (a for a in entry["via"] if isinstance(a, dict)):
            found.add(advisory["url"], f"{name} {advisory['range']}: {advisory['url']}")
    return found


def check_pip() -> Found:
    """Look up the lock of PyPI's packages."""
    try:
        python = environments.make(".venv-audit", REQUIREMENTS)
    except environments.NoEnvironmentError as error:
        return Found(LOCK, unchecked=f"{LOCK} could not be looked up: {error}")
    # The lock is complete and hashed: nothing is resolved, nothing is installed.
    options = ("--disable-pip", "--require-hashes", "--format=json", "--progress-spinner=off")
    command = [python, "-m", "pip_audit", *options, "-r", LOCK]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return read_pip(result.stdout, result.stderr)


def check_npm() -> Found:
    """Look up the lock of npm's packages."""
    command = [*npm(), "audit", "--package-lock-only", "--json"]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return read_npm(result.stdout, result.stderr)
