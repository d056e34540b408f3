"""A topic -> weights of its terms, once, before the crawl.

Keywords weigh the same each but for the square root of their level (`frequencies.py`), because a
topic may be a sentence: on two recorded webs equal weights without function words ordered pages as
well as true document frequencies did.

Texts of wanted pages give the rest, in the way of Rocchio (1971): the mean of their unit-length
vectors, less a share of the vectors of unwanted pages, less a share of the vector of any page (the
background of `frequencies.py`). A passage that several texts share word for word counts once
(`distinct_passages`): it is the menu of their site. Four factors make a term's weight in an
example: 1 + ln tf; its level; the number of examples with it (examples agree on the topic, the rest
concerns a single page); and how often it occurs in a stretch of text that has it at all, because
topical words come in bursts and common ones evenly (Church and Gale 1995).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from ranking.topics.forms import Forms
from ranking.topics.frequencies import Levels
from ranking.topics.judging import PageText
from ranking.topics.terms import FUNCTION_WORDS, cut, terms, terms_of, together

if TYPE_CHECKING:
    from ranking.topics.contrast import Contrast

_RUN: Final = 8  # terms in a row


def distinct_passages(texts: Sequence[Sequence[str]]) -> list[list[str]]:
    """Leave out of each text (terms in order) the passages that an earlier text has, too.

    Two pages about one topic share its words, but hardly ever eight in a row; pages of one site do:
    menus, headers, footers and slogans (shingles: Broder 1997).
    """
    seen: set[tuple[str, ...]] = set()
    kept = []
    for text in texts:
        passages = [tuple(text[at : at + _RUN]) for at in range(len(text) - _RUN + 1)]
        again = bytearray(len(text))
        for at, passage in enumerate(passages):
            if passage in seen:
                again[at : at + _RUN] = b"\1" * _RUN
        seen.update(passages)
        kept.append([term for term, known in zip(text, again, strict=True) if not known])
    return kept


Vector = dict[str, float]
"""Term -> weight."""

_BESIDE_KEYWORDS = 0.5  # length of the examples' vector beside the unit length of the keywords'
_UNWANTED = 0.5  # length of the unwanted examples' vector
_BACKGROUND = 0.25  # length of the background's vector, where there are examples
_IN_TITLE = 0.4  # length of an example's title beside the unit length of its text
_KEPT = 200  # terms of either kind of examples; twice as many order pages no better
_STRETCH = 100  # words; a paragraph
_MAX_TITLE = 500  # characters of a first line that is one
_DIGITS = 6  # of a weight; what is kept is readable and the same on every machine


class Fit(NamedTuple):
    """A linear judge of pages.

    Attributes:
        weights: of each term; some are below 0.
        cut: evidence that makes a relevance of one half, above 0; unused without examples.
        levels: how much each term tells.
        keywords: terms of the topic's words.
        by_examples: whether there were examples.
        contrast: the judge that tells examples from other pages of the crawl, if there is one.

    """

    weights: Vector
    cut: float
    levels: Levels
    keywords: Sequence[str]
    by_examples: bool
    contrast: Contrast | None = None


class Example(NamedTuple):
    """One example, read: its unit-length vector, and how its terms come in bursts."""

    page: PageText
    vector: Vector
    times: Counter[str]
    stretches: Counter[str]


def read_examples(texts: Iterable[str], levels: Levels) -> list[Example]:
    """Read texts whose first lines may be titles; texts that tell nothing are left out."""
    pages = [page_of(text) for text in texts]
    words = distinct_passages([terms(page.text) for page in pages])
    examples = (_example(page, text, levels) for page, text in zip(pages, words, strict=True))
    return [example for example in examples if example.vector]


def _example(page: PageText, words: Sequence[str], levels: Levels) -> Example:
    vector = vector_of(Counter(words), levels)
    for term, weight in vector_of(dict.fromkeys(terms(page.title), 1), levels).items():
        vector[term] = vector.get(term, 0.0) + _IN_TITLE * weight
    return Example(page, _unit(vector), *_bursts(words))


def page_of(text: str) -> PageText:
    """Read an example's text: its first line is its title, unless it is all there is, or long."""
    first, _, rest = text.strip().partition("\n")
    if rest.strip() and len(first) <= _MAX_TITLE:
        return PageText(rest, first)
    return PageText(text)


