"""When the pages of a web appeared, changed and went: read from a file, or made up.

A change log is text, a line a change: Unix seconds, a tab, A, M or D for a page that appears,
changes or goes, a tab, its URL. `git log` gives one for the pages of a repository.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from frontier.errors import LabError

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from ranking.arrays import FloatArray, LongArray

DAY: Final = 86400.0
_WHAT: Final = ("A", "M", "D")


@dataclass(frozen=True, eq=False)
class ChangeLog:
    """A web that changes: n pages, times in seconds since its beginning.

    Attributes:
        urls: n of them.
        born: float64[n], 0 for those that were there at the beginning.
        gone: float64[n], infinite for those that stay.
        times: float64[m] of changes, ascending.
        pages: int64[m], the page that changed.
        seconds: how long the web was watched.

    """

    urls: tuple[str, ...]
    born: FloatArray
    gone: FloatArray
    times: FloatArray
    pages: LongArray
    seconds: float

    def __len__(self) -> int:
        return len(self.urls)


def read_change_log(path: Path, begin: float, seconds: float) -> ChangeLog:
    """The window of a change log that begins at `begin`, Unix seconds.

    Raises LabError for a file that is none, or has no page in that window.
    """
    events: dict[str, list[tuple[float, str]]] = defaultdict(list)
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        parts = line.split("\t")
        if len(parts) != 3 or parts[1] not in _WHAT or not _is_number(parts[0]):
            raise LabError(
                f"{path}, line {number}: expected seconds, A, M or D, and a URL, with tabs "
                f"between, found {line[:80]!r}"
            )
        events[parts[2]].append((float(parts[0]) - begin, parts[1]))
    pages = [_page(url, sorted(of_url), seconds) for url, of_url in sorted(events.items())]
    log = _log([page for page in pages if page is not None], seconds)
    if not len(log):
        raise LabError(f"{path}: expected pages from {begin:.0f} to {begin + seconds:.0f}")
    return log


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


_Page = tuple[str, float, float, list[float]]


def _page(url: str, events: Sequence[tuple[float, str]], seconds: float) -> _Page | None:
    born, last = events[0][0], events[-1]
    gone = last[0] if last[1] == "D" else np.inf
    if born >= seconds or gone <= 0:
        return None
    changes = [at for at, what in events if what != "D" and max(born, 0.0) < at < seconds]
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


def made_up(n: int, days: int, seed: int, *, bursty: bool = False) -> ChangeLog:
    """Pages in 20 folders, each of which changes at its own pace: every 20 days to every year.

    With `bursty` changes come several at once, and longer apart.
    """
    random = np.random.default_rng(seed)
    pages: list[_Page] = []
    for number in range(n):
        folder = number % 20
        mean = 20 * (1 + folder) * np.exp(random.normal(0, 0.8)) * DAY
        changes: list[float] = []
        at = 0.0
        while True:
            again = bursty and changes and random.random() < 0.6
            at += random.exponential(DAY if again else mean * (2.5 if bursty else 1))
            if at >= days * DAY:
                break
            changes.append(at)
        pages.append((f"http://made.example/{folder}/{number}", 0.0, np.inf, changes))
    return _log(pages, days * DAY)
