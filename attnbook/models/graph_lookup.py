"""What training on the dictionary lookup came to, from twenty starts. Used on *graph attention*."""

from typing import NamedTuple

import numpy as np

from attnbook.models._stored import DATA, existing
from attnutils._checks import FloatArray, IntArray

__all__ = ["LookupRuns", "load_lookup_runs"]


class LookupRuns(NamedTuple):
    """How training on the dictionary lookup went, by 20 seeds.

    `steps` (25,): after how many steps of Adam it was looked.

    `answers`: the share of right answers in 200 fresh graphs, an array (20, 25) of seeds and looks
    for each m, number of layers of the readout, and kind of head, as in ``answers[8, 1, "GAT"]``.
    """

    steps: IntArray
    answers: dict[tuple[int, int, str], FloatArray]


def load_lookup_runs() -> LookupRuns:
    """Load how heads of GAT and GATv2 learned the dictionary lookup, with 20 seeds.

    m nodes ask, m nodes know, and who asks must return the value of the one who fits. The answer is
    read from the output of the head by one linear layer, or by two layers that see who asks. The
    training is that of the page; ``make experiments`` runs it again.

    Returns
    -------
    LookupRuns
        For m = 4 and 8, a readout of 1 and 2 layers, "GAT" and "GATv2".

    References
    ----------
    brody2022 : the task.

    Examples
    --------
    >>> runs = load_lookup_runs()
    >>> bool((runs.answers[8, 1, "GAT"][:, -1] < 0.15).all())
    True
    """
    with np.load(existing(DATA / "lookup_runs.npz"), allow_pickle=False) as file:
        answers = file["answers"].astype(np.float64)
        steps = file["steps"].astype(np.intp)
    of = {
        (m, n_layers, kind): answers[i, j, k]
        for i, m in enumerate((4, 8))
        for j, n_layers in enumerate((1, 2))
        for k, kind in enumerate(("GAT", "GATv2"))
    }
    return LookupRuns(steps, of)
