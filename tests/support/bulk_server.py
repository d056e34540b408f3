"""A strict bulk server: versions as OpenSearch has them, deletions it forgets, and faults."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.support.sites import Asked, Page, Raw, serving

REMEMBERED = 60.0
"""Seconds for which the version of a deleted document is known (index.gc_deletes)."""
DROPPED = Raw()
Fault = Callable[["BulkServer", Asked], Page | Raw | None]


@dataclass
class BulkServer:
    """An index. `now` is its own clock; a request takes `takes` seconds of it."""

    takes: float = 1.0
    busy: float = 0.0
    """Share of items that are refused with 429."""
    trouble: float = 0.0
    """Share of requests that are not answered, before or after they are done, or by 429 or 503."""
    refused: dict[str, int] = field(default_factory=dict)
    """Statuses by which pages are refused, by URL."""
    most: int = 1 << 30
    """Bytes of a request."""
    now: float = 0.0
    documents: dict[str, tuple[int, dict[str, Any]]] = field(default_factory=dict)
    deleted: dict[str, tuple[int, float]] = field(default_factory=dict)
    newest: dict[str, int] = field(default_factory=dict)
    """The newest version of each document that was ever taken, which a real server forgets."""
    resurrected: list[str] = field(default_factory=list)
    """Documents whose older version was taken after a newer one."""
    statuses: list[int] = field(default_factory=list)
    lots: random.Random = field(default_factory=lambda: random.Random(1))

    def __call__(self, asked: Asked) -> Page | Raw:
        self.now += self.takes
        lot = self.lots.random() / self.trouble if self.trouble else 1.0
        if lot < 0.25:
            return DROPPED
        if lot < 0.5:
            return (429, {"Retry-After": "0"}, b"") if lot < 0.4 else (503, {}, b"")
        answer = self._answer(asked)
        return DROPPED if lot < 1.0 else answer

    def _answer(self, asked: Asked) -> Page:
        if len(asked.body) > self.most:
            return 413, {}, b""
        assert (asked.method, asked.path) == ("POST", "/pages/_bulk")
        assert asked.headers["content-type"] == "application/x-ndjson"
        assert asked.body.endswith(b"\n")
        lines = iter(asked.body.decode().split("\n")[:-1])
        items = [self._item(json.loads(line), lines) for line in lines]
        failed = any(next(iter(item.values()))["status"] >= 300 for item in items)
        body = json.dumps({"took": 1, "errors": failed, "items": items}).encode()
        return 200, {"Content-Type": "application/json"}, body

    def _item(self, action: dict[str, Any], lines: Iterator[str]) -> dict[str, Any]:
        ((op, known),) = action.items()
        assert op in ("index", "delete")
        assert known.keys() == {"_id", "version", "version_type"}
        assert known["version_type"] == "external_gte"
        number, version = known["_id"], known["version"]
        assert len(number.encode()) <= 512
        assert 0 <= version < 1 << 63
        source = json.loads(next(lines)) if op == "index" else {}
        status = self._done(number, version, source, delete=op == "delete")
        self.statuses.append(status)
        item = {"_index": "pages", "_id": number, "status": status}
        if status >= 400:
            item["error"] = {"type": "an_exception", "reason": "a reason"}
        return {op: item}

    def _done(self, number: str, version: int, source: dict[str, Any], *, delete: bool) -> int:
        if source.get("url") in self.refused:
            return self.refused[source["url"]]
        if self.busy and self.lots.random() < self.busy:
            return self.lots.choice([429, 503])
        there = number in self.documents
        if version < self._version(number):
            return 409
        if version < self.newest.get(number, -1):
            self.resurrected.append(number)
        self.newest[number] = max(version, self.newest.get(number, -1))
        if delete:
            self.documents.pop(number, None)
            self.deleted[number] = version, self.now
            return 200 if there else 404
        self.deleted.pop(number, None)
        self.documents[number] = version, source
        return 200 if there else 201

    def _version(self, number: str) -> int:
        """The version that the server knows of a document; -1: none."""
        if number in self.documents:
            return self.documents[number][0]
        version, at = self.deleted.get(number, (-1, 0.0))
        return version if self.now - at <= REMEMBERED else -1

    @property
    def pages(self) -> dict[str, dict[str, Any]]:
        """The documents by URL."""
        return {source["url"]: source for _, source in self.documents.values()}


@contextmanager
def bulk_server(**how: Any) -> Iterator[tuple[BulkServer, str]]:
    """A server and the address of its index."""
    server = BulkServer(**how)
    with serving(lambda asked: server(asked)) as site:
        yield server, f"{site.url}/pages"
