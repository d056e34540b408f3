"""Predictions of a link's target by the words of the link.

Words weigh as the topic's terms do: those of the anchor, those of the address that the anchor lacks
and, far behind, those around the link. Each word of a long anchor counts less. The meaning of the
words is added (`meaning.py`).
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Sequence

from ranking.topics._lexicon import address_of
from ranking.topics.judging import SILENT, LinkMatches, LinkWords
from ranking.topics.pages import TopicReader
from ranking.topics.terms import MAX_TEXT

_IN_ADDRESS = 0.8
_IN_CONTEXT = 0.15
_ANCHOR_LENGTH = 3.0  # words added to an anchor's, so that one-word anchors do not win
_NEAR_CONTEXT = 0.3  # of the nearness of the words around
_PREDICTED_HALF = 0.7  # link evidence, in typical term weights, that makes a prediction of 1/2
_TYPICAL_TERMS = 10  # heaviest terms whose mean weight is the typical one

_Terms = dict[str, None]
_LinkTerms = tuple[_Terms, _Terms, _Terms, float, float, float]


class LinkReader:
    """Weighs links by the terms of a topic that speak for it; those against it say nothing."""

    def __init__(self, topic: TopicReader) -> None:
        self._meaning, self._lexicon, self._stuffing = topic.meaning, topic.lexicon, topic.stuffing
        self._weights = {term: weight for term, weight in topic.weights.items() if weight > 0.0}
        heaviest = sorted(self._weights.values(), reverse=True)[:_TYPICAL_TERMS]
        self._half = _PREDICTED_HALF * math.fsum(heaviest) / max(len(heaviest), 1) or 1.0

    def matches(self, links: Sequence[LinkWords]) -> list[LinkMatches]:
        """Return what each link predicts, in all and by each of its parts."""
        topical = self._lexicon.topical([*links], MAX_TEXT)
        return [
            SILENT if terms is None else self._matches(anchor, terms)
            for (anchor, _, _), terms in zip(links, topical, strict=True)
        ]

    def _matches(self, anchor: str, terms: _LinkTerms) -> LinkMatches:
        here, there, around, near_here, near_there, near_around = terms
        named, scale = self._anchor(anchor)
        anchored = self._weigh(here) * named
        addressed = self._weigh(term for term in there if term not in here)
        near = self._weigh(term for term in around if term not in here and term not in there)
        meant, addressee, beside = map(
            self._meaning.of_words, (near_here * named, near_there, near_around)
        )
        nearby = 2.0 * _NEAR_CONTEXT * beside
        return LinkMatches(
            self._share(
                (anchored + _IN_ADDRESS * addressed) * scale + _IN_CONTEXT * near,
                max(meant, _IN_ADDRESS * addressee) + _NEAR_CONTEXT * beside,
            ),
            self._share(anchored * scale, meant),
            self._share(self._weigh(around), nearby),
            self._share(self._weigh(there), addressee),
            *map(_as_share, (meant, nearby, addressee)),
        )

    def _anchor(self, anchor: str) -> tuple[float, float]:
        """The share of an anchor's words that name something, and how much its terms count."""
        text = self._lexicon.read(anchor[:MAX_TEXT])
        return self._stuffing.named(text), 2.0 / math.sqrt(text.words + _ANCHOR_LENGTH)

    def parts(self, link: LinkWords) -> tuple[dict[str, float], dict[str, float]]:
        """Return term -> what it adds to the odds of a link as a word, and by what it means.

        The odds are predicted / (1 - predicted).
        """
        (topical,) = self._lexicon.topical([link], MAX_TEXT)
        if topical is None:
            return {}, {}
        anchor, context, url = link
        here, there, around, near_here, near_there, near_around = topical
        named, scale = self._anchor(anchor)
        of_words = self._meaning.of_words
        by_anchor = of_words(near_here * named) >= _IN_ADDRESS * of_words(near_there)
        words: defaultdict[str, float] = defaultdict(float)
        meant: defaultdict[str, float] = defaultdict(float)
        for text, terms, factor, near, odds in (
            (anchor, here.keys(), named * scale, near_here * named, float(by_anchor)),
            (
                *(address_of(url), there.keys() - here, _IN_ADDRESS * scale, near_there),
                _IN_ADDRESS * (not by_anchor),
            ),
            (context, around.keys() - here - there.keys(), _IN_CONTEXT, near_around, _NEAR_CONTEXT),
        ):
            for term in terms:
                words[term] += factor * self._weights[term] / self._half
            odds *= of_words(near)
            of_text = self._lexicon.terms_of(text[:MAX_TEXT])
            salient = map(self._lexicon.nearness, of_text)
            near_terms = [
                (term, by * close) for term, (by, _, close) in zip(of_text, salient, strict=True)
            ]
            whole = math.fsum(value for _, value in near_terms) or 1.0
            for term, value in near_terms if odds > 0.0 else ():
                meant[term] += odds * value / whole
        return words, meant

    def _weigh(self, terms: Iterable[str]) -> float:
        return math.fsum(map(self._weights.__getitem__, terms))

    def _share(self, evidence: float, near: float) -> float:
        """The odds of words and of meaning together, as a share."""
        return _as_share(evidence / self._half + near)


def _as_share(odds: float) -> float:
    return odds / (odds + 1.0)
