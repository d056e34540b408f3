"""What a watcher of a crawl sees, as documents of plain numbers and texts: JSON can hold them.

Made from the store alone, by a process that is not the crawl's. What is there at once is shown at
once: the last snapshots, the last answers. What takes a pass over all answers is read in portions,
one a picture, so that the first one of a large crawl comes as soon as that of a small one, and
says by `scanned` how much of the rest it has seen. Nothing is rebuilt that the crawl has in memory.

The file is opened for each document and closed after it: who lingers keeps the crawl's WAL from
shrinking, and a crawl that ends from becoming one plain file.
"""

from __future__ import annotations

import json
import time
from contextlib import contextmanager
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from frontier.config import CrawlConfig
from frontier.labels.at_random import rate_of_crawl
from frontier.refresh.policy import OFF
from frontier.states import State
from frontier.store import StoreReader
from frontier.store.lock import is_held
from frontier.store.open import file_of
from frontier.store.schema import IDENTITY, PARAMETERS, SCORES, URL_RULES
from frontier.urls.rules import UrlRules
from frontier.utils import Closing
from frontier.watch.answers import Answers, best_places
from frontier.watch.explained import explained
from frontier.watch.shown import SHOWN, LatestPages, TitleWords, shown_pages

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from frontier.store.rows import SnapshotRow

STEP: Final = 0.05
"""Seconds of a picture that go into reading older answers."""
READ_AT_ONCE: Final = 2000
"""Answers of a crawl of which the first picture begins with that."""
MORE: Final = 1.0
"""The same of what is asked for by somebody who waits."""
REASONS: Final = 20
_RATE_OVER: Final = 30.0
"""Seconds over which pages a second are counted."""
_TAIL: Final = 5000
"""Answers since the last snapshot that are counted."""
_PATIENCE: Final = 60.0
"""Seconds after which what changes seldom is read again."""
_SCORES: Final = ("score", "topical", "authority", "cash")
"""Names under which orders save what their `score` is."""
_NUMBERS: Final = (
    *("known", "queued", "in_flight", "pages", "judged", "relevant", "failed", "links", "hosts"),
    *("epoch", "memory", "pages_per_second", "recent_share"),
)


class _About(NamedTuple):
    """What a crawl was asked to do."""

    strategy: str
    topic: str
    focused: bool
    relevant_from: float
    refreshes: bool
    config: CrawlConfig
    """Of which only what identifies URLs is as it was."""

    @classmethod
    def of(cls, settings: dict[str, Any]) -> _About:
        identity, parameters = settings[IDENTITY], settings.get(PARAMETERS, {})
        rules = UrlRules.stored(settings[URL_RULES])
        return cls(
            identity["strategy"],
            identity["topic"] or identity["examples"],
            bool(identity["topic"] or identity["examples"]),
            float(parameters.get("relevant", CrawlConfig.relevant)),
            parameters.get("refresh", {}).get("way", OFF) != OFF,
            CrawlConfig(random_seed=int(identity["random seed"]), url_rules=rules),
        )


