"""From records to one capture a URL: what is kept of a WARC file while it is read."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from frontier.warc.payload import status_of
from frontier.warc.recorded_urls import normal_url
from frontier.warc.sources import Damage, Place

if TYPE_CHECKING:
    from pathlib import Path

    from frontier.warc.scan import Record

_RANKS = {2: 0, 3: 1}
"""First digit of a status -> rank; a page answers rather than a redirect, that than a failure."""


@dataclass(slots=True, eq=False)
class Capture:
    """One response that can be played: the record that holds it, and its status.

    ``media_type`` is None for HTTP messages, and the type of the block for a
    ``resource``. ``payload`` is the capture that holds the body of a revisit.
    """

    url: str
    status: int
    place: Place
    media_type: str | None = None
    payload: Capture | None = None

    def beats(self, other: Capture) -> bool:
        """True if this one, although it came later, answers for the URL of both."""
        return _RANKS.get(self.status // 100, 2) < _RANKS.get(other.status // 100, 2)


class CaptureShelf:
    """Takes records in the order of the files and keeps the best capture of each URL.

    What holds no playable response although its type promises one is added to
    ``warnings``.
    """

    def __init__(self, warnings: list[Damage]) -> None:
        self.captures: dict[str, Capture] = {}
        self._warnings = warnings
        self._ids: dict[str, Capture] = {}
        self._digests: dict[str, Capture] = {}
        self._revisits: list[tuple[Path, Record]] = []

    def add(self, path: Path, record: Record) -> None:
        """Take one record; types that hold no response are passed over."""
        url = record.fields.get("warc-target-uri", "")
        if not url.lower().startswith(("http://", "https://")):
            return
        if "warc-segment-number" in record.fields:
            self._warn(path, record, "the record is one segment of several, which are not joined")
        elif record.type == "response":
            status = status_of(record.peek)
            if status is None or not 200 <= status <= 599:
                self._warn(path, record, "the response has no HTTP status from 200 to 599")
            else:
                self._keep(Capture(url, status, record.place), record)
        elif record.type == "resource":
            media_type = record.fields.get("content-type", "application/octet-stream")
            self._keep(Capture(url, 200, record.place, media_type), record)
        elif record.type == "revisit":
            self._revisits.append((path, record))

    def _keep(self, capture: Capture, record: Record) -> None:
        self._shelve(capture)
        self._ids.setdefault(record.fields.get("warc-record-id", ""), capture)
        if digest := record.fields.get("warc-payload-digest"):
            self._digests.setdefault(digest, capture)

    def _shelve(self, capture: Capture) -> None:
        known = self.captures.get(capture.url)
        if known is None or capture.beats(known):
            self.captures[capture.url] = capture

    def settle_revisits(self) -> None:
        """Give every revisit the body it refers to; call once, after the last record.

        Done at the end because files may be named in any order.
        """
        for path, record in self._revisits:
            earlier = self._earlier(record.fields)
            if earlier is None:
                self._warn(path, record, "the revisit refers to a record that is not in the files")
            else:
                self._shelve(_revisit(record, earlier))

    def _earlier(self, fields: dict[str, str]) -> Capture | None:
        url = fields.get("warc-refers-to-target-uri") or fields["warc-target-uri"]
        return (
            self._ids.get(fields.get("warc-refers-to", "-"))
            or self._digests.get(fields.get("warc-payload-digest", "-"))
            or self.captures.get(url)
            or self.captures.get(normal_url(url))
        )

    def _warn(self, path: Path, record: Record, reason: str) -> None:
        url = record.fields["warc-target-uri"]
        self._warnings.append(Damage(path, record.place.offset, f"{reason} ({url})"))


def _revisit(record: Record, earlier: Capture) -> Capture:
    """The capture of a revisit: its own headers, unless it has none or only says 304."""
    url = record.fields["warc-target-uri"]
    status = status_of(record.peek)
    if status is None or status == 304:
        return replace(earlier, url=url)
    return Capture(url, status, record.place, payload=earlier)
