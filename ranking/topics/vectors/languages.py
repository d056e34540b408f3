"""The common words of 42 languages, in one space: made by tools/language_vectors.py.

A table is read for some languages and holds the terms of these alone. Words of like meaning are
near each other whatever their language, so with the languages of a topic and of the pages a topic
in one finds pages in the other.

The file has for each language, most common term first, the terms, their shares of running words
(their place on the Zipf scale, in twentieths) and their vectors: 128 numbers of four values each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ranking.errors import TopicError
from ranking.topics.vectors.table import Pieces, Spelling, WordVectors

STEPS: Final = 20
"""Of a share's place on the Zipf scale, for each power of ten."""

_FILE: Final = Path(__file__).parent / "languages.npz"
_VALUES: Final = np.array([-10, -3, 3, 10], np.int8)  # as the means of normal numbers: 1.51, .453
_LARGEST: Final = 127.0

# How likely a topic is of a language: the mean place of its terms on the Zipf scale, ...
_COMMON: Final = 5.0  # ... at most this: German "die" and "war" make no topic German ...
_ABSENT: Final = 2.5  # ... and this of terms that are not in the table, whose rarest have 3.6.
_ENGLISH: Final = 1.0  # Added for English, which pages of all languages borrow from.
_AS_LIKELY: Final = 0.6  # below the best; words are shared, such as Chemie
_MOST: Final = 3  # languages of a topic


class Terms(NamedTuple):
    """Distinct terms of some languages, most common first.

    Attributes:
        terms: (n) as ranking/topics/terms.py makes them.
        vectors: (n, 128) int8, one row a term; multiplied by `scales` they have length 1.
        scales: (n,) float32.
        shares: (n,) float64 of the running words of these languages.

    """

    terms: list[str]
    vectors: Any
    scales: Any
    shares: Any


def all_languages() -> tuple[str, ...]:
    """Return the codes of the languages that have a table."""
    with np.load(_FILE) as held:
        return tuple(sorted({key.partition(".")[0] for key in held.files}))


def languages_of(terms: Sequence[str]) -> tuple[str, ...]:
    """Return the languages that the terms of a topic are words of, the likeliest first.

    At least one, at most three; English where no table knows any of them.
    """
    with np.load(_FILE) as held:
        zipf = {one: _zipf(held, one, terms) for one in all_languages()}
    known = {one: values for one, values in zipf.items() if any(values)}
    likely = {
        one: sum(min(value, _COMMON) or _ABSENT for value in values) / len(values)
        + _ENGLISH * (one == "en")
        for one, values in {"en": [0.0], **known}.items()
    }
    ranked = sorted(likely, key=lambda one: (-likely[one], -sum(zipf[one]), one))
    return tuple(one for one in ranked if likely[one] >= likely[ranked[0]] - _AS_LIKELY)[:_MOST]


def _zipf(held: Any, language: str, terms: Iterable[str]) -> list[float]:
    """The places of terms on the Zipf scale; 0 of those that a language's table has not."""
    lines = b"\n%b\n" % held[f"{language}.terms"].tobytes()
    places = [lines.find(b"\n%b\n" % term.encode()) for term in terms]
    values = held[f"{language}.zipf"] / STEPS
    return [float(values[lines.count(b"\n", 0, at)]) if at >= 0 else 0.0 for at in places]


def read_terms(languages: Sequence[str]) -> Terms:
    """Return the terms of some languages, or of ["all"].

    The vector of a term in several is the mean by share.
    Raises `TopicError` for a language that has no table.
    """
    codes = all_languages() if list(languages) == ["all"] else tuple(dict.fromkeys(languages))
    if unknown := [code for code in codes if code not in all_languages()]:
        raise TopicError(
            f'expected codes of languages in FRONTIER_VECTORS, as in "multilingual:de,ja", got '
            f"{unknown[0]!r}. There are: {' '.join(all_languages())}."
        )
    places, rows, shares, vectors = dict[str, int](), list[int](), list[Any](), list[Any]()
    with np.load(_FILE) as held:
        for code in codes:
            own = held[f"{code}.terms"].tobytes().decode().split("\n")
            rows += [places.setdefault(term, len(places)) for term in own]
            shares.append(10.0 ** (held[f"{code}.zipf"] / STEPS - 9.0) / len(codes))
            vectors.append(_unpacked(held[f"{code}.vectors"]))
    return _merged(list(places), np.array(rows), np.concatenate(shares), np.concatenate(vectors))


def _unpacked(packed: Any) -> Any:
    """(n, d) int8 of (n, d / 4) bytes, each of four numbers."""
    codes = packed[:, :, None] >> np.array([0, 2, 4, 6], np.uint8) & 3
    return _VALUES[codes.reshape(len(packed), -1)]


def _merged(terms: list[str], rows: Any, shares: Any, vectors: Any) -> Terms:
    """Terms by their whole share; `rows[k]` is the term of the k-th share and vector."""
    total = np.bincount(rows, shares, len(terms))
    merged = np.empty((len(terms), vectors.shape[1]), np.int8)
    merged[rows] = vectors
    several = np.flatnonzero(np.bincount(rows)[rows] > 1)
    changed, place = np.unique(rows[several], return_inverse=True)
    sums = np.zeros((len(changed), vectors.shape[1]), np.float32)
    parts = shares[several, None].astype(np.float32) * _lengthened(vectors[several])
    np.add.at(sums, place, parts)
    merged[changed] = np.rint(_LARGEST * _lengthened(sums))
    order = np.argsort(-total, kind="stable")
    merged = merged[order]
    scales = 1.0 / np.sqrt(np.einsum("nd,nd->n", merged, merged, dtype=np.float32))
    return Terms([terms[at] for at in order], merged, scales, total[order])


def _lengthened(vectors: Any) -> Any:
    """Rows of length 1."""
    vectors = vectors.astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    return vectors


def language_words(spec: str, languages: Sequence[str]) -> WordVectors:
    """Return the table of some languages, which `spec` names."""
    terms, vectors, scales, shares = read_terms(languages)
    n = len(terms)
    rows = np.arange(n + 1, dtype=np.int32)
    name = f"words of {', '.join(languages)} (multilingual-e5-small, built in)"
    return WordVectors(
        *(spec, name),
        Spelling(terms, rows[:n], rows[:n]),
        shares,
        Pieces(vectors, rows, rows[:n], scales),
    )
