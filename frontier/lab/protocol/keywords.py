"""Keywords of a topic: from a file, or derived from its name and a few pages about it.

Derived are words that at least half of these pages say, often, and that are rare in their language.
Nothing else of the web is read, such as document frequencies, and no topic model asked: what a
crawl is judged by must not reach it through its topic.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from frontier.lab.protocol.labels import BadLine, read_pairs
from ranking.topics.common import FUNCTION_WORDS
from ranking.topics.frequencies import Levels, languages_of
from ranking.topics.terms import fold, words

WANTED = 10
_SHORTEST = 3


def read_keywords(path: Path) -> tuple[dict[str, str], list[BadLine]]:
    """Read lines of `topic<TAB>keywords`, with or without a heading; lines that are none apart.

    Raises LabError where the file cannot be read or no line can be used.
    """
    pairs, bad = read_pairs(path, "keywords", ("topic", "keywords"), _fault)
    return dict(pairs), bad


def _fault(_: str, topic: str, said: str) -> str | None:
    return None if topic and said else "no topic, tab and keywords"


def derived_keywords(topic: str, texts: Sequence[str], wanted: int = WANTED) -> str:
    """Words of a topic's name and of texts about it, at most `wanted`, name first.

    Of a dotted path ("Science.Biology.Birds") the last part is the name.
    """
    name = [word for word in words(topic.rpartition(".")[2]) if word not in FUNCTION_WORDS]
    chosen: dict[str, str] = {}
    for word in (*name, *telling_words(texts)):
        chosen.setdefault(fold(word), word)
    return " ".join(list(chosen.values())[:wanted])


def telling_words(texts: Sequence[str]) -> list[str]:
    """Words that at least half of the texts say, most telling first; one of each stem."""
    spoken = [Counter(filter(_may_tell, words(text))) for text in texts]
    stems = [_by_stem(counted) for counted in spoken]
    agreement = Counter(stem for counted in stems for stem in counted)
    levels = Levels(languages_of([list(counted.elements()) for counted in stems]))
    worth = {
        stem: count * _said(stem, stems) * levels.level(stem) ** 2
        for stem, count in agreement.items()
        if 2 * count >= len(texts) and levels.level(stem) > 0.0
    }
    usual = _usual_spelling(spoken)
    return [usual[stem] for stem in sorted(worth, key=lambda stem: (-worth[stem], stem))]


def _may_tell(word: str) -> bool:
    return len(word) >= _SHORTEST and not word.isdigit() and word not in FUNCTION_WORDS


def _said(stem: str, stems: Sequence[Counter[str]]) -> float:
    # The root: topical words come in bursts, but a page that says one 50 times is one page.
    return math.fsum(math.sqrt(counted[stem]) for counted in stems if stem in counted)


def _by_stem(counted: Counter[str]) -> Counter[str]:
    folded: Counter[str] = Counter()
    for word, times in counted.items():
        folded[fold(word)] += times
    return folded


def _usual_spelling(spoken: Sequence[Counter[str]]) -> dict[str, str]:
    """Stem -> the word it stands for most often."""
    total: Counter[str] = sum(spoken, Counter())
    rarest_first = sorted(total, key=lambda word: (total[word], -len(word), word))
    return {fold(word): word for word in rarest_first}
