"""Copies of the numbers of URLs and answers, in groups of rows.

A row of `urls` or `pages` holds everything about a URL or an answer, above all texts, so that
reading a few numbers of each row takes reading the whole file. So the numbers are stored a second
time, those of a group as one blob: a resumed crawl or an inspection reads a million of them in
tenths of a second. The rows behind the last complete group are read as they are, and packed in the
same way.

A group is written once, in the transaction that completes it; it changes only where one of its URLs
becomes a seed later.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from frontier.records import LinkArrays
from frontier.store import statements
from frontier.store.rows import FLAGS, PREDICTED, TARGETS, links_of_blobs
from frontier.urls.places import folder_places

URLS: Final = 1024
"""Rows of a group: few, since up to so many rows behind the last group are read one by one."""
ANSWERS: Final = 256
_NONE: Final = -1
_LAST: Final = 2**62
_LINK_BYTES: Final = [kind.itemsize for kind in (TARGETS, PREDICTED, FLAGS)]


class GroupCounts(NamedTuple):
    """How many groups are written, of URLs and of answers."""

    urls: int
    answers: int


class UrlNumbers(NamedTuple):
    """Of n URLs, by id."""

    fingerprints: NDArray[np.int64]
    hosts: NDArray[np.int32]
    depths: NDArray[np.int32]
    seeds: NDArray[np.bool_]
    texts: NDArray[np.uint32]
    """`text_key` of their canonical URLs."""
    folders: NDArray[np.uint32]
    """`folder_places` of their URLs."""


class AnswerNumbers(NamedTuple):
    """Of all answers, by number; see `PageRow`."""

    ids: NDArray[np.int32]
    states: NDArray[np.uint8]
    lease_numbers: NDArray[np.int64]
    """-1 without one."""
    relevance: NDArray[np.float64]
    """NaN where a page was not judged."""
    fetched: NDArray[np.float64]
    """Unix seconds."""
    priority: NDArray[np.float64]
    """NaN where the URL was not leased."""
    marks: NDArray[np.uint16]
    twins: NDArray[np.int32]
    """-1 without one."""
    lengths: NDArray[np.int32]
    """Numbers of links; -1 where an answer is no page of the link graph."""

    @property
    def linking(self) -> NDArray[np.bool_]:
        """Mask of the answers that are pages of the link graph."""
        linking: NDArray[np.bool_] = self.lengths >= 0
        return linking


_URL: Final = np.dtype(
    list(zip(UrlNumbers._fields, ("<i8", "<i4", "<i4", "?", "<u4", "<u4"), strict=True))
)
_ANSWER_TYPES: Final = "<i4", "u1", "<i8", "<f8", "<f8", "<f8", "<u2", "<i4", "<i4"
_ANSWER: Final = np.dtype(list(zip(AnswerNumbers._fields, _ANSWER_TYPES, strict=True)))


def text_key(url: str) -> int:
    """Return a number by which a URL is searched, which few others share."""
    return crc32(url.encode("utf-8", "surrogatepass"))


def written(cursor: sqlite3.Cursor) -> GroupCounts:
    """Return how many groups the file has."""
    counts = statements.COUNT_URL_GROUPS, statements.COUNT_ANSWER_GROUPS
    return GroupCounts(*(cursor.execute(count).fetchone()[0] for count in counts))


def complete(
    cursor: sqlite3.Cursor,
    before: GroupCounts,
    urls: int,
    answers: int,
    changed: Iterable[int] = (),
) -> GroupCounts:
    """Write the groups that so many URLs and answers complete, in their transaction.

    `changed` are ids of URLs whose numbers have changed.
    """
    now = GroupCounts(urls // URLS, answers // ANSWERS)
    again = {url_id // URLS for url_id in changed if url_id // URLS < before.urls}
    for number in (*sorted(again), *range(before.urls, now.urls)):
        cursor.execute(statements.PUT_URL_GROUP, (number, url_group(cursor, number)))
    for number in range(before.answers, now.answers):
        row = number, *answer_group(cursor, number)
        cursor.execute(statements.INSERT["answer_groups"], row)
    return now


def url_group(cursor: sqlite3.Cursor, number: int) -> bytes:
    """Return the numbers of a group of URLs, from their rows."""
    return _packed_urls(cursor, number * URLS, (number + 1) * URLS - 1)


def answer_group(cursor: sqlite3.Cursor, number: int) -> tuple[bytes, bytes]:
    """Return the numbers of a group of answers, and their links, from their rows."""
    return _packed_answers(cursor, number * ANSWERS, (number + 1) * ANSWERS - 1)


def _packed_urls(cursor: sqlite3.Cursor, first: int, last: int) -> bytes:
    rows = cursor.execute(statements.URLS_TO_PACK, (first, last)).fetchall()
    folders = folder_places(url for *_, url, _ in rows).tolist()
    keyed = [
        (*row, text_key(other or url), folder)
        for (*row, url, other), folder in zip(rows, folders, strict=True)
    ]
    return np.array(keyed, _URL).tobytes()


def _packed_answers(cursor: sqlite3.Cursor, first: int, last: int) -> tuple[bytes, bytes]:
    rows, links = [], [bytearray() for _ in _LINK_BYTES]
    for *row, blob, predicted, flags in cursor.execute(statements.ANSWERS_TO_PACK, (first, last)):
        rows.append((*row, _NONE if blob is None else len(blob) // TARGETS.itemsize))
        for kind, of_row in zip(links, (blob, predicted, flags), strict=True):
            kind += of_row or b""
    return np.array(rows, _ANSWER).tobytes(), b"".join(links)


# -- reading -------------------------------------------------------------------------------------


def read_urls(cursor: sqlite3.Cursor) -> UrlNumbers:
    """Read the numbers of all URLs."""
    rows = _read(cursor, statements.URL_GROUPS, _URL.itemsize * URLS)
    rows += _packed_urls(cursor, len(rows) // _URL.itemsize, _LAST)
    table = np.frombuffer(rows, _URL)
    return UrlNumbers(*(table[name].copy() for name in UrlNumbers._fields))


def read_answers(cursor: sqlite3.Cursor) -> AnswerNumbers:
    """Read the numbers of all answers, without their links."""
    return _answers(cursor, _read(cursor, statements.ANSWER_GROUPS, _ANSWER.itemsize * ANSWERS))[0]


def read_linking_answers(cursor: sqlite3.Cursor) -> tuple[AnswerNumbers, LinkArrays]:
    """Read the numbers of all answers, and their links, in the order of the answers."""
    links = bytearray(), bytearray(), bytearray()
    rows = _read(cursor, statements.LINKING_GROUPS, _ANSWER.itemsize * ANSWERS, links)
    answers, rest = _answers(cursor, rows)
    _divide(rest, links)
    arrays = links_of_blobs(*links)
    if len(arrays.targets) != answers.lengths.clip(0).sum(dtype=np.int64):
        raise ValueError("links of answers do not fit together")
    return answers, arrays


def _read(
    cursor: sqlite3.Cursor, statement: str, size: int, links: Sequence[bytearray] = ()
) -> bytearray:
    """Return the rows of all groups, of `size` bytes each; other blobs are appended to `links`."""
    rows = bytearray()
    for number, numbers, *others in cursor.execute(statement):
        if (number * size, size) != (len(rows), len(numbers)):
            raise ValueError(f"group {number} of rows is not whole")
        rows += numbers
        for blob in others:
            _divide(blob, links)
    return rows


def _divide(blob: bytes, links: Sequence[bytearray]) -> None:
    """Append the targets, predictions and flags of a group to those of earlier groups."""
    (count, left), at = divmod(len(blob), sum(_LINK_BYTES)), 0
    if left:
        raise ValueError("links of a group are not whole")
    for kind, size in zip(links, _LINK_BYTES, strict=True):
        kind += blob[at : at + count * size]
        at += count * size


def _answers(cursor: sqlite3.Cursor, rows: bytearray) -> tuple[AnswerNumbers, bytes]:
    """Return the numbers of all answers, and the links of the answers behind the last group."""
    rest, links = _packed_answers(cursor, len(rows) // _ANSWER.itemsize, _LAST)
    rows += rest
    table = np.frombuffer(rows, _ANSWER)
    return AnswerNumbers(*(table[name].copy() for name in AnswerNumbers._fields)), links
