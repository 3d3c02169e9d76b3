from attnbook import ArchitectureExplorer
from attnbook.lessons.translator import SOURCE_WORDS, TARGET_WORDS, load_translator_runs, shifted

SOURCE, TARGET = [0, 3, 6, 9], [9, 3, 0, 6, 13]  # Anna reads poems today, heute liest Anna ...
PARAMS = load_translator_runs().params[True, True]


def trained(**options: object) -> ArchitectureExplorer:
    """What the page shows: a run of the model that was trained."""
    given = shifted(TARGET)
    arguments = {
        "source": [SOURCE_WORDS[i] for i in SOURCE],
        "given": [TARGET_WORDS[i] for i in given],
        "vocabulary": TARGET_WORDS,
        "x": PARAMS.source_table[SOURCE],
        "z": PARAMS.target_table[given],
        "n_heads": 2,
        "encoder": PARAMS.encoder,
        "decoder": PARAMS.decoder,
        "w_words": PARAMS.w_words,
    }
    return ArchitectureExplorer(**{**arguments, **options})  # type: ignore[arg-type]


NAMED = {
    "trained": trained(),
    "masked attention": trained(at=10),
    "attention to the encoder": trained(at=13),
    "probabilities": trained(at=20),
}
