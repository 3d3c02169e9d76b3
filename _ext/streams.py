"""A printed line stays one line, wherever the kernel cut the stream.

A kernel sends what a cell prints in pieces, and a piece can end in the middle of a line. myst-nb
joins them with a line break each. Here they are joined as they are, before it sees them.
"""

from typing import Any

from myst_nb.core import render
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata

finish = render.coalesce_streams


def join_streams(outputs: list[Any]) -> list[Any]:
    """Join what a cell sent to each stream, then let myst-nb do the rest."""
    joined: list[Any] = []
    streams: dict[str, Any] = {}
    for output in outputs:
        if output["output_type"] != "stream":
            joined.append(output)
        elif output["name"] in streams:
            streams[output["name"]]["text"] += output["text"]
        else:
            streams[output["name"]] = output
            joined.append(output)
    return finish(joined)


def setup(app: Sphinx) -> ExtensionMetadata:
    render.coalesce_streams = join_streams
    return {"parallel_read_safe": True, "parallel_write_safe": True}
