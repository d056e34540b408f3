"""The one line that plugs the frontier into somebody else's project, in a real process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from scrapy import version_info

from tests.support.scrapy_runs import run_spider
from tests.support.sites import links, serving
from tests.support.told import tells

SPIDER = """
import scrapy
from {name}.items import Thing


class MineSpider(scrapy.Spider):
    name = "mine"
    custom_settings = {{"DOWNLOAD_DELAY": 0, "ITEM_PIPELINES": {{"{name}.pipelines.Mark": 1}}}}
    start_urls = ["{url}/"]

    def parse(self, response):
        yield Thing(url=response.url)
        for link in response.css("a"):
            yield response.follow(link, self.parse_other, cb_kwargs={{"word": "kept"}})

    def parse_other(self, response, word):
        yield Thing(url=response.url, word=word)
        again = {{"callback": self.parse_other, "cb_kwargs": {{"word": word}}}}
        yield from response.follow_all(css="a", **again)
"""
ITEMS = """
import scrapy


class Thing(scrapy.Item):
    url = scrapy.Field()
    word = scrapy.Field()
    mark = scrapy.Field()
"""
PIPELINES = """
class Mark:
    def process_item(self, item, spider=None):
        item["mark"] = True
        return item
"""
LINE = 'ADDONS = {"frontier.plugin.LinkRankAddon": 500}\n'


def outside(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run Scrapy where this repository is not on the path, which has a `crawler` of its own."""
    env = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    command = [sys.executable, "-m", "scrapy", *arguments]
    return subprocess.run(
        command, cwd=cwd, env=env, capture_output=True, text=True, timeout=60, check=False
    )


def test_a_project_called_crawler_needs_one_line_and_keeps_callbacks_items_and_settings(
    tmp_path: Path,
) -> None:
    started = outside("startproject", "crawler", cwd=tmp_path)
    assert started.returncode == 0, started.stderr
    project = tmp_path / "crawler"
    settings = project / "crawler" / "settings.py"
    settings.write_text(settings.read_text() + LINE)
    (project / "crawler" / "items.py").write_text(ITEMS)
    (project / "crawler" / "pipelines.py").write_text(PIPELINES)
    pages = {"/": links("/a", "/b"), "/a": links("/c"), "/b": links("/c"), "/c": links("/a")}
    with serving(pages) as site:
        spider = SPIDER.format(name="crawler", url=site.url)
        (project / "crawler" / "spiders" / "mine.py").write_text(spider)
        here = "FRONTIER_ALLOW_NETWORKS=127.0.0.0/8"
        done = outside("crawl", "mine", "-O", "out.jsonl", "-s", here, cwd=project)
        assert sorted(site.paths) == ["/", "/a", "/b", "/c"]
        assert any(one.path == "/robots.txt" for one in site.asked), "the template obeys robots"
    assert done.returncode == 0
    items = [json.loads(line) for line in (project / "out.jsonl").read_text().splitlines()]
    found = {item["url"].removeprefix(site.url): (item.get("word"), item["mark"]) for item in items}
    assert found == {
        "/": (None, True),
        "/a": ("kept", True),
        "/b": ("kept", True),
        "/c": ("kept", True),
    }
    assert "frontier.plugin.scheduler.FrontierScheduler" in done.stderr
    assert "'frontier/pages': 4" in done.stderr


ANY_SPIDER = """
    import scrapy

    class S(scrapy.Spider):
        name = "s"
        start_urls = [{start!r}]

        def parse(self, response):
            for link in response.css("a"):
                yield response.follow(link)
"""


def test_a_setting_that_does_not_exist_is_named_with_the_one_that_was_meant(
    tmp_path: Path,
) -> None:
    code = """
        import scrapy

        class S(scrapy.Spider):
            name = "s"
            start_urls = []
            custom_settings = {"FRONTIER_DAMPENING": 0.5}
    """
    run = run_spider(tmp_path, code, "FRONTIER_TOPPIC=stars", "FRONTIER_MOON=1", "FRONTIER_TOPIC=")
    warnings = [line for line in run.log.splitlines() if "There is no setting" in line]
    assert [line.partition("WARNING: ")[2].partition(":")[0] for line in warnings] == [
        "There is no setting FRONTIER_DAMPENING (did you mean FRONTIER_DAMPING?)",
        "There is no setting FRONTIER_MOON",
        "There is no setting FRONTIER_TOPPIC (did you mean FRONTIER_TOPIC?)",
    ]
    assert run.returncode == 0


