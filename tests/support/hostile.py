"""A hostile web on loopback: every case has a host of its own, and a log is the witness.

A case is a coroutine that is given each request to its host and may write any bytes it likes, in
any order and at any pace. Hosts are addresses of 127.66.0.0/16, all on one port, so that a crawl
sees as many hosts as there are cases; what a case must never be asked for lies in 127.99.0.0/16,
which no crawl of these tests is allowed to enter, and is in the log if it was.
"""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from asyncio import CancelledError
from collections.abc import Awaitable, Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Any

from tests.support.scrapy_runs import Run, run_focused

ALLOWED = "127.66.0.0/16"
FORBIDDEN = "127.99.0.1"
"""A listening address that no case may make a crawler connect to."""

_LONGEST_REQUEST = 1 << 20


@dataclass
class Ask:
    """One request to a case, and the way to answer it.

    `count` is how often this path was asked for, this time included; `at` is seconds on the
    monotonic clock.
    """

    host: str
    method: str
    path: str
    headers: dict[str, str]
    count: int
    at: float
    web: HostileWeb
    writer: asyncio.StreamWriter

    def url(self, path: str = "/", case: str | None = None) -> str:
        """Absolute URL of a path of this case, or of another one."""
        host = self.host if case is None else self.web.host_of(case)
        return f"http://{host}:{self.web.port}{path}"

    async def raw(self, data: bytes) -> None:
        """Write bytes as they are."""
        self.writer.write(data)
        await self.writer.drain()

    async def reply(
        self,
        body: str | bytes = b"",
        status: int = 200,
        kind: str = "text/html; charset=utf-8",
        **headers: str,
    ) -> None:
        """Write a proper answer; underscores in header names stand for dashes."""
        content = body.encode() if isinstance(body, str) else body
        lines = [f"HTTP/1.1 {status} {_phrase(status)}", f"Content-Length: {len(content)}"]
        if kind:
            lines.append(f"Content-Type: {kind}")
        lines += [f"{name.replace('_', '-')}: {value}" for name, value in headers.items()]
        await self.raw("\r\n".join([*lines, "", ""]).encode("latin-1") + content)

    async def drip(self, data: bytes, pause: float, times: int) -> None:
        """Write `data` again and again with pauses (seconds) between."""
        for _ in range(times):
            await self.raw(data)
            await asyncio.sleep(pause)


Case = Callable[[Ask], Awaitable[None]]


@dataclass(frozen=True)
class Seen:
    """One line of the log."""

    case: str
    method: str
    path: str
    headers: dict[str, str]
    at: float


