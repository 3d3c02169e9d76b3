import math

from attnbook.explorers import WritingExplorer
from attnbook.explorers.writing_explorer import MOST_TEXT
from attnbook.lessons.language import load_language_model
from tests.explorers.states._texts import moved

MODELS = {"masked": load_language_model(), "unmasked": load_language_model(is_causal=False)}

NAMED = {
    "full, heads off, no mask, uniform": moved(
        WritingExplorer(MODELS, "Alice " * (MOST_TEXT // 6), model="unmasked"),
        temperature=math.inf,
        mask=False,
        context=5,
        heads=[0, 1, 1, 1, 0, 0, 0, 1],
        seed=999,
    ),
    "empty at T = 0": WritingExplorer(MODELS, "", temperature=0),
    "one character": WritingExplorer(MODELS, "'Well, it's q", context=1),
}
WIDE = [WritingExplorer(MODELS, "W" * 300 + "\n\n" + "é😀" * 50)]
