"""The moments of a crawl at which extensions act: `CrawlSession.hooks`.

They are no signals of Scrapy's: an act runs at once, in the order of registration, and what it
raises reaches the session.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, ParamSpec

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.plugin.crawl.open_page import OpenPage

_Given = ParamSpec("_Given")


class Hook(Generic[_Given]):
    """One moment: calling it calls every act that was added."""

    def __init__(self) -> None:
        self._acts: list[Callable[_Given, None]] = []

    def add(self, act: Callable[_Given, None]) -> None:
        """Have a function called at this moment."""
        self._acts.append(act)

    def clear(self) -> None:
        """Forget all acts."""
        self._acts.clear()

    def __call__(self, *given: _Given.args, **named: _Given.kwargs) -> None:
        for act in self._acts:
            act(*given, **named)


class Hooks:
    """All moments of one crawl."""

    def __init__(self) -> None:
        self.idle: Hook[[]] = Hook()
        """No URL is in flight and none may be requested."""
        self.page_stored: Hook[[OpenPage]] = Hook()
        """The frontier has taken in a page; the page is not committed yet."""
        self.closing: Hook[[]] = Hook()
        """The session closes; the store is still open."""
        self._bounds: list[Callable[[], float]] = []

    def bound_in_flight(self, bound: Callable[[], float]) -> None:
        """Have no more requests in flight than a function returns."""
        self._bounds.append(bound)

    @property
    def most_in_flight(self) -> float:
        """The lowest of all bounds; infinity without one."""
        return min((bound() for bound in self._bounds), default=float("inf"))
