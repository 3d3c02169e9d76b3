"""The rotary bench: its arguments, its scores, its picture, and its script's numbers."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnutils import rotary_embedding
from attnutils.widgets import RotaryBench

Q, K = [1, 0, 2, 1], [2, 1, 0, 1]


def make(query=Q, key=K, **options):
    return RotaryBench(query, key, **options)


@pytest.mark.parametrize(
    ("change", "error", "message"),
    [
        ({"query": [1, 2, 3], "key": [1, 2, 3]}, ValueError, "query has d=3 but 2, 4, 6 or 8"),
        ({"query": [1] * 10}, ValueError, "query has d=10"),
        ({"key": [1, 2]}, ValueError, r"key has shape \(2,\) but \(4,\)"),
        ({"query": [[1, 2]]}, ValueError, "query has shape"),
        ({"key": [np.inf] * 4}, ValueError, "key must hold"),
        ({"base": 0.5}, ValueError, "base must be a finite number of at least 1"),
        ({"base": np.inf}, ValueError, "base must be a finite number"),
        ({"query_position": 64}, ValueError, "query_position must be an integer from 0 to 63"),
        ({"key_position": -1}, ValueError, "key_position must be an integer from 0 to 63"),
        ({"key_position": 1.5}, TypeError, "key_position must be an integer"),
    ],
)
def test_bad_facts(change, error, message):
    with pytest.raises(error, match=message) as caught:
        make(**change)
    assert str(caught.value).startswith("RotaryBench: ")


def test_a_position_out_of_range_is_refused(assign):
    made = make(query_position=3)
    with pytest.raises(ValueError, match=r"^RotaryBench: query_position"):
        assign(made, "query_position", 64)
    assert made.query_position == 3


def test_the_score_depends_on_the_offset_alone():
    made = make(query_position=3, key_position=7)
    before = made.score
    assert before == pytest.approx(made.scores_by_offset[63 + 4])
    made.query_position, made.key_position = 50, 54
    assert made.score == pytest.approx(before, abs=1e-12)
    made.key_position = 55
    assert abs(made.score - before) > 1
    assert made.score == pytest.approx(made.scores_by_offset[63 + 5])


def test_the_base_is_used():
    made = make(base=10, query_position=2, key_position=9)
    turned = rotary_embedding(Q, 2, base=10) @ rotary_embedding(K, 9, base=10)
    assert made.score == pytest.approx(turned)
    assert made.scores_by_offset[63 + 7] == pytest.approx(turned)


def test_the_script_computes_what_attnutils_does(run_script):
    rng = np.random.default_rng(0)
    facts = [
        {"query_vector": rng.normal(size=d).tolist(), "key_vector": rng.normal(size=d).tolist(),
         "base": base}
        for d in (2, 4, 8)
        for base in (1.0, 100.0, 10000.0)
    ]  # fmt: skip
    got = run_script(
        ["handles", "positions", "rotary_bench"],
        """
        console.log(JSON.stringify(input.map((facts) => ({
          scores: Array.from({ length: 127 }, (_, n) => sum(shares(facts, n - 63))),
          turned: turnedPairs(facts.query_vector, 11, ratesOf(facts)).flat(),
        }))));
        """,
        facts,
    )
    for case, result in zip(facts, got, strict=True):
        made = make(case["query_vector"], case["key_vector"], base=case["base"])
        assert_allclose(result["scores"], made.scores_by_offset, rtol=1e-10, atol=1e-12)
        turned = rotary_embedding(case["query_vector"], 11, base=case["base"])
        assert_allclose(result["turned"], turned, rtol=1e-10, atol=1e-12)


@pytest.mark.parametrize(
    "change",
    [{"query_position": 9}, {"key_position": 9}, {"query_vector": [0, 1, 2, 1]}, {"key_vector": Q}],
)
def test_the_picture_shows_the_traits(pixels, change):
    made = make()
    for name, value in change.items():
        setattr(made, name, value)
    assert np.abs(pixels(make()) - pixels(made)).max() > 100


def test_the_text_is_one_stable_line():
    assert repr(make(query_position=3, key_position=7)) == (
        "RotaryBench(query=[1.0, 0.0, 2.0, 1.0], key=[2.0, 1.0, 0.0, 1.0], "
        "query_position=3, key_position=7)"
    )
