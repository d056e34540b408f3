"""What can be read of a broken crawl, as a new one that can go on.

URLs keep their order and lose their gaps; what points to a URL that is lost is left out, and a page
whose row or links cannot be read is no page any more, so that its URL is queued and fetched again.
Scores are kept where every URL was; otherwise the next re-rank makes them anew.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

from frontier.errors import StoreForeignError
from frontier.store import sqlite, statements
from frontier.store.anchors import inflated
from frontier.store.checking import is_json, open_damaged
from frontier.store.chunks import joined
from frontier.store.lock import DirectoryLock
from frontier.store.notes import RobotsRow
from frontier.store.opening import FILE_NAME
from frontier.store.rows import Links, PageRow, Sample
from frontier.store.said import Said
from frontier.store.scanning import BROKEN, KEYS, Scan, arrays_in, scanned
from frontier.store.store import Store

_COMMIT_EVERY = 2000


@dataclass(frozen=True)
class Salvaged:
    """What was written into the new directory."""

    directory: str
    urls: int
    pages: int
    lost_urls: int
    lost_pages: int


def salvage(directory: Path, target: Path) -> Salvaged:
    """Write what is intact of the crawl in `directory` into the empty directory `target`.

    Raises StoreForeignError where `target` is not empty, StoreBusyError while the crawl runs, and
    StoreDamagedError where nothing can be read.
    """
    if target.exists() and any(target.iterdir()):
        raise StoreForeignError(
            f"{target} is not empty: expected a new directory for what is intact. Name another."
        )
    sqlite.check_header(directory / FILE_NAME)
    lock = DirectoryLock(directory)
    try:
        with closing(open_damaged(directory / FILE_NAME)) as connection, Store.open(target) as new:
            return _Salvage(connection, new).run(target)
    finally:
        lock.release()


class _Salvage:
    """One pass over what can be read, table by table."""

    def __init__(self, old: sqlite3.Connection, new: Store) -> None:
        self._old = old
        self._new = new
        self._scans: dict[str, Scan] = {table: scanned(old, table) for table in KEYS}
        urls = [row for row in self._scans["urls"].rows if _is_url(row)]
        self._urls = list({row["fp"]: row for row in reversed(urls)}.values())[::-1]
        self._ids = {row["id"]: number for number, row in enumerate(self._urls)}
        self._same = list(self._ids) == list(range(len(self._urls)))

    def run(self, target: Path) -> Salvaged:
        self._write_urls()
        pages = self._write_pages()
        self._write_requests()
        self._write_notes()
        self._write_settings()
        self._new.commit()
        last = max((row["id"] for row in self._urls), default=-1)
        answers = len(self._scans["pages"].keys)
        return Salvaged(
            str(target), len(self._urls), pages, last + 1 - len(self._urls), answers - pages
        )

    def _write_urls(self) -> None:
        names = {row["id"]: row["name"] for row in self._scans["hosts"].rows}
        for number, row in enumerate(self._urls):
            name = names.get(row["host"]) or urlsplit(row["url"]).hostname or "unknown"
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

    def _page(self, key: int) -> PageRow | None:
        """Return an answer with its links to URLs that are left; None for one that is broken."""
        try:
            row = self._old.execute(statements.PAGE_RANGE, (key, key)).fetchone()
            page = PageRow.from_columns(row)
            page.columns(0)
            links = None if page.links is None else self._links(page.links)
        except (sqlite3.DatabaseError, *BROKEN):
            return None
        if page.url_id not in self._ids:
            return None
        twin = None if page.twin is None else self._ids.get(page.twin)
        return replace(page, url_id=self._ids[page.url_id], twin=twin, links=links)

    def _links(self, links: Links) -> Links:
        new = [self._ids.get(target, -1) for target in links.targets.tolist()]
        left = np.array(new, dtype=np.int64) >= 0
        said = links.said
        return Links(
            np.array(new, dtype=np.int32)[left],
            links.promises[left],
            links.flags[left],
            _left(links.anchors, left),
            None
            if said is None
            else Said(said.cues[left], said.voices[left], _left(said.contexts, left)),
        )

    def _of_urls(self, table: str) -> Iterator[tuple[int, dict[str, Any]]]:
        for row in self._scans[table].rows:
            if row["id"] in self._ids:
                yield self._ids[row["id"]], row

    def _write_requests(self) -> None:
        for rid, (url_id, row) in enumerate(self._of_urls("requests")):
            self._new.add_request(rid, url_id, _whole(row["class"]), row["body"])
        handed = {url_id: row["attempts"] for url_id, row in self._of_urls("attempts")}
        handed.update((url_id, row["attempts"]) for url_id, row in self._of_urls("leases"))
        for seq, (url_id, attempts) in enumerate(handed.items()):
            self._new.lease(url_id, None, seq, 0.0, _whole(attempts), 0.0)
            self._new.release(url_id)

    def _write_notes(self) -> None:
        for url_id, row in self._of_urls("samples"):
            text = _inflated(row["text"])
            if text is not None:
                self._new.keep_sample(Sample(url_id, _real(row["relevance"]), text))
        for url_id, row in self._of_urls("signatures"):
            self._new.add_signature(url_id, row["bands"])
        for row in self._scans["robots"].rows:
            self._new.save_robots(RobotsRow(**row))
        for row in self._scans["refusals"].rows:
            self._new.add_refusal(row["reason"], row["domain"], row["count"], row["example"])
        for row in self._scans["politeness"].rows:
            self._new.set_politeness(**row)

    def _write_settings(self) -> None:
        """Copy what the crawl remembers; arrays, and what lists them, where URLs are the same."""
        arrays = dict(self._arrays()) if self._same else {}
        for row in self._scans["crawl"].rows:
            if is_json(row["value"]) and (arrays or not str(row["key"]).endswith(":")):
                self._new.set_setting(str(row["key"]), json.loads(row["value"]))
        for name, (epoch, array) in arrays.items():
            self._new.save_array(name, epoch, array)

    def _arrays(self) -> Iterator[tuple[str, tuple[int, Any]]]:
        for name, chunks in arrays_in(self._scans["arrays"]).items():
            array = _joined(chunks)
            if array is not None:
                yield name, (int(chunks[0]["epoch"]), array)


def _is_url(row: dict[str, Any]) -> bool:
    return isinstance(row["fp"], int) and isinstance(row["url"], str)


def _left(texts: tuple[str, ...] | None, left: Any) -> tuple[str, ...] | None:
    if texts is None:
        return None
    return tuple(text for text, keep in zip(texts, left, strict=True) if keep)


def _joined(chunks: list[dict[str, Any]]) -> Any:
    """The array of these chunks, None for one that is broken."""
    try:
        return joined([row["data"] for row in chunks])
    except BROKEN:
        return None


def _inflated(blob: Any) -> str | None:
    try:
        return inflated(blob)
    except (ValueError, TypeError):
        return None


def _whole(value: Any) -> int:
    return value if isinstance(value, int) else 0


def _real(value: Any) -> float:
    return float(value) if isinstance(value, int | float) else 0.0
