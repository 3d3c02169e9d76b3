"""The reference cases of the ONNX operators Attention, Softmax and LayerNormalization.

An operator of ONNX takes in one node what takes several functions here, so the inputs are brought
into the form of attnutils first; the expected outputs stay as they are. NumPy has no bfloat16:
such inputs are computed in float32 and compared with the tolerance of what they came in.
"""

from importlib import import_module

import numpy as np
import onnx
import pytest
from numpy.testing import assert_allclose
from onnx.backend.test.case import node as cases

from attnutils import (
    attention,
    causal_mask,
    layer_norm,
    merge_heads,
    padding_mask,
    scaled_dot_scores,
    softmax,
    split_heads,
)

# The attributes of the operators that the tests below heed. A case with another one fails.
HEEDED = {
    "Attention": {
        "is_causal",
        "kv_num_heads",
        "left_window_size",
        "q_num_heads",
        "qk_matmul_output_mode",
        "right_window_size",
        "scale",
        "softcap",
        "softmax_precision",  # float16 is computed in float32 here in any case
    },
    "Softmax": {"axis"},
    "LayerNormalization": {"axis", "epsilon"},
}

# What the last digit allows, by the name of the dtype.
RTOL = {"float64": 1e-7, "float32": 1e-5, "float16": 2e-3, "bfloat16": 1.6e-2}


def collected():
    """The cases that consist of one node of the three operators, by operator and name.

    Each operator has a module, which makes its cases when it is imported. Those of all operators,
    as `collect_testcases` gives them, take a third of the time in which our tests are collected.
    """
    # The cases draw from the global generator; it is given back as it was.
    state = np.random.get_state()  # noqa: NPY002
    for operator in HEEDED:
        import_module(f"{cases.__name__}.{operator.lower()}")
    np.random.set_state(state)  # noqa: NPY002
    found = {operator: {} for operator in HEEDED}
    for case in cases._NodeTestCases:
        operators = [node.op_type for node in case.model.graph.node]
        if len(operators) == 1 and operators[0] in found:
            found[operators[0]][case.name] = case
    return found


CASES = collected()


def every(operator):
    return pytest.mark.parametrize("case", CASES[operator].values(), ids=CASES[operator])


def parts_of(case):
    """Inputs and expected outputs by their names in the operator, and the attributes."""
    (node,) = case.model.graph.node
    ((inputs, outputs),) = case.data_sets
    given = dict(zip([name for name in node.input if name], inputs, strict=True))
    expected = dict(zip([name for name in node.output if name], outputs, strict=True))
    options = {a.name: onnx.helper.get_attribute_value(a) for a in node.attribute}
    assert options.keys() <= HEEDED[node.op_type]
    return given, expected, options


def numeric(x):
    """`x` in a dtype that NumPy computes with."""
    return x.astype(np.float32) if x.dtype.name == "bfloat16" else x


def assert_close(actual, expected):
    rtol = RTOL[expected.dtype.name]
    assert_allclose(actual, numeric(expected), rtol=rtol, atol=rtol)


def as_arguments(given, options):
    """Query, key and value with an axis for heads, and the other arguments of attention."""
    q, k, v = (numeric(given[name]) for name in "QKV")
    if q.ndim == 3:
        q = split_heads(q, options["q_num_heads"])
        k, v = (split_heads(x, options["kv_num_heads"]) for x in (k, v))
    past = 0
    if "past_key" in given:  # what was computed before goes in front
        past = given["past_key"].shape[2]
        k = np.concatenate([numeric(given["past_key"]), k], axis=2)
        v = np.concatenate([numeric(given["past_value"]), v], axis=2)
    k, v = (np.repeat(x, q.shape[1] // x.shape[1], axis=1) for x in (k, v))
    n_q, n_k = q.shape[2], k.shape[2]

    mask, bias = np.ones((1, 1, n_q, n_k), bool), np.zeros((), q.dtype)
    if "attn_mask" in given:
        table = numeric(given["attn_mask"])
        missing = [(0, 0)] * (table.ndim - 1) + [(0, n_k - table.shape[-1])]
        if table.dtype == bool:
            mask = mask & np.pad(table, missing)
        else:
            bias = np.pad(table, missing, constant_values=-np.inf)
    # The place of the first query among the keys: top-left, or after the keys of the past.
    first = np.full((1, 1, 1, 1), past)
    if "nonpad_kv_seqlen" in given:
        lengths = given["nonpad_kv_seqlen"]
        mask = mask & padding_mask(lengths, n_k)[:, None]
        first = (lengths - n_q)[:, None, None, None]
    # How far key j is behind query i.
    behind = first + np.arange(n_q)[:, None] - np.arange(n_k)
    left, right = (options.get(f"{side}_window_size", -1) for side in ("left", "right"))
    if left >= 0:
        mask = mask & (behind <= left)
    if right >= 0:
        mask = mask & (behind >= -right)
    is_causal = bool(options.get("is_causal", False))
    if is_causal and (first != n_k - n_q).any():  # not bottom-right, as attnutils has it
        mask, is_causal = mask & (behind >= 0), False

    if "scale" in options:  # that of attnutils is 1 / sqrt(d_k)
        q = q * q.dtype.type(options["scale"] * q.shape[-1] ** 0.5)
    cap = options.get("softcap", 0)

    def scores(query, key):
        table = scaled_dot_scores(query, key)
        return cap * np.tanh(table / cap) if cap else table

    return (q, k, v), {"mask": mask, "bias": bias, "is_causal": is_causal, "scores": scores}


@every("Attention")
def test_attention(case):
    given, expected, options = parts_of(case)
    arguments, rest = as_arguments(given, options)
    output, weights = attention(*arguments, **rest)
    assert output.dtype == arguments[0].dtype
    without_weights = attention(*arguments, **rest, need_weights=False).output
    for result in (output, without_weights):
        y = merge_heads(result) if given["Q"].ndim == 3 else result
        assert y.shape == expected["Y"].shape
        assert_close(y, expected["Y"])
    if "qk_matmul_output" in expected:
        scores = rest["scores"](*arguments[:2])
        seen = rest["mask"] & (causal_mask(*scores.shape[-2:]) if rest["is_causal"] else True)
        hidden = np.where(seen, scores + rest["bias"], -np.inf)
        stage = (scores, scores, hidden, weights)[options.get("qk_matmul_output_mode", 0)]
        assert_close(stage, expected["qk_matmul_output"])


@every("Softmax")
def test_softmax(case):
    given, expected, options = parts_of(case)
    assert_close(softmax(given["x"], **options), expected["y"])


@every("LayerNormalization")
def test_layer_norm(case):
    given, expected, options = parts_of(case)
    x = given["X"]
    axis = options.get("axis", -1) % x.ndim
    rows = x.reshape(*x.shape[:axis], -1)  # the axes to normalize over, as one
    y = layer_norm(rows, given["W"].ravel(), given["B"].ravel(), options.get("epsilon", 1e-5))
    assert_close(y.reshape(x.shape), expected["Y"])


def test_no_case_has_gone_missing():
    assert len(CASES["Attention"]) >= 93
    assert len(CASES["LayerNormalization"]) >= 19
    assert len(CASES["Softmax"]) >= 7
