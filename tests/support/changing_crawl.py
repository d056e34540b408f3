"""A crawl of a made-up web that changes, round by round, and what it should find."""

from __future__ import annotations

from pathlib import Path

from frontier import records
from frontier.inspection import CrawlView
from frontier.parsing.html import parsed, read_page
from frontier.records import Lease, VisibleText
from frontier.refresh.blocks import blocks_of
from frontier.refresh.policy import RefreshPolicy
from frontier.states import State
from tests.support.changing_web import ChangingWeb
from tests.support.driven_crawl import DrivenCrawl

START = 1_800_000_000.0
ROUND = 7200.0
HOST = "http://w.example"
SWEEP = RefreshPolicy("sweep", least=3600.0, most=30 * 86400.0)


def kept_blocks(html: str) -> bytes:
    """What is kept of a page for its next revisit."""
    page = read_page(parsed(html), f"{HOST}/", blocks=True)
    texts, links = [page.title, *page.blocks], [link.url for link in page.links]
    return blocks_of(texts, links, page.places, page.link_places) if html else b""


class ChangingCrawl(DrivenCrawl):
    """Revisits every page of a web once a round; `truth` is at which revisits which had changed."""

    def __init__(self, directory: Path, changing: ChangingWeb, now: float = START) -> None:
        super().__init__(directory, {}, strategy="bfs", refresh=SWEEP)
        self.changing = changing
        self.now = now
        self.truth: dict[tuple[int, float], str] = {}
        self._unseen: dict[int, str] = {}
        assert self.backend.refresher is not None
        self.findings = self.backend.refresher.findings
        self.findings.clock = lambda: self.now

    def begin(self) -> None:
        """Fetch every page for the first time."""
        self.seed(*(f"{HOST}/page/{number}" for number in range(len(self.changing))))
        self.run()

    def revisit(self, notice: str | None = None) -> None:
        """Let time go by and look at every page, or at a notice in its place."""
        self.now += ROUND
        self._unseen.update(self.changing.pass_time())
        self.changing.notice = notice
        self.run(len(self.changing))

    def answer(self, lease: Lease) -> None:
        number = int(lease.url.rpartition("/")[2])
        html = self.changing.page(number)
        if self.changing.notice is None and number in self._unseen and lease.revisit:
            self.truth[number, self.now] = self._unseen.pop(number)
        page = read_page(parsed(html), lease.url)
        read = records.Page(
            state=State.CRAWLED,
            fetched=self.now,
            status=200,
            final_url=lease.url,
            title=page.title,
            text=VisibleText(page.text),
            blocks=kept_blocks(html),
        )
        found = (link.url.partition("?")[0] for link in page.links)
        self.report(
            lease, read, [self._record(one, 1) for one in found if one.startswith(f"{HOST}/page")]
        )

    def found(self, directory: Path) -> set[tuple[int, float]]:
        """The revisits that the report of changes says found one, after the crawl was closed."""
        with CrawlView.open(directory) as view:
            report = view.changes()
        at = {f"{number}": number for number in range(len(self.changing))}
        times = {moment(n): n for n in range(1, 200)}
        return {
            (at[one.url.rpartition("/")[2]], START + ROUND * times[one.seen or ""])
            for one in report.changes
            if one.change == "changed"
        }


def moment(round_number: int) -> str:
    """When a round takes place, as reports write it."""
    from frontier.inspection.reports import iso_time

    return iso_time(START + ROUND * round_number) or ""


def quality(found: set[tuple[int, float]], truth: set[tuple[int, float]]) -> tuple[float, float]:
    """Precision and recall."""
    right = len(found & truth)
    return right / max(len(found), 1), right / max(len(truth), 1)
