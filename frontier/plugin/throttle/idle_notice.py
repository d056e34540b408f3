"""A crawl that has nothing to do but wait for hosts says so, once, and until when.

Hosts that have answered before are tried for minutes after they stop
(`frontier.politeness.breaker`), and a Retry-After may ask for an hour: an unattended crawl should
outlast that. Who waits for its end should not have to guess whether it still lives.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.politeness import PolitenessPolicy
    from frontier.politeness.policy import Rest

logger = logging.getLogger(__name__)

LONG = 5.0
"""Seconds of waiting that are told; shorter ones are a part of politeness."""
_MOST_TOLD = 1000
"""Hosts that are remembered to have been told of."""


class IdleNotice:
    """What a crawl waits for; `now` is Unix time, in seconds."""

    def __init__(self, manners: PolitenessPolicy, now: Callable[[], float] = time.time) -> None:
        self._manners = manners
        self._now = now
        self._told: dict[str, object] = {}
        self._waited_for = ""
        self._until = 0.0

    def over(self) -> None:
        """Something was handed out."""
        self._waited_for = ""

    def begins(self, slot: str, seconds: float) -> None:
        """Nothing is in flight, nor may be asked for: `slot` first of all, in so many seconds."""
        rest = self._manners.rest(slot)
        if seconds < LONG or rest is None:
            return
        self._waited_for, self._until = slot, self._now() + seconds
        if self._told.get(slot) == rest.begun:
            return
        if len(self._told) >= _MOST_TOLD:
            self._told.clear()
        self._told[slot] = rest.begun
        logger.info(
            "No other host is ready: waiting for %s (%s) until %s%s",
            *(slot, rest.note, _time_of(self._until), self._end(rest)),
        )

    @property
    def text(self) -> str:
        """What is waited for, for a line of figures; empty while the crawl does something."""
        if not self._waited_for:
            return ""
        return f"waiting for {self._waited_for} until {_time_of(self._until)}"

    def _end(self, rest: Rest) -> str:
        if rest.end is None:
            return ""
        end = _time_of(self._now() + rest.end)
        return f", and given up at {end} at the earliest (FRONTIER_DEAD_PATIENCE, _AFTER)"


def _time_of(moment: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(moment))
