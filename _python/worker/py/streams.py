"""What a cell prints goes to the page while it runs; too much of it is cut."""

import io
import time

import show

# So many pieces go at once; those of a cell that prints more wait for each other a moment.
_AT_ONCE, _TOGETHER, _SECONDS = 100, 4096, 0.05


class Stream(io.TextIOBase):
    """A stream that hands whole lines on, and what is left when it is flushed."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.held: list[str] = []
        self.size = self.pieces = 0
        self.last = 0.0

    def writable(self) -> bool:
        return True

    def write(self, text: str) -> int:
        self.held.append(text)
        self.size += len(text)
        if "\n" in text and (
            self.pieces < _AT_ONCE
            or self.size > _TOGETHER
            or time.monotonic() - self.last > _SECONDS
        ):
            self.flush()
        return len(text)

    def flush(self) -> None:
        """Send what is held."""
        text = "".join(self.held)
        self.held.clear()
        self.size = 0
        if text:
            self.pieces += 1
            self.last = time.monotonic()
            show.send_text(self.name, text)

    def begin(self) -> None:
        """Drop what is left of another cell."""
        self.held.clear()
        self.size = self.pieces = 0
