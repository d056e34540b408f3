"""What a crawl says at its end."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from scrapy.settings import Settings

from frontier.backend.progress.figures import Copies, CrawlFigures
from frontier.estimates import Remaining
from frontier.inspection.outcome import CrawlOutcome, outcome_of
from frontier.inspection.reports import EndCount, HarvestRateReport, Refused
from frontier.plugin.extensions.summary import LINES, summary_lines, this_scrapy
from tests.support.driven_crawl import WEB, A, B, C, DrivenCrawl, small_crawl
from tests.support.scrapy_runs import run_focused, run_spider
from tests.support.sites import links, serving
from tests.support.told import tells

SPIDER = """
import scrapy
from frontier.plugin import Links, page_of

class Wanderer(scrapy.Spider):
    name = "wanderer"

    async def start(self):
        yield scrapy.Request({url!r})

    def parse(self, response):
        page = page_of(response, self.crawler)
        yield {{"url": response.url}}
        yield Links(page.content.links)
"""
SITE = {
    "/": links("/a", "/b", title="Home"),
    "/a": links("/b", title="A page", text="pines and firs and pines"),
    "/b": links("/", "/gone", title="B page", text="pines"),
}


@pytest.fixture
def outcome(tmp_path: Path) -> CrawlOutcome:
    crawl = small_crawl(tmp_path / "job")
    found = outcome_of(crawl.backend, CrawlFigures(crawl.backend, crawl.config))
    crawl.close()
    return replace(found, added=found.stats.pages)


def lines(outcome: CrawlOutcome, reason: str = "finished", **settings: object) -> list[str]:
    return summary_lines(outcome, reason, 90.0, Settings(settings), "wanderer")


def test_the_outcome_is_read_before_the_store_closes(outcome: CrawlOutcome) -> None:
    assert (outcome.by, [row.url for row in outcome.best]) == ("relevance", [A, C, B])
    assert outcome.stats.last_page == "2026-11-03T10:00:05Z"


def test_the_whole_summary(outcome: CrawlOutcome) -> None:
    told = lines(
        outcome, FEEDS={"%(name)s.jsonl": {"format": "jsonl"}}, JOBDIR="a job", WARC_FILE="w.warc"
    )
    for facts in (
        ("pages fetched", 3, "1 min 30 s", "0.0"),
        ("answers", 6, "3 pages", "1 redirect", "1 error", "1 forbidden by robots.txt"),
        ("not fetched", "1 HTTP 404", "1 forbidden by robots.txt"),
        ("queued", "2 of 8"),
        ("judged relevant", 2, 3, 0.5),
        ("harvest rate", "not known", 10, "frontier label 'a job' --at-random"),
        (0.75, A, "Page A"),
        (0.5, C, "Page C"),
        (0.25, B, "Page B"),
        ("wanderer.jsonl", "w.warc"),
    ):
        assert tells(told, *facts), facts
    assert told[-2:] == [
        f"  {this_scrapy()} frontier top 'a job' --by relevance",
        f"  {this_scrapy()} frontier stats 'a job'",
    ]
    assert not [line for line in told if "hub" in line or "authorit" in line or "re-rank" in line]


@pytest.mark.parametrize("recorded", [True, False])
def test_it_has_twenty_lines_at_most_whatever_there_is_to_tell(
    outcome: CrawlOutcome, *, recorded: bool
) -> None:
    stats = replace(
        outcome.stats,
        states=dict.fromkeys(outcome.stats.states, 7),
        errors=tuple(EndCount(9, f"HTTP {n}") for n in range(500, 510)),
        refused=(Refused(12, 2, "too far", "http://a.example/"),),
        traps=(EndCount(7, "trap: deep"),) * 9,
    )
    much = replace(outcome, stats=stats, copies=Copies(1, 2, 3), left=Remaining(1.0, 1, 2))
    much = replace(much, added=1, best=outcome.best * 3)
    files = {"a.jsonl": {}, "b.csv": {}}
    more = {"WARC_FILE": "w.warc"} if recorded else {}
    told = lines(much, "shutdown", JOBDIR="job", FEEDS=files, **more)
    assert len(told) == LINES == 20
    assert sum(line.startswith("  0.") for line in told) == 2
    assert not [line for line in told if line.strip() == ""][3:]


def test_without_a_topic_the_best_by_score_are_named(tmp_path: Path) -> None:
    web = {url: replace(page, relevance=None) for url, page in WEB.items()}
    crawl = DrivenCrawl(tmp_path, web, strategy="pagerank", rerank_min_pages=1)
    crawl.seed(A)
    crawl.run()
    found = outcome_of(crawl.backend, CrawlFigures(crawl.backend, crawl.config))
    crawl.close()
    told = lines(found, JOBDIR="job")
    assert found.by == "score"
    assert tells(told, A, "Page A")
    assert told[-2].endswith("top job --state crawled --by score")
    assert not tells(lines(replace(found, best=[]), JOBDIR="job"), "top")


def test_answers_and_what_waits_add_up_to_what_is_known(outcome: CrawlOutcome) -> None:
    states = {name: n for n, name in enumerate(outcome.stats.states, start=3)}
    stats = replace(
        outcome.stats, states=states, pages=states["crawled"], known=sum(states.values())
    )
    told = lines(replace(outcome, stats=stats, copies=Copies(0, 1, 2)))
    (answers,) = (line for line in told if line.strip().startswith("answers"))
    total, *kinds = map(int, re.findall(r"\d+", answers))
    assert total == sum(kinds)
    (queued,) = (line for line in told if line.strip().startswith("queued"))
    waiting, known = map(int, re.findall(r"\d+", queued))
    assert total + waiting == known == stats.known


@pytest.mark.parametrize(
    ("reason", "fact"),
    [
        ("closespider_pagecount", "100"),
        ("closespider_timeout", "60"),
        ("shutdown", "interrupted"),
        ("cancelled", "spider"),
        ("bored\n", "bored"),
    ],
)
def test_why_it_stopped_and_how_to_go_on(outcome: CrawlOutcome, reason: str, fact: str) -> None:
    limits = {"CLOSESPIDER_PAGECOUNT": 100, "CLOSESPIDER_TIMEOUT": 60}
    told = lines(outcome, reason, JOBDIR="job", **limits)
    assert tells(told[1:2], fact)
    assert told[-1].endswith(" for the directory job.")


def test_what_the_same_command_would_overwrite_is_named(outcome: CrawlOutcome) -> None:
    feeds = {"a.jsonl": {"overwrite": True}, "b.jsonl": {}, "stdout:": {"overwrite": True}}
    told = lines(outcome, "shutdown", JOBDIR="a job", FEEDS=feeds)
    assert tells(told[-1:], "for the directory 'a job'", "Move a.jsonl away", "-o in place of -O")
    assert "b.jsonl" not in told[-1]


def test_a_crawl_that_was_not_kept_says_how_to_keep_it(outcome: CrawlOutcome) -> None:
    assert tells(lines(outcome, "shutdown")[-1:], "-s JOBDIR=DIR")


def test_a_crawl_of_pages_in_doubt_does_not_read_as_a_failure(outcome: CrawlOutcome) -> None:
    def told(in_doubt: int) -> list[str]:
        return lines(replace(outcome, stats=replace(outcome.stats, in_doubt=in_doubt)))

    assert tells(told(3), "in doubt", "3 more (relevance 0.33 or more)", "examples")
    assert not tells(told(2), "in doubt"), "2 are relevant"


def test_pages_of_earlier_runs_are_told_apart(outcome: CrawlOutcome) -> None:
    told = lines(replace(outcome, added=1))
    assert tells(told, "pages fetched", 1, "3 with earlier runs")


def test_what_is_left(outcome: CrawlOutcome) -> None:
    def told(queued: int) -> list[str]:
        stats = replace(outcome.stats, states={**outcome.stats.states, "queued": queued})
        return lines(replace(outcome, stats=stats, left=Remaining(1234.4, 98, 12_345)))

    assert tells(told(24_494), "est. relevant unfetched", "1,234", 98, "12,345")
    assert not tells(told(24_493), "unfetched"), "it is wider than half of what there could be"


def test_a_harvest_rate_that_people_have_told(outcome: CrawlOutcome) -> None:
    def told(*, until: str | None) -> list[str]:
        rate = HarvestRateReport(0.3333, 0.2478, 0.437, 60, until)
        return lines(replace(outcome, stats=replace(outcome.stats, harvest_rate=rate)), JOBDIR="j")

    assert tells(told(until=None), "harvest rate", "~33 %", "25 to 44 %", 60)
    assert tells(told(until="2026-11-03T10:00:05Z"), "~33 %", "before 2026-11-03 10:00:05 UTC")
    assert not tells(told(until=None), "--at-random")


def test_a_crawl_says_once_what_it_is_about_and_where_it_is_kept(tmp_path: Path) -> None:
    (tmp_path / "example.txt").write_text("Pines and firs, larches and spruces.")
    (tmp_path / "examples.txt").write_text("example.txt")
    with serving(SITE) as site:
        spider = SPIDER.format(url=f"{site.url}/")
        topic = "FRONTIER_TOPIC=the pines of Rome", "FRONTIER_EXAMPLES=examples.txt"
        first = run_spider(tmp_path, spider, *topic, "JOBDIR=job", "CLOSESPIDER_PAGECOUNT=2")
        again = run_spider(tmp_path, spider, *topic, "JOBDIR=job")
        plain = run_spider(tmp_path, spider, "FRONTIER_STRATEGY=bfs")
    (said,) = (line for line in first.log.splitlines() if "; strategy " in line)
    assert said.partition("INFO: ")[2] == (
        "topic: pines, Rome; 1 example; vectors English words (all-MiniLM-L6-v2, built in); "
        "strategy apprentice; JOBDIR job"
    )
    assert tells(again.log, "JOBDIR", "resumed with 2 pages")
    assert tells(plain.log, "INFO: strategy bfs", "JOBDIR none")


# -- a ready-made crawl of which no page was fetched says why, and fails --


HEAD = "Nothing was fetched"
CLOSED = "127.0.0.1:9"


@pytest.mark.parametrize(
    ("seed", "settings", "why"),
    [
        (f"http://{CLOSED}/", (), "refused"),
        ("http://a.example/", ("HTTP",), "refused"),
        ("{site}/", (), "1 x forbidden by robots.txt"),
        ("{site}/", ("ROBOTSTXT_OBEY=0",), "1 x HTTP 500"),
    ],
)
def test_our_own_project_fails_and_says_why(
    tmp_path: Path, seed: str, settings: tuple[str, ...], why: str
) -> None:
    robots = (200, {"Content-Type": "text/plain"}, b"User-agent: *\nDisallow: /")
    broken = (500, {}, b"")
    quick = (
        "RETRY_TIMES=0",
        "frontier.plugin.robots:RETRIES=0",
        "DNS_TIMEOUT=2",
        "FRONTIER_SUMMARY=1",
    )
    with serving({"/robots.txt": robots, "/": broken}) as site:
        proxy = f"http://u:sekrit@{CLOSED}" if settings == ("HTTP",) else None
        given = [part for one in (*quick, *settings) if "=" in one for part in ("-s", one)]
        seeds = f"seeds={seed.format(site=site.url)}"
        run = run_focused(tmp_path, "-a", "topic=x", "-a", seeds, *given, proxy=proxy)
    assert run.returncode == 1
    for text in (run.log, run.stdout):
        assert (text.count(HEAD), why in text) == (1, True), text
        assert "sekrit" not in text


def test_a_page_is_enough(tmp_path: Path) -> None:
    with serving({"/": links()}) as site:
        seeds = f"seeds={site.url}/,http://{CLOSED}/"
        quick = ("-s", "RETRY_TIMES=0", "-s", "ROBOTSTXT_OBEY=0")
        run = run_focused(tmp_path, "-a", "topic=x", "-a", seeds, *quick)
    assert (run.returncode, HEAD in run.log) == (0, False)


REVISITED = {
    "revisits": 1346,
    "changed": 31,
    "unchanged": 1300,
    "not_modified": 1250,
    "gone": 2,
    "moved": 0,
    "failed": 12,
    "forbidden": 0,
    "notice": 0,
}


def test_a_crawl_that_refreshes_tells_both_halves(outcome: CrawlOutcome) -> None:
    told = lines(replace(outcome, revisited=REVISITED), JOBDIR="job")
    assert tells(told, "pages fetched", 3)
    assert tells(told, "revisited", "1,346", "31 changed", "1,300 unchanged", "1,250 by HTTP")
    assert tells(told, "revisited", "2 gone", "12 failed", "1 missed")
    assert not tells(told, "moved")
    assert told[-1].endswith("frontier changes job")
    assert len(told) <= LINES
    nothing = lines(replace(outcome, revisited=dict.fromkeys(REVISITED, 0)))
    assert [line.split()[-1] for line in nothing if "revisited" in line] == ["0"]
    assert not tells(lines(outcome), "revisited")
