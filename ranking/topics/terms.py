"""Text -> terms: the words that two texts must share to be called alike.

Unicode normalisation form KC and case folding first, so that width and case do not
matter. A word is a run of letters and digits; an underscore separates, because addresses
and identifiers use it for a space. Endings of plural and tense are folded from words of
ASCII letters only: the rules are English, and elsewhere they fold both sides alike or not
at all. Chinese, Japanese and Thai put no spaces between words; there a run of characters
becomes its overlapping pairs, the usual stand-in for words in retrieval.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final
from unicodedata import normalize

__all__ = ["MAX_TEXT", "fold", "is_unspaced", "spelled", "terms", "terms_of", "words"]

MAX_TEXT: Final = 100_000
"""Characters of a text that are read; more says nothing new and costs time."""

_WORDS = re.compile(r"[^\W_]+").findall
# The same for ASCII text, five times as fast: fold the case, blank out the rest, split.
_ASCII = {i: chr(i).lower() if chr(i).isalnum() else " " for i in range(128)}
# Thai, Lao, Myanmar, Khmer; kana; CJK ideographs with extension A; the planes beyond.
_UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff"
_UNSPACED_RUN = re.compile(f"([{_UNSPACED}\U00020000-\U0003ffff]+)")
_VOWEL = re.compile("[aeiouy]").search
_SHORTEST = 4  # letters; shorter words have no endings worth folding


def words(text: str) -> list[str]:
    """Return the words of a text in order, case-folded, as they are written."""
    text = text[:MAX_TEXT]
    if text.isascii():
        return text.translate(_ASCII).split()
    return _WORDS(normalize("NFKC", text).casefold())


def terms_of(word: str) -> list[str]:
    """Return the terms of one word: itself folded, or pairs where words are not spaced."""
    if word.isascii():
        return [fold(word)]
    found: list[str] = []
    for part in _UNSPACED_RUN.split(word):
        if _UNSPACED_RUN.match(part):
            found.extend(_pairs(part))
        elif part:
            found.append(fold(part))
    return found


def is_unspaced(term: str) -> bool:
    """Whether a term is of a script that puts no spaces between words."""
    return _UNSPACED_RUN.match(term) is not None


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, repetitions included."""
    return spelled(text)[1]


def spelled(token: str) -> tuple[int, list[str]]:
    """Return how many words a part of a text is, and their terms: what a `Lexicon` asks once."""
    token = token[:MAX_TEXT]
    if token.isascii() and token.isalnum():
        return 1, [fold(token.lower())]
    found = words(token)
    return len(found), [term for word in found for term in terms_of(word)]


def fold(word: str) -> str:
    """Take plural and tense endings from an English-looking word: crawlers -> crawler."""
    if len(word) < _SHORTEST or not word.isascii() or not word.isalpha():
        return word
    word = _without_plural(word)
    word = _without_tense(word)
    if len(word) >= _SHORTEST and word[-1] == "e":
        word = word[:-1]
    if len(word) >= _SHORTEST and word[-1] == "y":
        word = word[:-1] + "i"  # so that theory meets theories
    return word


def _without_plural(word: str) -> str:
    if word.endswith("ies"):
        return word[:-2]
    if word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def _without_tense(word: str) -> str:
    if word.endswith("ing") and len(word) > 5:
        stem = word[:-3]
    elif word.endswith("ed") and len(word) > 4 and not word.endswith("eed"):
        stem = word[:-2]
    else:
        return word
    if not _VOWEL(stem):
        return word  # string is not a form of str
    if stem[-1] == stem[-2] and stem[-1] not in "lsz":
        return stem[:-1]
    return stem


def _pairs(run: str) -> Iterator[str]:
    if len(run) == 1:
        yield run
    for i in range(len(run) - 1):
        yield run[i : i + 2]
