"""Measure every page of the built book, its dependencies, and two copies; see tools/limits.py.

Let nothing else run meanwhile: Lighthouse takes times.
"""

import argparse
import os
import sys
from pathlib import PurePath

from playwright.sync_api import sync_playwright

from tools import browser, build
from tools.audit import copies, dependencies, install, lighthouse, markup, pages, visits
from tools.audit.server import serving
from tools.audit.verdict import Verdict
from tools.project import HTML


def audit_markup(names: list[str], verdict: Verdict) -> dict | None:
    """Return the errors of each page's file, or None where the checker does not run."""
    files = sorted({visits.file_of(HTML, name.partition("?")[0]) for name in names})
    try:
        return markup.check(files)
    except markup.CheckerError as error:
        verdict.unchecked.append(str(error))
        return None


def audit_pages(names: list[str], runs: int, verdict: Verdict) -> None:
    """Print a line for each page as soon as it is measured."""
    program = os.environ["CHROME_PATH"] = browser.path()  # where Lighthouse looks, too
    errors = audit_markup(names, verdict)
    print(pages.line("page", list(pages.COLUMNS)), flush=True)
    benchmarks: list[float] = []
    with serving(HTML) as server, sync_playwright() as playwright:
        flags = [*browser.FLAGS, visits.ALONE]
        chromium = playwright.chromium.launch(executable_path=program, args=flags)
        for name in names:
            try:
                page = pages.measure(chromium, server, HTML, name, runs=runs, errors=errors)
            except lighthouse.LighthouseError as error:
                print(f"{name}: {error}", flush=True)
                verdict.missed.append(f"{name}: not measured: {error}")
                continue
            print(pages.line(name, page.cells()), flush=True)
            verdict.missed += page.misses()
            benchmarks += page.scores.benchmark
        chromium.close()
    if benchmarks:
        print(
            f"mobile: median of {runs}. Lighthouse found this machine's speed index between "
            f"{min(benchmarks):.0f} and {max(benchmarks):.0f}; far apart, something else ran."
        )


def audit_dependencies(verdict: Verdict) -> None:
    """Print what is known of the packages that the book pins."""
    for found in (dependencies.check_pip(), dependencies.check_npm()):
        verdict.missed += [f"{found.lock}: {text}" for text in found.known]
        for text in found.accepted:
            print(f"{found.lock}: {text}")
        if found.unchecked:
            print(f"{found.lock}: not checked")
            verdict.unchecked.append(found.unchecked)
        else:
            known = len(found.known) + len(found.accepted)
            # A lock serves every system and Python; those of others are not looked up.
            print(f"{found.lock}: {found.packages} packages here, {known} known weaknesses")


def audit_copies(verdict: Verdict) -> None:
    """Build the copies and print in what they differ."""
    print("Building two copies with two addresses ...", flush=True)
    try:
        count, unlike = copies.compare()
    except copies.CopyError as error:
        verdict.unchecked.append(str(error))
        return
    print(f"Of {count} files, {len(unlike)} differ in more than the address.")
    verdict.missed += [f"{name} differs in more than the address" for name in unlike]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only", nargs="+", default=[], metavar="PAGE", help="pages alone, such as temperature"
    )
    parser.add_argument("--runs", type=int, default=3, help="runs on a phone (default: 3)")
    arguments = parser.parse_args()
    if arguments.runs < 1:
        parser.error(f"--runs must be at least 1, but is {arguments.runs}.")
    if build.stamped() != build.wanted():
        sys.exit("The built book is missing or out of date: run `make book` first.")
    names = pages.names(HTML)
    if arguments.only:
        stems = {name: PurePath(name).stem for name in names}
        if unknown := set(arguments.only) - {*names, *stems.values()}:
            parser.error(f"no page is {', '.join(unknown)}; there are {', '.join(names)}")
        names = [name for name in names if not {name, stems[name]}.isdisjoint(arguments.only)]

    verdict = Verdict()
    try:
        install.install()
        audit_pages(names, arguments.runs, verdict)
    except (install.InstallError, browser.NoBrowserError) as error:
        verdict.unchecked.append(str(error))
    if not arguments.only:
        audit_dependencies(verdict)
        audit_copies(verdict)
    print("\n" + "\n".join(verdict.sentences()))
    return verdict.status()


if __name__ == "__main__":
    sys.exit(main())
