from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from frontier.lab.replay.contestants import Retries
from frontier.lab.replay.crawl import ReplayedCrawl
from frontier.lab.replay.records import Leased, ReplayFrontier
from frontier.lab.replay.webfile import RecordedAnswer, WebFile
from tests.frontier.lab import replay_webs as webs


class Scripted(ReplayFrontier):
    """A frontier that leases what a test says, retries at once, and keeps what it is told."""

    def __init__(self, web: WebFile, *order: str) -> None:
        self._left = [web.number(webs.url(one)) for one in order]
        self.told: list[tuple[str, int]] = []

    def seed(self, numbers: Sequence[int]) -> None:
        raise AssertionError("a crawl under way is not seeded")

    def next(self) -> Leased | None:
        return Leased(self._left.pop(0), None) if self._left else None

    def page(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:
        self.told.append(("page", leased.number))

    def redirect(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:
        self.told.append(("redirect", answer.location))

    def fail(self, leased: Leased, answer: RecordedAnswer, at: float) -> None:
        self.told.append(("fail", leased.number))

    def refuse(self, leased: Leased, at: float) -> None:
        self.told.append(("refuse", leased.number))

    def retry(self, leased: Leased) -> None:
        self.told.append(("retry", leased.number))
        self._left.insert(0, leased.number)

    def close(self) -> None:
        self.told.append(("close", -1))


PAGES = {
    "": webs.page("x", "away", "old", "busy", "dead"),
    "x": webs.page(),
    "old": webs.sent_on("x"),
    "busy": webs.failed(503),
    "dead": webs.failed(404),
}


def crawled(
    folder: Path,
    *order: str,
    targets: Sequence[str] = (),
    budget: int = 99,
    retries: int = 2,
    allowed: Callable[[str], bool] = lambda _: True,
) -> tuple[ReplayedCrawl, Scripted]:
    web = webs.made(folder, PAGES)
    frontier = Scripted(web, *order)
    numbers = [web.number(webs.url(one)) for one in targets]
    crawl = ReplayedCrawl(web, frontier, numbers, Retries(retries), allowed)
    crawl.run(budget)
    return crawl, frontier


def test_every_kind_of_answer_has_its_letter(tmp_path: Path) -> None:
    crawl, frontier = crawled(tmp_path, "", "x", "old", "dead", "away", targets=["x"])

    assert "".join(crawl.outcomes) == "phrfn"
    assert [what for what, _ in frontier.told] == ["page", "page", "redirect", "fail", "fail"]
    assert frontier.told[2] == ("redirect", 1)
    assert crawl.urls == [0, 1, 2, 4, 5]


@pytest.mark.parametrize(("retries", "letters"), [(0, "fp"), (1, "tfp"), (2, "ttfp")])
def test_a_failure_that_may_pass_is_asked_again_and_every_request_counts(
    tmp_path: Path, retries: int, letters: str
) -> None:
    crawl, _ = crawled(tmp_path, "busy", "x", retries=retries)

    assert "".join(crawl.outcomes) == letters


def test_a_target_counts_once_however_often_it_is_fetched(tmp_path: Path) -> None:
    crawl, _ = crawled(tmp_path, "x", "x", "old", targets=["x"])

    assert "".join(crawl.outcomes) == "hpr"


def test_what_robots_txt_refuses_costs_no_request(tmp_path: Path) -> None:
    crawl, frontier = crawled(tmp_path, "x", "dead", "", allowed=lambda url: "x" not in url[17:])

    assert "".join(crawl.outcomes) == "fp"
    assert frontier.told[0] == ("refuse", 1)
