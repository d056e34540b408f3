"""What the rules of politeness are turned by, as plain values.

The plugin reads them from Scrapy's settings; tests and simulations make them by hand. The defaults
are those of a polite crawl, as `frontier/plugin/focus/settings.py` sets them.
"""

from __future__ import annotations

from dataclasses import dataclass

from frontier.utils import within

MANY = 2**31
"""More requests than there can be: no limit."""
_BACKOFFS_OF_SILENT, _BACKOFFS_OF_REFUSING = 60, 30
_BACKOFFS_UNTIL_DEAD = 600
"""Times the first pause: with one of a second a minute, half a minute, and ten minutes, in which a
server is restarted."""
_DOMAINS_AT_ADDRESS = 2
"""Domains whose requests at once an address takes: hosters have thousands there."""


@dataclass(frozen=True)
class Limits:
    """Bounds of waiting and of requests at once: each field is the setting FRONTIER_ and its name.

    What it means and in which unit (seconds, requests at once, failures, a share) stands in
    docs/settings.md. Raises SettingsError for a value out of its range.
    """

    crawl_delay_cap: float = 30.0
    retry_after_cap: float = 3600.0
    backoff: float = 1.0
    domain_concurrency: int = 4
    dead_after: int = 8

    def __post_init__(self) -> None:
        counted = ("domain_concurrency", "dead_after")
        for name, value in vars(self).items():
            bound = 10**6 if name in counted else 86400.0 * 30
            within(f"FRONTIER_{name.upper()}", value, 0, bound)

    @property
    def backoff_cap(self) -> float:
        """Seconds for which a host that does not answer is left alone, at most."""
        return _BACKOFFS_OF_SILENT * self.backoff

    @property
    def slowdown_cap(self) -> float:
        """Seconds between two requests to a host that refuses, at most."""
        return _BACKOFFS_OF_REFUSING * self.backoff

    @property
    def dead_patience(self) -> float:
        """Seconds for which a host that has answered before has to fail until it is given up."""
        return _BACKOFFS_UNTIL_DEAD * self.backoff

    def in_domain(self, allowed: int) -> int:
        """Requests at once to a registered domain, of which one host is allowed so many."""
        return _at_once(self.domain_concurrency, allowed)

    def at_address(self, allowed: int) -> int:
        """Requests at once to an address, at which one host is allowed so many."""
        return _at_once(_DOMAINS_AT_ADDRESS * self.domain_concurrency, allowed)


def _at_once(limit: int, allowed: int) -> int:
    """Never less than a host alone is allowed; a limit of 0 is none."""
    return max(limit, allowed) if limit else MANY
