"""anywidget, as far as the book's widgets use it."""

from attnbook.page.widget import AnyWidget as AnyWidget
