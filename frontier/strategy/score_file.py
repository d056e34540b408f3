"""Scores of URLs from a file, in portions: ten million lines are never in memory as text.

Read is what `python -m ranking rank` writes: text with a tab between the columns (compressed or
not, told by its first bytes) or Parquet. The first line of a text names
its columns, of which the first is the URL and `score` counts; without such a line the second
column is the score.
"""

from __future__ import annotations

import codecs
import math
from typing import TYPE_CHECKING, Any, NamedTuple

from frontier.errors import SettingsError
from frontier.urls.url_lists import encoding_of, shown_entry, url_fault

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

SCORE = "score"
_BYTES = 1 << 20
_ROWS = 1 << 16
_MAGIC = b"PAR1"
_SHOWN = 80


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
    """Yield the lines of a source without their ends, in UTF-8."""
    decode = codecs.getincrementaldecoder("utf-16")("replace").decode
    wide = encoding_of(head) != "utf-8"
    rest = decode(head).encode() if wide else head
    while block := source.read(_BYTES):
        block = decode(block).encode() if wide else block
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
