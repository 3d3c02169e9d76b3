"""The stored trainings on reversal are those that the command makes."""

import json

import numpy as np

from attnutils.toy_tasks import load_reversal_runs
from tools import reversal_runs


def test_a_start_that_is_trained_again_comes_to_what_is_stored():
    stored = load_reversal_runs()
    assert [run["start"] for run in stored] == list(reversal_runs.STARTS)
    start = 7
    (before,) = (run for run in stored if run["start"] == start)
    again = reversal_runs.record(start)
    assert list(again) == list(before)
    got, wanted = reversal_runs.flat(again), reversal_runs.flat(before)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=reversal_runs.TOLERANCE)


def test_the_command_tells_whether_the_stored_file_agrees(tmp_path, monkeypatch, capsys):
    file = tmp_path / "runs.json"
    monkeypatch.setattr(reversal_runs, "FILE", file)
    monkeypatch.setattr(reversal_runs, "STARTS", [1])
    monkeypatch.setattr("sys.argv", ["reversal_runs"])
    made = {"start": 1, "right_after": {"nothing": 0.1}}
    monkeypatch.setattr(reversal_runs, "record", lambda start: made)
    assert reversal_runs.main() == 0  # it stores what is not there
    assert json.loads(file.read_text()) == [made]
    assert reversal_runs.main() == 0
    assert "agrees" in capsys.readouterr().out
    made["right_after"] = {"nothing": 0.2}
    assert reversal_runs.main() == 1
    assert json.loads(file.read_text())[0]["right_after"] == {"nothing": 0.1}
    monkeypatch.setattr("sys.argv", ["reversal_runs", "--write"])
    assert reversal_runs.main() == 0
    assert json.loads(file.read_text()) == [made]
