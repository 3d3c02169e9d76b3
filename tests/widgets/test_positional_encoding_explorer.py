"""The explorer of positional encodings: its arguments, its traits, its picture, its script."""

import json

import matplotlib
import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from attnutils import (
    PositionalEncodingExplorer,
    alibi_bias,
    rotary_embedding,
    sinusoidal_encoding,
)

INF, NAN = np.inf, np.nan


def explorer(**options):
    return PositionalEncodingExplorer(**options)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"length": 1}, ValueError, "length must be an integer from 2 to 128, got 1"),
        ({"length": 129}, ValueError, "length must be an integer from 2 to 128, got 129"),
        ({"length": 8.0}, TypeError, "length must be an integer from 2 to 128, got float"),
        ({"length": True}, TypeError, "length must be .* got bool"),
        ({"dim": 3}, ValueError, "dim must be an even integer from 2 to 128, got 3"),
        ({"dim": 0}, ValueError, "dim must be an even integer from 2 to 128, got 0"),
        ({"dim": 130}, ValueError, "dim must be an even integer from 2 to 128, got 130"),
        ({"dim": "32"}, TypeError, "dim must be .* got str"),
        ({"base": 1}, ValueError, "base must be a finite number above 1, got 1"),
        ({"base": INF}, ValueError, "base must be a finite number above 1, got inf"),
        ({"base": NAN}, ValueError, "base must be a finite number above 1, got nan"),
        ({"base": 10**400}, ValueError, "base must be a finite number above 1, got 1000"),
        ({"base": np.float32(1)}, ValueError, "base must be a finite number above 1, got 1.0"),
        ({"base": "e"}, TypeError, "base must be a finite number above 1, got str"),
        ({"position": 64}, ValueError, "position must be an integer from 0 to 63, got 64"),
        ({"position": -1}, ValueError, "position must be an integer from 0 to 63, got -1"),
        ({"position": 0.5}, TypeError, "position must be an integer from 0 to 63, got float"),
        ({"encoding": "learned"}, ValueError, '"sinusoidal" or "rotary" or "alibi", got "learned"'),
        ({"encoding": None}, TypeError, "encoding must be .* got NoneType"),
        ({"encoding": np.array(["alibi"])}, TypeError, "encoding must be .* got ndarray"),
        ({"head": 8}, ValueError, "head must be an integer from 0 to 7, got 8"),
    ],
)
def test_bad_arguments_and_assignments_are_refused(assign, change, error, message):
    with pytest.raises(error, match=message) as caught:
        explorer(**change)
    assert str(caught.value).startswith("PositionalEncodingExplorer: ")
    made = explorer()
    before = made.get_state()
    ((name, value),) = change.items()
    with pytest.raises(error, match=message) as caught:
        assign(made, name, value)
    assert str(caught.value).startswith("PositionalEncodingExplorer: ")
    assert made.get_state() == before


def test_the_position_keeps_inside():
    assert explorer().position == 20
    assert explorer(length=8).position == 7
    made = explorer(position=63)
    made.length = 30
    assert made.position == 29
    made.length = 64
    assert made.position == 29
    made.set_state({"length": 10, "position": 3})
    assert (made.length, made.position) == (10, 3)
    made.set_state({"length": 3})
    assert made.position == 2


def test_a_position_from_the_page_that_is_out_of_date_is_refused():
    made = explorer(position=40)
    made.length = 10
    with pytest.raises(ValueError, match="position must be an integer from 0 to 9, got 50"):
        made.set_state({"position": 50})
    assert made.position == 9


def test_numbers_become_plain_python_ones():
    made = explorer(length=np.int64(9), dim=np.int32(4), base=np.float32(2), position=np.int8(1))
    made.head = np.int64(3)
    state = made.get_state(["length", "dim", "base", "position", "head", "encoding"])
    assert json.loads(json.dumps(state)) == state
    made.set_state({"base": 100})
    assert type(made.base) is float


def test_sinusoidal_facts_are_those_of_attnutils():
    made = explorer(length=40, dim=32, position=9)
    table = sinusoidal_encoding(40, 32)
    assert_array_equal(made.encoding_matrix, table)
    assert_allclose(made.similarity, table @ table[9] / 16, atol=1e-15)
    assert (16 * made.similarity[[9, 13, 14, 5, 4]]).round(2).tolist() == [
        *[16, 11.66, 11.78, 11.66, 11.78]
    ]


def test_rotary_facts_are_those_of_attnutils():
    made = explorer(length=40, dim=32, base=50, position=9, encoding="rotary")
    x = np.array([1.0, 0.0] * 16)
    for i, row in enumerate(made.encoding_matrix):
        assert_allclose(row, rotary_embedding(x, i, base=50), atol=1e-15)
        score = rotary_embedding(x, 9, base=50) @ rotary_embedding(x, i, base=50)
        assert made.similarity[i] == pytest.approx(score / (x @ x), abs=1e-15)


