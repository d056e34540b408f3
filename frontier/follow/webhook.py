"""Events posted to an address one by one: CloudEvents 1.0, signed as Standard Webhooks.

Sources: github.com/cloudevents/spec (JSON format, structured mode) and standardwebhooks.com.
"""

from __future__ import annotations

import binascii
import hmac
import json
import os
import time
from base64 import b64decode, b64encode
from typing import TYPE_CHECKING, Any, Final
from uuid import UUID

from frontier.errors import FollowError
from frontier.follow.cursor import Cursor
from frontier.follow.events import EPOCH_BITS
from frontier.follow.posting import Poster

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.follow.events import PageEvent
    from frontier.follow.posting import Address

SECRET: Final = "FRONTIER_WEBHOOK_SECRET"  # noqa: S105 - the name of a variable
"""Variable of the environment with the secret, `whsec_` and base64."""
_PREFIX: Final = "whsec_"
_BUSY: Final = frozenset({408, 425, 429, *range(500, 600)})


class WebhookSink:
    """An address that takes a CloudEvent a request; any status below 300 takes it."""

    is_new = False

    def __init__(self, address: Address, secret: str | None = None) -> None:
        """Begin; the secret is that of the environment by default."""
        self._key = _key_of(os.environ.get(SECRET, "") if secret is None else secret)
        self._poster = Poster(address, _BUSY)
        self._authorization = address.authorization

    def send(self, events: Sequence[PageEvent]) -> None:
        for event in events:
            message = cloud_event(event)
            body = json.dumps(message).encode()
            answer = self._poster.post(body, lambda: self._headers(message["id"], body))  # noqa: B023 - called at once
            if answer.status >= 300:
                raise FollowError(
                    f"{self._poster.shown} refuses {event.url} with HTTP {answer.status}: expected "
                    f"a status below 300, got {answer.beginning!r}. Nothing behind it was sent."
                )
            self._poster.went_on()

    def _headers(self, message_id: str, body: bytes) -> dict[str, str]:
        at = str(int(time.time()))
        signed = hmac.digest(self._key, f"{message_id}.{at}.".encode() + body, "sha256")
        headers = {
            "Content-Type": "application/cloudevents+json; charset=utf-8",
            "webhook-id": message_id,
            "webhook-timestamp": at,
            "webhook-signature": f"v1,{b64encode(signed).decode()}",
        }
        if self._authorization is not None:
            headers["Authorization"] = self._authorization
        return headers

    def close(self) -> None:
        self._poster.close()


def cloud_event(event: PageEvent) -> dict[str, Any]:
    """Return an event as CloudEvents 1.0 has it; a repetition has the same id."""
    # An answer has its number, whatever re-rank was the last when it was read.
    number = event.version if event.change == "rescored" else event.version >> EPOCH_BITS
    return {
        "specversion": "1.0",
        "id": f"{event.id}_{number}",
        "source": UUID(Cursor.parse(event.cursor).crawl).urn,
        "type": f"frontier.page.{event.change}",
        "subject": event.url,
        "time": event.seen,
        "datacontenttype": "application/json",
        "data": event.as_dict(),
    }


def _key_of(secret: str) -> bytes:
    try:
        key = b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if not key or not secret.startswith(_PREFIX):
        raise FollowError(
            f"expected a secret in the environment, {SECRET}={_PREFIX} and base64, got none or "
            f"another. Take that of the receiver, or make one: "
            f"{_PREFIX}$(openssl rand -base64 32)"
        )
    return key
