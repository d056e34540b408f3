"""What an earlier crawl said of URLs: a file of scores, and this crawl's own numbers.

The file of `FRONTIER_SCORES` is read once, when a crawl starts: each URL becomes the fingerprint it
has in this crawl, each score its share, and both are stored with the crawl. From then on the file
is not needed: a crawl that resumes, and whoever looks into it, reads what was stored.

Read is what `python -m ranking rank` writes: text with a tab between the
columns (compressed or not, told by its first bytes) or Parquet. The first line of a text names its
columns, of which the first is the URL and `score` counts; without such a line the second column is
the score. Ten million lines are never in memory as text.
"""

from __future__ import annotations

import math
from array import array
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from frontier.errors import SettingsError
from frontier.store import schema
from frontier.urls.url_lists import shown_entry, url_fault
from ranking.arrays import Column
from ranking.priority import Prior, lifted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from frontier.store import Store
    from frontier.store.queries import Queries

FINGERPRINTS = "fingerprints"
SHARES = "shares"
SCORE = "score"
_BYTES = 1 << 20
_ROWS = 1 << 16
_MAGIC = b"PAR1"
_SHOWN = 80


def read_prior(path: str, identify: Callable[[str], int]) -> Prior:
    """Read a file of scores; `identify` gives the fingerprint of a URL.

    Raises what `scored_urls` does, and SettingsError for a file without any.
    """
    fingerprints, scores = array("q"), array("d")
    for url, score in scored_urls(path):
        fingerprints.append(identify(url))
        scores.append(score)
    if not scores:
        raise SettingsError(
            f"Expected URLs and their scores in {path}, found none. Correct FRONTIER_SCORES "
            f"(-a scores=FILE), or leave it out."
        )
    return Prior.from_scores(
        np.frombuffer(fingerprints, np.int64), np.frombuffer(scores, np.float64)
    )


def stored_prior(store: Queries) -> Prior | None:
    """Return what a crawl was seeded with; None if with nothing."""
    arrays, _ = store.saved_arrays(schema.PRIOR)
    return Prior(arrays[FINGERPRINTS], arrays[SHARES]) if arrays else None


def store_prior(store: Store, prior: Prior | None) -> None:
    """Store it with the crawl, in place of what there may be."""
    arrays: dict[str, NDArray[Any]]
    arrays = {} if prior is None else {FINGERPRINTS: prior.keys, SHARES: prior.shares}
    store.set_setting(schema.PRIOR, sorted(arrays))
    for name, values in arrays.items():
        store.save_array(schema.PRIOR + name, 0, values)


class PriorScores:
    """The share of each URL of the crawl, by id; without a prior it costs and changes nothing."""

    def __init__(self, prior: Prior | None = None) -> None:
        self._prior = prior
        self._shares = Column(np.float32)

    def extend(self, fingerprints: Sequence[int] | NDArray[np.int64]) -> None:
        """Take the URLs whose ids follow, in their order."""
        if self._prior is not None:
            self._shares.extend(self._prior.of(fingerprints))

    def lifted(
        self,
        priorities: NDArray[np.float64],
        ids: NDArray[np.int64],
        in_links: NDArray[np.int32],
    ) -> NDArray[np.float64]:
        """Return the priorities of ids, lifted where something was known; `in_links` is by id."""
        if self._prior is None:
            return priorities
        return lifted(priorities, self._shares.array[ids], in_links[ids])


# -- the file ------------------------------------------------------------------------------------


class ScoredUrl(NamedTuple):
    """A URL that can be crawled, and a finite number."""

    url: str
    score: float


def scored_urls(path: str) -> Iterator[ScoredUrl]:
    """Yield the rows of a file.

    Raises SettingsError with the number of the first line that is none, OfflineInputError where
    the file cannot be read, MissingExtraError where that takes a package that is not installed.
    """
    from ranking.offline.files import open_source  # no crawl without scores needs it

    with open_source(path) as source:
        head = source.read(len(_MAGIC))
        rows = _parquet_rows(path) if head == _MAGIC else _text_rows(path, _lines(head, source))
        for where, name, value in rows:
            yield ScoredUrl(_url(where, name), _score(where, value))


def _text_rows(path: str, lines: Iterable[bytes]) -> Iterator[tuple[str, str, Any]]:
    column = 1
    for number, line in enumerate(lines, start=1):
        where = f"line {number:,} of {path}"
        try:
            fields = line.decode("utf-8-sig" if number == 1 else "utf-8").split("\t")
        except UnicodeDecodeError:
            raise _refusal(where, "it is not UTF-8 text") from None
        if number == 1 and SCORE in fields[1:]:
            column = fields.index(SCORE, 1)
        elif len(fields) > column:
            yield where, fields[0], fields[column]
        elif line.strip():
            raise _refusal(where, f"found {line.decode()[:_SHOWN]!r}")


def _lines(head: bytes, source: Any) -> Iterator[bytes]:
    """Yield the lines of a source without their ends."""
    rest = head
    while block := source.read(_BYTES):
        *lines, rest = (rest + block).split(b"\n")
        yield from (line.rstrip(b"\r") for line in lines)
    if rest:
        yield rest.rstrip(b"\r")


def _parquet_rows(path: str) -> Iterator[tuple[str, Any, Any]]:
    from ranking.errors import OfflineInputError
    from ranking.offline.extras import pyarrow

    arrow = pyarrow("reading Parquet")
    parquet = pyarrow("reading Parquet", "pyarrow.parquet")
    try:
        with parquet.ParquetFile(path) as file:
            names = file.schema_arrow.names
            if SCORE not in names[1:]:
                raise _refusal(path, f"it has the columns {', '.join(names)}")
            number = 0
            for batch in file.iter_batches(_ROWS, columns=[names[0], SCORE]):
                for name, value in zip(*(one.to_pylist() for one in batch.columns), strict=True):
                    number += 1
                    yield f"row {number:,} of {path}", name, value
    except arrow.ArrowException as error:
        raise OfflineInputError(f"{path} is damaged ({error}); write it again") from error


def _url(where: str, name: Any) -> str:
    fault = url_fault(name) if isinstance(name, str) else "is no text"
    if fault is None:
        return str(name)
    raise _refusal(where, f"{shown_entry(str(name))[:_SHOWN]!r} {fault}")


def _score(where: str, value: Any) -> float:
    try:
        score = float(value)
    except (TypeError, ValueError):
        score = math.nan
    if not math.isfinite(score):
        raise _refusal(where, f"{str(value)[:_SHOWN]!r} is no finite number")
    return score


def _refusal(where: str, found: str) -> SettingsError:
    return SettingsError(
        f"Expected a URL and its score, with a tab between, in {where}: {found}. Correct "
        f"FRONTIER_SCORES (-a scores=FILE); `python -m ranking rank` writes such files."
    )
