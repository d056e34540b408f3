"""What every web of this room is to the server: one coroutine from a request to an answer.

A recorded web, the demonstration web and the webs of the tests implement ``Web``;
``frontier.web.proxy`` speaks HTTP for all of them and knows none of them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from frontier.warc.payload import Headers

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Answer:
    """A response before it is put on the wire.

    ``status`` is 200 to 599. ``headers`` holds no hop-by-hop field and no
    Content-Length: the server adds what the connection needs. An empty
    ``reason`` becomes the usual one of the status.
    """

    status: int
    headers: Headers = field(default_factory=list)
    body: bytes = b""
    reason: str = ""


class Web(Protocol):
    """Something that can be asked for URLs."""

    async def answer(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> Answer:
        """Answer one request.

        ``url`` is absolute, as the client wrote it; names in ``headers`` are in
        lower case. HEAD is answered like GET: the server leaves the body away.
        """
        ...


def text_answer(status: int, text: str) -> Answer:
    """A short plain-text answer, for people who look at the web with curl."""
    return Answer(status, [("Content-Type", "text/plain; charset=utf-8")], text.encode())
