"""Measuring: always two things in turn, A B A B, so that whatever else the machine does hits both.

Times are those of the processor, not of the clock on the wall: on a shared machine a program that
waits for its turn is not slow. Run with one BLAS thread on one core:

    OPENBLAS_NUM_THREADS=1 taskset -c 0 python -m benchmarks.dense_attention
"""

import statistics
import time
import tracemalloc
from collections.abc import Callable
from types import ModuleType

import numpy as np

Call = Callable[[], object]


def ratio(measured: Call, limit: Call, *, seconds: float = 1.0, least: int = 7) -> float:
    """Median over pairs of (time of `measured`) / (time of `limit`)."""
    measured(), limit()  # the first call also pays for what later calls find ready
    ratios: list[float] = []
    begun = time.process_time()
    while len(ratios) < least or time.process_time() - begun < seconds:
        start = time.process_time()
        measured()
        middle = time.process_time()
        limit()
        ratios.append((middle - start) / (time.process_time() - middle))
    return statistics.median(ratios)


def extra_memory(call: Call) -> int:
    """The most that `call` holds at one time, in bytes, its result included."""
    tracemalloc.start()
    try:
        call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def warm_allocator() -> None:
    """Free one large array: from then on the C library keeps freed memory for the next array.

    Before, it may hand memory back to the system and fetch it again at each call, which costs
    more than the arithmetic. Any program that has freed a large array is past this.
    """
    np.ones(2**24, np.uint8)


def torch_on_one_thread() -> ModuleType | None:
    """PyTorch if it can be imported; it is a peer here, and not needed."""
    try:
        import torch
    except ImportError:
        return None
    torch.set_num_threads(1)
    return torch
