"""Text -> terms: the words that similar texts share.

Width, case and what `ranking/letters.py` leaves out do not matter. A word is a run of letters, with
their marks, and digits, or a name with signs, such as c++ (`ranking/letters.py`); an underscore
separates, because addresses and identifiers use it for a space. Two words with a hyphen between
letter and digit are a third term together: covid-19 and covid19 are the same. Endings of plural and
tense are folded from words of ASCII letters only: the rules are English, and elsewhere they fold
both sides alike or not at all.

Chinese, Japanese, Thai, Burmese and Khmer put no spaces between words; there a run of letters
becomes its overlapping pairs, the usual stand-in for words in retrieval. So it does in Korean,
where particles, and often other words, are written to a word (Lee and Ahn 1996): pairs match
whatever follows. The most usual particles are taken off, so that a word is the same with them and
without.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Final

from ranking.letters import UNSPACED, WORD, clusters, folded

WORD_TABLES: Final = Path(__file__).parent / "words"
"""Folder of the words of each language."""
FUNCTION_WORDS: Final = frozenset((WORD_TABLES / "function-words").read_text("utf-8").split())
"""Words of eight languages as they are written, case-folded, that are never a term of a topic. Left
out are those that are a topic's word in another of them, such as German "war", French "car"."""

MAX_TEXT: Final = 100_000
"""Characters of a text that are read; more adds nothing and costs time."""

# A word, or two with a hyphen between letter and digit.
_WORDS = re.compile(rf"{WORD}(?:(?<=[a-z])-\d[a-z\d]{{,5}}(?![a-z\d])|(?<=\d)-[a-z]+)?").findall
_HYPHENED = re.compile(r"([a-z\d]+)-([a-z\d]+)").search
_PLAIN = str.maketrans("\u2010\u2011\u2024\u2025\u2026", "--   ")  # dots of lists begin no .net
# The same for ASCII text without signs, five times as fast: fold the case, blank the rest, split.
_SIGN = re.compile("[-+#&.]").search
_ASCII = {i: chr(i).lower() if chr(i).isalnum() else " " for i in range(128)}
_HANGUL = (0xAC00, 0xD7A3)
_UNSPACED = "".join(f"{chr(first)}-{chr(last)}" for first, last in (*UNSPACED, _HANGUL))
_UNSPACED_RUN = re.compile(f"([{_UNSPACED}]+)")
# Of two forms of a particle it takes the one that suits the syllable before it: open or closed.
_OPEN = "".join(map(chr, range(_HANGUL[0], _HANGUL[1], 28)))
_PARTICLE = re.compile(
    rf"(?<=[가-힣])들?(?:(?<=[{_OPEN}])[는가를]|(?<![{_OPEN}])[은이을]|[의도만]|보다|처럼|에게서?"
    rf"|(?:(?<=[{_OPEN}])[와로]|(?<![{_OPEN}])(?:과|으로)|에서?|에게|까지|부터)[는도만의]?"
    r"|입니다|이다|이?라[는고])\Z"
)
_VOWEL = re.compile("[aeiouy]").search
_SHORTEST = 4  # letters; shorter words have no endings worth folding


def words(text: str) -> list[str]:
    """Return the words of a text in order, case-folded, as they are written."""
    return [part for word in cut(text) for part in word.split("-")]


def cut(text: str) -> list[str]:
    """Return the words of a text in order; two with a hyphen between letter and digit as one."""
    text = text[:MAX_TEXT]
    if text.isascii() and not _SIGN(text):
        return text.translate(_ASCII).split()
    return _WORDS(folded(text.translate(_PLAIN), "NFKC").replace("_", " "))


def terms_of(word: str) -> list[str]:
    """Return the terms of one word: itself folded, or its pairs of letters."""
    if word.isascii():
        return [fold(word)]
    parts: list[str] = []
    for part in _UNSPACED_RUN.split(word):
        if _UNSPACED_RUN.match(part):
            parts.extend(_pairs(part))
        elif part:
            parts.append(fold(part))
    return parts


def together(word: str) -> str | None:
    """Return the term of two words that `cut` left joined by a hyphen; None for a single word."""
    both = _HYPHENED(word) if "-" in word else None  # looked for in vain, it takes the square
    return "".join(map(fold, both.groups())) if both else None


def is_unspaced(term: str) -> bool:
    """Whether a term is of a script that is read in pairs of letters."""
    return _UNSPACED_RUN.match(term) is not None


def terms(text: str) -> list[str]:
    """Return the terms of a text in order, repetitions included."""
    return spelled(text)[1]


def spelled(token: str, terms_of: Callable[[str], list[str]] = terms_of) -> tuple[int, list[str]]:
    """Return how many words a part of a text is, and their terms; a `Lexicon` calls it once."""
    token = token[:MAX_TEXT]
    if token.isascii() and token.isalnum():
        return 1, terms_of(token.lower())
    number, terms = 0, list[str]()
    for word in cut(token):
        parts = word.split("-")
        number += len(parts)
        terms += [term for part in parts for term in terms_of(part)]
        if both := together(word):
            terms.append(both)
    return number, terms


def fold(word: str) -> str:
    """Take plural and tense endings from an English-looking word: crawlers -> crawler."""
    if len(word) < _SHORTEST or word[-1] not in "sdgey" or not word.isascii() or not word.isalpha():
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


def _pairs(run: str) -> list[str]:
    stem = _PARTICLE.sub("", run)
    if len(stem) == 1 < len(run):  # or a word as it is: both
        return [*_overlapping(run), stem]
    return _overlapping(stem)


def _overlapping(run: str) -> list[str]:
    letters = clusters(run)
    return [first + second for first, second in pairwise(letters)] or letters
