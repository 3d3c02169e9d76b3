"""Layers for the finish line: right ones that are written in other ways, and one for each slip."""

import numpy as np


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


def slip(**options):
    return lambda *args: layer(*args, **options)


def negative(*args):
    output, weights = layer(*args)
    return output, 2 * weights - 1 / weights.shape[-1]


def not_a_number(*args):
    output, weights = layer(*args)
    return output, weights * np.nan


def half(*args):
    output, weights = layer(*args)
    return output, weights / 2


def other_values(*args):
    output, weights = layer(*args)
    return 2 * output, weights


def sharper(*args):
    """Neither the root nor any of the usual slips."""
    return layer(args[0], 3 * args[1], *args[2:])


def heads_swapped(*args):
    output, weights = layer(*args)
    return output, weights[::-1]


def roles_swapped(x, w_query, w_key, *args):
    return layer(x, w_key, w_query, *args)


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


LAW = "write-law"
KEY = "finish-line"
OF = " of 9 laws hold. Broken is "

RIGHT = {
    KEY: [layer, by_loops],
    LAW: [tokens_go_along(2), tokens_go_along(3), as_ours, no_leak, sound_or_error],
}

WRONG = [
    (KEY, 3, "expected a function my_attention(x, w_query, w_key, w_value, w_output, n_heads, ma"),
    (KEY, that_spoils_its_input, "it changes an array that it is given"),
    (KEY, lambda x: x, "with 1 head, it raises TypeError"),
    (KEY, lambda *a: layer(*a)[0], "return two arrays"),
    (KEY, lambda *a: layer(*a)[::-1], "with 1 head, the outputs: expected an array of shape (5"),
    (KEY, lambda *a: (layer(*a)[0], None), "with 1 head, the weights: expected an array"),
    (KEY, lambda *a: layer(*a[:6], a[6][None], a[7]), "with 1 head, it raises TypeError"),
    (KEY, not_a_number, f"2{OF}rows (broken too: heads, scale, mean, leak, positions, graph): th"),
    (KEY, negative, f"4{OF}rows (broken too: scale, mean, leak, graph): some weights are neg"),
    (KEY, half, f"5{OF}rows (broken too: scale, mean, graph): the rows do not sum to 1"),
    (KEY, slip(over=-2), f"4{OF}rows (broken too: shift, scale, leak, graph): here the columns"),
    (KEY, slip(share="all"), f"4{OF}rows (broken too: heads, scale, leak, graph): here all weight"),
    (KEY, slip(hide="after"), f"6{OF}rows (broken too: leak, graph): behind a mask they do not"),
    (KEY, slip(cut="sentence"), f"5{OF}heads (broken too: order, mean, leak): the heads cut the"),
    (KEY, slip(cut="comb"), f"7{OF}heads (broken too: mean): head 0 has the first columns"),
    (KEY, slip(scale="all"), f"8{OF}heads: the scale takes the width of both"),
    (KEY, slip(back=False), f"5{OF}heads (broken too: order, mean, leak): the weights are right"),
    (KEY, heads_swapped, f"7{OF}heads (broken too: mean): each head must be"),
    (KEY, slip(hide="built in"), f"6{OF}order (broken too: scale, graph): without mask and positi"),
    (KEY, slip(shift=False), f"8{OF}shift: large scores overflow"),
    (KEY, slip(share="softplus"), f"7{OF}shift (broken too: scale): the outputs change"),
    (KEY, roles_swapped, f"7{OF}shift (broken too: scale): queries and keys have changed places"),
    (KEY, slip(scale="none"), f"8{OF}scale: the scores are not divided at all"),
    (KEY, slip(scale="square"), f"8{OF}scale: the scores are divided by d_k, not by"),
    (KEY, slip(scale="d"), f"8{OF}scale: the scores are divided by the root of d;"),
    (KEY, slip(scale="n"), f"8{OF}scale: the scores are divided by the root of the number"),
    (KEY, sharper, f"8{OF}scale: the weights are not those"),
    (KEY, other_values, f"8{OF}mean: the outputs are not"),
    (KEY, slip(share="transposed"), f"7{OF}mean (broken too: leak): the weights are transposed"),
    (KEY, slip(hide="not"), f"7{OF}leak (broken too: graph): the mask is not used"),
    (KEY, slip(hide="transposed"), f"7{OF}leak (broken too: graph): the mask is transposed"),
    (KEY, slip(hide="reverse"), f"7{OF}leak (broken too: graph): the mask is the wrong way"),
    (KEY, slip(hide="product"), f"7{OF}leak (broken too: graph): a hidden score must become"),
    (KEY, felt_late, f"8{OF}leak: an earlier output moves"),
    (KEY, slip(put="nowhere"), f"8{OF}positions: the positions are not used"),
    (KEY, slip(put="scores"), f"8{OF}positions: they are felt in the weights only"),
    (KEY, added_twice, f"8{OF}positions: the layer with positions is not"),
    (KEY, slip(hide="triangle"), f"8{OF}graph: the mask that is given is not used"),
    (KEY, slip(hide="others"), f"8{OF}graph: row i of the mask says"),
    (KEY, slip(hide="a little"), f"8{OF}graph: a hidden score is minus infinity"),
    (KEY, everyone_but_causal, f"8{OF}graph: row i of the mask says"),
    (LAW, True, "expected a function law(layer), got bool"),
    (LAW, lambda a: None, "expected True or False from your test, got NoneType"),
    (LAW, lambda a: a(1), "on a sound layer that merges heads your test raises TypeError"),
    (LAW, lambda a: False, "your law turns away a sound layer, one that merges heads"),
    (LAW, lambda a: True, "the hasty layer obeys your law; with which number of heads"),
    (LAW, tokens_go_along(1), "the hasty layer obeys your law"),
    (LAW, rows_alone, "the hasty layer obeys your law"),
]  # fmt: skip
