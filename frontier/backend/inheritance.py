"""What speaks for a URL is handed on to the one that it leads to, or that its page names.

What was thought of a page that redirects is thought of the target now: what its parents are worth,
what their links say, and that it is a seed. The same goes for the address that a page names as
canonical, of which more is known: the page itself was read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier import meta as key
from frontier.states import NAMED, REDIRECT
from frontier.topic.relevance import voice_of

if TYPE_CHECKING:
    from frontera.core.models import Request

    from frontier.records import PageRecord
    from frontier.strategy.order_driver import OrderDriver
    from frontier.strategy.repeated_anchors import RepeatedAnchors


class Inheritance:
    """Describes the requests for targets; `voices` are None in a crawl without a topic."""

    def __init__(self, driver: OrderDriver, voices: RepeatedAnchors | None) -> None:
        self._driver = driver
        self._voices = voices

    def redirect(self, handed: Request, target: Request) -> None:
        """Describe a redirect: a page that is nothing but a link to its target."""
        page: PageRecord = handed.meta[key.PAGE]
        page.relevance, promise = self._driver.expectations(page.url_id)
        page.similarity = self._describe(handed, target, promise, REDIRECT)

    def canonical(self, handed: Request, target: Request, relevance: float | None) -> None:
        """Describe what a page names as its canonical address; `relevance` is the page's own."""
        _, promise = self._driver.expectations(handed.meta[key.ID])
        self._describe(handed, target, max(promise, relevance or 0.0), NAMED)

    def _describe(
        self, handed: Request, target: Request, promise: float, flag: int
    ) -> float | None:
        """Say of the target the best that was said of the URL; returns its best similarity."""
        for name in (key.ANCHOR, key.REFERRER, key.SEED):
            target.meta[name] = handed.meta[name]
        target.meta[key.PROMISE] = promise
        target.meta[key.FLAGS] = flag
        if self._voices is None:
            return None
        cues, similarity = self._voices.best(handed.meta[key.ID])
        target.meta[key.CUES] = cues
        target.meta[key.VOICE] = voice_of(handed.url, "", "")
        return similarity
