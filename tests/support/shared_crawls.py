"""Crawls shared by real processes: `scrapy frontier serve` and fetchers, on a web that keeps a log.

Two witnesses say what happened: the web, of each request, and PostgreSQL, whose triggers write down
each lease that was taken and each answer that was accepted.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from psycopg.conninfo import conninfo_to_dict, make_conninfo

from frontier.exchange.connection import connect
from frontier.exchange.wire import unpack_lease
from frontier.states import State
from frontier.store import StoreReader
from tests.support.scrapy_forks import Forked, Forks, settings
from tests.support.sites import links
from tests.support.states import states_of
from tests.support.stored import stored_urls

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

PATIENCE = 60.0
"""Seconds that anything may take on a machine that does much else."""
_LOOK = 0.05
_WITNESS = """
CREATE TABLE took (seq bigint, fetcher text, url bytea, at timestamptz DEFAULT clock_timestamp());
CREATE TABLE said (seq bigint, fetcher text, kind text);
CREATE FUNCTION note_took() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO public.took VALUES (NEW.seq, NEW.owner, NEW.url); RETURN NEW; END';
CREATE FUNCTION note_said() RETURNS trigger LANGUAGE plpgsql AS
    'BEGIN INSERT INTO public.said VALUES (NEW.seq, NEW.fetcher, NEW.kind); RETURN NEW; END';
CREATE TRIGGER took AFTER UPDATE ON frontier.feed FOR EACH ROW
    WHEN (OLD.owner IS NULL AND NEW.owner IS NOT NULL) EXECUTE FUNCTION note_took();
CREATE TRIGGER said AFTER INSERT ON frontier.inbox FOR EACH ROW
    WHEN (NEW.seq IS NOT NULL) EXECUTE FUNCTION note_said();
"""


def wait_until(condition: Callable[[], object], what: str, seconds: float = PATIENCE) -> None:
    """Return once something holds; AssertionError if it does not within so many seconds."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what}: not within {seconds:.0f} seconds"
        time.sleep(_LOOK)


# -- the web ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Request:
    """One request as the web saw it; times on the monotonic clock, `who` is its User-Agent."""

    host: str
    path: str
    who: str
    began: float
    ended: float