@pytest.mark.parametrize("head", range(8))
def test_alibi_facts_are_those_of_attnutils(head):
    made = explorer(length=10, position=4, encoding="alibi", head=head)
    assert_array_equal(made.encoding_matrix, alibi_bias(8, 10)[head])
    assert_array_equal(made.similarity, alibi_bias(8, 10)[head, 4])
    assert made.similarity[5] == -(2.0 ** -(head + 1))
    assert_array_equal(made.similarity_to(7), alibi_bias(8, 10)[head, 7])


def test_what_travels_arrives():
    made = explorer()
    heard = []
    made.observe(lambda change: heard.append((change.name, change.new)), names=["base", "encoding"])
    made.set_state({"base": 500, "encoding": "alibi", "head": 5})
    assert sorted(heard) == [("base", 500.0), ("encoding", "alibi")]
    assert made.head == 5


def test_the_text_is_one_stable_line():
    assert repr(explorer()) == (
        "PositionalEncodingExplorer(encoding='sinusoidal', length=64, dim=32, base=10000, "
        "position=20)"
    )
    assert repr(explorer(encoding="alibi", length=9)) == (
        "PositionalEncodingExplorer(encoding='alibi', length=9, head=2, position=8)"
    )


# -- the picture -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "change",
    [
        {"length": 30},
        {"dim": 30},
        {"base": 100},
        {"base": 1e300},
        {"position": 21},
        {"encoding": "rotary"},
        {"encoding": "alibi"},
        {"length": 2, "dim": 2},
        {"length": 128, "dim": 128, "position": 127},
    ],
)
def test_the_picture_shows_the_traits(pixels, change):
    assert np.abs(pixels(explorer()) - pixels(explorer(**change))).max() > 100


def test_the_picture_shows_the_head(pixels):
    a, b = (pixels(explorer(encoding="alibi", head=head)) for head in (2, 3))
    assert np.abs(a - b).max() > 100
    pixels(explorer(encoding="alibi", length=2, head=7))


# -- the script ------------------------------------------------------------------------------

SIZES = [(2, 2), (3, 4), (20, 6), (64, 32), (33, 50), (128, 128)]
BASES = [1.5, 10.0, 10000.0, 1e6, 1e300]


@pytest.mark.parametrize("encoding", ["sinusoidal", "rotary"])
def test_the_script_computes_encodings_as_attnutils_does(run_script, encoding):
    cases = [
        {"encoding": encoding, "length": length, "dim": dim, "base": base, "head": 0}
        for length, dim in SIZES
        for base in BASES
    ]
    got = run_script(
        ["positions", "positional_encoding_explorer"],
        """
        console.log(JSON.stringify(input.map((facts) => {
          const matrix = encodingMatrix(facts);
          return {
            matrix: [...matrix],
            waves: Array.from({ length: facts.dim }, (_, c) => wave(c, facts)(facts.length - 1)),
            similar: [0, facts.length >> 1, facts.length - 1].map((i) =>
              similarityTo(matrix, facts, i)),
          };
        })));
        """,
        cases,
    )
    for case, result in zip(cases, got, strict=True):
        length, dim = case["length"], case["dim"]
        made = explorer(length=length, dim=dim, base=case["base"], encoding=encoding)
        matrix = made.encoding_matrix
        assert_allclose(np.reshape(result["matrix"], (length, dim)), matrix, rtol=0, atol=1e-12)
        assert_allclose(result["waves"], matrix[-1], rtol=0, atol=1e-12)
        for position, similar in zip((0, length >> 1, length - 1), result["similar"], strict=True):
            made.position = position
            assert_allclose(similar, made.similarity, rtol=0, atol=1e-12)


def test_the_script_computes_biases_as_attnutils_does(run_script):
    got = run_script(
        ["positions", "positional_encoding_explorer"],
        """
        console.log(JSON.stringify(Array.from({ length: HEADS }, (_, head) => {
          const facts = { encoding: "alibi", length: 9, dim: 32, base: 10000, head };
          const matrix = encodingMatrix(facts);
          return { matrix: [...matrix], similar: similarityTo(matrix, facts, 3) };
        })));
        """,
        None,
    )
    assert_array_equal([np.reshape(one["matrix"], (9, 9)) for one in got], alibi_bias(8, 9))
    assert_array_equal([one["similar"] for one in got], alibi_bias(8, 9)[:, 3])


def test_the_wavelengths_are_those_of_the_page(run_script):
    got = run_script(
        ["positions", "positional_encoding_explorer"],
        """
        console.log(JSON.stringify(input.map((dim) =>
          [0, 1, dim - 2, dim - 1].map((c) => wavelength(c, { dim, base: 10000 })))));
        """,
        [4, 32],
    )
    for waves, longest in zip(got, (628, 35333), strict=True):
        assert waves[0] == waves[1] == 2 * np.pi
        assert waves[2] == waves[3] == pytest.approx(longest, abs=0.5)


def test_the_colours_are_those_of_the_figures(run_script):
    got = run_script(
        ["positions", "positional_encoding_explorer"],
        "console.log(JSON.stringify(input.map(signedColour)));",
        list(np.linspace(-1, 1, 2001)),
    )
    wanted = matplotlib.colormaps["RdBu_r"]((np.linspace(-1, 1, 2001) + 1) / 2)[:, :3]
    assert_array_equal(got, (255 * wanted).round())
