"""Texts that repeat the words of a topic to rank by them: how plausible a text is.

A text about a matter has other words, too. Of 12,000 honest pages of two recorded webs, and topics
of seven to ten keywords, the densest has one keyword in six words, a relevant page one in 40; texts
for search engines have one in three, or nothing else. So beyond one in five a page's evidence falls
with the fourth power of that share. Five keywords in a row are a list: none of those pages has such
a run, so the words of lists do not count, and count threefold among the repeated ones. Nor does a
list name a page as the text of a link.

A topic of examples alone has no keywords to repeat. In scripts without spaces there are no lists: a
single word is several terms there.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Final

from ranking.topics._lexicon import Reading
from ranking.topics.terms import is_unspaced

_DENSE: Final = 0.2  # share of a text's words that are the topic's own
_POWER: Final = 4.0
LIST: Final = 5  # of them in a row, if at least four are different; names of four words exist
_LISTED: Final = 2.0  # words of lists count so much more
_FEW: Final = 40  # added to a text's words: a short one may well be half of keywords


class Stuffing:
    """How texts repeat the keywords (terms) of a topic."""

    def __init__(self, keywords: Iterable[str]) -> None:
        self._keywords = frozenset(keywords)

    def kind(self, term: str) -> int:
        """Return 0 for a term that is no keyword, 2 for one that may be of a list, 1 for others."""
        return 0 if term not in self._keywords else 1 if is_unspaced(term) else 2

    def plausible(self, text: Reading) -> float:
        """Return 1 for an honest text, down to 0 for a text that repeats the topic's words."""
        if text.repeated < LIST:
            return 1.0
        share = (text.repeated + _LISTED * text.listed) / (text.terms + _FEW)
        unlisted = 1.0 - text.listed / text.repeated
        return unlisted if share <= _DENSE else unlisted * math.pow(_DENSE / share, _POWER)

    def named(self, link: Reading) -> float:
        """Return the share of a link's words (terms) that name something: are no list."""
        return 1.0 - link.listed / max(link.terms, 1)
