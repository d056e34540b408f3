"""Crawls as one file: what `watch` shows, of one moment, which opens anywhere without a server."""

from __future__ import annotations

import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from frontier.inspection import CrawlView
from frontier.watch.page import page_html
from frontier.watch.picture import Pictures
from ranking.errors import LinkRankError
from ranking.offline.files import new_file

if TYPE_CHECKING:
    from collections.abc import Sequence

FILE: Final = "crawl.html"
"""Name of the report in the directory of its crawl, beside its log and its items."""
EXPLAINED: Final = 25
"""Of the best pages, and of the latest ones, how many are explained; links shown of each: LINKS."""
LINKS: Final = 5
SECONDS: Final = 5.0
"""After which no further page is explained."""


def write_report(directories: Sequence[Path], out: Path | None = None) -> Path:
    """Write one file that shows crawls side by side, and return its path.

    Without `out` it is FILE in the first directory. Raises StoreErrors for what is no crawl,
    OfflineInputError where the file cannot be written.
    """
    documents = [_document(directory) for directory in directories]
    names = [document["topic"] or document["directory"] for document in documents]
    html, _ = page_html(documents, live=False, title=" · ".join(dict.fromkeys(names)))
    path = directories[0] / FILE if out is None else out
    with new_file(path) as file:
        file.write(html.encode())
    return path


def _document(directory: Path) -> dict[str, Any]:
    """The picture of a crawl, its map, and what is known of the pages that one looks at first."""
    with Pictures(directory) as pictures:
        document, mapped = pictures.picture(), pictures.map()
        # By now all answers have been read, which the first picture of a large crawl begins with.
        document = pictures.picture()
    listed = [*mapped["pages"][:EXPLAINED], *document["latest"][:EXPLAINED]]
    urls = dict.fromkeys(page["url"] for page in listed)
    return document | {"map": mapped, "urls": _explained(directory, list(urls))}


def _explained(directory: Path, urls: Sequence[str]) -> dict[str, Any]:
    """What `explain` knows of URLs, as far as there is time for it."""
    began, reports = time.monotonic(), {}
    with CrawlView.open(directory) as view:
        for url in urls:
            if time.monotonic() - began > SECONDS:
                break
            with suppress(LinkRankError):  # a request of the spider's that no URL leads to
                reports[url] = view.explain(url, LINKS).as_dict()
    return reports
