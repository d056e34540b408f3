"""What a table of word vectors is: terms with a vector each, and what is near to what.

Each *term* (`ranking/topics/terms.py`) has one vector: the mean of those of the words that fold to
it, by how often they occur, scaled to length 1. What several terms mean together is the mean of
their vectors by a / (a + p), p being the share of running words that are this term (smooth inverse
frequency, Arora, Liang and Ma 2017).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from ranking.topics.terms import terms_of

if TYPE_CHECKING:
    from ranking.arrays import FloatArray

__all__ = ["Pieces", "WordVectors", "by_rank", "term_vectors"]

_SMOOTH = 1e-3  # share of running words whose weight is one half
_DECIMALS = 5  # of a cosine; the last bits depend on the machine's arithmetic
_AT_ONCE = 2_000  # terms whose pieces are added up at a time: 2 MB of 256 numbers each


class WordVectors:
    """Terms, each with a vector of its meaning and how common it is."""

    def __init__(
        self,
        name: str,
        terms: Sequence[str],
        vectors: Any,
        shares: FloatArray,
    ) -> None:
        """Hold distinct `terms`, most common first, and what is known of each.

        `vectors` is (n, d) float32 with rows of length 1, `shares` (n,) float64 in (0, 1): of
        running words, those that are this term. `name` is what people read.
        """
        self.name = name
        self.terms = terms
        self.vectors = vectors
        self.shares = shares
        self._row = {term: row for row, term in enumerate(terms)}

    def knows(self, term: str) -> bool:
        """Whether a term has a vector."""
        return term in self._row

    def near(self, terms: Iterable[str]) -> FloatArray | None:
        """(n,) cosines, in [-1, 1], of each term of the table with what these mean together.

        None where the table knows none of them.
        """
        import numpy as np

        rows = [self._row[term] for term in dict.fromkeys(terms) if term in self._row]
        mean = _SMOOTH / (_SMOOTH + self.shares[rows]) @ self.vectors[rows].astype(np.float64)
        length = np.linalg.norm(mean)
        if not length > 0.0:
            return None
        cosines = self.vectors @ (mean / length).astype(np.float32)
        near: FloatArray = np.round(np.clip(cosines.astype(np.float64), -1.0, 1.0), _DECIMALS)
        return near


def by_rank(n: int) -> FloatArray:
    """(n,) shares of running words, of the most common word first (Zipf 1949, Mandelbrot 1953)."""
    import numpy as np

    return np.asarray(0.1 / (np.arange(n) + 10.0), np.float64)


class Pieces(NamedTuple):
    """What words are made of: the sum of `factors[k] * table[rows[k]]` over k with `words[k]`."""

    words: Any
    """(m,) int64, ascending: places in a list of words; a place that is missing has no vector."""
    rows: Any
    """(m,) int64: rows of a table."""
    factors: Any
    """(m,) float32."""


def term_vectors(
    name: str,
    words: Sequence[str],
    shares: FloatArray,
    pieces: Pieces,
    table: Any,
) -> WordVectors:
    """Make the vectors of terms from those of words: each term the mean of its words, by share."""
    import numpy as np

    places: dict[str, int] = {}
    pairs = [
        (places.setdefault(term, len(places)), word)
        for word in np.unique(pieces.words).tolist()
        for term in terms_of(words[word])
    ]
    term, word = np.array(pairs, np.int64).reshape(-1, 2).T
    total = np.bincount(term, weights=shares[word], minlength=len(places))
    first = np.searchsorted(pieces.words, word, "left")
    count = np.searchsorted(pieces.words, word, "right") - first
    # The pieces of a term are those of all its words, one word after the other.
    piece = np.arange(count.sum()) + np.repeat(first - np.cumsum(count) + count, count)
    owner = np.repeat(term, count)
    order = np.argsort(owner, kind="stable")
    starts = np.searchsorted(owner[order], np.arange(len(places) + 1))
    factors = pieces.factors[piece] * np.repeat(shares[word], count).astype(np.float32)
    rows, factors = pieces.rows[piece[order]], factors[order, None]
    vectors = np.zeros((len(places), table.shape[1]), np.float32)
    for begin in range(0, len(places), _AT_ONCE):
        edges = starts[begin : begin + _AT_ONCE + 1]
        for k in range(int(np.diff(edges).max())):
            some = np.flatnonzero(np.diff(edges) > k)
            vectors[begin + some] += factors[edges[some] + k] * table[rows[edges[some] + k]]
    lengths = np.sqrt(np.einsum("nd,nd->n", vectors, vectors))
    common = np.argsort(-total, kind="stable")
    kept = common[(lengths > 0.0)[common] & np.isfinite(lengths)[common]]
    vectors = vectors[kept]
    vectors /= lengths[kept, None]
    spelled = list(places)
    return WordVectors(name, [spelled[at] for at in kept.tolist()], vectors, total[kept])
