"""The tables that are built in: many English words, and the common words of 42 languages.

The table of languages, in one space, is made by tools/language_vectors.py. It is read for some of
them and holds the terms of these alone. Words of like meaning are near each other whatever their
language, so with the languages of a topic and of the pages a topic in one finds pages in the other.
The table of English words, by tools/word_vectors.py, has more of them and tells them better apart.

A file has for each language, most common term first, the terms, their shares of running words
(their place on the Zipf scale, in twentieths) and their vectors: numbers of two or four bits that
stand for one of its values each.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from ranking.errors import TopicError
from ranking.topics.vectors.table import AT_ONCE, WordVectors

STEPS: Final = 20
"""Of a share's place on the Zipf scale, for each power of ten."""

_FILE: Final = Path(__file__).parent / "languages.npz"
_ENGLISH_FILE: Final = Path(__file__).parent / "english.npz"

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
        shares: (n,) float64 of the running words of these languages.
        rows: (n, d) int8, their vectors, all of about the same length.

    """

    terms: list[str]
    shares: Any
    rows: Any


def english_words() -> WordVectors:
    """Return the table of English words."""
    name = "English words (all-MiniLM-L6-v2, built in)"
    with np.load(_ENGLISH_FILE) as held:
        return WordVectors("built-in", name, *_terms(held, "en"))


def built_in_words() -> list[str]:
    """Common English words as they are written, most common first; each is one of its terms."""
    with np.load(_ENGLISH_FILE) as held:
        return _lines(held["en.words"])


def all_languages() -> tuple[str, ...]:
    """Return the codes of the languages that have a table."""
    with np.load(_FILE) as held:
        return tuple(sorted(key[:-6] for key in held.files if key.endswith(".terms")))


def topic_languages(terms: Sequence[str]) -> tuple[str, ...]:
    """Return the languages that the terms of a topic are words of, the likeliest first.

    At least one, at most three; English where no table knows any of them.
    """
    with np.load(_FILE) as held:
        zipf = {code: _zipf(held, code, terms) for code in all_languages()}
    known = {code: values for code, values in zipf.items() if any(values)}
    likely = {
        code: sum(min(value, _COMMON) or _ABSENT for value in values) / len(values)
        + _ENGLISH * (code == "en")
        for code, values in {"en": [0.0], **known}.items()
    }
    ranked = sorted(likely, key=lambda code: (-likely[code], -sum(zipf[code]), code))
    return tuple(code for code in ranked if likely[code] >= likely[ranked[0]] - _AS_LIKELY)[:_MOST]


def _zipf(held: Any, language: str, terms: Iterable[str]) -> list[float]:
    """The places of terms on the Zipf scale; 0 of terms that a language's table lacks."""
    lines = b"\n%b\n" % held[f"{language}.terms"].tobytes()
    places = [lines.find(b"\n%b\n" % term.encode()) for term in terms]
    if max(places, default=-1) < 0:  # as of most languages, so that their shares are not read
        return [0.0] * len(places)
    values = held[f"{language}.zipf"] / STEPS
    return [float(values[lines.count(b"\n", 0, at)]) if at >= 0 else 0.0 for at in places]


def read_terms(languages: Sequence[str]) -> Terms:
    """Return the terms of some languages, or of ["all"].

    The vector of a term in several is the mean by share.
    Raises `TopicError` for a language that has no table.
    """
    known = all_languages()
    codes = known if list(languages) == ["all"] else tuple(dict.fromkeys(languages))
    if unknown := [code for code in codes if code not in known]:
        raise TopicError(
            f'expected codes of languages in FRONTIER_VECTORS, as in "multilingual:de,ja", got '
            f"{unknown[0]!r}. There are: {' '.join(known)}."
        )
    with np.load(_FILE) as held:
        return _merged([_terms(held, code) for code in codes])


def _terms(held: Any, language: str) -> Terms:
    shares = 10.0 ** (held[f"{language}.zipf"] / STEPS - 9.0)
    packed, values = held[f"{language}.vectors"], held["values"]
    shifts = np.arange(0, 8, (len(values) - 1).bit_length(), dtype=np.uint8)
    rows = np.empty((len(packed), len(shifts) * packed.shape[1]), np.int8)
    for begin in range(0, len(rows), AT_ONCE):
        some = packed[begin : begin + AT_ONCE, :, None] >> shifts & (len(values) - 1)
        rows[begin : begin + AT_ONCE] = values[some.reshape(len(some), -1)]
    return Terms(_lines(held[f"{language}.terms"]), shares, rows)


def _lines(letters: Any) -> list[str]:
    return str(letters.tobytes(), "utf-8").split("\n")


def _merged(languages: Sequence[Terms]) -> Terms:
    """Terms by their whole share; of several languages the vector is the mean by share."""
    places = dict[str, int]()
    at = np.array(
        [places.setdefault(term, len(places)) for each in languages for term in each.terms]
    )
    shares = np.concatenate([each.shares for each in languages]) / len(languages)
    rows = np.concatenate([each.rows for each in languages])
    total = np.bincount(at, shares, len(places))
    merged = np.empty((len(places), rows.shape[1]), np.int8)
    merged[at] = rows
    several = np.flatnonzero(np.bincount(at)[at] > 1)
    changed, place = np.unique(at[several], return_inverse=True)
    sums = np.zeros((len(changed), rows.shape[1]), np.float32)
    np.add.at(sums, place, shares[several, None].astype(np.float32) * rows[several])
    lengths = np.linalg.norm(rows[:AT_ONCE].astype(np.float32), axis=1)
    sums *= lengths.mean() / np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), 1e-12)
    merged[changed] = np.rint(np.clip(sums, -127.0, 127.0))
    order, terms = np.argsort(-total, kind="stable"), list(places)
    return Terms([terms[row] for row in order], total[order], merged[order])


def language_words(spec: str, languages: Sequence[str]) -> WordVectors:
    """Return the table of some languages, which `spec` names."""
    name = f"words of {', '.join(languages)} (multilingual-e5-small, built in)"
    return WordVectors(spec, name, *read_terms(languages))
