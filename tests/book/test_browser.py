"""The browser of the checks: which one it is, and that it takes nothing of the machine."""

import os
import subprocess
import sys
from pathlib import Path

import matplotlib
import pytest
from fontTools.ttLib import TTFont

from tools import browser as browsers

DEJAVU = Path(matplotlib.get_data_path(), "fonts", "ttf")
FAMILIES = {
    "sans-serif": browsers.ARIMO / "arimo-latin-400-normal.woff2",
    "serif": DEJAVU / "DejaVuSerif.ttf",
    "monospace": DEJAVU / "DejaVuSansMono.ttf",
}
WIDTHS = """families => families.map((family) => {
  const text = document.body.appendChild(document.createElement("span"));
  text.style.font = `100px ${family}`;
  text.textContent = "W";
  return text.getBoundingClientRect().width;
})"""


def advance(font: Path) -> int:
    """How wide a letter is at 100 pixels, as the file of the font says."""
    tables = TTFont(font)
    width, _ = tables["hmtx"][tables.getBestCmap()[ord("W")]]
    return round(100 * width / tables["head"].unitsPerEm)


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere the machine's browser is used")
def test_it_takes_fonts_and_language_from_the_project_alone(browser, tmp_path):
    ours = {name: value for name, value in os.environ.items() if not name.startswith("LC_")}
    nowhere = tmp_path / "nowhere"
    variables = ours | {"LANG": "de_DE.UTF-8", "LC_ALL": "de_DE.UTF-8", "HOME": str(nowhere)}
    other = browser.browser_type.launch(
        executable_path=browsers.brought(), args=browsers.FLAGS, env=variables
    )
    page = other.new_page()
    assert page.evaluate("[navigator.language, (0.5).toLocaleString()]") == ["en-US", "0.5"]
    assert page.evaluate(WIDTHS, list(FAMILIES)) == list(map(advance, FAMILIES.values()))
    other.close()
    # What it keeps of fonts stands with it, not in the home or, of root, in /var/cache.
    assert not nowhere.exists()
    assert any((browsers.UNPACKED / "cache" / "fontconfig").iterdir())


def test_it_is_unpacked_once_and_whole(monkeypatch, tmp_path):
    there = tmp_path / ".cache" / "chromium"
    monkeypatch.setattr(browsers, "UNPACKED", there)

    def broken(folder: Path) -> None:
        folder.mkdir()
        raise browsers.NoBrowserError

    monkeypatch.setattr(browsers, "unpack", broken)
    with pytest.raises(browsers.NoBrowserError):
        browsers.brought()
    assert list(there.parent.iterdir()) == []

    def overtaken(folder: Path) -> None:
        for place, who in ((folder, "this process"), (there, "another")):
            place.mkdir()
            (place / "start").write_text(who)

    monkeypatch.setattr(browsers, "unpack", overtaken)
    for _ in range(2):  # the second time it is there
        assert Path(browsers.brought()).read_text() == "another"
        assert list(there.parent.iterdir()) == [there]


def test_where_none_is_one_sentence_says_what_to_do(monkeypatch, tmp_path):
    monkeypatch.delenv("CHROME_PATH", raising=False)
    monkeypatch.setattr(browsers, "candidates", lambda: iter(()))
    with pytest.raises(browsers.NoBrowserError, match=r"playwright install chromium.*CHROME_PATH"):
        browsers.path()

    stub = tmp_path / "chromium"
    stub.write_text("#!/bin/sh\necho a library is missing >&2\nexit 1\n")
    stub.chmod(0o755)
    command = [sys.executable, "-m", "tools.browser"]
    variables = {**os.environ, "CHROME_PATH": str(stub)}
    done = subprocess.run(command, env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    named = f"CHROME_PATH is {stub}, which does not start as a Chromium: "
    assert done.stderr == f"{named}a library is missing\n"

    monkeypatch.setattr(browsers, "candidates", lambda: iter(["one", "two"]))
    monkeypatch.setattr(browsers, "trouble", lambda program: f"{program} is broken")
    with pytest.raises(browsers.NoBrowserError, match=r"CHROME_PATH.*\none: one is.*\ntwo: two"):
        browsers.path()
