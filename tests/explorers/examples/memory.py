from attnbook.explorers.memory.explorer import MemoryExplorer


def start() -> MemoryExplorer:
    """Both ways under way."""
    return MemoryExplorer(done=15)


NAMED = {
    "all fits": MemoryExplorer(n=128, fast=256, done=100),
    "small tiles": MemoryExplorer(n=1024, fast=8, done=51),
    "tiles are done": MemoryExplorer(n=512, fast=64, done=60),
    "not begun": MemoryExplorer(),
}