@dataclass
class Web:
    """Hosts 127.77.0.1, .2 ... on one port; page k lies at /k of host k modulo their number."""

    n_pages: int
    n_hosts: int
    latency: float
    """Seconds that each page takes."""
    robots: str = ""
    port: int = 0
    asked: list[Request] = field(default_factory=list)
    """All requests that were answered, also where nobody was left to read it."""

    def url(self, number: int) -> str:
        return f"http://127.77.0.{number % self.n_hosts + 1}:{self.port}/{number}"

    def page(self, number: int) -> str:
        """A page of a tree with links across; all can be reached from page 0."""
        near = (2 * number + 1, 2 * number + 2, number * 7 % self.n_pages)
        words = f"page {number} " + " ".join(f"word{number * 31 + one}" for one in range(30))
        return links(*(self.url(one) for one in near if one < self.n_pages), text=words)

    @property
    def pages(self) -> list[Request]:
        """Requests for pages, robots.txt aside."""
        return [one for one in list(self.asked) if one.path != "/robots.txt"]

    def asked_by(self, who: str) -> int:
        """Pages that a fetcher has been answered."""
        return sum(one.who == who for one in self.pages)

    def sooner(self, seconds: float) -> list[tuple[float, str, str, str]]:
        """Requests that came so soon after another one of their host.

        Seconds from the beginning of one to that of the other, the host, and who sent them.
        """
        in_turn = sorted(self.asked, key=lambda one: (one.host, one.began))
        return [
            (b.began - a.began, a.host, a.who, b.who)
            for a, b in pairwise(in_turn)
            if a.host == b.host and b.began - a.began < seconds
        ]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one packet
    web: ClassVar[Web]

    def do_GET(self) -> None:
        began = time.monotonic()
        status, body = self._content()
        host = self.headers["Host"].partition(":")[0]
        who = self.headers.get("User-Agent", "")
        self.web.asked.append(Request(host, self.path, who, began, time.monotonic()))
        self.send_response(status)
        robots = self.path == "/robots.txt"
        self.send_header("Content-Type", "text/plain" if robots else "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _content(self) -> tuple[int, bytes]:
        if self.path == "/robots.txt":
            return (200, self.web.robots.encode()) if self.web.robots else (404, b"")
        time.sleep(self.web.latency)
        return 200, self.web.page(int(self.path[1:])).encode()

    def log_message(self, format: str, *args: Any) -> None:
        pass


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 100

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that was killed is part of the test."""


@contextmanager
def serving_web(
    n_pages: int, n_hosts: int, latency: float = 0.0, robots: str = ""
) -> Iterator[Web]:
    """Serve a web on a free port of the loopback interface."""
    web = Web(n_pages, n_hosts, latency, robots)
    server = _Server(("", 0), type("Handler", (_Handler,), {"web": web}))
    web.port = server.server_address[1]
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield web
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


# -- the crawl -------------------------------------------------------------------------------------


@dataclass
class SharedCrawl:
    """One crawl of a web; `who` of a fetcher is its User-Agent and the name of its log."""

    forks: Forks
    web: Web
    dsn: str
    folder: Path
    more: tuple[str, ...] = ()
    """Arguments of every fetcher."""
    _watched: bool = False

    @property
    def job(self) -> Path:
        """Of `scrapy frontier serve`."""
        return self.folder / "job"

    def log(self, who: str) -> str:
        """All that was printed under a name; "serve" is that of who owns the order."""
        log = self._log(who)
        return log.read_text() if log.exists() else ""

    def _log(self, who: str) -> Path:
        return self.folder / f"{who}.log"

    def serve(self, *more: str, dsn: str = "") -> Forked:
        """Start `scrapy frontier serve` and wait until fetchers may come."""
        arguments = ["frontier", "serve", str(self.job), "--exchange", dsn or self.dsn, *more]
        serving = self.forks.start(arguments, self._log("serve"))
        wait_until(self._is_served, "the tables of the exchange")
        if not self._watched:
            self._watched = True
            self.rows(_WITNESS)
        return serving

    def _is_served(self) -> bool:
        ((made,),) = self.rows("SELECT to_regclass('frontier.coordinator') IS NOT NULL")
        return bool(made) and bool(self.rows("SELECT 1 FROM frontier.coordinator"))

    def fetch(self, who: str, *more: str, dsn: str = "", **environment: str) -> Forked:
        """Start a fetcher."""
        exchange = ["-s", f"FRONTIER_EXCHANGE={dsn or self.dsn}"]
        return self._crawl(who, *exchange, *more, **environment)

    def embedded(self, who: str = "embedded") -> Path:
        """Crawl without an exchange, to the end; returns the JOBDIR."""
        job = self.folder / who
        assert self._crawl(who, "-s", f"JOBDIR={job}").wait(PATIENCE) == 0, self.log(who)
        return job

    def _crawl(self, who: str, *more: str, **environment: str) -> Forked:
        quick = settings(
            USER_AGENT=who,
            FRONTIER_TRAP_BUDGET=100_000,  # what is refused depends on the order of pages
            FRONTIER_DOMAIN_CONCURRENCY=0,  # all hosts are one machine
            **{"frontier.config:CrawlConfig.rerank_min_pages": 2},
        )
        spider = ["-a", f"seeds={self.web.url(0)}", "-a", "strategy=ppr"]
        arguments = ["crawl", "focused", *spider, *quick, *self.more, *more]
        return self.forks.start(arguments, self._log(who), **environment)

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        """Ask PostgreSQL."""
        with connect(self.dsn, "tests") as connection:
            found = connection.execute(statement.encode(), values or None)
            return found.fetchall() if found.description else []

    # -- what must hold ----------------------------------------------------------------------------

    def check(self, *, fetched_anew: bool = True) -> None:
        """Nothing was lost, nothing answered twice; what was taken once, was asked for once.

        `fetched_anew`: leases were lost, so that some pages were asked for once more.
        """
        assert self.ends() == {self.web.url(one): "CRAWLED" for one in range(self.web.n_pages)}
        leased, fed, said = self._left()
        assert (leased, fed, said) == (0, 0, 0)
        answers = Counter(seq for (seq,) in self.rows("SELECT seq FROM said"))
        assert [seq for seq, n in answers.items() if n > 1] == [], "answered twice"
        assert self.pages_answered() == dict.fromkeys(self.ends(), 1)
        asked = Counter(f"http://{one.host}:{self.web.port}{one.path}" for one in self.web.pages)
        again = asked - Counter(self.taken() if fetched_anew else self.ends().keys())
        assert not again, "asked for more often than it was taken"

    def ends(self) -> dict[str, str]:
        """The state of every URL, by URL, as the crawl's file has it."""
        return ends_of(self.job)

    def _left(self) -> tuple[int, int, int]:
        with StoreReader.open(self.job) as reader:
            leased = len(reader.load().leases)
        ((fed, said),) = self.rows(
            "SELECT (SELECT count(*) FROM frontier.feed), (SELECT count(*) FROM frontier.inbox)"
        )
        return leased, fed, said

    def taken(self) -> Counter[str]:
        """How often each URL was taken by a fetcher."""
        rows = self.rows("SELECT url FROM took")
        return Counter(unpack_lease(bytes(url))[0].url for (url,) in rows)

    def pages_answered(self) -> dict[str, int]:
        """How many answers were accepted that brought a page, by URL."""
        rows = self.rows(
            "SELECT DISTINCT said.seq, took.url FROM said JOIN took USING (seq) WHERE kind = 'page'"
        )
        return dict(Counter(unpack_lease(bytes(url))[0].url for _, url in rows))

    def ended_well(self, fetcher: Forked, who: str) -> None:
        """Wait for the end of a fetcher that nothing has disturbed."""
        assert fetcher.wait(PATIENCE) == 0, self.log(who)
        assert "Spider closed (finished)" in self.log(who), self.log(who)
        for trouble in ("Traceback", " CRITICAL: ", " ERROR: "):
            assert trouble not in self.log(who), self.log(who)

    def served_to_the_end(self, serve: Forked) -> None:
        """Wait for the end of who owns the order, once nothing is left to fetch."""
        assert serve.wait(PATIENCE) == 0, self.log("serve")
        assert "nothing is left to fetch" in self.log("serve"), self.log("serve")


def ends_of(job: Path) -> dict[str, str]:
    """The state of every URL of a crawl, by URL."""
    with StoreReader.open(job) as reader:
        states = states_of(reader)
        return {row.url: State(states[row.url_id]).name for row in stored_urls(reader)}


# -- fetchers that are unlike others ---------------------------------------------------------------


class ClockAhead:
    """A Scrapy extension whose process believes that it is CLOCK_AHEAD seconds later."""

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> ClockAhead:
        seconds, now = crawler.settings.getfloat("CLOCK_AHEAD"), time.time
        time.time = lambda: now() + seconds
        return cls()


class Poison:
    """A spider middleware whose process dies when it is given the page at the path POISON."""

    def __init__(self, path: str) -> None:
        self._path = path

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Poison:
        return cls(crawler.settings["POISON"])

    def process_spider_input(self, response: Response) -> None:
        if response.url.endswith(self._path):
            os.kill(os.getpid(), signal.SIGKILL)


def plugged_in(setting: str, kind: type, **values: object) -> list[str]:
    """Arguments of a fetcher with one of the classes above, and settings of its own."""
    chosen = {f"{kind.__module__}.{kind.__qualname__}": 0}
    everything = {setting: json.dumps(chosen), **values}
    return [part for name, value in everything.items() for part in ("-s", f"{name}={value}")]


class Wire:
    """A TCP way to PostgreSQL that can be cut, or carry nothing for a while."""

    def __init__(self, socket_of_server: str) -> None:
        self._target = socket_of_server
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._listener.getsockname()[1]
        self._flows = threading.Event()
        self._flows.set()
        self._open: list[socket.socket] = []
        self._threads: list[threading.Thread] = []
        self._start(self._accept)

    def _start(self, target: Callable[..., None], *arguments: object) -> None:
        self._threads.append(threading.Thread(target=target, args=arguments, daemon=True))
        self._threads[-1].start()

    def stop(self) -> None:
        """Carry nothing; connections stay open."""
        self._flows.clear()

    def go_on(self) -> None:
        """Carry what has come meanwhile, and what comes."""
        self._flows.set()

    def cut(self) -> None:
        """Close all connections; new ones can be made."""
        for one in self._open:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self.go_on()
        self.cut()
        for thread in self._threads:
            thread.join()
        for one in (self._listener, *self._open):
            one.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.socket(socket.AF_UNIX)
                server.connect(self._target)
                self._open += [client, server]
                for pair in ((client, server), (server, client)):
                    self._start(self._carry, *pair)

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        with suppress(OSError):
            while data := source.recv(65536):
                self._flows.wait()
                target.sendall(data)
        for one in (source, target):
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)


@contextmanager
def wire_to(dsn: str) -> Iterator[tuple[Wire, str]]:
    """Yield a way to the private server of a `dsn`, and the connection string that takes it."""
    known = conninfo_to_dict(dsn)
    wire = Wire(f"{known['host']}/.s.PGSQL.{known['port']}")
    try:
        yield wire, make_conninfo(dsn, host="127.0.0.1", port=wire.port)
    finally:
        wire.close()
