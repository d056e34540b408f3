"""The part of a page's text that tells why it was found, with the words that were asked for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Set as AbstractSet
from typing import Final

from frontier.search.words import term_list
from ranking.letters import IN_CLASS, MARKS, clusters
from ranking.topics.terms import is_unspaced

__all__ = ["Snippet", "snippet"]

Snippet = list[tuple[str, bool]]
"""Parts of a text in order, and whether each is marked."""

Mark = tuple[int, int, str]
"""Beginning and end of a word in a text, and the term it is."""
LETTERS: Final = 220
"""Of a snippet, about."""
_BEFORE = 40
"""Letters before the first mark, so that one sees what it is about."""
_READ = 30_000
"""Characters of a text that are looked through."""
_WORDS = re.compile(rf"\w[\w{IN_CLASS}]*").findall
_CUT = "…"


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
    parts: Snippet = []
    at = start
    for first, last, _ in marks:
        if last <= at or first < start or last > end:
            continue
        first = max(first, at)
        _append(parts, text[at:first], marked=False)
        _append(parts, text[first:last], marked=True)
        at = last
    _append(parts, text[at:end], marked=False)
    before, after = _CUT if start else "", _CUT if end < len(text) else ""
    return [(before, False)] * bool(before) + parts + [(after, False)] * bool(after)


def _best_start(marks: list[Mark]) -> int:
    """Where the window begins that has most of the terms, then most of their letters."""
    best, start = (0, 0), 0
    inside: Counter[str] = Counter()
    letters = end = 0
    for first, last, term in marks:
        while end < len(marks) and marks[end][1] <= first + LETTERS - _BEFORE:
            inside[marks[end][2]] += 1
            letters += marks[end][1] - marks[end][0]
            end += 1
        told = sum(n > 0 for n in inside.values()), letters
        if told > best:
            best, start = told, first
        inside[term] -= 1
        letters -= last - first
    return start


def _append(parts: Snippet, text: str, *, marked: bool) -> None:
    if not text:
        return
    if parts and parts[-1][1] == marked:
        parts[-1] = (parts[-1][0] + text, marked)
    else:
        parts.append((text, marked))


def _marks(text: str, asked: AbstractSet[str]) -> list[Mark]:
    """The words asked for, of unspaced scripts the pairs, by their beginning."""
    words = ((word, term_list(word)) for word in set(_WORDS(text)))
    hits = {
        word: next(term for term in terms if term in asked)
        for word, terms in words
        if not asked.isdisjoint(terms)
    }
    if not hits:
        return []
    either = "|".join(map(re.escape, sorted(hits, key=len, reverse=True)))
    found: list[Mark] = []
    for word in re.finditer(rf"(?<!\w)(?:{either})(?!\w)", text):
        if _goes_on(text, word.start() - 1) or _goes_on(text, word.end()):
            continue
        if any(map(is_unspaced, word[0])):
            found += _pairs(word[0], word.start(), asked)
        else:
            found.append((word.start(), word.end(), hits[word[0]]))
    return found


def _goes_on(text: str, at: int) -> bool:
    """Whether a mark stands there, so that a word does not end."""
    return 0 <= at < len(text) and text[at] in MARKS


def _pairs(run: str, start: int, asked: AbstractSet[str]) -> list[Mark]:
    """The pairs of letters asked for, or a letter that is a word."""
    letters = clusters(run)
    found: list[Mark] = []
    at = start
    for place, letter in enumerate(letters):
        pair = letter + (letters[place + 1] if place + 1 < len(letters) else "")
        term = next((one for one in term_list(pair) if one in asked), None)
        if term is not None:
            found.append((at, at + len(pair), term))
        at += len(letter)
    return found
