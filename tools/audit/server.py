"""Serve the built book on this machine the way GitHub Pages does: packed, and kept ten minutes.

The standard library's server sends files as they are. A page would then weigh three times what its
readers get, and Lighthouse would say so. Each file is packed once, before it is measured, so that
the time for packing is no part of what a page takes.
"""

import contextlib
import gzip
import threading
from collections.abc import Iterator
from functools import cache, partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path

# Pictures and fonts are packed already; servers send them as they are.
PACKED = {".png", ".woff2"}
# GitHub Pages packs as nginx does.
LEVEL = 6


@cache
def packed(path: Path) -> bytes:
    """Return what travels for a file."""
    data = path.read_bytes()
    return data if path.suffix in PACKED else gzip.compress(data, LEVEL, mtime=0)


class PackingHandler(SimpleHTTPRequestHandler):
    """Sends what can be packed with gzip, with the headers of a Pages host."""

    protocol_version = "HTTP/1.1"  # a connection serves many files, as it does there
    extensions_map = SimpleHTTPRequestHandler.extensions_map | {
        "": "application/octet-stream",
        ".html": "text/html; charset=utf-8",
        ".js": "application/javascript; charset=utf-8",
        ".css": "text/css; charset=utf-8",
        ".svg": "image/svg+xml",
        ".woff2": "font/woff2",
    }

    def send_head(self) -> BytesIO | None:
        """Send the headers of a file and return what follows them."""
        path = Path(self.translate_path(self.path))
        if path.is_dir():
            path /= "index.html"
        if not path.is_file():
            self.send_error(HTTPStatus.NOT_FOUND)
            return None
        data = packed(path)
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", self.guess_type(path))
        self.send_header("Content-Length", str(len(data)))
        if path.suffix not in PACKED:
            self.send_header("Content-Encoding", "gzip")
        self.send_header("Vary", "Accept-Encoding")
        self.send_header("Cache-Control", "max-age=600")
        self.send_header("Last-Modified", self.date_time_string(int(path.stat().st_mtime)))
        self.end_headers()
        return BytesIO(data)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Serve a folder on loopback; give its address, without a slash at its end."""
    packed.cache_clear()
    httpd = ThreadingHTTPServer(("127.0.0.1", 0), partial(PackingHandler, directory=folder))
    thread = threading.Thread(target=httpd.serve_forever)
    thread.start()
    try:
        yield f"http://127.0.0.1:{httpd.server_port}"
    finally:
        httpd.shutdown()
        thread.join()
        httpd.server_close()
