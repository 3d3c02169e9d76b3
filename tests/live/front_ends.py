"""Real notebook servers, and a browser that works in their pages as a reader does.

A server runs in an environment of its own, on a free port of this machine, and sees an empty
folder: neither the user's settings nor the network.
"""

import json
import os
import secrets
import signal
import socket
import subprocess
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, ConsoleMessage, Locator, Page, Request

from tools import environments
from tools.project import ROOT

EMPTY = {
    "cells": [],
    "metadata": {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
    },
    "nbformat": 4,
    "nbformat_minor": 5,
}

# Addresses that reach no other machine.
LOCAL = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:", "about:")
# The classic Notebook takes the name of a MyST fence for a language and looks for its colours, and
# its MathJax tries a font that is not there.
HARMLESS = ("/codemirror/mode/", "about:blank")

# Both add a cell at the end, run it and return its outputs once the kernel has sent them all.
RUN_IN_JUPYTERLAB = """async (code) => {
  const notebook = jupyterapp.shell.currentWidget.content;
  const { cells, sharedModel } = notebook.model;
  sharedModel.insertCell(cells.length, { cell_type: "code", source: code });
  notebook.activeCellIndex = cells.length - 1;
  await jupyterapp.commands.execute("notebook:run-cell");
  return notebook.activeCell.model.outputs.toJSON();
}"""
RUN_IN_NOTEBOOK_6 = """async (code) => {
  const { notebook } = Jupyter;
  const cell = notebook.insert_cell_at_bottom("code");
  cell.set_text(code);
  notebook.select(notebook.find_cell_index(cell));
  cell.execute();
  const callbacks = notebook.kernel._msg_callbacks;
  while (!(callbacks[cell.last_msg_id].shell_done && callbacks[cell.last_msg_id].iopub_done)) {
    await new Promise((done) => setTimeout(done, 10));
  }
  return cell.output_area.toJSON();
}"""


@dataclass
class Notebook:
    """A notebook that is open in a page, with its kernel."""

    page: Page
    run_cell: str
    delete_cells: str
    #: What went wrong in the page: errors on the console, exceptions, requests to other hosts.
    problems: list[str] = field(default_factory=list)

    def listen(self) -> None:
        """Note from now on what goes wrong."""
        on = self.page.on
        on("console", self._note_error)
        on("pageerror", lambda error: self.problems.append(str(error)))
        on("request", self._note_foreign)

    def _note_error(self, message: ConsoleMessage) -> None:
        told = f"{message.text} ({message.location['url']})"
        if message.type == "error" and not any(part in told for part in HARMLESS):
            self.problems.append(told)

    def _note_foreign(self, request: Request) -> None:
        if not request.url.startswith(LOCAL):
            self.problems.append(f"asks for {request.url}")

    def run(self, code: str) -> str:
        """Run code in a new last cell; return what it prints."""
        printed = []
        for output in self.page.evaluate(self.run_cell, code):
            if output["output_type"] == "error":
                raise AssertionError(f"{output['ename']}: {output['evalue']}\n{code}")
            printed.extend(output.get("text", []))
        return "".join(printed).strip()

    def show(self, code: str, views: int = 1) -> Locator:
        """Run code whose value is a widget; return what then shows of it, last view last."""
        there = self.page.locator(".attn").count()
        self.run(code)
        shown = self.page.locator(".attn")
        shown.nth(there + views - 1).scroll_into_view_if_needed()
        return shown.nth(there)

    def waits_for(self, expression: str, expected: str) -> None:
        """Wait until the kernel prints this for an expression.

        What the page sends may still be on its way: ipywidgets sends one message at a time, and
        JupyterLab has a second channel for it, which cells overtake.
        """
        for _ in range(300):
            printed = self.run(f"print(({expression}))")
            if printed == expected:
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{expression} is {printed} but {expected} is expected.")

    def clear(self) -> None:
        """Delete every cell, as a reader who starts over."""
        self.page.evaluate(self.delete_cells)


