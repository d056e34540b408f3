"""A crawl that has nothing to do but wait for hosts says so, once, and until when.

Hosts that have answered before are tried for minutes after they stop, and a Retry-After may ask for
an hour: who waits for the end of a crawl should not have to guess whether it still lives.
"""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.politeness import PolitenessPolicy

logger = logging.getLogger(__name__)

LONG = 5.0
"""Seconds of waiting that are told; shorter ones are a part of politeness."""
_MOST_TOLD = 1000
"""Hosts that are remembered to have been told of."""


class IdleNotice:
    """What a crawl waits for; `now` is Unix time, in seconds."""

    def __init__(self, politeness: PolitenessPolicy, now: Callable[[], float] = time.time) -> None:
        self._politeness = politeness
        self._now = now
        self._told: dict[str, object] = {}
        self._waited_for = ""
        self._until = 0.0

    def over(self) -> None:
        """Something was handed out."""
        self._waited_for = ""

    def begins(self, slot: str, seconds: float) -> None:
        """Nothing is in flight, nor may be asked for: `slot` first of all, in so many seconds."""
        rest = self._politeness.rest(slot)
        if seconds < LONG or rest is None:
            return
        self._waited_for, self._until = slot, self._now() + seconds
        note, begun = rest
        if self._told.get(slot) == begun:
            return
        if len(self._told) >= _MOST_TOLD:
            self._told.clear()
        self._told[slot] = begun
        logger.info(
            "No other host is ready: waiting for %s (%s) until %s",
            *(slot, note, _time_of(self._until)),
        )

    @property
    def text(self) -> str:
        """What is waited for, for a line of figures; empty while the crawl does something."""
        if not self._waited_for:
            return ""
        return f"waiting for {self._waited_for} until {_time_of(self._until)}"


def _time_of(moment: float) -> str:
    return time.strftime("%H:%M:%S", time.localtime(moment))
