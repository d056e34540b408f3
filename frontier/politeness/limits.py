"""Limits of politeness as plain values.

The plugin reads them from Scrapy's settings; tests and simulations make them by hand. The defaults
are those of the focused crawler (`frontier/plugin/focus/settings.py`).
"""

from __future__ import annotations

from dataclasses import dataclass

from frontier.utils import within

MANY = 2**31
"""More requests than there can be: no limit."""
_BACKOFFS_OF_SILENT, _BACKOFFS_OF_REFUSING = 60, 30
_BACKOFFS_UNTIL_DEAD = 600
"""Factors on the first pause. Of one second they make a minute, half a minute, and the ten minutes
in which a server is restarted."""
_DOMAINS_AT_ADDRESS = 2
"""Factor on the requests at once of a domain: hosters have thousands of domains at one address."""


@dataclass(frozen=True)
class Limits:
    """Limits of pauses and of requests at once. Each field is a setting: FRONTIER_ and its name.

    docs/settings.md has their meanings and units. Raises SettingsError for a value out of range.
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
        """Longest pause after a failure, in seconds."""
        return _BACKOFFS_OF_SILENT * self.backoff

    @property
    def slowdown_cap(self) -> float:
        """Longest delay between two requests to a host that refuses, in seconds."""
        return _BACKOFFS_OF_REFUSING * self.backoff

    @property
    def dead_seconds(self) -> float:
        """Seconds of failures after which a host that has answered before is given up."""
        return _BACKOFFS_UNTIL_DEAD * self.backoff

    def in_domain(self, allowed: int) -> int:
        """Requests at once to a registered domain, where one host is allowed `allowed`."""
        return max(self.domain_concurrency, allowed) if self.domain_concurrency else MANY

    def at_address(self, allowed: int) -> int:
        """Requests at once to an IP address, where one host is allowed `allowed`."""
        domain = self.domain_concurrency
        return max(_DOMAINS_AT_ADDRESS * domain, allowed) if domain else MANY
