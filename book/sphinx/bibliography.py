"""The list of works names each as the pages cite it: by authors and year.

The package pybtex-author-year-label writes "(White,2021)", which is not what the citations say.
"""

from collections.abc import Iterable, Iterator

from pybtex.backends.plaintext import Backend
from pybtex.database import Entry, Person
from pybtex.plugin import find_plugin, register_plugin
from pybtex.style.formatting.plain import Style
from pybtex.style.labels import BaseLabelStyle
from pybtex.style.sorting.author_year_title import SortingStyle
from sphinx.application import Sphinx
from sphinx.util.typing import ExtensionMetadata
from sphinxcontrib.bibtex.style.names.last import LastNameStyle

NAME = "author_year"
LAST_NAME, TEXT = LastNameStyle(), Backend()  # as the citations write it


class AuthorYearLabels(BaseLabelStyle):
    """Labels with the text of the citations, such as "Bahdanau et al., 2015"."""

    def format_labels(self, sorted_entries: Iterable[Entry]) -> Iterator[str]:
        for entry in sorted_entries:
            names = [LAST_NAME.format(p).format().render(TEXT) for p in entry.persons["author"]]
            several = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
            yield f"{several}, {entry.fields['year']}"


class AuthorYearSorting(SortingStyle):
    """The order of first authors, where the braces of a group's name do not count."""

    def person_key(self, person: Person) -> str:
        return super().person_key(person).replace("{", "").replace("}", "")


class AuthorYearStyle(Style):
    """The plain style, with these labels."""

    default_label_style = NAME
    default_sorting_style = NAME


def setup(app: Sphinx) -> ExtensionMetadata:
    register_plugin("pybtex.style.labels", NAME, AuthorYearLabels)
    register_plugin("pybtex.style.sorting", NAME, AuthorYearSorting)
    register_plugin("pybtex.style.formatting", NAME, AuthorYearStyle)
    # Each look-up reads the metadata of every installed package, three seconds in all and for each
    # page that `make serve` shows; but what is registered here is found at once.
    for backend in ("docutils", "plaintext", "text"):
        found = find_plugin("pybtex.backends", backend)
        register_plugin("pybtex.backends", backend, found, force=True)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
