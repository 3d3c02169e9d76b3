"""Open the notebooks in JupyterLab. Their kernel is Python in .venv, as it is for the book."""

import json
import os
import subprocess
import sys

from tools import environments
from tools.project import BUILD, CHAPTERS, ROOT, VENV, environment

DATA = BUILD / "lab"


def variables() -> dict[str, str]:
    """Return the environment of the server, with the book's kernel under the usual name."""
    kernel = DATA / "kernels" / "python3"
    kernel.mkdir(parents=True, exist_ok=True)
    command = [str(VENV / "bin" / "python"), "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    described = {"argv": command, "display_name": "Python 3", "language": "python"}
    (kernel / "kernel.json").write_text(json.dumps(described), encoding="utf-8")
    return environment() | {"JUPYTER_PATH": str(DATA)}


def main() -> int:
    try:
        python = environments.make("jupyterlab")
    except environments.NoEnvironmentError as error:
        print(error, file=sys.stderr)
        return 1
    command = [python, "-m", "jupyterlab", *sys.argv[1:], str(CHAPTERS)]
    os.chdir(ROOT)
    return subprocess.run(command, env=variables(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
