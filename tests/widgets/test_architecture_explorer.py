"""The drawing of the transformer: its arguments, the run behind it, its picture."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnutils import decoder_block, encoder_block, sinusoidal_encoding, softmax
from attnutils.translator import shifted, translator
from attnutils.widgets.architecture_explorer import STATIONS, lines
from tests.examples.architecture_explorer import PARAMS, SOURCE, TARGET, trained


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"source": ["one"]}, ValueError, "source has 1 entries but 2 to 16"),
        ({"given": ["a"] * 17}, ValueError, "given has 17 entries but 2 to 16"),
        ({"vocabulary": ["a", "b"]}, ValueError, r"w_words has shape \(8, 14\) but \(8, 2\)"),
        ({"x": np.zeros((3, 8))}, ValueError, r"x has shape \(3, 8\) but \(4, d\)"),
        ({"z": np.zeros((5, 6))}, ValueError, r"z has shape \(5, 6\) but \(5, 8\)"),
        (
            {"encoder": PARAMS.decoder},
            TypeError,
            "encoder must be EncoderParams, got DecoderParams",
        ),
        ({"decoder": None}, TypeError, "decoder must be DecoderParams, got NoneType"),
        ({"at": 21}, ValueError, "at must be an integer from 0 to 20, got 21"),
    ],
)
def test_bad_facts(change, error, message):
    with pytest.raises(error, match=message) as caught:
        trained(**change)
    assert str(caught.value).startswith("ArchitectureExplorer: ")


def arrays(explorer):
    """The array of each place, by its name."""
    found = {}
    for at in range(len(STATIONS)):
        explorer.at = at
        found[explorer.place] = explorer.array
    return found


def test_the_run_is_that_of_the_blocks_and_of_the_translator():
    got, given = arrays(trained()), shifted(TARGET)
    assert len(got) == len(STATIONS) == 21
    x = PARAMS.source_table[SOURCE] + sinusoidal_encoding(4, 8)
    z = PARAMS.target_table[given] + sinusoidal_encoding(5, 8)
    encoded = encoder_block(x, PARAMS.encoder, n_heads=2)
    decoded = decoder_block(z, encoded.output, PARAMS.decoder, n_heads=2)
    logits = translator(SOURCE, given, PARAMS)
    for name, wanted in {
        "Encoder, positions": x,
        "Encoder, self-attention, weights": encoded.weights,
        "Encoder, feed-forward, norm": encoded.output,
        "Decoder, positions": z,
        "Decoder, self-attention, weights": decoded.self_weights,
        "Decoder, attention to the encoder, weights": decoded.cross_weights,
        "Decoder, feed-forward, norm": decoded.output,
        "Linear": logits,
        "Softmax": softmax(logits),
    }.items():
        assert_allclose(got[name], wanted, rtol=0, atol=1e-12, err_msg=name)


def test_shapes_are_those_that_the_letters_say():
    sizes = {"n": 4, "m": 5, "d": 8, "H": 2, "d_ff": 16, "words": 14}
    for station, array in zip(STATIONS, arrays(trained()).values(), strict=True):
        letters = station.letters.strip("()").split(", ")
        assert array.shape == tuple(sizes[letter] for letter in letters), station.name


def test_every_arrow_ends_at_a_box_or_leaves_the_drawing():
    boxes = [station for station in STATIONS if station.text]
    loose = [
        end
        for *_, end in lines()
        if not any(abs(end[0] - s.x) <= 56 and abs(end[1] - s.y) <= 17 for s in boxes)
    ]
    assert loose == [(234, 474)]


@pytest.mark.parametrize("at", [1, 13])
def test_the_picture_shows_the_place(pixels, at):
    explorer = trained()
    before = pixels(explorer)
    explorer.at = at
    assert np.abs(before - pixels(explorer)).max() > 100


def test_the_text_is_one_stable_line():
    assert repr(trained(at=20)) == "ArchitectureExplorer(4 and 5 words, at='Softmax')"
