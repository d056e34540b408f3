"""The meaning of a text beside that of a topic: locomotives are near trains.

A page is the sum of the vectors of its words (`vectors`), each by how often it occurs and by
a / (a + p), p being its share of running words (smooth inverse frequency, Arora, Liang and Ma
2017). Its *nearness* is the cosine of this sum with the vector of the topic, which is made in the
same way. The page and its title are compared separately, and six tenths of what the title is nearer
than the text count, too. What it is less near counts against the page by l / (1 + l) of the squared
length l of its vector: a title that names a thing that no table knows does not count against its
page.

The scale is fixed before a crawl, whatever it fetches: a page means the topic where its nearness is
HALF times the spread, the root mean square of the cosines of two words of the table; the fourth
root of n times as much for a topic of n words, whose mean is near to more. HALF and the constants
of `evidence.py` were chosen by the labels of eight sets of topics (an encyclopedia by short and by
long names, documentation, forum, two of news, reference, a blog; 164 names), all of them in sight,
with another table of words. They were tried anew with this table: by the best mean F1 of four of
the five collections of docs/topics.md, the fifth had a mean F1 of .34, and .36 by HALF alone,
instead of .37 as they are. Nor did a separate scale for each topic help (by how dense the table is
near it, or how near texts of words drawn by frequency are: .32 to .375). That titles count against
pages was chosen with all five in sight, without a constant of its own: .37 became .385, and the
three kinds with titles are overstated less (2.4, 2.6, 1.8 times became 1.3, 1.4, 1.2).

A link has too few words for a mean. So each word counts by how far it stands out: a word is near
from 1.5 spreads on, by the power of 1.5 of what is above, and half as near as can be if that is the
mean of the 50 nearest words of the table. Beside cosines as they are, the area under the recall
curve of documentation (ten topics, two draws, 400 requests) is .591 instead of .567 by keywords,
.499 instead of .476 by examples, and the same by names.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from ranking.topics._lexicon import Reading
    from ranking.topics.vectors import WordVectors

SHORT: Final = 10.0
"""Added to a page's squared length: a page of three words is not all about one."""
_SHORT_TITLE: Final = 1.0  # the same of a title
_HALF: Final = 4.2  # spreads
_SEVERAL: Final = 0.25  # power of the number of words
_APART: Final = 1.5  # spreads from which on a word is near at all
_ABOVE: Final = 1.5  # power of what is above
_TYPICAL: Final = 50  # nearest words; twice their mean is a nearness of 1
_HALF_OF_WORDS: Final = 0.5  # nearness of a few words that makes one half
_TITLE: Final = 0.6  # of how much a title is nearer or less near than its page
_SMOOTH: Final = 1e-3  # share of running words at which a word tells half


def salience(zipf: float) -> float:
    """How much a word tells by how common it is, in (0, 1]; `zipf` is 9 + log10 of its share."""
    return _SMOOTH / (_SMOOTH + math.pow(10.0, zipf - 9.0))


class Meaning:
    """A topic in a table of word vectors; false without a table, or if it has no word of the topic.

    Attributes:
        terms: those that the topic's vector is made of.
        rows: (n, d) int8, vectors of the table's terms; None where there is no meaning.
        unit: their length.
        topic: (d,) float32, of length 1.
        apart: cosine from which on a word is near at all, as few are.
        typical: of what is above, to the power of 1.5: a nearness of 1.

    """

    def __init__(self, terms: Sequence[str], table: WordVectors | None, words: int = 1) -> None:
        """`words` is the number of words of the topic; 0 with examples alone."""
        self.terms = tuple(terms)
        self.rows: Any = None
        self.topic: Any = None
        self.unit, self._half, self.apart, self.typical = 1.0, 1.0, 0.0, 1.0
        self._places: dict[str, int] = {}
        topic = None if table is None else table.meaning(terms)
        if table is None or topic is None:
            return
        import numpy as np

        self.rows, self.unit, self._places = table.rows, table.unit, table.places()
        self.topic = topic.astype(np.float32)
        self._half = _HALF * table.spread * math.pow(max(words, 1), _SEVERAL)
        self.apart = _APART * table.spread
        nearest = np.sort(table.cosines(topic))[-_TYPICAL:]
        above = np.maximum(nearest - self.apart, 0.0) ** _ABOVE
        self.typical = 2.0 * float(above.mean()) or 1.0

    def __bool__(self) -> bool:
        return self.rows is not None

    def row(self, term: str) -> int:
        """Return the row of a term, -1 of one that is not known."""
        return self._places.get(term, -1)

    def share(self, information: Mapping[str, float]) -> float:
        """How much of the information of a topic's terms is that of those known; from 0 to 1."""
        whole = math.fsum(information.values())
        known = math.fsum(part for term, part in information.items() if self.row(term) >= 0)
        return known / whole if whole else 0.0

    def of_page(self, text: Reading, title: Reading, own: float = 1.0) -> float:
        """Evidence of a page, 1 where it is as likely on the topic as not; not below 0.

        The topic's own words count by `own`.
        """
        near = text.nearness(own, SHORT)
        beyond = title.nearness(own, _SHORT_TITLE) - near
        if beyond < 0.0:  # a title that tells nothing does not count against its page
            beyond *= 1.0 - _SHORT_TITLE / title.length(own, _SHORT_TITLE) ** 2
        near += _TITLE * beyond
        return max(near / self._half, 0.0)

    def length(self, text: Reading, own: float = 1.0) -> float:
        """Return the divisor of a page's vector."""
        return text.length(own, SHORT) * self._half

    def of_words(self, nearness: float) -> float:
        """The same of a few words, by the nearness that a `Lexicon` gives."""
        return nearness / _HALF_OF_WORDS
