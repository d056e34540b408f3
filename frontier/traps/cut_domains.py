"""Which domains were cut back in a run, why, and by how many URLs: told in the log when it ends.

A line for each reason and domain, those with the most URLs first. What is given up is lost to
the crawl, and said as loudly as an error.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable

logger = logging.getLogger(__name__)

MOST_PAIRS = 10_000
"""Pairs of reason and domain that are counted, some 2 MB; others count for `ELSEWHERE`."""
ELSEWHERE = "*"
"""Stands for the domains beyond the bound."""
_MOST_LINES = 50
_EXAMPLE = 200
"""Characters of a URL."""


class Cut(NamedTuple):
    """URLs of one domain for one reason; `example` is the first of them."""

    urls: int
    domain: str
    reason: str
    example: str


class CutDomains:
    """Counts URLs by reason and domain."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._examples: dict[tuple[str, str], str] = {}

    def note(
        self, reason: str, domain: str, example: str | Callable[[], str], urls: int = 1
    ) -> bool:
        """Count URLs; True if they are the first ones. `example` is one of them, or gives it."""
        pair = reason, domain
        if pair not in self._counts and len(self._counts) >= MOST_PAIRS:
            pair = reason, ELSEWHERE
        self._counts[pair] += urls
        if pair in self._examples:
            return False
        self._examples[pair] = (example if isinstance(example, str) else example())[:_EXAMPLE]
        return True

    def all(self) -> list[Cut]:
        """Return all of them, the most URLs first."""
        found = [Cut(n, pair[1], pair[0], self._examples[pair]) for pair, n in self._counts.items()]
        return sorted(found, key=lambda cut: (-cut.urls, cut.domain, cut.reason))

    def tell(self, level: int, what: str) -> None:
        """Write them to the log; `what` says what became of them."""
        cuts = self.all()
        for cut in cuts[:_MOST_LINES]:
            told = what, cut.urls, cut.domain, cut.reason, cut.example
            logger.log(level, "%s: %d URLs of %s: %s, for example %s", *told)
        if len(cuts) > _MOST_LINES:
            rest = cuts[_MOST_LINES:]
            logger.log(level, "%s: %d URLs elsewhere", what, sum(cut.urls for cut in rest))
