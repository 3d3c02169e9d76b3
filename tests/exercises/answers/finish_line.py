"""Heads and layers for the finish line: right ones in other ways, and one for each slip."""

from functools import partial

import numpy as np

from attnutils import MultiHeadParams, attention, multi_head_attention


def layer(
    x, w_query, w_key, w_value, w_output, n_heads, mask, positions,
    scale=None, over=-1, cut="heads", back=True, hide="scores", shift=True, put="x", share="rows",
):  # fmt: skip
    """Masked multi-head attention as a learner writes it, with a place for each slip."""
    n, plain = len(x), x
    if positions is not None and put != "nowhere":
        x = x + positions

    def split(z):
        if cut == "sentence":
            return z.reshape(n_heads, n, -1)
        if cut == "comb":
            return z.reshape(n, -1, n_heads).transpose(2, 0, 1)
        return z.reshape(n, n_heads, -1).swapaxes(0, 1)

    q, k = split(x @ w_query), split(x @ w_key)
    v = split((plain if put == "scores" else x) @ w_value)
    roots = {None: q.shape[-1], "none": 1, "all": w_query.shape[1], "d": x.shape[1], "n": n}
    scores = q @ k.swapaxes(1, 2) / np.sqrt(roots.get(scale, q.shape[-1] ** 2))
    triangle = np.tri(n, dtype=bool)
    if hide == "built in" or (hide == "triangle" and mask is not None):
        mask = triangle if mask is None or hide == "triangle" else mask
    if mask is not None and hide == "product":
        scores = scores * mask
    elif mask is not None and hide not in ("after", "not"):
        mask = {"transposed": mask.T, "reverse": ~mask}.get(hide, mask)
        mask = mask | np.eye(n, dtype=bool) if hide == "others" else mask
        scores = np.where(mask, scores, -1e4 if hide == "a little" else -1e30)
    top = scores.max(axis=over, keepdims=True) if shift else 0
    e = np.log1p(np.exp(scores)) if share == "softplus" else np.exp(scores - top)
    total = e.sum() if share == "all" else e.sum(axis=over, keepdims=True)
    weights = e / total
    if mask is not None and hide == "after":
        weights = weights * mask
    heads = weights.swapaxes(1, 2) @ v if share == "transposed" else weights @ v
    return (heads.swapaxes(0, 1) if back else heads).reshape(n, -1) @ w_output, weights


def by_loops(x, w_query, w_key, w_value, w_output, n_heads, mask, positions):
    x = x if positions is None else x + positions
    outputs, shares = [], []
    for h in range(n_heads):
        q, k, v = (x @ np.split(w, n_heads, axis=1)[h] for w in (w_query, w_key, w_value))
        a = np.zeros((len(x), len(x)))
        for i in range(len(x)):
            seen = np.arange(len(x)) if mask is None else np.flatnonzero(mask[i])
            s = k[seen] @ q[i] / len(q[i]) ** 0.5
            a[i, seen] = np.exp(s - s.max()) / np.exp(s - s.max()).sum()
        outputs.append(a @ v)
        shares.append(a)
    return np.hstack(outputs) @ w_output, shares


def that_spoils_its_input(x, *args):
    result = layer(x, *args)
    for array in (x, *args):
        if isinstance(array, np.ndarray):
            array[:] = 0
    return result


#: A function with these slips.
slip = partial(partial, layer)


def weighed(change):
    """The right outputs, with weights that are changed."""
    return lambda *args: (layer(*args)[0], change(layer(*args)[1]))


def felt_late(*args):
    """What is hidden is felt: an output runs after the last token."""
    output, weights = layer(*args)
    return (output + (0 if args[6] is None else args[0][-1].sum())), weights


def added_twice(*args):
    return layer(*args[:7], None if args[7] is None else 2 * args[7])


def everyone_but_causal(*args):
    mask = args[6]
    if mask is not None and not np.array_equal(mask, np.tri(len(mask), dtype=bool)):
        return layer(*args[:6], None, args[7])
    return layer(*args)


