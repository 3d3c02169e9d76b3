from attnbook.explorers.cache.explorer import CacheExplorer


def start() -> CacheExplorer:
    """The model that a page opens with."""
    return CacheExplorer()


NAMED = {
    "states": CacheExplorer(layers=48, every=4, states=True, sets=2, width=256, words=2**20),
    "latent, all full": CacheExplorer(layers=61, every=1, latent=True),
    "short text, long windows": CacheExplorer(layers=128, every=8, window=8192, words=1024),
    "none is full": CacheExplorer(layers=1, every=8, sets=128, width=256),
}
