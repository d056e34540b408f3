"""Twisted's timers, kept from a clock that is set.

Twisted times by the clock on the wall: where somebody or a time server sets it forward, every
request in flight is late at once and its page is cut; set back, delays and time limits last that
much longer. Here they go by the monotonic clock, as asyncio's do.
"""

from __future__ import annotations

import sys
import time
from typing import Any

__all__ = ["keep_from_clock"]


def keep_from_clock() -> None:
    """Have the reactor's timers, those that wait already too, go by the monotonic clock.

    Does nothing without a reactor, and where it has a clock of its own.
    """
    reactor: Any = sys.modules.get("twisted.internet.reactor")
    if reactor is None or reactor.seconds is not time.time:
        return
    ahead = time.time() - time.monotonic()
    for call in reactor.getDelayedCalls():
        call.time -= ahead
        call.seconds = time.monotonic
    reactor.seconds = time.monotonic
