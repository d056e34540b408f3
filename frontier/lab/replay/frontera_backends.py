"""Frontera's own backends in a replay: their code, driven through Frontera's manager.

Canonical URLs and fingerprints are given to them, as its middlewares would make them. Its Scrapy
integration, which no current Scrapy runs, has no part in it: where a page sends on, or is to be
asked again, that is the next request, and a URL that was fetched so is not fetched again. The
backends of `frontera.contrib.backends.sqlalchemy` need an SQLAlchemy that is out of support.
"""

from __future__ import annotations

import logging
import random
from collections import deque
from typing import TYPE_CHECKING

from frontera.core.manager import FrontierManager
from frontera.core.models import Request, Response
from frontera.settings import Settings

from frontier.lab.replay.interface import Handout
from frontier.urls.canonical import slot_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.lab.replay.interface import Room
    from frontier.lab.replay.web import RecordedAnswer
    from frontier.lab.replay.webfile import WebFile

BACKENDS = {
    f"frontera-{name.lower()}": f"frontera.contrib.backends.memory.{name}"
    for name in ("FIFO", "LIFO", "BFS", "DFS", "RANDOM")
}
"""Row -> class of Frontera."""
_NUMBER = b"lab number"


class FronteraFrontier:
    """A backend of Frontera's; `seed` repeats the one that draws by chance."""

    passed_over = 0

    def __init__(self, web: WebFile, backend: str, random_seed: int) -> None:
        for name in ("manager", "manager.components", "manager.backend"):
            logging.getLogger(name).setLevel(logging.WARNING)
        # Frontera draws from the process's generator; a process of the lab does nothing else.
        random.seed(random_seed)
        self._web = web
        self._manager = FrontierManager.from_settings(
            Settings(
                attributes={
                    "BACKEND": backend,
                    "CANONICAL_SOLVER": "frontier.backend.manager.UnchangedUrls",
                    "MIDDLEWARES": [],
                }
            )
        )
        self._pending: deque[Request] = deque()
        self._asked: set[int] = set()

    def seed(self, numbers: Sequence[int]) -> None:
        self._manager.add_seeds([self._request(number) for number in numbers])

    def next(self, room: Room, now: float) -> Handout | None:
        while True:
            request = self._take()
            if request is None:
                return None
            number = request.meta[_NUMBER]
            if number not in self._asked:
                self._asked.add(number)
                return Handout(number, slot_of(request.url), request)

    def _take(self) -> Request | None:
        if self._pending:
            return self._pending.popleft()
        batch = self._manager.get_next_requests(1, key_type="domain", overused_keys=[])
        return batch[0] if batch else None

    def seconds_to_wait(self) -> float | None:
        return None

    def page(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        request = _handed(handout)
        links = [self._request(number) for number in answer.links.tolist()]
        self._manager.page_crawled(Response(request.url, answer.status, request=request))
        self._manager.links_extracted(request, links)

    def redirect(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        request = _handed(handout)
        self._manager.page_crawled(Response(request.url, answer.status, request=request))
        target = self._request(answer.location)
        target.meta[b"depth"] = request.meta[b"depth"]
        self._pending.append(target)

    def fail(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        self._manager.request_error(_handed(handout), f"HTTP {answer.status}")

    def refuse(self, handout: Handout, at: float) -> None:
        self._manager.request_error(_handed(handout), "forbidden by robots.txt")

    def retry(self, handout: Handout) -> None:
        self._asked.discard(handout.number)
        self._pending.append(_handed(handout))

    def close(self) -> None:
        self._manager.stop()

    def _request(self, number: int) -> Request:
        meta = {b"fingerprint": b"%016x" % number, _NUMBER: number}
        return Request(self._web.urls[number], meta=meta)


def _handed(handout: Handout) -> Request:
    assert isinstance(handout.token, Request)
    return handout.token