class FrontEnd:
    """A server that runs, and how its pages are worked."""

    environment: str
    command: tuple[str, ...]
    themes: tuple[str, ...]

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.notebooks = folder / "notebooks"
        self.token = secrets.token_hex(16)
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"

    @contextmanager
    def running(self) -> Iterator["FrontEnd"]:
        """Start the server, wait until it answers, and stop it and its kernels at the end."""
        try:
            python = environments.make(self.environment)
        except environments.NoEnvironmentError as error:
            pytest.fail(str(error), pytrace=False)
        self.notebooks.mkdir()
        log = self.folder / "log.txt"
        address = ("--ip=127.0.0.1", f"--port={self.port}")
        with log.open("w") as output:
            server = subprocess.Popen(
                [python, *self.command, "--no-browser", "--allow-root", *address],
                cwd=self.notebooks,
                env=self.variables(python.parent),
                stdout=output,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            try:
                self._wait(server, log)
                yield self
            finally:
                stop(server)

    def variables(self, programs: Path) -> dict[str, str]:
        """The server's surroundings: a home of its own; of ours, attnutils alone."""
        strange = ("PYTHON", "JUPYTER", "IPYTHON", "VIRTUAL_ENV")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(strange)}
        path = os.pathsep.join([str(programs), os.environ.get("PATH", os.defpath)])
        return kept | {
            "HOME": str(self.folder),
            "PYTHONPATH": str(ROOT),
            "PATH": path,
            "JUPYTER_CONFIG_DIR": str(self.folder / "config"),
            "JUPYTER_DATA_DIR": str(self.folder / "data"),
            "JUPYTER_RUNTIME_DIR": str(self.folder / "runtime"),
            "JUPYTER_PREFER_ENV_PATH": "1",
            "JUPYTER_TOKEN": self.token,
            "IPYTHONDIR": str(self.folder / "ipython"),
            "OPENBLAS_NUM_THREADS": "1",
            "TQDM_DISABLE": "1",
        }

    def _wait(self, server: "subprocess.Popen[bytes]", log: Path) -> None:
        status = f"{self.address}/api/status?token={self.token}"
        for _ in range(3000):
            if server.poll() is not None:
                break
            try:
                with urllib.request.urlopen(status):
                    return
            except urllib.error.URLError:
                time.sleep(0.1)
        raise RuntimeError(f"{' '.join(self.command)} does not start:\n{log.read_text()}")

    def open(self, browser: Browser, content: dict[str, Any] = EMPTY, **options: Any) -> Notebook:
        """Open a notebook with this content in a page of its own, and wait for its kernel."""
        name = f"{secrets.token_hex(4)}.ipynb"
        (self.notebooks / name).write_text(json.dumps(content), encoding="utf-8")
        page = browser.new_context(viewport={"width": 1280, "height": 900}, **options).new_page()
        notebook = self.notebook(page)
        notebook.listen()
        page.goto(f"{self.address}/{self.path(name)}?token={self.token}")
        self.wait_for_kernel(page)
        return notebook

    def notebook(self, page: Page) -> Notebook:
        raise NotImplementedError

    def path(self, name: str) -> str:
        raise NotImplementedError

    def wait_for_kernel(self, page: Page) -> None:
        raise NotImplementedError

    def run_all(self, notebook: Notebook) -> None:
        """Run every cell; what runs next waits for them."""
        raise NotImplementedError

    def set_theme(self, notebook: Notebook, theme: str) -> None:
        raise NotImplementedError


class JupyterLab(FrontEnd):
    """JupyterLab 4 with ipywidgets 8."""

    environment = "jupyterlab"
    command = ("-m", "jupyterlab", "--expose-app-in-browser", "--LabApp.extension_manager=readonly")
    themes = ("JupyterLab Light", "JupyterLab Dark")

    def variables(self, programs: Path) -> dict[str, str]:
        """Without the question whether to fetch news."""
        settings = self.folder / "settings"
        notification = settings / "@jupyterlab" / "apputils-extension"
        notification.mkdir(parents=True)
        (notification / "notification.jupyterlab-settings").write_text(
            json.dumps({"fetchNews": "false", "checkForUpdates": False}), encoding="utf-8"
        )
        return super().variables(programs) | {"JUPYTERLAB_SETTINGS_DIR": str(settings)}

    def notebook(self, page: Page) -> Notebook:
        delete = """() => {
          const { sharedModel } = jupyterapp.shell.currentWidget.content.model;
          sharedModel.deleteCellRange(0, sharedModel.cells.length);
        }"""
        return Notebook(page, RUN_IN_JUPYTERLAB, delete)

    def path(self, name: str) -> str:
        # A workspace of its own: no notebook of an earlier page is open in another tab.
        return f"lab/workspaces/{secrets.token_hex(4)}/tree/{name}"

    def wait_for_kernel(self, page: Page) -> None:
        page.wait_for_function(
            "window.jupyterapp?.shell?.currentWidget?.sessionContext?.session?.kernel?.status"
            " === 'idle'",
            timeout=300_000,
        )

    def run_all(self, notebook: Notebook) -> None:
        notebook.page.evaluate("jupyterapp.commands.execute('notebook:run-all-cells')")

    def set_theme(self, notebook: Notebook, theme: str) -> None:
        command = "(theme) => jupyterapp.commands.execute('apputils:change-theme', { theme })"
        notebook.page.evaluate(command, theme)
        notebook.page.wait_for_selector(f"body[data-jp-theme-name='{theme}']", state="attached")


class Notebook6(FrontEnd):
    """The classic Notebook with ipywidgets 7.7.1, as Colab has it."""

    environment = "colab"
    command = ("-m", "notebook")
    themes = ("the only one",)

    def notebook(self, page: Page) -> Notebook:
        delete = """() => {
          const { notebook } = Jupyter;
          while (notebook.ncells() > 1) notebook.delete_cell(0);
          notebook.delete_cell(0);
        }"""
        return Notebook(page, RUN_IN_NOTEBOOK_6, delete)

    def path(self, name: str) -> str:
        return f"notebooks/{name}"

    def wait_for_kernel(self, page: Page) -> None:
        page.wait_for_function(
            "window.Jupyter?.notebook?.kernel?.widget_manager"
            " && Jupyter.notebook.kernel.is_connected()",
            timeout=300_000,
        )
        # At its start the widgets' manager asks the kernel twice for widgets that are there. A
        # widget that is shown before it has its answers would be drawn twice.
        for _ in range(2):
            page.evaluate(RUN_IN_NOTEBOOK_6, "None")

    def run_all(self, notebook: Notebook) -> None:
        notebook.page.evaluate("Jupyter.notebook.execute_all_cells()")

    def set_theme(self, notebook: Notebook, theme: str) -> None:
        """Do nothing: it is always light."""


def stop(server: "subprocess.Popen[bytes]") -> None:
    """End a server: at a polite word it ends its kernels too; a kernel alone ends by itself."""
    for word in (signal.SIGTERM, signal.SIGKILL):
        if server.poll() is None:
            os.killpg(server.pid, word)
            with suppress(subprocess.TimeoutExpired):
                server.wait(timeout=20)
