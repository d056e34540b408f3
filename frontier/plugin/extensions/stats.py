"""The frontier's figures among Scrapy's stats, and the table that says what each of them means.

The table is the only place where stats are declared: docs/stats.md is generated from it, and a test
fails when a stat is set that it does not hold.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from scrapy import signals

from frontier.plugin.crawl.session import session_of
from frontier.states import State

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from typing_extensions import Self

    from frontier.backend.figures import CrawlFigures


@dataclass(frozen=True)
class Stat:
    """One row of docs/stats.md."""

    name: str
    unit: str
    scope: str
    meaning: str


CRAWL, RUN = "whole crawl", "this run"

STATS = (
    Stat("frontier/pages", "URLs", CRAWL, "Pages fetched."),
    Stat(
        "frontier/relevant",
        "pages",
        CRAWL,
        "Fetched pages with a relevance of FRONTIER_RELEVANT or more. Only in a crawl with a "
        "topic.",
    ),
    Stat(
        "frontier/harvest_rate",
        "share, 0 to 1",
        CRAWL,
        "Relevant pages by pages judged.",
    ),
    Stat(
        "frontier/remaining/estimate",
        "pages",
        CRAWL,
        "Estimated relevant pages not fetched yet, from how the harvest rate falls, see "
        "coverage.md. Only in a crawl with a topic, from 20 judged pages on.",
    ),
    Stat(
        "frontier/remaining/low",
        "pages",
        CRAWL,
        "Lower end of the 80 % interval of the estimate.",
    ),
    Stat(
        "frontier/remaining/high", "pages", CRAWL, "Upper end of the 80 % interval of the estimate."
    ),
    Stat(
        "frontier/distrust/bad",
        "URLs",
        CRAWL,
        "Discovered URLs that FRONTIER_DISTRUST lists: not fetched. Absent without a file.",
    ),
    Stat(
        "frontier/distrust/suspect",
        "pages",
        CRAWL,
        "Fetched pages that link to bad or suspect ones: their outgoing links carry no weight.",
    ),
    Stat("frontier/known", "URLs", CRAWL, "URLs discovered, in any state."),
    Stat("frontier/queued", "URLs", CRAWL, "URLs in the queue."),
    Stat(
        "frontier/leased",
        "URLs",
        CRAWL,
        "Requests in flight. After a stop they are fetched again when the crawl resumes.",
    ),
    Stat(
        "frontier/errors",
        "URLs",
        CRAWL,
        "Failed, after all retries: HTTP errors, timeouts, connections reset.",
    ),
    Stat(
        "frontier/robots",
        "URLs",
        CRAWL,
        "Disallowed by robots.txt, or robots.txt was unreachable.",
    ),
    Stat(
        "frontier/sitemaps/files",
        "files",
        RUN,
        "Sitemaps fetched, with FRONTIER_SITEMAPS.",
    ),
    Stat("frontier/sitemaps/urls", "URLs", RUN, "URLs listed in sitemaps, duplicates included."),
    Stat(
        "frontier/filtered",
        "URLs",
        CRAWL,
        "Dropped by a middleware or signal handler of the project (IgnoreRequest).",
    ),
    Stat(
        "frontier/redirects",
        "URLs",
        CRAWL,
        "Redirected, or merged into the URL that they name as canonical.",
    ),
    Stat(
        "frontier/traps",
        "URLs",
        CRAWL,
        "Dropped as crawler traps: the URL pattern yields no new content, see traps.md.",
    ),
    Stat(
        "frontier/refused/<reason>",
        "links",
        RUN,
        "Links not queued, for this reason; `scrapy frontier stats` lists examples.",
    ),
    Stat(
        "frontier/page_rules/noindex",
        "pages",
        RUN,
        "Fetched pages with `noindex`; they are not exported.",
    ),
    Stat(
        "frontier/page_rules/nofollow",
        "pages",
        RUN,
        "Fetched pages with `nofollow`; their links are not followed.",
    ),
    Stat(
        "frontier/page_rules/links_left",
        "links",
        RUN,
        "Links not followed because of `nofollow` on the page or, with FRONTIER_NOFOLLOW=skip, on "
        "the link.",
    ),
    Stat(
        "frontier/duplicates/exact",
        "pages",
        CRAWL,
        "Exact duplicates among the fetched pages: same body or same text, see duplicates.md.",
    ),
    Stat(
        "frontier/duplicates/near",
        "pages",
        CRAWL,
        "Near-duplicates among the fetched pages (FRONTIER_DUPLICATE_SIMILARITY).",
    ),
    Stat(
        "frontier/links",
        "links",
        CRAWL,
        "Edges of the link graph: distinct links from fetched pages to other URLs.",
    ),
    Stat(
        "frontier/coverage",
        "share of PageRank, 0 to 1",
        CRAWL,
        "RankMass: a lower bound of the personalized PageRank (restart at the seeds) of the "
        "fetched pages, whatever the rest of the web links to, see coverage.md. Not in a crawl "
        "without seeds.",
    ),
    Stat(
        "frontier/handed_out",
        "requests",
        RUN,
        "Requests dispatched to the downloader, retries and redirects included.",
    ),
    Stat(
        "frontier/passed_over",
        "requests",
        RUN,
        "Requests dispatched while a better URL waited for its host: what politeness cost the "
        "order. FRONTIER_PATIENCE lowers it.",
    ),
    Stat(
        "frontier/retries",
        "requests",
        RUN,
        "Failed requests queued again, each after FRONTIER_RETRY_HOLD other requests.",
    ),
    Stat(
        "frontier/politeness/refused",
        "answers",
        RUN,
        "Answers 429 and 503. Each increases the delay of its host, see politeness.md.",
    ),
    Stat(
        "frontier/politeness/unanswered",
        "requests",
        RUN,
        "Timeouts, failed connections and DNS failures, robots.txt included.",
    ),
    Stat(
        "frontier/politeness/postponed",
        "requests",
        RUN,
        "Requests queued again because their host must rest for longer (Retry-After, circuit "
        "breaker).",
    ),
    Stat(
        "frontier/politeness/slowed",
        "hosts",
        RUN,
        "Hosts with an increased delay because of 429, 503, failures or rising latency.",
    ),
    Stat(
        "frontier/politeness/dead",
        "hosts",
        RUN,
        "Hosts given up because they did not answer; their queued URLs end as errors.",
    ),
    Stat("frontier/rerank/done", "re-ranks", RUN, "Finished re-ranks."),
    Stat(
        "frontier/rerank/failed", "re-ranks", RUN, "Re-ranks that ended with an error; see the log."
    ),
    Stat(
        "frontier/rerank/late",
        "re-ranks",
        RUN,
        "Re-ranks not finished half an interval after their start. The crawl order is reproducible "
        "while this is 0.",
    ),
    Stat(
        "frontier/rerank/seconds",
        "seconds",
        RUN,
        "Time of all re-ranks, in a thread beside the crawl.",
    ),
    Stat("frontier/rerank/iterations", "iterations", RUN, "Iterations of the last re-rank."),
    Stat(
        "frontier/rerank/pushed",
        "links",
        RUN,
        "Links that the last re-rank pushed residual over; 0: it swept over the whole graph.",
    ),
    Stat(
        "frontier/rerank/residual",
        "L1 change of the scores",
        RUN,
        "Residual at the end of the last re-rank.",
    ),
    Stat(
        "frontier/rerank/epoch", "re-ranks", CRAWL, "Number of the re-rank whose scores are in use."
    ),
    Stat(
        "frontier/seeds/skipped",
        "seeds",
        RUN,
        "Lines of the seed list that are not valid URLs; set by the spider `focused`.",
    ),
    Stat(
        "frontier/items/late",
        "pages",
        RUN,
        "Pages counted as fetched whose items were still in the pipelines after "
        "FRONTIER_ITEMS_SECONDS.",
    ),
    Stat(
        "frontier/deaths/set_aside",
        "URLs",
        CRAWL,
        "URLs in flight when the process died FRONTIER_DEATHS times: fetched last and alone. "
        "Absent without one.",
    ),
    Stat(
        "frontier/deaths/given_up",
        "URLs",
        RUN,
        "URLs ended as errors because the process died, as often again, with them alone in flight.",
    ),
    Stat(
        "frontier/examples/used", "examples", RUN, "Example pages that the topic was learned from."
    ),
    Stat(
        "frontier/examples/failed",
        "examples",
        RUN,
        "Example pages that could not be read; the log says why.",
    ),
    Stat(
        "frontier/unserializable",
        "requests",
        RUN,
        "Requests that cannot be serialized (a lambda as callback, say): lost if the process dies.",
    ),
    Stat("frontier/warc/records", "records", RUN, "Written to WARC_FILE: requests and responses."),
    Stat("frontier/warc/bytes", "bytes", RUN, "Written to WARC_FILE."),
    Stat("frontier/warc/failed", "responses", RUN, "Could not be written to WARC_FILE."),
)

_STATES = {
    "frontier/pages": State.CRAWLED,
    "frontier/queued": State.QUEUED,
    "frontier/leased": State.LEASED,
    "frontier/errors": State.ERROR,
    "frontier/robots": State.ROBOTS,
    "frontier/filtered": State.FILTERED,
    "frontier/redirects": State.REDIRECTED,
    "frontier/traps": State.TRAP,
}


def refused_stat(reason: str) -> str:
    """Name of the stat that counts the links refused for a reason."""
    return f"frontier/refused/{'_'.join(reason.replace('/', ' ').split())}"


def stat_values(figures: CrawlFigures) -> dict[str, float]:
    """The stats that follow from the figures of a crawl; about 5 us."""
    values: dict[str, float] = {name: figures.count(state) for name, state in _STATES.items()}
    values |= {f"frontier/rerank/{name}": value for name, value in figures.reranks().items()}
    values |= {
        "frontier/rerank/epoch": figures.epoch,
        "frontier/known": figures.known,
        "frontier/links": figures.links,
        "frontier/handed_out": figures.handed_out,
        "frontier/passed_over": figures.passed_over,
        "frontier/retries": figures.retries,
        "frontier/duplicates/exact": figures.duplicates.exact,
        "frontier/duplicates/near": figures.duplicates.near,
    }
    values |= {refused_stat(reason): links for reason, links in figures.refused().items()}
    if figures.harvest_rate is not None:
        values |= {
            "frontier/relevant": figures.relevant,
            "frontier/harvest_rate": figures.harvest_rate,
        }
    if figures.distrust.enabled:
        values["frontier/distrust/bad"] = figures.distrust.bad
        values["frontier/distrust/suspect"] = figures.distrust.suspects
    if figures.deaths.set_aside:
        values["frontier/deaths/set_aside"] = figures.deaths.set_aside
    if figures.deaths.given_up:
        values["frontier/deaths/given_up"] = len(figures.deaths.given_up)
    if figures.coverage is not None:
        values["frontier/coverage"] = figures.coverage
    left = figures.remaining
    if left is not None:
        values |= {f"frontier/remaining/{name}": value for name, value in left._asdict().items()}
    return values


class FrontierStats:
    """Scrapy extension: brings the stats up to date with each response and at the end."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._stats: Any = crawler.stats

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = cls(crawler)
        crawler.signals.connect(extension.update, signals.response_received)
        crawler.signals.connect(extension.update, signals.spider_closed)
        return extension

    def update(self) -> None:
        """Write all figures to the stats collector."""
        session = session_of(self._crawler)
        for name, value in stat_values(session.figures).items():
            self._stats.set_value(name, value)
        for name, value in session.manners.figures().items():
            self._stats.set_value(f"frontier/politeness/{name}", value)
