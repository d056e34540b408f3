"""A report: crawls at one moment, shown as by `watch`, in a file that needs no server."""

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
"""Number of the best pages, and of the latest ones, that are explained with LINKS links each."""
LINKS: Final = 5
SECONDS: Final = 5.0
"""After which no further page is explained."""


def write_report(directories: Sequence[Path], out: Path | None = None) -> Path:
    """Write one file that shows crawls side by side, and return its path.

    Without `out` it is FILE in the first directory. Raises StoreErrors for a directory without a
    crawl, OfflineInputError if the file cannot be written.
    """
    html = report_html([_document(directory) for directory in directories])
    path = directories[0] / FILE if out is None else out
    with new_file(path) as file:
        file.write(html.encode())
    return path


def picture_html(directory: Path) -> str:
    """Return the report of a crawl without explanations of its pages; raises StoreErrors."""
    return report_html([_picture(directory) | {"urls": {}}])


def report_html(documents: Sequence[dict[str, Any]]) -> str:
    """Return the page of crawls, of which `documents` are made."""
    names = [document["topic"] or document["directory"] for document in documents]
    html, _ = page_html(documents, live=False, title=" · ".join(dict.fromkeys(names)))
    return html


def _document(directory: Path) -> dict[str, Any]:
    """The picture of a crawl, and explanations of its best and latest pages."""
    document = _picture(directory)
    listed = [*document["map"]["pages"][:EXPLAINED], *document["latest"][:EXPLAINED]]
    urls = dict.fromkeys(page["url"] for page in listed)
    return document | {"urls": _explained(directory, list(urls))}


def _picture(directory: Path) -> dict[str, Any]:
    """The picture of a crawl with its map."""
    with Pictures(directory) as pictures:
        pictures.picture()
        mapped = pictures.map()
        # The first picture of a large crawl has not read all answers.
        return pictures.picture() | {"map": mapped}


def _explained(directory: Path, urls: Sequence[str]) -> dict[str, Any]:
    """Explanations of URLs, for SECONDS."""
    began, reports = time.monotonic(), {}
    with CrawlView.open(directory) as view:
        for url in urls:
            if time.monotonic() - began > SECONDS:
                break
            with suppress(LinkRankError):  # a request of the spider that its URL does not identify
                reports[url] = view.explain(url, LINKS).as_dict()
    return reports
