"""Every code cell of a page in the worker, in Chromium, against what its notebook stores.

It is as strict as nbval: the same outputs in the same order, texts equal; figures as pictures, the
widgets' state as the built page holds it.
"""

import base64
import functools
import json
import operator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from playwright.sync_api import Browser, Error, Page

import attnutils
from _ext.python import FOLDER
from attnutils.widgets._base import ArrayTrait
from tests.conftest import exhaustive, some
from tests.worker import pages

#: The front page and a lesson with few figures; with EXHAUSTIVE=1 all.
QUICK = ["index", "self-attention"]

# As strict as the pages of the book are, or more: the worker and its files, from this host alone.
POLICY = (
    "default-src 'none'; script-src 'unsafe-inline' 'self' 'wasm-unsafe-eval' blob:; "
    "worker-src blob:; connect-src 'self'"
)
START = """async (base) => {
  const text = await (await fetch(base + "worker.js")).text();
  const address = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
  const worker = new Worker(address, { type: "module" });
  let count = 0;
  const waiting = new Map();
  window.changes = [];
  window.progress = [];
  const plain = (value) => value instanceof ArrayBuffer
    ? btoa(Array.from(new Uint8Array(value), (c) => String.fromCharCode(c)).join("")) : value;
  const copy = (value) => JSON.parse(JSON.stringify(value, (_, each) => plain(each)));
  worker.onerror = (event) => waiting.forEach(({ fail }) => fail(new Error(event.message)));
  worker.onmessage = ({ data: { id, done, failed, ...part } }) => {
    const asked = waiting.get(id);
    if (part.kind === "widget") changes.push(copy(part));
    else if (failed !== undefined) waiting.forEach(({ fail }) => fail(new Error(failed)));
    else if (part.kind === "progress") progress.push(part);
    else if (done) asked.done({ ...done, parts: asked.parts });
    else asked.parts.push(copy(part));
  };
  window.ask = (ask, more) => new Promise((done, fail) => {
    waiting.set(++count, { done, fail, parts: [] });
    worker.postMessage({ id: count, ask, ...more });
  });
  return window.ask("start", { base, book: await (await fetch(`${base}files.json`)).json() });
}"""


@pytest.fixture
def python(server: str, book: Path, browser: Browser) -> Any:
    """A page with nothing but Python, and a log of what it asks for."""
    if not (book / FOLDER / "files.json").exists():
        pytest.fail("The book was built without Python: run `make book` with a network.")
    page = browser.new_page()
    page.set_default_timeout(600_000)
    page.route(
        f"{server}/python.html",
        lambda route: route.fulfill(
            content_type="text/html",
            body=f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">',
        ),
    )
    page.goto(f"{server}/python.html")
    yield page
    page.close()


def start(page: Page, server: str) -> dict[str, Any]:
    return page.evaluate(START, f"{server}/{FOLDER}/")


def run(page: Page, source: str, name: str = "a-cell", **more: Any) -> dict[str, Any]:
    ask = "(asked) => ask('run', asked)"
    return page.evaluate(ask, {"source": source, "name": name, **more})


def built_widgets(book: Path, page: str) -> list[dict[str, Any]]:
    """The widgets of a built page, in their order."""
    html = (book / "chapters" / f"{page}.html").read_text(encoding="utf-8")
    data = html.partition('id="widget-data">')[2].partition("</script>")[0]
    models = list(json.loads(data)["models"].values()) if data else []
    for buffer in (buffer for model in models for buffer in model["buffers"]):
        if name := buffer.pop("file", None):  # it is large, and lies beside the page
            script = (book / "_static" / name).read_text(encoding="utf-8")
            buffer["data"] = json.loads(script.partition("]=")[2].rstrip(";\n"))
    return models


