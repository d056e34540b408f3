"""Real crawls that are cheap to start: one process imports Scrapy once and forks for each.

A setting whose name has a colon is a constant of ours that the crawl has otherwise: module and name
(`-s frontier.robots.cache:STALE=1`), or the default of a class's argument or field (`-s
frontier.config:CrawlConfig.turn=1`).

Started with `python -m tests.support.scrapy_forks`, it reads a JSON list a line, [arguments,
environment, directory, files of its stdout and stderr], forks a process that becomes `scrapy
<arguments>` there, and answers its pid; a line with a pid is answered with its exit status once it
has ended (negative: the signal).
"""

from __future__ import annotations

import atexit
import gc
import json
import os
import re
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
_PARTS = (
    *("scrapy.cmdline", "scrapy.commands.crawl", "scrapy.commands.runspider", "scrapy.crawler"),
    *("scrapy.statscollectors", "scrapy.logformatter", "scrapy.exporters", "numpy.ma"),
    *("twisted.internet.asyncioreactor", "twisted.conch.telnet", "tldextract", "aiohttp"),
    *("crawler.spiders.focused", "frontier.backend.backend", "frontier.inspection"),
    *("tests.support.stats_file", "tests.support.sites", "tests.support.fake_dns"),
    *("pytest", "scrapy.linkextractors"),
)
_COMPONENTS = "DOWNLOADER_MIDDLEWARES", "SPIDER_MIDDLEWARES", "EXTENSIONS", "DOWNLOAD_HANDLERS"
"""Settings that name what Scrapy loads for every crawl."""


class Forks:
    """Starts crawls and waits for them."""

    def __init__(self, process: subprocess.Popen[str], environment: Mapping[str, str]) -> None:
        self._process = process
        self._environment = environment
        self._asking = threading.Lock()

    def _ask(self, question: object) -> Any:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with self._asking:
            self._process.stdin.write(json.dumps(question) + "\n")
            self._process.stdin.flush()
            return json.loads(self._process.stdout.readline())

    def with_environment(self, **environment: str) -> Forks:
        """Return the same with other variables for what it starts; not for several threads."""
        return Forks(self._process, {**self._environment, **environment})

    def start(self, arguments: Sequence[str], output: Path, **environment: str) -> Forked:
        """Start `scrapy` with arguments; what it prints is appended to `output`."""
        files = output, output
        return self.start_in(ROOT, arguments, files, {**self._environment, **environment})

    def start_in(
        self,
        cwd: Path,
        arguments: Sequence[str],
        files: tuple[Path, Path],
        environment: Mapping[str, str],
    ) -> Forked:
        """Start `scrapy` in a directory with that environment; prints to stdout and stderr."""
        asked = list(arguments), dict(environment), str(cwd), [str(file) for file in files]
        return Forked(self, self._ask(asked))

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

    def ends(self, timeout: float | None = 0) -> bool:
        """Whether it has ended, at the latest after so many seconds."""
        watched = os.pidfd_open(self.pid)  # others may start and wait meanwhile
        ended = bool(select.select([watched], [], [], timeout)[0])
        os.close(watched)
        return ended

    def wait(self, timeout: float | None = None) -> int:
        """Return the exit status, negative for a signal; kill what takes longer than `timeout`."""
        if not self.ends(timeout):
            self.send(signal.SIGKILL)
        return self.forks.wait(self.pid)

    def kill(self) -> int:
        """Kill it as the system does, and return its exit status."""
        return self.wait(0)


@contextmanager
def forking(**environment: str) -> Iterator[Forks]:
    """Yield what starts crawls; those that still run are killed at the end."""
    everything = {**os.environ, "PYTHONPATH": str(ROOT), **environment}
    with subprocess.Popen(
        [sys.executable, "-m", __spec__.name],
        cwd=ROOT,
        env=everything,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield Forks(process, everything)
        assert process.stdin is not None
        process.stdin.close()


@cache
def shared_forks() -> Forks:
    """What starts crawls for every test of this process."""
    forks = forking()
    atexit.register(forks.__exit__, None, None, None)
    return forks.__enter__()


def settings(**values: object) -> list[str]:
    """Command line of settings: those of every quick crawl, and these."""
    everything: Mapping[str, object] = {
        "LOG_LEVEL": "INFO",
        "TELNETCONSOLE_ENABLED": 0,
        "REMOTE_CONTROL_ENABLED": 0,
        "FRONTIER_PROGRESS": 0,
        "FRONTIER_SUMMARY": 0,
        "FRONTIER_VECTORS": "built-in",
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
    _import_all()
    gc.freeze()  # what is shared with every fork is never walked again
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


def _import_all() -> None:
    import importlib
    import pkgutil

    from scrapy.settings import default_settings

    import frontier.plugin
    from ranking.errors import MissingExtraError

    named = [name for kind in _COMPONENTS for name in getattr(default_settings, f"{kind}_BASE")]
    handlers = default_settings.DOWNLOAD_HANDLERS_BASE
    named = [handlers.get(name, name).rpartition(".")[0] for name in named]
    named.remove("scrapy.core.downloader.handlers.ftp")  # in Scrapy 2.13 it imports the reactor
    ours = pkgutil.walk_packages(frontier.plugin.__path__, "frontier.plugin.")
    for name in (*_PARTS, *named, *(one.name for one in ours)):
        # An older Scrapy has not all of them, nor has an environment without extras.
        with suppress(ModuleNotFoundError, MissingExtraError):
            importlib.import_module(name)
    assert "twisted.internet.reactor" not in sys.modules  # every crawl installs its own


def _become(
    arguments: list[str], environment: dict[str, str], cwd: str, files: tuple[str, str]
) -> None:
    code = 1
    try:
        os.environ.clear()
        os.environ.update(environment)
        nothing = os.open(os.devnull, os.O_RDONLY)
        written = [os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644) for file in files]
        for target, source in enumerate((nothing, *written)):
            os.dup2(source, target)
        os.closerange(3, 64)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.chdir(cwd)
        more = environment["PYTHONPATH"].split(os.pathsep)
        sys.path[:0] = [cwd, *(one for one in more if one not in sys.path)]
        arguments = _with_constants(arguments)
        sys.argv = ["scrapy", *arguments]
        sys.orig_argv = [sys.executable, "-m", "scrapy", *arguments]
        code = _run()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _with_constants(arguments: list[str]) -> list[str]:
    """Set the constants among the arguments, and return the others."""
    others: list[str] = []
    for argument in arguments:
        name, _, value = argument.partition("=")
        if others[-1:] == ["-s"] and re.fullmatch(r"[\w.]+:[\w.]+", name):
            others.pop()
            set_constant(name, json.loads(value))
        else:
            others.append(argument)
    return others


def set_constant(name: str, value: object) -> None:
    """Set `module:NAME`, or the default of `module:Class.argument`."""
    from importlib import import_module
    from inspect import signature

    module, _, constant = name.partition(":")
    owner, _, argument = constant.rpartition(".")
    if not owner:
        assert hasattr(import_module(module), constant), name
        setattr(import_module(module), constant, value)
        return
    made: Any = getattr(import_module(module), owner).__init__
    if argument in (made.__kwdefaults__ or ()):
        made.__kwdefaults__[argument] = value
        return
    given = [one for one in signature(made).parameters.values() if one.default is not one.empty]
    named = {one.name: one.default for one in given if one.kind is one.POSITIONAL_OR_KEYWORD}
    assert argument in named, name
    made.__defaults__ = tuple({**named, argument: value}.values())


def _run() -> int:
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
