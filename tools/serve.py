"""Show the book while it is edited; `python -m tools.serve 8001` takes another port than 8000.

This process has loaded what Sphinx has read. A fork of it makes the pages that were saved and ends,
so none finds what another left. A notebook whose code was changed runs first. After a change of
other files than pages, and when all pages were read anew, the program starts again.

Browsers are answered by another process: each of them gets a thread, and a fork of a process with
threads may wait for ever for a lock that one of them held.
"""

import json
import os
import shutil
import signal
import sys
import time
from functools import partial
from http.server import ThreadingHTTPServer
from multiprocessing import get_context, parent_process
from pathlib import Path

from tools import build, execute
from tools.local_server import QuietHandler, at_port
from tools.project import BUILD, CHAPTERS

FOLDER = BUILD / "preview"
HTML, SAID = FOLDER / "html", FOLDER / "said"
FORKS = get_context("fork")


class Handler(QuietHandler):
    def end_headers(self) -> None:
        self.send_header("Cache-Control", "no-store")
        super().end_headers()


def answer(server: ThreadingHTTPServer) -> None:
    """Answer browsers as long as the program runs that makes the pages."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)
    server.timeout = 1
    while parent_process().is_alive():
        server.handle_request()


def states() -> dict[Path, int]:
    """Return when each file that pages are made of was written."""
    return {path: path.stat().st_mtime_ns for path in build.files(build.PAGES + build.OTHERS)}


def make(pages: build.Pages, edited: list[Path]) -> None:
    """Run these notebooks and make the pages; write down what is wrong."""
    sys.stderr = SAID.open("w", encoding="utf-8")
    try:
        if execute.run(edited):
            sys.exit(1)
        pages.app.env.dependencies.clear()  # else what shows a map of all pages is made with each
        pages.render()
    except build.TOLD as error:
        sys.exit(str(error))


def main() -> str:
    build.alone(FOLDER)
    with at_port(partial(Handler, directory=HTML), [*sys.argv, 8000][1]) as server:
        port = str(server.server_port)
        answers = FORKS.Process(target=answer, args=(server,), daemon=True)
        answers.start()
    print(f"The preview is at http://127.0.0.1:{port}/ (stop with Ctrl+C)", flush=True)
    seen, ran = states(), {}
    pages = build.Pages(FOLDER)
    pages.app.add_js_file("/reload.js")
    shutil.copy(Path(__file__).with_name("reload.js"), HTML)
    while True:
        code = {path: execute.code(path) for path in seen if path.suffix == ".ipynb"}
        edited = [path for path in code if ran and code[path] != ran.get(path)]
        fork = FORKS.Process(target=make, args=(pages, edited), daemon=True)
        fork.start()
        fork.join()
        problem = f"{SAID.read_text(encoding='utf-8')}\n" if fork.exitcode else ""
        ran = ran if ran and problem else code
        (HTML / "news.json").write_text(json.dumps({"number": time.time(), "problem": problem}))
        print(problem or "The pages are up to date.", flush=True)
        while (now := states()) == seen and (problem or not pages.is_fresh):
            time.sleep(0.2)
        others = [path for path in now | seen if path.parent != CHAPTERS or path not in now]
        if pages.is_fresh or any(now.get(path) != seen.get(path) for path in others):
            break
        seen = now
    answers.terminate()
    answers.join()
    os.execv(sys.executable, [sys.executable, "-m", "tools.serve", port])


if __name__ == "__main__":
    sys.exit(build.run(main))
