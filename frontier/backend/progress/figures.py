"""How a running crawl does, in numbers that cost nothing to ask for.

Most of them are read from ledger, graph and re-ranker. Only leases and retries of this run, and the
number of relevant pages, are counted here.
"""

from __future__ import annotations

import json
from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

from frontier.backend.progress.outlook import Forecast
from frontier.estimates import Harvest
from frontier.states import Mark, State

if TYPE_CHECKING:
    from frontier.backend.backend import LinkRankBackend
    from frontier.backend.rules.crash_suspects import CrashSuspects
    from frontier.config import CrawlConfig
    from frontier.enough import Reached
    from frontier.estimates import HarvestRate, Outlook
    from frontier.records import Page
    from frontier.verdict import Verdict


class Copies(NamedTuple):
    """Pages that are not counted for themselves: `merged` with the address that they name."""

    exact: int
    near: int
    merged: int


class CrawlFigures:
    """The figures of one crawl; those of earlier runs of the same crawl are included.

    `leases`, `retries` and `pages_of_run` count this run alone.
    """

    def __init__(self, backend: LinkRankBackend, config: CrawlConfig) -> None:
        self.leases = 0
        self.retries = 0
        before = backend.relevance_so_far if config.focused else ()
        self.harvest = Harvest(before, config.relevant)
        """Pages whose relevance is known, and how many of them are relevant."""
        self.harvest_rate: HarvestRate | None = None
        """By the labels that were taken in; None: too few pages are labelled, or none."""
        self.enough: Reached | None = None
        """Why the crawl has found enough, once it has."""
        self._backend = backend
        self._enough = config.enough
        self._relevant_from = config.relevant
        self._pages_before = self.pages
        self._added = 0
        self.rendered: Counter[str] = Counter()
        """Pages of this run that a browser showed, their seconds, and links and words more than
        their documents have."""
        self.forecast = Forecast(backend, config)

    def page(self, url_id: int, page: Page, verdict: Verdict) -> None:
        """Count a page that went through the spider, once."""
        if verdict.refetched or verdict.state_of(page) is not State.CRAWLED:
            return
        self._added += 1
        if Mark.RENDERED in page.marks and page.rendering is not None:
            note = json.loads(page.rendering)
            amounts = {name: note[name] for name in ("links", "words", "seconds")}
            self.rendered.update({"pages": 1, **amounts})
        relevance = verdict.relevance_of(page)
        if relevance is not None:
            self.harvest.add(relevance)
            self.forecast.page(url_id, relevant=relevance >= self._relevant_from)
            if self._enough.is_set and self.enough is None:
                new = self.forecast.pages
                self.enough = self._enough.reached(self.harvest, new, lambda: self.outlook)

    @property
    def pages(self) -> int:
        """URLs fetched, without those that are merged with the address that they name as canonical.

        A page counts while it is revisited, too.
        """
        return self.count(State.CRAWLED) + self._under_way

    @property
    def _under_way(self) -> int:
        refresher = self._backend.refresher
        return 0 if refresher is None else len(refresher.findings.under_way)

    @property
    def pages_of_run(self) -> int:
        """Those of them that this run has added."""
        if self._backend.refresher is not None:
            # Pages that wait for a revisit, are gone or moved are in other states.
            return self._added
        return max(self.pages - self._pages_before, 0)

    @property
    def outlook(self) -> Outlook:
        """Relevant pages left to fetch, estimated, or why that is not known."""
        counts = self._backend.ledger.counts
        queued = counts[State.QUEUED] + counts[State.LEASED] - self._under_way
        falling = self._backend.driver.order.uses_topic
        return self.forecast.outlook(self.harvest, queued, self.known, falling=falling)

    @property
    def suspects(self) -> CrashSuspects:
        """URLs that may have killed the process."""
        return self._backend.suspects

    @property
    def copies(self) -> Copies:
        """Pages that repeat others, or are merged with them."""
        duplicates = self._backend.duplicates
        return Copies(duplicates.exact, duplicates.near, self._backend.canonical_pages.merged)

    @property
    def revisits(self) -> dict[str, int]:
        """Revisits of this run at known pages, and what they found, by stat."""
        refresher = self._backend.refresher
        return {} if refresher is None else dict(refresher.findings.counts)

    @property
    def texts(self) -> dict[str, int]:
        """Texts that this run kept and dropped, and the bytes that all of them take, by stat."""
        texts = self._backend.texts
        if texts is None:
            return {}
        return {"kept": texts.kept, "dropped": texts.dropped, "bytes": texts.bytes}

    @property
    def known(self) -> int:
        """URLs ever met."""
        return len(self._backend.ledger)

    @property
    def links(self) -> int:
        """Distinct links on record."""
        return self._backend.driver.graph.n_links

    @property
    def passed_over(self) -> int:
        """Leases of this run at which a better URL had to wait for its host."""
        return self._backend.queue.passed_over

    @property
    def epoch(self) -> int:
        """Re-ranks whose scores were taken over."""
        return self._backend.driver.epoch

    @property
    def reranking(self) -> bool:
        """Whether a re-rank is under way or waits to be taken over."""
        return self._backend.driver.reranker.running

    def count(self, state: State) -> int:
        """URLs in a state."""
        return self._backend.ledger.counts[state]

    def refused(self) -> dict[str, int]:
        """Links that this run refused, by reason."""
        return dict(self._backend.refusals.counts)

    def reranks(self) -> dict[str, float]:
        """What the re-ranks of this run came to, by the names of `RerankFigures`."""
        return dict(vars(self._backend.driver.reranker.figures))
