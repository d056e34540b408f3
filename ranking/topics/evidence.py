"""How much evidence that a page is about a topic of words makes it relevant.

The evidence of a page is the sum of what its words say, what it means (`meaning.py`), and 1 if its
title or its heading names the topic. Relevance is s^4 / (1 + s^4) of that sum s: one half at 1,
graded on both sides. Nothing here depends on what a crawl fetched.

Words say w ln(1 + 10 cos sqrt(n)), cos being the cosine of page and topic by TF-IDF, n the words of
the topic. Beside meaning w is BESIDE: a page says more by all its words than by one of them. Where
no table knows the topic, a product, a person or a code, it is its letters, and w is ALONE. Of a
topic of several words it is in between, by the share of their information that the table knows.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection
from typing import Final, NamedTuple

_BESIDE: Final = 0.35
_ALONE: Final = 1.6
_STEEP: Final = 10.0
_POWER: Final = 4.0  # of evidence in relevance
_PARTS = re.compile(r"\s+[-\u2013\u2014|\u00b7\u2022\u00bb:]+\s+").split


class PageEvidence(NamedTuple):
    """What a page says of a topic of words; 1 of all together is a relevance of one half."""

    words: float
    meaning: float
    title: float


def graded(evidence: float) -> float:
    """Return the relevance of a page, 0.5 at an evidence of 1."""
    share = math.pow(evidence, _POWER) if evidence > 0.0 else 0.0
    return share / (share + 1.0)


def of_words(cosine: float, words: int, known: float) -> float:
    """Evidence of a page's words; `known` is the share of the topic that a table knows."""
    weight = known * _BESIDE + (1.0 - known) * _ALONE
    return weight * math.log1p(_STEEP * math.sqrt(words) * max(cosine, 0.0))


def at_most(evidence: float, bound: float) -> float:
    """Return evidence that stays below a bound, however much there is, and grows with it."""
    return -bound * math.expm1(-evidence / bound) if bound > 0.0 else 0.0


def own_title(title: str, heading: str = "") -> str:
    """Return what the title and heading of a page say, without the name of its site.

    Where the title is the heading and more, the rest names the site: "Lava" of "Volcanoes: Lava".
    If the heading is the last of several parts, either may be the site's, and both count. Where
    they have nothing in common, it is the last part of the title: "Lava" of "Lava - Volcanoes".
    """
    parts = [part.strip() for part in _PARTS(title) if part.strip()]
    if heading and heading.casefold() in title.casefold():
        before, found, after = title.casefold().partition(heading.casefold())
        if not (before[-1:].isalnum() or after[:1].isalnum()):
            return title if len(parts) > 1 and parts[-1].casefold() == found else heading
    own = " ".join(parts[:-1]) if len(parts) > 1 else title
    return f"{own} {heading}".strip() if heading else own


def names(title: Collection[str], topic: Collection[str]) -> bool:
    """Whether the terms of a page's own title name a topic: say all of its terms."""
    return bool(topic) and all(term in title for term in topic)