def topic_terms(topic: str) -> list[str]:
    """Return the distinct terms of the words of a topic, in order; then what hyphens join."""
    words = topic_words(topic)
    forms = Forms(words)
    terms_of_words = dict.fromkeys(term for word in words for term in forms.terms_of(word))
    return list(terms_of_words | dict.fromkeys(joined_terms(topic)))


def joined_terms(topic: str) -> dict[str, list[str]]:
    """Return the terms that hyphens before or behind a number join -> the terms of their words."""
    pairs = {together(word): word for word in cut(topic)}
    return {
        term: [part for word in _parts(pair) for part in terms_of(word)]
        for term, pair in pairs.items()
        if term is not None and FUNCTION_WORDS.isdisjoint(pair.split("-"))
    }


def topic_words(topic: str) -> list[str]:
    """Return the words of a topic in order, without function words.

    Single letters and digits are dropped unless they are all there is ("R"), and numbers that a
    hyphen joins to a word (covid-19).
    """
    words = [part for word in cut(topic) for part in _parts(word) if part not in FUNCTION_WORDS]
    return [word for word in words if len(word) > 1 or not word.isascii()] or words


def _parts(word: str) -> list[str]:
    """The words of one of `cut` that tell something alone; both together where neither does."""
    parts = word.split("-")
    if len(parts) == 1:
        return parts
    telling = [part for part in parts if len(part) > 1 and not part.isdigit()]
    return telling or ["".join(parts)]


def vector_of(counted: Mapping[str, int], levels: Levels) -> Vector:
    """Return (1 + ln tf) level of each term that tells something, by the length of them all."""
    weighed = {term: (1.0 + math.log(tf)) * levels.level(term) for term, tf in counted.items()}
    return _unit({term: weight for term, weight in weighed.items() if weight > 0.0})


def learned(
    keywords: Iterable[str],
    wanted: Sequence[Example],
    unwanted: Sequence[Example],
    levels: Levels,
) -> Vector:
    """Return term -> weight, heaviest first; the background's are below 0, as are unwanted terms'.

    There must be a keyword or a wanted example.
    """
    weights = _unit({term: math.sqrt(levels.level(term)) for term in keywords})
    share = _BESIDE_KEYWORDS if weights else 1.0
    _add(weights, _centroid(wanted), share)
    _add(weights, _centroid(unwanted), -share * _UNWANTED)
    if wanted:
        _add(weights, levels.background, -share * _BACKGROUND)
    heaviest = sorted(weights, key=lambda term: (-weights[term], term))
    rounded = {term: round(weights[term], _DIGITS) for term in heaviest}
    return {term: weight for term, weight in rounded.items() if weight != 0.0}


def _centroid(examples: Sequence[Example]) -> Vector:
    """Return the unit-length vector of what examples agree on, at most 200 terms."""
    total: Vector = {}
    agreement, times, stretches = Counter[str](), Counter[str](), Counter[str]()
    for example in examples:
        _add(total, example.vector, 1.0)
        agreement.update(example.vector.keys())
        times.update(example.times)
        stretches.update(example.stretches)
    for term in total:
        burst = times[term] / stretches[term] if term in stretches else 1.0
        total[term] *= agreement[term] * math.sqrt(burst)
    kept = sorted(total, key=lambda term: (-total[term], term))[:_KEPT]
    return _unit({term: total[term] for term in kept})


def _bursts(words: Sequence[str]) -> tuple[Counter[str], Counter[str]]:
    """Return how often each term occurs, and in how many stretches of the text."""
    stretches: Counter[str] = Counter()
    for start in range(0, len(words), _STRETCH):
        stretches.update(set(words[start : start + _STRETCH]))
    return Counter(words), stretches


def _add(total: Vector, vector: Mapping[str, float], share: float) -> None:
    for term, weight in vector.items():
        total[term] = total.get(term, 0.0) + share * weight


def _unit(vector: Mapping[str, float]) -> Vector:
    length = math.sqrt(math.fsum(weight * weight for weight in vector.values()))
    return {term: weight / length for term, weight in vector.items()} if length else {}
