from attnbook import MemoryExplorer

NAMED = {
    "in tiles, all fits": MemoryExplorer(n=128, fast=256, tiled=True, done=100),
    "in small tiles": MemoryExplorer(n=1024, fast=8, tiled=True, done=51),
    "written out, half done": MemoryExplorer(n=512, fast=8, done=51),
    "not begun": MemoryExplorer(),
}
