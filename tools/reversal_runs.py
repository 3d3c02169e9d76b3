"""Make attnutils/data/reversal_runs.json: what twenty trainings of the reversal model came to.

    python -m tools.reversal_runs           compare with the stored file; fail if they differ
    python -m tools.reversal_runs --write   store what was made

Starts are numbered; the numbers 1 to 20 were taken because they come first. Each run is one that
TrainingExplorer shows, so a reader can look at it on the page. It takes some minutes.
"""

import argparse
import json
import sys
from typing import Any

import numpy as np

from attnutils import ClassifierParams, sinusoidal_encoding, token_classifier
from attnutils.toy_tasks import reversal_batch
from attnutils.widgets.training_explorer import REMEDIES, run_of
from tools.project import ROOT

FILE = ROOT / "attnutils" / "data" / "reversal_runs.json"
STARTS = range(1, 21)
STUCK = 100  # steps at the rate that is too high
TRAINED = 300
LENGTHS = range(7, 13)
TOLERANCE = 0.05  # of a share; where a run ends can hang on the last bit of a number


def right_by_place(params: ClassifierParams, length: int) -> list[float]:
    """How often each place of fresh sequences is right."""
    tokens, targets = reversal_batch(np.random.default_rng(7), 1000, length=length)
    result = token_classifier(tokens, params, encoding=sinusoidal_encoding(length, 32))
    shares = (result.logits.argmax(axis=-1) == targets).mean(axis=0)
    return [round(float(share), 3) for share in shares]


def what_and_where(params: ClassifierParams) -> tuple[float, float]:
    """Right letters if each place is shown the right one, and the weight on the right place."""
    tokens, targets = reversal_batch(np.random.default_rng(3), 100)
    encoding = sinusoidal_encoding(10, 32)
    shown = (params.embedding[tokens] + encoding)[:, ::-1] @ params.w_value
    said = (shown @ params.w_output + params.b_output).argmax(axis=-1)
    weights = token_classifier(tokens, params, encoding=encoding).weights
    on_it = weights[:, np.arange(10), 9 - np.arange(10)].mean()
    return float((said == targets).mean()), float(on_it)


def record(start: int) -> dict[str, Any]:
    """What the runs of one start came to."""
    run = run_of(start, [[0, 0.01, 0]], True, TRAINED)
    curves = np.array([what_and_where(stage.params) for stage in run[:101]])
    stuck = run_of(start, [[0, 0.2, 0]], True, STUCK)[-1]
    tokens, _ = reversal_batch(np.random.default_rng(7), 200)
    weights = token_classifier(tokens, stuck.params, encoding=sinusoidal_encoding(10, 32)).weights
    after = []
    for remedy in range(len(REMEDIES)):
        plan = [[0, 0.2, 0], [STUCK, 0.01, remedy]]
        params = run_of(start, plan, True, STUCK + TRAINED)[-1].params
        after.append(round(float(np.mean(right_by_place(params, 10))), 3))
    return {
        "start": start,
        "right_by_place": {str(n): right_by_place(run[-1].params, n) for n in LENGTHS},
        "what_half_way": int(np.argmax(curves[:, 0] >= 0.5)),
        "where_half_way": int(np.argmax(curves[:, 1] >= 0.5)),
        "stuck_right": round(float(np.mean(right_by_place(stuck.params, 10))), 3),
        "stuck_largest_weight": round(float(weights.max(axis=-1).mean()), 3),
        "right_after": dict(zip(REMEDIES, after, strict=True)),
    }


def flat(x: Any) -> list[float]:
    """All numbers of a record, in order."""
    if isinstance(x, dict | list):
        return [
            number for item in (x.values() if isinstance(x, dict) else x) for number in flat(item)
        ]
    return [float(x)]


def main() -> int:
    """Make the records; compare or store them."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--write", action="store_true", help="store what was made")
    write = parser.parse_args().write
    records = []
    for start in STARTS:
        records.append(record(start))
        print(json.dumps(records[-1]["right_after"]), flush=True)
    if write or not FILE.exists():
        lines = ",\n".join(json.dumps(each) for each in records)
        FILE.write_text(f"[\n{lines}\n]\n", encoding="utf-8")
        return 0
    stored = json.loads(FILE.read_text(encoding="utf-8"))
    differences = np.abs(np.array(flat(records)) - np.array(flat(stored)))
    if differences.max() > TOLERANCE:
        print(f"{FILE.name}: numbers differ by up to {differences.max():.3f}", file=sys.stderr)
        return 1
    print(f"{FILE.name} agrees with what was just made.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
