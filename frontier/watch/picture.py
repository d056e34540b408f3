"""What a watcher of a crawl sees, as documents of plain numbers and texts: JSON can hold them.

Made from the store alone, by a process that is not the crawl's. What is there at once is shown at
once: the last snapshots, the last answers. What takes a pass over all answers is read in portions,
one a picture, so that the first one of a large crawl comes as soon as that of a small one, and
says by `scanned` how much of the rest it has seen. Nothing is rebuilt that the crawl has in memory.

The file is opened for each document and closed after it: who lingers keeps the crawl's WAL from
shrinking, and a crawl that ends from becoming one plain file.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from frontier.config import CrawlConfig
from frontier.labels.at_random import rate_of_crawl
from frontier.refresh.policy import RefreshPolicy
from frontier.store import StoreReader
from frontier.store.lock import is_held
from frontier.store.open import file_of
from frontier.store.schema import IDENTITY, PARAMETERS, SCORES, URL_RULES
from frontier.urls.rules import UrlRules
from frontier.utils import Closing
from frontier.watch.answers import Answers, best_places
from frontier.watch.explained import explained
from frontier.watch.points import Point, Points, curve_of
from frontier.watch.shown import SHOWN, LatestPages, TitleWords, shown_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

STEP: Final = 0.05
"""Seconds of a picture that go into reading older answers."""
READ_AT_ONCE: Final = 2000
"""Answers of a crawl of which the first picture begins with that."""
MORE: Final = 1.0
"""The same of what is asked for by somebody who waits."""
REASONS: Final = 20
_SOON: Final = 2.0
_SELDOM: Final = 60.0
"""Seconds after which what changes now and then is read again."""
_SCORES: Final = ("score", "topical", "authority", "cash")
"""Names under which orders save what their `score` is."""
_FIGURES: Final = (
    *("known", "queued", "in_flight", "pages", "judged", "relevant", "failed", "links", "hosts"),
    *("epoch", "memory"),
)


class Pictures(Closing):
    """Shows the crawl of one directory; a context manager, which several threads may ask."""

    def __init__(self, directory: Path) -> None:
        """Raises StoreMissingError where there is no crawl, and what `StoreReader.open` does."""
        self.directory = directory
        self._lock = Lock()
        self._forget()
        with self._reading():
            pass

    def close(self) -> None:
        """Nothing is held between two questions."""

    def _forget(self) -> None:
        """Begin anew, as with another crawl that lies in the place of the one before."""
        self._file: tuple[int, int] | None = None
        self._has_begun, self._strategy, self._config = False, "", CrawlConfig()
        self._answers, self._latest, self._points = Answers(), LatestPages(), Points()
        self._words = TitleWords({})
        self._seldom: dict[str, tuple[float, Any]] = {}
        self._is_first = True

    @contextmanager
    def _reading(self) -> Iterator[StoreReader]:
        """The store, for one document."""
        with self._lock, StoreReader.open(self.directory) as reader:
            found = file_of(self.directory).stat()
            if self._file not in (None, (found.st_dev, found.st_ino)):
                self._forget()
            self._file = found.st_dev, found.st_ino
            if not self._has_begun:
                with reader.reading():
                    self._learn(reader.settings())
            pause = _SELDOM if self._words.are_known else _SOON
            self._words = self._now_and_then("words", lambda: TitleWords(reader.settings()), pause)
            yield reader

    def _learn(self, settings: dict[str, Any]) -> None:
        """Take in what the crawl was asked to do, once that is stored."""
        if IDENTITY not in settings:
            return
        identity, parameters = settings[IDENTITY], settings.get(PARAMETERS, {})
        # Not the strategy: one of a project can be imported there alone.
        self._has_begun, self._strategy = True, identity["strategy"]
        self._config = CrawlConfig(
            topic=identity["topic"],
            examples=identity["examples"],
            random_seed=int(identity["random seed"]),
            url_rules=UrlRules.stored(settings[URL_RULES]),
            relevant=parameters.get("relevant", CrawlConfig.relevant),
            refresh=RefreshPolicy(**parameters.get("refresh", {})),
        )

    def _now_and_then(self, name: str, read: Callable[[], Any], least: float) -> Any:
        """What costs a little to read: again after `least` seconds, or 100 times what it took."""
        due, value = self._seldom.get(name, (0.0, None))
        if time.monotonic() >= due:
            began = time.perf_counter()
            value = read()
            took = time.perf_counter() - began
            self._seldom[name] = time.monotonic() + max(least, 100 * took), value
        return value

    def _scanned(self, reader: StoreReader) -> float:
        """Share of the answers that was read."""
        answers = reader.count_answers()
        return min(len(self._answers) / answers, 1.0) if answers else 1.0

    # -- the picture ------------------------------------------------------------------------------

    def picture(self) -> dict[str, Any]:
        """The whole document of this moment; what was read for the last one is not read again."""
        with self._reading() as reader:
            self._latest.read(reader, self._words, looks=self._config.refresh.enabled)
            if not (self._is_first and reader.count_answers() > READ_AT_ONCE):
                self._answers.read(reader, STEP)
            self._is_first = False
            return self._document(reader)

    def _document(self, reader: StoreReader) -> dict[str, Any]:
        running, config = is_held(self.directory), self._config
        points, details = self._points.read(reader, config.relevant), self._points.details
        finish = None if running else details.get("finish")
        curve = curve_of(points)
        rate, recent = (next(reversed(curve[name]), None) for name in ("rate", "recent"))
        lately = {"pages_per_second": rate if running else None, "recent_share": recent}
        return {
            "directory": str(self.directory),
            "topic": config.topic or config.examples,
            "strategy": self._strategy,
            "focused": config.focused,
            "started": reader.started(),
            "now": time.time(),
            "last_page": reader.last_fetched(),
            "running": running,
            "finish_reason": finish and finish["reason"],
            "finish_text": finish and finish["text"],
            "relevant_from": config.relevant,
            "scanned": self._scanned(reader),
            "numbers": self._numbers(reader, points) | lately,
            "curve": curve,
            "queue": details.get("queue"),
            "hosts": _hosts(reader, details.get("hosts", [])),
            "latest": list(self._latest.pages),
            "errors": self._answers.errors(REASONS),
            "refused": self._now_and_then("refused", lambda: _refused(reader), _SOON),
            "estimates": self._estimates(reader, points),
            "reranks": details.get("reranks", [])[::-1],
            "refresh": details.get("refresh"),
            "changes": list(self._latest.changes),
        }

    def _numbers(self, reader: StoreReader, points: list[Point]) -> dict[str, Any]:
        numbers: dict[str, Any] = dict.fromkeys(_FIGURES)
        if points:
            return {name: points[-1].figures[name] for name in numbers}
        # It has just begun, or was made by something else than a crawl.
        waits = {"known": reader.count_urls(), "in_flight": len(reader.leases())}
        return numbers | self._answers.counts(self._config.relevant) | waits

    def _estimates(self, reader: StoreReader, points: list[Point]) -> dict[str, Any]:
        left, coverage = self._points.details.get("estimates", {}).get("remaining"), None
        relevant = points[-1].figures["relevant"] if points else 0
        if left is not None and relevant:
            ends = {"estimate": "estimate", "low": "high", "high": "low"}
            coverage = {name: relevant / (relevant + left[end]) for name, end in ends.items()}
        rate = None
        if self._config.focused:
            rate = self._now_and_then("rate", lambda: self._harvest_rate(reader), _SOON)
        return {"harvest_rate": rate, "remaining": left, "coverage": coverage}

    def _harvest_rate(self, reader: StoreReader) -> dict[str, Any] | None:
        """By the labels in the directory, which may be newer than what the crawl has heard."""
        rate = rate_of_crawl(reader, self._config, self.directory)
        return None if rate is None else dict(zip(rate._fields[:4], rate[:4], strict=True))

    # -- what is asked for ------------------------------------------------------------------------

    def url(self, url: str) -> dict[str, Any]:
        """What `scrapy frontier explain --json` says of a URL, which takes a while.

        Raises WatchError where it fails, as for a URL that the crawl never met.
        """
        return explained(self.directory, url)

    def host(self, name: str) -> dict[str, Any]:
        """How many pages a host has, and its best and its latest ones, SHOWN of each at most."""
        with self._reading() as reader:
            self._answers.read(reader, MORE)
            names = reader.hosts()
            rows = self._answers.pages(names.index(name) if name in names else -1)
            return {
                "host": name,
                "scanned": self._scanned(reader),
                "pages": len(rows),
                "best": self._shown(reader, self._answers.best(rows, SHOWN)),
                "latest": self._shown(reader, rows[: -SHOWN - 1 : -1]),
            }

    def _shown(self, reader: StoreReader, rows: Any) -> list[dict[str, Any]]:
        answers = (reader.brief_answer(one) for one in self._answers.ids(rows).tolist())
        there, looks = [one for one in answers if one], self._config.refresh.enabled
        return shown_pages(reader, there, self._words, looks=looks)

    def map(self, n: int = 300) -> dict[str, Any]:
        """The n best fetched pages by the scores of the last epoch, and the links among them.

        By relevance in a crawl without scores. Links name places in the list of pages.
        """
        with self._reading() as reader:
            self._answers.read(reader, MORE)
            rows = self._answers.pages()
            scores, by = self._scores(reader, self._answers.ids(rows))
            if scores is None:
                scores, by = np.nan_to_num(self._answers.relevance(rows), nan=0.0), "relevance"
            best = best_places(scores, n)
            ids = self._answers.ids(rows[best])
            found = reader.fetch_urls(ids.tolist())
            pages = []
            for place, one in zip(best.tolist(), ids.tolist(), strict=True):
                answer = reader.brief_answer(one)
                pages.append(
                    {
                        "id": one,
                        "url": found[one].url,
                        "title": None if answer is None else answer.title,
                        "score": float(scores[place]),
                        "relevance": None if answer is None else answer.relevance,
                    }
                )
            links = _links_among(reader, ids)
            return {"scanned": self._scanned(reader), "by": by, "pages": pages, "links": links}

    def _scores(self, reader: StoreReader, ids: Any) -> tuple[Any, str]:
        """float64[k], what the last re-rank gave URLs, 0 of newer ones; None without one."""
        saved = reader.settings().get(SCORES, [])
        for name in _SCORES:
            found = reader.load_array(SCORES + name) if name in saved else None
            if found is not None and found[1].size:
                values = np.zeros(len(ids))
                known = ids < len(found[1])
                values[known] = found[1][ids[known]]
                return values, "score"
        return None, ""


def _refused(reader: StoreReader) -> list[dict[str, Any]]:
    names = "links", "domains", "reason", "example"
    return [dict(zip(names, row, strict=True)) for row in reader.refusals_by_reason()[:REASONS]]


def _hosts(reader: StoreReader, told: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Rows of the hosts: what the snapshot says, and what its host has asked for by now."""
    wishes, now = reader.wishes_of(one["host"] for one in told), time.time()
    rows = []
    for one in told:
        row = {name: value for name, value in one.items() if name != "dead"}
        row |= {"state": "ok", "until": None, "note": None}
        wish = wishes.get(one["host"])
        if "dead" in one:
            row |= {"state": "dead", "note": one["dead"]}
        elif wish is not None and (wish.delay or (wish.until or 0.0) > now):
            row |= {"state": "slowed", "until": wish.until, "note": wish.note}
        rows.append(row)
    return rows


def _links_among(reader: StoreReader, ids: Any) -> list[list[int]]:
    """Links between some URLs, as pairs of places among them."""
    by_id = np.argsort(ids)
    links = []
    for place, one in enumerate(ids.tolist()):
        targets = np.unique(reader.targets_of(one))
        at = np.searchsorted(ids, targets, sorter=by_id)
        at[at == len(ids)] = 0
        there = by_id[at[ids[by_id[at]] == targets]]
        links += [[place, other] for other in there.tolist() if other != place]
    return links
