"""A machine without room for more downloads: nothing of it is taken for what a host said."""

from __future__ import annotations

import asyncio
import errno
import os
import socket
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from scrapy import Request
from scrapy.http import Response
from twisted.internet.error import ConnectBindError, ConnectionRefusedError, DNSLookupError

from frontier.plugin import room
from frontier.plugin.crawl.gate import NotYet
from frontier.plugin.room import STAT, LocalRoom, local_failure
from frontier.plugin.waiting import Waiters
from tests.support.hostile import Ask, hostile
from tests.support.scrapy_runs import run_spider


def chained(error: Exception) -> Exception:
    outer = RuntimeError("the handler's own")
    outer.__cause__ = error
    return outer


@pytest.mark.parametrize(
    ("error", "number"),
    [
        (OSError(errno.EMFILE, "too many"), errno.EMFILE),
        (ConnectBindError(errno.ENFILE, "too many"), errno.ENFILE),
        (chained(ConnectBindError(errno.EADDRNOTAVAIL, "none")), errno.EADDRNOTAVAIL),
        (chained(OSError(errno.ENOMEM, "none")), errno.ENOMEM),
        (socket.gaierror(socket.EAI_MEMORY, "none"), errno.ENOMEM),
        (socket.gaierror(socket.EAI_NONAME, "no such name"), None),
        (ConnectionRefusedError(errno.ECONNREFUSED, "refused"), None),
        (DNSLookupError("no such name"), None),
    ],
)
def test_failures_of_this_machine_are_told_from_those_of_hosts(
    error: Exception, number: int | None
) -> None:
    assert local_failure(error) == number


def fetched(
    monkeypatch: pytest.MonkeyPatch, *results: Any, closing: bool = False
) -> tuple[Any, Counter[str]]:
    """What a download gives whose attempts end so, and the stats."""

    async def at_once(waiters: Waiters, seconds: float) -> None:
        pass

    left, stats = list(results), Counter[str]()

    async def fetch() -> Response:
        result = left.pop(0)
        if isinstance(result, Exception):
            raise result
        return Response("http://a.test/")

    monkeypatch.setattr(Waiters, "wait", at_once)
    one = LocalRoom(lambda stat: stats.update([stat]), lambda: None, lambda: closing)
    try:
        result = asyncio.run(one.download(Request("http://a.test/"), fetch))
    except Exception as error:
        return error, stats
    assert not left
    return result, stats


@pytest.mark.parametrize("number", [errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.EADDRNOTAVAIL])
def test_it_is_tried_again_and_logged_once(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture, number: int
) -> None:
    errors = [ConnectBindError(number, os.strerror(number)) for _ in range(5)]
    result, stats = fetched(monkeypatch, *errors, "page")
    assert result.status == 200
    assert stats == {STAT: 5}
    assert [record.levelname for record in caplog.records] == ["WARNING"]


def test_a_failed_look_up_is_repeated_only_where_descriptors_were_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    failed = DNSLookupError("no such name")
    assert fetched(monkeypatch, failed) == (failed, {})
    answers = iter([None, errno.EMFILE, None, None])
    monkeypatch.setattr(room, "shortage", lambda: next(answers))
    result, stats = fetched(monkeypatch, failed, "page")
    assert result.status == 200
    assert stats == {STAT: 1}


def test_an_address_that_nothing_can_connect_to_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    errors = [OSError(errno.EADDRNOTAVAIL, "none") for _ in range(room.TRIES)]
    assert fetched(monkeypatch, *errors)[0] is errors[-1]


def test_a_crawl_that_closes_waits_for_no_room(monkeypatch: pytest.MonkeyPatch) -> None:
    result, _ = fetched(monkeypatch, OSError(errno.EMFILE, "too many"), closing=True)
    assert isinstance(result, NotYet)


SPIDER = """
import os
import resource
import scrapy

class S(scrapy.Spider):
    name = "s"

    async def start(self):
        few = len(os.listdir("/dev/fd")) + 14
        resource.setrlimit(resource.RLIMIT_NOFILE, (few, few))
        for url in %r:
            yield scrapy.Request(url)

    def parse(self, response):
        pass
"""


def test_all_pages_of_many_hosts_come_in_one_run_with_few_descriptors(tmp_path: Path) -> None:
    async def answer(ask: Ask) -> None:
        await asyncio.sleep(0.3)  # so that many are open at once
        await ask.reply("<p>a page</p>")

    cases = [f"host {n}" for n in range(40)]
    with hostile(dict.fromkeys(cases, answer)) as web:
        run = run_spider(
            tmp_path,
            SPIDER % list(map(web.url, cases)),
            *("ROBOTSTXT_OBEY=1", "LOG_LEVEL=WARNING"),
            concurrency=40,
        )
    assert run.stats["frontier/pages"] == 40, run.log[-3000:]
    assert run.stats["robotstxt/request_count"] == run.stats["robotstxt/response_count"] == 40
    assert run.stats["frontier/no_room"] > 0
    assert run.log.count("ulimit -n") == 1
    assert "frontier/retries" not in run.stats or run.stats["frontier/retries"] == 0
