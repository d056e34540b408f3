"""Change logs: when the pages of a web appeared, changed and disappeared.

A change log is a text with a line for each change: Unix seconds, a tab, A, M or D for a page that
appears, changes or disappears, a tab, its URL. It comes from a file or a git history, or is made
up.
"""

from __future__ import annotations

import subprocess
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

import numpy as np

from frontier.errors import RecordingError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from ranking.arrays import FloatArray, LongArray

DAY: Final = 86400.0
_CHANGES: Final = ("A", "M", "D")
_GROUPS: Final = 20
MADE_UP: Final = {"made-up": False, "made-up-bursty": True}
"""Made-up logs, which need no file -> whether their changes come in bursts."""


@dataclass(frozen=True, eq=False)
class ChangeLog:
    """A web that changes: n pages, times in seconds since its beginning.

    Attributes:
        urls: n of them.
        born: float64[n], 0 for pages that exist at the beginning.
        gone: float64[n], infinite for pages that stay.
        times: float64[m] of changes, ascending.
        pages: int64[m], the page that changed.
        seconds: length of the log.

    """

    urls: tuple[str, ...]
    born: FloatArray
    gone: FloatArray
    times: FloatArray
    pages: LongArray
    seconds: float

    def __len__(self) -> int:
        return len(self.urls)


def read_change_log(
    path: Path, begin: float | None = None, seconds: float | None = None
) -> ChangeLog:
    """The window of a change log that begins at `begin`, Unix seconds.

    Without `seconds` it ends with the last change; without `begin` it begins with the first one,
    or so many seconds before the last. Raises RecordingError for a file that cannot be read or is
    no change log, and for a window without pages.
    """
    events: dict[str, list[tuple[float, str]]] = defaultdict(list)
    try:
        lines = path.read_text("utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise RecordingError(f"expected a change log, but {path} cannot be read: {error}") from None
    for number, line in enumerate(lines, start=1):
        parts = line.split("\t")
        if len(parts) != 3 or parts[1] not in _CHANGES or not _is_number(parts[0]):
            raise RecordingError(
                f"{path}, line {number}: expected seconds, A, M or D, and a URL, with tabs "
                f"between, found {line[:80]!r}"
            )
        events[parts[2]].append((float(parts[0]), parts[1]))
    times = [at for of_url in events.values() for at, _ in of_url] or [0.0]
    if begin is None:
        begin = min(times) if seconds is None else max(times) - seconds
    length = max(times) - begin if seconds is None else seconds
    pages = [_page(url, sorted(of_url), begin, length) for url, of_url in sorted(events.items())]
    log = _log([page for page in pages if page is not None], length)
    if not len(log):
        raise RecordingError(f"{path}: expected pages from {begin:.0f} to {begin + length:.0f}")
    return log


def git_changes(repository: Path, under: str, address: str, ending: str = "") -> Iterator[str]:
    """Lines of a change log: each file of a git repository a page, each commit a change.

    Commits of the first parents count, so that a merge is one change at its time; a moved file
    disappears and appears.

    Args:
        repository: its folder, bare or not.
        under: the folder whose files are pages; "" for all.
        address: beginning of the URLs, in place of that folder.
        ending: ending of files that are pages, such as ".md"; URLs do not have it, nor "index"
            before it.

    Raises:
        RecordingError: if git cannot read a history there.

    """
    options = ("--reverse", "--no-renames", "--first-parent", "-m", "--name-status", "-z")
    place = under.strip("/")
    asked = ["git", "-C", str(repository), "log", *options, "--format=%ct", "--", place or "."]
    try:
        done = subprocess.run(asked, capture_output=True, check=False)
    except OSError as error:
        raise RecordingError(f"expected git to read {repository} with, but {error}") from error
    if done.returncode:
        raise RecordingError(
            f"expected a git repository with a history in {repository}, but git says: "
            f"{done.stderr.decode('utf-8', 'replace').strip()}"
        )
    folder = f"{place}/" if place else ""
    words = iter(done.stdout.decode("utf-8", "replace").split("\0"))
    time = ""
    for word in words:
        entry = word.strip("\n")
        if entry.isdecimal() or not entry:
            time = entry
            continue
        name = next(words).removeprefix(folder)
        if name.endswith(ending):
            page = name[: len(name) - len(ending)]
            if ending and page.rpartition("/")[2] == "index":
                page = page[: -len("index")]
            change = entry if entry in _CHANGES else "M"
            yield f"{time}\t{change}\t{address.rstrip('/')}/{quote(page)}"


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


_Page = tuple[str, float, float, list[float]]


def _page(
    url: str, events: Sequence[tuple[float, str]], begin: float, seconds: float
) -> _Page | None:
    born, (last, change) = events[0][0] - begin, events[-1]
    gone = last - begin if change == "D" else np.inf
    if born > seconds or gone <= 0:
        return None
    times = [at - begin for at, change in events if change != "D"]
    changes = [at for at in times if max(born, 0.0) < at <= seconds]
    return url, max(born, 0.0), gone, changes


def _log(pages: Sequence[_Page], seconds: float) -> ChangeLog:
    times = np.array([at for page in pages for at in page[3]], np.float64)
    owners = np.repeat(np.arange(len(pages), dtype=np.int64), [len(page[3]) for page in pages])
    order = np.argsort(times, kind="stable")
    return ChangeLog(
        tuple(page[0] for page in pages),
        np.array([page[1] for page in pages], np.float64),
        np.array([page[2] for page in pages], np.float64),
        times[order],
        owners[order],
        seconds,
    )


def made_up(urls: Sequence[str], days: float, seed: int, *, bursty: bool = False) -> ChangeLog:
    """Pages in 20 groups that change at different rates: every 20 days to every year.

    With `bursty` changes come in bursts, further apart.
    """
    random = np.random.default_rng(seed)
    pages: list[_Page] = []
    for number, url in enumerate(urls):
        mean = 20 * (1 + number % _GROUPS) * np.exp(random.normal(0, 0.8)) * DAY
        changes: list[float] = []
        at = 0.0
        while True:
            again = bursty and changes and random.random() < 0.6
            at += random.exponential(DAY if again else mean * (2.5 if bursty else 1))
            if at >= days * DAY:
                break
            changes.append(at)
        pages.append((url, 0.0, np.inf, changes))
    return _log(pages, days * DAY)


def made_up_urls(n: int) -> list[str]:
    """Pages whose folders are the groups of `made_up`."""
    return [f"http://made.example/{number % _GROUPS}/{number}" for number in range(n)]
