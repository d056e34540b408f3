"""Scrapy's settings that name a class: each does what it says, or a warning names it."""

from __future__ import annotations

from pathlib import Path

import pytest
from scrapy import signals

from tests.support.scrapy_runs import Run, run_guest
from tests.support.sites import links, serving
from tests.support.told import tells

SPIDER = """
import scrapy
from scrapy import signals
from scrapy.robotstxt import RobotParser

class NoB(RobotParser):
    @classmethod
    def from_crawler(cls, crawler, robotstxt_body):
        assert robotstxt_body.startswith(b"User-agent")
        return cls()

    def allowed(self, url, user_agent):
        return not url.endswith("/b")

class S(scrapy.Spider):
    name = "s"
    start_urls = [{root!r} + "/"]

    @classmethod
    def from_crawler(cls, crawler, *args, **kwargs):
        spider = super().from_crawler(crawler, *args, **kwargs)
        if hasattr(signals, "robots_parsed"):  # an older Scrapy has none
            crawler.signals.connect(spider.parsed, signals.robots_parsed)
        return spider

    def parsed(self, robotparser, request):
        allowed = [robotparser.allowed(self.start_urls[0] + name, "x/1") for name in "ab"]
        self.logger.info("parsed %s %s %s", type(robotparser).__name__, request.url, allowed)

    def parse(self, response):
        yield from response.follow_all(css="a")
"""


def asked(folder: Path, *settings: str) -> tuple[list[str], Run]:
    pages = {
        "/": links("/a", "/b"),
        "/a": links(),
        "/b": links(),
        "/robots.txt": (200, {}, b"User-agent: *\nDisallow: /a"),
    }
    with serving(pages) as site:
        code = SPIDER.format(root=site.url)
        run = run_guest(folder, code, "ROBOTSTXT_OBEY=1", "LOG_LEVEL=INFO", *settings)
        return sorted(site.paths), run


@pytest.mark.parametrize(
    ("settings", "fetched", "parser"),
    [
        ((), ["/", "/b"], ("RfcRobotParser", "[False, True]")),
        (("ROBOTSTXT_PARSER=spider_file.NoB",), ["/", "/a"], ("NoB", "[True, False]")),
    ],
    ids=["ours", "the project's"],
)
def test_the_parser_of_robots_txt_decides_and_is_shown(
    tmp_path: Path, settings: tuple[str, ...], fetched: list[str], parser: tuple[str, str]
) -> None:
    paths, run = asked(tmp_path, *settings)
    assert paths == fetched
    shown = [tells(line, *parser) for line in run.log.splitlines() if "parsed" in line]
    assert shown == [True] * hasattr(signals, "robots_parsed")
    assert "no effect" not in run.log


def test_queues_that_are_not_used_are_named_once(tmp_path: Path) -> None:
    names = [f"SCHEDULER_{kind}_QUEUE" for kind in ("DISK", "MEMORY", "PRIORITY")]
    paths, run = asked(tmp_path, *(f"{name}=scrapy.squeues.FifoMemoryQueue" for name in names))
    lines = [line for line in run.log.splitlines() if "no effect" in line]
    named = [name for name in names for line in lines if tells(line, "WARNING", name, "Remove")]
    assert named == names
    assert paths == ["/", "/b"]
