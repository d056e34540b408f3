"""Words that a person would look for a topic with. Pages of a web are not asked for them: what
stands on all of them, such as the menu, would be said most.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from ranking.topics.common import FUNCTION_WORDS

WANTED: Final = 10
_FEWEST: Final = 3
"""Texts about a topic in which a word must stand to be telling."""
_WORD: Final = re.compile(r"[^\W\d_]{3,}")


def words_of(*texts: str) -> list[str]:
    """The words of texts that mean something, each once, in their order."""
    said = (word for text in texts for word in _WORD.findall(text.lower()))
    return list(dict.fromkeys(word for word in said if word not in FUNCTION_WORDS))


def keywords(*texts: str) -> str:
    """The first of these words, at most WANTED."""
    return " ".join(words_of(*texts)[:WANTED])


def telling(about: Mapping[str, Sequence[str]], every: Iterable[str]) -> dict[str, str]:
    """Topic -> words that texts about it say more often than all of the texts do."""
    spoken = [words_of(text) for text in every]
    common = Counter(word for words in spoken for word in words)
    found = {}
    for topic, texts in about.items():
        inside = Counter(word for text in texts for word in words_of(text))
        worth = {
            word: count * math.log(len(spoken) / common[word])
            for word, count in inside.items()
            if count >= _FEWEST and common[word]
        }
        found[topic] = " ".join(sorted(worth, key=lambda word: (-worth[word], word))[:WANTED])
    return found
