"""The commits that the buttons of a page name.

A published book names two, so that what a reader opens is what the reader saw: the source link
leads to the page's file at the commit that was built (BOOK_COMMIT), Colab and Binder open its
launch copy (BOOK_LAUNCH_COMMIT, see tools/publish.py). Without them, all lead to the branch that
_config.yml names.
"""

import os
import re

from sphinx.application import Sphinx
from sphinx.errors import ConfigError
from sphinx.util.typing import ExtensionMetadata


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


def setup(app: Sphinx) -> ExtensionMetadata:
    app.connect("builder-inited", name_commits)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
