"""The built book from a server of its own."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tools.project import HTML


class Quiet(SimpleHTTPRequestHandler):
    """Serve files and say nothing."""

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@contextmanager
def served() -> Iterator[str]:
    """Serve the book; give its address, without a slash at its end."""
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), partial(Quiet, directory=HTML))
    threading.Thread(target=httpd.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{httpd.server_port}"
    httpd.shutdown()
