"""Where a page can be launched, and the commits that its buttons name.

A published book names two, so that what a reader opens is what the reader saw: the source link
leads to the page's file at the commit that was built (BOOK_COMMIT), Colab and Binder open its
launch copy (BOOK_LAUNCH_COMMIT, see tools/publish.py). Without them, all lead to the branch that
_config.yml names.

Where the book was built without Python in its pages, exercises lead there, too.
"""

import os
import re
from html import escape
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.errors import ConfigError
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util.typing import ExtensionMetadata

from _ext.static_widgets import stands_in


def commit(variable: str) -> str | None:
    """Return the commit that a variable of the environment names, if it is set."""
    value = os.environ.get(variable)
    if value and not re.fullmatch(r"[0-9a-f]{40}", value):
        raise ConfigError(
            f"{variable} must be a commit, 40 hexadecimal digits, but it is {value!r}: "
            "take what `git rev-parse` prints."
        )
    return value


def name_commits(app: Sphinx) -> None:
    """Let the launch buttons and the source button name different commits."""
    branch = app.config.html_theme_options["repository_branch"]
    app.config.html_context["launched"] = commit("BOOK_LAUNCH_COMMIT") or branch
    app.config.html_context["built"] = commit("BOOK_COMMIT") or branch


def launches(app: Sphinx, source: str) -> dict[str, str]:
    """Return the addresses that open a notebook elsewhere, by the names of the places."""
    theme, launched = app.config.html_theme_options, app.config.html_context["launched"]
    repository = theme["repository_url"].removeprefix("https://github.com/")
    colab, binder = (theme["launch_buttons"][f"{name}_url"] for name in ("colab", "binderhub"))
    return {
        "Colab": f"{colab}/github/{repository}/blob/{launched}/{source}",
        "Binder": f"{binder}/v2/gh/{repository}/{launched}?urlpath=lab/tree/{source}",
    }


def name_places(
    app: Sphinx, pagename: str, templatename: str, context: dict[str, Any], doctree: Any
) -> None:
    """Hand the template where the page can be launched."""
    context["launches"] = launches(app, context.get("sourcename") or "")


class LaunchExercises(SphinxPostTransform):
    """Lead from exercises to where they can be run, if that is not the page."""

    default_priority = 910  # when others have found the cells
    formats = ("html",)

    def run(self, **_: Any) -> None:
        path = Path(self.env.doc2path(self.env.docname, base=False))
        if self.app.config.pyodide or path.suffix != ".ipynb":
            return
        colab, binder = (
            f'<a href="{escape(address)}">{name}</a>'
            for name, address in launches(self.app, path.as_posix()).items()
        )
        note = f'<p class="run-note">Write and run your answer in {colab} or {binder}.</p>\n'
        for cell in list(self.document.findall(nodes.container)):
            if cell.get("nb_element") == "cell_code" and stands_in(cell, "exercise"):
                cell += nodes.raw("", note, format="html")


def setup(app: Sphinx) -> ExtensionMetadata:
    app.add_post_transform(LaunchExercises)
    app.connect("builder-inited", name_commits)
    app.connect("html-page-context", name_places)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
