"""Counts of refused links and of URLs that were given up.

A refused link never becomes a row: a page of a million links must not fill the frontier. It is
counted by reason and registered domain, with the first URL as an example. The counts go to the
store with the next commit, and `scrapy frontier stats` lists them. The log has a line for the first
refusal of each reason and domain.
"""

from __future__ import annotations

import logging
from collections import Counter
from typing import TYPE_CHECKING

from frontier.urls.canonical import slot_of
from frontier.urls.domains import registered_domain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

logger = logging.getLogger(__name__)

TOO_FAR = "further from a seed than DEPTH_LIMIT"
EXAMPLE = 500
"""Characters of an example: a URL may be refused for its length."""
MOST_PAIRS = 10_000
"""Pairs of reason and domain that are counted, some 2 MB; others count for `ELSEWHERE`."""
ELSEWHERE = "*"
"""The domain under which refusals beyond MOST_PAIRS are counted."""


class Refusals:
    """Counts links and requests that were refused, by reason and registered domain.

    `counts` holds those of this run by reason. Reasons are a few fixed strings, never text of a
    page.
    """

    def __init__(
        self,
        keep: Callable[[str, str, int, str], None],
        known: Iterable[tuple[str, str]] = (),
    ) -> None:
        """`keep` stores a reason, a domain, a number of further refusals, and an example URL.

        `known` are the pairs of reason and domain stored by earlier runs.
        """
        self._keep = keep
        self._pairs = set(known)
        self.counts: Counter[str] = Counter()

    def note_all(self, reason: str, urls: Iterable[str]) -> None:
        """Count URLs refused for the same reason."""
        for url in urls:
            self.note(reason, url)

    def note(self, reason: str, url: str) -> None:
        """Count a refused URL."""
        self.count(reason, registered_domain(slot_of(url)), 1, url[:EXAMPLE])

    def count(self, reason: str, domain: str, links: int, example: str) -> None:
        """Count a number of refused URLs of a domain, with an example."""
        if (reason, domain) not in self._pairs:
            if len(self._pairs) < MOST_PAIRS:
                self._pairs.add((reason, domain))
                logger.info(
                    "Not queued: %s: %s. Further links of %s are only counted",
                    example,
                    reason,
                    domain,
                )
            else:
                domain = ELSEWHERE
        self.counts[reason] += links
        self._keep(reason, domain, links, example)