def given(n_heads, n=5, widths=(4, 4, 4)):
    rng = np.random.default_rng(8)
    params = [rng.normal(size=(6, n_heads * width)) for width in widths]
    return rng.normal(size=(n, 6)), *params, rng.normal(size=(n_heads * widths[2], 3)), n_heads


def head(x, w_query, w_key, w_value, mask, **slips):
    """One head, with the slips of a layer."""
    output = np.eye(w_value.shape[1])
    outputs, weights = layer(x, w_query, w_key, w_value, output, 1, mask, None, **slips)
    return outputs, weights[0]


def head_by_loops(*args):
    outputs, weights = by_loops(*args[:4], np.eye(args[3].shape[1]), 1, args[4], None)
    return outputs, weights[0]


#: A head with these slips.
head_slip = partial(partial, head)


def tokens_go_along(law_heads):
    def law(layer):
        x, *params = given(law_heads)
        there, back = layer(x, *params, None, None)[0], layer(x[::-1], *params, None, None)[0]
        return np.allclose(there[::-1], back)

    return law


def as_ours(a_layer):
    args = given(2)
    return bool(np.allclose(a_layer(*args, None, None)[0], layer(*args, None, None)[0]))


def no_leak(a_layer):
    x, *params = given(3)
    changed = x + np.eye(5, 6)[::-1][:, ::-1] * (np.arange(5) == 4)[:, None]
    causal = np.tri(5, dtype=bool)
    one, other = (a_layer(rows, *params, causal, None)[0] for rows in (x, changed))
    return bool(np.allclose(one[:4], other[:4]))


def rows_alone(a_layer):
    return bool(np.allclose(a_layer(*given(2), None, None)[1].sum(axis=-1), 1))


def sound_or_error(a_layer):
    assert as_ours(a_layer)
    return True


def broken(layer, laws, hint):
    """A layer that breaks these laws; what is said of the first is told."""
    law, *others = laws.split()
    too = f" (broken too: {', '.join(others)})" if others else ""
    return KEY, layer, f"{8 - len(others)} of 9 laws hold. Broken is {law}{too}: {hint}"


def broken_head(head, laws, hint):
    """The same for a head, and the seven laws that it can break."""
    law, *others = laws.split()
    too = f" (broken too: {', '.join(others)})" if others else ""
    return HEAD, head, f"{6 - len(others)} of 7 laws hold. Broken is {law}{too}: {hint}"


LAW, KEY, HEAD = "write-law", "finish-line", "one-head"

RIGHT = {
    HEAD: [head, head_by_loops],
    KEY: [layer, by_loops],
    LAW: [tokens_go_along(2), tokens_go_along(3), as_ours, no_leak, sound_or_error],
}

