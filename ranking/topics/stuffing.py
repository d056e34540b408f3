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
    """Knows a topic by its keywords (terms)."""

    def __init__(self, keywords: Iterable[str]) -> None:
        self._keywords = frozenset(keywords)

    def kind(self, term: str) -> int:
        """Return 0 for a term that is no keyword, 2 for one that may be of a list, 1 for others."""
        return 0 if term not in self._keywords else 1 if is_unspaced(term) else 2

    def plausible(self, text: Reading) -> float:
        """Return 1 for a text that speaks, down to 0 for one that repeats the topic's words."""
        if text.repeated < LIST:
            return 1.0
        share = (text.repeated + _LISTED * text.listed) / (text.terms + _FEW)
        spoken_of = 1.0 - text.listed / text.repeated
        return spoken_of if share <= _DENSE else spoken_of * math.pow(_DENSE / share, _POWER)

    def named(self, link: Reading) -> float:
        """Return the share of a link's words (terms) that name something: are no list."""
        return 1.0 - link.listed / max(link.terms, 1)
