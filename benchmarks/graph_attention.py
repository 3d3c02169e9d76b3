"""Speed of attention over edges, as ratios. Prints a table and writes nothing.

The limit is what a GAT layer cannot do without: the projection of the nodes, one exp of the edge
scores, and for each head one sparse matrix of weights times the values. The limit is given its
edges sorted by receiver, and has no largest score, sum or division. PyTorch Geometric is measured
beside it where it can be imported. 4 heads, 16 channels, 64 features, 10 edges a node, float32.

    OPENBLAS_NUM_THREADS=1 taskset -c 0 python -m benchmarks.graph_attention
"""

import sys
from functools import partial
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array

if __package__ is None:  # run as a script
    sys.path.insert(0, str(Path(__file__).parents[1]))

from attnutils import GATParams, GATv2Params, gat_layer, gatv2_layer, graph_attention
from benchmarks._pairs import ratio, torch_on_one_thread, warm_allocator

HEADS, CHANNELS, FEATURES, DEGREE = 4, 16, 64, 10
SIZES = (1_000, 10_000, 100_000, 1_000_000)  # edges
TARGET, TARGETS_OF_PEER = 2.7, {"gat": 1.0, "gatv2": 1.3}


def random_graph(n_edges):
    """Nodes and edges without self edges, in no order."""
    rng = np.random.default_rng(0)
    n = n_edges // DEGREE
    senders = rng.integers(0, n, n_edges)
    receivers = (senders + rng.integers(1, n, n_edges)) % n
    return rng.standard_normal((n, FEATURES), dtype=np.float32), senders, receivers


def make_params(scale):
    """Parameters of a GAT and a GATv2 layer; `scale` is how far the scores are apart."""
    rng = np.random.default_rng(1)
    w = rng.standard_normal((2, FEATURES, HEADS, CHANNELS), dtype=np.float32) / 8
    a = rng.standard_normal((2, HEADS, CHANNELS), dtype=np.float32) * np.float32(scale)
    return GATParams(w[0], *a), GATv2Params(*w, a[0])


def make_limit(nodes, senders, receivers, w):
    """A function without arguments that does only what has to be done."""
    n = len(nodes)
    order = np.argsort(receivers, kind="stable")
    sorted_senders = senders[order].astype(np.int32)
    first = np.append(0, np.bincount(receivers, minlength=n).cumsum()).astype(np.int32)
    scores = np.random.default_rng(2).standard_normal((HEADS, len(order)), dtype=np.float32)
    w = w.reshape(FEATURES, HEADS * CHANNELS)

    def limit():
        values = (nodes @ w).reshape(n, HEADS, CHANNELS)
        weights = np.exp(scores)
        return [
            csr_array((weights[h], sorted_senders, first), shape=(n, n)) @ values[:, h]
            for h in range(HEADS)
        ]

    return limit


def make_peers(torch, nodes, senders, receivers):
    """The layers of PyTorch Geometric, or none."""
    if torch is None:
        return {}
    try:
        from torch_geometric.nn import GATConv, GATv2Conv
    except ImportError:
        return {}
    x, edges = torch.from_numpy(nodes), torch.from_numpy(np.stack([senders, receivers]))

    def peer(layer):
        module = layer(FEATURES, CHANNELS, heads=HEADS, add_self_loops=False, bias=False).eval()

        def call():
            with torch.inference_mode():
                return module(x, edges)

        return call

    return {"gat": peer(GATConv), "gatv2": peer(GATv2Conv)}


def main():
    torch = torch_on_one_thread()
    warm_allocator()
    print(f"{'edges':>9}  {'layer':15}  {'/ limit':>7}  {'target':>6}  {'/ PyG':>5}  {'target':>6}")
    (gat, gatv2), (far_gat, _) = make_params(0.25), make_params(1)
    peers = {}
    for n_edges in SIZES:
        graph = nodes, senders, receivers = random_graph(n_edges)
        heads = nodes.reshape(-1, HEADS, CHANNELS)
        layers = {
            "gat": (gat_layer, *graph, gat),
            "gat, far scores": (gat_layer, *graph, far_gat),
            "gatv2": (gatv2_layer, *graph, gatv2),
            "dot product": (graph_attention, heads, heads, heads, senders, receivers),
        }
        limit = make_limit(*graph, gat.w)
        peers = make_peers(torch, *graph)
        for name, (function, *arguments) in layers.items():
            options = {} if function is graph_attention else {"self_loops": False}
            ours = partial(function, *arguments, **options)
            kind = name.split(",")[0]
            target = TARGET if kind == "gat" else "-"
            to_peer = f"{ratio(ours, peers[kind]):.2f}" if kind in peers else "-"
            target_of_peer = TARGETS_OF_PEER.get(kind, "-")
            print(
                f"{n_edges:9}  {name:15}  {ratio(ours, limit):7.2f}  {target:>6}  "
                f"{to_peer:>5}  {target_of_peer:>6}"
            )
    if not peers:
        print("PyTorch Geometric is not installed: not compared.")


if __name__ == "__main__":
    main()
