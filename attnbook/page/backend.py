"""A backend of matplotlib that shows figures as `figures.draw` makes them.

Notebooks have it where the book is made, and cells that run in a page:
`MPLBACKEND=module://attnbook.page.backend`.
"""

from __future__ import annotations

from IPython import get_ipython
from IPython.display import display
from matplotlib import pyplot as plt
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_svg import FigureCanvasSVG
from matplotlib.figure import Figure

from attnbook.page.figures import draw


class FigureManager(FigureManagerBase):
    """Stands for a window, which there is none of."""

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:
        """Show the figures that are open, and close them."""
        show_open()


class FigureCanvas(FigureCanvasSVG):
    """What a figure is drawn on."""

    manager_class = FigureManager


def show_open() -> None:
    """Show the figures that are open, and close them, as a notebook does at the end of a cell."""
    for number in plt.get_fignums():
        display(plt.figure(number))  # type: ignore[no-untyped-call]
    plt.close("all")


if (shell := get_ipython()) is not None:  # in a notebook; a page knows how it shows a figure
    shell.display_formatter.formatters["image/svg+xml"].for_type(Figure, draw)
    shell.events.register("post_execute", show_open)
