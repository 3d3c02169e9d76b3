"""The stored trainings on reversal are those that the command makes."""

import numpy as np

from attnutils.toy_tasks import load_reversal_runs
from tools.experiments import reversal_runs


def test_a_start_that_is_trained_again_comes_to_what_is_stored():
    stored = load_reversal_runs()
    assert [run["start"] for run in stored] == list(reversal_runs.STARTS)
    start = 7
    (before,) = (run for run in stored if run["start"] == start)
    again = reversal_runs.record(start)
    assert list(again) == list(before)
    got, wanted = reversal_runs.flat(again), reversal_runs.flat(before)
    np.testing.assert_allclose(got, wanted, rtol=0, atol=reversal_runs.TOLERANCE)


def test_results_agree_up_to_the_noise_of_training():
    made = {"start": 1, "right_after": {"nothing": 0.1}}
    assert reversal_runs.agree([made], [{**made, "right_after": {"nothing": 0.14}}])
    assert not reversal_runs.agree([made], [{**made, "right_after": {"nothing": 0.2}}])
