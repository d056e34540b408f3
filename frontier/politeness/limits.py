"""What the rules of politeness are turned by, as plain values.

The plugin reads them from Scrapy's settings, under the names given with each; tests and simulations
make them by hand. The defaults here are those of a polite crawl, as `crawler/settings.py` sets
them; a project that plugs the frontier in has those of docs/settings.md.
"""

from __future__ import annotations

from dataclasses import dataclass

from frontier.politeness.shared_limits import MANY
from frontier.utils import within


@dataclass(frozen=True)
class Limits:
    """Bounds of waiting, in seconds, and of requests at once.

    A limit of requests at once that is 0 does not hold. Raises SettingsError for a value out of its
    range.

    Attributes:
        crawl_delay_cap: a longer Crawl-delay counts as this one.
        retry_after_cap: a later Retry-After counts as this one.
        backoff: pause after a host's first refusal or failure; it doubles with each further one. 0:
            hosts in trouble are asked as others are.
        backoff_cap: the longest of these pauses.
        slowdown_cap: the longest delay between requests that refusals and latency add up to.
        latency_factor: answers that take so many times as long as usual slow a host down; 0: never.
        domain_concurrency: requests at once to all hosts of one registered domain.
        domain_delay: pause between two of these.
        ip_concurrency: requests at once to all hosts on one address.
        ip_delay: pause between two of these.
        dead_after: failures in a row after which a host is given up, unless it has answered before;
            0: never.
        dead_patience: a host that has answered before is not given up until it has failed so long.
        trial_share: of all requests at once, how many may be for hosts that do not answer, 0 to 1;
            at 1 there is no limit to them.
        silent_seconds: a request without an answer for so long makes room for another one; 0: none
            does.

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
        for name in ("crawl_delay_cap", "retry_after_cap", "backoff", "backoff_cap"):
            self._within(name, 0.0, 86400.0 * 30)
        for name in ("slowdown_cap", "domain_delay", "ip_delay", "dead_patience"):
            self._within(name, 0.0, 86400.0 * 30)
        for name in ("domain_concurrency", "ip_concurrency"):
            self._within(name, 0, 10**6)
        self._within("latency_factor", 0.0, 1000.0)
        self._within("dead_after", 0, 10**6)
        self._within("trial_share", 0.0, 1.0)
        self._within("silent_seconds", 0.0, 86400.0)

    def _within(self, name: str, low: float, high: float) -> None:
        within(f"FRONTIER_{name.upper()}", getattr(self, name), low, high)

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
