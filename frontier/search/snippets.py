"""The part of a page's text that tells why it was found, with the words that were asked for."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final

from frontier.search.words import folded, term_list
from ranking.letters import IN_CLASS, MARKS, clusters
from ranking.topics.terms import is_unspaced

Snippet = list[tuple[str, bool]]
"""Parts of a text in order, and whether each is marked."""

LETTERS: Final = 220
"""Of a snippet, about."""
_BEFORE = 40  # letters before the first mark, so that one sees what it is about
_READ = 30_000  # characters of a text that are looked through
_WORDS = re.compile(rf"\w[\w{IN_CLASS}]*").findall


def snippet(text: str, asked: AbstractSet[str]) -> Snippet:
    """Return the part of a text that has the most of the terms asked for, those marked.

    Where it has none, its beginning.
    """
    marks = _marks(text[:_READ], asked)
    start = max(_best_start(marks) - _BEFORE, 0)
    if start:
        start = text.find(" ", start, start + _BEFORE) + 1 or start
    end = min(start + LETTERS, len(text))
    if end < len(text):
        end = max(text.rfind(" ", end - _BEFORE, end), start) or end
    parts, at = [("…" if start else "", False)], start
    for first, last, _ in marks:
        if at <= first and last <= end:
            parts += [(text[at:first], False), (text[first:last], True)]
            at = last
    parts += [(text[at:end], False), ("…" if end < len(text) else "", False)]
    return [part for part in parts if part[0]]


def _best_start(marks: list[tuple[int, int, str]]) -> int:
    """Where the stretch begins that has most of the terms."""
    best = start = 0
    for at, (first, _, _) in enumerate(marks):
        near = marks[at : at + LETTERS // 4]
        told = len({term for _, last, term in near if last <= first + LETTERS - _BEFORE})
        if told > best:
            best, start = told, first
    return start


def _marks(text: str, asked: AbstractSet[str]) -> list[tuple[int, int, str]]:
    """Beginning, end and a term of each word asked for; in unspaced scripts of runs of pairs."""
    words = ((word, folded(term_list(word)).split()) for word in set(_WORDS(text)))
    hits = {
        word: next(term for term in terms if term in asked)
        for word, terms in words
        if not asked.isdisjoint(terms)
    }
    found: list[tuple[int, int, str]] = []
    either = "|".join(map(re.escape, sorted(hits, key=len, reverse=True)))
    for word in re.finditer(rf"(?<!\w)(?:{either})(?!\w)", text) if hits else ():
        first, last = word.span()
        if text[last : last + 1] in MARKS and last < len(text):
            continue  # a word goes on behind its marks
        if any(map(is_unspaced, word[0])):
            found += _stretches(word[0], first, asked)
        else:
            found.append((first, last, hits[word[0]]))
    return found


def _stretches(run: str, start: int, asked: AbstractSet[str]) -> list[tuple[int, int, str]]:
    letters = [*clusters(run), ""]
    found: list[tuple[int, int, str]] = []
    for letter, following in pairwise(letters):
        pair, end = letter + following, start + len(letter + following)
        term = next((one for one in folded(term_list(pair)).split() if one in asked), None)
        if term is not None and found and start <= found[-1][1]:
            found[-1] = (found[-1][0], end, found[-1][2])
        elif term is not None:
            found.append((start, end, term))
        start += len(letter)
    return found
