"""Calls that a checker of types must refuse, each in the line that is marked; they are not run."""

import numpy as np

import attnutils
from attnutils import MultiHeadParams, attention, causal_mask, encoder_block, gat_layer, softmax
from attnutils.worked_example import KEYS, VALUES


def calls(params: attnutils.EncoderParams, gat: attnutils.GATv2Params) -> None:
    softmax(None)  # wrong
    softmax([7, 5, 1], temperature="2")  # wrong
    softmax([7, 5, 1], axes=0)  # wrong
    attention(KEYS, KEYS)  # wrong
    attention({"query": KEYS}, KEYS, VALUES)  # wrong
    attention(KEYS, KEYS, VALUES, scores="dot")  # wrong
    attention(KEYS, KEYS, VALUES).weight  # wrong  # noqa: B018
    MultiHeadParams(w_query=np.eye(3), w_key=np.eye(3), w_value=np.eye(3))  # wrong
    encoder_block(KEYS, params, n_heads=2.0)  # wrong
    gat_layer(KEYS, [0, 1], [1, 2], gat)  # wrong
    causal_mask(6, 6, 6)  # wrong
    attnutils.sofmax([7, 5, 1])  # wrong
