"""What only the book *Attention Layers: an interactive chapter* needs, beside `attnutils`.

`check` judges an answer to an exercise, `grade` gives it points; the explorers are what slides. All
is imported when it is first asked for. `attnbook.models` has the trained and toy models of the
pages, with their data: ``from attnbook.models.language import load_language_model``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from attnbook.exercises import check as check
    from attnbook.exercises import draw_split as draw_split
    from attnbook.exercises import grade as grade
    from attnbook.exercises import put_to_work as put_to_work
    from attnbook.explorers import *
else:  # hidden from checkers of types, which shall say what there is not

    def __getattr__(name: str) -> Any:
        """Import what is asked for, or list the public names."""
        if name in ("check", "draw_split", "grade", "put_to_work"):
            return getattr(import_module("attnbook.exercises"), name)
        if name == "__all__":
            return [
                "check",
                "draw_split",
                "grade",
                "put_to_work",
                *import_module("attnbook.explorers").__all__,
            ]
        if not name.startswith("_") and name in __getattr__("__all__"):
            return getattr(import_module("attnbook.explorers"), name)
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

    def __dir__() -> list[str]:
        return __getattr__("__all__")
