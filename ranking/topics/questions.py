"""Which pages a person should be asked about: those the judge is unsure of, each a new matter.

A page teaches most where the judge wavers (uncertainty sampling, Lewis and Gale 1994), and the
second of two pages that say the same teaches nothing. So pages are chosen one after the other, by

    uncertainty * (1 - the largest cosine with a page that was chosen or is known)

with uncertainty 1 - |2 relevance - 1| and vectors of TF-IDF as in the default model; no model is
asked for more than the relevance it gave.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Sequence
from itertools import chain
from typing import Final

from ranking.topics.frequencies import Levels, languages_of
from ranking.topics.learn import Vector, vector_of
from ranking.topics.terms import terms

__all__ = ["Sample", "most_telling"]

Sample = tuple[int, float, str]
"""A page that was judged: its id, its relevance in [0, 1], its text."""

_CONSIDERED: Final = 100
"""Least certain samples that are compared with one another."""
_READ = 5_000  # characters of a text that is compared; more say the same
_LEAST = 0.01  # uncertainty: where the judge is sure of every page, the choice is by diversity


def most_telling(samples: Sequence[Sample], known: Collection[int], count: int) -> list[int]:
    """Return the ids of at most `count` samples, the one that would teach most first.

    Args:
        samples: pages with texts.
        known: ids that need not be asked about: labelled pages, say.
        count: how many to return.

    Returns:
        Ids of samples that are not known; ties go to the lower id.

    """
    open_ = sorted((s for s in samples if s[0] not in known), key=lambda s: (-_unsure(s), s[0]))
    told = [s for s in samples if s[0] in known]
    asked = open_[:_CONSIDERED]
    vectors = _vectors([*told, *asked])
    likeness = {s[0]: _nearest(vectors[s[0]], [vectors[t[0]] for t in told]) for s in asked}
    chosen: list[int] = []
    while asked and len(chosen) < count:
        best = max(asked, key=lambda s: (_unsure(s) * (1.0 - likeness[s[0]]), -s[0]))
        asked.remove(best)
        chosen.append(best[0])
        for s in asked:
            likeness[s[0]] = max(likeness[s[0]], _cosine(vectors[s[0]], vectors[best[0]]))
    return chosen


def _unsure(sample: Sample) -> float:
    return max(1.0 - abs(2.0 * sample[1] - 1.0), _LEAST)


def _vectors(samples: Sequence[Sample]) -> dict[int, Vector]:
    spoken = {page: terms(text[:_READ]) for page, _, text in samples}
    levels = Levels(languages_of([list(chain.from_iterable(spoken.values()))]))
    return {page: vector_of(Counter(said), levels) for page, said in spoken.items()}


def _nearest(vector: Vector, others: Sequence[Vector]) -> float:
    return max((_cosine(vector, other) for other in others), default=0.0)


def _cosine(one: Vector, other: Vector) -> float:
    if len(one) > len(other):
        one, other = other, one
    product = math.fsum(weight * other.get(term, 0.0) for term, weight in one.items())
    return min(product, 1.0)
