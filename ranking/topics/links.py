"""What the words of a link say of its target: anchor, address and surroundings beside a topic."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from urllib.parse import unquote

from ranking.topics.judging import LinkCues
from ranking.topics.stuffing import Stuffing
from ranking.topics.terms import words

__all__ = ["LinkReader"]

_IN_ADDRESS = 0.8
_IN_CONTEXT = 0.15
_ANCHOR_LENGTH = 3.0  # words added to an anchor's, so that one-word anchors do not win
_PROMISE_HALF = 0.7  # link evidence, in typical term weights, that makes a promise of 1/2
_TYPICAL_TERMS = 10  # heaviest terms whose mean weight is the typical one

_NO_CUES = LinkCues(0.0, 0.0, 0.0, 0.0)


class LinkReader:
    """Weighs links by the terms of a topic that speak for it; those against it say nothing."""

    def __init__(
        self,
        weights: Mapping[str, float],
        terms_in: Callable[[Iterable[str]], Iterable[str]],
        stuffing: Stuffing,
    ) -> None:
        self._weights = {term: weight for term, weight in weights.items() if weight > 0.0}
        self._terms_in = terms_in
        self._stuffing = stuffing
        heaviest = sorted(self._weights.values(), reverse=True)[:_TYPICAL_TERMS]
        self._half = _PROMISE_HALF * math.fsum(heaviest) / max(len(heaviest), 1)

    def cues(self, anchor: str, context: str, url: str) -> LinkCues:
        """Return what a link promises, in all and by each of its parts."""
        anchor_words = words(anchor)
        here = self._topical(anchor_words)
        there = self._topical(words(_address_words(url)))
        around = self._topical(words(context))
        if not (here or there or around):
            return _NO_CUES
        anchored = self._weigh(here) * self._stuffing.named(list(self._terms_in(anchor_words)))
        addressed = self._weigh(term for term in there if term not in here)
        near = self._weigh(term for term in around if term not in here and term not in there)
        scale = 2.0 / math.sqrt(len(anchor_words) + _ANCHOR_LENGTH)
        return LinkCues(
            self._share((anchored + _IN_ADDRESS * addressed) * scale + _IN_CONTEXT * near),
            self._share(anchored * scale),
            self._share(self._weigh(around)),
            self._share(self._weigh(there)),
        )

    def _topical(self, spoken: Iterable[str]) -> dict[str, None]:
        weights = self._weights
        return {term: None for term in self._terms_in(spoken) if term in weights}

    def _weigh(self, terms: Iterable[str]) -> float:
        return math.fsum(map(self._weights.__getitem__, terms))

    def _share(self, evidence: float) -> float:
        return evidence / (evidence + self._half)


def _address_words(url: str) -> str:
    path = url.partition("://")[2].partition("/")[2]
    return unquote(path) if "%" in path else path
