"""Scripts and long jobs: several spiders in one process, JOBDIR, crawls that are resumed."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from collections import Counter
from pathlib import Path

from conftest import LINE, ROOT, differing

from tests.strangers.stranger import Stranger
from tests.support.scrapy_forks import Forks
from tests.support.sites import Site, links, serving

WEB = {
    "/": links(*(f"/{n}" for n in range(12))),
    **{f"/{n}": links(f"/{n}/x") for n in range(12)},
}
SPIDERS = """
    import json, sys
    import scrapy
    from scrapy import signals
    from scrapy.crawler import *

    site, seen, settings = sys.argv[1], [], json.loads(sys.argv[2])

    class One(scrapy.Spider):
        name = "one"

        async def start(self):
            yield scrapy.Request(site + "/")

        def parse(self, response):
            yield {self.name: response.url}
            for link in response.css("a"):
                yield response.follow(link)

    class Two(One):
        name = "two"

    def made(owner, spider):
        crawler = owner.create_crawler(spider)
        crawler.signals.connect(noted, signals.item_scraped)
        return crawler

    def noted(item, spider):
        seen.append(item)

    def done():
        print(json.dumps(seen))
"""
AT_ONCE = """
    process = CrawlerProcess(settings)
    process.crawl(made(process, One))
    process.crawl(made(process, Two))
    process.start()
    done()
"""


def test_scripts_that_run_several_spiders_get_what_they_got(tmp_path: Path) -> None:
    code = tmp_path / "script.py"
    code.write_text(textwrap.dedent(SPIDERS) + textwrap.dedent(AT_ONCE))
    runs = []
    with serving(WEB) as plain, serving(WEB) as ours:
        for site, addons in zip(
            (plain, ours), ({}, {"frontier.plugin.LinkRankAddon": 500}), strict=True
        ):
            settings = {
                "ADDONS": addons,
                "FRONTIER_ALLOW_NETWORKS": "127.0.0.0/8",
                "LOG_LEVEL": "WARNING",
                "TELNETCONSOLE_ENABLED": False,
                "REMOTE_CONTROL_ENABLED": False,
            }
            done = subprocess.run(
                [sys.executable, str(code), site.url, json.dumps(settings)],
                env={"PYTHONPATH": str(ROOT), "PATH": ""},
                capture_output=True,
                text=True,
                timeout=60,
                check=True,
            )
            items = json.loads(done.stdout.replace(str(site.port), "PORT").splitlines()[-1])
            runs.append({"items": Counter(map(json.dumps, items)), "requests": site.requests})
    assert differing(*runs) == {}
    assert len(runs[0]["items"]) > 24


class Job(Stranger):
    """A crawl with a JOBDIR that is stopped and resumed."""

    web = WEB

    async def start(self) -> object:
        yield self.get("/", errback=self.failed)


def crawled(forks: Forks, folder: Path, site: Site, *arguments: str) -> Counter[str]:
    """Crawl with a JOBDIR; items."""
    record = folder / "record.json"
    command = ["crawl", "Job", "-a", f"site={site.url}", "-s", f"RECORD={record}"]
    forked = forks.start(
        [*command, "-s", f"JOBDIR={folder / 'job'}", *arguments], folder / "log.txt"
    )
    assert forked.wait() == 0, (folder / "log.txt").read_text()[-3000:]
    return Counter(json.loads(record.read_text())["items"])


def test_a_job_that_is_stopped_and_resumed_gets_what_it_got(forks: Forks, tmp_path: Path) -> None:
    seen = []
    with serving(WEB) as plain, serving(WEB) as ours:
        for name, site, line in (("plain", plain, ()), ("ours", ours, LINE)):
            folder = tmp_path / name
            folder.mkdir()
            stop = ("-s", "CLOSESPIDER_PAGECOUNT=5", "-s", "CONCURRENT_REQUESTS=4")
            items: Counter[str] = Counter()
            for number in range(3):
                items += crawled(forks, folder, site, *line, *(stop if number < 2 else ()))
            seen.append({"items": items})
    assert differing(*seen) == {}
    assert len(seen[0]["items"]) == 13
