"""Real sockets and real Scrapy processes for tests: a scripted site, and a runner of spiders."""

from __future__ import annotations

import json
import os
import subprocess
import textwrap
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from crawler import settings as house
from tests.support.crawling import shared_forks

ROOT = Path(__file__).resolve().parents[2]

WANDERER = """
import scrapy
from frontier.plugin import Links, page_of

class Wanderer(scrapy.Spider):
    name = "wanderer"

    async def start(self):
        yield scrapy.Request({url!r})

    def parse(self, response):
        yield Links(page_of(response, self.crawler).content.links)
"""
"""A spider that follows all links from `url`."""

Page = tuple[int, dict[str, str], bytes]
Answer = str | Page | Callable[["Asked"], "Page"]


@dataclass(frozen=True)
class Asked:
    """One request as the server saw it."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    count: int
    """How often this path was asked for, this time included."""


@dataclass
class Site:
    """A site scripted path by path; a str is HTML with status 200. What is not listed is a 404."""

    pages: dict[str, Answer]
    asked: list[Asked] = field(default_factory=list)
    at_once: int = 0
    _active: int = 0
    _lock: threading.Lock = field(default_factory=threading.Lock)
    port: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    @property
    def paths(self) -> list[str]:
        """Paths in the order asked for, robots.txt aside."""
        return [one.path for one in self.asked if one.path != "/robots.txt"]

    def answer(self, method: str, path: str, headers: dict[str, str], body: bytes) -> Page:
        with self._lock:
            count = 1 + sum(one.path == path and one.method == method for one in self.asked)
            asked = Asked(method, path, headers, body, count)
            self.asked.append(asked)
            self._active += 1
            self.at_once = max(self.at_once, self._active)
        try:
            answer = self.pages.get(path, (404, {}, b"nothing here"))
            if callable(answer):
                answer = answer(asked)
            if isinstance(answer, str):
                return 200, {"Content-Type": "text/html; charset=utf-8"}, answer.encode()
            return answer
        finally:
            with self._lock:
                self._active -= 1


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    site: Site

    def _serve(self) -> None:
        size = int(self.headers.get("Content-Length") or 0)
        body = self.rfile.read(size)
        status, headers, content = self.site.answer(
            self.command, self.path, dict(self.headers), body
        )
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    do_GET = do_POST = do_HEAD = _serve

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is part of the test."""


@contextmanager
def serving(pages: dict[str, Answer]) -> Iterator[Site]:
    """Serve a site on a free port of the loopback interface."""
    site = Site(pages)
    handler = type("Handler", (_Handler,), {"site": site})
    server = _Server(("127.0.0.1", 0), handler)
    site.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield site
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def redirect(target: str, status: int = 302) -> Page:
    return status, {"Location": target}, b""


def links(*targets: str, text: str = "", title: str = "a page") -> str:
    """An HTML page that links to each target; the anchor is the target's path."""
    anchors = " ".join(f'<a href="{one}">{one}</a>' for one in targets)
    return f"<html><head><title>{title}</title></head><body><p>{text}</p>{anchors}</body></html>"


@dataclass(frozen=True)
class Run:
    """What a Scrapy process left behind."""

    returncode: int
    log: str
    stdout: str
    items: list[dict[str, Any]]
    stats: dict[str, Any]


ADDONS = 'ADDONS={"frontier.plugin.LinkRankAddon": 500}'
QUICK = (
    "LOG_LEVEL=INFO",
    "TELNETCONSOLE_ENABLED=0",
    "REMOTE_CONTROL_ENABLED=0",
    "FRONTIER_ALLOW_NETWORKS=127.0.0.0/8",
    "DOWNLOAD_DELAY=0",
    "RETRY_TIMES=2",
)
"""Settings of every run: one request at a time unless a test says otherwise."""
HOUSE = tuple(
    f"{name}={getattr(house, name)}"
    for name in dir(house)
    if name.startswith("FRONTIER_") and name not in {"FRONTIER_PROGRESS", "FRONTIER_SUMMARY"}
)
"""How the ready-made project asks hosts, for spiders of other projects: what no default does."""


def scrapy(
    *arguments: str, cwd: Path, timeout: float = 60, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run the scrapy command of this environment."""
    paths = str(ROOT), os.environ.get("PYTHONPATH")
    everything = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **(env or {})}
    with TemporaryDirectory() as folder:
        out, err = Path(folder, "out"), Path(folder, "err")
        forked = shared_forks().start_in(cwd, arguments, (out, err), everything)
        status = forked.wait(timeout)
        return subprocess.CompletedProcess(arguments, status, out.read_text(), err.read_text())


def run_spider(
    folder: Path, code: str, *settings: str, addons: str = ADDONS, concurrency: int = 1
) -> Run:
    """Run the spider in `code` (dedented) with the add-on, in a process of its own."""
    (folder / "spider_file.py").write_text(textwrap.dedent(code))
    everything = (
        *QUICK,
        addons,
        f"CONCURRENT_REQUESTS={concurrency}",
        f"CONCURRENT_REQUESTS_PER_DOMAIN={concurrency}",
        "ROBOTSTXT_OBEY=0",  # one request less to count; it has tests of its own
        "STATS_CLASS=tests.support.stats_file.FileStats",
        *settings,
    )
    return _run(folder, ["runspider", "spider_file.py"], everything)


def run_guest(folder: Path, code: str, *settings: str, line: bool = True) -> Run:
    """Run the spider in `code` with Scrapy's own defaults, as it is or with the one line."""
    (folder / "spider_file.py").write_text(textwrap.dedent(code))
    everything = (*QUICK[:4], "STATS_CLASS=tests.support.stats_file.FileStats", *settings)
    if line:
        everything = (ADDONS, *everything)
    return _run(folder, ["runspider", "spider_file.py"], everything)


def run_focused(
    folder: Path, *arguments: str, proxy: str | None = None, path: Path | None = None
) -> Run:
    """Run `scrapy crawl focused` of this project; results go to `folder`, modules lie in `path`."""
    quick = (
        *QUICK[:4],
        "DOWNLOAD_DELAY=0",
        "AUTOTHROTTLE_ENABLED=0",
        "CONCURRENT_REQUESTS=1",
        "STATS_CLASS=tests.support.stats_file.FileStats",
        f"STATS_FILE={folder / 'stats.json'}",
    )
    env = {"http_proxy": proxy} if proxy else {}
    if path is not None:
        env["PYTHONPATH"] = f"{ROOT}:{path}"
    # Scrapy heeds the last of several values: what a test asks for comes after what all have.
    defaults = [part for one in quick for part in ("-s", one)]
    return _run(folder, ["crawl", "focused", *defaults, *arguments], (), cwd=ROOT, env=env)


def _run(
    folder: Path,
    command: list[str],
    settings: tuple[str, ...],
    cwd: Path | None = None,
    env: dict[str, str] | None = None,
) -> Run:
    items, stats = folder / "items.jsonl", folder / "stats.json"
    for old in (items, stats):
        old.unlink(missing_ok=True)
    arguments = [*command, "-O", str(items)]
    for setting in (f"STATS_FILE={stats}", *settings):
        arguments += ["-s", setting]
    done = scrapy(*arguments, cwd=cwd or folder, env=env)
    return Run(
        done.returncode,
        done.stderr,
        done.stdout,
        [json.loads(line) for line in items.read_text().splitlines()] if items.exists() else [],
        json.loads(stats.read_text()) if stats.exists() else {},
    )
