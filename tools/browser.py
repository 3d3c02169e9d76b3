"""The Chromium of the checks: the one that comes with the project, or one of the machine.

For Linux on x64 an npm package carries a headless Chromium with the libraries that it needs. It
sees no fonts but Arimo, which is as wide as the Arial of most readers, and those that come with
matplotlib, and no language but English, so that a page looks the same everywhere.
"""

import hashlib
import os
import platform
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

from tools.project import ROOT, node_folder

# Playwright starts its driver with our Node: its own needs a library that a small Debian lacks.
os.environ.setdefault("PLAYWRIGHT_NODEJS_PATH", str(node_folder() / "node"))

# Chromium as root needs --no-sandbox; the rest keeps it quiet and off the network.
FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--in-process-gpu"]
FLAGS += ["--disable-background-networking"]
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
MACOS = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
NONE_FOUND = (
    "The checks need a Chromium and found none that starts. Install chromium or google-chrome, or "
    "run `.venv/bin/playwright install chromium`, or set CHROME_PATH to its program."
)

ARIMO = ROOT / "node_modules" / "@fontsource" / "arimo" / "files"
# Found without importing matplotlib, which would look for a home and a temporary folder at once.
DEJAVU = Path(find_spec("matplotlib").origin).parent / "mpl-data" / "fonts" / "ttf"
PACKED = ROOT / "node_modules" / "@sparticuz" / "chromium" / "bin"
ARCHIVES = ("chromium.br", "al2023.tar.br", "swiftshader.tar.br")
# The package unpacks into the folder for temporary files, whatever that is.
INFLATE = """import { inflate } from "@sparticuz/chromium";
await Promise.all(process.argv.slice(1).map(inflate));"""
START = """#!/bin/sh
here=${0%/*}
export FONTCONFIG_FILE="$here/fonts.conf" XDG_CACHE_HOME="$here/cache"
export LD_LIBRARY_PATH="$here/al2023/lib" LC_ALL=en_US.UTF-8
# Chromium sets these itself. Where they are new, the list of variables moves while other threads
# read it, and now and then it crashes as it starts.
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
# In node_modules, which is made anew whenever the lock changes: never of another version.
DIGEST = hashlib.sha256(f"{START}{FONTS}".encode()).hexdigest()
UNPACKED = ROOT / "node_modules" / ".cache" / f"chromium-{DIGEST[:8]}"


class NoBrowserError(RuntimeError):
    """No browser is here that starts."""


def unpack(folder: Path) -> None:
    """Put the packed browser into a new folder, with fonts and the program that starts it."""
    folder.mkdir()
    command = [node_folder() / "node", "--input-type=module", "--eval", INFLATE, "--"]
    done = subprocess.run(
        [*command, *(PACKED / name for name in ARCHIVES)],
        cwd=ROOT,
        env={**os.environ, "TMPDIR": str(folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise NoBrowserError(f"The browser in {PACKED} could not be unpacked.\n{done.stderr}")
    (folder / "fonts").mkdir()
    for packed in ARIMO.glob("arimo-*-[47]00-*.woff2"):  # fontconfig reads no packed fonts
        with TTFont(packed) as font:
            font.flavor = None
            font.save(folder / "fonts" / packed.with_suffix(".ttf").name)
    for font in DEJAVU.glob("DejaVu*.ttf"):
        shutil.copy(font, folder / "fonts")
    (folder / "fonts.conf").write_text(FONTS, encoding="utf-8")
    (folder / "start").write_text(START, encoding="utf-8")
    (folder / "start").chmod(0o755)


def brought() -> str:
    """Return the program of the browser that comes with the project; unpack it at first."""
    if not UNPACKED.exists():
        UNPACKED.parent.mkdir(exist_ok=True)
        # All at once or not at all, and the first of several processes that do it wins.
        with tempfile.TemporaryDirectory(dir=UNPACKED.parent) as name:
            unpack(Path(name, "chromium"))
            try:
                Path(name, "chromium").rename(UNPACKED)
            except OSError:
                if not UNPACKED.exists():
                    raise
    return str(UNPACKED / "start")


def launch(chromium: BrowserType, program: str) -> Browser:
    """Start a browser; on a busy machine half a minute, as Playwright has it, says nothing."""
    return chromium.launch(executable_path=program, args=FLAGS, timeout=180_000)


def trouble(program: str) -> str:
    """Return why a browser does not start, or nothing: that its file is there says little."""
    with sync_playwright() as playwright:
        try:
            launch(playwright.chromium, program).close()
        except Error as error:
            said = [line.partition("[err] ")[2] for line in error.message.splitlines()]
            return next(filter(None, said), error.message.partition("\n")[0])
    return ""


def playwrights_own() -> str:
    """Return where Playwright keeps its Chromium, whether it is there or not."""
    with sync_playwright() as playwright:
        return playwright.chromium.executable_path


def candidates() -> Iterator[str]:
    """Yield the programs that may be a browser, in the order in which they are tried."""
    if (sys.platform, platform.machine()) == ("linux", "x86_64"):
        yield brought()
    yield from filter(None, map(shutil.which, (*NAMES, *MACOS, playwrights_own())))


def path() -> str:
    """Return the program of a browser that starts."""
    named = os.environ.get("CHROME_PATH")
    if named:
        if told := trouble(named):
            raise NoBrowserError(
                f"CHROME_PATH is {named}, which does not start as a Chromium: {told}"
            )
        return named
    reasons = []
    for program in candidates():
        if not (told := trouble(program)):
            return program
        reasons.append(f"{program}: {told}")
    raise NoBrowserError("\n".join([NONE_FOUND, *reasons]))


@contextmanager
def opened() -> Iterator[Browser]:
    """A browser that is open for a while."""
    program = path()
    with sync_playwright() as playwright:
        chromium = launch(playwright.chromium, program)
        yield chromium
        chromium.close()


if __name__ == "__main__":
    try:
        print(path())
    except NoBrowserError as error:
        sys.exit(str(error))
