"""Eight laws of attention and one of causal layers, to be run on a layer of your own.

From the page "Pitfalls" of the book Attention Layers; MIT licence. It needs NumPy alone.

Your layer is a function of one head, f(q, k, v, mask): q is (n_q, d), k is (n_k, d), v is
(n_k, d_v), and mask is None or (n_q, n_k) with True where a query may attend. It returns
(n_q, d_v). With PyTorch:

    import torch
    from torch.nn.functional import scaled_dot_product_attention
    from attention_laws import report

    def f(q, k, v, mask):
        return scaled_dot_product_attention(q, k, v, attn_mask=mask)

    report(f, torch.tensor)

For a layer of (B, H, n, d) write q[None, None] and so on, and return y[0, 0]. For a layer with
projections make them the identity, as here:

    def f(q, k, v, mask):
        d, d_v = q.shape[-1], v.shape[-1]
        layer = torch.nn.MultiheadAttention(d, 1, bias=False, batch_first=True).to(q)
        eye = torch.eye(d).to(q)
        layer.in_proj_weight.data, layer.out_proj.weight.data = eye.repeat(3, 1), eye
        wide = torch.nn.functional.pad(v, (0, d - d_v))  # its values are as wide as its keys
        hide = None if mask is None else ~mask  # here True hides
        return layer(q[None], k[None], wide[None], attn_mask=hide)[0][0, :, :d_v]

Plain scaled dot-product attention keeps all eight. Other layers break some of them by design:

    a causal mask or a window inside, its corner at the lower right     3 5
    the same with its corner at the upper left, as is_causal=True       3 4
    rotary positions inside, the last query beside the last key         2 3 5 6
    a learned sink in the total of each row, as in gpt-oss              1 2 5
    scores that are not divided (T5), or divided by d (muP)             6
    capped scores, c tanh(s / c) (Gemma 2)                              2

Rotary positions whose queries are counted from 0 beside a cache are a mistake, not a design:

    rotary positions inside, the first query beside the first key       2 3 4 5 6

With a causal mask inside ask for a ninth law: report(f, torch.tensor, causal=True).

Test in the dtype that the layer computes in, else a right one breaks laws. For weights in bfloat16
that is report(f, array, "float32", far=1, tolerance=0.1).
"""

import numpy as np


def ones(f, q, k, v, far):
    """1. A mean of ones is 1."""
    return f(q, k, np.ones_like(v), None), np.ones((len(q), v.shape[1]))


def shifted(f, q, k, v, far):
    """2. The same vector added to all keys changes nothing."""
    return f(q, k + far, v, None), f(q, k, v, None)


def shuffled(f, q, k, v, far):
    """3. Keys in another order, with their values, change nothing."""
    return f(q, k[::-1].copy(), v[::-1].copy(), None), f(q, k, v, None)


def one_query(f, q, k, v, far):
    """4. A query gets the same answer alone as in company."""
    return f(q[-1:], k, v, None), f(q, k, v, None)[-1:]


def twice(f, q, k, v, far):
    """5. Keys and values that all come twice change nothing."""
    return f(q, np.vstack([k, k]), np.vstack([v, v]), None), f(q, k, v, None)


def wide(f, q, k, v, far):
    """6. Queries and keys twice side by side, divided by 2 ** .25, change nothing."""
    q2, k2 = (np.hstack([x, x]) / np.array(2**0.25, x.dtype) for x in (q, k))
    return f(q2, k2, v, None), f(q, k, v, None)


def hidden(f, q, k, v, far):
    """7. What is hidden can be changed, and nothing moves."""
    at, k2, v2 = len(k) // 2, k.copy(), v.copy()
    seen = np.ones((len(q), len(k)), bool)
    seen[:, at], k2[at], v2[at] = False, -k[at], 9
    return f(q, k2, v2, seen), f(q, k, v, seen)


def empty(f, q, k, v, far):
    """8. A query that may look at nobody gets 0, the others what they got before."""
    seen, wanted = np.ones((len(q), len(k)), bool), f(q, k, v, None).copy()
    seen[-1], wanted[-1] = False, 0
    return f(q, k, v, seen), wanted


def leak(f, q, k, v, far):
    """9. The next key and value can be changed, and no row up to here moves (causal layers)."""
    n = min(len(q), len(k))  # as many queries as keys: both corners are the same
    q, k, v = q[:n], k[:n], v[:n]
    whole, got, wanted = f(q, k, v, None), [], []
    for t in {0, n // 3, n // 2, n - 2}:
        k2, v2 = k.copy(), v.copy()
        k2[t + 1], v2[t + 1] = -k[t + 1], 9
        got.append(f(q, k2, v2, None)[: t + 1])
        wanted.append(whole[: t + 1])
    return np.vstack(got), np.vstack(wanted)


LAWS = (ones, shifted, shuffled, one_query, twice, wide, hidden, empty)


def report(
    f,
    array=np.asarray,
    dtype="float64",
    far=None,
    tolerance=None,
    seed=0,
    sizes=(200, 333, 64),
    causal=False,
):
    """Print what each law says of a layer; return the numbers of those that it breaks.

    `array` makes the layer's arrays of NumPy's: torch.tensor, or a function that also moves them
    to a device. In float32 a shift of 10,000 would cost all digits: there it is 100. `sizes` are
    queries, keys and their width; values are half as wide. More keys than a tile has, and not a
    multiple of it: so layers that work in tiles show what they do at the end of one.
    """
    double = np.dtype(dtype) == np.float64
    far = np.dtype(dtype).type(far or (10_000 if double else 100))
    tolerance = tolerance or (1e-6 if double else 1e-3)
    n_q, n_k, d = sizes  # all differ: equal ones would hide mistakes
    rng = np.random.default_rng(seed)
    shapes = (n_q, d), (n_k, d), (n_k, d // 2)
    q, k, v = (rng.normal(size=shape).astype(dtype) for shape in shapes)

    def layer(*given):
        y = f(*(None if x is None else array(x) for x in given))
        return (y.detach().cpu().double() if hasattr(y, "detach") else np.asarray(y)).__array__()

    broken = []
    for number, law in enumerate(LAWS + (leak,) * causal, 1):
        try:
            with np.errstate(all="ignore"):
                got, wanted = law(layer, q, k, v, far)
                off = np.abs(got - wanted).max()  # NaN where the layer gives NaN
            said = "Kept." if off <= tolerance else f"BROKEN, off by {off:.1g}."
        except Exception as error:  # a layer that cannot be asked has not kept the law
            said = f"BROKEN, {type(error).__name__}: {error}"
        print(law.__doc__, said)
        broken += [] if said == "Kept." else [number]
    return broken
