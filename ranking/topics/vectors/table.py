"""A table of word vectors: terms with a vector each, all on one scale.

In any table that is *levelled* (`levelling.py`) the cosines of words at random have a mean of about
0, and their root mean square, the `spread`, is the unit in which texts are compared with a topic.
What several terms mean together is the mean of their vectors by a / (a + p), p being the share of
running words that are this term (smooth inverse frequency, Arora, Liang and Ma 2017).
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator
from typing import Any, Final

import numpy as np

from ranking.arrays import FloatArray

SMOOTH: Final = 1e-3
"""Share of running words whose weight is one half."""
COMMON: Final = 10_000
"""Terms by which variances are computed."""
_DECIMALS = 5  # of a cosine; the last bits depend on the machine's arithmetic
AT_ONCE: Final = 500
"""Terms whose vectors are made at a time: they stay in the processor's cache."""


class WordVectors:
    """Terms and their vectors.

    Attributes:
        spec: the name by which `load_vectors` finds it.
        name: for people.
        terms: distinct, most common first.
        rows: (n, d) int8, a vector a term, all of about the same length.
        unit: that length, the root mean square of the most common ones'.
        spread: root mean square of the cosines of two of these.
        checksum: of terms and rows: tables with the same judge pages alike.

    """

    def __init__(
        self, spec: str, name: str, terms: list[str], shares: FloatArray, rows: Any
    ) -> None:
        """`shares` are those of running words, of the most common term first."""
        self.spec, self.name, self.terms, self.rows = spec, name, terms, rows
        self._shares = shares
        self._places: dict[str, int] | None = None
        moments = np.zeros((rows.shape[1], rows.shape[1]))
        for _, some in _in_parts(rows[:COMMON], np.float32):
            moments += some.T @ some
        squares = float(np.trace(moments)) or 1.0
        self.unit = float(np.sqrt(squares / max(len(rows[:COMMON]), 1)))
        self.spread = float(np.linalg.norm(moments)) / squares or 1.0
        self.checksum = zlib.crc32(rows, zlib.crc32("\n".join(terms).encode()))

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
        for begin, some in _in_parts(self.rows, np.float64):
            lengths = np.maximum(np.sqrt(np.einsum("nd,nd->n", some, some)), 1.0)
            cosines[begin : begin + len(some)] = some @ meaning / lengths
        return np.asarray(np.round(np.clip(cosines, -1.0, 1.0), _DECIMALS), np.float64)


def _in_parts(rows: Any, kind: Any) -> Iterator[tuple[int, Any]]:
    """Yield rows as numbers of a type, some hundred at a time, and which is the first."""
    for begin in range(0, len(rows), AT_ONCE):
        yield begin, rows[begin : begin + AT_ONCE].astype(kind)
