"""A server on this machine that says nothing, for tests and measurements."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, SimpleHTTPRequestHandler, ThreadingHTTPServer


class QuietHandler(SimpleHTTPRequestHandler):
    """Serves files without a line of log for each."""

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


def at_port(handler: Callable[..., BaseHTTPRequestHandler], port: int | str) -> ThreadingHTTPServer:
    """Return a server that listens at a port; at a free one for 0."""
    try:
        return ThreadingHTTPServer(("127.0.0.1", int(port)), handler)
    except (OSError, OverflowError, ValueError) as error:
        raise OSError(f"It cannot be served at port {port}: {error}") from None


@contextmanager
def serving(handler: Callable[..., BaseHTTPRequestHandler]) -> Iterator[str]:
    """Serve at a free port; give the address, without a slash at its end."""
    with at_port(handler, 0) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()