@dataclass
class HostileWeb:
    """The cases by name, where they listen, and what they were asked."""

    cases: dict[str, Case]
    log: list[Seen] = field(default_factory=list)
    connections: list[tuple[str, float]] = field(default_factory=list)
    """Address connected to and when (seconds), whether or not a request followed."""
    open_now: dict[str, int] = field(default_factory=dict)
    most_open: dict[str, int] = field(default_factory=dict)
    """Requests being answered at once, the most there were, by case."""
    port: int = 0

    def host_of(self, case: str) -> str:
        """Address of a case."""
        number = list(self.cases).index(case) + 1
        return f"127.66.{number // 250}.{number % 250 + 1}"

    def url(self, case: str, path: str = "/") -> str:
        """Absolute URL of a path of a case."""
        return f"http://{self.host_of(case)}:{self.port}{path}"

    def paths(self, case: str) -> list[str]:
        """Paths of a case in the order asked for, robots.txt aside."""
        return [one.path for one in self.log if one.case == case and one.path != "/robots.txt"]

    def times(self, case: str) -> list[float]:
        """When a case was asked (seconds), robots.txt aside."""
        return [one.at for one in self.log if one.case == case and one.path != "/robots.txt"]

    @property
    def trespassed(self) -> list[str]:
        """Forbidden addresses that were connected to."""
        return [host for host, _ in self.connections if host == FORBIDDEN]

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        host = writer.get_extra_info("sockname")[0]
        self.connections.append((host, time.monotonic()))
        names = {self.host_of(case): case for case in self.cases}
        case = names.get(host, host)
        try:
            # Cancelled when the web closes; asyncio would report that as an error.
            with suppress(ConnectionError, EOFError, asyncio.LimitOverrunError, CancelledError):
                await self._answer(case, host, reader, writer)
        finally:
            writer.close()

    async def _answer(
        self, case: str, host: str, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
        method, path, _ = head[0].split(" ", 2)
        headers = {
            name.lower(): value
            for name, _, value in (line.partition(": ") for line in head[1:] if line)
        }
        now = time.monotonic()
        self.log.append(Seen(case, method, path, headers, now))
        count = sum(one.case == case and one.path == path for one in self.log)
        answer = self.cases.get(case)
        ask = Ask(host, method, path, headers, count, now, self, writer)
        self.open_now[case] = self.open_now.get(case, 0) + 1
        self.most_open[case] = max(self.most_open.get(case, 0), self.open_now[case])
        try:
            if answer is not None:
                await answer(ask)
        finally:
            self.open_now[case] -= 1


@contextmanager
def hostile(cases: dict[str, Case]) -> Iterator[HostileWeb]:
    """Serve the cases from a thread; every connection carries one request."""
    web = HostileWeb(cases)
    loop = asyncio.new_event_loop()
    hosts = [web.host_of(case) for case in cases] + [FORBIDDEN]
    servers: list[asyncio.Server] = []

    async def listen() -> None:
        for host in hosts:
            server = await asyncio.start_server(
                web.serve, host, web.port, limit=_LONGEST_REQUEST, family=socket.AF_INET
            )
            web.port = web.port or server.sockets[0].getsockname()[1]
            servers.append(server)

    with running(loop, listen, servers):
        yield web


@contextmanager
def running(
    loop: asyncio.AbstractEventLoop,
    listen: Callable[[], Coroutine[Any, Any, None]],
    servers: list[asyncio.Server],
) -> Iterator[None]:
    """Run a loop in a thread: `listen` fills `servers`, which are closed in the end."""

    async def stop() -> None:
        for server in servers:
            server.close()
        unfinished = [task for task in asyncio.all_tasks() if task is not asyncio.current_task()]
        for task in unfinished:
            task.cancel()
        await asyncio.gather(*unfinished, return_exceptions=True)
        await asyncio.sleep(0.05)  # lets transports close

    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        asyncio.run_coroutine_threadsafe(listen(), loop).result(30)
        yield
    finally:
        asyncio.run_coroutine_threadsafe(stop(), loop).result(10)
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def site(pages: dict[str, str | bytes]) -> Case:
    """A harmless case: pages by path, everything else is a 404."""

    async def answer(ask: Ask) -> None:
        body = pages.get(ask.path)
        if body is None:
            await ask.reply("nothing here", 404)
        else:
            await ask.reply(body)

    return answer


def crawl(folder: Path, seeds: Sequence[str], *settings: str, topic: str = "") -> Run:
    """Crawl from the seeds with the project's defaults but for speed, in a process of its own.

    Settings are given as NAME=VALUE. The crawl's files are in `folder / "job"`. Without a topic
    the order is `bfs`.
    """
    asked = ["-a", f"seeds={','.join(seeds)}"]
    asked += ["-a", f"topic={topic}"] if topic else ["-a", "strategy=bfs"]
    for one in (
        f"FRONTIER_ALLOW_NETWORKS={ALLOWED}",
        f"JOBDIR={folder / 'job'}",
        "FRONTIER_SUMMARY=0",
        "FRONTIER_PROGRESS=0",
        "CONCURRENT_REQUESTS=16",
        "RETRY_TIMES=1",
        *settings,
    ):
        asked += ["-s", one]
    return run_focused(folder, *asked)


def _phrase(status: int) -> str:
    try:
        return HTTPStatus(status).phrase
    except ValueError:
        return "Unknown"
