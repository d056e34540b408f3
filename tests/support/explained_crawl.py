"""Crawls to be explained: their hand-outs and answers go by one clock."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from unittest.mock import patch

from frontier.backend import ledger
from frontier.inspection import CrawlView
from frontier.inspection.explain import Explanation
from frontier.records import HandedOut
from tests.support.driven_crawl import WEB, A, B, C, DrivenCrawl, Page


class Clocked(DrivenCrawl):
    """A crawl whose hand-outs are timed by the clock of its answers."""

    def hand_out(self) -> HandedOut | None:
        with patch.object(ledger.time, "time", lambda: self._now):
            return super().hand_out()


def crawl_of(
    directory: Path | None, steps: int = 6, web: dict[str, Page] | None = None, **config: Any
) -> Clocked:
    config = {"strategy": "bfs", "topic": "pages", **config}
    crawl = Clocked(directory, WEB if web is None else web, **config)
    crawl.seed(A)
    crawl.run(steps)
    return crawl


def explained(directory: Path, url: str, shown: int = 5) -> Explanation:
    with CrawlView.open(directory) as view:
        return view.explain(url, shown)


SPOKEN = {
    A: Page(
        {B: 0.5, C: 0.25},
        0.75,
        "Page A",
        similarity=0.4,
        cues={B: (255, 0, 51), C: (51, 204, 0)},
    ),
    B: Page({C: 1.0}, 0.25, cues={C: (0, 0, 102)}),
    C: Page(),
}
