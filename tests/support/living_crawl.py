"""A driven crawl that refreshes, on a clock that is set by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from frontier import records
from frontier.records import Lease
from frontier.refresh.blocks import blocks_of
from frontier.refresh.policy import RefreshPolicy
from frontier.states import Change, State
from frontier.texts import StoredText
from frontier.verdict import Verdict
from tests.support.driven_crawl import DrivenCrawl, Page

A, B, C, D = (f"http://{name}.example/" for name in "abcd")
DAY = 86400.0
START = 1_800_000_000.0
AUTO = RefreshPolicy("auto", least=3600.0, most=30 * DAY)


class Living(DrivenCrawl):
    """A driven crawl whose clock is set by hand and whose pages have texts."""

    opened: ClassVar[list[Living]] = []

    def __init__(self, directory: Path | None, web: dict[str, Page], **config: Any) -> None:
        config = {"strategy": "bfs", "refresh": AUTO, **config}
        super().__init__(directory, web, **config)
        self.opened.append(self)
        self.now = START
        self.asked: list[Lease] = []
        self.etags: dict[str, bytes] = {}
        self.unmodified: set[str] = set()
        self.verdicts: dict[str, Verdict] = {}
        refresher = self.backend.refresher
        if refresher is not None:
            refresher.findings.clock = lambda: self.now  # instead of waiting for days

    def texts(self, **texts: str) -> None:
        for name, text in texts.items():
            self.web[f"http://{name}.example/"].text = text

    def answer(self, lease: Lease) -> None:
        self.asked.append(lease)
        page = self.web.get(lease.url)
        is_asked = lease.revisit and lease.url in self.unmodified and lease.etag
        if page is not None and page.status == 200 and is_asked:
            self.fetched.append(lease.url)
            self.report(lease, records.Page(state=State.CRAWLED, fetched=self.now, status=304), [])
        else:
            super().answer(lease)

    def taken(self, lease: Lease, page: records.Page, verdict: Verdict) -> None:
        self.verdicts[lease.url] = verdict

    def more_of(self, lease: Lease) -> dict[str, Any]:
        page = self.web.get(lease.url)
        if page is None or page.status != 200:
            return {}
        blocks = blocks_of((page.text or "").split("|"))
        kept = StoredText(page.title or "", page.text or "").packed()
        return {"blocks": blocks, "etag": self.etags.get(lease.url), "kept": kept}

    def later(self, seconds: float, steps: int = 20) -> list[str]:
        """Let time go by, then fetch; return what was fetched."""
        self.now += seconds
        before = len(self.fetched)
        self.run(steps)
        return self.fetched[before:]

    def found(self, url: str) -> Change:
        return Change(self.revisit(url).result)

    def revisit(self, url: str) -> Any:
        revisit = self.backend.store.revisit(self.id(url))
        assert revisit is not None
        return revisit

    def id(self, url: str) -> int:
        return self.backend.ledger.find([self._record(url, 0).fingerprint])[0]

    def state(self, url: str) -> State:
        return self.backend.ledger.state_of(self.id(url))

    def links(self, url: str) -> list[int]:
        return self.backend.driver.graph.links(self.id(url))[0].tolist()
