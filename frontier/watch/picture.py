"""The documents that a watcher of a crawl sees, as JSON values.

They are made from the store alone, by a process beside the crawl. The last snapshots and answers
are shown at once. Data that needs a pass over all answers is read in portions, one for each
picture, so that the first picture of a large crawl is as fast as that of a small one; `scanned` is
the share of answers read so far. The crawl's state in memory is rebuilt only to explain a URL, and
dropped with the answer.

The file is opened for each document and closed after it: an open reader would keep the crawl's WAL
from shrinking, and a finished crawl from becoming one plain file.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from contextlib import contextmanager
from functools import wraps
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar

import numpy as np

from frontier.config import DEFAULT_STRATEGY, CrawlConfig
from frontier.inspection.explain import explain
from frontier.inspection.resumed import Known
from frontier.labels.at_random import rate_of_crawl
from frontier.states import State
from frontier.store import StoreReader, statements
from frontier.store.lock import is_held
from frontier.store.open import file_of
from frontier.store.rows import TARGETS
from frontier.store.schema import IDENTITY, SCORES
from frontier.utils import Closing, give_memory_back
from frontier.watch.shown import SHOWN, LatestPages, TitleWords, shown_pages
from ranking.orders import saved_score
from ranking.printing import cut

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from frontier.estimates import HarvestRate

STEP: Final = 0.05
"""Seconds of a picture for reading older answers."""
EXPLAINED: Final = 10
"""Links listed in the explanation of a URL."""
REASONS: Final = 20
_PORTION: Final = 2000
_RATE_OVER: Final = 30.0
"""Seconds over which the rate of pages is averaged."""
_SELDOM: Final = 5.0
"""Seconds between two reads of data that changes seldom, or 100 times the duration of a read."""
_LONGEST_TOPIC: Final = 500
"""Characters of a topic, which may be a long text and is sent with each picture."""
_TRIED: Final = 10
"""URLs read for each page of the map, because the best URLs may not be fetched yet."""
_NAMES: Final = "known queued in_flight pages judged relevant failed links hosts epoch memory"
_FIGURES: Final = tuple(_NAMES.split())
_Asked = ParamSpec("_Asked")
_Answer = TypeVar("_Answer")
Point = dict[str, Any]
"""The figures of a snapshot, and its time `at`."""


def _freeing(question: Callable[_Asked, _Answer]) -> Callable[_Asked, _Answer]:
    """Decorate a method that needs much memory, which is returned to the system."""

    @wraps(question)
    def asked(*about: _Asked.args, **named: _Asked.kwargs) -> _Answer:
        try:
            return question(*about, **named)
        finally:
            give_memory_back()

    return asked


class Pictures(Closing):
    """The documents of the crawl in a directory, for several threads; a context manager."""

    def __init__(self, directory: Path) -> None:
        """Raises StoreMissingError without a crawl, and as `StoreReader.open` does."""
        self.directory = directory
        self._lock = Lock()
        self._begin(None)
        with self._reading():
            pass

    def close(self) -> None:
        """Do nothing: the store is closed after each document."""

    def _begin(self, file: tuple[int, int] | None) -> None:
        """Forget everything: the file is new, or has replaced another."""
        self._file = file
        self._strategy, self._config = "", CrawlConfig()
        self._words, self._latest = TitleWords({}), LatestPages()
        self._points: dict[int, Point] = {}
        self._details: dict[str, Any] = {}
        self._errors, self._counted = Counter[str](), 0
        self._rate: HarvestRate | None = None
        self._refused: list[dict[str, Any]] = []
        self._due = 0.0

    @contextmanager
    def _reading(self) -> Iterator[StoreReader]:
        """The store, for one document."""
        with self._lock, StoreReader.open(self.directory) as reader, reader.reading():
            file = file_of(self.directory).stat()
            if self._file != (file.st_dev, file.st_ino):
                self._begin((file.st_dev, file.st_ino))
            if time.monotonic() >= self._due:
                self._read_seldom(reader)
            yield reader

    def _read_seldom(self, reader: StoreReader) -> None:
        """Read settings, topic model, harvest rate and refusals."""
        began, settings = time.monotonic(), reader.settings()
        if IDENTITY not in settings:  # it has not begun
            return
        self._strategy = settings[IDENTITY]["strategy"]
        # A project's own strategy cannot be imported here.
        self._config = CrawlConfig.stored(settings, strategy=DEFAULT_STRATEGY)
        self._words = TitleWords(settings)
        # The file of labels may be newer than the labels in the store.
        self._rate = rate_of_crawl(reader, self._config, self.directory)
        names, rows = ("links", "domains", "reason", "example"), statements.REFUSALS_BY_REASON
        self._refused = [dict(zip(names, row, strict=False)) for row in reader.ask(rows)[:REASONS]]
        now = time.monotonic()
        self._due = now + max(_SELDOM, 100 * (now - began))

    # -- the picture ------------------------------------------------------------------------------

    def picture(self) -> dict[str, Any]:
        """The document of this moment; data of the last one is not read again."""
        with self._reading() as reader:
            running, config = is_held(self.directory), self._config
            self._latest.read(reader, self._words, revisits=config.refresh.enabled)
            answers = reader.count_answers()
            self._count_errors(reader, answers)
            curve, numbers = self._curve(reader, running=running)
            details = self._details
            finish = None if running else details.get("finish")
            errors = sorted(self._errors.items(), key=lambda pair: (-pair[1], pair[0]))[:REASONS]
            return {
                "directory": str(self.directory),
                "topic": cut(config.topic or config.examples, _LONGEST_TOPIC),
                "strategy": self._strategy,
                "focused": config.focused,
                "started": reader.started(),
                "now": time.time(),
                "last_page": reader.last_fetched(),
                "running": running,
                "finish_reason": finish and finish["reason"],
                "finish_text": finish and finish["text"],
                "relevant_from": config.relevant,
                "scanned": self._counted / answers if answers else 1.0,
                "numbers": numbers,
                "curve": curve,
                "queue": details.get("queue"),
                "hosts": [_host(reader, host) for host in details.get("hosts", ())],
                "latest": list(self._latest.pages),
                "errors": [{"count": count, "reason": reason} for reason, count in errors],
                "refused": self._refused,
                "estimates": self._estimates(numbers["relevant"]),
                "reranks": details.get("reranks", [])[::-1],
                "refresh": details.get("refresh"),
                "rendered": details.get("rendered"),
                "changes": list(self._latest.changes),
            }

    def _count_errors(self, reader: StoreReader, answers: int) -> None:
        """Continue to count the reasons of failures, superseded ones too, for STEP seconds."""
        until = time.perf_counter() + STEP
        while self._counted < answers:
            end = min(self._counted + _PORTION, answers)
            for error, count in reader.ask(statements.ERRORS_IN, self._counted, end - 1):
                self._errors[error or "unknown"] += count
            self._counted = end
            if time.perf_counter() > until:
                return

    def _curve(
        self, reader: StoreReader, *, running: bool
    ) -> tuple[dict[str, list[Any]], dict[str, Any]]:
        """Lists with a value for each snapshot and for now; and all numbers of now."""
        rows = reader.snapshots(max(self._points, default=-1))
        self._points |= {row.number: {"at": row.at, **json.loads(row.figures)} for row in rows}
        if rows:
            self._details = json.loads(rows[-1].details or "{}")
            there = {number for (number,) in reader.ask(statements.SNAPSHOT_IDS)}
            self._points = {n: point for n, point in self._points.items() if n in there}
        points = list(self._points.values())
        points += [now for point in points[-1:] if (now := self._now(reader, point)) is not point]
        names = "at", "pages", "judged", "relevant", "queued", "memory"
        curve: dict[str, list[Any]] = {name: [point[name] for point in points] for name in names}
        recent = (point["recent"] for point in points)
        curve |= {"recent": [n / of if of else None for n, of in recent], "rate": _rates(points)}
        if not points:  # the crawl has just begun, or was made by a test
            lacking = dict.fromkeys((*_FIGURES, "recent_share", "pages_per_second"))
            return curve, lacking | {"known": reader.count_urls()}
        numbers = {name: points[-1][name] for name in _FIGURES}
        rate = curve["rate"][-1] if running else None
        if running and time.time() - points[-1]["at"] > _RATE_OVER:
            rate = 0.0  # it waits
        return curve, {**numbers, "recent_share": curve["recent"][-1], "pages_per_second": rate}

    def _now(self, reader: StoreReader, last: Point) -> Point:
        """The last snapshot with the pages since added; in a crawl that refreshes without them."""
        since = self._config.relevant, last["answers"]
        pages, judged, relevant, at = reader.ask(statements.PAGES_FROM, *since)[0]
        if not pages or self._config.refresh.enabled:
            return last
        more = {"pages": pages, "judged": judged, "relevant": relevant}
        more = {name: last[name] + n for name, n in more.items()}
        return {**last, **more, "at": max(at, last["at"])}

    def _estimates(self, relevant: int | None) -> dict[str, Any]:
        left, rate = self._details.get("remaining"), self._rate
        coverage = None
        if left is not None and relevant:
            ends = {"estimate": "estimate", "low": "high", "high": "low"}
            coverage = {name: relevant / (relevant + left[end]) for name, end in ends.items()}
        harvest = rate and dict(zip(rate._fields[:4], rate[:4], strict=True))
        unknown = self._details.get("remaining_unknown")
        estimates = {"harvest_rate": harvest, "remaining": left, "coverage": coverage}
        return {**estimates, "remaining_unknown": unknown} if unknown else estimates

    # -- on request ------------------------------------------------------------------------

    @_freeing
    def url(self, url: str) -> dict[str, Any]:
        """The document of `scrapy frontier explain --json`; raises as `explain` does.

        It takes a few hundred bytes of memory for each URL of the crawl.
        """
        with StoreReader.open(self.directory) as reader:
            return explain(reader, Known.from_store(reader), url, EXPLAINED).as_dict()

    @_freeing
    def host(self, name: str) -> dict[str, Any]:
        """The SHOWN best and the SHOWN latest pages of a host."""
        with self._reading() as reader:
            names = reader.hosts()
            relevance = reader.pages_of_host(names.index(name)) if name in names else {}
            best = sorted(relevance, key=lambda url_id: -relevance[url_id])
            document: dict[str, Any] = {"host": name, "pages": len(relevance)}
            for kind, ids in ("best", best), ("latest", list(relevance)):
                rows = (
                    row
                    for url_id in ids[:SHOWN]
                    for row in reader.ask(statements.BRIEF_OF_URL, url_id)
                )
                revisits = self._config.refresh.enabled
                document[kind] = shown_pages(reader, rows, self._words, revisits=revisits)
            return document

    @_freeing
    def map(self, n: int = 300) -> dict[str, Any]:
        """The n best fetched pages by the scores of the last epoch, and the links among them.

        Without scores, the latest pages. Links are pairs of places in the list of pages.
        """
        with self._reading() as reader:
            scores, pages = self._scores(reader), list[dict[str, Any]]()
            if scores is None:
                ids = [row[0] for row in reader.ask(statements.BRIEF_FROM, 0, _TRIED * n)]
            else:
                most = min(_TRIED * n, len(scores))
                best = np.argpartition(-scores, most - 1)[:most]
                ids = best[np.lexsort((best, -scores[best]))].tolist()
            for url_id in dict.fromkeys(ids):
                for _, state, _, _, title, relevance, _ in reader.ask(
                    statements.BRIEF_OF_URL, url_id
                ):
                    if state == State.CRAWLED:
                        score = None if scores is None else float(scores[url_id])
                        page = {"id": url_id, "url": reader.urls_of([url_id])[0], "title": title}
                        pages.append({**page, "score": score, "relevance": relevance})
                if len(pages) == n:
                    break
            return {"pages": pages, "links": _links(reader, [page["id"] for page in pages])}

    def _scores(self, reader: StoreReader) -> Any:
        """float[k] by id, the link scores saved last; None without any."""
        name = saved_score(reader.settings().get(SCORES, []))
        array = None if name is None else reader.load_array(SCORES + name)
        return array[1] if array is not None and array[1].size else None


def _rates(points: list[Point]) -> list[float | None]:
    """Pages and revisits a second, over the last _RATE_OVER seconds of the same run."""
    at, run = (np.array([point[name] for point in points]) for name in ("at", "run"))
    done = np.array([point["pages"] + point["revisits"] for point in points])
    before = np.searchsorted(at, at - _RATE_OVER, side="right") - 1
    before = np.maximum(before, np.searchsorted(run, run))
    seconds, more = (at - at[before]).tolist(), np.maximum(done - done[before], 0).tolist()
    return [n / time if time > 0 else None for n, time in zip(more, seconds, strict=True)]


def _host(reader: StoreReader, shown: dict[str, Any]) -> dict[str, Any]:
    """A row of the hosts: the figures of the snapshot, and the current politeness of the host."""
    row = {**shown, "state": "ok", "until": None, "note": None}
    for until, delay, note in reader.ask(statements.POLITENESS, shown["host"]):
        if delay or (until or 0.0) > time.time():
            row |= {"state": "slowed", "until": until, "note": note}
    dead = row.pop("dead", None)
    return row | {"state": "dead", "until": None, "note": dead} if dead else row


def _links(reader: StoreReader, ids: list[int]) -> list[list[int]]:
    """Links between URLs, as pairs of places in the list."""
    places, links = {url_id: place for place, url_id in enumerate(ids)}, []
    for place, url_id in enumerate(ids):
        for (blob,) in reader.ask(statements.TARGETS_OF_URL, url_id):
            targets = set(np.frombuffer(blob, TARGETS).tolist()) - {url_id}
            links += [[place, places[target]] for target in sorted(targets & places.keys())]
    return links
