"""Run every benchmark, on one core where the system can pin programs, with one BLAS thread."""

import os
import subprocess
import sys

from tools.project import ROOT, environment


def main() -> int:
    if hasattr(os, "sched_setaffinity"):  # what runs below inherits it
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    for path in sorted((ROOT / "benchmarks").glob("[!_]*.py")):
        print(f"\n== {path.stem.replace('_', ' ')}", flush=True)
        command = [sys.executable, "-m", f"benchmarks.{path.stem}"]
        if status := subprocess.run(command, cwd=ROOT, env=environment(), check=False).returncode:
            return status
    return 0


if __name__ == "__main__":
    sys.exit(main())
