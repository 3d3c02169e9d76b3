"""The worked example that runs through the book: a query word against six keys.

Taught on the page *attention mechanism*. The embeddings are small integers so that every score
can be checked by hand; real embeddings are trained and hold fractions.
"""

import numpy as np

__all__ = ["KEYS", "VALUES", "WORDS"]

#: The sentence "The sleepy child reads a book", a word per row of `KEYS` and `VALUES`.
WORDS = ("The", "Sleepy", "Child", "Reads", "A", "Book")

#: The embedding of each word, an ndarray of shape (6, 3).
KEYS = np.array(
    [
        [0, 0, 0],
        [2, 0, 1],
        [1, -1, -2],
        [2, 3, 1],
        [-2, 0, 0],
        [0, 2, 1],
    ],
    dtype=np.float64,
)

#: The sentiment of each word, an ndarray of shape (6, 1).
VALUES = np.array([[0], [-0.2], [0.3], [0.4], [0], [0.1]], dtype=np.float64)

KEYS.flags.writeable = False
VALUES.flags.writeable = False
