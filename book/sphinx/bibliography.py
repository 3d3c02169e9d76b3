"""The list of works names each as the pages cite it: by authors and year.

The package pybtex-author-year-label writes "(White,2021)", which is not what the citations say.
"""

from collections.abc import Iterable, Iterator

from pybtex.database import Entry, Person
from pybtex.plugin import find_plugin, register_plugin
from pybtex.style.formatting.plain import Style
from pybtex.style.labels import BaseLabelStyle
from pybtex.style.sorting.author_year_title import SortingStyle
from sphinx.application import Sphinx

from book.portable import ROOT, works

NAME = "author_year"


class AuthorYearLabels(BaseLabelStyle):
    """Labels with the text of the citations, such as "Bahdanau et al., 2015"."""

    def format_labels(self, sorted_entries: Iterable[Entry]) -> Iterator[str]:
        cited = dict(works((ROOT / "references.bib").read_text(encoding="utf-8")))
        yield from (f"{cited[entry.key].who}, {cited[entry.key].year}" for entry in sorted_entries)


class AuthorYearSorting(SortingStyle):
    """The order of first authors, where the braces of a group's name do not count."""

    def person_key(self, person: Person) -> str:
        return super().person_key(person).replace("{", "").replace("}", "")


class AuthorYearStyle(Style):
    """The plain style, with these labels."""

    default_label_style = NAME
    default_sorting_style = NAME


def setup(app: Sphinx) -> None:
    register_plugin("pybtex.style.labels", NAME, AuthorYearLabels)
    register_plugin("pybtex.style.sorting", NAME, AuthorYearSorting)
    register_plugin("pybtex.style.formatting", NAME, AuthorYearStyle)
    # Each look-up reads the metadata of every installed package, three seconds in all and for each
    # page that `make serve` shows; but what is registered here is found at once.
    for backend in ("docutils", "plaintext", "text"):
        found = find_plugin("pybtex.backends", backend)
        register_plugin("pybtex.backends", backend, found, force=True)
