"""The widgets in JupyterLab, over a real kernel: a reader moves Python, and Python the page."""

import json
import os
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from contextlib import suppress
from dataclasses import dataclass, field

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.conftest import until
from tests.explorers.conftest import acts
from tests.explorers.states import WITH_EXAMPLE, folder
from tools.project import CHAPTERS, ROOT

KERNEL = {"name": "python3", "display_name": "Python 3", "language": "python"}
EMPTY = {"cells": [], "metadata": {"kernelspec": KERNEL}, "nbformat": 4, "nbformat_minor": 5}
KERNEL_STATUS = "window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status"
# Adds a cell at the end, runs it and returns its outputs once the kernel has sent them all.
RUN = """async (code) => {
  const notebook = jupyterapp.shell.currentWidget.content;
  const { cells, sharedModel } = notebook.model;
  sharedModel.insertCell(cells.length, { cell_type: "code", source: code });
  notebook.activeCellIndex = cells.length - 1;
  await jupyterapp.commands.execute("notebook:run-cell");
  return notebook.activeCell.model.outputs.toJSON();
}"""
CLEAR = """() => {
  const { sharedModel } = jupyterapp.shell.currentWidget.content.model;
  sharedModel.deleteCellRange(0, sharedModel.cells.length);
}"""


@dataclass
class Notebook:
    """A notebook that is open in a page, with its kernel."""

    page: Page
    #: Errors on the console, exceptions, requests to other hosts.
    problems: list[str] = field(default_factory=list)

    def run(self, code: str) -> str:
        """Run code in a new last cell; return what it prints."""
        outputs = self.page.evaluate(RUN, code)
        failed = [output["evalue"] for output in outputs if output["output_type"] == "error"]
        assert not failed, f"{failed}\n{code}"
        return "".join(text for output in outputs for text in output.get("text", [])).strip()

    def show(self, code: str) -> Locator:
        """Run code whose value is a widget; return what then shows of it."""
        self.run(code)
        shown = self.page.locator(".attn")
        shown.scroll_into_view_if_needed()
        return shown

    def waits_for(self, expression: str, expected: str) -> None:
        """Wait until the kernel prints this: what the page sends may still be on its way."""
        for _ in range(300):
            if (printed := self.run(f"print(({expression}))")) == expected:
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{expression} is {printed} but {expected} is expected.")


@pytest.fixture(scope="session")
def lab(tmp_path_factory):
    """The address of a server, but for a notebook's name, and the folder that is all it sees."""
    python, folder = ROOT / ".venv-jupyterlab" / "bin" / "python", tmp_path_factory.mktemp("server")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    # Without the question whether to fetch news.
    settings = folder / "settings" / "@jupyterlab" / "apputils-extension"
    settings.mkdir(parents=True)
    (settings / "notification.jupyterlab-settings").write_text('{"fetchNews": "false"}')
    strange = ("PYTHON", "JUPYTER", "IPYTHON", "VIRTUAL_ENV")
    variables = {name: value for name, value in os.environ.items() if not name.startswith(strange)}
    variables |= {f"JUPYTER_{kind}_DIR": str(folder / kind) for kind in ("CONFIG", "DATA")}
    variables |= {"JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"), "HOME": str(folder)}
    variables |= {"JUPYTER_RUNTIME_DIR": str(folder / "runtime"), "PYTHONPATH": str(ROOT)}
    variables |= {"JUPYTER_PREFER_ENV_PATH": "1", "JUPYTER_TOKEN": "a", "TQDM_DISABLE": "1"}
    variables["PATH"] = f"{python.parent}{os.pathsep}{os.environ['PATH']}"
    (folder / "notebooks").mkdir()
    command = [python, "-m", "jupyterlab", "--expose-app-in-browser", "--no-browser"]
    command += ["--allow-root", "--ip=127.0.0.1", f"--port={port}"]
    place = {"cwd": folder / "notebooks", "env": variables, "start_new_session": True}
    with (folder / "log").open("w") as log:
        server = subprocess.Popen(command, stdout=log, stderr=log, **place)
    try:
        address = f"http://127.0.0.1:{port}"
        for _ in range(3000):
            with suppress(urllib.error.URLError):
                urllib.request.urlopen(f"{address}/api/status?token=a").close()
                break
            assert server.poll() is None, (folder / "log").read_text()
            time.sleep(0.1)
        yield f"{address}/lab/workspaces/{{0}}/tree/{{0}}.ipynb?token=a", folder / "notebooks"
    finally:
        # At a polite word it ends its kernels too; a kernel alone ends by itself.
        for word in (signal.SIGTERM, signal.SIGKILL):
            if server.poll() is None:
                os.killpg(server.pid, word)
                with suppress(subprocess.TimeoutExpired):
                    server.wait(timeout=20)


