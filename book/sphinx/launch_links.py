"""Where a page can be launched, and the repository with its source, if there is an address."""

import os
from typing import Any

from sphinx.application import Sphinx

from book import address


def tell(app: Sphinx, page: str, _: str, context: dict[str, Any], doctree: Any) -> None:
    """Hand the templates what they link to."""
    url, at = address.repository(), os.environ.get("BOOK_LAUNCH_COMMIT", "launch")
    name, source = url.removeprefix(address.HOST), context.get("sourcename") or ""
    context["repository"], context["built"] = url, os.environ.get("GITHUB_SHA", "HEAD")
    if name != url and source.endswith(".ipynb"):
        places = app.config.html_theme_options["launch_buttons"]
        context["launches"] = {
            "Colab": f"{places['colab_url']}/github/{name}/blob/{at}/{source}",
            "Binder": f"{places['binderhub_url']}/v2/gh/{name}/{at}?urlpath=lab/tree/{source}",
        }


def setup(app: Sphinx) -> None:
    app.connect("html-page-context", tell)
