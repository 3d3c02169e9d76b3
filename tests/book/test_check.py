"""`make test ONLY=...`: what is asked of one page or of one explorer."""

import pytest

from tools import check


def commands(name: str) -> list[str]:
    return [" ".join(command) for steps in check.rounds_of(name) for _, command in steps]


def test_a_page_is_looked_for_in_all_spellings_and_its_notebook_runs():
    *quick, book, outputs, tests = commands("scoring-functions")
    assert quick == [" ".join(command) for _, command in check.quick()]
    assert book.endswith("tools.build")
    assert outputs.endswith("--nbval chapters/scoring-functions.ipynb")
    assert tests.endswith("-k scoring-functions or scoring_functions or ScoringFunctions")


@pytest.mark.parametrize("name", ["temperature-explorer", "temperature_explorer"])
def test_an_explorer_has_no_notebook(name):
    *_, book, tests = commands(name)
    assert book.endswith("tools.build")
    assert tests.endswith("temperature_explorer or TemperatureExplorer")


@pytest.mark.parametrize("name", ["", "temperatures", "../README", "chapters/temperature.ipynb"])
def test_another_name_is_refused_with_those_there_are(name, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["check", "--only", name])
    assert check.main() == 1
    said = capsys.readouterr().err
    assert f"not {name!r}" in said
    assert "Pages: accessibility, api, attention-mechanism, bibliography," in said
    assert " temperature_explorer," in said
