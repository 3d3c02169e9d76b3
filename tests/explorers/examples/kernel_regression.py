import numpy as np

from attnbook.explorers.kernel_regression.explorer import KernelRegressionExplorer

RNG = np.random.default_rng(0)
_X, _Y = RNG.uniform(0, 5, 20).round(2), RNG.normal(size=20).round(2)


def start() -> KernelRegressionExplorer:
    """An explorer with a wave."""
    x = np.arange(12) / 2
    return KernelRegressionExplorer(x, np.sin(2 * x).round(2), query=2, bandwidth=0.5)


NAMED = {
    "bandwidth 0": KernelRegressionExplorer([3, 1, 1], [0.5, -2, 4], query=2, bandwidth=0),
    "bandwidth infinite": KernelRegressionExplorer(1e5 * _X, 1e5 * _Y, query=-20, bandwidth=np.inf),
    "all at one place": KernelRegressionExplorer([1, 1], [2, 2], bandwidth=1e-9),
}
WIDE = [KernelRegressionExplorer(1e5 * RNG.normal(size=64), 1e5 * RNG.normal(size=64))]
