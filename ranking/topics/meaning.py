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

How much evidence makes one half is set anew by what a crawl has fetched. Evidence stands far above
the usual on the pages of some topics and hardly on those of others. How far it stands on the best
of the fetched pages tells which; it is believed in part, and within bounds, because pages may all
be on the topic, or none. And less makes one half than what parts the pages of a finished crawl
best: each was judged when it came, the young crawl's by a first guess. In 34 crawls of 300 and 600
requests (17 topics of an encyclopedia and of documentation), the pages judged relevant are as many
as those on the topic within a factor of 1.5 in 56 of 100, without this factor in 44; the median is
1.09 times as many. Where it fails, the words near to a topic are on few of its pages (geology), or
on many of another topic (chemical compounds, elements).

Nearness is found when a topic is fitted and stored with the crawl; nothing here reads a table.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from ranking.topics._lexicon import Reading
    from ranking.topics.vectors import WordVectors

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

FIRST_SCALE: Final = 0.93
"""Odds that mean one half before enough is fetched, and a factor of what is told from then on."""

_BEST: Final = 0.2  # share of the pages that are looked at
_SCALE_POWER: Final = 0.6
_BOUNDS: Final = (0.5, 1.3)
_FEWEST: Final = 10  # pages


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


def scale_of(odds: Sequence[float]) -> float:
    """Return the odds, from .465 to 1.209, that mean one half; .93 of fewer than ten pages."""
    if len(odds) < _FEWEST:
        return FIRST_SCALE
    best = sorted(odds)[-round(_BEST * len(odds)) :]
    low, high = _BOUNDS
    told = min(max(math.pow(math.fsum(best) / len(best), _SCALE_POWER), low), high)
    return round(FIRST_SCALE * told, _DIGITS)
