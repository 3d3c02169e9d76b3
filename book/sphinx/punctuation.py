"""No line starts with a comma: a short formula stays together with the punctuation after it.

Browsers may break a line between a typeset formula, which is a block to them, and what follows.
"""

import re
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

from book.portable import strip_colours

PUNCTUATION = re.compile(r"[.,;:!?)\]…]+")
# A longer formula must be able to break inside, on a phone.
LONGEST = 24


class KeepPunctuation(SphinxPostTransform):
    """Wrap formula and punctuation in an inline that does not break (`.unbroken` in book.css)."""

    default_priority = 700
    formats = ("html",)

    def run(self, **_: Any) -> None:
        for formula in list(self.document.findall(nodes.math)):
            after = formula.next_node(descend=False, siblings=True)
            found = PUNCTUATION.match(after) if isinstance(after, nodes.Text) else None
            if found is None or len(strip_colours(formula.astext())) > LONGEST:
                continue
            parent = formula.parent
            place = parent.index(formula)
            kept = nodes.inline("", "", formula, nodes.Text(found[0]), classes=["unbroken"])
            parent[place : place + 2] = [kept, nodes.Text(after[found.end() :])]


def setup(app: Sphinx) -> None:
    app.add_post_transform(KeepPunctuation)
