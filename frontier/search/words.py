"""Texts and queries as terms: those of `ranking.topics.terms`, joined by blanks.

The index knows nothing of words: SQLite cuts at the blanks. So a query meets what a text says
however either is written, and Chinese, Japanese, Thai and Korean are found by pairs of letters.

Function words are two words in five of a text and tell nothing, so they are indexed in titles,
link texts and URLs alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from urllib.parse import unquote, urlsplit

from ranking.topics.terms import FUNCTION_WORDS, MAX_TEXT, fold, spelled

MOST_TERMS = 64
"""Terms of a query; what is behind them is left out."""

# What of ASCII is no letter divides words in any case, so a part between two is one word mostly,
# and met again and again. Bytes are cut four times as fast as text.
_DIVIDED = bytes(
    ord(chr(i).lower() if chr(i).isalnum() else " ") if i < 128 else i for i in range(256)
)
_FUNCTION_TERMS = FUNCTION_WORDS | {fold(word) for word in FUNCTION_WORDS}
_MOST_REMEMBERED = 100_000
_LONGEST = 64  # bytes of a part that is remembered
_ASKED = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')


class _Terms(dict[bytes, str]):
    """Part of a text in UTF-8 -> its terms joined by blanks, but for those left out."""

    def __init__(self, left_out: frozenset[str]) -> None:
        super().__init__()
        self._left_out = left_out

    def __missing__(self, part: bytes) -> str:
        found = spelled(part.decode())[1]
        terms = " ".join(one for one in found if one not in self._left_out)
        if len(part) <= _LONGEST:
            if len(self) >= _MOST_REMEMBERED:
                self.clear()
            self[part] = terms
        return terms


_ALL = _Terms(frozenset())
_TELLING = _Terms(frozenset(_FUNCTION_TERMS))


def terms_of_text(text: str, *, telling: bool = False) -> str:
    """Return the terms of a text, joined by blanks; `telling`: without function words."""
    remembered = _TELLING if telling else _ALL
    parts = text[:MAX_TEXT].encode("utf-8", "replace").translate(_DIVIDED).split()
    return " ".join(filter(None, map(remembered.__getitem__, parts)))


def term_list(text: str) -> list[str]:
    """Return the terms of a text in order, repetitions included."""
    return terms_of_text(text).split()


def url_words(url: str) -> str:
    """Return host, path and query of a URL as a text."""
    try:
        parts = urlsplit(url)
    except ValueError:
        return ""
    host = (parts.hostname or "").removeprefix("www.")
    return f"{host} {unquote(parts.path)} {unquote(parts.query)}"


@dataclass(frozen=True)
class Query:
    """What is asked for, as terms.

    `terms` are distinct and count by themselves, those of phrases too. A page must say each of
    the `phrases`, and none of the `excluded` ones (a word is a phrase of one).
    """

    terms: tuple[str, ...]
    phrases: tuple[str, ...] = ()
    excluded: tuple[str, ...] = ()


def parsed_query(words: str) -> Query:
    """Read what somebody typed; any text is a query, perhaps one without terms.

    Function words count where there are no others.
    """
    terms: dict[str, None] = {}
    phrases, excluded = [], []
    for minus, together, word in _ASKED.findall(words):
        found = term_list(together or word)[:MOST_TERMS]
        if not found:
            continue
        if minus:
            excluded.append(" ".join(found))
            continue
        terms.update(dict.fromkeys(found))
        if together and len(found) > 1:
            phrases.append(" ".join(found))
    told = [one for one in terms if one not in _FUNCTION_TERMS] or list(terms)
    return Query(
        tuple(told[:MOST_TERMS]), tuple(phrases[:MOST_TERMS]), tuple(excluded[:MOST_TERMS])
    )


def without_function_words(terms: str) -> str:
    """Return terms joined by blanks as they stand in the index of a text."""
    return " ".join(one for one in terms.split() if one not in _FUNCTION_TERMS)


def quoted(terms: Iterable[str], joined: str = " OR ") -> str:
    """Return an expression of FTS5; terms hold letters, digits and marks alone."""
    return joined.join(f'"{one}"' for one in terms)
