"""Indexing after a crawl: pages of WARC files or a feed, matched with the crawl's URLs."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from frontier.errors import FeedError
from frontier.inspection.reports import Report
from frontier.inspection.resumed import stored_config
from frontier.parsing.html import MAX_LINKS
from frontier.parsing.reader import read_markup
from frontier.search.index import IndexedPage, SearchIndex
from frontier.search.pending import are_pending, take_in
from frontier.search.syncing import is_shown, sync
from frontier.store import StoreReader

_BATCH = 500
"""Pages of a commit."""


class ReadPage(NamedTuple):
    """A page of a WARC file or a feed."""

    url: str
    title: str
    text: str


@dataclass(frozen=True)
class IndexReport(Report):
    """The result of an update, and the size of the index.

    `changed` counts new pages and those with another text, `removed` pages that are gone;
    `not_of_crawl` counts pages that the crawl never met, that are no pages by its last answer, or
    noindex; `with_link_texts` counts pages with link texts.
    """

    index: str
    pages: int
    changed: int
    removed: int
    not_of_crawl: int
    with_link_texts: int
    bytes: int


def update(directory: Path, pages: Iterable[ReadPage] | None) -> IndexReport:
    """Index pages of the crawl in `directory`, of several of a URL the last one; then sync.

    None: only sync. Raises StoreMissingError without a crawl, SearchError if the index cannot be
    used, or is missing and no page is given.
    """
    with StoreReader.open(directory) as reader:
        config, answers = stored_config(reader), reader.last_answers()
        shown = is_shown(answers)
        fingerprints = reader.fingerprints()
        order = np.argsort(fingerprints)
        if pages is None and not are_pending(directory):
            SearchIndex.open(directory).close()  # raises an error that says how to make one
        with SearchIndex.open(directory, write=True) as index:
            deque(take_in(directory, index), 0)
            changed = left_out = 0
            left = iter(pages or ())
            while batch := list(islice(left, _BATCH)):
                wanted = np.array([config.identify(page.url) for page in batch], np.int64)
                at = np.searchsorted(fingerprints, wanted, sorter=order).clip(max=len(order) - 1)
                ids = order[at]
                known = (fingerprints[ids] == wanted) & shown[ids]
                left_out += int((~known).sum())
                changed += index.add(
                    IndexedPage(int(url_id), *page)
                    for url_id, page, is_known in zip(ids, batch, known, strict=True)
                    if is_known
                )
            synced = sync(index, reader)
            n = len(index)
    path = index.path
    size = sum(file.stat().st_size for file in path.iterdir())
    return IndexReport(str(path), n, changed, synced.removed, left_out, synced.linked, size)


def feed_pages(path: Path) -> Iterator[ReadPage]:
    """Yield the pages of a feed: JSON lines with `url`, and `text` or `html` (or `body`).

    `final_url` is preferred to `url`; `title` is optional. Title and text are read from HTML.
    Raises FeedError for another file or line.
    """
    try:
        with path.open(encoding="utf-8") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield _page_of(line, f"line {number} of {path}")
    except (OSError, UnicodeDecodeError) as error:
        raise FeedError(
            f"expected a feed of JSON lines in {path}, cannot read it: {error}"
        ) from None


def _page_of(line: str, where: str) -> ReadPage:
    try:
        item: Any = json.loads(line)
    except ValueError:
        item = None
    fields = item if isinstance(item, dict) else {}
    given = {key: value for key, value in fields.items() if isinstance(value, str)}
    url, text = given.get("final_url") or given.get("url"), given.get("text")
    html = given.get("html") or given.get("body")
    if not url or (text is None and html is None):
        raise FeedError(
            f'expected {where} to be a JSON object with "url", and "text" or "html"; got '
            f"{line.strip()[:80]!r}. Have the spider yield one of them with each page"
        )
    if text is not None:
        return ReadPage(url, given.get("title", ""), text)
    content = read_markup(html or "", "utf-8", url, MAX_LINKS)
    return ReadPage(url, content.title, content.text)
