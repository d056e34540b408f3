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
    Stat("frontier/pages", "URLs", CRAWL, "Fetched: they answered with a page."),
    Stat(
        "frontier/relevant",
        "pages",
        CRAWL,
        "Fetched pages whose relevance reaches FRONTIER_RELEVANT. Only in a crawl with a topic.",
    ),
    Stat(
        "frontier/harvest_rate",
        "share, 0 to 1",
        CRAWL,
        "frontier/relevant by the number of fetched pages whose relevance was judged.",
    ),
    Stat(
        "frontier/remaining/estimate",
        "pages",
        CRAWL,
        "Relevant pages still to be found, estimated from how the harvest falls off, see "
        "coverage.md. Only in a crawl with a topic, from 20 judged pages on.",
    ),
    Stat(
        "frontier/remaining/low",
        "pages",
        CRAWL,
        "Lower end of an interval that is meant to hold in four crawls of five.",
    ),
    Stat("frontier/remaining/high", "pages", CRAWL, "Its upper end."),
    Stat(
        "frontier/distrust/bad",
        "URLs",
        CRAWL,
        "Known ones that FRONTIER_DISTRUST marks bad: they are not fetched. Absent without a file.",
    ),
    Stat(
        "frontier/distrust/suspect",
        "pages",
        CRAWL,
        "Fetched pages that led to bad or suspect ones: they vouch for nobody.",
    ),
    Stat("frontier/known", "URLs", CRAWL, "Ever met, in whatever state they are now."),
    Stat("frontier/queued", "URLs", CRAWL, "Waiting to be fetched."),
    Stat(
        "frontier/leased",
        "URLs",
        CRAWL,
        "Handed out and not answered yet. After a stop: fetched again when the crawl goes on.",
    ),
    Stat("frontier/errors", "URLs", CRAWL, "Failed for good: HTTP errors, timeouts, resets."),
    Stat(
        "frontier/robots",
        "URLs",
        CRAWL,
        "Not fetched because robots.txt forbids it, or was answered with an error.",
    ),
    Stat(
        "frontier/sitemaps/files",
        "files",
        RUN,
        "Sitemaps asked for, where FRONTIER_SITEMAPS is on.",
    ),
    Stat("frontier/sitemaps/urls", "URLs", RUN, "Listed by them, known or not."),
    Stat(
        "frontier/filtered",
        "URLs",
        CRAWL,
        "Not fetched because a middleware or signal handler of the project dropped the request.",
    ),
    Stat(
        "frontier/redirects",
        "URLs",
        CRAWL,
        "Led to another URL: by a redirect, or as what they name as canonical.",
    ),
    Stat(
        "frontier/traps",
        "URLs",
        CRAWL,
        "Given up when nothing else was left: what is like them says nothing new, see traps.md.",
    ),
    Stat(
        "frontier/refused/<reason>",
        "links",
        RUN,
        "Never became URLs of the crawl, for this reason; `scrapy frontier stats` lists examples.",
    ),
    Stat(
        "frontier/page_rules/noindex",
        "pages",
        RUN,
        "Fetched pages that ask not to be shown; they are not exported.",
    ),
    Stat(
        "frontier/page_rules/nofollow",
        "pages",
        RUN,
        "Fetched pages that ask not to follow their links; none is.",
    ),
    Stat(
        "frontier/page_rules/links_left",
        "links",
        RUN,
        "Not followed because their page asks for it, or with FRONTIER_NOFOLLOW=skip the link.",
    ),
    Stat(
        "frontier/duplicates/exact",
        "pages",
        CRAWL,
        "Fetched pages with the body or the whole text of another one, see duplicates.md.",
    ),
    Stat(
        "frontier/duplicates/near",
        "pages",
        CRAWL,
        "Fetched pages with nearly the text of another one (FRONTIER_DUPLICATE_SIMILARITY).",
    ),
    Stat(
        "frontier/links",
        "links",
        CRAWL,
        "In the link graph: distinct links from fetched pages to other URLs.",
    ),
    Stat(
        "frontier/coverage",
        "share of a surfer's time, 0 to 1",
        CRAWL,
        "At least so much of the time of a random surfer who jumps to the seeds is spent on "
        "fetched pages, whatever the rest of the web links to, see coverage.md. Not in a crawl "
        "without seeds.",
    ),
    Stat(
        "frontier/handed_out",
        "requests",
        RUN,
        "Given to the downloader; retries and redirect targets count again.",
    ),
    Stat(
        "frontier/passed_over",
        "requests",
        RUN,
        "Of those handed out, how many left while a better URL waited for its host: what "
        "politeness cost the order. FRONTIER_PATIENCE lowers it.",
    ),
    Stat(
        "frontier/retries",
        "requests",
        RUN,
        "Taken back to be tried again after a failure, each held back by FRONTIER_RETRY_HOLD.",
    ),
    Stat(
        "frontier/politeness/refused",
        "answers",
        RUN,
        "429 and 503: a host was asked too much. Each slows its host down, see politeness.md.",
    ),
    Stat(
        "frontier/politeness/unanswered",
        "requests",
        RUN,
        "Timeouts, failed connections and names that lead nowhere, robots.txt included.",
    ),
    Stat(
        "frontier/politeness/postponed",
        "requests",
        RUN,
        "Went back into the queue because their host was to be left alone for longer.",
    ),
    Stat(
        "frontier/politeness/slowed",
        "hosts",
        RUN,
        "Have a pause between two requests now because of refusals, failures or rising latency.",
    ),
    Stat(
        "frontier/politeness/dead",
        "hosts",
        RUN,
        "Given up because they did not answer; what is queued of them ends as an error.",
    ),
    Stat("frontier/rerank/done", "re-ranks", RUN, "Finished, and their scores taken over."),
    Stat("frontier/rerank/failed", "re-ranks", RUN, "Ended with an error; see the log."),
    Stat(
        "frontier/rerank/late",
        "re-ranks",
        RUN,
        "Not ready half an interval after they began. A crawl repeats exactly while this is 0.",
    ),
    Stat("frontier/rerank/seconds", "seconds", RUN, "All re-ranks together, beside the crawl."),
    Stat("frontier/rerank/iterations", "iterations", RUN, "Of the last re-rank."),
    Stat(
        "frontier/rerank/pushed",
        "links",
        RUN,
        "Passed by the last re-rank to work off what had changed; 0: it swept over the graph.",
    ),
    Stat(
        "frontier/rerank/residual",
        "L1 change of the scores",
        RUN,
        "What one more iteration would have changed at the end of the last re-rank.",
    ),
    Stat("frontier/rerank/epoch", "re-ranks", CRAWL, "Number of the scores that are in use."),
    Stat(
        "frontier/seeds/skipped",
        "seeds",
        RUN,
        "Lines of the seeds that are no URL that can be crawled; set by the spider `focused`.",
    ),
    Stat(
        "frontier/items/late",
        "pages",
        RUN,
        "Counted as fetched though their items were in the pipelines for FRONTIER_ITEMS_SECONDS.",
    ),
    Stat(
        "frontier/deaths/set_aside",
        "URLs",
        CRAWL,
        "In flight when the process died FRONTIER_DEATHS times: fetched last and alone. Absent "
        "without one.",
    ),
    Stat(
        "frontier/deaths/given_up",
        "URLs",
        RUN,
        "Ended as an error because the process died of them, alone, as often again.",
    ),
    Stat("frontier/examples/used", "examples", RUN, "Fetched or read, and learned from."),
    Stat("frontier/examples/failed", "examples", RUN, "Not readable; the log says why."),
    Stat(
        "frontier/unserializable",
        "requests",
        RUN,
        "Could not be stored (a lambda as callback, say): lost if the process dies.",
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
