"""`make crawl-shared`: one frontier and three fetchers on the demonstration web.

They share a PostgreSQL of their own (`private_postgres`). One fetcher is killed on the way, like a
failing machine: the others fetch the URLs it had leased. All processes have ended at the end.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING

from crawler.demonstration import PAGES, QUICK, Demonstration, demonstration_web
from crawler.private_postgres import PostgresMissingError, PrivatePostgres
from crawler.process import Process
from frontier.errors import ExchangeError, SettingsError, StoreError
from frontier.store.open import directory_for, make_writable
from ranking.printing import say

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path
    from types import FrameType

FETCHERS = 3
KILLED_AFTER = 15
"""Pages after which a fetcher is killed, the first to have so many: it has leased more URLs by
then,
and the crawl is far from over.
"""
END_SECONDS = 60.0
"""Seconds for the tables to be made, and for processes to end, also after an interrupt."""
_POLL_SECONDS = 0.1
# A crawl of a few pages should wait until others fetch the hosts of the killed fetcher, rather than
# spend its pages elsewhere.
_WAITING = ("FRONTIER_WAIT_FOR_BEST=15",)
# Only the frontier, which knows the whole crawl, prints to the terminal.
_SILENT = ("FRONTIER_PROGRESS=False", "FRONTIER_SUMMARY=False")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the crawl; returns 0 if the frontier and the other fetchers end with 0."""
    parser = argparse.ArgumentParser(prog="python -m crawler.shared", description=__doc__)
    parser.add_argument("--pages", default="", help=f"that are fetched in all; {PAGES}")
    parser.add_argument("--dir", default="", help="of the crawl; a new one below crawls/")
    given = parser.parse_args(arguments)
    directory = directory_for(given.dir).absolute()
    try:
        pages = _pages(given.pages or PAGES)
        make_writable(directory)
    except (SettingsError, StoreError) as error:
        say([str(error)], sys.stderr)
        return 2
    try:
        return _crawl(directory, pages)
    except (PostgresMissingError, ExchangeError) as error:
        say([str(error)], sys.stderr)
        return 1


def _pages(text: str) -> str:
    if not text.isdecimal() or int(text) < 1:
        raise SettingsError(f"Expected PAGES to be 1 or more, found {text}")
    return text


def _crawl(directory: Path, pages: str) -> int:
    with _stopping() as stop, ExitStack() as stack:
        postgres = stack.enter_context(PrivatePostgres())
        web = stack.enter_context(demonstration_web())
        crawl = SharedCrawl(directory, postgres.dsn(), web, stop)
        stack.callback(crawl.kill)
        text = f"PostgreSQL {postgres.version} carries the crawl; what happens is in"
        say([f"{text} {directory}/*.log"], sys.stdout)
        return crawl.run(pages)


class Stop:
    """The number of requests of the user to stop."""

    def __init__(self) -> None:
        self.asked = 0

    def ask(self, number: int, frame: FrameType | None) -> None:
        self.asked += 1


