"""As much of ipywidgets as the book's widgets use: one that names another.

Here such a widget is never shown anew. The page has it already, and there it knows the other one.
"""

from typing import Any


def _name(widget: Any, owner: object) -> str:
    return f"IPY_MODEL_{widget.model_id}"


widget_serialization = {"to_json": _name}
