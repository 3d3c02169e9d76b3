"""Make the book that is published of the one that is built: its pages work again without a network.

What was built is copied into _build/published, where pages start a service worker, which keeps what
a reader has opened (service-worker.js). `make book` has nothing of it. BOOK_COMMIT is the version;
BOOK_OFFLINE=no takes all back: browsers then forget what they have kept.
"""

import hashlib
import os
import re
import shutil
import sys
from html import escape
from pathlib import Path

from bs4 import BeautifulSoup
from sphinx.errors import ConfigError

from _ext import launch_links
from _ext.esbuild import esbuild
from _ext.theme import digest
from tools import address
from tools.project import BUILD, HTML, environment

SOURCES = Path(__file__).resolve().parent
PUBLISHED = BUILD / "published"
WORKER = "service-worker.js"
# What pages name without saying of which version it is, or with a digest of the source alone.
NAMED = re.compile(r'\b(src|href)="([^":?#]+\.(?:js|css|svg))(?:\?v=\w+)?"')
FONT = re.compile(r"url\((fonts/[^)?]+)\)")
LIST = """\
for (const item of document.querySelectorAll("li")) {
  caches.match(item.firstChild.href).then((kept) => { item.hidden = !kept; });
}
"""
OFFLINE = """\
<h1>Not here without a network</h1>
      <p>The network does not answer, and your browser has not kept this page. It keeps those \
that you have opened:</p>
      <ul>{items}</ul>
      <script>{script}</script>
"""


class OfflineError(RuntimeError):
    """What was built cannot be published; the message says why and what to do."""


def version(path: Path) -> str:
    """Return what stands in an address for the contents of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()[:8]


def once(pattern: str, new: str, text: str) -> str:
    """Put something into a page in the place of what stands there once."""
    changed, times = re.subn(pattern, lambda _: new, text, flags=re.DOTALL)
    if times != 1:
        raise OfflineError(f"A page must hold {pattern!r} once, but holds it {times} times.")
    return changed


def versioned(text: str, folder: Path) -> str:
    """Return a page of a folder that names its files with the versions that lie there."""

    def with_version(found: re.Match[str]) -> str:
        file = folder / found[2]
        return f'{found[1]}="{found[2]}?v={version(file)}"' if file.is_file() else found[0]

    return NAMED.sub(with_version, text)


def offline_page(root: Path, site: str) -> str:
    """Return what is shown where a page is not kept: the page for wrong addresses, with a list."""
    book = BeautifulSoup((root / "search.html").read_text(encoding="utf-8"), "html.parser").aside
    items = "".join(
        f'<li hidden><a href="{escape(site + link["href"])}">'
        f"{escape(link.find(string=True, recursive=False).strip())}</a></li>"
        for link in book.select("a")
    )
    text = (root / "404.html").read_text(encoding="utf-8")
    text = text.replace("Page not found", "Not here without a network")
    text = once("default-src 'none';", f"default-src 'none'; script-src '{digest(LIST)}';", text)
    return once("<h1>.*(?=</main>)", OFFLINE.format(items=items, script=LIST), text)


def travelling(name: str, commit: str = "") -> str:
    """Return a script as it travels, with the commit that it is of."""
    text = (SOURCES / name).read_text(encoding="utf-8").replace("COMMIT", commit)
    return esbuild(name, "--loader=js", "--minify", text=text)


def publish(source: Path, target: Path, commit: str, site: str) -> None:
    """Write the book that is published, with what lets its pages work without a network.

    `site` is the address under which it is published, with a slash at its end.
    """
    shutil.copytree(source, target)
    static = target / "_static"
    (target / WORKER).write_text(travelling(WORKER, commit), encoding="utf-8")
    (static / "keep.js").write_text(travelling("keep.js"), encoding="utf-8")
    (target / "offline.html").write_text(offline_page(source, site), encoding="utf-8")
    style = (static / "book.css").read_text(encoding="utf-8")
    style = FONT.sub(lambda font: f"url({font[1]}?v={version(static / font[1])})", style)
    (static / "book.css").write_text(style, encoding="utf-8")
    for page in (*target.glob("chapters/*.html"), target / "search.html"):
        text = page.read_text(encoding="utf-8")
        root = "../" * (len(page.relative_to(target).parts) - 1)
        keep = f'    <script defer src="{root}_static/keep.js"></script>\n  </head>'
        text = once("worker-src blob:", f"worker-src blob: {site}{WORKER}", text)
        text = once('<html lang="en"', f'<html lang="en" data-commit="{commit}"', text)
        text = once("  </head>", keep, text)
        page.write_text(versioned(text, page.parent), encoding="utf-8")


def end(source: Path, target: Path) -> None:
    """Write the book as it was built, with what ends the service worker of earlier versions."""
    shutil.copytree(source, target)
    (target / WORKER).write_text(travelling("ended.js"), encoding="utf-8")


def main() -> int:
    os.environ.update(environment())
    shutil.rmtree(PUBLISHED, ignore_errors=True)
    try:
        wish, built = os.environ.get("BOOK_OFFLINE", ""), launch_links.commit("BOOK_COMMIT")
        if wish == "no":
            end(HTML, PUBLISHED)
        elif wish:
            raise OfflineError(f'BOOK_OFFLINE must be "no" or empty, but it is {wish!r}.')
        elif not built:
            raise OfflineError("BOOK_COMMIT is not set: it must be the commit that was built.")
        else:
            publish(HTML, PUBLISHED, built, address.current().pages)
    except (ConfigError, OfflineError, address.AddressError, OSError) as error:
        print(f"The book was not made ready to be published: {error}", file=sys.stderr)
        return 1
    print(f"The book to publish: {PUBLISHED}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
