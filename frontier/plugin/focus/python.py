"""The ready-made crawl as a loop over its pages, in a process of its own.

Scrapy needs a process of its own: its reactor starts once and takes over signals. So the crawl is
`scrapy focus` in a child process, and this process may be a notebook, a thread or have a reactor of
its own. Pages come through a pipe, as a feed of JSON lines. The child ends when the loop ends, is
left early or raises, and at its next page when this process dies.
"""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import suppress
from os import PathLike, environ, fspath
from pathlib import Path
from queue import SimpleQueue
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any, TextIO, TypeAlias

from frontier.errors import FrontierError, SettingsError
from frontier.plugin.focus.spider import ARGUMENTS, PageItem, require_topic
from frontier.urls.url_lists import UrlList, parse_lines, read_seeds

GRACE = 10.0
"""Seconds in which a stored crawl may stop in order."""
# Not -m, which puts the current directory first: the child imports what this process would.
_START = "import sys; sys.path[:] = {path!r}; from scrapy.cmdline import execute; execute()"
_QUIET = {"FRONTIER_PROGRESS": False, "FRONTIER_SUMMARY": False}
"""Settings of the child: the loop shows the pages."""
_LOG_AS_ERRORS = {"LOG_FILE": "/dev/stderr", "LOG_LEVEL": "WARNING"}
_LONGEST_ERROR = 2000
"""Characters of an error message: the end of the child's standard error."""
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

    `seeds` is a file with one URL a line, a URL, or several; `examples` are relevant pages to learn
    from first, given likewise. The crawl begins with the first iteration. It ends after `pages`
    answers (None: when nothing is left to fetch) or with the loop. It does not wait for the loop:
    pages are kept until the loop takes them. `stay` keeps it on the domains of the seeds. With a
    `directory` the crawl is stored there, with its log, and the same call resumes it; without,
    nothing is kept. `settings` are Scrapy's and the frontier's, such as `{"DOWNLOAD_DELAY": 1}`.

    Raises SettingsError, SeedsError or UnknownOrderError for invalid arguments, and FrontierError
    if the crawl fails.
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
        {
            "lines": [*listing.urls, *(text for _, text, _ in listing.skipped)],
            "stay": stay,
            "settings": given,
        }
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

    Leaving the loop ends the crawl, and so does `close()`.
    """

    def __init__(self, wanted: Mapping[str, Any]) -> None:
        self._crawl = _pages(wanted)
        self._came: list[PageItem] = []

    def __next__(self) -> PageItem:
        page = next(self._crawl)
        self._came.append(page)
        return page

    def __iter__(self) -> Iterator[PageItem]:
        # A generator of its own, which Python closes as soon as the loop is left.
        try:
            yield from iter(self.__next__, None)
        finally:
            self.close()

    def close(self) -> None:
        """End the crawl, unless it has ended; the pages that came are kept."""
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
    with TemporaryDirectory(prefix="frontier-") as folder:
        errors = Path(folder, "errors")
        with errors.open("a") as stream:
            child = _start(wanted, Path(folder), stream)
        pages: SimpleQueue[PageItem | None] = SimpleQueue()
        # In a thread, so that the crawl does not wait for a slow loop.
        reader = Thread(target=_read, args=(child, pages), daemon=True)
        reader.start()
        try:
            yield from iter(pages.get, None)
            code = child.wait()
        finally:
            _end(child, stored="JOBDIR" in wanted["settings"])
            reader.join()
            assert child.stdout is not None
            child.stdout.close()
        if code:
            reason = errors.read_text(errors="replace").strip() or "nothing was fetched"
            raise FrontierError(
                f"The crawl ended with exit code {code}: {reason[-_LONGEST_ERROR:]}"
            )


def _start(wanted: Mapping[str, Any], folder: Path, errors: TextIO) -> subprocess.Popen[bytes]:
    (folder / "seeds.txt").write_text("\n".join(wanted["lines"]), encoding="utf-8")
    settings = {
        "JOBDIR": folder / "job",
        **_QUIET,
        # The log of a crawl that is not stored could not be read later.
        **({} if "JOBDIR" in wanted["settings"] else _LOG_AS_ERRORS),
        **wanted["settings"],
    }
    settings["FEEDS"] = {**dict(settings.get("FEEDS", {})), "stdout:": {"format": "jsonlines"}}
    words = [str(folder / "seeds.txt"), *(["--stay"] if wanted["stay"] else [])]
    words += [word for setting in settings.items() for word in ("-s", _assigned(*setting))]
    path = [entry for entry in sys.path if isinstance(entry, str)]
    return subprocess.Popen(
        [sys.executable, "-c", _START.format(path=path), "focus", *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=errors,
        env={**environ, "TMPDIR": str(folder)},
        start_new_session=True,  # Ctrl-C reaches this process, which ends the child
    )


def _assigned(name: str, value: object) -> str:
    """A setting as `-s` takes it."""
    if isinstance(value, Mapping):
        return f"{name}={json.dumps(value)}"
    if isinstance(value, (list, tuple, set)):
        return f"{name}={','.join(map(str, value))}"
    return f"{name}={value}"


def _read(child: subprocess.Popen[bytes], pages: SimpleQueue[PageItem | None]) -> None:
    assert child.stdout is not None
    for line in child.stdout:
        # Other output of the child, or half a line, is no page.
        with suppress(ValueError, TypeError):
            pages.put(PageItem(**json.loads(line)))
    pages.put(None)


def _end(child: subprocess.Popen[bytes], *, stored: bool) -> None:
    if child.poll() is None:
        # A crawl that is not stored need not stop in order.
        child.send_signal(signal.SIGTERM if stored else signal.SIGKILL)
    try:
        child.wait(GRACE)
    except subprocess.TimeoutExpired:
        child.kill()
        child.wait()
