"""What stands for Google Colab here: its versions, its package, and the book's repository."""

import json
import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient

from tools import address, environments
from tools.project import ROOT, kept_files

# What the package google.colab does for widgets: anywidget asks it to show those that did not come
# with Colab. It leaves a file when it was asked.
OUTPUT = """\
from pathlib import Path


def enable_custom_widget_manager():
    Path(__file__).with_name("asked").touch()
"""
# Of two versions, here and below, the one that is imported.
VERSIONS = """\
import json
from importlib.metadata import distributions, version
print(json.dumps({d.name: version(d.name) for d in distributions()}))
"""
# How Python and git are set up here must not matter.
HIDDEN = ("PYTHON", "GIT_", "VIRTUAL_ENV", "MPLBACKEND", "TQDM_DISABLE", "IPYTHON", "JUPYTER_")


@dataclass(frozen=True)
class Repository:
    """A repository that holds the working tree, and one commit on top that changes nothing."""

    folder: Path
    #: The commit of the working tree, and the last commit of the branch.
    commit: str
    tip: str


@dataclass(frozen=True)
class Runtime:
    """A machine as Colab gives one to a reader: packages on top of Colab's, an empty folder."""

    python: Path
    packages: Path
    folder: Path
    variables: dict[str, str]

    def run(self, code: str) -> subprocess.CompletedProcess[str]:
        """Run code in a Python of its own."""
        return subprocess.run(
            [self.python, "-c", code],
            cwd=self.folder,
            env=self.variables,
            capture_output=True,
            text=True,
            check=False,
        )

    def package(self, name: str, text: str = "") -> None:
        """Add a module, such as "google.colab.output", next to what pip installs."""
        path = self.packages.joinpath(*name.split("."))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_suffix(".py").write_text(text, encoding="utf-8")

    def versions(self) -> dict[str, str]:
        """Return what is installed: versions by the name of the package."""
        result = self.run(VERSIONS)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)

    def installed_from(self) -> tuple[str, str]:
        """Return the address that attnutils was asked for from, and the commit that came."""
        code = "print(importlib.metadata.distribution('attnutils').read_text('direct_url.json'))"
        result = self.run(f"import importlib.metadata; {code}")
        assert result.returncode == 0, result.stderr
        source = json.loads(result.stdout)
        return source["url"], source["vcs_info"]["commit_id"]

    def execute(self, notebook: Any) -> None:
        """Run the notebook in its folder, with a kernel of this machine."""
        kernels = self.folder.parent / "kernels"
        (kernels / "colab").mkdir(parents=True, exist_ok=True)
        # The option keeps the debugger from a warning on each start.
        program = [str(self.python), "-Xfrozen_modules=off", "-m", "ipykernel_launcher"]
        spec = {
            "display_name": "Colab",
            "language": "python",
            "argv": [*program, "-f", "{connection_file}"],
        }
        (kernels / "colab" / "kernel.json").write_text(json.dumps(spec), encoding="utf-8")
        specs = KernelSpecManager(kernel_dirs=[str(kernels)], ensure_native_kernel=False)
        client = NotebookClient(
            notebook,
            km=AsyncKernelManager(kernel_name="colab", kernel_spec_manager=specs),
            timeout=300,
            coalesce_streams=True,
            resources={"metadata": {"path": str(self.folder)}},
        )
        client.execute(cleanup_kc=True, env=self.variables)


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """The book's repository as it would be after a commit of everything that is here."""
    folder = tmp_path_factory.mktemp("repository")

    def git(*arguments: str) -> str:
        identity = ["-c", "user.name=A", "-c", "user.email=a@example.org"]
        command = ["git", *identity, *arguments]
        result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
        return result.stdout

    for name in kept_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    git("init", "--quiet", "--initial-branch=main")
    git("add", "--all", "--force")
    git("commit", "--quiet", "--message=The working tree")
    commit = git("rev-parse", "HEAD").strip()
    git("commit", "--quiet", "--allow-empty", "--message=Something later")
    return Repository(folder, commit, git("rev-parse", "HEAD").strip())


@pytest.fixture
def new_runtime(repository: Repository, tmp_path: Path) -> Callable[..., Runtime]:
    """A function that makes a machine; what it installs is gone with the test.

    A virtual environment of its own lies over the one with Colab's versions, which stays as it is.
    """

    def new_runtime(*, google_colab: bool) -> Runtime:
        base = environments.make("colab")
        subprocess.run([base, "-m", "venv", "--without-pip", tmp_path / "machine"], check=True)
        (packages,) = (tmp_path / "machine").glob("lib/*/site-packages")
        (below,) = base.parent.parent.glob("lib/*/site-packages")
        (packages / "below.pth").write_text(f"{below}\n", encoding="utf-8")
        folder = tmp_path / "an empty folder"
        folder.mkdir()
        variables = {k: v for k, v in os.environ.items() if not k.startswith(HIDDEN)}
        variables |= {
            "IPYTHONDIR": str(tmp_path / "ipython"),
            "OPENBLAS_NUM_THREADS": "1",
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
            # Whoever asks for the book's repository gets the one that was made here.
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_CONFIG_COUNT": "1",
            "GIT_CONFIG_KEY_0": f"url.{repository.folder.as_uri()}.insteadOf",
            "GIT_CONFIG_VALUE_0": address.current().url,
        }
        runtime = Runtime(tmp_path / "machine/bin/python", packages, folder, variables)
        if google_colab:
            runtime.package("google.colab.__init__", "from google.colab import output\n")
            runtime.package("google.colab.output", OUTPUT)
        return runtime

    return new_runtime
