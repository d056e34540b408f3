"""A crawl that is killed loses nothing and repeats only what was in flight."""

from __future__ import annotations

import json
import os
import random
import sqlite3
import time
from collections import Counter
from contextlib import closing
from pathlib import Path

import pytest

from frontier.store import StoreReader
from tests.support.scrapy_forks import Forked, shared_forks
from tests.support.scrapy_runs import QUICK, run_focused, run_spider
from tests.support.sites import Asked, Page, Site, links, serving
from tests.support.stored import stored_urls
from tests.support.told import tells

N_PAGES = 60


def web(rng: random.Random) -> dict[str, object]:
    """Pages that all can be reached, each answered after a hundredth of a second."""

    def page(number: int) -> object:
        targets = [f"/{2 * number + 1}", f"/{2 * number + 2}", f"/{rng.randrange(N_PAGES)}"]
        html = links(*(one for one in targets if int(one[1:]) < N_PAGES), text=f"page {number}")

        def answer(asked: Asked) -> Page:
            time.sleep(0.01)
            return 200, {"Content-Type": "text/html"}, html.encode()

        return answer

    return {f"/{number}": page(number) for number in range(N_PAGES)}


def start_crawl(site: Site, job: Path, items: Path) -> Forked:
    settings = [f"JOBDIR={job}", *QUICK, "AUTOTHROTTLE_ENABLED=0", "CONCURRENT_REQUESTS=1"]
    command = ["crawl", "focused", "-a", f"seeds={site.url}/0", "-a", "strategy=ppr"]
    command += ["-o", str(items), *(part for one in settings for part in ("-s", one))]
    return shared_forks().start(command, Path(os.devnull))


def kill_after(site: Site, process: Forked, pages: int) -> None:
    deadline = time.monotonic() + 30
    while len(site.paths) < pages and not process.ends() and time.monotonic() < deadline:
        time.sleep(0.002)
    process.kill()


def leased(job: Path) -> list[str]:
    """Paths that were handed out and not answered when the crawl was killed."""
    with StoreReader.open(job) as reader:
        urls = reader.urls_of(lease.url_id for lease in reader.leases())
        return ["/" + url.rpartition("/")[2] for url in urls]


def graph_of(job: Path) -> dict[str, set[str]]:
    """Out-links of every page in a crawl's store, by URL path."""
    with StoreReader.open(job) as reader:
        path = {row.url_id: "/" + row.url.rpartition("/")[2] for row in stored_urls(reader)}
        graph = {}
        for number in path:
            row = reader.page_row(number)
            if row is not None and row.links is not None:
                graph[path[number]] = {path[one] for one in row.links.targets.tolist()}
        return graph


@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_after_kill_9_and_resume_everything_is_fetched_and_the_graph_is_whole(
    tmp_path: Path, seed: int
) -> None:
    rng = random.Random(seed)
    pages = web(rng)
    with serving(pages) as whole:
        run_focused(
            tmp_path, "-a", f"seeds={whole.url}/0", "-a", "strategy=ppr",
            "-s", f"JOBDIR={tmp_path / 'whole'}",
        )  # fmt: skip
        assert len(whole.paths) == N_PAGES
    job = tmp_path / "killed"
    kills, in_flight = 0, Counter[str]()
    with serving(pages) as site:
        while len(site.paths) < N_PAGES - 10 and kills < 10:
            process = start_crawl(site, job, tmp_path / "killed.jsonl")
            kill_after(site, process, len(site.paths) + rng.randrange(5, 20))
            kills += 1
            in_flight.update(leased(job))
        assert kills >= 2
        resumed = run_focused(
            tmp_path, "-a", f"seeds={site.url}/0", "-a", "strategy=ppr", "-s", f"JOBDIR={job}"
        )
        assert resumed.stats["finish_reason"] == "finished"
        assert set(site.paths) == set(whole.paths)
        assert Counter(site.paths) - Counter(whole.paths) <= in_flight
        assert in_flight.total() <= kills
    written = (tmp_path / "killed.jsonl").read_text().splitlines()
    items = [json.loads(line) for line in written[:-1]] + resumed.items
    missing = set(whole.paths) - {"/" + item["url"].rpartition("/")[2] for item in items}
    assert len(missing) <= 1, "only the line that a kill cut may be lost"
    assert graph_of(job) == graph_of(tmp_path / "whole")
    with closing(sqlite3.connect(job / "frontier.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        twice = "SELECT count(*) FROM urls GROUP BY fp HAVING count(*) > 1"
        assert connection.execute(twice).fetchall() == []
        assert connection.execute("SELECT count(*) FROM leases").fetchone() == (0,)


def test_a_second_process_on_the_same_jobdir_is_refused_naming_the_first(tmp_path: Path) -> None:
    job = tmp_path / "job"
    with serving(web(random.Random(4))) as site:
        first = start_crawl(site, job, tmp_path / "items.jsonl")
        try:
            deadline = time.monotonic() + 20
            while not site.paths and time.monotonic() < deadline:
                time.sleep(0.01)
            second = run_focused(
                tmp_path, "-a", f"seeds={site.url}/0", "-a", "strategy=ppr", "-s", f"JOBDIR={job}"
            )
        finally:
            first.kill()
    assert second.returncode == 1
    assert f"process {first.pid}" in second.log
    assert "Traceback" not in second.log


@pytest.mark.parametrize(
    ("changed", "facts"),
    [
        (("-a", "topic=chess"), ("topic", "'astronomy'", "'chess'")),
        (("-a", "topic=astronomy", "-a", "strategy=bfs"), ("strategy", "'apprentice'", "'bfs'")),
    ],
)
def test_resuming_with_another_topic_or_strategy_is_refused_unless_accepted(
    tmp_path: Path, changed: tuple[str, ...], facts: tuple[str, ...]
) -> None:
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

            async def start(self):
                yield scrapy.Request({root!r} + "/0")
                while not self.crawler.stats.get_value("frontier/pages"):
                    await asyncio.sleep(0.01)
                yield scrapy.Request({root!r} + "/1")

            def parse(self, response):
                yield from response.follow_all(css="a")
    """
    job = tmp_path / "job"
    with serving({"/0": links("/1", "/2"), "/1": links(), "/2": links()}) as site:
        run_spider(tmp_path, code.format(root=site.url), f"JOBDIR={job}", "CLOSESPIDER_ITEMCOUNT=1")
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
    pages = web(random.Random(6))
    settings = ("-s", f"JOBDIR={tmp_path / 'job'}", "-s", "FRONTIER_ACCEPT_CHANGES=1")
    with serving(pages) as site:
        for strategy in ("ppr", "hits", "bfs", "opic"):
            run = run_focused(
                tmp_path, "-a", f"seeds={site.url}/0", "-a", f"strategy={strategy}", *settings,
                "-s", "CLOSESPIDER_PAGECOUNT=16",
            )  # fmt: skip
            assert run.returncode == 0, run.log
        assert len(site.paths) == len(set(site.paths))
        assert len(site.paths) == N_PAGES
