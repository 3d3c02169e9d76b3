"""Serve the built book on this machine and open it in a browser."""

import argparse
import contextlib
import webbrowser
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer

from tools.project import HTML


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--port", type=int, default=8000, help="0 takes any free port")
    arguments = parser.parse_args()
    handler = partial(SimpleHTTPRequestHandler, directory=HTML)
    try:
        server = ThreadingHTTPServer(("127.0.0.1", arguments.port), handler)
    except OSError:  # the port is taken
        server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    address = f"http://127.0.0.1:{server.server_port}/"
    print(f"The book is at {address} (stop with Ctrl+C)", flush=True)
    webbrowser.open(address)
    with contextlib.suppress(KeyboardInterrupt):
        server.serve_forever()


if __name__ == "__main__":
    main()
