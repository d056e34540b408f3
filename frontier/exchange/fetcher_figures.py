"""The figures of one fetcher of a shared crawl, for its stats and its line of progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.estimates import Harvest
from frontier.states import State

if TYPE_CHECKING:
    from frontier.config import CrawlConfig
    from frontier.exchange.remote import RemoteBackend
    from frontier.records import Page


class RemoteFigures:
    """The figures of one fetcher; `pages` and `harvest` count its own pages."""

    def __init__(self, backend: RemoteBackend, config: CrawlConfig) -> None:
        self.leases = self.retries = self.pages = 0
        self.harvest = Harvest(relevant_from=config.relevant)
        self.enough = None
        """The coordinator decides that."""
        self.late = 0
        """Answers that came too late: their URLs were another fetcher's by then."""
        self._backend = backend

    def page(self, page: Page) -> None:
        """Count a page that went through the spider."""
        if page.state is State.CRAWLED:
            self.pages += 1
            if page.relevance is not None:
                self.harvest.add(page.relevance)

    def stats(self) -> dict[str, float]:
        """Return the figures by the names of Scrapy's stats."""
        values: dict[str, float] = {
            "frontier/pages": self.pages,
            "frontier/leases": self.leases,
            "frontier/retries": self.retries,
            "frontier/late": self.late,
        }
        crawl = self._backend.crawl_state
        values |= {f"frontier/{name}": crawl[name] for name in ("known", "queued") if name in crawl}
        refused = self._backend.refusals.counts.items()
        values |= {f"frontier/refused/{reason}": links for reason, links in refused}
        if self.harvest.pages:
            values["frontier/relevant"] = self.harvest.relevant
            values["frontier/recent_share"] = self.harvest.recent_share() or 0.0
        return values

    # -- for the line of progress --------------------------------------------------------------

    reranking = False

    @property
    def pages_of_run(self) -> int:
        """Pages, all of them of this run."""
        return self.pages

    @property
    def epoch(self) -> int:
        """Re-ranks whose scores were taken over."""
        return int(self._backend.crawl_state.get("epoch", 0))

    def count(self, state: State) -> int:
        """URLs in a state, as last published."""
        return int(self._backend.crawl_state.get("queued", 0)) if state is State.QUEUED else 0
