"""What a crawl may be resumed with, and what it may not."""

from __future__ import annotations

import os
import threading
from pathlib import Path

from frontier.store import StoreReader
from tests.support.scrapy_forks import shared_forks
from tests.support.scrapy_runs import QUICK, run_focused, run_spider
from tests.support.sites import Asked, links, serving
from tests.support.stored import stored_urls
from tests.support.told import tells

N_PAGES = 60


def test_a_second_process_on_the_same_jobdir_is_refused_naming_the_first(tmp_path: Path) -> None:
    asked, ended = threading.Event(), threading.Event()

    def held(_: Asked) -> str:
        asked.set()
        ended.wait(60)
        return links()

    with serving({"/0": held}) as site:
        settings = [f"JOBDIR={tmp_path / 'job'}", *QUICK]
        arguments = ["-a", f"seeds={site.url}/0", "-a", "strategy=ppr"]
        arguments += [part for one in settings for part in ("-s", one)]
        first = shared_forks().start(["crawl", "focused", *arguments], Path(os.devnull))
        try:
            assert asked.wait(60)
            second = run_focused(tmp_path, *arguments)
        finally:
            ended.set()
            first.kill()
    assert second.returncode == 1
    assert f"process {first.pid}" in second.log
    assert "Traceback" not in second.log


def test_resuming_with_another_topic_and_strategy_is_refused_unless_accepted(
    tmp_path: Path,
) -> None:
    changed = ("-a", "topic=chess", "-a", "strategy=bfs")
    facts = "topic", "'astronomy'", "'chess'", "strategy", "'apprentice'", "'bfs'"
    job = ("-s", f"JOBDIR={tmp_path / 'job'}")
    with serving({"/0": links("/1", "/2"), "/1": links(), "/2": links()}) as site:
        seeds = ("-a", f"seeds={site.url}/0")
        run_focused(
            tmp_path, *seeds, "-a", "topic=astronomy", *job, "-s", "CLOSESPIDER_PAGECOUNT=1"
        )
        refused = run_focused(tmp_path, *seeds, *changed, *job)
        assert refused.returncode == 1
        assert tells(refused.log, *facts)
        assert "FRONTIER_ACCEPT_CHANGES" in refused.log
        assert "Traceback" not in refused.log
        accepted = run_focused(tmp_path, *seeds, *changed, *job, "-s", "FRONTIER_ACCEPT_CHANGES=1")
        assert accepted.returncode == 0
        assert sorted(site.paths) == ["/0", "/1", "/2"]


def test_a_seed_that_a_page_led_to_first_is_a_seed_all_the_same(tmp_path: Path) -> None:
    code = """
        import asyncio
        import scrapy

        class S(scrapy.Spider):
            name = "s"
            led = None

            async def start(self):
                self.led = asyncio.Event()
                yield scrapy.Request({root!r} + "/0")
                await self.led.wait()
                yield scrapy.Request({root!r} + "/1")

            def parse(self, response):
                yield from response.follow_all(css="a")
                if response.url.endswith("/1"):
                    self.led.set()
    """
    job = tmp_path / "job"
    with serving({"/0": links("/1", "/2"), "/1": links(), "/2": links()}) as site:
        run_spider(tmp_path, code.format(root=site.url), f"JOBDIR={job}")
        assert sorted(site.paths) == ["/0", "/1", "/2"]
    with StoreReader.open(job) as reader:
        seeds = {row.url.removeprefix(site.url) for row in stored_urls(reader) if row.seed}
    assert seeds == {"/0", "/1"}


def test_a_stored_request_whose_class_is_gone_costs_that_url_alone(tmp_path: Path) -> None:
    code = """
        import scrapy

        {definition}

        class S(scrapy.Spider):
            name = "s"
            start_urls = [{root!r} + "/0"]

            def parse(self, response):
                yield {{"path": response.url}}
                for n in (1, 2, 3):
                    meta = {meta}
                    yield scrapy.Request({root!r} + f"/{{n}}", meta=meta)
    """
    job = f"JOBDIR={tmp_path / 'job'}"
    with serving({f"/{n}": links() for n in range(4)}) as site:
        gone = "{'thing': Thing()} if n == 2 else {}"
        before = code.format(definition="class Thing: pass", root=site.url, meta=gone)
        run_spider(tmp_path, before, job, "CLOSESPIDER_PAGECOUNT=1")
        after = code.format(definition="", root=site.url, meta="{}")
        run = run_spider(tmp_path, after, job)
        assert sorted(site.paths) == ["/0", "/1", "/3"]
    assert run.stats["finish_reason"] == "finished"
    assert run.stats["frontier/errors"] == 1
    assert run.stats["frontier/leased"] == 0
    assert "Cannot deserialize" in run.log


def test_another_random_seed_is_refused_even_where_changes_are_accepted(tmp_path: Path) -> None:
    job = ("-s", f"JOBDIR={tmp_path / 'job'}", "-a", "strategy=ppr")
    with serving({"/0": links()}) as site:
        run_focused(tmp_path, "-a", f"seeds={site.url}/0", *job)
        run = run_focused(
            tmp_path, "-a", f"seeds={site.url}/0", *job, "-s", "FRONTIER_RANDOM_SEED=5",
            "-s", "FRONTIER_ACCEPT_CHANGES=1",
        )  # fmt: skip
        assert site.paths == ["/0"]
    assert run.returncode == 1
    assert "started with FRONTIER_RANDOM_SEED=0" in run.log


def test_the_order_may_be_changed_between_families_of_orders(tmp_path: Path) -> None:
    numbers = range(N_PAGES)
    pages = {
        f"/{n}": links(*(f"/{to}" for to in (2 * n + 1, 2 * n + 2) if to in numbers))
        for n in numbers
    }
    settings = ("-s", f"JOBDIR={tmp_path / 'job'}", "-s", "FRONTIER_ACCEPT_CHANGES=1")
    with serving(pages) as site:
        for strategy, most in (("ppr", 20), ("hits", 20), ("bfs", 0)):
            run = run_focused(
                tmp_path, "-a", f"seeds={site.url}/0", "-a", f"strategy={strategy}", *settings,
                "-s", f"CLOSESPIDER_PAGECOUNT={most}",
            )  # fmt: skip
            assert run.returncode == 0, run.log
        assert sorted(site.paths) == sorted(pages)
