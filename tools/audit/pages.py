"""One page: everything that is measured of it, what it misses, and its line in the table."""

from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit

from playwright.sync_api import Browser

from tools import limits
from tools.audit import lighthouse, visits
from tools.audit.lighthouse import Scores
from tools.audit.weights import Weight, weigh

COLUMNS = (
    *("KB", "script", "widgets", "other hosts", "shift"),
    *("mobile", "desktop", "access.", "practices", "SEO", "HTML errors"),
)
NAME_WIDTH = 39


@dataclass(frozen=True)
class Page:
    """What was measured of one page."""

    name: str
    weight: Weight
    elsewhere: tuple[str, ...]
    shift: float
    scores: Scores
    #: Errors of markup; None if nobody looked.
    errors: list[str] | None

    def cells(self) -> list[str]:
        """Return the numbers in the order of the columns."""
        kb = [self.weight.page, self.weight.scripts, self.weight.widget_scripts]
        scores = self.scores
        return [
            *(f"{weight / limits.KB:.1f}" for weight in kb),
            str(len(self.elsewhere)),
            f"{self.shift:.3f}",
            f"{scores.mobile:.0f}",
            f"{scores.desktop:.0f}",
            *map(str, (scores.accessibility, scores.best_practices, scores.seo)),
            "not checked" if self.errors is None else str(len(self.errors)),
        ]

    def misses(self) -> list[str]:
        """Return a sentence for each limit that the page misses, with what would help."""
        search = urlsplit(self.name).path == "search.html"
        found = self.weight.misses(search=search)
        if self.elsewhere:
            found.append(f"asks other hosts for {', '.join(self.elsewhere)}")
        if self.shift > limits.LAYOUT_SHIFT:
            found.append(f"layout shift {self.shift:.3f}, at most {limits.LAYOUT_SHIFT}")
        low = [
            f"{name} {score:.0f}, at least {limit}"
            for name, score, limit in (
                ("mobile performance", self.scores.mobile, limits.MOBILE_PERFORMANCE),
                ("desktop performance", self.scores.desktop, limits.DESKTOP_PERFORMANCE),
                ("accessibility", self.scores.accessibility, limits.ACCESSIBILITY),
                ("best practices", self.scores.best_practices, limits.BEST_PRACTICES),
                ("SEO", self.scores.seo, limits.SEO),
            )
            if score < limit
        ]
        if low:
            # What costs points belongs to the scores together, so it is said once.
            low[-1] += f" (Lighthouse names: {'; '.join(self.scores.losses)})"
        found += low
        if self.errors:
            found.append(f"{len(self.errors)} HTML errors, such as {self.errors[0]}")
        return [f"{self.name}: {miss}" for miss in found]


def line(name: str, cells: list[str]) -> str:
    """Return a line of the table."""
    widths = (max(len(title), len("1000.0")) for title in COLUMNS)
    numbers = (f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))
    return "  ".join([f"{name:<{NAME_WIDTH}}", *numbers])


def names(book: Path) -> list[str]:
    """Return every page of the book, and the search page once more with something to search."""
    found = sorted(path.relative_to(book).as_posix() for path in book.rglob("*.html"))
    pages = [name for name in found if not name.startswith("_")]
    return [*pages, "search.html?q=softmax"]


def measure(
    browser: Browser,
    server: str,
    book: Path,
    name: str,
    *,
    runs: int,
    errors: dict[Path, list[str]] | None,
) -> Page:
    """Measure a page in every way but its markup, whose errors are known by file."""
    seen = visits.visits(browser, server, name)
    weights = [
        weigh(visits.file_of(book, urlsplit(visit.address).path), visit.files(book))
        for visit in seen
    ]
    scores = lighthouse.measure(f"{server}/{name}", runs)
    elsewhere = {address for visit in seen for address in visit.elsewhere}
    elsewhere |= set(visits.sort(server, scores.requests)[1])
    document = book / urlsplit(name).path
    return Page(
        name=name,
        weight=max(weights, key=lambda weight: weight.page),
        elsewhere=tuple(sorted(elsewhere)),
        shift=max(scores.shift, *(visit.shift for visit in seen)),
        scores=scores,
        errors=None if errors is None else errors.get(document, []),
    )
