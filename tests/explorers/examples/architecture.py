from collections.abc import Sequence
from typing import Any

import numpy as np

from attnbook.explorers.architecture.explorer import ArchitectureExplorer
from attnbook.models.transformer_translator import (
    SOURCE_WORDS,
    TARGET_WORDS,
    load_translator_runs,
    shifted,
)
from attnutils.heads import MultiHeadParams
from attnutils.transformer import (
    DecoderParams,
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
)
from attnutils.worked_example import WORDS

SOURCE, TARGET = [0, 3, 6, 9], [9, 3, 0, 6, 13]  # Anna reads poems today, heute liest Anna ...
PARAMS = load_translator_runs().params[True, True]


def trained(**options: Any) -> ArchitectureExplorer:
    """What the page shows: a run of the model that was trained."""
    given = shifted(TARGET)
    arguments: dict[str, Any] = {
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
    return ArchitectureExplorer(**{**arguments, **options})


def start(words: Sequence[str] = WORDS) -> ArchitectureExplorer:
    """An explorer with these words on both sides, and random parameters."""
    rng = np.random.default_rng(0)
    n, d, d_ff = len(words), 4, 8

    def heads() -> MultiHeadParams:
        return MultiHeadParams(*rng.normal(size=(4, d, d)))

    def network() -> FeedForwardParams:
        w_in, w_out = rng.normal(size=(d, d_ff)), rng.normal(size=(d_ff, d))
        return FeedForwardParams(w_in, np.zeros(d_ff), w_out, np.zeros(d))

    norm = LayerNormParams(np.ones(d), np.zeros(d))
    encoder = EncoderParams(heads(), network(), norm, norm)
    decoder = DecoderParams(heads(), heads(), network(), norm, norm, norm)
    x, z = rng.normal(size=(2, n, d))
    w_words = rng.normal(size=(d, n))
    return ArchitectureExplorer(words, words, words, x, z, encoder, decoder, w_words, n_heads=2)


NAMED = {
    "trained": trained(),
    "masked attention": trained(at=10),
    "attention to the encoder": trained(at=13),
    "probabilities": trained(at=20),
}
