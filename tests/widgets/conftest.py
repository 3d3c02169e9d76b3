"""What the tests of the widgets share."""

import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from attnutils.widgets import _base
from tools.project import environment


@pytest.fixture
def run_script() -> Callable[[str, str, object], Any]:
    """A function that runs JavaScript in Node behind a widget's own script."""

    def run(widget: str, program: str, data: object) -> Any:
        """Return what `program` prints as JSON; it finds `data` parsed in `input`."""
        script = f"{_base.script(widget)}\nconst input = {json.dumps(data)};\n{program}"
        done = subprocess.run(
            ["node", "--input-type=module", "-"],
            input=script,
            capture_output=True,
            encoding="utf-8",
            env=environment(),
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    return run
