"""Texts and queries as terms: those of `ranking.topics.terms`, before endings are folded.

tantivy gets terms with blanks between, and does not split words itself. So a query matches a text
in any spelling of either, and Chinese, Japanese, Thai and Korean are found by pairs of letters, or
single ones.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Final
from unicodedata import normalize
from urllib.parse import unquote, urlsplit

from ranking.letters import clusters
from ranking.topics._lexicon import Lexicon
from ranking.topics.terms import MAX_TEXT, fold, is_unspaced, terms_of, words

MOST_TERMS: Final = 64
"""Terms of a query; further ones are dropped."""

_MEMORY = 50_000  # words whose terms are in memory, about 14 MB
_NO_WEIGHT = 0.0, 0.0, 0.0, 0.0, 0.0, -1, 0


_ACCENT = re.compile("[\u0300-\u036f]+")
# Letters that Unicode does not decompose, though other languages write them without the stroke.
_PLAIN = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "ħ": "h", "ŧ": "t", "ı": "i", "þ": "th"}
    | {"æ": "ae", "œ": "oe"}
)


def plain(term: str) -> str:
    """Return a term without accents: café is cafe."""
    if term.isascii():
        return term
    apart = _ACCENT.sub("", normalize("NFD", term.translate(_PLAIN)))
    return normalize("NFC", apart)


def _spelled(token: str) -> tuple[int, list[str]]:
    parts = words(token)
    return len(parts), [term for w in parts for term in ([w] if w.isascii() else terms_of(w))]


@lru_cache(_MEMORY)
def stem(term: str) -> str:
    """Return a term without ending and accents."""
    return fold(plain(term))


_lexicon = Lexicon(_spelled, lambda _: _NO_WEIGHT, _MEMORY, MAX_TEXT)
_lock = Lock()  # a lexicon is for one thread at a time
_LONGEST = 24  # characters on either side of a hyphen
_HYPHEN = re.compile("[-\u2010\u2011](?:(?<=[A-Za-z].)(?=[0-9])|(?<=[0-9].)(?=[A-Za-z]))")
_BEFORE = re.compile(r"(?<!\w)[A-Za-z0-9]+\Z")
_AFTER = re.compile(rf"[A-Za-z0-9]{{1,{_LONGEST}}}(?!\w)")
_ASKED = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')


def term_list(text: str) -> list[str]:
    """Return the terms of a text in order, repetitions included."""
    with _lock:
        return _lexicon.terms_of(text[:MAX_TEXT])


def all_terms(text: str) -> list[str]:
    """Return the terms of a text, followed by joined words with a hyphen: covid19."""
    terms = term_list(text)
    for hyphen in _HYPHEN.finditer(text[:MAX_TEXT]):
        before = _BEFORE.search(text, max(hyphen.start() - _LONGEST, 0), hyphen.start())
        after = _AFTER.match(text, hyphen.end())
        if before and after:
            terms += term_list(before[0] + after[0])
    return terms


@lru_cache(_MEMORY)
def stems_of(word: str) -> tuple[str, ...]:
    """Return the stems of the terms of a word."""
    return tuple(map(stem, term_list(word)))


def stems(terms: Iterable[str]) -> str:
    """Return the stems of terms, joined by blanks."""
    return " ".join(map(stem, terms))


def with_letters(terms: list[str]) -> str:
    """Return terms joined by blanks, followed by the distinct letters of pairs."""
    text = " ".join(terms)
    if text.isascii():
        return text
    pairs = {term for term in terms if is_unspaced(term)}
    letters = {letter for term in pairs for letter in clusters(term)}
    return " ".join([text, *sorted(letters - pairs)])


def url_words(url: str) -> str:
    """Return host, path and query of a URL as a text."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = (parts.hostname or "").removeprefix("www.")
    return f"{host} {unquote(parts.path)} {unquote(parts.query)}"


@dataclass(frozen=True)
class WordQuery:
    """A query as terms.

    `terms` are distinct and count by themselves, those of phrases, too. A page must have all of the
    `phrases`, and none of the `excluded` ones (a word is a phrase of one).
    """

    terms: tuple[str, ...]
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


def parsed_query(asked: str) -> WordQuery:
    """Read a query; any text is valid, and may have no terms."""
    terms: dict[str, None] = {}
    phrases, excluded = [], []
    for minus, together, word in _ASKED.findall(asked):
        listed = term_list(together or word)[:MOST_TERMS]
        if not listed:
            continue
        if minus:
            excluded.append(stems(listed))
            continue
        terms.update(dict.fromkeys(all_terms(together or word)[:MOST_TERMS]))
        if together and len(listed) > 1:
            phrases.append(stems(listed))
    return WordQuery(
        tuple(terms)[:MOST_TERMS], tuple(phrases[:MOST_TERMS]), tuple(excluded[:MOST_TERMS])
    )
