"""Environments next to .venv: which Python they get, made once, made again when a file changes."""

import os
import sys
from pathlib import Path

import pytest

from tools import environments


def test_without_a_python_one_sentence_says_what_is_needed():
    with pytest.raises(environments.NoEnvironmentError) as error:
        environments.find("python0.1")
    assert str(error.value) == (
        "This needs python0.1 with its venv module and found none that starts: install it, or put "
        "it on the PATH."
    )


def test_make_names_a_python_where_the_code_wants_none(monkeypatch):
    version = ".".join(map(str, sys.version_info[:3]))
    monkeypatch.setenv("PYTHON", sys.executable)
    assert environments.find(None) == (sys.executable, version)
    monkeypatch.setenv("PYTHON", "python0.1")
    assert environments.find(environments.RUNNING) == (sys.executable, version)
    with pytest.raises(environments.NoEnvironmentError):
        environments.find(None)


def test_a_program_that_does_not_run_is_passed_over(monkeypatch, tmp_path):
    monkeypatch.delenv("PYTHON", raising=False)
    monkeypatch.setenv("PYENV_ROOT", str(tmp_path))
    for name in environments.PYTHONS:
        program = tmp_path / name
        program.write_text("#!/bin/sh\nexit 127\n")
        program.chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path), prepend=os.pathsep)
    assert environments.find(None)[0] == sys.executable


def test_an_environment_is_made_once_and_again_when_its_file_changes(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(environments, "ROOT", tmp_path)
    constraints = tmp_path / "constraints.txt"
    program = tmp_path / ".venv-scratch" / "bin" / "python"

    def make() -> Path:
        return environments.make(".venv-scratch", constraints, python=sys.executable)

    constraints.write_text("# Nothing.\n")
    assert make() == program
    assert program.exists()
    assert "Setting up .venv-scratch" in capsys.readouterr().out
    assert make() == program
    assert capsys.readouterr().out == ""

    constraints.write_text(f"{tmp_path}/missing.whl\n")
    with pytest.raises(environments.NoEnvironmentError, match=r"(?s)install .*missing\.whl"):
        make()
    # Half an environment is not taken for a whole one.
    assert not (tmp_path / ".venv-scratch" / "stamp").exists()