@contextmanager
def _stopping() -> Iterator[Stop]:
    """Count Ctrl-C and SIGTERM, so that all processes are stopped in order."""
    stop = Stop()
    numbers = signal.SIGINT, signal.SIGTERM
    before = {number: signal.signal(number, stop.ask) for number in numbers}
    try:
        yield stop
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class SharedCrawl:
    """The processes of a crawl, watched until all have ended."""

    def __init__(self, directory: Path, dsn: str, web: Demonstration, stop: Stop) -> None:
        self._directory = directory
        self._dsn = dsn
        self._web = web
        self._stop = stop
        self._all: list[Process] = []
        self._killed: Process | None = None
        self._late: list[Process] = []
        # A directory may hold what an earlier run has fetched.
        self._earlier = [self._written(number) for number in range(FETCHERS)]

    def run(self, pages: str) -> int:
        """Crawl and return the exit code."""
        serve = self._start_serving(pages)
        ready = self._wait_for_tables(serve)
        if ready:
            self._watch(serve, [self._start_fetching(number) for number in range(FETCHERS)])
        self._end(END_SECONDS if ready else 0.0)
        counts = [f"fetcher-{at + 1}: {self._fetched(at)}" for at in range(FETCHERS)]
        say(["", f"  pages by fetcher: {', '.join(counts)}"], sys.stdout)
        return self._verdict()

    def kill(self) -> None:
        """Kill the running processes."""
        for process in self._all:
            process.kill()

    def _start_serving(self, pages: str) -> Process:
        arguments = ["frontier", "serve", str(self._directory), "--exchange", self._dsn]
        arguments += ["--pages", pages]
        return self._start("serve", arguments, prints=True)

    def _start_fetching(self, number: int) -> Process:
        arguments = ["crawl", "focused"]
        arguments += ["-a", f"seeds={self._web.seeds}", "-a", f"topic={self._web.topic}"]
        for setting in (f"FRONTIER_EXCHANGE={self._dsn}", *QUICK, *_WAITING, *_SILENT):
            arguments += ["-s", setting]
        arguments += ["-o", f"{self._items(number)}:jsonlines"]
        return self._start(f"fetcher-{number + 1}", arguments)

    def _start(self, name: str, arguments: Sequence[str], *, prints: bool = False) -> Process:
        log = self._directory / f"{name}.log"
        process = Process(name, arguments, log, self._web.environment, prints=prints)
        self._all.append(process)
        return process

    def _items(self, number: int) -> Path:
        return self._directory / f"pages-{number + 1}.jsonl"

    def _fetched(self, number: int) -> int:
        """Pages that a fetcher has written in this run."""
        return self._written(number) - self._earlier[number]

    def _written(self, number: int) -> int:
        items = self._items(number)
        return items.read_bytes().count(b"\n") if items.exists() else 0

    def _wait_for_tables(self, serve: Process) -> bool:
        """Wait until the frontier has made its tables; returns whether it has."""
        from frontier.exchange.connection import connect

        deadline = time.monotonic() + END_SECONDS
        with connect(self._dsn, "make crawl-shared") as connection:
            while serve.running and not self._stop.asked and time.monotonic() < deadline:
                made = "SELECT FROM pg_tables WHERE tablename = 'coordinator'"
                if connection.execute(made).fetchone() is not None:
                    return True
                time.sleep(_POLL_SECONDS)
        return False

    def _watch(self, serve: Process, fetchers: Sequence[Process]) -> None:
        """Wait while both sides run, and kill a fetcher meanwhile."""
        while (
            serve.running and any(fetcher.running for fetcher in fetchers) and not self._stop.asked
        ):
            self._let_one_fail(fetchers)
            time.sleep(_POLL_SECONDS)

    def _let_one_fail(self, fetchers: Sequence[Process]) -> None:
        fetched, number = max((self._fetched(at), at) for at in range(FETCHERS))
        if self._killed is None and fetched >= KILLED_AFTER and fetchers[number].running:
            self._killed = fetchers[number]
            self._killed.kill()
            text = f"{self._killed.name} is killed (SIGKILL) after {self._fetched(number)} pages"
            say([f"{text}; what it has leased, the others fetch"], sys.stdout)

    def _end(self, seconds: float) -> None:
        """End all: by themselves for some seconds, then as after Ctrl-C, and then by force."""
        self._wait(0.0 if self._stop.asked else seconds)
        self._late = [] if self._stop.asked else self._running()
        for process in self._running():
            process.interrupt()
        self._wait(END_SECONDS)
        self.kill()

    def _wait(self, seconds: float) -> None:
        """Wait until all have ended, or the user wants to stop."""
        asked, deadline = self._stop.asked, time.monotonic() + seconds
        while self._running() and self._stop.asked == asked and time.monotonic() < deadline:
            time.sleep(_POLL_SECONDS)

    def _running(self) -> list[Process]:
        return [process for process in self._all if process.running]

    def _verdict(self) -> int:
        """0, or 1 with the failures on standard error."""
        fine = {0}
        if self._stop.asked:
            fine.add(-signal.SIGINT)  # it had not begun yet
        failed = [
            process
            for process in self._all
            if process.code not in fine and process is not self._killed
        ]
        for process in self._late:
            say([f"{process.name} did not end by itself; its log is {process.log}"], sys.stderr)
        for process in failed:
            text = f"{process.name} ended with exit code {process.code}; its log is {process.log}"
            say([text, *process.reason()], sys.stderr)
        return 1 if failed or self._late else 0


if __name__ == "__main__":
    sys.exit(main())
