"""How long the second best waits for the best: the rule of a crawl and of its replay alike."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable


class Patience:
    """How long a mediocre URL waits for better ones whose hosts are busy.

    After `seconds` without a hand-out one such URL leaves, the next one after half that wait, and
    so on, until a good one leaves and the whole wait holds again. So a host that holds the best
    URLs and is slow or dead costs the others two waits, however long it is silent.
    """

    def __init__(
        self, share: float, seconds: float, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Call the best `share` of the queue good; a share of 1 never waits."""
        self.share = share
        self._whole = self._wait = seconds
        self._clock = clock
        self._until = 0.0

    def seconds(self) -> float | None:
        """Seconds for which a mediocre URL has to wait still; None where there is none."""
        return None if self.share >= 1 else max(0.0, self._until - self._clock())

    def restore(self) -> None:
        """Note that a good URL was handed out."""
        self._wait = self._whole
        self._until = self._clock() + self._wait

    def halve(self) -> None:
        """Note that a mediocre URL was handed out."""
        self._wait /= 2
        self._until = self._clock() + self._wait
