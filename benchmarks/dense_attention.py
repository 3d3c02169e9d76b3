"""Speed and memory of `attnutils.attention`, as ratios. Prints tables and writes nothing.

The limit is what attention cannot do without: two matrix products and one exp of the scores,
written down as plainly as NumPy allows, without a largest score, a sum or a mask. PyTorch is
measured beside it where it can be imported. 8 heads, d = 64, float32.

    OPENBLAS_NUM_THREADS=1 taskset -c 0 python -m benchmarks.dense_attention
"""

import sys
from pathlib import Path

import numpy as np

if __package__ is None:  # run as a script
    sys.path.insert(0, str(Path(__file__).parents[1]))

from attnutils import attention
from benchmarks._pairs import extra_memory, ratio, torch_on_one_thread, warm_allocator

HEADS, WIDTH = 8, 64
SIZES = (128, 256, 512, 1024, 2048)
MEMORY_SIZES = {2048: 0.1, 8192: 0.03}  # n: extra memory, at most, over that of the scores


def tensors(n):
    """Query, key and value of n rows."""
    rng = np.random.default_rng(0)
    return rng.standard_normal((3, HEADS, n, WIDTH), dtype=np.float32)


def limit(query, key, value):
    """Two matrix products and one exp; the scores are those of all pairs, also if causal."""
    scores = query @ key.swapaxes(-1, -2)
    np.exp(scores, out=scores)
    return scores @ value


def target(n, weights):
    """The highest ratio to the limit that the project allows itself, where it has set one."""
    if weights:
        return 1.9
    return 1.6 if n <= 512 else 1.4


def times(torch):
    """One row for each size and kind."""
    print(f"{'n':>5}  {'causal':6}  {'weights':7}  {'/ limit':>7}  {'target':>6}  {'/ torch':>7}")
    for n in SIZES:
        query, key, value = tensors(n)
        scaled = query / np.float32(WIDTH**0.5)
        stacks = [torch.from_numpy(x[None]) for x in (query, key, value)] if torch else []
        for weights in (False, True):
            for is_causal in (False, True):

                def ours(q=query, k=key, v=value, is_causal=is_causal, weights=weights):
                    return attention(q, k, v, is_causal=is_causal, need_weights=weights)

                def bare(q=scaled, k=key, v=value):
                    return limit(q, k, v)

                def peer(stacks=stacks, is_causal=is_causal):
                    function = torch.nn.functional.scaled_dot_product_attention
                    return function(*stacks, is_causal=is_causal)

                to_limit = ratio(ours, bare)
                to_torch = f"{ratio(ours, peer):7.2f}" if torch and not weights else "      -"
                print(
                    f"{n:5}  {'yes' if is_causal else 'no':6}  {'yes' if weights else 'no':7}  "
                    f"{to_limit:7.2f}  {target(n, weights):6.1f}  {to_torch}"
                )


def memory():
    """One row for each size, in parts of what the matrix of scores would hold."""
    print(f"\n{'n':>5}  {'causal':6}  {'memory / scores':>15}  {'target':>6}")
    for n, most in MEMORY_SIZES.items():
        query, key, value = tensors(n)
        scores = HEADS * n * n * query.itemsize
        for is_causal in (False, True):
            held = extra_memory(
                lambda q=query, k=key, v=value, is_causal=is_causal: attention(
                    q, k, v, is_causal=is_causal, need_weights=False
                )
            )
            print(f"{n:5}  {'yes' if is_causal else 'no':6}  {held / scores:15.4f}  {most:6}")


def main():
    torch = torch_on_one_thread()
    warm_allocator()
    print(f"Dense attention, {HEADS} heads, d = {WIDTH}, float32; medians of paired ratios.")
    print("PyTorch:", f"{torch.__version__}, target 1.5" if torch else "absent, not compared")
    print()
    times(torch)
    memory()


if __name__ == "__main__":
    main()