def whole_state(
    widget: str, state: dict[str, Any], buffers: list[dict[str, Any]]
) -> dict[str, Any]:
    """A state with its buffers as numbers: another machine rounds the last digit differently."""
    # Of widgets that it names the page has another name than Python; their numbers are the same.
    whole = json.loads(json.dumps(state).replace("IPY_MODEL_python-", "IPY_MODEL_widget-"))
    for each in buffers:
        *folders, last = each["path"]
        sent = each["data"]
        if isinstance(getattr(getattr(attnutils, widget), last, None), ArrayTrait):
            sent = np.frombuffer(base64.b64decode(sent), dtype="<f8").round(9).tolist()
        functools.reduce(operator.getitem, folders, whole)[last] = sent
    return whole


@pytest.mark.parametrize("name", some(pages.NAMES, *QUICK))
def test_every_cell_puts_out_what_its_notebook_stores(
    name: str, python: Page, server: str, book: Path
) -> None:
    start(python, server)
    wrong, widgets = {}, []
    for cell in pages.cells(name):
        answer = run(python, pages.source(cell), cell["id"])
        if problem := pages.differences(cell, answer, draws=True):
            wrong[cell["id"]] = problem
        widgets += [part["data"] for part in answer["parts"] if part["name"] == pages.WIDGET]
    assert not wrong, "\n".join(f"{name}: {problem}" for name, problem in wrong.items())
    built = built_widgets(book, name)
    assert [each["widget"] for each in widgets] == [
        each["widget"].rpartition(".")[2] for each in built
    ]
    for new, old in zip(widgets, built, strict=True):
        ours, theirs = (whole_state(new["widget"], x["state"], x["buffers"]) for x in (new, old))
        # ipywidgets has traits of its own, which no script of ours reads.
        assert ours == {key: theirs[key] for key in ours}


EXAMPLES = """
import doctest, importlib, pkgutil
import numpy as np
import attnutils

assert np.intp(0).nbytes == 4
for found in pkgutil.walk_packages(attnutils.__path__, "attnutils."):
    if ".pictures" in found.name:
        continue  # of notebooks: a page shows the widgets themselves
    module = importlib.import_module(found.name)
    doctest.testmod(module, verbose=False, optionflags=doctest.ELLIPSIS)
import matplotlib.pyplot as plt
plt.close("all")
"""


@exhaustive
def test_the_examples_of_attnutils_hold_where_an_index_has_32_bits(
    python: Page, server: str
) -> None:
    start(python, server)
    answer = run(python, EXAMPLES)
    assert (answer["error"], pages.shown(answer["parts"])) == ("", [])


FETCH = """
from js import XMLHttpRequest
request = XMLHttpRequest.new()
request.open("GET", "{address}", False)
request.send()
"""


