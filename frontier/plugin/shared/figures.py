"""How a fetcher does: what it counts itself, and of the crawl what the owner of the order tells."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.estimates.remaining import Harvest
from frontier.states import State

if TYPE_CHECKING:
    from frontier.config import CrawlConfig
    from frontier.plugin.shared.backend import RemoteBackend
    from frontier.records import PageRecord


class RemoteFigures:
    """The figures of one fetcher; `pages` and `harvest` are of its own."""

    def __init__(self, backend: RemoteBackend, config: CrawlConfig) -> None:
        self.handed_out = self.retries = self.pages = 0
        self.harvest = Harvest()
        self.late = 0
        """Answers that came too late: the URL was another fetcher's by then."""
        self._backend = backend
        self._relevant_from = config.relevant

    def page(self, page: PageRecord) -> None:
        """Count a page that went through the spider."""
        if page.state is State.CRAWLED:
            self.pages += 1
            if page.relevance is not None:
                self.harvest.add(page.relevance >= self._relevant_from)

    def stats(self) -> dict[str, float]:
        """What is told as Scrapy's stats."""
        values: dict[str, float] = {
            "frontier/pages": self.pages,
            "frontier/handed_out": self.handed_out,
            "frontier/retries": self.retries,
            "frontier/late": self.late,
        }
        told = self._backend.told
        for name in ("known", "queued"):
            if name in told:
                values[f"frontier/{name}"] = told[name]
        values |= {f"frontier/refused/{one}": n for one, n in self._backend.refusals.counts.items()}
        if self.harvest.pages:
            values["frontier/relevant"] = self.harvest.relevant
        return values

    # -- what a line of progress shows ---------------------------------------------------------

    reranking = False

    @property
    def epoch(self) -> int:
        """Re-ranks whose scores were taken over."""
        return int(self._backend.told.get("epoch", 0))

    def count(self, state: State) -> int:
        """URLs in a state, as was told last."""
        return int(self._backend.told.get("queued", 0)) if state is State.QUEUED else 0
