"""Crawlers that are known by their command line only: what is run, and when it is stopped.

A command is a line as for a shell, without one: it is split into words, and in each the names in
braces are filled in. Nothing else is agreed with a crawler than that it asks the proxy named in the
environment (`http_proxy`), so that the proxy's log tells all there is to know about its order.
"""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from benchmarks.children import ROOT, BenchmarkError

if TYPE_CHECKING:
    from frontier.lab.replay.records import Task

PLACEHOLDERS: Final = {
    "seeds": "URLs to start from, with commas between",
    "seeds_file": "the same in a file, one a line",
    "topic": "the topic in words; empty where there are only examples",
    "examples": "URLs of pages about the topic, with commas between; empty where there are words",
    "examples_file": "the same in a file",
    "texts_file": "file that names text files with their texts; empty where there are words",
    "budget": "how many requests will be counted",
    "proxy": "address of the proxy, which is also in http_proxy",
    "directory": "an empty directory of this run's own",
    "python": "this Python",
}
_PYTHON_SCRAPY = "{python} -m scrapy"
_AS_FAST_AS_IT_GOES = (
    "-s CONCURRENT_REQUESTS=1 -s CONCURRENT_REQUESTS_PER_DOMAIN=1 -s DOWNLOAD_DELAY=0 "
    "-s AUTOTHROTTLE_ENABLED=0 -s JOBDIR={directory}/job -s LOG_LEVEL=WARNING"
)
OURS, SCRAPY = "crawl-focused", "scrapy"
KNOWN: Final = {
    OURS: (
        f"env SCRAPY_SETTINGS_MODULE=crawler.settings {_PYTHON_SCRAPY} crawl focused "
        "-a seeds={seeds_file} -a topic={topic} -a examples={texts_file} "
        f"{_AS_FAST_AS_IT_GOES}"
    ),
    SCRAPY: (
        f"env SCRAPY_SETTINGS_MODULE=benchmarks.plain_settings {_PYTHON_SCRAPY} crawl plain "
        f"-a seeds={{seeds}} {_AS_FAST_AS_IT_GOES}"
    ),
}
"""Commands that have a name: our crawler as anyone runs it, and Scrapy without the frontier."""
_LOOK = 0.1  # seconds between two looks at a crawler
_PATIENCE = 10.0  # seconds that a crawler gets to end when it is asked to
_TAIL = 2000  # characters of what a failed crawler printed


@dataclass(frozen=True, slots=True)
class Command:
    """A crawler: the name of its row and its command line, with names in braces."""

    name: str
    line: str

    def words(self, values: Mapping[str, object]) -> list[str]:
        """The words to run. Raises BenchmarkError for a name in braces that is none of ours."""
        try:
            return [word.format_map(values) for word in shlex.split(self.line)]
        except (KeyError, ValueError, IndexError) as error:
            names = ", ".join(f"{{{name}}}" for name in PLACEHOLDERS)
            raise BenchmarkError(
                f"expected a command line with no other braces than {names}, found {self.line!r} "
                f"({error})"
            ) from error


def parse_command(text: str) -> Command:
    """Read NAME of a known command, or NAME=COMMAND. Raises BenchmarkError."""
    name, given, line = text.partition("=")
    name = name.strip()
    if not given and name in KNOWN:
        return Command(name, KNOWN[name])
    if not given or not line.strip() or not name.replace("-", "").isalnum():
        raise BenchmarkError(f"expected NAME=COMMAND, or one of {', '.join(KNOWN)}; found {text!r}")
    return Command(name, line.strip())


def values_of(task: Task, texts: Sequence[str], directory: Path) -> dict[str, object]:
    """What the names in braces stand for, with the files they name; `texts` are of the examples."""
    named = [
        _written(directory / f"example-{at}.txt", text) for at, text in enumerate(texts, start=1)
    ]
    return {
        "seeds": ",".join(task.seeds),
        "seeds_file": _listed(directory / "seeds.txt", task.seeds),
        "topic": task.topic_words,
        "examples": ",".join(task.examples),
        "examples_file": _listed(directory / "examples.txt", task.examples),
        "texts_file": _listed(directory / "texts.txt", map(str, named)) if named else "",
        "budget": task.budget,
        "directory": directory,
        "python": sys.executable,
    }


def run_command(
    command: Command,
    values: Mapping[str, object],
    proxy: str,
    counted: Callable[[], int],
    timeout: float,
) -> str:
    """Run a crawler until it ends, has made its requests (`counted`), or `timeout` seconds.

    Returns what is to be told of its end, "" where it ended well. Raises BenchmarkError where it
    cannot be started, or failed without a request.
    """
    words = command.words({**values, "proxy": proxy})
    log = Path(str(values["directory"])) / "output.log"
    with log.open("wb") as output:
        child = _started(command, words, proxy, output)
        try:
            told = _watched(child, int(str(values["budget"])), counted, timeout)
        finally:
            _stop(child)
    if told and not counted():
        tail = log.read_text(encoding="utf-8", errors="replace")[-_TAIL:]
        raise BenchmarkError(f"{command.name} {told} and asked for nothing:\n{tail}")
    return told


def _started(
    command: Command, words: Sequence[str], proxy: str, output: IO[bytes]
) -> subprocess.Popen[bytes]:
    try:
        return subprocess.Popen(
            words,
            cwd=ROOT,
            env={**os.environ, **_proxied(proxy)},
            stdout=output,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            # A group of its own: what the crawler starts ends with it.
            start_new_session=True,
        )
    except OSError as error:
        raise BenchmarkError(f"{command.name}: {words[0]} cannot be run: {error}") from error


def _watched(
    child: subprocess.Popen[bytes], budget: int, counted: Callable[[], int], timeout: float
) -> str:
    """Wait until a crawler has ended or had enough; what is to be told of that."""
    ends = time.monotonic() + timeout
    while child.poll() is None:
        if counted() >= budget:
            return ""
        if time.monotonic() > ends:
            return f"was stopped after {timeout:,.0f} s"
        time.sleep(_LOOK)
    return f"ended with {child.returncode}" if child.returncode else ""


def _stop(child: subprocess.Popen[bytes]) -> None:
    """End a crawler and what it started."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        with suppress(ProcessLookupError):
            os.killpg(child.pid, number)
        with suppress(subprocess.TimeoutExpired):
            child.wait(timeout=_PATIENCE)


def _listed(path: Path, entries: Iterable[str]) -> Path:
    return _written(path, "".join(f"{entry}\n" for entry in entries))


def _written(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def _proxied(proxy: str) -> dict[str, str]:
    return {"http_proxy": proxy, "HTTP_PROXY": proxy, "https_proxy": proxy, "no_proxy": ""}
