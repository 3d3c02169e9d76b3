"""Each notebook alone with Colab's versions: it installs attnutils and prints what is stored."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from types import SimpleNamespace

import nbformat
import pytest
from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient

from book.portable import Book
from tools.execute import WIDGET_VIEW
from tools.project import CHAPTERS, ROOT, kept_files

NOTEBOOKS = sorted(CHAPTERS.glob("*.ipynb"))
ADDRESS = "https://github.com/you/yours"
FIGURES = {"image/svg+xml", "image/png"}
# What google.colab does for widgets: it shows those that did not come with Colab if it is asked to.
OUTPUT = """from pathlib import Path
def enable_custom_widget_manager():
    Path(__file__).with_name("asked").touch()"""
VERSIONS = "import json\nfrom importlib.metadata import distributions, version\n"
VERSIONS += "print(json.dumps({d.name: version(d.name) for d in distributions()}))"
# How Python and git are set up here must not matter.
HIDDEN = ("PYTHON", "GIT_", "VIRTUAL_ENV", "MPLBACKEND", "TQDM_DISABLE", "IPYTHON", "JUPYTER_")


@pytest.fixture(scope="session")
def repository(tmp_path_factory) -> Path:
    """The book's repository as it would be after a commit of everything that is here."""
    folder = tmp_path_factory.mktemp("repository")
    for name in kept_files():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ROOT / name, folder / name)
    identity = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    for command in (["init", "-qb", "main"], ["add", "-Af"], [*identity, "commit", "-qm", "All"]):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder


@pytest.fixture
def machine(repository, tmp_path) -> SimpleNamespace:
    """What Colab gives a reader: an empty folder, and an environment on top of Colab's own."""
    base = ROOT / ".venv-colab" / "bin" / "python"
    subprocess.run([base, "-m", "venv", "--without-pip", tmp_path / "machine"], check=True)
    (packages,) = (tmp_path / "machine").glob("lib/*/site-packages")
    (below,) = base.parent.parent.glob("lib/*/site-packages")
    (packages / "below.pth").write_text(f"{below}\n", encoding="utf-8")
    (tmp_path / "empty").mkdir()
    variables = {k: v for k, v in os.environ.items() if not k.startswith(HIDDEN)} | {
        "IPYTHONDIR": str(tmp_path / "ipython"),
        "OPENBLAS_NUM_THREADS": "1",
        "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        # Whoever asks for the book's repository gets the one that was made here.
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_COUNT": "1",
        "GIT_CONFIG_KEY_0": f"url.{repository.as_uri()}.insteadOf",
        "GIT_CONFIG_VALUE_0": ADDRESS,
    }
    python = tmp_path / "machine" / "bin" / "python"

    def run(code: str) -> subprocess.CompletedProcess[str]:
        command, folder = [python, "-c", code], tmp_path / "empty"
        return subprocess.run(command, cwd=folder, env=variables, capture_output=True, text=True)

    def execute(notebook: nbformat.NotebookNode) -> None:
        program = [str(python), "-Xfrozen_modules=off", "-m", "ipykernel_launcher"]
        spec = {"display_name": "Colab", "language": "python"}
        spec["argv"] = [*program, "-f", "{connection_file}"]
        (tmp_path / "kernels" / "colab").mkdir(parents=True)
        (tmp_path / "kernels" / "colab" / "kernel.json").write_text(json.dumps(spec))
        folders = [str(tmp_path / "kernels")]
        specs = KernelSpecManager(kernel_dirs=folders, ensure_native_kernel=False)
        manager = AsyncKernelManager(kernel_name="colab", kernel_spec_manager=specs)
        place = {"metadata": {"path": str(tmp_path / "empty")}}
        client = NotebookClient(
            notebook, km=manager, timeout=300, coalesce_streams=True, resources=place
        )
        client.execute(cleanup_kc=True, env=variables)

    return SimpleNamespace(packages=packages, run=run, execute=execute, folder=tmp_path / "empty")


def agree(stored, fresh) -> bool:
    """Return whether an output is what is stored: a figure is a figure, a widget can be shown."""
    if "data" not in fresh or "data" not in stored:
        return stored == fresh
    if WIDGET_VIEW in fresh.data:
        # anywidget cuts long texts short.
        text = fresh.data["text/plain"].removesuffix("…")
        return bool(text) and stored.data["text/plain"].startswith(text)
    # Colab draws figures in another form and size than is stored.
    figures = [not FIGURES.isdisjoint(output.data) for output in (stored, fresh)]
    return all(figures) or (figures[0] == figures[1] and stored.data == fresh.data)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_alone_installs_attnutils_and_prints_what_is_stored(path, machine):
    colab = machine.packages / "google" / "colab"
    colab.mkdir(parents=True)
    (colab / "__init__.py").write_text("from google.colab import output\n")
    (colab / "output.py").write_text(OUTPUT)
    before = json.loads(machine.run(VERSIONS).stdout)
    plain = Book(ROOT, online="", install=f"{ADDRESS}@main").notebook(path.stem)
    stored, notebook = (nbformat.reads(plain, as_version=4) for _ in range(2))
    machine.execute(notebook)
    after = json.loads(machine.run(VERSIONS).stdout)
    assert after.items() ^ before.items() == {("attnutils", after["attnutils"])}
    for old, new in zip(stored.cells, notebook.cells, strict=True):
        if not old.get("outputs"):
            continue  # those of solutions are left out
        pairs = zip(old.outputs, new.outputs, strict=True)
        assert all(agree(*pair) for pair in pairs), f"cell {old.id} gave {new.outputs}"
    assert (colab / "asked").exists()
    assert [*machine.folder.iterdir()] == []
