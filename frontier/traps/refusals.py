"""What was refused or given up, counted: nothing that is left out is left out in silence.

A link that is refused never becomes a row, or a page of a million links would fill the frontier all
the same. What stays of it is a count for its reason and registered domain, with the first URL as an
example. It goes to the store with the next commit, and `scrapy frontier stats` lists it. The log
has one line for each reason and domain, when the first one is refused.
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
"""Characters of a URL that are kept as an example: the URL may have been refused for its length."""
MOST_PAIRS = 10_000
"""Pairs of reason and domain that are counted, some 2 MB; others count for `ELSEWHERE`."""
ELSEWHERE = "*"
"""Stands for the domains beyond the bound."""


class Refusals:
    """Counts links and requests that were refused, by reason and registered domain.

    `counts` is by reason and for this run. Reasons are a few fixed strings, never text of a page.
    """

    def __init__(
        self,
        keep: Callable[[str, str, int, str], None],
        known: Iterable[tuple[str, str]] = (),
    ) -> None:
        """`keep` stores a reason, a domain, how many more of them, and an example URL.

        `known` are the pairs of reason and domain that earlier runs have stored.
        """
        self._keep = keep
        self._pairs = set(known)
        self.counts: Counter[str] = Counter()

    def note_all(self, reason: str, urls: Iterable[str]) -> None:
        """Count URLs that are refused for one reason."""
        for url in urls:
            self.note(reason, url)

    def note(self, reason: str, url: str) -> None:
        """Count a URL that is refused."""
        self.count(reason, registered_domain(slot_of(url)), 1, url[:EXAMPLE])

    def count(self, reason: str, domain: str, links: int, example: str) -> None:
        """Count so many refused URLs of a domain, of which one is an example."""
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
