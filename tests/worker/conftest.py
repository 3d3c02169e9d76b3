"""What runs in a process of its own, with the worker's Python on its path, is no test."""

collect_ignore = ["play.py", "slices.py"]
