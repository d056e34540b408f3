"""The evidence of a page for a topic of words alone, and the relevance that follows.

The evidence is the sum of three parts: the page's words, its meaning (`meaning.py`), and 1 if its
title or its heading names the topic. Relevance is s^4 / (1 + s^4) of that sum s: one half at 1,
graded on both sides. Nothing here depends on the pages that a crawl fetched.

The part of the words is w ln(1 + 10 cos sqrt(n)), cos being the cosine of page and topic by TF-IDF,
n the words of the topic. Beside a meaning w is BESIDE: all words of a page tell more than the
topic's. A topic that no table knows, a product, a person or a code, is its letters, and w is ALONE.
For a topic of several words w is in between, by the share of their information that the table
knows.
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
    """The evidence of a page; a sum of 1 is a relevance of one half."""

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
    """Return the title and heading of a page, without the name of its site.

    Where the title is the heading and more, the rest names the site: "Lava" of "Volcanoes: Lava".
    If the heading is the last of several parts, either may be the site's, and both count. Where
    they have nothing in common, it is the last part of the title: "Lava" of "Lava - Volcanoes".
    """
    parts = [part.strip() for part in _PARTS(title) if part.strip()]
    if heading and heading.casefold() in title.casefold():
        before, name, after = title.casefold().partition(heading.casefold())
        if not (before[-1:].isalnum() or after[:1].isalnum()):
            return title if len(parts) > 1 and parts[-1].casefold() == name else heading
    own = " ".join(parts[:-1]) if len(parts) > 1 else title
    return f"{own} {heading}".strip() if heading else own


def names(title: Collection[str], topic: Collection[str]) -> bool:
    """Whether the terms of a page's own title name a topic: they are all of its terms."""
    return bool(topic) and all(term in title for term in topic)
