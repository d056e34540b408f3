"""Indexing after a crawl: pages that were recorded elsewhere, matched with the crawl's URLs."""

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
    """What was done to an index, and how large it is.

    `changed` were added or had another text; `removed` are no pages of the crawl any more;
    `not_of_crawl` counts pages that it never met, or that are none by its last answer, or that ask
    not to be shown; `with_link_texts` are those of which other pages say something.
    """

    index: str
    pages: int
    changed: int
    removed: int
    not_of_crawl: int
    with_link_texts: int
    bytes: int


def update(directory: Path, pages: Iterable[ReadPage] | None) -> IndexReport:
    """Index pages of the crawl in `directory`, later ones in the place of earlier ones; then sync.

    None: only sync what is indexed. Raises StoreMissingError where there is no crawl, SearchError
    where the index cannot be used, or there is none and no page is given.
    """
    with StoreReader.open(directory) as reader:
        config, answers = stored_config(reader), reader.last_answers()
        shown = is_shown(answers)
        fingerprints = reader.fingerprints()
        order = np.argsort(fingerprints)
        if pages is None and not are_pending(directory):
            SearchIndex.open(directory).close()  # says how to make one where there is none
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

    `final_url` is preferred to `url`, `title` may be given; of HTML both are read from it. Raises
    FeedError for a file or a line that is something else.
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
