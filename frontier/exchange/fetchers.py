"""Who fetches for a crawl: what fetchers tell of it, who is admitted, and what each has done.

A fetcher tells the owner of the order what its crawl is about, as JSON. Who has the same spider,
the same topic and the same version is admitted. What `scrapy frontier stats` shows of a served
crawl is kept in the file of the crawl, with the commit of a turn: once a second,
so that a look needs no access to the exchange.
"""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import asdict, fields
from typing import TYPE_CHECKING, Any

from frontier.config import CrawlConfig
from frontier.duplicates.finder import DuplicatePolicy
from frontier.errors import ExchangeError
from frontier.exchange.wire import WIRE_VERSION
from frontier.pagerules.policy import PagePolicy
from frontier.refresh.policy import RefreshPolicy
from frontier.store import schema
from frontier.traps.limits import TrapLimits
from frontier.urls.rules import UrlRules
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from frontier.exchange.owner_side import FeedStanding, FetcherRow
    from frontier.store import Store

MOST = 256
"""Fetchers that are remembered; more than can fetch at once."""
FETCHING, REFUSED, GONE = "fetching", "refused", "gone"
"""What becomes of a fetcher."""
_PARTS: dict[str, type[Any]] = {
    "page_policy": PagePolicy,
    "url_rules": UrlRules,
    "duplicates": DuplicatePolicy,
    "traps": TrapLimits,
    "refresh": RefreshPolicy,
}


def config_as_json(config: CrawlConfig) -> dict[str, Any]:
    """Return a configuration without its directory, as JSON has it."""
    given = asdict(config)
    del given["directory"]
    given["url_rules"] = config.url_rules.as_json
    return given


def config_of(given: Any) -> CrawlConfig:
    """Return the configuration that `config_as_json` gave; ExchangeError for what is none."""
    try:
        parts = {name: _part(kind, given[name]) for name, kind in _PARTS.items()}
        known = {each.name: given[each.name] for each in fields(CrawlConfig) if each.name in given}
        return CrawlConfig(**{**known, **parts})
    except (KeyError, TypeError, AttributeError) as error:
        raise ExchangeError(
            f"Expected the settings of a crawl from a fetcher, got something else ({error}). Run "
            f"the same version of scrapy-linkrank everywhere."
        ) from error


def _part(kind: type[Any], given: dict[str, Any]) -> Any:
    return UrlRules.stored(given) if kind is UrlRules else kind(**given)


class Admission:
    """Judges what fetchers say of themselves by what the crawl is about."""

    def __init__(self, config: CrawlConfig, spider: str = "") -> None:
        """`spider` is the name of the one that the crawl has; "": that of the first fetcher."""
        self._identity = config.identity
        self._spider = spider

    def verdict(self, about: dict[str, Any]) -> str:
        """Return "" for a fetcher that is admitted, else why it is not."""
        if about.get("wire") != WIRE_VERSION:
            return other_version(about)
        try:
            identity = config_of(about.get("config")).identity
        except LinkRankError as error:
            return str(error)
        differs = [
            f"{name} is {self._identity[name]!r} there and {value!r} here"
            for name, value in identity.items()
            if self._identity.get(name) != value
        ]
        spider = str(about.get("spider", ""))
        if self._spider and spider != self._spider:
            differs.insert(0, f"the spider is {self._spider!r} there and {spider!r} here")
        if differs:
            return (
                f"The crawl that this exchange serves is another one: {'; '.join(differs)}. Start "
                f"the fetcher with the same spider, arguments and settings, or give it another "
                f"exchange."
            )
        self._spider = spider
        return ""


def other_version(about: dict[str, Any]) -> str:
    """Why a fetcher of another version is refused."""
    return (
        f"Expected a fetcher that speaks version {WIRE_VERSION} of the exchange, got "
        f"{about.get('wire')}. Run the same version of scrapy-linkrank everywhere."
    )


class Account:
    """Counts answers by fetcher, and writes down who fetches.

    It goes on with the counts of the process that served the crawl before.
    """

    def __init__(self, store: Store, clock: Callable[[], float] = time.time) -> None:
        """`clock` gives unix seconds."""
        self._store = store
        self._clock = clock
        self._stands: dict[str, Any] = store.settings().get(schema.SERVED) or {}
        self._fetchers: dict[str, dict[str, Any]] = self._stands.get("fetchers", {})
        self._answers = Counter({key: int(row["answers"]) for key, row in self._fetchers.items()})

    def answered(self, fetcher: str) -> None:
        """Count an answer of a fetcher, by its id."""
        self._answers[fetcher] += 1

    def look(self, state: str, rows: Sequence[FetcherRow], standing: FeedStanding) -> None:
        """Put down how things stand, for the next commit."""
        now = self._clock()
        for entry in self._fetchers.values():
            entry |= {"state": GONE, "partitions": 0, "wants": 0}
        self._fetchers |= {row.id: self._entry(row, now) for row in rows}
        latest = set(sorted(self._fetchers, key=lambda key: self._fetchers[key]["heard"])[-MOST:])
        self._fetchers = {key: row for key, row in self._fetchers.items() if key in latest}
        self._stands = {"state": state, **standing._asdict()}
        self._put_down(now)

    def end(self, state: str) -> None:
        """Put down that nobody owns the order from now on, and why."""
        if self._stands:
            self._stands["state"] = state
            self._put_down(self._clock())

    def _put_down(self, now: float) -> None:
        for key, row in self._fetchers.items():
            row["answers"] = self._answers[key]
        figures = {**self._stands, "at": now, "fetchers": self._fetchers}
        self._store.set_setting(schema.SERVED, figures)

    def _entry(self, row: FetcherRow, now: float) -> dict[str, Any]:
        state = REFUSED if row.verdict else FETCHING if row.is_live else GONE
        return {
            "name": row.name,
            "state": state,
            "places": row.places,
            "wants": row.wants if row.is_live else 0,
            "partitions": row.partitions,
            "heard": round(now - row.silent, 1),
        }
