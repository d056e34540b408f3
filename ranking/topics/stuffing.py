"""Words that are repeated to be found by: how far a text can be believed to speak of a topic.

Who writes about a matter says other words, too. Of 12,000 honest pages of two recorded webs, and
topics of seven to ten keywords, the densest has one keyword in six words, a relevant page one in
40; what is written for search engines has one in three, or nothing else. So beyond one in five a
page's evidence falls with the fourth power of that share. And nobody says five of the keywords in a
row unless to list them: none of those pages does, so the words of such lists say nothing, and count
threefold among those repeated. Nor is a page called by a list: it names nothing as the text of a
link.

A topic that is told by examples alone has no keywords to repeat. In scripts without spaces no list
is looked for: a single word is several terms there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Final

from ranking.topics.terms import is_unspaced

__all__ = ["Stuffing", "listed"]

_DENSE: Final = 0.2  # share of a text's words that are the topic's own
_POWER: Final = 4.0
_LIST: Final = 5  # of them in a row, if at least four are different; names of four words exist
_LISTED: Final = 2.0  # words of lists count so much more
_FEW: Final = 40  # added to a text's words: a short one may well be half of keywords


class Stuffing:
    """Knows a topic by its keywords (terms)."""

    def __init__(self, keywords: Iterable[str]) -> None:
        self._keywords = frozenset(keywords)
        self._listable = frozenset(term for term in self._keywords if not is_unspaced(term))

    def plausible(self, spoken: Sequence[str], counted: Mapping[str, int]) -> float:
        """Return 1 for a text that speaks, down to 0 for one that repeats the topic's words.

        `spoken` are its terms in order, `counted` how often it says each.
        """
        repeated = sum(counted.get(term, 0) for term in self._keywords)
        if repeated < _LIST:
            return 1.0
        in_lists = listed(spoken, self._listable)
        share = (repeated + _LISTED * in_lists) / (len(spoken) + _FEW)
        spoken_of = 1.0 - in_lists / repeated
        return spoken_of if share <= _DENSE else spoken_of * math.pow(_DENSE / share, _POWER)

    def named(self, spoken: Sequence[str]) -> float:
        """Return the share of a link's words (terms in order) that name something: are no list."""
        if len(spoken) < _LIST:
            return 1.0
        return 1.0 - listed(spoken, self._listable) / len(spoken)


def listed(spoken: Iterable[str], keywords: frozenset[str]) -> int:
    """Return how many terms stand in lists of keywords."""
    runs = (list(run) for is_own, run in groupby(spoken, keywords.__contains__) if is_own)
    return sum(len(run) for run in runs if len(run) >= _LIST and len(set(run)) >= _LIST - 1)
