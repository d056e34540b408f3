"""Keywords of a topic: from a file, or as a person who knows the subject would choose them.

Derived ones are the words of the topic's name and the most telling words of a few pages about it:
words that at least half of these pages say, often, and that are rare in their language. Read are
these pages and nothing else of the web, so that no count over the web that a crawl is judged on,
such as document frequencies, reaches the crawl through its topic. The topic model has no part in
it either, only the table of common words that is shipped with it: a lab must not ask other
questions because the judge became better.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from frontier.errors import LabError
from frontier.lab.protocol.labels import BadLine, pairs_of
from ranking.topics.common import FUNCTION_WORDS
from ranking.topics.frequencies import Levels, languages_of
from ranking.topics.terms import fold, words

WANTED = 10
_SHORTEST = 3
_HEADING = ("topic", "keywords")


def read_keywords(path: Path) -> tuple[dict[str, str], list[BadLine]]:
    """Read lines of `topic<TAB>keywords`, with or without a heading; lines that are none apart.

    Raises LabError where the file cannot be read or no line can be used.
    """
    found: dict[str, str] = {}
    bad = []
    for number, line, topic, said in pairs_of(path, "keywords", _HEADING):
        if topic and said:
            found[topic] = said
        else:
            bad.append(BadLine(number, line, "no topic, tab and keywords"))
    if not found:
        shown = "".join(f"\n  {line}" for line in bad[:5])
        raise LabError(
            f"expected keywords in {path}, a line each: topic, a tab, keywords; but not one of "
            f"its lines is. Correct the file{shown}"
        )
    return found, bad


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
