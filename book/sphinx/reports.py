"""A link below each section that opens the repository's form for mistakes, filled in."""

import os
from html import escape
from typing import Any
from urllib.parse import urlencode

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from book import address

FORM = "mistake.yml"  # in .github/ISSUE_TEMPLATE


class Reports(SphinxPostTransform):
    """Name page, section and the commit of the book, so that the reader need not."""

    default_priority = 900
    formats = ("html",)

    def run(self, **_: Any) -> None:
        repository = address.repository()
        for page in self.document.children if repository else ():
            for section in page.children if isinstance(page, nodes.section) else ():
                if not isinstance(section, nodes.section):
                    continue
                name = section.next_node(nodes.title).astext()
                query = {"template": FORM, "page": self.env.docname, "section": name}
                query["commit"] = os.environ.get("GITHUB_SHA", "")
                link = escape(f"{repository}/issues/new?{urlencode(query)}")
                label = escape(f"Report a mistake in: {name}")
                html = f'<a href="{link}" aria-label="{label}">Report a mistake</a>'
                section += nodes.raw("", f'<p class="report">{html}</p>\n', format="html")


def setup(app: Sphinx) -> None:
    app.add_post_transform(Reports)