def test_what_the_worker_is_asked(python: Page, server: str) -> None:
    """One visit answers: starting a Python takes the longest of it."""
    requests: list[str] = []
    python.on("request", lambda request: requests.append(request.url))
    assert start(python, server)["version"] == "0.27.7"
    told = python.evaluate("progress.splice(0)")
    files = [each for each in told if each["stage"] == "files"]
    assert [each["loaded"] for each in files] == sorted(each["loaded"] for each in files)
    assert files[-1]["loaded"] == files[-1]["total"]
    assert told[-1]["stage"] == "starting"

    # What draws comes when something is drawn, and says so.
    before = len(requests)
    silent = "import matplotlib.pyplot as plt\nfrom attnutils import plot_weights\n"
    silent += 'plt.style.use("attnutils.book")'
    assert run(python, silent, silent=True)["error"] == ""
    assert requests[before:] == []
    (figure,) = run(python, "plot_weights([[1.0]]);")["parts"]
    assert figure["name"] == "image/svg+xml"
    assert figure["data"].startswith('<div class="drawing"')
    told = python.evaluate("progress.splice(0)")
    panels = "from attnutils import plot_graph_attention\n_, (ax, _) = plt.subplots(1, 2)\n"
    panels += "plot_graph_attention([[0, 0], [1, 0]], [0], [1], [1.0], ax=ax);"
    (figure,) = run(python, panels)["parts"]
    assert figure["data"].count("<svg ") == 2  # the arrow leaves no group open
    assert "matplotlib" in {each["name"] for each in told if each["stage"] == "package"}
    assert all(url.startswith(server) for url in requests if not url.startswith("blob:"))

    # Nothing is asked of another host, whatever a cell tries.
    for address in ("http://example.com/", "https://127.0.0.2/"):
        assert "no network" in run(python, FETCH.format(address=address))["error"]
    assert (
        "no network"
        in run(python, "import urllib.request as u\nu.urlopen('http://e.org')")["error"]
    )
    assert "one thread" in run(python, "import threading\nthreading.Thread().start()")["error"]
    assert "no other programs" in run(python, "import subprocess\nsubprocess.run(['ls'])")["error"]
    kept = run(python, "open('a.txt', 'w').write('kept')\nopen('a.txt').read()")
    assert pages.shown(kept["parts"]) == [("text/plain", "'kept'")]

    # What is left out of packages is nothing that they take.
    sparse = (
        "import scipy.sparse, scipy.special\nfrom numpy import *\nprint(scipy.sparse.eye(2).sum())"
    )
    assert pages.shown(run(python, sparse)["parts"]) == [("stdout", "2.0\n")]

    # The build compiled what comes first; Python would write anew what it cannot take. The sources
    # are there, too.
    flags = "import attnutils.masks as m\nopen(m.__cached__, 'rb').read()[4:8]"
    source = "import inspect\ninspect.getsource(m.causal_mask)"
    assert pages.shown(run(python, flags)["parts"]) == [("text/plain", r"b'\x01\x00\x00\x00'")]
    assert "def causal_mask" in pages.shown(run(python, source)["parts"])[0][1]

    # Names, of what a reader writes: in the page's Python a list has no scope of its own.
    names = python.evaluate("ask('names', { source: 'y = x + rng.normal()' })")
    assert (names["defines"], names["takes"]) == (["rng", "y"], ["rng", "x"])
    names = python.evaluate("ask('names', { source: 'y = [i for i in x]' })")
    assert (names["defines"], names["takes"]) == (["y"], ["x"])

    # A widget, both ways, with buffers.
    make = "from attnutils import AttentionBench\nfrom attnutils.worked_example import *\n"
    (shown,) = run(python, make + "b = AttentionBench(WORDS, KEYS, VALUES, query=5)\nb")["parts"]
    model, state = shown["data"]["model"], shown["data"]
    assert {each["path"][0] for each in state["buffers"]} >= {"key_matrix", "query_vector"}
    run(python, "b.temperature = 0.5")
    assert python.evaluate("changes.splice(0)") == [
        {"kind": "widget", "model": model, "state": {"temperature": 0.5}, "buffers": []}
    ]
    python.evaluate(
        """(model) => ask("widget", { model, state: { temperature: 4 }, buffers: [
          { path: ["query_vector"], data: new Float64Array([1, 2, 3]).buffer }] })""",
        model,
    )
    read = run(python, "b.temperature, b.query_vector.tolist()")
    assert pages.shown(read["parts"]) == [("text/plain", "(4.0, [1.0, 2.0, 3.0])")]

    # Two that are asked at once take turns.
    both = python.evaluate(
        """Promise.all(["x = 1", "x + 1"].map((source) => ask("run", { source, name: "turn" })))"""
    )
    assert pages.shown(both[1]["parts"]) == [("text/plain", "2")]
    python.evaluate("ask('reset')")
    assert "NameError" in run(python, "x")["error"]


def test_a_file_that_does_not_come_is_a_failure_with_a_word(python: Page, server: str) -> None:
    for name in ("files.json", "pyodide.asm.wasm", "numpy-", "python-"):
        python.route(f"**/{FOLDER}/**{name}*", lambda route: route.abort())
        with pytest.raises(Error, match=r"fetch|load|import"):
            start(python, server)
        python.unroute_all()
    # As in a browser that is too old for it.
    kind = "application/wasm"
    wasm = b"\0asm\x01\0\0\0\x99"
    python.route("**/*.wasm", lambda route: route.fulfill(body=wasm, content_type=kind))
    with pytest.raises(Error, match="CompileError"):
        start(python, server)
