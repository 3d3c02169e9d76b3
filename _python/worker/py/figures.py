"""The backend of matplotlib in a page: figures are drawn as PNG, and `plt.show()` shows them."""

import show
from matplotlib.backend_bases import FigureManagerBase
from matplotlib.backends.backend_agg import FigureCanvasAgg


class FigureManager(FigureManagerBase):
    """Stands for a window, which there is none of."""

    @classmethod
    def pyplot_show(cls, *, block: bool | None = None) -> None:
        """Show the figures that are open, and close them, as in a notebook."""
        show.close_figures()


class FigureCanvas(FigureCanvasAgg):
    """What a figure is drawn on."""

    manager_class = FigureManager
