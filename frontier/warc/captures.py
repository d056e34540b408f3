"""From WARC records to one response for each URL.

The index holds a capture for each URL: the place of its record, not its content.
docs/recorded-webs.md says which of several records answers, and what a `revisit` takes from the
record that it refers to. Files may be named in any order, so this is decided when all have been
read.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from frontier.urls.canonical import normal_url
from frontier.warc.payload import (
    MOST_HEAD,
    Headers,
    has_body,
    header,
    playable,
    split_message,
    status_of,
)
from frontier.warc.records import Damage, Record, id_of, require_readable, scan

if TYPE_CHECKING:
    from collections.abc import Iterable

    from frontier.warc.records import RecordPlace

SEGMENT = "the record is one segment of several, which are not joined"
NO_STATUS = "the response has no HTTP status from 200 to 599"
NO_ORIGINAL = "the revisit refers to a record that is not in the files"
OTHER_METHOD = "it answers another request than one with GET"
HEAD_ONLY = "the answer has no body, as one to HEAD"
_RANKS = {2: 0, 3: 1}
"""First digit of a status -> rank: a page is better than a redirect, a redirect than a failure."""
_USUAL_HEAD = 1 << 13


@dataclass(frozen=True, slots=True)
class Recorded:
    """A recorded response, ready to be sent: ``url`` is the target as recorded."""

    url: str
    status: int
    reason: str
    headers: Headers
    body: bytes


@dataclass(slots=True, eq=False)
class Capture:
    """A response that can be replayed: its record, and its status.

    ``media_type`` is None for HTTP messages, and the type of the block for a
    ``resource``. ``payload`` is the capture that holds the body of a revisit. ``empty``:
    there is no body, as in an answer to HEAD.
    """

    url: str
    status: int
    place: RecordPlace
    media_type: str | None = None
    payload: Capture | None = None
    empty: bool = False

    def beats(self, other: Capture) -> bool:
        """Whether this later capture of a URL is better than an earlier one."""
        return self._rank() < other._rank()

    def _rank(self) -> tuple[int, bool]:
        return _RANKS.get(self.status // 100, 2), self.empty

    def headers(self) -> Headers:
        """The header fields as recorded."""
        if self.media_type is not None:
            return [("Content-Type", self.media_type)]
        block = self.place.read(_USUAL_HEAD)
        if not has_body(block) and len(block) == _USUAL_HEAD:
            block = self.place.read(MOST_HEAD)
        own = split_message(block)[1]
        return own if self.payload is None else _with_type(own, self.payload.headers())

    def read(self, most: int | None = None) -> Recorded:
        """The response with the first `most` bytes of its stored body; None: all."""
        block = self.place.read(None if most is None else most + MOST_HEAD)
        if self.media_type is not None:
            return Recorded(self.url, 200, "", self.headers(), block)
        reason, headers, body = split_message(block)
        if self.payload is not None:
            headers, body = _revisited(headers, self.payload.read(most))
        headers, body = playable(headers, body)
        return Recorded(self.url, self.status, reason, headers, body)


def _with_type(headers: Headers, earlier: Headers) -> Headers:
    media_type = header(earlier, "content-type")
    if not media_type or header(headers, "content-type"):
        return headers
    return [*headers, ("Content-Type", media_type)]


def _revisited(headers: Headers, earlier: Recorded) -> tuple[Headers, bytes]:
    """The headers of a revisit, with the body of the record that it refers to.

    The coding of the body is that of the record that stores it.
    """
    coding = [pair for pair in earlier.headers if pair[0].lower() == "content-encoding"]
    kept = [
        pair for pair in headers if pair[0].lower() not in ("content-encoding", "transfer-encoding")
    ]
    return _with_type(kept, earlier.headers) + coding, earlier.body


class WarcIndex:
    """The best capture of each URL of some WARC files.

    Invariant: the record of every capture was whole when the index was built.

    ``captures`` is in the order of each URL's first record. ``records`` counts the whole records of
    each file; ``damages`` are unreadable parts, ``left_out`` are records of responses that cannot
    be replayed. Raises ``RecordingError`` for a file that cannot be read.
    """

    def __init__(self, paths: Iterable[Path | str], *, latest: bool = False) -> None:
        self._latest = latest
        self.files = [Path(path) for path in paths]
        self.captures: dict[str, Capture] = {}
        self.records = dict.fromkeys(self.files, 0)
        self.damages: list[Damage] = []
        self.left_out: list[Damage] = []
        self._captures: list[tuple[Capture, frozenset[str]]] = []
        self._others: set[str] = set()
        """Ids of the records of exchanges that began with another method than GET."""
        self._ids: dict[str, Capture] = {}
        self._digests: dict[str, Capture] = {}
        self._revisits: list[tuple[Path, Record]] = []
        require_readable(self.files)
        for path in self.files:
            self._read(path)
        self._settle()

    def _read(self, path: Path) -> None:
        for part in scan(path):
            if isinstance(part, Damage):
                self.damages.append(part)
            else:
                self.records[path] += 1
                self._add(path, part)

    def _add(self, path: Path, record: Record) -> None:
        """Add a record; types without a response are passed over."""
        url = record.fields.get("warc-target-uri", "")
        if not url.lower().startswith(("http://", "https://")):
            return
        if record.type == "request":
            method, _, rest = record.peek.partition(b" ")
            if rest and method.strip().upper() != b"GET":
                self._others |= record.exchange
            return
        if record.type not in ("response", "resource", "revisit"):
            return
        if "warc-segment-number" in record.fields:
            self._leave_out(path, record, SEGMENT)
        elif record.type == "response":
            status = status_of(record.peek)
            if status is None or not 200 <= status <= 599:
                self._leave_out(path, record, NO_STATUS)
            elif _lacks_body(record, status):
                self._leave_out(path, record, HEAD_ONLY)
            else:
                empty = _is_bodiless(record)
                self._keep(Capture(url, status, record.place, empty=empty), record)
        elif record.type == "resource":
            media_type = record.fields.get("content-type", "application/octet-stream")
            self._keep(Capture(url, 200, record.place, media_type), record)
        else:
            self._revisits.append((path, record))

    def _keep(self, capture: Capture, record: Record) -> None:
        self._captures.append((capture, record.exchange))
        self._ids.setdefault(id_of(record.fields.get("warc-record-id", "")), capture)
        digest = record.fields.get("warc-payload-digest")
        if digest and not capture.empty:
            self._digests.setdefault(digest, capture)

    def _settle(self) -> None:
        for capture, exchange in self._captures:
            if exchange.isdisjoint(self._others):
                self._shelve(capture)
            else:
                place = capture.place
                self.left_out.append(Damage(place.path, place.offset, OTHER_METHOD, capture.url))
        for path, record in self._revisits:
            if not record.exchange.isdisjoint(self._others):
                self._leave_out(path, record, OTHER_METHOD)
            elif original := self._revisit(record):
                self._shelve(original)
            else:
                self._leave_out(path, record, NO_ORIGINAL)
        for used in (self._ids, self._digests, self._revisits, self._captures, self._others):
            used.clear()

    def _shelve(self, capture: Capture) -> None:
        known = self.captures.get(capture.url)
        later = known is not None and self._latest and not known.beats(capture)
        if known is None or later or capture.beats(known):
            self.captures[capture.url] = capture

    def _revisit(self, record: Record) -> Capture | None:
        """The capture of a revisit: with its own head, unless it has none or its status is 304."""
        url, status = record.fields["warc-target-uri"], status_of(record.peek)
        earlier = self._earlier(record.fields, by_digest=status != 304)
        if status is not None and 300 <= status <= 399 and status != 304:
            return Capture(url, status, record.place, payload=earlier)  # a redirect needs no body
        if earlier is None:
            return None
        if status is not None and status != 304:
            return Capture(url, status, record.place, payload=earlier)
        is_redirect = 300 <= earlier.status <= 399
        if is_redirect and normal_url(earlier.url) != normal_url(url):
            return None  # the same body may belong to another target
        return replace(earlier, url=url)

    def _earlier(self, fields: dict[str, str], *, by_digest: bool) -> Capture | None:
        """The capture that a revisit refers to; a 304 refers to one of the same URL."""
        url = fields.get("warc-refers-to-target-uri", "").strip("<>") or fields["warc-target-uri"]
        return (
            self._ids.get(id_of(fields.get("warc-refers-to", "-")))
            or (self._digests.get(fields.get("warc-payload-digest", "-")) if by_digest else None)
            or self.captures.get(url)
            or self.captures.get(normal_url(url))
        )

    def _leave_out(self, path: Path, record: Record, reason: str) -> None:
        url = record.fields["warc-target-uri"]
        self.left_out.append(Damage(path, record.place.offset, reason, url))


def _is_bodiless(record: Record) -> bool:
    """Whether nothing follows the head of a message."""
    return record.place.size <= len(record.peek) and not has_body(record.peek)


def _lacks_body(record: Record, status: int) -> bool:
    """Whether a successful response has no body although its header gives it a length."""
    if status >= 300 or not _is_bodiless(record):
        return False
    length = header(split_message(record.peek)[1], "content-length")
    return length.isdecimal() and int(length) > 0
