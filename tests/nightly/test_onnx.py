"""The reference cases of the ONNX operators Attention, Softmax and LayerNormalization.

An operator of ONNX takes in one node what takes several functions here, so the inputs are brought
into the form of attnutils first. NumPy has no bfloat16: it is computed in float32.
"""

from importlib import import_module

import numpy as np
import onnx
import pytest
from numpy.testing import assert_allclose
from onnx.backend.test.case import node as cases

import attnutils as a

# The attributes of the operators that the tests below heed. A case with another one fails.
ATTENTION = "q_num_heads kv_num_heads is_causal left_window_size right_window_size scale softcap"
ATTENTION += " qk_matmul_output_mode softmax_precision"  # neither changes the output here
HEEDED = {"Attention": {*ATTENTION.split()}, "Softmax": {"axis"}}
HEEDED["LayerNormalization"] = {"axis", "epsilon"}
RTOL = {"float64": 1e-7, "float32": 1e-5, "float16": 2e-3, "bfloat16": 1.6e-2}


def collected():
    """The cases that consist of one node of the three operators, by operator and name."""
    for operator in HEEDED:  # each has a module that makes its cases
        import_module(f"{cases.__name__}.{operator.lower()}")
    found = {operator: {} for operator in HEEDED}
    for case in cases._NodeTestCases:
        operators = [node.op_type for node in case.model.graph.node]
        if len(operators) == 1 and operators[0] in found:
            found[operators[0]][case.name] = case
    return found


CASES = collected()
assert all(CASES.values())


def parts_of(case):
    """Inputs and outputs by their names in the operator, and the attributes."""
    (node,) = case.model.graph.node
    ((inputs, outputs),) = case.data_sets
    given = dict(zip([name for name in node.input if name], inputs, strict=True))
    expected = dict(zip([name for name in node.output if name], outputs, strict=True))
    options = {x.name: onnx.helper.get_attribute_value(x) for x in node.attribute}
    assert options.keys() <= HEEDED[node.op_type]
    return given, expected, options


def numeric(x):
    return x.astype(np.float32) if x.dtype.name == "bfloat16" else x


def assert_close(actual, expected):
    rtol = RTOL[expected.dtype.name]  # what the last digit allows
    assert_allclose(actual, numeric(expected), rtol=rtol, atol=rtol)


def as_arguments(given, options):
    """Query, key and value with an axis for heads, and the other arguments of attention."""
    q, k, v = (numeric(given[name]) for name in "QKV")
    if q.ndim == 3:
        q = a.split_heads(q, options["q_num_heads"])
        k, v = (a.split_heads(x, options["kv_num_heads"]) for x in (k, v))
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
    # Where the first query is among the keys: top-left, or after the keys of the past.
    first = np.full((1, 1, 1, 1), past)
    if "nonpad_kv_seqlen" in given:
        lengths = given["nonpad_kv_seqlen"]
        mask = mask & a.padding_mask(lengths, n_k)[:, None]
        first = (lengths - n_q)[:, None, None, None]
    # How far key j is behind query i.
    behind = first + np.arange(n_q)[:, None] - np.arange(n_k)
    for side, sign in (("left", 1), ("right", -1)):
        if (width := options.get(f"{side}_window_size", -1)) >= 0:
            mask = mask & (sign * behind <= width)
    is_causal = bool(options.get("is_causal", False))
    if is_causal and (first != n_k - n_q).any():  # not bottom-right, as attnutils has it
        mask, is_causal = mask & (behind >= 0), False

    if "scale" in options:  # that of attnutils is 1 / sqrt(d_k)
        q = q * q.dtype.type(options["scale"] * q.shape[-1] ** 0.5)
    cap = options.get("softcap", 0)

    def scores(query, key):
        table = a.scaled_dot_scores(query, key)
        return cap * np.tanh(table / cap) if cap else table

    return (q, k, v), {"mask": mask, "bias": bias, "is_causal": is_causal, "scores": scores}


@pytest.mark.parametrize("name", CASES["Attention"])
def test_attention(name):
    given, expected, options = parts_of(CASES["Attention"][name])
    arguments, rest = as_arguments(given, options)
    output = a.attention(*arguments, **rest).output
    assert_close(a.merge_heads(output) if given["Q"].ndim == 3 else output, expected["Y"])


@pytest.mark.parametrize("name", CASES["Softmax"])
def test_softmax(name):
    given, expected, options = parts_of(CASES["Softmax"][name])
    assert_close(a.softmax(given["x"], **options), expected["y"])


@pytest.mark.parametrize("name", CASES["LayerNormalization"])
def test_layer_norm(name):
    given, expected, options = parts_of(CASES["LayerNormalization"][name])
    x = given["X"]
    axis = options.get("axis", -1) % x.ndim
    rows = x.reshape(*x.shape[:axis], -1)  # the axes to normalize over, as one
    y = a.layer_norm(rows, given["W"].ravel(), given["B"].ravel(), options.get("epsilon", 1e-5))
    assert_close(y.reshape(x.shape), expected["Y"])
