"""A new crawl made of the rows that SQLite still reads of a broken one.

URLs, answers and requests are copied row by row: URLs keep their order and lose their gaps, links
to a lost URL are left out, and a page whose row or links cannot be read is no page any more, so
that its URL is queued and fetched again. What a crawl derives from its pages and hosts (scores,
budgets, the topic model, robots.txt) is made again.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from frontier.errors import StoreForeignError
from frontier.records import LinkArrays, PageRow
from frontier.recovery.readable import (
    BROKEN,
    open_broken,
    readable_page,
    readable_revisit,
    readable_rows,
)
from frontier.store import schema, sqlite
from frontier.store.fingerprints import FingerprintIndex
from frontier.store.lock import DirectoryLock
from frontier.store.open import file_of
from frontier.store.rows import PLAIN, UrlRow, typed
from frontier.store.store import Store
from frontier.urls.canonical import slot_of
from frontier.urls.rules import UrlRules
from ranking.arrays import Column

_LEAST_ROW = 16
"""Bytes of the smallest row: ids that a file of its size cannot hold are damage."""
_COPIED = {
    schema.IDENTITY: dict,
    schema.URL_RULES: dict,
    schema.EXAMPLES: list,
    schema.NOT_EXAMPLES: list,
    schema.LABELLED: dict,
}
"""Settings that are copied: the configuration of the crawl, and texts that people gave."""


@dataclass(frozen=True)
class Salvaged:
    """How much the new directory holds, and how much at least was lost, by the numbers of rows."""

    directory: str
    urls: int
    pages: int
    lost_urls: int
    lost_pages: int


def salvage(directory: Path, target: Path) -> Salvaged:
    """Write the readable rows of the crawl in `directory` into the empty directory `target`.

    Raises StoreForeignError where `target` is not empty, StoreBusyError while the crawl runs, and
    StoreDamagedError where SQLite finds no table of URLs.
    """
    if target.exists() and any(target.iterdir()):
        raise StoreForeignError(
            f"{target} is not empty: expected a new directory for the recovered crawl."
        )
    path = file_of(directory)
    sqlite.check_header(path)
    lock = DirectoryLock(directory)
    try:
        with closing(open_broken(path)) as connection, Store.open(target) as new:
            return _Salvage(connection, new, path.stat().st_size // _LEAST_ROW).run(target)
    finally:
        lock.release()


class _Salvage:
    """One pass over the readable rows, table by table."""

    def __init__(self, old: sqlite3.Connection, new: Store, most: int) -> None:
        """Ids from `most` on are damage."""
        self._old, self._new, self._most = old, new, most
        self._ids = Column(np.int32, -1)
        """New id by old id, -1 for a URL that is lost."""
        self._n_urls = 0
        self._answered: set[int] = set()

    def run(self, target: Path) -> Salvaged:
        self._copy_urls()
        pages, answers = self._copy_pages()
        self._copy_requests()
        self._copy_revisits()
        self._copy_settings()
        self._new.commit()
        lost = len(self._ids.array) - self._n_urls
        return Salvaged(str(target), self._n_urls, pages, lost, answers - pages)

    def _id(self, old: Any) -> int:
        """Return the new id of a URL; -1 for a lost URL."""
        ids = self._ids.array
        return int(ids[old]) if isinstance(old, int) and 0 <= old < len(ids) else -1

    def _copy_urls(self) -> None:
        hosts = dict(readable_rows(self._old, "hosts"))
        copied = FingerprintIndex()
        for values in readable_rows(self._old, "urls"):
            try:
                row = typed(UrlRow, values)
            except ValueError:
                continue
            known = copied.lookup([row.fingerprint])[0] >= 0
            if known or not row.url or not 0 <= row.url_id < self._most:
                continue
            copied.add([row.fingerprint])
            self._ids.resize(max(row.url_id + 1, len(self._ids.array)))
            self._ids.array[row.url_id] = self._n_urls
            host = str(hosts.get(row.host) or slot_of(row.url) or "unknown")
            self._new.add_urls([self._renumbered_url(row, self._new.add_host(host))])
            self._n_urls += 1
            self._commit_at(self._n_urls)

    def _renumbered_url(self, row: UrlRow, host: int) -> tuple[Any, ...]:
        referrer = self._id(row.referrer)
        return tuple(
            row._replace(
                url_id=self._n_urls,
                host=host,
                depth=max(0, min(row.depth, 1 << 30)),
                referrer=None if referrer < 0 else referrer,
                seed=int(row.seed == 1),
            )
        )

    def _copy_pages(self) -> tuple[int, int]:
        """Return how many answers were copied, and how many there had been at least."""
        copied = last = 0
        for values in readable_rows(self._old, "pages"):
            page = readable_page(values)
            url_id = -1 if page is None else self._id(page.url_id)
            if isinstance(values[0], int) and values[0] < self._most:
                last = max(last, values[0])
            if page is not None and url_id >= 0:
                self._new.page(self._renumbered_page(page, url_id))
                self._answered.add(url_id)
                copied += 1
                self._commit_at(copied)
        return copied, max(copied, last + 1)

    def _renumbered_page(self, page: PageRow, url_id: int) -> PageRow:
        twin, features = self._id(page.twin), page.features
        if features is not None and not np.isfinite(features).all():
            features = None
        links = None if page.links is None else self._links(page.links)
        other = None if twin < 0 else twin
        return replace(page, url_id=url_id, twin=other, features=features, links=links)

    def _links(self, links: LinkArrays) -> LinkArrays:
        known = (links.targets >= 0) & (links.targets < len(self._ids.array))
        new = np.full(len(known), -1, np.int32)
        new[known] = self._ids.array[links.targets[known]]
        left = new >= 0
        return LinkArrays(
            targets=new[left],
            predicted=links.predicted[left],
            flags=links.flags[left],
            anchors=_left(links.anchors, left),
            matches=None if links.matches is None else links.matches[left],
            contexts=_left(links.contexts, left),
        )

    def _of_urls(self, table: str, *columns: str) -> Iterator[tuple[int, Any, Any]]:
        """Yield the new id and two columns of each row of a copied URL."""
        for old, first, second in readable_rows(self._old, table, "id", *columns):
            if self._id(old) >= 0 and isinstance(first, int | None):
                yield self._id(old), first, second

    def _copy_requests(self) -> None:
        pending = [
            (url_id, priority or 0, body)
            for url_id, priority, body in self._of_urls("requests", "class", "body")
            if isinstance(body, bytes | None)
        ]
        # A URL that was leased without a request is fetched again, with or without an answer.
        leases = self._of_urls("leases", "rid", "attempts")
        pending += [(url_id, 0, PLAIN) for url_id, rid, _ in leases if rid is None]
        for rid, request in enumerate(pending):
            self._new.add_request(rid, *request)
        for url_id, _, bands in self._of_urls("signatures", "id", "bands"):
            if isinstance(bands, bytes):
                self._new.add_signature(url_id, bands)

    def _copy_revisits(self) -> None:
        """Copy the revisits of pages with a copied answer; other pages are fetched as new ones."""
        for number, values in enumerate(readable_rows(self._old, "revisits"), start=1):
            revisit = readable_revisit(values)
            if revisit is not None and self._id(revisit.url_id) in self._answered:
                self._new.keep_revisit(revisit._replace(url_id=self._id(revisit.url_id)))
                self._commit_at(number)

    def _copy_settings(self) -> None:
        copied = {}
        for key, text in readable_rows(self._old, "crawl"):
            try:
                value = json.loads(text)
                if key == schema.URL_RULES:
                    UrlRules.stored(value)
            except BROKEN:
                continue
            if isinstance(value, _COPIED.get(key, ())):
                copied[key] = value
        if schema.URL_RULES not in copied:  # a crawl stores both or none
            copied.pop(schema.IDENTITY, None)
        for key, value in copied.items():
            self._new.set_setting(key, value)

    def _commit_at(self, count: int) -> None:
        if count % 2000 == 0:
            self._new.commit()


def _left(texts: tuple[str, ...] | None, left: NDArray[np.bool_]) -> tuple[str, ...] | None:
    return None if texts is None else tuple(itertools.compress(texts, left))
