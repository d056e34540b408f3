"""Events sent to OpenSearch or Elasticsearch, by bulk requests whose items are read one by one.

A bulk request is answered by HTTP 200 whatever became of its items. A version conflict (409) says
that the server has this event or a newer one of the page, a deletion of an unknown page (404) that
there is nothing to delete: both are what is wanted.
"""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING, Any, Final

from frontier.errors import FollowError
from frontier.follow.posting import Poster
from frontier.follow.sinks import bulk_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.follow.events import PageEvent
    from frontier.follow.posting import Address

AUTHORIZATION: Final = "FRONTIER_FOLLOW_AUTHORIZATION"
"""Variable of the environment with the header of that name, such as `ApiKey ...`."""
_BODY: Final = 5_000_000
"""Bytes of a request; a single page may have more."""
_BUSY: Final = frozenset({429, 502, 503, 504})
_BUSY_ITEMS: Final = frozenset({429, 503})
_TOO_LARGE: Final = 413


class BulkSink:
    """An index of OpenSearch or Elasticsearch."""

    is_new = False

    def __init__(self, address: Address, *, tombstones: bool = False) -> None:
        """Begin; the path of the address is the index.

        With `tombstones` a page that is gone stays as a document whose `deleted` is true.
        """
        index = address.shown.split("/", 3)[3:]
        if not index or not index[0].strip("/"):
            raise FollowError(
                f"expected an address with the name of an index, such as {address.shown}/pages"
            )
        _, mark, query = address.url.partition("?")
        url = f"{address.shown.rstrip('/')}/_bulk{mark}{query}"
        self._poster = Poster(address._replace(url=url), _BUSY)
        self._tombstones = tombstones
        self._headers = {"Content-Type": "application/x-ndjson"}
        authorization = (address.authorization or os.environ.get(AUTHORIZATION, "")).strip()
        if not authorization.isascii() or (authorization and not authorization.isprintable()):
            raise FollowError(f"expected one line of ASCII in {AUTHORIZATION}, got another text")
        if authorization:
            self._headers["Authorization"] = authorization

    def send(self, events: Sequence[PageEvent]) -> None:
        bodies = [bulk_lines(event, tombstones=self._tombstones) for event in events]
        begin = size = 0
        for at, body in enumerate(bodies):
            if size + len(body) > _BODY and at > begin:
                self._send(events[begin:at], bodies[begin:at])
                begin, size = at, 0
            size += len(body)
        self._send(events[begin:], bodies[begin:])

    def _send(self, events: Sequence[PageEvent], bodies: Sequence[bytes]) -> None:
        """Send events until each is taken; raises FollowError with the item that is refused."""
        while True:
            answer = self._poster.post(b"".join(bodies), lambda: self._headers)
            if answer.status == _TOO_LARGE and len(events) > 1:
                half = len(events) // 2
                self._send(events[:half], bodies[:half])
                return self._send(events[half:], bodies[half:])
            if not 200 <= answer.status < 300:
                raise FollowError(
                    f"{self._poster.shown} refuses events with HTTP {answer.status}: expected 200, "
                    f"got {answer.beginning!r}. Check address, index and {AUTHORIZATION}."
                )
            items = self._items(answer.body, events)
            left = [at for at, item in enumerate(items) if self._is_busy(events[at], item)]
            if len(left) < len(events):
                self._poster.went_on()
            if not left:
                return None
            self._poster.wait(f"{len(left)} of {len(events)} items: {items[left[0]]}")
            events, bodies = [events[at] for at in left], [bodies[at] for at in left]

    def _items(self, body: bytes, events: Sequence[PageEvent]) -> list[dict[str, Any]]:
        """Return the result of each event."""
        try:
            items = [next(iter(item.values())) for item in json.loads(body)["items"]]
            ids = [item["_id"] for item in items]
        except (ValueError, LookupError, TypeError, AttributeError, StopIteration):
            ids = []
        if ids != [event.id for event in events]:
            raise FollowError(
                f"{self._poster.shown} answers as no bulk request is answered: expected an item "
                f"for each of {len(events)} events. Is it the address of an index?"
            )
        return items

    def _is_busy(self, event: PageEvent, item: dict[str, Any]) -> bool:
        """Whether an event is to be sent again; raises FollowError where it is refused."""
        status = item.get("status", 0)
        is_taken = 200 <= status < 300 or status == 409 or (status == 404 and event.op == "delete")
        if is_taken or status in _BUSY_ITEMS:
            return not is_taken
        raise FollowError(
            f"{self._poster.shown} refuses {event.url} (_id {event.id}) with status {status}: "
            f"{json.dumps(item.get('error'))[:500]}. Repair the index, and start again to go on "
            f"from here."
        )

    def close(self) -> None:
        self._poster.close()
