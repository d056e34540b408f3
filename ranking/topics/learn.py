"""A topic -> its terms and their weights, once, before the crawl.

Keywords weigh the same each, common ones half of that, because a topic may be a sentence.
That is measured, not laziness: on two recorded webs equal weights without function words
ordered pages as well as true document frequencies did.

Texts of wanted pages teach the rest, in the way of Rocchio (1971) without negatives: the
mean of their unit-length vectors. Four factors make a term's weight in a page: 1 + ln tf;
the level of `common.py` in place of the inverse document frequency; in how many of the
examples the term stands (what they agree on is the topic, the rest is one page's matter);
and how often it is said again within a stretch of text that says it at all, because topical
words come in bursts and common ones come evenly (Church and Gale 1995).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from ranking.errors import TopicError
from ranking.topics.common import COMMON_TERMS, FUNCTION_WORDS
from ranking.topics.terms import terms, terms_of, words

__all__ = ["learn_weights", "term_level", "topic_terms"]

_COMMON_LEVEL = 0.25
_KEYWORDS = 0.6  # length of the keywords' vector beside the unit length of the examples'
_KEPT = 200  # terms; twice as many order pages no better
_STRETCH = 100  # words; a paragraph
_DIGITS = 6  # of a weight; what is kept is readable and the same on every machine


def learn_weights(topic: str, examples: Sequence[str]) -> dict[str, float]:
    """Return term -> weight, positive, summing to 1, heaviest first.

    Raises `TopicError` when neither the topic nor the examples have a term.
    """
    keywords = topic_terms(topic)
    centroid = _centroid([terms(text) for text in examples])
    if not keywords and not centroid:
        raise TopicError(_nothing_to_learn(topic, examples))
    share = _KEYWORDS / math.sqrt(len(keywords)) if keywords else 0.0
    for term in keywords:
        centroid[term] = centroid.get(term, 0.0) + share * math.sqrt(_level(term))
    return _rounded(centroid)


def topic_terms(topic: str) -> list[str]:
    """Return the distinct terms of a topic in order, function words left out.

    Single letters and digits are dropped unless they are all there is ("R").
    """
    spoken = [word for word in words(topic) if word not in FUNCTION_WORDS]
    telling = [word for word in spoken if len(word) > 1 or not word.isascii()]
    return list(dict.fromkeys(term for word in telling or spoken for term in terms_of(word)))


def term_level(term: str) -> float:
    """Return what a term of a page tells: 0 (function word, number) to 1 (no common word)."""
    return _level(term) if _tells(term) else 0.0


def _nothing_to_learn(topic: str, examples: Sequence[str]) -> str:
    return (
        "expected a topic with at least one telling word, or an example page with text; "
        f"got topic {topic[:80]!r} and {len(examples)} example(s) without usable words. "
        "Name the topic by a few words of its own, such as 'solar telescopes', or give the "
        "addresses of pages that are about it."
    )


def _centroid(examples: Iterable[list[str]]) -> dict[str, float]:
    counts = [counted for text in examples if (counted := Counter(filter(_tells, text)))]
    agreement = Counter(term for counted in counts for term in counted)
    bursts = _bursts(examples)
    total: dict[str, float] = {}
    for counted in counts:
        vector = {term: (1.0 + math.log(tf)) * _level(term) for term, tf in counted.items()}
        length = math.sqrt(math.fsum(value * value for value in vector.values()))
        for term, value in vector.items():
            total[term] = total.get(term, 0.0) + value / length
    for term in total:
        total[term] *= agreement[term] * math.sqrt(bursts[term])
    kept = sorted(total, key=lambda term: (-total[term], term))[:_KEPT]
    length = math.sqrt(math.fsum(total[term] ** 2 for term in kept)) or 1.0
    return {term: total[term] / length for term in kept}


def _tells(term: str) -> bool:
    if term in FUNCTION_WORDS or term.isdigit():
        return False
    return len(term) > 2 or not term.isascii()


def _level(term: str) -> float:
    return _COMMON_LEVEL if term in COMMON_TERMS else 1.0


def _bursts(examples: Iterable[list[str]]) -> dict[str, float]:
    """Return term -> mean occurrences in the stretches of text that have it, >= 1."""
    times: Counter[str] = Counter()
    stretches: Counter[str] = Counter()
    for text in examples:
        for start in range(0, len(text), _STRETCH):
            stretch = text[start : start + _STRETCH]
            times.update(stretch)
            stretches.update(set(stretch))
    return {term: times[term] / stretches[term] for term in times}


def _rounded(weights: dict[str, float]) -> dict[str, float]:
    total = math.fsum(weights.values())
    heaviest = sorted(weights, key=lambda term: (-weights[term], term))
    rounded = {term: round(weights[term] / total, _DIGITS) for term in heaviest}
    return {term: weight for term, weight in rounded.items() if weight > 0.0}
