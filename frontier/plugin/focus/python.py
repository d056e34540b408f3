"""The ready-made crawl as a loop over its pages, in a process of its own.

Scrapy wants a process to itself: its reactor starts once and takes over signals. So the crawl runs
in a child that is started afresh, whatever this process does meanwhile (a notebook, a thread, a
reactor of its own). Pages come through a pipe, as JSON (`frontier.plugin.focus.child`). The child
ends with the loop: when it is left early, when an exception ends it, and when this process dies,
which the child knows by the other end of a second pipe.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from os import PathLike, environ, fspath
from tempfile import TemporaryDirectory
from typing import IO, Any, TypeAlias

import frontier.errors
import ranking.errors
from frontier.errors import FrontierError, SettingsError
from frontier.plugin.focus.spider import ARGUMENTS, PageItem, require_topic
from frontier.urls.url_lists import UrlList, parse_lines, read_seeds
from ranking.errors import LinkRankError

__all__ = ["Focus", "focus"]

GRACE = 10.0
"""Seconds in which a crawl that is kept in a directory may stop in order."""
# Not -m, which would put the current directory in front: the child imports what this process would.
_START = "import sys; sys.path[:] = {path!r}; from frontier.plugin.focus.child import main; main()"
_Names: TypeAlias = "str | PathLike[str] | Iterable[str]"


def focus(
    seeds: _Names,
    topic: str = "",
    *,
    pages: int | None = None,
    stay: bool = False,
    examples: _Names = "",
    strategy: str = "",
    directory: str | PathLike[str] | None = None,
    settings: Mapping[str, object] | None = None,
) -> Focus:
    """Crawl from seeds for a topic, best pages first and politely; iterate over the pages.

    `seeds` is a file with one URL a line, a URL, or several; `examples` likewise, relevant pages to
    learn from first. The crawl begins with the first page that is asked for. It ends after `pages`
    answers (None: when nothing is left to fetch) or with the loop, and waits for nobody: pages that
    the loop does not take yet are kept for it. `stay` keeps it on the hosts of the seeds, and on
    those that seeds redirect to. With a `directory` the crawl is stored there, with its log, and
    the same call resumes it; without, nothing is left of it. `settings` are Scrapy's and the
    frontier's, such as `{"DOWNLOAD_DELAY": 1}`.

    Raises SettingsError, SeedsError or UnknownOrderError, here or at the first page, for what
    cannot be crawled, and FrontierError where the crawl fails.
    """
    if pages is not None and (not isinstance(pages, int) or pages < 1):
        raise SettingsError(f"pages must be 1 or more, or None for no limit, but is {pages!r}")
    listing = _seeds(seeds)
    wanted = {
        **(settings or {}),
        ARGUMENTS["topic"]: topic,
        ARGUMENTS["examples"]: _joined(examples),
        ARGUMENTS["strategy"]: strategy,
        "JOBDIR": fspath(directory) if directory is not None else None,
        "CLOSESPIDER_PAGECOUNT": pages,
    }
    given = {name: value for name, value in wanted.items() if value not in (None, "")}
    require_topic(given.get)
    return Focus(
        {"urls": listing.urls, "skipped": listing.skipped, "stay": stay, "settings": given}
    )


def _seeds(seeds: _Names) -> UrlList:
    if isinstance(seeds, (str, PathLike)):
        return read_seeds(fspath(seeds))
    listing = parse_lines("\n".join(seeds))
    return listing if listing.urls else read_seeds(",".join(text for _, text, _ in listing.skipped))


def _joined(names: _Names) -> str:
    return fspath(names) if isinstance(names, (str, PathLike)) else ",".join(names)


class Focus(Iterator[PageItem]):
    """The pages of a crawl, in the order in which they are fetched.

    A loop that is left ends the crawl; so does `close()`.
    """

    def __init__(self, wanted: Mapping[str, Any]) -> None:
        self._crawl = _pages(wanted)
        self._came: list[PageItem] = []

    def __next__(self) -> PageItem:
        page = next(self._crawl)
        self._came.append(page)
        return page

    def __iter__(self) -> Iterator[PageItem]:
        # A generator of its own: Python closes it as soon as a loop is left, however that is.
        try:
            yield from iter(self.__next__, None)
        finally:
            self.close()

    def close(self) -> None:
        """End the crawl, if it has not ended; the pages that came stay."""
        self._crawl.close()

    def top(self, n: int = 10) -> list[PageItem]:
        """Return the best n of the pages that came: by relevance, and by score where that is equal.

        Pages that repeat another one are left out.
        """
        originals = [page for page in self._came if page.duplicate_of is None]
        return sorted(originals, key=_worth, reverse=True)[:n]


def _worth(page: PageItem) -> tuple[float, float]:
    return page.relevance or 0.0, page.score or 0.0


def _pages(wanted: Mapping[str, Any]) -> Generator[PageItem, None, None]:
    """Yield the pages of a crawl in a child, which ends when this generator does."""
    error: tuple[str, str] | None = None
    with TemporaryDirectory(prefix="frontier-") as folder:
        child = _start(folder)
        try:
            _send(child, {**wanted, "folder": folder})
            for kind, value in _messages(child):
                if kind == "page":
                    yield PageItem(**value)
                else:
                    error = value
            code = child.wait()
        finally:
            _end(child, stored="JOBDIR" in wanted["settings"])
    if error is not None:
        raise _error(*error)
    if code:
        raise FrontierError(
            f"The process of the crawl ended with exit code {code}; standard error says why"
        )


def _start(folder: str) -> subprocess.Popen[bytes]:
    path = [entry for entry in sys.path if isinstance(entry, str)]
    return subprocess.Popen(
        [sys.executable, "-c", _START.format(path=path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**environ, "TMPDIR": folder},  # what a crawl without directory writes
        start_new_session=True,  # Ctrl-C reaches this process, which ends the child
    )


def _send(child: subprocess.Popen[bytes], wanted: Mapping[str, Any]) -> None:
    with suppress(BrokenPipeError):  # it has ended, and said why
        stream = _open(child.stdin)
        stream.write(json.dumps(wanted).encode() + b"\n")
        stream.flush()


def _messages(child: subprocess.Popen[bytes]) -> Iterator[Any]:
    for line in _open(child.stdout):
        if line.endswith(b"\n"):  # else the child was killed there
            yield json.loads(line)


def _open(stream: IO[bytes] | None) -> IO[bytes]:
    assert stream is not None
    return stream


def _end(child: subprocess.Popen[bytes], *, stored: bool) -> None:
    if child.poll() is None:
        # Nothing is left of a crawl that is not stored: it need not stop in order.
        child.send_signal(signal.SIGTERM if stored else signal.SIGKILL)
    _open(child.stdout).close()  # what it still has to say is for nobody
    try:
        child.wait(GRACE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
    with suppress(BrokenPipeError):
        _open(child.stdin).close()


def _error(name: str, message: str) -> LinkRankError:
    """The error of the child, of its class where that is one of this library's."""
    for module in (frontier.errors, ranking.errors):
        kind = getattr(module, name, None)
        if isinstance(kind, type) and issubclass(kind, LinkRankError):
            return kind(message)
    return FrontierError(message)
