"""What words near to a topic by meaning say of it: locomotives, of trains.

A table of word vectors (`vectors`) gives each of its terms a cosine with the topic; how near a term
is follows from how far that stands out among all terms of the table, so that one scale holds for
tables of any kind. Terms of which the topic itself is made are the nearest.

A page is as near as its terms are, on average: each with 1 + ln tf, and with a / (a + p), p being
its share of running words (smooth inverse frequency, Arora, Liang and Ma 2017). Divided by the
length of the vector of all near terms, that is the same for narrow topics as for wide ones: about
HALF of it on pages of which one half is about the topic, whatever the topic and the table. That was
measured on 42 topics of an encyclopedia and ten of documentation with two tables: what parts as
many pages as there are on the topic from the rest varies by 28 % about it. Where a topic is told by
more than two words, pages must be nearer, by the square root of their number: what is near to ten
words is near to ten topics, and the words themselves tell more.

Nearness is found when a topic is fitted and stored with the crawl; nothing here reads a table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ranking.topics._lexicon import Reading
    from ranking.topics.vectors import WordVectors

__all__ = ["SHORT", "Meaning", "nearest", "salience"]

SHORT: Final = 10.0
"""Added to a page's squared length: a page of three words is not all about one."""

_APART: Final = 1.5  # standard deviations above the mean from which on a term is near at all
_POWER: Final = 1.5  # of what is above that
_TYPICAL: Final = 50  # nearest terms; their mean is a nearness of one half
_MOST: Final = 3_000  # near terms; they are stored with the crawl
_SMOOTH: Final = 1e-3  # share of running words at which a word tells half
_HALF: Final = 0.135  # evidence of a page that is as likely on the topic as not, without its words
_TOLD: Final = 2  # words of a topic, beyond which near words tell less
_DIGITS: Final = 3  # of a nearness that is kept


def nearest(topic: Sequence[str], vectors: WordVectors | None) -> dict[str, float]:
    """Return term -> nearness in (0, 1] of at most 3,000 terms, the nearest first.

    Empty where there is no table, it knows none of the topic's terms, or none stands out.
    """
    cosines = vectors.near(topic) if vectors is not None else None
    if vectors is None or cosines is None:
        return {}
    import numpy as np

    apart = cosines - cosines.mean() - _APART * cosines.std()
    near = np.maximum(apart, 0.0) ** _POWER
    order = np.argsort(-near, kind="stable")[:_MOST]
    one = 2.0 * near[order[:_TYPICAL]].mean()
    if not one > 0.0:
        return {}
    near = np.minimum(near[order] / one, 1.0).round(_DIGITS)
    return {vectors.terms[at]: float(n) for at, n in zip(order, near, strict=True) if n > 0.0}


def salience(zipf: float) -> float:
    """How much a word tells by how common it is, in (0, 1]; `zipf` is 9 + log10 of its share."""
    return _SMOOTH / (_SMOOTH + math.pow(10.0, zipf - 9.0))


class Meaning:
    """Evidence of texts by words near to a topic that is told by so many terms."""

    def __init__(self, near: Mapping[str, float], told: int) -> None:
        self.near = near
        half = _HALF * math.sqrt(max(told / _TOLD, 1.0))
        self._length = math.sqrt(math.fsum(n * n for n in near.values())) * half

    def of_page(self, text: Reading) -> float:
        """Odds of a page: 1 where it is as likely on the topic as not, 0 without near words."""
        return text.near_product / self.length(text) if text.near_product else 0.0

    def length(self, text: Reading) -> float:
        """What the nearness of a page's terms, each by what it tells, is divided by; 0 without."""
        return math.sqrt(text.salient_squares + SHORT) * self._length
