"""Examples of Question."""

from attnutils import Question
from tests.examples._texts import IMAGE

# Its states are usual.
USUAL = []

STATES = [
    Question("Is it?", answer=1),
    Question("`a`?", {"b": "", "c": ""}, "c"),
]

# Its width is that of its text.
WIDE = []

HOSTILE = [
    Question(IMAGE, {IMAGE: IMAGE, f"`{IMAGE}`": IMAGE}, IMAGE, ordered=True),
]
