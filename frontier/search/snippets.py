"""Snippets: the part of a page's text with most words of the query, which are marked."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from itertools import pairwise
from typing import Final

from frontier.search.words import stems_of
from ranking.letters import WORD, clusters
from ranking.topics.terms import is_unspaced

Snippet = list[tuple[str, bool]]
"""Parts of a text in order, and whether each is marked."""

LETTERS: Final = 220
"""Approximate length of a snippet."""
_BEFORE = 40  # letters before the first mark, for context
_READ = 30_000  # characters of a text that are searched
_FIRST = 3_000  # characters searched first: enough if they have all words
_INSIDE = r"\u00ad\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u064b-\u065f\u0670\u200c\u200d"
"""Combining points and accents, as the text is not folded here."""
_WORDS = re.compile(rf"{WORD}(?:[{_INSIDE}]+(?:{WORD})?)*", re.IGNORECASE).finditer


def snippet(text: str, asked: AbstractSet[str]) -> Snippet:
    """Return the part of a text with most terms of the query, which are marked.

    Without any, its beginning.
    """
    marks = _marks(text[:_FIRST], asked)
    if len({term for _, _, term in marks}) < len(asked):
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
    """The beginning of the part with most terms."""
    best = start = 0
    for at, (first, _, _) in enumerate(marks):
        near = marks[at : at + LETTERS // 4]
        n_terms = len({term for _, last, term in near if last <= first + LETTERS - _BEFORE})
        if n_terms > best:
            best, start = n_terms, first
    return start


def _marks(text: str, asked: AbstractSet[str]) -> list[tuple[int, int, str]]:
    """Beginning, end and term of each word of the query; in unspaced scripts of runs of pairs."""
    terms: dict[str, str | None] = {}
    marks: list[tuple[int, int, str]] = []
    for word in _WORDS(text):
        written = word[0]
        if written not in terms:
            each = (*stems_of(written), *(letter for letter in written if is_unspaced(letter)))
            terms[written] = next((term for term in each if term in asked), None)
        term = terms[written]
        if term is not None and any(map(is_unspaced, written)):
            marks += _stretches(written, word.start(), asked)
        elif term is not None:
            marks.append((*word.span(), term))
    return marks


def _stretches(run: str, start: int, asked: AbstractSet[str]) -> list[tuple[int, int, str]]:
    letters = [*clusters(run), ""]
    marks: list[tuple[int, int, str]] = []
    for letter, following in pairwise(letters):
        pair, end = letter + following, start + len(letter + following)
        term = next((stem for stem in stems_of(pair) if stem in asked), None)
        if term is None and letter in asked:
            term, end = letter, start + len(letter)
        if term is not None and marks and start <= marks[-1][1]:
            marks[-1] = (marks[-1][0], end, marks[-1][2])
        elif term is not None:
            marks.append((start, end, term))
        start += len(letter)
    return marks
