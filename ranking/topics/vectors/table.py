"""What a table of word vectors is: terms with a vector each, all on one scale.

Each *term* (`ranking/topics/terms.py`) has one vector: the mean of those of the words that fold to
it, by how often they occur. What all terms have in common, weighted by what they tell, is taken off
(the common direction of Mu and Viswanath 2018), the principal directions are divided by the fourth
root of their variance (between vectors as they are and whitened ones), and the length is made 1:
then the cosines of words at random have a mean of about 0 in any table, and their root mean square,
the `spread`, is the unit in which texts are compared with a topic. What several terms mean together
is the mean of their vectors by a / (a + p), p being the share of running words that are this term
(smooth inverse frequency, Arora, Liang and Ma 2017).

Words that are made of the same fragments are near each other in a table of tokens, whatever they
mean: volcano and Vallecano. So such a table can be joined with a second one of whole words, half as
long. Of both the directions of most variance are kept. Mean average precision over the topics of
eight webs, by words and the vectors of pages: GloVe .503, wordllama .561 with 256 numbers, joined
with GloVe .559 with 192, which is faster, and finds links better.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import numpy as np

from ranking.topics.terms import terms_of

if TYPE_CHECKING:
    from ranking.arrays import FloatArray

SMOOTH: Final = 1e-3
"""Share of running words whose weight is one half."""
_WHITENED = 0.25  # power of a direction's variance by which it is divided
_FEWEST = 2_000  # terms of a table that is levelled
_COMMON = 10_000  # terms that variances are those of
_SECOND = 0.5  # length of a second table's vectors
_MOST = 192  # numbers of a vector
_LARGEST = 5.5  # of a number, by the root mean square of all: what is beyond is cut
_DECIMALS = 5  # of a cosine; the last bits depend on the machine's arithmetic
_AT_ONCE = 500  # terms whose vectors are made at a time: they stay in the processor's cache


class Spelling(NamedTuple):
    """Terms of words: `terms[owners[k]]` is one of the word at `words[k]` in a list, ascending."""

    terms: list[str]
    owners: Any
    words: Any


def spelling_of(words: Iterable[str]) -> Spelling:
    """Find the terms of words."""
    places: dict[str, int] = {}
    pairs = [
        (places.setdefault(term, len(places)), at)
        for at, word in enumerate(words)
        for term in terms_of(word)
    ]
    return Spelling(list(places), *np.array(pairs, np.int64).reshape(-1, 2).T)


class Pieces(NamedTuple):
    """Vectors of n words or terms, as sums of rows of a table.

    That of k is the sum of `factors[i] * table[rows[i]]` over i in range(starts[k], starts[k + 1]).
    """

    table: Any  # (r, d) numbers of any type
    starts: Any  # (n + 1,) int32, ascending from 0
    rows: Any  # (m,) rows of the table, finite ones
    factors: Any  # (m,) float32


class WordVectors:
    """Terms and their vectors.

    Attributes:
        spec: what `load_vectors` finds it by.
        name: what people read.
        terms: distinct, most common first.
        rows: (n, d) int8, a vector a term, all of about the same length.
        unit: that length.
        spread: root mean square of the cosines of two terms.
        checksum: of terms and rows: tables with the same judge pages alike.

    """

    def __init__(
        self, spec: str, name: str, spelling: Spelling, shares: FloatArray, *tables: Pieces
    ) -> None:
        """Hold the terms of words that have pieces in the first of one or two tables.

        `shares` are those of running words.
        """
        word, owner = spelling.words.astype(np.int32), spelling.owners
        known = np.diff(tables[0].starts)[word] > 0
        word, owner = word[known], owner[known]
        total = np.bincount(owner, shares[word], len(spelling.terms)).astype(np.float64)
        common = np.argsort(-total, kind="stable")
        row = np.argsort(common).astype(np.int32)[owner]
        order, n = np.argsort(row, kind="stable"), int(np.count_nonzero(total))
        row, word = row[order], word[order]
        self.spec, self.name = spec, name
        self.terms = list(map(spelling.terms.__getitem__, common[:n]))
        self._shares: FloatArray = total[common[:n]]
        del total, common, known, owner, order  # memory that the next lines need
        self._places: dict[str, int] | None = None
        self.rows, self.unit, self.spread = _levelled(
            [_of_terms(each, row, word, shares, n) for each in tables], self._shares
        )
        self.checksum = zlib.crc32(self.rows, zlib.crc32("\n".join(self.terms).encode()))

    def places(self) -> dict[str, int]:
        """Return term -> its row; made at the first call."""
        if self._places is None:
            self._places = {term: row for row, term in enumerate(self.terms)}
        return self._places

    def meaning(self, terms: Iterable[str]) -> FloatArray | None:
        """(d,) what terms mean together, of length 1; None where the table knows none of them."""
        places = self.places()
        rows = sorted({places[term] for term in terms if term in places})
        weights = SMOOTH / (SMOOTH + self._shares[rows])
        mean = weights @ self.rows[rows].astype(np.float64)
        length = float(np.linalg.norm(mean))
        return np.asarray(mean / length, np.float64) if length > 0.0 else None

    def near(self, terms: Iterable[str]) -> FloatArray | None:
        """(n,) cosine of each term with what these mean together; None where none is known."""
        meaning = self.meaning(terms)
        return None if meaning is None else self.cosines(meaning)

    def cosines(self, meaning: FloatArray) -> FloatArray:
        """(n,) cosine of each term with a vector (d,) of length 1."""
        cosines = np.empty(len(self.terms))
        for begin in range(0, len(cosines), _AT_ONCE):
            some = self.rows[begin : begin + _AT_ONCE].astype(np.float64)
            lengths = np.maximum(np.sqrt(np.einsum("nd,nd->n", some, some)), 1.0)
            cosines[begin : begin + len(some)] = some @ meaning / lengths
        return np.asarray(np.round(np.clip(cosines, -1.0, 1.0), _DECIMALS), np.float64)


def by_rank(n: int) -> FloatArray:
    """(n,) shares of running words, of the most common word first (Zipf 1949, Mandelbrot 1953)."""
    return np.asarray(0.1 / (np.arange(n) + 10.0), np.float64)


def _levelled(tables: Sequence[Pieces], shares: FloatArray) -> tuple[Any, float, float]:
    """Rows of the terms, their length, and the root mean square of the cosines of two of them."""
    n, whole = len(shares), sum(each.table.shape[1] for each in tables)
    told = shares * (SMOOTH / (SMOOTH + shares))
    told /= max(told[:_COMMON].sum(), 1e-300)
    mean, squares = np.zeros(whole), np.zeros((whole, whole))
    for begin, part in _in_parts(tables, min(n, _COMMON)):
        weighed = part * told[begin : begin + len(part), None].astype(np.float32)
        mean += weighed.sum(axis=0)
        squares += part.T @ weighed
    variances, directions = np.linalg.eigh(squares - np.outer(mean, mean))
    variances, directions = variances[-_MOST:], directions[:, -_MOST:]
    largest = _LARGEST / np.sqrt(len(variances))
    if n < _FEWEST:  # what these have in common, nobody knows
        mean, variances, directions, largest = 0.0 * mean, np.ones(whole), np.eye(whole), 1.0
    variances = np.maximum(variances, float(variances[-1]) * 1e-6)
    turned = (directions * variances**-_WHITENED).astype(np.float32)
    shift = (mean @ turned).astype(np.float32)
    d, unit = turned.shape[1], float(127.0 / min(largest, 1.0))
    rows, moments = np.empty((n, d), np.int8), np.zeros((d, d))
    for begin, part in _in_parts(tables, n):
        vectors = _unit(part @ turned - shift)
        if begin < _COMMON:
            moments += vectors.T @ vectors
        vectors *= unit
        rows[begin : begin + len(part)] = np.rint(np.clip(vectors, -127.0, 127.0))
    counted = min(n, _COMMON)  # a multiple of _AT_ONCE
    return rows, unit, float(np.linalg.norm(moments)) / max(counted, 1) or 1.0


def _in_parts(tables: Sequence[Pieces], n: int) -> Iterable[tuple[int, Any]]:
    """Yield the vectors of the first n terms, some hundred at a time, and which is the first."""
    for begin in range(0, n, _AT_ONCE):
        end = min(begin + _AT_ONCE, n)
        parts = [_vectors(each, begin, end) for each in tables]
        if len(parts) > 1:
            parts[1] *= _SECOND
            parts = [_unit(np.hstack(parts))]
        yield begin, parts[0]


def _of_terms(pieces: Pieces, owner: Any, word: Any, shares: FloatArray, n: int) -> Pieces:
    """The pieces of n terms from those of words: `word[k]` is one of term `owner[k]`, ascending."""
    first = pieces.starts[word]
    count = pieces.starts[word + 1] - first
    at = np.repeat((first - np.cumsum(count) + count).astype(np.int32), count)
    at += np.arange(len(at), dtype=np.int32)
    starts = np.append(0, np.cumsum(np.bincount(owner, count, n))).astype(np.int32)
    factors = pieces.factors[at]
    factors *= np.repeat(shares[word].astype(np.float32), count)
    return Pieces(pieces.table, starts, pieces.rows[at], factors)


def _vectors(pieces: Pieces, begin: int, end: int) -> Any:
    """(end - begin, d) float32 vectors of length 1; zeros where there is none."""
    starts = pieces.starts[begin : end + 1]
    counts = np.diff(starts)
    vectors = np.zeros((end - begin, pieces.table.shape[1]), np.float32)
    for k in range(int(counts.max(initial=0))):
        has = np.flatnonzero(counts > k)
        at = starts[has] + k
        vectors[has] += pieces.factors[at, None] * pieces.table[pieces.rows[at]].astype(np.float32)
    return _unit(vectors)


def _unit(vectors: Any) -> Any:
    length = np.sqrt(np.einsum("nd,nd->n", vectors, vectors, dtype=np.float64))
    vectors /= np.where(length > 0.0, length, 1.0).astype(np.float32)[:, None]
    return vectors