@pytest.fixture(scope="session")
def open_notebook(lab, browser):
    """A function that opens a notebook in a page of its own and waits for its kernel."""
    address, folder = lab

    def open_notebook(name: str, content: dict) -> Notebook:
        (folder / f"{name}.ipynb").write_text(json.dumps(content), encoding="utf-8")
        still = {"viewport": {"width": 1280, "height": 900}, "reduced_motion": "reduce"}
        page = browser.new_context(**still).new_page()
        notebook = Notebook(page)
        local, note = ("http://127.0.0.1:", "ws:", "data:", "blob:"), notebook.problems.append
        page.on("console", lambda told: note(told.text) if told.type == "error" else None)
        page.on("pageerror", lambda error: note(str(error)))
        page.on("request", lambda asks: None if asks.url.startswith(local) else note(asks.url))
        page.goto(address.format(name))
        page.wait_for_function(f"{KERNEL_STATUS} === 'idle'", timeout=300_000)
        return notebook

    return open_notebook


@pytest.fixture(scope="session")
def opened(open_notebook) -> Notebook:
    """A notebook that stays open: a new kernel for each test would take most of the time."""
    notebook = open_notebook("empty", EMPTY)
    notebook.run("from attnutils import *")
    return notebook


@pytest.fixture
def notebook(opened):
    """That notebook without cells; at the end nothing may have gone wrong in it."""
    opened.page.evaluate(CLEAR)
    opened.problems.clear()
    yield opened
    assert opened.problems == []


def test_a_chapter_runs_to_its_end(open_notebook):
    chapter = json.loads((CHAPTERS / "temperature.ipynb").read_text(encoding="utf-8"))
    notebook = open_notebook("temperature", chapter)
    notebook.page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")
    # A cell that fails would stop the run before the last one, which sets this.
    notebook.waits_for("list(map(int, answer))", "[2, 10, 13, 33]")
    notebook.run("w = next(x for x in Out.values() if type(x).__name__ == 'TemperatureExplorer')")
    view = notebook.page.locator(".attn-temperature")
    view.get_by_role("slider").press("End")
    expect(view.locator("output")).to_have_text("∞")
    notebook.waits_for("w.temperature", "inf")
    assert notebook.problems == []


@pytest.mark.parametrize("kind", WITH_EXAMPLE)
def test_each_widget_and_python_move_each_other(notebook, kind):
    notebook.show(f"from tests.explorers.examples.{folder(kind)} import start\nw = start()\nw")
    notebook.run("start = {name: getattr(w, name) for name in w.settable()}")
    notebook.run("sent = w.get_state(start)")
    seen = "document.querySelector('.attn .headline').innerText"
    said = notebook.page.evaluate(seen)
    for _, act in acts(notebook.page):
        act()
        notebook.page.mouse.move(0, 0)  # what is under it is looked at
        if notebook.page.evaluate(seen) != said:
            break
    notebook.waits_for("w.get_state(start) != sent", "True")
    notebook.run("with w.hold_trait_notifications():\n    for x in start: setattr(w, x, start[x])")
    until(notebook.page, f"(said) => {seen} === said", said)
    notebook.waits_for("w.get_state(start) == sent", "True")  # nothing has bounced
