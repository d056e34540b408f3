"""Records of a crawl, as JSON holds them: numbers are numbers, unknown is None.

They are printed in the order of their fields, see `rendering`.

Times are ISO 8601 in UTC with seconds; scores are link scores (sum 1 over all URLs
after a re-rank); relevance and predictions lie in [0, 1].
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass, field
from datetime import datetime, timezone
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from frontier.estimates import HarvestRate


ORDERINGS = ("priority", "score", "relevance")
"""By which URLs can be listed."""
PERCENT = {"percent": True}
"""Metadata of a field: a share, shown as percentage."""
SECONDS = {"seconds": True}
"""A time span in seconds, shown in hours or days."""
BELOW = {"below": True}
"""A value too long for a column of a table: shown below its row."""
JSON_ONLY = {"json": True}
"""A value that people need not see."""


def iso_time(seconds: float | None) -> str | None:
    """Return Unix seconds as `2026-11-02T10:00:00Z`."""
    if seconds is None:
        return None
    moment = datetime.fromtimestamp(seconds, timezone.utc)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")


def number_or_none(value: float | None) -> float | None:
    """Return a plain float, None for NaN."""
    return None if value is None or math.isnan(value) else float(value)


@dataclass(frozen=True)
class Report:
    """Base of the records that commands print."""

    def as_dict(self) -> dict[str, Any]:
        """Return a dict for `json.dumps`, keys in the order of the fields."""
        return asdict(self)


@dataclass(frozen=True)
class EndCount(Report):
    """How many URLs ended with one error."""

    count: int
    reason: str


@dataclass(frozen=True)
class Refused(Report):
    """How many links never became URLs of the crawl for one reason, and to how many domains."""

    links: int
    domains: int
    reason: str
    example: str


@dataclass(frozen=True)
class HostCount(Report):
    """A host with its fetched pages and its known URLs."""

    host: str
    pages: int
    known: int


@dataclass(frozen=True)
class HarvestRateReport(Report):
    """Share of relevant pages among the fetched ones, in [0, 1], by labels of people.

    The interval from `low` to `high` holds it in four cases of five; `labelled` counts the labelled
    pages. `until` is None for the rate of all pages, else it is that of the pages fetched before.
    """

    estimate: float
    low: float
    high: float
    labelled: int
    until: str | None

    @classmethod
    def of(cls, rate: HarvestRate | None) -> HarvestRateReport | None:
        """Return the report of a rate, None where the rate is not known."""
        if rate is None:
            return None
        return cls(*rate[:4], None if math.isinf(rate.until) else iso_time(rate.until))


@dataclass(frozen=True)
class RefreshStats(Report):
    """How far a crawl that revisits pages is up to date.

    Attributes:
        pages: fetched pages that still exist, as far as is known.
        revisits, changes: revisits, and how many of them found a change.
        gone, moved, forbidden: pages that no longer exist.
        up_to_date: share of `pages` that is expected not to have changed since its last fetch.
        age_first_quartile, age_median, age_third_quartile, age_oldest: seconds since the last
            fetch of a page.

    """

    pages: int
    revisits: int
    changes: int
    gone: int
    moved: int
    forbidden: int
    up_to_date: float | None = field(metadata=PERCENT)
    age_first_quartile: float | None = field(metadata=SECONDS)
    age_median: float | None = field(metadata=SECONDS)
    age_third_quartile: float | None = field(metadata=SECONDS)
    age_oldest: float | None = field(metadata=SECONDS)


@dataclass(frozen=True)
class CrawlStats(Report):
    """A crawl in numbers.

    `known` URLs are queued or leased, or answered: `pages`, and URLs in one of the other `states`.
    `judged` counts pages whose relevance is known, `relevant` those at or above `relevant_from`, as
    the topic model judges, `in_doubt` others at or above two thirds of that, and `recent_share` the
    share of relevant ones of the last 100; `harvest_rate` follows from labels. `links` counts
    distinct links between different URLs on record. `errors` holds the most frequent reasons of
    URLs that failed, were filtered or that robots.txt forbids, `traps` all of URLs that were given
    up, `top_hosts` the hosts with the most pages. `refresh` is None for a crawl without revisits.
    At the end of a crawl in this process `marks`, pages by the names of their marks, is empty, and
    `refresh` and `recent_share` None.
    """

    directory: str
    schema_version: int
    strategy: str
    topic: str
    examples: str
    topic_model: str
    random_seed: int
    epoch: int
    started: str | None
    last_page: str | None
    known: int
    states: dict[str, int]
    pages: int
    links: int
    hosts: int
    judged: int
    relevant: int
    in_doubt: int
    relevant_from: float
    harvest_rate: HarvestRateReport | None = field(metadata=JSON_ONLY)
    recent_share: float | None = field(metadata=PERCENT)
    mean_relevance: float | None
    marks: dict[str, int]
    refresh: RefreshStats | None
    errors: tuple[EndCount, ...]
    refused: tuple[Refused, ...]
    traps: tuple[EndCount, ...]
    top_hosts: tuple[HostCount, ...]


@dataclass(frozen=True)
class TopRow(Report):
    """One line of a list of the best URLs; `value` is what the list is ordered by.

    `priority` is that of now for a queued URL and that of the lease for any other; `class` of
    Scrapy's requests stands above every priority and is 0 unless a spider asked for another.
    """

    rank: int
    value: float | None
    state: str
    priority: float | None = field(metadata=JSON_ONLY)
    priority_class: int = field(metadata=JSON_ONLY)
    score: float | None
    relevance: float | None
    predicted: float | None
    depth: int = field(metadata=JSON_ONLY)
    host: str = field(metadata=JSON_ONLY)
    url: str
    title: str | None
