"""What a host shows that asks for no page of the book: the root, and a page for wrong addresses.

Jupyter Book writes a page at the root itself if there is none: without a title, a language or an
icon, so that browsers ask for a favicon that is not there. Beside them, for search engines: the
list of the pages, and where it is, which they look up only where the book is at the root of a host.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from xml.sax.saxutils import escape

from sphinx.application import Sphinx


def front_door(app: Sphinx) -> Iterator[tuple[str, dict[str, Any], str]]:
    """Add the page at the root, and the one that GitHub Pages shows for a wrong address."""
    yield "index", {}, "front-door.html"
    yield "404", {"folder": urlsplit(app.config.html_baseurl).path or "/"}, "404.html"


def list_pages(app: Sphinx, exception: Exception | None) -> None:
    """Write the list of the pages, and the file in which search engines look for it."""
    site, root = app.config.html_baseurl, Path(app.outdir)
    if exception or app.builder.format != "html" or not site:
        return
    pages = (site + app.builder.get_target_uri(name) for name in sorted(app.env.found_docs))
    lines = "".join(f"  <url><loc>{escape(page)}</loc></url>\n" for page in pages)
    (root / "sitemap.xml").write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n{lines}</urlset>\n',
        encoding="utf-8",
    )
    (root / "robots.txt").write_text(
        f"User-agent: *\nAllow: /\nSitemap: {site}sitemap.xml\n", encoding="utf-8"
    )


def setup(app: Sphinx) -> None:
    app.connect("html-collect-pages", front_door)
    app.connect("build-finished", list_pages)
