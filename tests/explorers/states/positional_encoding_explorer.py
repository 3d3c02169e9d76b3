from attnbook import PositionalEncodingExplorer
from tests.explorers.states._texts import moved

NAMED = {
    "smallest": PositionalEncodingExplorer(length=2, dim=2),
    "ALiBi": PositionalEncodingExplorer(encoding="alibi", head=7),
    "two hands": moved(PositionalEncodingExplorer.example(), dim=4),
    "small base": moved(PositionalEncodingExplorer.example(), base=10.0, position=63),
}
WIDE = [PositionalEncodingExplorer(length=128, dim=128, base=1e300, position=127)]