WRONG = [
    (HEAD, lambda *a: head(*a)[0], "return two arrays"),
    (HEAD, lambda *a: head(*a)[::-1], "without a mask, the outputs: expected an array of shape (5"),
    (HEAD, lambda *a: head(*a[:4], a[4][None]), "without a mask, it raises TypeError"),
    broken_head(head_slip(over=-2), "rows shift scale leak graph", "here the columns"),
    broken_head(head_slip(hide="after"), "rows leak graph", "behind a mask they do not"),
    broken_head(head_slip(shift=False), "shift", "large scores overflow"),
    broken_head(head_slip(scale="none"), "scale", "the scores are not divided at all"),
    broken_head(head_slip(scale="square"), "scale", "the scores are divided by d_k, not by"),
    broken_head(lambda *a: (2 * head(*a)[0], head(*a)[1]), "mean", "the outputs are not weights @"),
    broken_head(head_slip(hide="not"), "leak graph", "the mask is not used"),
    broken_head(head_slip(hide="triangle"), "graph", "the mask that is given is not used"),
    (KEY, that_spoils_its_input, "it changes an array that it is given"),
    (KEY, lambda *a: layer(*a)[0], "return two arrays"),
    (KEY, lambda *a: layer(*a)[::-1], "with 1 head, the outputs: expected an array of shape (5"),
    (KEY, lambda *a: (layer(*a)[0], None), "with 1 head, the weights: expected an array"),
    (KEY, lambda *a: layer(*a[:6], a[6][None], a[7]), "with 1 head, it raises TypeError"),
    broken(weighed(lambda w: w * np.nan), "rows heads scale mean leak positions graph", "th"),
    broken(weighed(lambda w: 2 * w - 1 / w.shape[-1]), "rows scale mean leak graph",
           "some weights are neg"),
    broken(weighed(lambda w: w / 2), "rows scale mean graph", "the rows do not sum to 1"),
    broken(slip(over=-2), "rows shift scale leak graph", "here the columns"),
    broken(slip(share="all"), "rows heads scale leak graph", "here all weight"),
    broken(slip(hide="after"), "rows leak graph", "behind a mask they do not"),
    broken(slip(cut="sentence"), "heads order mean leak", "the heads cut the"),
    broken(slip(cut="comb"), "heads mean", "head 0 has the first columns"),
    broken(slip(scale="all"), "heads", "the scale takes the width of both"),
    broken(slip(back=False), "heads order mean leak", "the weights are right"),
    broken(weighed(lambda w: w[::-1]), "heads mean", "each head must be"),
    broken(slip(hide="built in"), "order scale graph", "without mask and positi"),
    broken(slip(shift=False), "shift", "large scores overflow"),
    broken(slip(share="softplus"), "shift scale", "the outputs change"),
    broken(lambda x, q, k, *a: layer(x, k, q, *a), "shift scale",
           "queries and keys have changed places"),
    broken(slip(scale="none"), "scale", "the scores are not divided at all"),
    broken(slip(scale="square"), "scale", "the scores are divided by d_k, not by"),
    broken(slip(scale="d"), "scale", "the scores are divided by the root of d;"),
    broken(slip(scale="n"), "scale", "the scores are divided by the root of the number"),
    broken(lambda x, q, *a: layer(x, 3 * q, *a), "scale", "the weights are not those"),
    broken(lambda *a: (2 * layer(*a)[0], layer(*a)[1]), "mean", "the outputs are not"),
    broken(slip(share="transposed"), "mean leak", "the weights are transposed"),
    broken(slip(hide="not"), "leak graph", "the mask is not used"),
    broken(slip(hide="transposed"), "leak graph", "the mask is transposed"),
    broken(slip(hide="reverse"), "leak graph", "the mask is the wrong way"),
    broken(slip(hide="product"), "leak graph", "a hidden score must become"),
    broken(felt_late, "leak", "an earlier output moves"),
    broken(slip(put="nowhere"), "positions", "the positions are not used"),
    broken(slip(put="scores"), "positions", "they are felt in the weights only"),
    broken(added_twice, "positions", "the layer with positions is not"),
    broken(slip(hide="triangle"), "graph", "the mask that is given is not used"),
    broken(slip(hide="others"), "graph", "row i of the mask says"),
    broken(slip(hide="a little"), "graph", "a hidden score is minus infinity"),
    broken(everyone_but_causal, "graph", "row i of the mask says"),
    (LAW, lambda a: False, "your law turns away a sound layer, one that merges heads"),
    (LAW, lambda a: True, "the hasty layer obeys your law; with which number of heads"),
    (LAW, tokens_go_along(1), "the hasty layer obeys your law"),
    (LAW, rows_alone, "the hasty layer obeys your law"),
]  # fmt: skip


def predict_weights(rng):
    shapes = [(7, 2 * 3), (7, 2 * 3), (7, 2 * 4), (2 * 4, 9)]
    params = MultiHeadParams(*(rng.normal(size=shape) for shape in shapes))
    x = rng.normal(size=(5, 7))
    weights = multi_head_attention(x, x, x, params, n_heads=2).weights
    return {text: str(weights.shape) == text for text in ("(2, 5, 5)", "(5, 5)", "(2, 5, 3)")}


def predict_shift(rng):
    q, k, v = rng.normal(size=(3, 5, 4))
    far = 1e4 * rng.normal(size=4)
    before, after = attention(q, k, v), attention(q, k + far, v)
    moved = after.output - before.output
    return {
        "Nothing": np.allclose(moved, 0, atol=1e-6),
        "They move by the same vector": np.allclose(moved, far),
        "One key gets nearly all the weight": after.weights.max(axis=1).min() > 0.99,
    }
