"""Layers with a mistake and the probes that find it: who sees what, and what is right."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from attnbook.models.bugs import MISTAKES, PROBES, keeps, mistaken_attention, probe_attention
from attnutils import attention

#: The probes that see each mistake; "!" after one of them: by an error.
SEEN_BY = {
    "no mistake": "",
    "no keepdims": "all values 1, keys shuffled, one query, everything twice!, an empty row",
    "softmax over queries": "all values 1, keys shifted, one query, everything twice, an empty row",
    "no maximum subtracted": "keys shifted",
    "divided by d": "twice as wide",
    "divided by root of n_q": "one query, twice as wide",
    "mask after softmax": "a hidden key",
    "hidden scores -1e9": "an empty row",
    "not divided": "twice as wide",
    "mask not used": "a hidden key, an empty row",
    "mask reversed": "all values 1, a hidden key, an empty row",
    "hidden scores 0": "a hidden key, an empty row",
    "no guard for nothing": "an empty row",
    "one more in the total": "all values 1, everything twice",
    "a triangle built in": "keys shuffled, one query",
    "weights transposed": (
        "all values 1, keys shuffled, one query!, everything twice!, a hidden key, an empty row"
    ),
}


def layer_with(mistake):
    return lambda *given: mistaken_attention(*given, mistake=mistake).output


def seen_by(mistake, *arrays):
    for probe in PROBES:
        try:
            probed = probe_attention(layer_with(mistake), *arrays, probe=probe)
        except ValueError:
            yield f"{probe}!"
            continue
        if not keeps(probed).all():
            yield probe


@pytest.mark.parametrize("mistake", MISTAKES)
@pytest.mark.parametrize("seed", range(20))
def test_each_probe_sees_what_it_should_and_accuses_nobody_falsely(mistake, seed):
    rng = np.random.default_rng(seed)
    q, k, v = (rng.normal(size=shape) for shape in [(6, 3), (6, 3), (6, 2)])
    assert ", ".join(seen_by(mistake, q, k, v)) == SEEN_BY[mistake]


def test_without_a_mistake_it_is_attention():
    rng = np.random.default_rng(0)
    q, k, v = (rng.normal(size=shape) for shape in [(4, 3), (5, 3), (5, 2)])
    mask = np.tri(4, 5, k=-1, dtype=bool)
    for seen in (None, mask):
        ours, right = mistaken_attention(q, k, v, seen), attention(q, k, v, mask=seen)
        assert_allclose(ours.output, right.output, atol=1e-12)
        assert_allclose(ours.weights, right.weights, atol=1e-12)


def test_nan_is_no_right_output():
    layer = layer_with("no guard for nothing")
    probed = probe_attention(layer, np.eye(3), np.eye(3), np.ones((3, 1)), probe="an empty row")
    assert keeps(probed).tolist() == [True, True, False]
    assert_allclose(probed.wanted[:, 0], [1, 1, 0], atol=1e-12)
