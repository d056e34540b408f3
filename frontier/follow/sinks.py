"""Where events go: the interface of a sink, and lines on a stream."""

from __future__ import annotations

import json
from typing import IO, TYPE_CHECKING, Any, Final, Protocol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from frontier.follow.events import PageEvent


class Sink(Protocol):
    """Takes events, in their order; one of your own is named `--to package.module:Class`."""

    is_new: bool
    """Whether it has nothing yet, so that the whole crawl is handed on whatever was before."""

    def send(self, events: Sequence[PageEvent]) -> None:
        """Take one event or more, of different pages, and return when they are safe.

        After a kill the same events may come again, or later ones of the same pages. An error ends
        the follower, which comes back with these events when it is started again.
        """

    def close(self) -> None:
        """Release what the sink holds."""


def json_line(event: PageEvent) -> bytes:
    """Return an event as a line of JSON."""
    return _line(event.as_dict())


def bulk_lines(event: PageEvent, *, tombstones: bool = False) -> bytes:
    """Return an event as lines of a bulk request to OpenSearch or Elasticsearch.

    With `external_gte` the server refuses what is older than what it has, and a repetition changes
    nothing. With `tombstones` a page that is gone stays, as `document` marks it.
    """
    known = {"_id": event.id, "version": event.version, "version_type": "external_gte"}
    if event.op == "delete" and not tombstones:
        return _line({"delete": known})
    return _line({"index": known}) + _line(document(event, tombstones=tombstones))


def document(event: PageEvent, *, tombstones: bool = False) -> dict[str, Any]:
    """Return what an index holds of a page: an event without what only a log needs.

    With `tombstones` it has `deleted`, whether the page is gone.
    """
    held = {name: value for name, value in event.as_dict().items() if name not in OF_LOG}
    return held | {"deleted": event.op == "delete"} if tombstones else held


OF_LOG: Final = ("cursor", "op")
"""Fields of an event that an index does not hold."""


class Lines:
    """A sink that writes lines to a stream."""

    is_new = False

    def __init__(self, stream: IO[bytes], write: Callable[[PageEvent], bytes]) -> None:
        """Write what a function makes of each event."""
        self._stream, self._write = stream, write

    def send(self, events: Sequence[PageEvent]) -> None:
        self._stream.writelines(map(self._write, events))
        self._stream.flush()

    def close(self) -> None:
        """Leave the stream open: it is not ours."""


def _line(value: dict[str, Any]) -> bytes:
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    return text.encode("utf-8", "replace") + b"\n"  # a text may hold halves of characters
