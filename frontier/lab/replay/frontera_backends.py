"""Frontera's own backends in a replay: their code, driven through Frontera's manager.

Canonical URLs and fingerprints are given to them, as its middlewares would make them. A redirect's
target, or a retry, is the next request, and a URL that was fetched so is not fetched again.
"""

from __future__ import annotations

import logging
import random
from collections import deque
from typing import TYPE_CHECKING

from frontera.core.manager import FrontierManager
from frontera.core.models import Request, Response
from frontera.settings import Settings

from frontier.lab.replay.interface import Handout, ReplayFrontier
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


class FronteraFrontier(ReplayFrontier):
    """A backend of Frontera's; `random_seed` repeats the one that draws by chance."""

    def __init__(self, web: WebFile, backend: str, random_seed: int) -> None:
        for name in ("manager", "manager.components", "manager.backend"):
            logging.getLogger(name).setLevel(logging.WARNING)
        # Frontera draws from the process's generator; a process of the lab does nothing else.
        random.seed(random_seed)
        self._web = web
        attributes = {
            "BACKEND": backend,
            "CANONICAL_SOLVER": "frontier.backend.manager.UnchangedUrls",
            "MIDDLEWARES": [],
        }
        self._manager = FrontierManager.from_settings(Settings(attributes=attributes))
        self._pending: deque[Request] = deque()
        self._asked: set[int] = set()

    def seed(self, numbers: Sequence[int]) -> None:
        self._manager.add_seeds([self._request(number) for number in numbers])

    def next(self, room: Room, now: float) -> Handout | None:
        while (request := self._take()) is not None:
            number = request.meta[_NUMBER]
            if number not in self._asked:
                self._asked.add(number)
                return Handout(number, slot_of(request.url), request)
        return None

    def _take(self) -> Request | None:
        if self._pending:
            return self._pending.popleft()
        batch = self._manager.get_next_requests(1, key_type="domain", overused_keys=[])
        return batch[0] if batch else None

    def page(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        request: Request = handout.token
        links = [self._request(number) for number in answer.links.tolist()]
        self._manager.page_crawled(Response(request.url, answer.status, request=request))
        self._manager.links_extracted(request, links)

    def redirect(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        request: Request = handout.token
        self._manager.page_crawled(Response(request.url, answer.status, request=request))
        target = self._request(answer.location)
        target.meta[b"depth"] = request.meta[b"depth"]
        self._pending.append(target)

    def fail(self, handout: Handout, answer: RecordedAnswer, at: float) -> None:
        self._manager.request_error(handout.token, f"HTTP {answer.status}")

    def refuse(self, handout: Handout, at: float) -> None:
        self._manager.request_error(handout.token, "forbidden by robots.txt")

    def retry(self, handout: Handout) -> None:
        self._asked.discard(handout.number)
        self._pending.append(handout.token)

    def close(self) -> None:
        self._manager.stop()

    def _request(self, number: int) -> Request:
        meta = {b"fingerprint": b"%016x" % number, _NUMBER: number}
        return Request(self._web.urls[number], meta=meta)
