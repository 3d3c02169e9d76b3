"""The worked example that runs through the book: a query word against six keys.

Taught on the page *attention mechanism*. The embeddings are small integers so that every score
can be checked by hand; real embeddings are trained and hold fractions.
"""

import numpy as np

__all__ = ["KEYS", "POINTS", "VALUES", "WORDS"]

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

#: Each word in a plane, an ndarray of shape (6, 2). The first number is above 0 for a thing and
#: below 0 for what is said of one; the second is above 0 for what lives, below 0 for what does not.
POINTS = np.array([[0, 0], [-1, 2], [2, 2], [-2, -1], [-2, 0], [1, -2]], dtype=np.float64)

#: The sentiment of each word, an ndarray of shape (6, 1).
VALUES = np.array([[0], [-0.2], [0.3], [0.4], [0], [0.1]], dtype=np.float64)

KEYS.flags.writeable = False
POINTS.flags.writeable = False
VALUES.flags.writeable = False
