"""All functions that check their arguments, with a right call of each, for laws of them all."""

import importlib
import pkgutil

import numpy as np

import attnutils as a
from attnbook import models
from attnbook.models import induction, language, toy_tasks, transformer_translator

MODULES = [
    importlib.import_module(module.name)
    for package in (a, models)
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}.")
    if not module.name.rpartition(".")[2].startswith("_")
]
#: By their names: what is `checked`.
FUNCTIONS = {
    name: x
    for module in MODULES
    for name, x in vars(module).items()
    if "__signature__" in getattr(x, "__dict__", ()) and x.__module__ == module.__name__
}


def leaves(x, path=""):
    """The arrays of real numbers in arguments or results, with where they are."""
    if isinstance(x, np.ndarray):
        return [(path, x)] if x.dtype.kind == "f" else []
    items = x._asdict() if hasattr(x, "_asdict") else x
    if isinstance(items, tuple | list):
        items = dict(enumerate(items))
    if not isinstance(items, dict):
        return []
    return [leaf for name, part in items.items() for leaf in leaves(part, f"{path}.{name}")]


def right_calls():
    """The arguments of a right call by the name of the function; all sizes differ, if they can."""
    rng = np.random.default_rng(0)

    def draw(*shape):
        return rng.standard_normal(shape)

    q, k, v = draw(2, 3), draw(4, 3), draw(4, 5)
    mask = np.array([[True, True, False, True], [False, True, True, True]])
    rows = {"query": q, "key": k}
    triple = {**rows, "value": v}
    weights = a.softmax(draw(2, 4))

    def heads(d, d_in):
        shapes = (d, 4), (d_in, 4), (d_in, 6), (6, d), 4, 4, 6, d
        return a.MultiHeadParams(*(rng.standard_normal(shape) for shape in shapes))

    x, memory, norm = draw(4, 7), draw(3, 5), a.LayerNormParams(draw(7), draw(7))
    network = a.FeedForwardParams(draw(7, 9), draw(9), draw(9, 7), draw(7))
    encoder = a.EncoderParams(heads(7, 7), network, norm, norm)
    decoder = a.DecoderParams(heads(7, 7), heads(7, 5), network, norm, norm, norm)
    block = {"n_heads": 2, "mask": np.tri(4, dtype=bool), "norm": "pre", "eps": 1e-4}
    block |= {"activation": a.gelu}

    nodes, edges = draw(3, 5), {"senders": [0, 1, 2, 1], "receivers": [1, 2, 0, 0]}
    gat = a.GATParams(draw(5, 2, 4), draw(2, 4), draw(2, 4))
    gatv2 = a.GATv2Params(draw(5, 2, 4), draw(5, 2, 4), draw(2, 4))
    layer = {"combine": "mean", "negative_slope": 0.1, "self_loops": False}

    classifier = toy_tasks.init_classifier(rng, n_symbols=3, n_classes=6, d=4)
    model = language.init_language_model(rng, n_symbols=3, d=4, d_ff=6)
    pair = {"tokens": [0, 2, 1], "targets": [2, -1, 0]}
    codes = {"n_heads": 2, "is_causal": False}
    tokens = {"tokens": pair["tokens"]}
    words = {"source": [0, 3, 6, 9], "given": [12, 0, 3, 6, 9]}
    learned = {
        "params": transformer_translator.train_translator(rng, 0),
        "is_causal": False,
        "n_heads": 2,
    }
    training = {"n_steps": 1, "learning_rate": 0.1}
    arrays = [draw(2), draw(3, 1)]
    copies = {"params": induction.init_attention_only(rng)}
    bound = models.binding.train_binding(rng, 2, 4, 0)
    random = {"rng": np.random.default_rng(0)}
    batch = {**random, "batch_size": 2}
    counted = {"axis": 0, "temperature": 2.0}
    labels = {"rows": ["a", "b"], "columns": list("abcd"), "mask": mask}
    return {
        "softmax": {"x": v, **counted},
        "hardmax": {"x": v, "axis": 0},
        "sparsemax": {"x": v, **counted},
        "masked_softmax": {"scores": draw(2, 4), "mask": mask, **counted},
        "entropy": {"weights": weights, "axis": 0, "base": 3.0},
        "dot_scores": rows,
        "scaled_dot_scores": rows,
        "gaussian_scores": {**rows, "bandwidth": 0.5},
        "bilinear_scores": {"query": q, "key": v, "w": draw(3, 5)},
        "additive_scores": (
            {"query": q, "key": v}
            | {"w_query": draw(3, 7), "w_key": draw(5, 7), "w_score": draw(7)}
        ),
        "attention": (
            triple
            | {"mask": mask, "bias": draw(2, 4), "is_causal": True, "scores": a.dot_scores}
            | {"temperature": 2.0, "need_weights": True}
        ),
        "causal_mask": {"n_query": 2, "n_key": 3},
        "padding_mask": {"lengths": [1, 3], "n_key": 4},
        "window_mask": {"n": 4, "width": 3},
        "split_heads": {"x": draw(3, 8), "n_heads": 2},
        "merge_heads": {"x": draw(2, 3, 4)},
        "multi_head_attention": (
            {"query": draw(2, 7), "key": v, "value": v, "params": heads(7, 5)}
            | {"n_heads": 2, "mask": mask, "bias": draw(2, 4), "is_causal": True}
        ),
        "sinusoidal_encoding": {"length": 3, "dim": 4, "base": 10.0},
        "rotary_embedding": {"x": draw(3, 4), "positions": [1.0, 5.0, 3.0], "base": 10.0},
        "alibi_bias": {"n_heads": 2, "n_query": 3, "n_key": 4},
        "relu": {"x": v},
        "gelu": {"x": v},
        "layer_norm": {"x": x, "scale": draw(7), "bias": draw(7), "eps": 0.1},
        "feed_forward": {"x": x, "params": network, "activation": a.gelu},
        "encoder_block": {"x": x, "params": encoder, **block},
        "decoder_block": (
            {"x": x, "memory": memory, "params": decoder}
            | block
            | {"memory_mask": [True, False, True]}
        ),
        "segment_softmax": {"scores": draw(3, 2), "segments": [1, 0, 1], "n_segments": 2},
        "graph_attention": (
            {"query": draw(3, 2, 4), "key": draw(5, 2, 4), "value": draw(5, 2, 6)}
            | edges
            | {"edge_bias": draw(4, 2)}
        ),
        "gat_layer": {"nodes": nodes, **edges, "params": gat, **layer},
        "gatv2_layer": {"nodes": nodes, **edges, "params": gatv2, **layer},
        "softmax_backward": {"weights": weights, "d_weights": draw(2, 4)},
        "attention_backward": {**triple, "weights": weights, "d_output": draw(2, 5)},
        "cross_entropy": {"logits": draw(3, 6), "targets": [5, -1, 0]},
        "numerical_gradient": {"function": np.sum, "x": v, "step": 0.1},
        "adam_init": {"params": arrays},
        "adam_step": (
            {"params": arrays, "gradients": arrays, "state": a.adam_init(arrays)}
            | {"learning_rate": 0.1, "beta_1": 0.5, "beta_2": 0.5, "eps": 0.1}
        ),
        "init_classifier": {**random, "n_symbols": 3, "n_classes": 2, "d": 4},
        "token_classifier": (
            tokens
            | {"params": classifier}
            | {"encoding": draw(3, 4), "mask": np.tri(3, dtype=bool)}
        ),
        "classifier_gradients": (
            pair | {"params": classifier} | {"encoding": draw(3, 4), "mask": np.tri(3, dtype=bool)}
        ),
        "train": (
            {"params": classifier, "batch": lambda: tuple(pair.values())}
            | training
            | {"encoding": None, "mask": None, "watch": None}
        ),
        "reversal_batch": {**batch, "length": 3, "n_symbols": 5},
        "lookup_batch": {**batch, "n_pairs": 2, "n_keys": 3, "n_values": 4},
        "init_language_model": {**random, "n_symbols": 3, "d": 4, "d_ff": 6, "n_blocks": 1},
        "language_model": {**tokens, "params": model, **codes},
        "language_model_gradients": {**pair, "params": model, **codes},
        "text_batch": {**random, "codes": range(9), "batch_size": 2, "length": 3},
        "ablate_heads": {"params": model, "heads": [(1, 0)], "n_heads": 2},
        "train_language_model": (
            {"params": model, "batch": lambda: tuple(pair.values())} | codes | training
        ),
        "three_back_batch": {**batch, "length": 5},
        "latest_mark_batch": {**batch, "length": 5},
        "repeated_batch": {**batch, "shortest": 2, "longest": 3},
        "init_attention_only": {**random, "n_layers": 1},
        "attention_only": {**tokens, **copies},
        "attention_only_gradients": {**pair, **copies},
        "ablate_head": {**copies, "layer": 1},
        "number_sets": batch,
        "train_set_reader": {**random, "n_queries": 3, **training},
        "init_patch_reader": random,
        "binding_batch": batch,
        "train_binding": {**random, "n_heads": 2, "d": 4, "d_value": 6, **training},
        "binding_share": {**random, "params": bound, "n_heads": 2},
        "random_sentence": {**random, "n_clauses": 2},
        "translation_batch": batch,
        "translator": {**words, **learned},
        "write_translation": {"source": words["source"], **learned},
        "train_translator": {**random, "is_shifted": False, "is_causal": False, **training},
        "plot_weights": {"weights": weights, **labels},
        "plot_scores": {"scores": draw(2, 4), **labels},
        "plot_encoding": {"encoding": draw(3, 4)},
        "plot_graph_attention": (
            {"positions": draw(3, 2), **edges, "weights": np.ones(4) / 2}
            | {"receiver": 1, "labels": list("abc")}
        ),
        "mistaken_attention": {**triple, "mask": mask, "mistake": "no mistake"},
        "probe_attention": (
            {"query": k, "key": k, "value": v, "probe": "keys shuffled"}
            | {"layer": lambda q, k, v, mask: a.attention(q, k, v, mask=mask).output}
        ),
    }
