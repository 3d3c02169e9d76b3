import math

from attnbook.explorers.writing.explorer import MOST_TEXT, WritingExplorer
from attnbook.models.language import load_language_model
from tests.explorers.labels import ATTACK, moved

MODELS = {"masked": load_language_model(), "unmasked": load_language_model(is_causal=False)}


def start() -> WritingExplorer:
    """An explorer that reads less than its text."""
    return WritingExplorer(MODELS, "The Sleepy Child Reads A Book", context=12)


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
    "gone back": WritingExplorer(
        MODELS, "Alice was beginning to get very tired of sitting by her sister\n\non the", place=41
    ),
}
WIDE = [WritingExplorer(MODELS, "W" * 300 + "\n\n" + "é😀" * 50)]
HOSTILE = [WritingExplorer(MODELS, " ".join(ATTACK))]
