"""What a crawl says at its end."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from scrapy.exceptions import NotConfigured
from scrapy.settings import Settings

from frontier.backend.figures import Copies, CrawlFigures
from frontier.estimates.remaining import Remaining
from frontier.inspection.reports import HarvestRateReport
from frontier.plugin.extensions.summary import Outcome, Summary, duration, outcome_of, summary_lines
from frontier.plugin.resume_command import command_line, this_scrapy
from tests.support.driven_crawl import A, B, C, small_crawl
from tests.support.scrapy_runs import run_spider, scrapy
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
SETTINGS = (
    'ADDONS={"frontier.plugin.LinkRankAddon": 500}',
    "FRONTIER_SUMMARY=1",
    "CONCURRENT_REQUESTS=1",
    "DOWNLOAD_DELAY=0",
    "TELNETCONSOLE_ENABLED=0",
    "REMOTE_CONTROL_ENABLED=0",
    "FRONTIER_ALLOW_NETWORKS=127.0.0.0/8",
)
SITE = {
    "/": links("/a", "/b", title="Home"),
    "/a": links("/b", title="A page", text="pines and firs and pines"),
    "/b": links("/", "/gone", title="B page", text="pines"),
}


@pytest.fixture
def outcome(tmp_path: Path) -> Outcome:
    crawl = small_crawl(tmp_path / "job")
    figures = CrawlFigures(crawl.backend, crawl.config)
    figures.read = 3
    found = outcome_of(SimpleNamespace(backend=crawl.backend, figures=figures))  # type: ignore[arg-type]  # as much of a session as is needed
    crawl.close()
    return found


def lines(outcome: Outcome, reason: str = "finished", **settings: object) -> list[str]:
    return summary_lines(outcome, reason, 90.0, Settings(settings), "wanderer")


def test_the_outcome_is_read_before_the_store_closes(outcome: Outcome) -> None:
    assert [row.url for row in outcome.relevant] == [A, C, B]
    assert outcome.stats.last_page == "2026-11-03T10:00:05Z"
    assert {row.title for row in outcome.authorities} == {"Page A", "Page B", "Page C"}


def test_a_crawl_without_a_directory_has_an_outcome_too() -> None:
    crawl = small_crawl(None)
    session = SimpleNamespace(
        backend=crawl.backend, figures=CrawlFigures(crawl.backend, crawl.config)
    )
    directory = crawl.backend.directory
    assert outcome_of(session).stats.pages == 3  # type: ignore[arg-type]  # see above
    crawl.close()
    assert not directory.exists()


def test_the_whole_summary(outcome: Outcome) -> None:
    told = lines(
        outcome, FEEDS={"%(name)s.jsonl": {"format": "jsonl"}}, JOBDIR="a job", WARC_FILE="w.warc"
    )
    for facts in (
        ("pages", 3),
        ("redirects", 1),
        ("errors", 1),
        ("1 min 30 s", "0.0"),
        ("judged relevant", 2, 3, 0.5),
        ("harvest rate", "not known", "frontier label 'a job' --at-random"),
        (2, 8),
        ("links", 10),
        ("hosts", 3),
        (1, "HTTP 404"),
        (1, "forbidden by robots.txt"),
        (0.75, A, "Page A"),
        (0.5, C, "Page C"),
        (0.25, B, "Page B"),
        ("wanderer.jsonl",),
        ("w.warc",),
    ):
        assert tells(told, *facts), facts
    assert [line.split()[-1] for line in told if " a job" in line] == ["job"]
    assert told[-3:] == [
        f"  {this_scrapy()} frontier stats 'a job'",
        f"  {this_scrapy()} frontier top 'a job' --state crawled --by authority",
        f"  {this_scrapy()} frontier url 'a job' URL",
    ]


@pytest.mark.parametrize(
    ("reason", "fact"),
    [
        ("closespider_pagecount", "100"),
        ("closespider_timeout", "60"),
        ("closespider_coverage", "0.9"),
        ("shutdown", "interrupted"),
        ("cancelled", "spider"),
        ("bored\n", "bored"),
    ],
)
def test_why_it_stopped_and_how_to_go_on(outcome: Outcome, reason: str, fact: str) -> None:
    limits = {"CLOSESPIDER_PAGECOUNT": 100, "CLOSESPIDER_TIMEOUT": 60, "CLOSESPIDER_COVERAGE": 0.9}
    told = lines(outcome, reason, JOBDIR="job", **limits)
    assert tells(told[1:2], fact)
    assert told[-1] == f"  {command_line(sys.orig_argv)}"


def test_who_started_the_crawl_may_say_how_it_goes_on(outcome: Outcome) -> None:
    told = lines(outcome, "shutdown", JOBDIR="job", FRONTIER_RESUME_COMMAND="make crawl DIR=job")
    assert told[-1] == "  make crawl DIR=job"


def test_a_crawl_that_was_not_kept_says_how_to_keep_it(outcome: Outcome) -> None:
    assert tells(lines(outcome, "shutdown")[-1:], "-s JOBDIR=DIR")


def test_pages_of_earlier_runs_are_told_apart(outcome: Outcome) -> None:
    told = lines(replace(outcome, read=1))
    assert tells(told, "pages", 1, 3)


def test_what_is_left_and_what_is_covered(outcome: Outcome) -> None:
    left = Remaining(1234.4, 98, 12_345)
    told = lines(replace(outcome, left=left, coverage=0.876))
    assert tells(told, "1,234", 98, "12,345")
    assert tells(told, "coverage", "87.6 %")


def test_a_harvest_rate_that_people_have_told(outcome: Outcome) -> None:
    def told(*, until: str | None) -> list[str]:
        rate = HarvestRateReport(0.3333, 0.2478, 0.437, 60, until)
        return lines(replace(outcome, stats=replace(outcome.stats, harvest_rate=rate)), JOBDIR="j")

    assert tells(told(until=None), "harvest rate", "~33 %", "25 to 44 %", 60)
    assert tells(told(until="2026-11-03T10:00:05Z"), "~33 %", "before 2026-11-03 10:00:05 UTC")
    assert not tells(told(until=None), "--at-random")


def test_where_nobody_can_label_a_harvest_rate_is_not_known(outcome: Outcome) -> None:
    assert tells(lines(outcome), "harvest rate", "not known")
    assert not tells(lines(outcome), "--at-random")


def test_figures_that_say_nothing_are_left_out(outcome: Outcome) -> None:
    whole = lines(replace(outcome, left=None, coverage=None))
    left, coverage = Remaining(0.2, 0.0, 0.4), 0.0004
    assert lines(replace(outcome, left=left, coverage=coverage)) == whole
    stats = replace(outcome.stats, states={**outcome.stats.states, "redirected": 0})
    assert len(lines(replace(outcome, stats=stats))) == len(whole) - 1
    empty = replace(outcome.stats, judged=0, links=0)
    assert len(lines(replace(outcome, stats=empty))) == len(whole) - 3


def test_copies_are_told_and_what_is_counted_adds_up(outcome: Outcome) -> None:
    states = {**outcome.stats.states, "redirected": 12}
    known = replace(outcome.stats, states=states)
    told = lines(replace(outcome, stats=known, read=10, copies=Copies(1, 2, 7)))
    assert tells(told[2:3], 10)
    assert tells(told[3:4], 10, 1, 2, 7)
    assert tells(told[4:5], "redirects", 5)
    assert tells(told[5:6], "errors", 1)


def test_values_that_are_rounding_are_left_out(outcome: Outcome) -> None:
    best, noise = replace(outcome.hubs[0], value=1.0), replace(outcome.hubs[1], value=1e-17)
    told = lines(replace(outcome, hubs=[best, noise]))
    at = told.index(f"  1  {best.url}  {best.title}")
    assert told[at + 1] == ""


@pytest.mark.parametrize(
    ("seconds", "words"),
    [(0.25, "0.2 s"), (59.4, "59.4 s"), (59.9, "1 min 0 s"), (3599, "59 min 59 s"),
     (3600, "1 h 0 min"), (90_061, "25 h 1 min")],
)  # fmt: skip
def test_durations(seconds: float, words: str) -> None:
    assert duration(seconds) == words


def test_it_is_off_by_default() -> None:
    with pytest.raises(NotConfigured):
        Summary.from_crawler(SimpleNamespace(settings=Settings()))  # type: ignore[arg-type]  # a crawler by hand


def test_a_real_crawl_tells_on_stdout(tmp_path: Path) -> None:
    with serving(SITE) as site:
        run = run_spider(
            tmp_path,
            SPIDER.format(url=f"{site.url}/"),
            "FRONTIER_SUMMARY=1",
            "FRONTIER_PROGRESS=1",
            "FRONTIER_TOPIC=pines",
        )
    told = run.stdout.splitlines()
    assert (run.returncode, len(run.items)) == (0, 3)
    for facts in (("pages", 3), (1, "HTTP 404"), (tmp_path / "items.jsonl",), ("A page",)):
        assert tells(told, *facts), facts
    assert "Traceback" not in run.log


def test_items_on_stdout_stay_clean(tmp_path: Path) -> None:
    with serving(SITE) as site:
        (tmp_path / "spider_file.py").write_text(SPIDER.format(url=f"{site.url}/"))
        arguments = [argument for setting in SETTINGS for argument in ("-s", setting)]
        run = scrapy("runspider", "spider_file.py", "-o", "-:jsonlines", *arguments, cwd=tmp_path)
    assert [list(json.loads(line)) for line in run.stdout.splitlines()] == [["url"]] * 3
    assert tells([line for line in run.stderr.splitlines() if line[:2] == "  "], "pages", 3)


def test_an_interrupted_crawl_says_how_to_go_on(tmp_path: Path) -> None:
    """Ctrl-C while the second page is being served."""
    process: list[subprocess.Popen[str]] = []

    def interrupt(asked: object) -> tuple[int, dict[str, str], bytes]:
        os.kill(process[0].pid, signal.SIGINT)
        return 200, {"Content-Type": "text/html"}, b"<p>late"

    with serving({**SITE, "/a": interrupt}) as site:
        (tmp_path / "spider_file.py").write_text(SPIDER.format(url=f"{site.url}/"))
        command = [sys.executable, "-m", "scrapy", "runspider", "spider_file.py"]
        for setting in (*SETTINGS, "JOBDIR=job"):
            command += ["-s", setting]
        process.append(
            subprocess.Popen(
                command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
            )
        )
        out, log = process[0].communicate(timeout=60)
    assert tells(out, "interrupted"), log
    assert out.splitlines()[-1] == f"  {shlex.join(command)}"
