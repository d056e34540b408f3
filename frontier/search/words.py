"""Texts and queries as terms: those of `ranking.topics.terms`, before endings are folded.

The index knows nothing of words, SQLite gets terms with blanks between. So a query meets what a
text says however either is written, and Chinese, Japanese, Thai and Korean are found by pairs of
letters.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from threading import Lock
from typing import Final
from urllib.parse import unquote, urlsplit

from ranking.topics._lexicon import Lexicon
from ranking.topics.terms import MAX_TEXT, fold, terms_of, words

MOST_TERMS: Final = 64
"""Terms of a query; what is behind them is left out."""

_MEMORY = 50_000  # words whose terms are remembered, about 14 MB
_NO_WEIGHT = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0


def _spelled(token: str) -> tuple[int, list[str]]:
    said = words(token)
    return len(said), [one for w in said for one in ([w] if w.isascii() else terms_of(w))]


stem = lru_cache(_MEMORY)(fold)
"""Term -> what it is without its ending."""
_lexicon = Lexicon(_spelled, lambda _: _NO_WEIGHT, _MEMORY, MAX_TEXT)
_lock = Lock()  # a lexicon is for one thread at a time
_ENDINGS = "", "s", "es", "ies", "d", "ed", "ing", "ings"
_ASKED = re.compile(r'(-?)(?:"([^"]*)"?|(\S+))')


def term_list(text: str) -> list[str]:
    """Return the terms of a text in order, repetitions included."""
    with _lock:
        return _lexicon.spoken(text[:MAX_TEXT])


def forms(of: str) -> list[str]:
    """Return the terms that have a stem, itself among them; some are no words."""
    bases = of, of + "e", of + of[-1:], of[:-1] + "y" if of.endswith("i") else of
    found = {base + end for base in bases for end in _ENDINGS}
    return [of, *sorted(one for one in found if one != of and fold(one) == of)]


def folded(terms: Iterable[str]) -> str:
    """Return terms without their endings, joined by blanks."""
    return " ".join([stem(term) for term in terms])


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


def parsed_query(asked: str) -> Query:
    """Read what somebody typed; any text is a query, perhaps one without terms."""
    terms: dict[str, None] = {}
    phrases, excluded = [], []
    for minus, together, word in _ASKED.findall(asked):
        found = term_list(together or word)[:MOST_TERMS]
        if not found:
            continue
        if minus:
            excluded.append(folded(found))
            continue
        terms.update(dict.fromkeys(found))
        if together and len(found) > 1:
            phrases.append(folded(found))
    return Query(
        tuple(terms)[:MOST_TERMS], tuple(phrases[:MOST_TERMS]), tuple(excluded[:MOST_TERMS])
    )
