"""The Chromium of the checks: CHROME_PATH, that of npm, Playwright's own, or one of the machine.

For Linux on x64 an npm package carries a headless Chromium with the libraries that it needs. It
sees no fonts but Arimo, which is as wide as the Arial of most readers, and those of matplotlib.
"""

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path

from fontTools.ttLib import TTFont
from playwright.sync_api import Browser, BrowserType, Error, sync_playwright

from tools.project import NODE_MODULES, node_folder

# Playwright starts its driver with our Node: its own needs a library that a small Debian lacks.
os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", str(node_folder() / "node"))

# Chromium as root needs --no-sandbox; the rest keeps it quiet and off the network.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--in-process-gpu"]
FLAGS += ["--disable-background-networking"]
NAMES = ("google-chrome", "google-chrome-stable", "chromium", "chromium-browser")
NAMES += ("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",)
NONE_FOUND = (
    "The checks need a Chromium and found none that starts. Install chromium or google-chrome, or "
    "run `.venv/bin/playwright install chromium`, or set CHROME_PATH to its program."
)

# In node_modules, which is made anew when the lock changes: never of another version.
UNPACKED = NODE_MODULES / ".cache" / "chromium"
PACKED = NODE_MODULES / "@sparticuz" / "chromium" / "bin"
# The package unpacks into the folder for temporary files, whatever that is.
INFLATE = """import { inflate } from "@sparticuz/chromium";
await Promise.all(process.argv.slice(1).map(inflate));"""
START = """#!/bin/sh
here=${0%/*}
export FONTCONFIG_FILE="$here/fonts.conf" XDG_CACHE_HOME="$here/cache"
export LD_LIBRARY_PATH="$here/al2023/lib" LC_ALL=en_US.UTF-8
# Chromium sets these itself, while other threads read them: now and then it crashed as it started.
export DBUS_SESSION_BUS_ADDRESS=disabled: FC_FONTATIONS=1
export VK_ICD_FILENAMES="$here/vk_swiftshader_icd.json"
exec "$here/chromium" "$@"
"""
FONTS = """<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>sans-serif</family><prefer><family>Arimo</family></prefer></alias>
  <alias><family>serif</family><prefer><family>DejaVu Serif</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
"""


class NoBrowserError(RuntimeError):
    """No browser is here that starts."""


def unpack(folder: Path) -> None:
    """Put the packed browser into a folder, with fonts and the program that starts it."""
    archives = [PACKED / f"{name}.br" for name in ("chromium", "al2023.tar", "swiftshader.tar")]
    node = [node_folder() / "node", "--input-type=module", "--eval", INFLATE, "--", *archives]
    variables = os.environ | {"TMPDIR": str(folder)}
    subprocess.run(node, cwd=NODE_MODULES, env=variables, check=True)
    (folder / "fonts").mkdir()
    for packed in (NODE_MODULES / "@fontsource/arimo/files").glob("arimo-*-[47]00-*.woff2"):
        with TTFont(packed) as font:  # fontconfig reads no packed fonts
            font.flavor = None
            font.save(folder / "fonts" / packed.with_suffix(".ttf").name)
    # Found without importing matplotlib, which would look for a home at once.
    for font in Path(find_spec("matplotlib").origin).parent.glob("mpl-data/fonts/ttf/DejaVu*.ttf"):
        shutil.copy(font, folder / "fonts")
    (folder / "fonts.conf").write_text(FONTS, encoding="utf-8")
    (folder / "start").write_text(START, encoding="utf-8")
    (folder / "start").chmod(0o755)


def packed() -> str:
    """Return the program of the browser of npm; unpack it at first, whole or not at all."""
    if not UNPACKED.exists():
        UNPACKED.parent.mkdir(exist_ok=True)
        with tempfile.TemporaryDirectory(dir=UNPACKED.parent) as name:
            folder = Path(name, "chromium")
            folder.mkdir()
            unpack(folder)
            if not UNPACKED.exists():  # another process may have been first
                folder.rename(UNPACKED)
    return str(UNPACKED / "start")


def launch(chromium: BrowserType, program: str, *flags: str) -> Browser:
    """Start a browser; on a busy machine half a minute, as Playwright has it, says nothing."""
    return chromium.launch(executable_path=program, args=[*FLAGS, *flags], timeout=180_000)


def candidates(playwrights_own: str) -> Iterator[str]:
    """Yield the programs that may be a browser, in the order in which they are tried."""
    if named := os.environ.get("CHROME_PATH"):
        yield named
    else:
        if PACKED.exists():  # it has the fonts for which room was measured
            yield packed()
        yield from filter(None, map(shutil.which, (playwrights_own, *NAMES)))


def path() -> str:
    """Return the program of a browser that starts: that its file is there says little."""
    reasons = [NONE_FOUND]
    with sync_playwright() as playwright:
        for program in candidates(playwright.chromium.executable_path):
            try:
                launch(playwright.chromium, program).close()
                return program
            except Error as error:
                reasons.append(f"{program}: {error.message}")
    raise NoBrowserError("\n".join(reasons))


@contextmanager
def opened(*flags: str) -> Iterator[Browser]:
    """A browser that is open for a while."""
    program = path()
    with sync_playwright() as playwright:
        chromium = launch(playwright.chromium, program, *flags)
        yield chromium
        chromium.close()


if __name__ == "__main__":
    try:
        print(path())
    except NoBrowserError as error:
        sys.exit(str(error))
