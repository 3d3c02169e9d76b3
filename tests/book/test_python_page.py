"""What a press fetches for code on the page: one script, its licences, the widgets of the book."""

import json
import subprocess

import pytest
from sphinx.errors import ExtensionError

import attnutils.widgets
from _ext import python_page
from tools.project import ROOT, environment

PYTHON = "_static/python"


@pytest.fixture(autouse=True)
def node(monkeypatch):
    monkeypatch.setenv("PATH", environment()["PATH"])


def test_each_package_in_the_script_has_its_licence(book):
    texts = (book / PYTHON / "LICENSES.txt").read_text(encoding="utf-8")
    wanted = json.loads((ROOT / "package.json").read_text(encoding="utf-8"))["dependencies"]
    in_script = {name for name in wanted if name.startswith(("@codemirror", "@lezer", "dompurify"))}
    assert len(in_script) >= 7
    for name in in_script:
        assert f"{name} {wanted[name]}\n" in texts
    assert texts.count("Permission is hereby granted") >= 7


def test_each_widget_has_its_script_and_style(book):
    for name in attnutils.widgets.__all__:
        found = getattr(attnutils.widgets, name)
        for text, suffix in ((found._esm, "js"), (found._css, "css")):
            written = book / PYTHON / "widgets" / f"{name}.{suffix}"
            assert written.read_text(encoding="utf-8") == text


def test_a_script_that_cannot_be_made_is_told(monkeypatch, tmp_path):
    (tmp_path / "notebook.js").write_text("import 'nowhere';", encoding="utf-8")
    monkeypatch.setattr(python_page, "SOURCE", tmp_path)
    with pytest.raises(ExtensionError, match=r"could not make notebook.js:[^\0]*nowhere"):
        python_page.bundle(tmp_path)


def test_the_script_of_a_page_at_rest_is_small(book):
    rest = (book / "_static" / "run.js").read_bytes()
    style = (ROOT / "_theme" / "style" / "5-python.css").read_bytes()
    packed = subprocess.run(["gzip", "-9c"], input=rest + style, capture_output=True, check=True)
    assert len(packed.stdout) <= 4000
