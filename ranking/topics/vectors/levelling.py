"""Vectors of words that some model made, brought to the scale of all tables.

Each *term* (`ranking/topics/terms.py`) has one vector: the mean of those of the words that fold to
it, by how often they occur. What all terms have in common, weighted by how much they tell, is taken
off (the common direction of Mu and Viswanath 2018), the principal directions are divided by the
square root of their variance (whitened), and the length is made 1: then the cosines of words at
random have a mean of about 0. The tables that are built in were levelled when they were made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from ranking.arrays import FloatArray
from ranking.topics.terms import terms_of
from ranking.topics.vectors.table import AT_ONCE, COMMON, SMOOTH

_FEWEST = 2_000  # terms of a table that is levelled
_MOST = 192  # numbers of a vector
_LARGEST = 5.5  # of a number, by the root mean square of all: what is beyond is cut


class Pieces(NamedTuple):
    """Vectors of n words or terms, as sums of rows of a table.

    That of k is the sum of `factors[i] * table[rows[i]]` over i in range(starts[k], starts[k + 1]).
    """

    table: Any  # (r, d) numbers of any type
    starts: Any  # (n + 1,) int32, ascending from 0
    rows: Any  # (m,) rows of the table, finite ones
    factors: Any  # (m,) float32


def by_rank(n: int) -> FloatArray:
    """(n,) shares of running words, of the most common word first (Zipf 1949, Mandelbrot 1953)."""
    return np.asarray(0.1 / (np.arange(n) + 10.0), np.float64)


def levelled(
    words: Iterable[str], shares: FloatArray, pieces: Pieces
) -> tuple[list[str], FloatArray, Any]:
    """The terms of n words that have pieces, their shares, and (m, d) int8 vectors of one length.

    Args:
        words: of letters alone, or few of them.
        shares: (n,) of running words.
        pieces: of the words.

    """
    terms, owner, word = _spelled(words)
    known = np.diff(pieces.starts)[word] > 0
    word, owner = word[known], owner[known]
    total = np.bincount(owner, shares[word], len(terms)).astype(np.float64)
    common = np.argsort(-total, kind="stable")
    row = np.argsort(common).astype(np.int32)[owner]
    order, n = np.argsort(row, kind="stable"), int(np.count_nonzero(total))
    of_terms = _of_terms(pieces, row[order], word[order], shares, n)
    common = common[:n]
    return [terms[at] for at in common], total[common], _rows(of_terms, total[common])


def _spelled(words: Iterable[str]) -> tuple[list[str], Any, Any]:
    """Terms, and pairs of a term and a word of which it is one, as their places; by word."""
    places: dict[str, int] = {}
    pairs = [
        (places.setdefault(term, len(places)), at)
        for at, word in enumerate(words)
        for term in terms_of(word)
    ]
    return list(places), *np.array(pairs, np.int32).reshape(-1, 2).T


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


def _rows(pieces: Pieces, shares: FloatArray) -> Any:
    """(n, d) int8 of the terms' vectors."""
    n, whole = len(shares), pieces.table.shape[1]
    weights = shares * (SMOOTH / (SMOOTH + shares))
    weights /= max(weights[:COMMON].sum(), 1e-300)
    mean, squares = np.zeros(whole), np.zeros((whole, whole))
    for begin, part in _in_parts(pieces, min(n, COMMON)):
        weighed = part * weights[begin : begin + len(part), None].astype(np.float32)
        mean += weighed.sum(axis=0)
        squares += part.T @ weighed
    variances, directions = np.linalg.eigh(squares - np.outer(mean, mean))
    variances, directions = variances[-_MOST:], directions[:, -_MOST:]
    largest = _LARGEST / np.sqrt(len(variances))
    if n < _FEWEST:  # too few to know what they have in common
        mean, variances, directions, largest = 0.0 * mean, np.ones(whole), np.eye(whole), 1.0
    variances = np.maximum(variances, float(variances[-1]) * 1e-6)
    turned = (directions * variances**-0.5).astype(np.float32)
    shift = (mean @ turned).astype(np.float32)
    rows = np.empty((n, turned.shape[1]), np.int8)
    for begin, part in _in_parts(pieces, n):
        vectors = _unit(part @ turned - shift) * float(127.0 / min(largest, 1.0))
        rows[begin : begin + len(part)] = np.rint(np.clip(vectors, -127.0, 127.0))
    return rows


def _in_parts(pieces: Pieces, n: int) -> Iterator[tuple[int, Any]]:
    """Yield the vectors of the first n terms, some hundred at a time, and which is the first."""
    for begin in range(0, n, AT_ONCE):
        yield begin, _vectors(pieces, begin, min(begin + AT_ONCE, n))


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
