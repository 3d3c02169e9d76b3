"""Install what the audit takes from npm into tools/audit/node_modules, where it is not there."""

import hashlib
import subprocess
from pathlib import Path

from tools.project import ROOT, npm

HERE = Path(__file__).parent
MODULES = HERE / "node_modules"
STAMP = MODULES / "stamp"


class InstallError(RuntimeError):
    """What the audit needs could not be installed."""


def install() -> None:
    """Install what the lock names, unless it is installed."""
    wanted = hashlib.sha256((HERE / "package-lock.json").read_bytes()).hexdigest()
    if STAMP.exists() and STAMP.read_text(encoding="utf-8") == wanted:
        return
    print("Installing Lighthouse and the Nu HTML checker (200 MB, the first time) ...", flush=True)
    # The settings in .npmrc are for the folder that holds it.
    options = ("--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
    result = subprocess.run(
        [*npm(), "ci", *options],
        cwd=HERE,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    if result.returncode:
        folder = HERE.relative_to(ROOT)
        raise InstallError(f"npm ci failed in {folder}:\n{result.stdout.strip()}")
    STAMP.write_text(wanted, encoding="utf-8")
