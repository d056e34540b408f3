"""Real crawls that are cheap to start: one process imports Scrapy once and forks for each.

Started with `python crawling.py`, it reads a JSON list a line, [arguments, environment, output],
forks a process that becomes `scrapy <arguments>` with that output file, and answers its pid; a line
with a pid is answered with its exit status once it has ended (negative: the signal).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
_PARTS = (
    *("scrapy.cmdline", "scrapy.commands.crawl", "scrapy.core.downloader.handlers.http11"),
    *("scrapy.crawler", "scrapy.extensions.feedexport", "twisted.internet.asyncioreactor"),
    *(
        "frontier.plugin",
        "frontier.plugin.crawl.session",
        "frontier.backend.backend",
        "frontier.store",
    ),
    *("crawler.spiders.focused", "frontier.plugin.extensions.warc", "frontier.inspection"),
)


class Forks:
    """Starts crawls and waits for them."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self._process = process

    def _ask(self, question: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(question) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())

    def start(self, arguments: Sequence[str], output: Path, **environment: str) -> Forked:
        """Start `scrapy` with arguments; what it prints is appended to `output`."""
        pid = self._ask([list(arguments), environment, str(output)])
        return Forked(self, pid)

    def wait(self, pid: int) -> int:
        """Return the exit status of a crawl, negative for a signal."""
        return int(self._ask(pid))


@dataclass(frozen=True)
class Forked:
    """A crawl that was started."""

    forks: Forks
    pid: int

    def send(self, number: int) -> None:
        """Send a signal, if the process is still there."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def wait(self) -> int:
        """Return the exit status, negative for a signal."""
        return self.forks.wait(self.pid)


@contextmanager
def forking(**environment: str) -> Iterator[Forks]:
    """Yield what starts crawls; those that still run are killed at the end."""
    with subprocess.Popen(
        [sys.executable, "-m", __spec__.name],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT), **environment},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        forks = Forks(process)
        yield forks
        assert process.stdin is not None
        process.stdin.close()


def settings(**values: object) -> list[str]:
    """Command line of settings: those of every quick crawl, and these."""
    everything: Mapping[str, object] = {
        "LOG_LEVEL": "INFO",
        "TELNETCONSOLE_ENABLED": 0,
        "REMOTE_CONTROL_ENABLED": 0,
        "FRONTIER_PROGRESS": 0,
        "FRONTIER_SUMMARY": 0,
        "FRONTIER_ALLOW_NETWORKS": "127.0.0.0/8",
        "ROBOTSTXT_OBEY": 0,
        "DOWNLOAD_DELAY": 0,
        "AUTOTHROTTLE_ENABLED": 0,
        "CONCURRENT_REQUESTS": 4,
        "CONCURRENT_REQUESTS_PER_DOMAIN": 4,
        **values,
    }
    return [part for name, value in everything.items() for part in ("-s", f"{name}={value}")]


def _serve() -> None:
    import importlib

    for name in (*_PARTS, *os.environ.get("CRAWLING_IMPORTS", "").split()):
        importlib.import_module(name)
    running: set[int] = set()
    for line in sys.stdin:
        asked = json.loads(line)
        if isinstance(asked, int):
            running.discard(asked)
            answer = os.waitstatus_to_exitcode(os.waitpid(asked, 0)[1])
        else:
            answer = os.fork()
            if answer == 0:
                _become(*asked)
            running.add(answer)
        print(json.dumps(answer), flush=True)
    for pid in running:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)


def _become(arguments: list[str], environment: dict[str, str], output: str) -> None:
    code = 1
    try:
        os.environ.update(environment)
        file = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
        nothing = os.open(os.devnull, os.O_RDONLY)
        for target, source in ((0, nothing), (1, file), (2, file)):
            os.dup2(source, target)
        os.closerange(3, 64)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        sys.argv = ["scrapy", *arguments]
        sys.orig_argv = [sys.executable, "-m", "scrapy", *arguments]
        code = _run()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _run() -> int:
    import atexit
    import threading
    import traceback

    from scrapy.cmdline import execute

    try:
        execute()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:
        traceback.print_exc()
        code = 1
    # As at the end of every Python process.
    with suppress(Exception):
        threading._shutdown()  # type: ignore[attr-defined]  # there is no other way to wait
        atexit._run_exitfuncs()
    return code


if __name__ == "__main__":
    _serve()
