"""A machine that runs out of descriptors: no host is blamed, nothing is lost, it is told once."""

from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest
from twisted.internet.error import ConnectBindError, ConnectError, ConnectionRefusedError
from twisted.python.failure import Failure
from twisted.web._newclient import ResponseFailed

from frontier.plugin.throttle.machine import WAITED, shortage_of
from tests.support.hostile import ALLOWED, Ask, hostile
from tests.support.scrapy_runs import run_guest
from tests.support.told import tells

HOSTS = 100
SPIDER = """
import asyncio
import os
import resource
import scrapy

FILES = {files}
resource.setrlimit(resource.RLIMIT_NOFILE, (FILES, FILES))

class S(scrapy.Spider):
    name = "s"

    async def start(self):
        taken = []
        try:
            while True:
                taken.append(os.dup(1))
        except OSError:
            pass
        for url in {urls!r}:
            yield scrapy.Request(url)
        while not self.crawler.stats.get_value({waited!r}):
            await asyncio.sleep(0.01)
        for number in taken:
            os.close(number)

    def parse(self, response):
        yield {{"url": response.url}}
"""


def caused(error: Exception, cause: Exception) -> Exception:
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "short_of"),
    [
        (OSError(errno.EMFILE, os.strerror(errno.EMFILE)), errno.EMFILE),
        (ConnectBindError(errno.EMFILE, "Too many open files"), errno.EMFILE),
        (ConnectError(errno.ENFILE), errno.ENFILE),
        (ConnectError(errno.ENOBUFS), errno.ENOBUFS),
        (OSError(errno.ENOMEM, ""), errno.ENOMEM),
        (ConnectError(errno.EADDRNOTAVAIL), errno.EADDRNOTAVAIL),
        (RuntimeError("can't start new thread"), errno.EAGAIN),
        (ResponseFailed([Failure(ConnectBindError(errno.EMFILE))]), errno.EMFILE),
        (caused(ValueError("of Scrapy"), ConnectBindError(errno.EMFILE)), errno.EMFILE),
        (ConnectionRefusedError(errno.ECONNREFUSED), None),
        (BlockingIOError(errno.EAGAIN, ""), None),
        (RuntimeError("Too many open files"), None),
        (ValueError("Too many open files"), None),
    ],
    ids=repr,
)
def test_what_is_the_machines_fault(error: Exception, short_of: int | None) -> None:
    assert shortage_of(error) == short_of


@pytest.mark.parametrize("obey", [0, 1])
def test_every_page_is_fetched_with_few_descriptors(tmp_path: Path, obey: int) -> None:
    async def page(ask: Ask) -> None:
        await ask.reply("<p>a page</p>", 404 if ask.path == "/robots.txt" else 200)

    with hostile({f"host{n}": page for n in range(HOSTS)}) as web:
        urls = [web.url(case) for case in web.cases]
        run = run_guest(
            tmp_path,
            SPIDER.format(files=64, urls=urls, waited=WAITED),
            *(f"CONCURRENT_REQUESTS={HOSTS}", f"ROBOTSTXT_OBEY={obey}"),
            *(f"JOBDIR={tmp_path / 'job'}", f"FRONTIER_ALLOW_NETWORKS={ALLOWED}"),
        )
    assert run.returncode == 0
    assert sorted(item["url"] for item in run.items) == sorted(urls)
    assert sorted(one.case for one in web.log if one.path == "/") == sorted(web.cases)
    assert run.stats[WAITED] > 0
    assert run.stats["log_count/ERROR"] == 1
    assert tells(run.log, "ERROR", "64", "ulimit -n", "CONCURRENT_REQUESTS", str(HOSTS))
    for blamed in ("retry/count", "downloader/exception_count", "frontier/errors"):
        assert not run.stats.get(blamed)