def test_the_addon_refuses_a_project_that_insists_on_its_own_scheduler(tmp_path: Path) -> None:
    with serving({"/": links()}) as site:
        run = run_spider(
            tmp_path,
            ANY_SPIDER.format(start=site.url + "/"),
            "SCHEDULER=scrapy.core.scheduler.Scheduler",
        )
        assert site.asked == []
    assert run.returncode == 1
    assert tells(run.log, "SCHEDULER", "LinkRankAddon")


def test_a_downloader_class_of_the_project_is_kept_and_wrapped(tmp_path: Path) -> None:
    code = """
        import scrapy
        from scrapy.core.downloader import Downloader

        class Mine(Downloader):
            def fetch(self, request, *args):
                self.crawler_stats.inc_value("mine/fetched")
                return super().fetch(request, *args)

            def __init__(self, crawler):
                super().__init__(crawler)
                self.crawler_stats = crawler.stats

        class S(scrapy.Spider):
            name = "s"
            start_urls = [{start!r}]
            custom_settings = {{"DOWNLOADER": Mine}}

            def parse(self, response):
                yield from response.follow_all(css="a")
    """
    with serving({"/": links("/a"), "/a": links("/")}) as site:
        run = run_spider(tmp_path, code.format(start=site.url + "/"))
    assert run.stats["mine/fetched"] == 3, "the start page twice, as in Scrapy"
    assert run.stats["frontier/pages"] == 2


FAILING_STRATEGY = """
import numpy as np
from ranking import Order

class Mine(Order):
    \"\"\"Fails.\"\"\"

    name, formula = "mine", "none"
    pages = 0

    def page(self, update, evidence):
        self.pages += 1
        if self.pages == {page}:
            raise ZeroDivisionError("of a page")

    def value(self, ids, evidence):
        if self.pages >= {value}:
            raise ZeroDivisionError("of all")
        return np.zeros(len(ids))
"""
A_FAN = {"/": links(*[f"/{i}" for i in range(9)]), **{f"/{i}": links("/x") for i in range(9)}}


@pytest.mark.skipif(version_info < (2, 14), reason="with this Scrapy the exit code is 0")
def test_a_strategy_that_cannot_tell_what_is_best_stops_the_crawl_and_nothing_is_lost(
    tmp_path: Path,
) -> None:
    (tmp_path / "own.py").write_text(FAILING_STRATEGY.format(page=99, value=3))
    with serving(A_FAN) as site:
        code = ANY_SPIDER.format(start=site.url + "/")
        given = "FRONTIER_STRATEGY=own.Mine", "JOBDIR=job"
        stopped = run_spider(tmp_path, code, *given)
        (tmp_path / "own.py").write_text(FAILING_STRATEGY.format(page=99, value=99))
        finished = run_spider(tmp_path, code, *given)
    assert "ZeroDivisionError: of all" in stopped.log
    assert stopped.stats["finish_reason"] == "strategy_failed"
    assert stopped.returncode == 1
    assert finished.stats["frontier/pages"] == 10
    assert finished.returncode == 0


@pytest.mark.parametrize(
    ("setting", "message"),
    [
        ("FRONTIER_DAMPING=1.5", "FRONTIER_DAMPING must lie between 0 and 0.999, but is 1.5"),
        ("FRONTIER_RANDOM_SEED=many", "FRONTIER_RANDOM_SEED must be a whole number"),
        ("FRONTIER_STRATEGY=best", "best-first"),
        ("FRONTIER_SCORES=absent.tsv", "absent.tsv"),
        ("TOPIC_MODEL=no.such.Model", "no.such.Model"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(tmp_path: Path, setting: str, message: str) -> None:
    with serving({"/": links()}) as site:
        run = run_spider(
            tmp_path,
            ANY_SPIDER.format(start=site.url + "/"),
            "FRONTIER_TOPIC=stars",
            setting,
            f"JOBDIR={tmp_path / 'job'}",
        )
        assert site.asked == []
    assert run.returncode == 1
    assert message in run.log
    assert "Traceback" not in run.log
