"""The list of `make mistakes` fits this checkout, and a mistake that nobody notices is told."""

import re
import sys

import pytest

from tools import mistakes
from tools.project import ROOT

LISTED = mistakes.listed()


@pytest.mark.parametrize("mistake", LISTED, ids=lambda mistake: mistake.name)
def test_a_mistake_can_be_made(mistake):
    assert mistake.text(ROOT) != (ROOT / mistake.file).read_text(encoding="utf-8")


def test_there_are_many_and_each_has_a_name_of_its_own():
    assert len({mistake.name for mistake in LISTED}) == len(LISTED) >= 40
    assert len([mistake for mistake in LISTED if mistake.whole]) == 5


@pytest.fixture
def scratch(monkeypatch, tmp_path):
    """A copy of one file, in which mistakes are made and noticed without the rest."""
    monkeypatch.setattr(mistakes, "FOLDER", tmp_path)
    monkeypatch.setattr(mistakes, "COPY", tmp_path / "checkout")
    monkeypatch.setattr(mistakes, "variables", dict)
    mistakes.COPY.mkdir()
    (mistakes.COPY / "file").write_text("one two")
    return mistakes.COPY


def one_two(name: str, wanted: str) -> mistakes.Mistake:
    """A mistake that makes three of two; its check wants a word, and notes that it ran."""
    code = f"open('runs', 'a').write('x'); assert '{wanted}' in open('file').read()"
    check = f'{sys.executable} -c "{code}"'
    return mistakes.Mistake(name, "file", "two", "three", check)


def test_what_is_not_noticed_is_told_and_nothing_runs_twice(scratch, capsys):
    noticed, unnoticed = one_two("noticed", "two"), one_two("unnoticed", "one")
    for runs in (4, 5):  # the second time only what stayed green
        assert mistakes.try_all([noticed, unnoticed]) == 1
        said = capsys.readouterr().out
        assert re.findall(r"(?m)^(red|GREEN) .* s  (\w+)", said) == [
            ("red", "noticed"),
            ("GREEN", "unnoticed"),
        ]
        assert said.endswith("1 of 2 mistakes are noticed.\n")
        assert len((scratch / "runs").read_text()) == runs
        assert (scratch / "file").read_text() == "one two"


def test_a_check_that_is_red_without_a_mistake_proves_nothing(scratch):
    with pytest.raises(SystemExit, match="Without any mistake this is red"):
        mistakes.try_all([one_two("any", "four")])


def test_a_mistake_that_is_stale_is_an_error(scratch):
    (scratch / "file").write_text("two two")
    with pytest.raises(ValueError, match="any is stale"):
        mistakes.try_all([one_two("any", "two")])
