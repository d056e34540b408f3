"""What speaks for a URL is handed on to the one that it leads to, or that its page names.

What was thought of a page that redirects is thought of the target now: what its parents are worth,
what their links say, and that it is a seed. The same goes for the address that a page names as
canonical, of which more is known: the page itself was read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.states import NAMED, REDIRECT, Mark
from frontier.topic.relevance import voice_of

if TYPE_CHECKING:
    from frontier.records import HandedOut, UrlRecord
    from frontier.strategy.order_driver import OrderDriver
    from frontier.strategy.repeated_anchors import RepeatedAnchors


class Inheritance:
    """Describes the requests for targets; `voices` are None in a crawl without a topic."""

    def __init__(self, driver: OrderDriver, voices: RepeatedAnchors | None) -> None:
        self._driver = driver
        self._voices = voices

    def redirect(self, handed: HandedOut, target: UrlRecord) -> None:
        """Describe a redirect: a page that is nothing but a link to its target."""
        page = handed.page
        page.relevance, promise = self._driver.expectations(page.url_id)
        page.similarity = self._describe(handed, target, promise, REDIRECT)

    def canonical(self, handed: HandedOut, named: UrlRecord, links: list[UrlRecord]) -> None:
        """Put what a page that was read names as its canonical address in front of its links, or
        note that it is the page's own.
        """
        page = handed.page
        if named.fingerprint == handed.fingerprint:
            page.marks |= Mark.CANONICAL_HERE
            return
        _, promise = self._driver.expectations(handed.url_id)
        self._describe(handed, named, max(promise, page.relevance or 0.0), NAMED)
        links.insert(0, named)

    def _describe(
        self, handed: HandedOut, target: UrlRecord, promise: float, flag: int
    ) -> float | None:
        """Say of the target the best that was said of the URL; returns its best similarity."""
        target.anchor, target.referrer = handed.anchor, handed.referrer
        target.seed, target.zone = handed.seed, handed.zone
        target.promise = promise
        target.flags = flag
        if self._voices is None:
            return None
        cues, similarity = self._voices.best(handed.url_id)
        target.cues = cues
        target.voice = voice_of(handed.url, "", "")
        return similarity
