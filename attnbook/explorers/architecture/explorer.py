"""The transformer as a drawing: what runs along its arrows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from attnbook.explorers._base import Explorer
from attnbook.explorers._traits import (
    Address,
    Array,
    Setting,
    Trait,
    Words,
    checked_array,
    of_kind,
    word_list,
)
from attnutils._checks import FloatArray, Int
from attnutils.heads import MultiHeadParams, linear, multi_head_attention
from attnutils.normalize import softmax
from attnutils.positional import sinusoidal_encoding
from attnutils.transformer import (
    DecoderParams,
    EncoderParams,
    FeedForwardParams,
    LayerNormParams,
    layer_norm,
    relu,
)

__all__ = ["ArchitectureExplorer"]

MOST_WORDS = 16

# -- the drawing -----------------------------------------------------------------------------

WIDTH, HEIGHT = 312, 490
LEFT, RIGHT, BETWEEN = 78, 234, 156  # middles of the columns; where the memory goes up
BOX, AROUND = 56, 68  # from a middle to the edge of a box, and to the residual
FIRST, PITCH = 118, 96  # of the parts of a block
CROSS = FIRST + PITCH + 17

Lines = list[list[tuple[int, int]]]


class Station(NamedTuple):
    """A place of the drawing and what is there; one without a text is an arrow."""

    name: str
    letters: str  # of the shape
    code: str  # the line that makes the array
    note: str
    x: float
    y: float
    text: str = ""


def _start(side: str, x: float, letter: str, n: str, code: str) -> list[Station]:
    """Embedding and positions."""
    same = "A row for each word, with its d numbers."
    other = "At another place the same word would be another row."
    return [
        Station(f"{side}, embedding", f"({n}, d)", code, same, x, 57, "embedding"),
        Station(
            f"{side}, positions",
            f"({n}, d)",
            f"{letter} = {letter} + positions[:{n}]",
            other,
            x,
            90,
            "+ positions",
        ),
    ]


def _part(
    name: str, at: int, inside: tuple[str, str, str], text: str, output: tuple[str, str]
) -> list[Station]:
    """What is inside a part; what comes out of it; what is there after residual and norm."""
    x, y = (LEFT if name.startswith("Encoder") else RIGHT), FIRST + PITCH * at
    letter, n = ("x", "n") if x == LEFT else ("z", "m")
    (word, shape, note), (code, found) = inside, output
    result, after = letter, "What went in is added, and each row is brought to one scale."
    if name == "Encoder, feed-forward":
        result, after = "memory", "The memory: all that the decoder gets to see of the source."
    norm = f"{result} = layer_norm({letter} + found, ...)"
    first = f"hidden = relu({letter} @ w_in + b_in)" if word == "hidden" else code
    return [
        Station(f"{name}, {word}", shape, first, note, x, y + 17, text),
        Station(f"{name}, output", f"({n}, d)", code, found, x, y + 46),
        Station(f"{name}, norm", f"({n}, d)", norm, after, x, y + 70, "add, norm"),
    ]


_ALL = "For each head and each word that asks, a row of weights. It sums to 1."
_MASKED = "Such a row again. Hatched is masked: no word sees a later one."
_FOUND = "What the heads have found, mixed by one more matrix."
_WIDER = "Each word by itself, in a wider layer. What is below zero is cut off."
_BACK = "Back at width d, so that it can be added."
_NETWORK = "feed-forward\neach word by itself", ("found = hidden @ w_out + b_out", _BACK)

#: In the order in which they are computed.
STATIONS = [
    *_start("Encoder", LEFT, "x", "n", "x = source_table[source]"),
    *_part(
        "Encoder, self-attention",
        0,
        ("weights", "(H, n, n)", _ALL),
        "self-attention\nall words",
        ("found, weights = multi_head_attention(x, x, x, ...)", _FOUND),
    ),
    *_part("Encoder, feed-forward", 1, ("hidden", "(n, d_ff)", _WIDER), *_NETWORK),
    *_start("Decoder", RIGHT, "z", "m", "z = target_table[shifted(target)]"),
    *_part(
        "Decoder, self-attention",
        0,
        ("weights", "(H, m, m)", _MASKED),
        "self-attention\nno later words",
        ("found, weights = multi_head_attention(z, z, z, ..., is_causal=True)", _FOUND),
    ),
    *_part(
        "Decoder, attention to the encoder",
        1,
        ("weights", "(H, m, n)", _ALL),
        "attention\nto the encoder",
        ("found, weights = multi_head_attention(z, memory, memory, ...)", _FOUND),
    ),
    *_part("Decoder, feed-forward", 2, ("hidden", "(m, d_ff)", _WIDER), *_NETWORK),
    Station(
        "Linear",
        "(m, words)",
        "scores = z @ w_words",
        "A score for each word of the target language.",
        RIGHT,
        420,
        "linear",
    ),
    Station(
        "Softmax",
        "(m, words)",
        "probabilities = softmax(scores)",
        "What the model expects to come next, at each place.",
        RIGHT,
        454,
        "softmax",
    ),
]
NAMES = [station.name for station in STATIONS]


def lines() -> Lines:
    """The arrows of the drawing, from point to point; the tip is at the last."""
    drawn: Lines = []
    for x, side, n_parts in ((LEFT, -1, 2), (RIGHT, 1, 3)):
        drawn += [[(x, 36), (x, 44)], [(x, 70), (x, 78)], [(x, 102), (x, FIRST)]]
        for y in range(FIRST, FIRST + PITCH * n_parts, PITCH):
            around, edge = x + AROUND * side, x + BOX * side
            drawn.append([(x, y - 9), (around, y - 9), (around, y + 70), (edge, y + 70)])
            drawn.append([(x, y + 34), (x, y + 58)])
            if y < FIRST + PITCH * (n_parts - 1):
                drawn.append([(x, y + 82), (x, y + PITCH)])
    end = FIRST + 2 * PITCH
    memory = [
        (LEFT, end - 14),
        (LEFT, end + 6),
        (BETWEEN, end + 6),
        (BETWEEN, CROSS),
        (RIGHT - BOX, CROSS),
    ]
    last = FIRST + 3 * PITCH
    return [
        *drawn,
        memory,
        [(RIGHT, last - 14), (RIGHT, 408)],
        [(RIGHT, 432), (RIGHT, 442)],
        [(RIGHT, 466), (RIGHT, 474)],
    ]


# -- one run ---------------------------------------------------------------------------------


def run(
    x: FloatArray,
    z: FloatArray,
    encoder: EncoderParams,
    decoder: DecoderParams,
    w_words: FloatArray,
    n_heads: int,
) -> list[FloatArray]:
    """The arrays of all stations."""
    arrays = []

    def keep(array: FloatArray) -> FloatArray:
        arrays.append(array)
        return array

    def attend(
        x: FloatArray, source: FloatArray, p: MultiHeadParams, norm: LayerNormParams, **mask: bool
    ) -> FloatArray:
        found, weights = multi_head_attention(x, source, source, p, n_heads=n_heads, **mask)
        assert weights is not None
        keep(weights)
        return keep(layer_norm(x + keep(found), *norm))

    def compute(x: FloatArray, p: FeedForwardParams, norm: LayerNormParams) -> FloatArray:
        hidden = keep(relu(linear(x, p.w_in, p.b_in)))
        found = keep(linear(hidden, p.w_out, p.b_out))
        return keep(layer_norm(x + found, *norm))

    x = keep(keep(x) + sinusoidal_encoding(*x.shape))
    x = attend(x, x, encoder.attention, encoder.norm_1)
    memory = compute(x, encoder.feed_forward, encoder.norm_2)
    z = keep(keep(z) + sinusoidal_encoding(*z.shape))
    z = attend(z, z, decoder.self_attention, decoder.norm_1, is_causal=True)
    z = attend(z, memory, decoder.cross_attention, decoder.norm_2)
    z = compute(z, decoder.feed_forward, decoder.norm_3)
    keep(softmax(keep(z @ w_words)))
    return arrays


class ArchitectureExplorer(Explorer):
    """The transformer, drawn. Press a box or an arrow: shape, numbers and code of one run.

    One encoder block and one decoder block, post-norm. The run stays as it was computed.

    Parameters
    ----------
    source : sequence of str
        The n words of the source, 2 to 16.
    given : sequence of str
        The m words that the decoder is given, 2 to 16.
    vocabulary : sequence of str
        The words of the target language, 2 to 16.
    x : array_like of shape (n, d)
        Embeddings of the source, without positions.
    z : array_like of shape (m, d)
        Embeddings of what the decoder is given, without positions.
    encoder : EncoderParams
        Of the encoder block.
    decoder : DecoderParams
        Of the decoder block.
    w_words : array_like of shape (d, words)
        Makes a score for each word of the vocabulary.
    n_heads : int
        Number of heads of each attention.
    at : int, default 0
        The place that is shown, from 0 to 20, in the order of computing.

    Examples
    --------
    >>> from attnbook.models.transformer_translator import (
    ...     SOURCE_WORDS,
    ...     TARGET_WORDS,
    ...     load_translator_runs,
    ... )
    >>> params = load_translator_runs().params[True, True]
    >>> source, given = [0, 3, 6, 9], [12, 9, 3, 0, 6]  # Anna reads poems today; heute liest ...
    >>> explorer = ArchitectureExplorer(
    ...     [SOURCE_WORDS[i] for i in source],
    ...     [TARGET_WORDS[i] for i in given],
    ...     TARGET_WORDS,
    ...     params.source_table[source],
    ...     params.target_table[given],
    ...     params.encoder,
    ...     params.decoder,
    ...     params.w_words,
    ...     n_heads=2,
    ...     at=20,
    ... )
    >>> explorer.place, explorer.array.shape
    ('Softmax', (5, 14))
    """

    address = Address("architecture")
    source = Words(most=MOST_WORDS)
    given = Words(most=MOST_WORDS)
    vocabulary = Words(most=MOST_WORDS)
    #: Of each place: name, letters of the shape, code, note, middle (x, y), text, and the shape.
    stations = Trait()
    lines = Trait()
    #: The arrays of all places, one after the other.
    numbers = Array("size")
    at = Setting(
        Int(0, "it is the number of a place in the drawing", len(STATIONS) - 1), 0, address="at"
    )

    def __init__(
        self,
        source: Sequence[str],
        given: Sequence[str],
        vocabulary: Sequence[str],
        x: object,
        z: object,
        encoder: EncoderParams,
        decoder: DecoderParams,
        w_words: object,
        *,
        n_heads: int,
        **kwargs: Any,
    ) -> None:
        owner = type(self).__name__
        source = word_list(owner, "source", source, 2, MOST_WORDS)
        given = word_list(owner, "given", given, 2, MOST_WORDS)
        vocabulary = word_list(owner, "vocabulary", vocabulary, 2, MOST_WORDS)
        rows = checked_array(owner, "x", x, (len(source), "d"))
        others = checked_array(owner, "z", z, (len(given), rows.shape[1]))
        to_words = checked_array(owner, "w_words", w_words, (rows.shape[1], len(vocabulary)))
        of_kind(owner, "encoder", encoder, EncoderParams)
        of_kind(owner, "decoder", decoder, DecoderParams)
        arrays = run(rows, others, encoder, decoder, to_words, n_heads)
        super().__init__(
            source,
            given,
            vocabulary,
            stations=[
                {**station._asdict(), "shape": list(array.shape)}
                for station, array in zip(STATIONS, arrays, strict=True)
            ],
            lines=lines(),
            numbers=np.concatenate([array.ravel() for array in arrays]),
            **kwargs,
        )

    @property
    def place(self) -> str:
        """The name of the place that is shown."""
        return NAMES[self.at]

    @property
    def array(self) -> FloatArray:
        """The array at that place."""
        sizes = [int(np.prod(each["shape"])) for each in self.stations]
        start = sum(sizes[: self.at])
        return self.numbers[start : start + sizes[self.at]].reshape(self.stations[self.at]["shape"])
