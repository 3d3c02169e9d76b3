"""More examples of WritingExplorer."""

import math

from attnutils import load_language_model
from attnutils.widgets import WritingExplorer
from attnutils.widgets.writing_explorer import MOST_TEXT

MODELS = {"masked": load_language_model(), "unmasked": load_language_model(is_causal=False)}


def far_on() -> WritingExplorer:
    """A full paper, heads that are off, no mask, a short context, an infinite temperature."""
    explorer = WritingExplorer(MODELS, "Alice " * (MOST_TEXT // 6), model="unmasked")
    explorer.temperature, explorer.mask, explorer.context = math.inf, False, 5
    explorer.heads, explorer.seed = [0, 1, 1, 1, 0, 0, 0, 1], 999
    return explorer


STATES = [far_on(), WritingExplorer(MODELS, "", temperature=0)]

WIDE = [WritingExplorer(MODELS, "W" * 300 + "\n\n" + "é😀" * 50)]
