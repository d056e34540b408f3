"""Indexing: the texts that a crawl keeps, or pages of WARC files or a feed."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from frontier.errors import FeedError
from frontier.inspection.reports import Report
from frontier.inspection.resumed import stored_config
from frontier.parsing.html import MAX_LINKS
from frontier.parsing.reader import read_markup
from frontier.search.index import IndexedPage, SearchIndex
from frontier.search.syncing import is_shown, sync
from frontier.store import StoreReader
from frontier.texts import TextReader
from frontier.texts.file import FILE_NAME as KEPT

_BATCH = 500
"""Pages of a commit."""
TEXTS: Final = 128
"""Texts of a commit, which takes some 100 ms beside a running crawl: it waits for the disk."""
_READ: Final = "texts"
"""Note of the index: number of the last text that it has."""


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


class TextBatch(NamedTuple):
    """Numbers of texts that were read, and of new or changed pages among them."""

    read: int
    changed: int


def index_texts(index: SearchIndex, directory: Path) -> TextBatch:
    """Index the next kept texts, TEXTS at most: the index notes how far it has read.

    Raises the errors of `TextReader`, and SearchError if the index cannot be used.
    """
    texts = TextReader.open(directory)
    if texts is None:
        return TextBatch(0, 0)
    with texts:
        new = texts.after(int(index.note(_READ) or 0), TEXTS)
    changed = index.add(
        IndexedPage(one.url_id, one.url, one.text.title, one.text.text) for one in new
    )
    if new:
        index.note(_READ, str(new[-1].number))
    return TextBatch(len(new), changed)


def index_all_texts(index: SearchIndex, directory: Path) -> int:
    """Index all kept texts that are new, as above; returns the number of new or changed pages."""
    changed, batch = 0, TextBatch(TEXTS, 0)
    while batch.read == TEXTS:
        batch = index_texts(index, directory)
        changed += batch.changed
    return changed


def update(directory: Path, pages: Iterable[ReadPage] | None) -> IndexReport:
    """Index kept texts, or pages of the crawl in `directory`, of several of a URL the last; sync.

    None: no further pages. Raises StoreMissingError without a crawl, SearchError if the index
    cannot be used, or is missing and there is no page.
    """
    with StoreReader.open(directory) as reader:
        config, answers = stored_config(reader), reader.last_answers()
        shown = is_shown(answers)
        fingerprints = reader.fingerprints()
        order = np.argsort(fingerprints)
        if pages is None and not (directory / KEPT).exists():
            SearchIndex.open(directory).close()  # raises an error that says how to make one
        with SearchIndex.open(directory, write=True) as index:
            changed, left_out = index_all_texts(index, directory), 0
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
