"""Lighthouse: what Chrome's own auditor says of a page, on a slow phone and on a computer."""

import json
import shlex
import statistics
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tools import browser
from tools.audit.visits import ALONE
from tools.project import node_folder

HERE = Path(__file__).parent
PROGRAM = HERE / "node_modules" / "lighthouse" / "cli" / "index.js"

PERFORMANCE = "performance"
# These do not depend on the machine, so one run each, on a phone and on a computer, is enough.
STEADY = ("accessibility", "best-practices", "seo")
SHIFT = "cumulative-layout-shift"
# Seconds; a run takes ten on an idle machine.
PATIENCE = 300


class LighthouseError(RuntimeError):
    """Lighthouse could not measure a page."""


@dataclass(frozen=True)
class Scores:
    """What Lighthouse says of one page; scores from 0 to 100."""

    mobile: float
    desktop: float
    accessibility: int
    best_practices: int
    seo: int
    shift: float
    requests: tuple[str, ...]
    #: How fast this machine was, lowest and highest. Far apart, something else was running.
    benchmark: tuple[float, float]
    #: What costs points, with the lowest score first.
    losses: tuple[str, ...]


def command(address: str, *, desktop: bool, all_categories: bool) -> list[str]:
    """Return the command for one run; without a preset it is a phone on a slow line."""
    categories = (PERFORMANCE, *STEADY) if all_categories else (PERFORMANCE,)
    # Lighthouse takes them as one line, as a shell would.
    flags = shlex.join([*browser.FLAGS, ALONE])
    return [
        *(str(node_folder() / "node"), str(PROGRAM), address),
        *("--output=json", "--quiet", "--no-enable-error-reporting"),
        *(["--preset=desktop"] if desktop else []),
        f"--only-categories={','.join(categories)}",
        f"--chrome-flags={flags}",
    ]


def run(address: str, *, desktop: bool = False, all_categories: bool = False) -> dict[str, Any]:
    """Measure a page once; return Lighthouse's report. CHROME_PATH names the browser."""
    program = command(address, desktop=desktop, all_categories=all_categories)
    try:
        result = subprocess.run(program, capture_output=True, text=True, timeout=PATIENCE)
        report = json.loads(result.stdout)
    except (subprocess.TimeoutExpired, json.JSONDecodeError) as error:
        said = error.stderr if isinstance(error, subprocess.TimeoutExpired) else result.stderr
        raise LighthouseError(f"Lighthouse failed on {address}: {said or error}") from error
    if "runtimeError" in report:
        message = report["runtimeError"]["message"]
        raise LighthouseError(f"Lighthouse could not measure {address}: {message}")
    return report


def score(report: dict[str, Any], category: str) -> int:
    """Return a score of 0 to 100. One that is missing, because an audit failed, counts as 0."""
    return round(100 * (report["categories"][category]["score"] or 0))


def losses(report: dict[str, Any]) -> Iterator[tuple[float, str]]:
    """Yield the audits that cost points in the categories of a report, and how each did."""
    for category in report["categories"].values():
        for reference in category["auditRefs"]:
            audit = report["audits"][reference["id"]]
            if reference["weight"] and audit["score"] is not None and audit["score"] < 0.9:
                parts = [audit["title"], audit.get("displayValue", "")]
                parts += moved(report) if reference["id"] == SHIFT else []
                yield audit["score"], f"{category['title']}: {' '.join(filter(None, parts))}"


def moved(report: dict[str, Any]) -> list[str]:
    """Return which element moved most, if any did."""
    items = report["audits"]["layout-shifts"].get("details", {}).get("items", [])
    return [f"of {item['node']['selector']}" for item in items[:1]]


def summary(mobile: list[dict[str, Any]], desktop: dict[str, Any]) -> Scores:
    """Make one result of the runs of a page; the first on a phone has all categories."""
    full = (mobile[0], desktop)
    reports = [*mobile, desktop]
    fetched = {
        item["url"]
        for report in reports
        for item in report["audits"]["network-requests"]["details"]["items"]
    }
    benchmarks = [report["environment"]["benchmarkIndex"] for report in reports]
    costs = sorted({loss for report in full for loss in losses(report)})
    return Scores(
        mobile=statistics.median(score(report, PERFORMANCE) for report in mobile),
        desktop=score(desktop, PERFORMANCE),
        **{name.replace("-", "_"): min(score(r, name) for r in full) for name in STEADY},
        shift=max(r["audits"][SHIFT]["numericValue"] for r in reports),
        requests=tuple(sorted(fetched)),
        benchmark=(min(benchmarks), max(benchmarks)),
        losses=tuple(dict.fromkeys(text for _, text in costs)),
    )


def measure(address: str, runs: int) -> Scores:
    """Measure a page: `runs` times on a phone, once on a computer, where times vary little."""
    mobile = [run(address, all_categories=number == 0) for number in range(runs)]
    return summary(mobile, run(address, desktop=True, all_categories=True))