class _Now(NamedTuple):
    """Figures of the moment, or those of a snapshot."""

    at: float
    figures: dict[str, Any]


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
        self._about: _About | None = None
        self._answers = Answers()
        self._latest = LatestPages()
        self._points: dict[int, _Now] = {}
        self._details: dict[str, Any] = {}
        self._title_words = TitleWords({})
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
            yield reader

    def _once_in_a_while(self, name: str, read: Callable[[], Any], least: float) -> Any:
        """What costs a little to read: again after `least` seconds, or 100 times what it took."""
        due, value = self._seldom.get(name, (0.0, None))
        if time.monotonic() >= due:
            began = time.perf_counter()
            value = read()
            took = time.perf_counter() - began
            self._seldom[name] = time.monotonic() + max(least, 100 * took), value
        return value

    def _known(self, reader: StoreReader) -> _About | None:
        """What the crawl is about; None of one that has not begun."""
        if self._about is None:
            settings = reader.settings()
            if IDENTITY in settings:
                self._about = _About.of(settings)
        return self._about

    def _scanned(self, reader: StoreReader) -> float:
        """Share of the answers that was read."""
        answers = reader.count_answers()
        return min(len(self._answers) / answers, 1.0) if answers else 1.0

    def _words(self, reader: StoreReader) -> TitleWords:
        if not self._title_words.are_known:
            self._seldom.pop("words", None)
        self._title_words = self._once_in_a_while(
            "words", lambda: TitleWords(reader.settings()), _PATIENCE
        )
        return self._title_words

    # -- the picture ------------------------------------------------------------------------------

    def picture(self) -> dict[str, Any]:
        """The whole document of this moment; what was read for the last one is not read again."""
        with self._reading() as reader:
            about = self._known(reader)
            if about is None:
                return self._nothing_yet()
            self._read_snapshots(reader)
            self._latest.read(reader, self._words(reader), looks=about.refreshes)
            if not (self._is_first and reader.count_answers() > READ_AT_ONCE):
                self._answers.read(reader, STEP)
            self._is_first = False
            return self._document(reader, about)

    def _nothing_yet(self) -> dict[str, Any]:
        about = _About("", "", False, CrawlConfig.relevant, False, CrawlConfig())
        return self._head(about, is_held(self.directory)) | self._rest()

    def _head(self, about: _About, running: bool) -> dict[str, Any]:  # noqa: FBT001 - a fact
        finish = None if running else self._details.get("finish")
        return {
            "directory": str(self.directory),
            "topic": about.topic,
            "strategy": about.strategy,
            "focused": about.focused,
            "started": None,
            "now": time.time(),
            "last_page": None,
            "running": running,
            "finish_reason": finish and finish["reason"],
            "finish_text": finish and finish["text"],
            "relevant_from": about.relevant_from,
            "scanned": 1.0,
        }

    def _rest(self) -> dict[str, Any]:
        return {
            "numbers": dict.fromkeys(_NUMBERS),
            "curve": _curve([]),
            "queue": None,
            "hosts": [],
            "latest": [],
            "errors": [],
            "refused": [],
            "estimates": dict.fromkeys(("harvest_rate", "remaining", "coverage")),
            "reranks": [],
            "refresh": None,
            "changes": [],
        }

    def _document(self, reader: StoreReader, about: _About) -> dict[str, Any]:
        running = is_held(self.directory)
        points = list(self._points.values())
        if points:
            points += self._since(reader, about, points[-1])
        curve = _curve(points)
        refused = self._once_in_a_while("refused", reader.refusals_by_reason, 2.0)
        return {
            **self._head(about, running),
            "started": reader.started(),
            "last_page": reader.last_fetched(),
            "scanned": self._scanned(reader),
            "numbers": self._numbers(reader, about, points, curve["rate"] if running else [None]),
            "curve": curve,
            "queue": self._details.get("queue"),
            "hosts": _hosts(reader, self._details.get("hosts", [])),
            "latest": list(self._latest.pages),
            "errors": self._answers.errors(REASONS),
            "refused": [
                dict(zip(("links", "domains", "reason", "example"), row, strict=True))
                for row in refused[:REASONS]
            ],
            "estimates": self._estimates(reader, about, points),
            "reranks": self._details.get("reranks", [])[::-1],
            "refresh": self._details.get("refresh"),
            "changes": list(self._latest.changes),
        }

    def _read_snapshots(self, reader: StoreReader) -> None:
        """Take in rows that are new, and leave out those that the crawl has thinned out since."""
        rows = reader.snapshots(max(self._points, default=-1))
        with reader.reading():
            self._points |= {row.number: _point(row) for row in rows}
            if rows:
                self._details = json.loads(rows[-1].details or "{}")
                there = set(reader.snapshot_numbers())
                self._points = {n: one for n, one in self._points.items() if n in there}

    def _since(self, reader: StoreReader, about: _About, last: _Now) -> Iterator[_Now]:
        """The figures of now: those of the last snapshot, and the URLs answered since."""
        rows = reader.first_answers(last.figures["answers"], _TAIL)
        if not rows:
            return
        figures = dict(last.figures)
        for state, relevance, _ in rows:
            is_page = state == State.CRAWLED
            is_judged = is_page and relevance is not None
            figures["pages"] += is_page
            figures["judged"] += is_judged
            figures["relevant"] += is_judged and relevance >= about.relevant_from
            figures["failed"] += state in (State.ERROR, State.ROBOTS, State.FILTERED)
        yield _Now(max(rows[-1][2], last.at), figures)

    def _numbers(
        self, reader: StoreReader, about: _About, points: list[_Now], rates: list[Any]
    ) -> dict[str, Any]:
        numbers: dict[str, Any] = dict.fromkeys(_NUMBERS)
        if not points:  # just begun, or made by something else than a crawl
            counted = self._answers.counts(about.relevant_from)
            waits = {"known": reader.count_urls(), "in_flight": len(reader.leases())}
            return numbers | counted | waits
        figures = points[-1].figures
        numbers |= {name: figures[name] for name in _NUMBERS if name in figures}
        numbers["recent_share"] = _recent(figures)
        numbers["pages_per_second"] = rates[-1]
        return numbers

    def _estimates(self, reader: StoreReader, about: _About, points: list[_Now]) -> dict[str, Any]:
        told = self._details.get("estimates", {})
        left, coverage = told.get("remaining"), None
        relevant = points[-1].figures["relevant"] if points else 0
        if left is not None and relevant:
            ends = {"estimate": "estimate", "low": "high", "high": "low"}
            coverage = {name: relevant / (relevant + left[end]) for name, end in ends.items()}
        rate = None
        if about.focused:
            rate = self._once_in_a_while("rate", lambda: self._harvest_rate(reader, about), 10.0)
        return {"harvest_rate": rate, "remaining": left, "coverage": coverage}

    def _harvest_rate(self, reader: StoreReader, about: _About) -> dict[str, Any] | None:
        """By the labels in the directory, which may be newer than what the crawl has heard."""
        rate = rate_of_crawl(reader, about.config, self.directory)
        return None if rate is None else dict(zip(rate._fields[:4], rate[:4], strict=True))

    # -- what is asked for ------------------------------------------------------------------------

    def url(self, url: str) -> dict[str, Any]:
        """What `scrapy frontier explain --json` says of a URL, which takes a while.

        Raises WatchError where it fails, as for a URL that the crawl never met.
        """
        return explained(self.directory, url)

    def host(self, name: str) -> dict[str, Any]:
        """A host's best and latest pages, SHOWN of each at most, and what the picture says of it.

        Raises StoreMissingError where the crawl has not begun.
        """
        with self._reading() as reader:
            about = self._known(reader)
            self._answers.read(reader, MORE)
            names = reader.hosts()
            rows = self._answers.pages(names.index(name) if name in names else -1)
            told = [one for one in self._details.get("hosts", ()) if one["host"] == name]
            lists = {"best": self._answers.best(rows, SHOWN), "latest": rows[: -SHOWN - 1 : -1]}
            return {
                "host": name,
                "scanned": self._scanned(reader),
                "pages": len(rows),
                "figures": next(iter(_hosts(reader, told)), None),
                **{key: self._shown(reader, about, some) for key, some in lists.items()},
            }

    def _shown(self, reader: StoreReader, about: _About | None, rows: Any) -> list[dict[str, Any]]:
        answers = (reader.brief_answer(one) for one in self._answers.ids(rows).tolist())
        looks = about is not None and about.refreshes
        there = [one for one in answers if one is not None]
        return shown_pages(reader, there, self._words(reader), looks=looks)

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


def _point(row: SnapshotRow) -> _Now:
    return _Now(row.at, json.loads(row.figures))


def _recent(figures: dict[str, Any]) -> float | None:
    relevant, of = figures["recent"]
    return relevant / of if of else None


def _rates(points: list[_Now]) -> list[float | None]:
    """Pages and looks a second, over the last _RATE_OVER seconds of the same run."""
    at = np.array([one.at for one in points])
    run = np.array([one.figures["run"] for one in points])
    done = np.array([one.figures["pages"] + one.figures["looks"] for one in points])
    before = np.searchsorted(at, at - _RATE_OVER, side="right") - 1
    before = np.maximum(before, np.searchsorted(run, run))
    seconds, more = (at - at[before]).tolist(), np.maximum(done - done[before], 0).tolist()
    return [n / time if time > 0 else None for n, time in zip(more, seconds, strict=True)]


def _curve(points: list[_Now]) -> dict[str, list[Any]]:
    names = "pages", "judged", "relevant", "queued", "memory"
    curve: dict[str, list[Any]] = {name: [one.figures[name] for one in points] for name in names}
    curve |= {"at": [one.at for one in points], "rate": _rates(points)}
    return curve | {"recent": [_recent(one.figures) for one in points]}


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
