"""The frontier's figures among Scrapy's stats; docs/stats.md says what each of them means."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from frontier.plugin.extensions.extension import Extension
from frontier.states import State

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

    from frontier.backend.figures import CrawlFigures


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


class FrontierStats(Extension):
    """Scrapy extension: brings the stats up to date with each response and at the end."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._told: dict[str, float] = {}

    def response_received(self) -> None:
        """Write the figures that have changed to the stats collector: a third of them."""
        session = self.session
        values = stat_values(session.figures)
        for name, count in session.politeness.figures().items():
            values[f"frontier/politeness/{name}"] = count
        told, self._told = self._told, values
        stats: Any = self._crawler.stats
        tell = stats.set_value
        for name, value in values.items():
            if told.get(name) != value:
                tell(name, value)

    def spider_closed(self) -> None:
        """Write all figures, whatever became of those that were written before."""
        self._told = {}
        self.response_received()
