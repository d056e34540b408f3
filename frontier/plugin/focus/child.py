"""The process in which `frontier.focus` crawls.

It reads what is wanted from standard input, a JSON document on a line, and writes to standard
output a line for each page, ["page", fields], and for what went wrong, ["error", [class, message]].
Standard input stays open for as long as the parent lives.
"""

from __future__ import annotations

import json
import os
import select
import shutil
import signal
import sys
import time
from dataclasses import asdict
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO, TYPE_CHECKING, Any, NoReturn

from scrapy import signals
from scrapy.crawler import CrawlerProcess

from frontier.plugin.commands.base import crawl
from frontier.plugin.failures import refusal_of
from frontier.plugin.focus.command import LOG, ready_made
from frontier.plugin.focus.directories import make_writable
from frontier.plugin.focus.python import GRACE
from frontier.plugin.focus.spider import FocusedSpider
from frontier.urls.url_lists import UrlList
from ranking.errors import LinkRankError

if TYPE_CHECKING:
    from scrapy.settings import Settings

    from frontier.plugin.focus.spider import PageItem

QUIET = {
    "FRONTIER_PROGRESS": False,
    "FRONTIER_SUMMARY": False,
    "LOG_LEVEL": "WARNING",
}
"""The loop shows what comes; the log of a crawl without directory goes to standard error."""
NOTHING = (
    "Expected pages, and nothing was fetched. The log says why: see crawl.log in the directory, or "
    'give settings={"LOG_LEVEL": "INFO"}'
)
_SECONDS = 1.0
"""Between two looks whether the parent is there: forks of it may hold its end of the pipe open."""


def main() -> NoReturn:
    """Crawl, and end with exit code 0, or 1 after an error was sent."""
    parent = os.getppid()
    wanted = json.loads(sys.stdin.buffer.readline())
    Thread(target=_watch, args=(parent, wanted), daemon=True).start()
    # What anything here prints is not for the parent to read.
    pipe = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    lines = Lines(pipe)
    code = _crawl(wanted, lines)
    lines.end()
    raise SystemExit(code)


class Lines:
    """Messages on their way to the parent, in a thread: no crawl waits for a slow loop."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._waiting: SimpleQueue[tuple[str, Any] | None] = SimpleQueue()
        self._thread = Thread(target=self._write, daemon=True)
        self._thread.start()

    def send(self, kind: str, value: Any) -> None:
        """Queue a message."""
        self._waiting.put((kind, value))

    def end(self) -> None:
        """Wait until all is written, or nobody reads any more."""
        self._waiting.put(None)
        self._thread.join()

    def _write(self) -> None:
        try:
            for message in iter(self._waiting.get, None):
                self._pipe.write(json.dumps(message).encode() + b"\n")
                self._pipe.flush()
        except BrokenPipeError:
            pass  # the parent ends this process


def _crawl(wanted: dict[str, Any], lines: Lines) -> int:
    settings = ready_made()
    settings.setdict({**QUIET, **wanted["settings"]}, "cmdline")
    try:
        _log_in_directory(settings, wanted["settings"])
        process = CrawlerProcess(settings)
    except LinkRankError as error:
        lines.send("error", _described(error))
        return 1
    crawler = process.create_crawler(FocusedSpider)

    def scraped(item: PageItem) -> None:
        lines.send("page", asdict(item))

    crawler.signals.connect(scraped, signals.item_scraped)
    seeds = UrlList(tuple(wanted["urls"]), tuple(map(tuple, wanted["skipped"])))
    code, reason = crawl(process, crawler, seeds=seeds, stay=str(int(wanted["stay"])))
    refused = refusal_of(crawler)
    if refused is not None:
        lines.send("error", _described(refused))
    elif code or not crawler.stats.get_value("frontier/pages"):
        lines.send("error", ("FrontierError", reason or NOTHING))
    return code


def _described(error: LinkRankError) -> tuple[str, str]:
    return type(error).__name__, str(error)


def _log_in_directory(settings: Settings, given: dict[str, Any]) -> None:
    directory = settings.get("JOBDIR")
    if directory:
        make_writable(Path(directory))
        log = {"LOG_FILE": str(Path(directory) / LOG), "LOG_LEVEL": "INFO"}
        settings.setdict({name: log[name] for name in log.keys() - given.keys()}, "cmdline")


def _watch(parent: int, wanted: dict[str, Any]) -> None:
    """End this process when its parent has ended."""
    while os.getppid() == parent:
        readable, _, _ = select.select([sys.stdin], [], [], _SECONDS)
        if readable:  # at its end: nothing is sent after the first line
            break
    if wanted["settings"].get("JOBDIR"):
        os.kill(os.getpid(), signal.SIGTERM)
        time.sleep(GRACE)
    shutil.rmtree(wanted["folder"], ignore_errors=True)
    os._exit(1)
