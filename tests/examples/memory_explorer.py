"""More examples of MemoryExplorer."""

from attnutils import MemoryExplorer

STATES = [
    MemoryExplorer(n=128, fast=256, tiled=True, done=100),
    MemoryExplorer(n=512, fast=8, done=51),
    MemoryExplorer(),
]
