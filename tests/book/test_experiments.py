"""The command that runs the stored experiments again."""

import sys
from types import SimpleNamespace

import numpy as np
import pytest

from tools.experiments import __main__ as experiments

MADE = {
    "small.npz": {"shares": np.zeros(3)},
    "small.json": [{"start": 1, "shares": [0.5, 0.25]}, {"start": 2, "shares": [0.5, 0.5]}],
}


def equal(stored, made):
    return repr(stored) == repr(made)


@pytest.mark.parametrize("file", MADE)
def test_the_command_compares_and_writes_only_when_asked(file, monkeypatch, tmp_path, capsys):
    path = tmp_path / file
    small = SimpleNamespace(STORED=path, make=lambda: MADE[file], agree=equal)
    monkeypatch.setitem(sys.modules, "tools.experiments.small", small)
    monkeypatch.setattr(experiments, "ROOT", tmp_path)
    monkeypatch.setattr(experiments, "NAMES", ["small"])

    def run(*options):
        monkeypatch.setattr(sys, "argv", ["experiments", *options])
        return experiments.main()

    assert run("--write", "small") == 0
    assert f"Wrote {file}" in capsys.readouterr().out
    assert equal(experiments.load(path), MADE[file])
    assert run() == 0
    assert f"{file} agrees" in capsys.readouterr().out
    before = path.read_bytes()
    monkeypatch.setattr(small, "agree", lambda stored, made: False)
    assert run("small") == 1
    assert "does not agree" in capsys.readouterr().err
    assert path.read_bytes() == before
    with pytest.raises(SystemExit):
        run("unknown")


def test_every_experiment_has_its_parts_and_a_file_that_is_small():
    assert len(experiments.NAMES) >= 5
    for name in experiments.NAMES:
        module = __import__(f"tools.experiments.{name}", fromlist=["make"])
        assert callable(module.make)
        assert callable(module.agree)
        stored = experiments.load(module.STORED)
        assert module.agree(stored, stored), name
        assert module.STORED.stat().st_size <= 150_000
        readme = (module.STORED.parent / "README.md").read_text(encoding="utf-8")
        assert module.STORED.name in readme
