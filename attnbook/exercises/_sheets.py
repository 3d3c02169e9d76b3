"""What a split into heads gives, as a picture: a sheet for each head, of twelve numbers."""

from typing import Any

import numpy as np

from attnbook.exercises._registry import attempt, numbers
from attnutils._checks import FloatArray

GIVEN, N_HEADS = np.arange(12.0).reshape(3, 4), 2
SIDE = 26  # of a cell, in px


class Sheets:
    """An array of one or more sheets; the numbers that belong to head 1 are on grey."""

    def __init__(self, array: FloatArray) -> None:
        self.array = array

    def __repr__(self) -> str:
        rows = [
            " | ".join(" ".join(f"{x:g}" for x in row) for row in sheet) for sheet in self.array
        ]
        return "\n".join(
            [f"shape {self.array.shape}", *(f"{h}: {row}" for h, row in enumerate(rows))]
        )

    def _repr_html_(self) -> str:
        n_sheets, n_rows, n_columns = self.array.shape
        wide = SIDE * n_columns + 24
        told = f"{self!r}".replace("\n", "; ")
        parts = [
            f'<svg role="img" aria-label="{told}" width="{wide * n_sheets}" '
            f'height="{SIDE * n_rows + 28}" font-size="14" fill="currentColor" '
            'stroke="currentColor" text-anchor="middle">'
        ]
        for h, sheet in enumerate(self.array):
            left = wide * h + 1
            name = f"{'axis 0, ' * (n_sheets != N_HEADS)}{'head ' * (n_sheets == N_HEADS)}{h}"
            parts.append(
                f'<text x="{left + 2}" y="15" text-anchor="start" stroke="none">{name}</text>'
            )
            for (r, c), x in np.ndenumerate(sheet):
                at, top = left + SIDE * c, 22 + SIDE * r
                shade = 0.16 if x % 4 >= 2 else 0
                parts.append(
                    f'<rect x="{at}" y="{top}" width="{SIDE}" height="{SIDE}" '
                    f'fill-opacity="{shade}"/><text x="{at + SIDE / 2}" y="{top + 18}" '
                    f'stroke="none">{x:g}</text>'
                )
        return f"<p>shape {self.array.shape}</p>{''.join(parts)}</svg>"


def sheets(split: Any) -> Sheets | None:
    """What a split makes of three tokens of width 4, for two heads; None if no sheets."""
    if not callable(split):
        return None
    array = numbers(attempt(split, GIVEN.copy(), N_HEADS))
    if array is None or array.size != GIVEN.size or array.ndim not in (2, 3):
        return None
    return Sheets(array.reshape(-1, *array.shape[-2:]))
