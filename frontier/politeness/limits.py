"""What the rules of politeness are turned by, as plain values.

The plugin reads them from Scrapy's settings; tests and simulations make them by hand. The defaults
are those of a polite crawl, as `frontier/plugin/focus/settings.py` sets them.
"""

from __future__ import annotations

from dataclasses import dataclass

from frontier.utils import within

MANY = 2**31
"""More requests than there can be: no limit."""


@dataclass(frozen=True)
class Limits:
    """Bounds of waiting and of requests at once: each field is the setting FRONTIER_ and its name.

    What it means and in which unit (seconds, requests at once, failures, a share) stands in
    docs/settings.md. Raises SettingsError for a value out of its range.
    """

    crawl_delay_cap: float = 30.0
    retry_after_cap: float = 3600.0
    backoff: float = 1.0
    backoff_cap: float = 60.0
    slowdown_cap: float = 30.0
    latency_factor: float = 3.0
    domain_concurrency: int = 4
    domain_delay: float = 0.0
    ip_concurrency: int = 8
    ip_delay: float = 0.0
    dead_after: int = 8
    dead_patience: float = 600.0
    trial_share: float = 0.5
    silent_seconds: float = 5.0

    def __post_init__(self) -> None:
        most = {"latency_factor": 1000.0, "trial_share": 1.0, "silent_seconds": 86400.0}
        counted = ("domain_concurrency", "ip_concurrency", "dead_after")
        for name, value in vars(self).items():
            bound = 10**6 if name in counted else most.get(name, 86400.0 * 30)
            within(f"FRONTIER_{name.upper()}", value, 0, bound)

    def in_domain(self, allowed: int) -> int:
        """Requests at once to a registered domain, of which one host is allowed so many."""
        return _at_once(self.domain_concurrency, self.domain_delay, allowed)

    def at_address(self, allowed: int) -> int:
        """Requests at once to an address, at which one host is allowed so many."""
        return _at_once(self.ip_concurrency, self.ip_delay, allowed)


def _at_once(limit: int, delay: float, allowed: int) -> int:
    """One where a pause has to lie between two; never less than a host alone is allowed."""
    if delay:
        return 1
    return max(limit, allowed) if limit else MANY
