"""The stored trainings on reversal are those that the command makes."""

import numpy as np

from attnutils import ClassifierParams, sinusoidal_encoding
from attnutils.toy_tasks import load_reversal_runs
from tests.conftest import exhaustive
from tools.experiments import reversal_runs


@exhaustive
def test_a_start_that_is_trained_again_comes_to_what_is_stored():
    stored = load_reversal_runs()
    assert [run["start"] for run in stored] == list(reversal_runs.STARTS)
    start = 7
    (before,) = (run for run in stored if run["start"] == start)
    again = reversal_runs.record(start)
    assert list(again) == list(before)
    got, wanted = reversal_runs.settled([again]), reversal_runs.settled([before])
    np.testing.assert_allclose(got, wanted, rtol=0, atol=reversal_runs.TOLERANCE)


def test_results_agree_up_to_the_noise_of_training():
    made = {"start": 1, "right_after": {"nothing": 0.1}, "stuck_alike": {"W_v": 0.5}}

    def agrees(right: float, *alike: float) -> bool:
        changed = {**made, "right_after": {"nothing": right}}
        others = [{**changed, "stuck_alike": {"W_v": each}} for each in alike]
        return reversal_runs.agree([made] * len(others), others)

    assert agrees(0.14, 0.5)
    assert not agrees(0.2, 0.5)
    assert agrees(0.1, 0.2, 0.8)  # of what a stuck run magnifies, only the mean counts
    assert not agrees(0.1, 0.2, 0.4)


def test_where_is_the_share_of_rows_that_look_most_at_the_right_place():
    # By hand: the query of a place is the encoding of the right one, so faint that no weight is
    # large. Half of the matrix moves no largest weight; none makes all alike, so the first is it.
    encoding = sinusoidal_encoding(10, 32)
    query = np.linalg.pinv(encoding) @ encoding[::-1]
    blank = ClassifierParams(
        np.zeros((12, 32)), query, np.eye(32), np.eye(32), np.zeros((32, 12)), np.zeros(12)
    )
    for factor, share in ((1, 1), (0.5, 1), (0, 0.1)):
        params = blank._replace(w_query=factor * query)
        assert reversal_runs.what_and_where(params)[1] == share
