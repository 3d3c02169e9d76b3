"""IPython.display, as far as cells use it."""

from typing import Any

from attnbook.page.show import clear, display

__all__ = ["HTML", "SVG", "Markdown", "clear_output", "display"]


def clear_output(*args: Any, **options: Any) -> None:
    """Take back what the cell has shown."""
    clear()


class _Text:
    def __init__(self, data: str) -> None:
        self.data = data


class HTML(_Text):
    """A text that is HTML."""

    def _repr_html_(self) -> str:
        return self.data


class SVG(_Text):
    """A text that is SVG."""

    def _repr_svg_(self) -> str:
        return self.data


class Markdown(_Text):
    """Shown as it is written: the page has no renderer of Markdown."""

    def __repr__(self) -> str:
        return self.data
