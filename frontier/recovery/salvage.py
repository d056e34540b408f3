"""What can be read of a broken crawl, as a new one that can go on.

URLs keep their order and lose their gaps; what points to a URL that is lost is left out, and a page
whose row or links cannot be read is no page any more, so that its URL is queued and fetched again.
What a crawl has made of its pages (scores, budgets) is kept where every URL was, and where a start
can use it: that is tried, and what it stumbles over is left out and made anew.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isfinite
from pathlib import Path
from typing import Any

import numpy as np

from frontier.errors import StoreForeignError
from frontier.records import Links, LinkText, PageRecord, RobotsRow, Sample
from frontier.recovery.broken_files import left_out_to_start, open_grafted, was_closed
from frontier.recovery.check import is_json
from frontier.recovery.damaged_tables import (
    BROKEN,
    Scan,
    add_strays,
    array_of,
    arrays_in,
    scanned,
)
from frontier.store import schema, sqlite, statements
from frontier.store.blobs import inflated
from frontier.store.highwater import Mark, read_mark
from frontier.store.keys import AFTER, BEFORE, IDENTITY, SCORES
from frontier.store.lock import DirectoryLock
from frontier.store.open import file_of
from frontier.store.rows import PLAIN, check_page, page_columns, page_of_columns
from frontier.store.store import Store
from frontier.urls.canonical import slot_of

_COMMIT_EVERY = 2000
_SCORES = SCORES, BEFORE, AFTER
_MOST = 1 << 31
"""Ids and numbers of answers that are higher are damage."""


@dataclass(frozen=True)
class Salvaged:
    """What was written into the new directory."""

    directory: str
    urls: int
    pages: int
    lost_urls: int
    lost_pages: int
    exact: bool
    """Whether that is all that was lost; else it is what can be told, and there may be more."""
    left_out: tuple[str, ...]
    """What could be read and no start can use."""


def salvage(directory: Path, target: Path) -> Salvaged:
    """Write what is intact of the crawl in `directory` into the empty directory `target`.

    Raises StoreForeignError where `target` is not empty, StoreBusyError while the crawl runs, and
    StoreDamagedError where nothing can be read.
    """
    if target.exists() and any(target.iterdir()):
        raise StoreForeignError(
            f"{target} is not empty: expected a new directory for the recovered crawl."
        )
    path = file_of(directory)
    sqlite.check_header(path)
    lock = DirectoryLock(directory)
    try:
        mark, closed = read_mark(directory), was_closed(path)
        with sqlite.translated(path), open_grafted(path) as connection, Store.open(target) as new:
            scans = {table: scanned(connection, table) for table in schema.TABLES}
            strays = add_strays(path, scans)["pages"]
            saved = _Salvage(connection, new, scans, strays, mark, closed=closed).run(target)
        return replace(saved, left_out=left_out_to_start(target))
    finally:
        lock.release()


class _Salvage:
    """One pass over what can be read, table by table."""

    def __init__(
        self,
        old: sqlite3.Connection,
        new: Store,
        scans: dict[str, Scan],
        strays: dict[int, dict[str, Any]],
        mark: Mark | None,
        *,
        closed: bool,
    ) -> None:
        """`strays` are answers that nothing leads to, by number.

        `mark` is what is known to have been committed, if that is noted; `closed` is whether the
        crawl had been, so that all of it is in the one file.
        """
        self._old = old
        self._new = new
        self._mark = mark
        self._closed = closed
        self._named = -1
        self._scans = scans
        self._strays = strays
        urls = [row for row in self._scans["urls"].rows if row["url"] and row["id"] >= 0]
        self._urls = list({row["fp"]: row for row in reversed(urls)}.values())[::-1]
        self._ids = {row["id"]: number for number, row in enumerate(self._urls)}

    def run(self, target: Path) -> Salvaged:
        self._write_urls()
        pages = self._write_pages()
        self._write_requests()
        self._write_notes()
        lost_urls = self._least_urls() - len(self._urls)
        lost_pages = self._least_answers() - pages
        # The scores of an order hold every page that there was, and belong to that order alone.
        known = IDENTITY in self._scans["crawl"].keys
        self._write_settings(scores=known and not lost_urls and not lost_pages)
        self._new.commit()
        return Salvaged(
            str(target),
            len(self._urls),
            pages,
            lost_urls,
            lost_pages,
            exact=self._all_told(),
            left_out=(),
        )

    def _least_urls(self) -> int:
        """How many URLs there were at least, by their own ids and by those that pages name."""
        noted = 0 if self._mark is None else self._mark.urls
        last = max((row["id"] for row in self._urls), default=-1)
        return max(noted, last + 1, self._named + 1)

    def _least_answers(self) -> int:
        noted = 0 if self._mark is None else self._mark.answers
        return max(noted, max(self._scans["pages"].keys, default=-1) + 1)

    def _all_told(self) -> bool:
        """Whether something tells how much was committed: a note, or a file that is whole."""
        if self._mark is not None:
            return True
        return self._closed and all(self._scans[table].whole for table in ("urls", "pages"))

    def _write_urls(self) -> None:
        names = {row["id"]: row["name"] for row in self._scans["hosts"].rows}
        for number, row in enumerate(self._urls):
            name = names.get(row["host"]) or slot_of(row["url"]) or "unknown"
            self._new.add_url(
                number,
                row["fp"],
                row["url"],
                host=self._new.add_host(name),
                depth=_whole(row["depth"]),
                found=_real(row["found"]),
                canonical=row["canonical"],
                referrer=self._ids.get(row["referrer"]),
                anchor=row["anchor"],
                seed=bool(row["seed"]),
            )
            if number % _COMMIT_EVERY == 0:
                self._new.commit()

    def _write_pages(self) -> int:
        written = 0
        for key in self._scans["pages"].keys:
            page = self._page(key)
            if page is not None:
                self._new.page(page)
                written += 1
            if key % _COMMIT_EVERY == 0:
                self._new.commit()
        return written

    def _row(self, key: int) -> tuple[Any, ...]:
        stray = self._strays.get(key)
        if stray is not None:
            return tuple(stray.values())
        row: tuple[Any, ...] = self._old.execute(statements.PAGE_RANGE, (key, key)).fetchone()
        return row

    def _page(self, key: int) -> PageRecord | None:
        """Return an answer with its links to URLs that are left; None for one that is broken."""
        try:
            row = self._row(key)
            page = page_of_columns(row)
            page_columns(page, 0)
            check_page(page)
            links = None if page.links is None else self._links(page.links)
        except (sqlite3.DatabaseError, *BROKEN):
            return None
        if page.url_id not in self._ids:
            return None
        twin = None if page.twin is None else self._ids.get(page.twin)
        return replace(page, url_id=self._ids[page.url_id], twin=twin, links=links)

    def _links(self, links: Links) -> Links:
        new = [self._ids.get(target, -1) for target in links.targets.tolist()]
        if -1 in new and len(new) < _MOST:
            self._named = max(self._named, *(one for one in links.targets.tolist() if one < _MOST))
        left = np.array(new, dtype=np.int64) >= 0
        said = links.said
        return Links(
            np.array(new, dtype=np.int32)[left],
            links.promises[left],
            links.flags[left],
            _left(links.anchors, left),
            None
            if said is None
            else LinkText(said.cues[left], said.voices[left], _left(said.contexts, left)),
        )

    def _of_urls(self, table: str) -> Iterator[tuple[int, dict[str, Any]]]:
        for row in self._scans[table].rows:
            if row["id"] in self._ids:
                yield self._ids[row["id"]], row

    def _write_requests(self) -> None:
        pending = [(url_id, row["class"], row["body"]) for url_id, row in self._of_urls("requests")]
        # A leased URL is to be fetched again, whether or not there is an answer to it already.
        pending += [
            (url_id, 0, PLAIN) for url_id, row in self._of_urls("leases") if row["rid"] is None
        ]
        for rid, one in enumerate(pending):
            self._new.add_request(rid, *one)
        handed = {url_id: row["attempts"] for url_id, row in self._of_urls("attempts")}
        handed.update((url_id, row["attempts"]) for url_id, row in self._of_urls("leases"))
        for seq, (url_id, attempts) in enumerate(handed.items()):
            page = PageRecord(url_id=url_id, handout=seq, attempts=_whole(attempts))
            self._new.lease(page, None)
            self._new.release(url_id)

    def _write_notes(self) -> None:
        for url_id, row in self._of_urls("samples"):
            text = _inflated(row["text"])
            if text is not None and 0 <= row["relevance"] <= 1:
                self._new.keep_sample(Sample(url_id, _real(row["relevance"]), text))
        for url_id, row in self._of_urls("signatures"):
            self._new.add_signature(url_id, row["bands"])
        for row in self._scans["robots"].rows:
            self._new.save_robots(RobotsRow(**row))
        for row in self._scans["refusals"].rows:
            self._new.add_refusal(row["reason"], row["domain"], row["count"], row["example"])
        for row in self._scans["politeness"].rows:
            self._new.set_politeness(**row)

    def _write_settings(self, *, scores: bool) -> None:
        """Copy what the crawl remembers; with `scores`, also those of the crawl order.

        Of arrays that one setting lists, all are kept or none.
        """
        arrays = {
            name: array for name, array in self._arrays() if scores or not name.startswith(_SCORES)
        }
        for row in self._scans["crawl"].rows:
            if is_json(row["value"]):
                key, value = row["key"], json.loads(row["value"])
                if not key.endswith(":") or self._lists(key, value, arrays):
                    self._new.set_setting(key, value)
        for name, (epoch, array) in arrays.items():
            self._new.save_array(name, epoch, array)

    def _lists(self, key: str, value: Any, arrays: dict[str, tuple[int, Any]]) -> bool:
        """Whether all arrays that a setting lists are there; takes out the others of its kind."""
        names = [f"{key}{one}" for one in value] if isinstance(value, list) else []
        whole = all(name in arrays for name in names)
        for name in [name for name in arrays if name.startswith(key)]:
            if not whole or name not in names:
                del arrays[name]
        return whole

    def _arrays(self) -> Iterator[tuple[str, tuple[int, Any]]]:
        for name, chunks in arrays_in(self._scans["arrays"]).items():
            array = array_of(chunks)
            if array is not None:
                yield name, (int(chunks[0]["epoch"]), array)


def _left(texts: tuple[str, ...] | None, left: Any) -> tuple[str, ...] | None:
    if texts is None:
        return None
    return tuple(text for text, keep in zip(texts, left, strict=True) if keep)


def _inflated(blob: Any) -> str | None:
    try:
        return inflated(blob)
    except (ValueError, TypeError):
        return None


def _whole(value: int) -> int:
    return value if 0 <= value < _MOST else 0


def _real(value: float) -> float:
    return float(value) if isfinite(value) else 0.0
