"""What attnutils reads from its data."""

from pathlib import Path

import numpy as np
import pytest

from tests.numerics.calls import MODULES, leaves

LOADERS = {
    name: x for module in MODULES for name, x in vars(module).items() if name.startswith("load_")
}


@pytest.mark.parametrize("name", LOADERS)
def test_without_its_data_attnbook_says_what_to_do(name, monkeypatch):
    monkeypatch.setattr(Path, "exists", lambda path: False)
    with pytest.raises(FileNotFoundError, match=r"^attnbook: data/.* is missing; install attnut"):
        LOADERS[name]()


@pytest.mark.parametrize("name", LOADERS)
def test_changing_what_was_read_does_not_change_the_next(name):
    for (_, x), (_, y) in zip(leaves(LOADERS[name]()), leaves(LOADERS[name]()), strict=True):
        assert x.flags.writeable
        assert not np.shares_memory(x, y)
