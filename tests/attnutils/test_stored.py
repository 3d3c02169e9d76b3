"""What attnutils reads from its data."""

import importlib
import pkgutil
from pathlib import Path

import pytest

import attnutils

MODULES = [
    importlib.import_module(f"attnutils.{module.name}")
    for module in pkgutil.iter_modules(attnutils.__path__)
]
LOADERS = {
    name: x for module in MODULES for name, x in vars(module).items() if name.startswith("load_")
}


@pytest.mark.parametrize("name", sorted(LOADERS))
def test_without_its_data_attnutils_says_what_to_do(name, monkeypatch):
    monkeypatch.setattr(Path, "exists", lambda path: False)
    with pytest.raises(FileNotFoundError) as raised:
        LOADERS[name]()
    assert str(raised.value).startswith("attnutils: data/")
    assert str(raised.value).endswith(" is missing; install attnutils again.")
