"""Every setting of the plugin with its default and what it may be.

docs/settings.md says what each is for, in which unit, and why its default is what it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from frontier.config import DEFAULT_TOPIC_MODEL, CrawlConfig
from frontier.duplicates.finder import DUPLICATES
from frontier.errors import SettingsError
from frontier.pagerules.policy import DISCOVER, NOFOLLOW_WAYS
from frontier.traps.limits import TRAP_LIMITS
from frontier.urls.rules import TRACKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from scrapy.settings import BaseSettings

PREFIX = "FRONTIER_"


@dataclass(frozen=True)
class Setting:
    """One of the plugin's settings; of which type its value is, the default tells."""

    name: str
    default: object
    bounds: tuple[float, float] | None = None
    """Of a number, both included; None: whoever gets the value knows them."""
    words: tuple[str, ...] = ()
    """All that it may be, in any case of letters; empty: any text."""

    def read(self, settings: BaseSettings) -> Any:
        """Return its value, a bool, number, text or list; SettingsError for what is none."""
        given: Any = settings.get(self.name, self.default)
        if isinstance(self.default, bool):
            usual = self.default
            return self._checked(lambda: settings.getbool(self.name, usual), given, "true or false")
        if isinstance(self.default, tuple):
            return settings.getlist(self.name, list(self.default))
        if isinstance(self.default, str):
            return self._word(str(given or self.default).strip())
        kind = int if isinstance(self.default, int) else float
        if self.bounds is None:
            wanted = "a whole number" if kind is int else "a number"
            return self._checked(lambda: kind(given), given, wanted)
        return kind(self._between(given, *self.bounds))

    def _between(self, given: Any, low: float, high: float) -> float:
        wanted = f"a number between {low:g} and {high:g}"
        value: float = self._checked(lambda: float(given), given, wanted)
        if not low <= value <= high:
            raise self._wrong(given, wanted)
        return value

    def _word(self, given: str) -> str:
        if not self.words:
            return given
        if given.lower() not in self.words:
            raise self._wrong(given, " or ".join(map(repr, self.words)))
        return given.lower()

    def _checked(self, read: Callable[[], Any], given: object, wanted: str) -> Any:
        try:
            return read()
        except (TypeError, ValueError, OverflowError):
            raise self._wrong(given, wanted) from None

    def _wrong(self, given: object, wanted: str) -> SettingsError:
        return SettingsError(
            f"{self.name} must be {wanted}, but is {given!r}. Correct it, or leave it out for the "
            f"default {self.default}."
        )


ALLOW, DISALLOW = "allow", "disallow"
LAST, DROP = "last", "drop"

POLITENESS = (
    Setting("FRONTIER_CRAWL_DELAY_CAP", 0.0),
    Setting("FRONTIER_RETRY_AFTER_CAP", 0.0),
    Setting("FRONTIER_BACKOFF", 0.0),
    Setting("FRONTIER_DOMAIN_CONCURRENCY", 0),
    Setting("FRONTIER_DEAD_AFTER", 0),
)
"""Each is a field of `frontier.politeness.Limits`, in capitals.

The defaults ask nothing of a host beyond what a project's own settings say, so that a project which
plugs the frontier in takes the time it took. `frontier/plugin/focus/settings.py` sets those of a
polite crawl.
"""

SETTINGS = (
    Setting("FRONTIER_TOPIC", ""),
    Setting("FRONTIER_EXAMPLES", ""),
    Setting("FRONTIER_NOT_EXAMPLES", ""),
    Setting("FRONTIER_STRATEGY", ""),
    Setting("FRONTIER_SCORES", ""),
    Setting("TOPIC_MODEL", DEFAULT_TOPIC_MODEL),
    Setting("FRONTIER_VECTORS", CrawlConfig.vectors),
    Setting("FRONTIER_DAMPING", CrawlConfig.damping),
    Setting("FRONTIER_MAX_IN_FLIGHT", CrawlConfig.max_in_flight),
    Setting("FRONTIER_WAIT_FOR_BEST", CrawlConfig.wait_for_best),
    Setting("FRONTIER_RANDOM_SEED", CrawlConfig.random_seed),
    Setting("FRONTIER_ACCEPT_CHANGES", False),
    Setting("FRONTIER_PROGRESS", False),
    Setting("FRONTIER_SUMMARY", False),
    Setting("WARC_FILE", ""),
    Setting("FRONTIER_RESUME_COMMAND", ""),
    # Several processes that crawl for one frontier.
    Setting("FRONTIER_EXCHANGE", ""),
    Setting("FRONTIER_EXCHANGE_KEY", ""),
    # robots.txt.
    Setting("FRONTIER_ROBOTS_UNREACHABLE", ALLOW, words=(ALLOW, DISALLOW)),
    # What pages ask of crawlers and say of their own address.
    Setting("FRONTIER_ROBOTS_META", True),
    Setting("FRONTIER_NOFOLLOW", DISCOVER, words=tuple(NOFOLLOW_WAYS)),
    Setting("FRONTIER_CANONICAL", True),
    # What is the same URL, and what is the same page.
    Setting("FRONTIER_CANONICAL_URLS", False),
    Setting("FRONTIER_TRACKING_PARAMETERS", TRACKING),
    Setting("FRONTIER_DUPLICATE_SIMILARITY", DUPLICATES.similarity),
    # How much of an endless place is taken in.
    Setting("FRONTIER_TRAPS", LAST, words=(LAST, DROP)),
    Setting("FRONTIER_TRAP_BUDGET", TRAP_LIMITS.budget),
    Setting("FRONTIER_DISTRUST", ""),
    # What may be connected to.
    Setting("FRONTIER_ALLOW_NETWORKS", ()),
    Setting("FRONTIER_UNGUARDED_HANDLERS", ()),
    *POLITENESS,
)
BY_NAME = {one.name: one for one in SETTINGS}


def value(settings: BaseSettings, name: str) -> Any:
    """Return the value of one setting; raises SettingsError for what it cannot be."""
    return BY_NAME[name].read(settings)


def values(settings: BaseSettings, declared: Iterable[Setting]) -> dict[str, Any]:
    """Return the values of settings by their names in small letters, without FRONTIER_."""
    return {one.name.removeprefix(PREFIX).lower(): one.read(settings) for one in declared}
