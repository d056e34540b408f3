"""Words for a topic: its plain name, or keywords; from a file or derived.

A name follows from the topic's label. Keywords come from the name and a few pages about the topic:
words that are frequent in at least half of these pages and rare in their language. No other page of
the web is read, as for document frequencies, and no topic model is used: the topic of a crawl must
not contain the labels that the crawl is scored with.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

from frontier.lab.protocol.labels import BadLine, read_pairs
from ranking.topics.frequencies import Levels, text_languages
from ranking.topics.terms import FUNCTION_WORDS, fold, words

WANTED = 10
_SHORTEST = 3


def read_keywords(path: Path) -> tuple[dict[str, str], list[BadLine]]:
    """Read lines of `topic<TAB>keywords`, with or without a heading; also returns the bad lines.

    Raises LabError if the file cannot be read or no line can be used.
    """
    return _read(path, "keywords", "keywords")


def read_names(path: Path) -> tuple[dict[str, str], list[BadLine]]:
    """Read lines of `topic<TAB>name` in the same way."""
    return _read(path, "names", "name")


def _read(path: Path, what: str, column: str) -> tuple[dict[str, str], list[BadLine]]:
    def fault(_: str, topic: str, text: str) -> str | None:
        return None if topic and text else f"no topic, tab and {column}"

    pairs, bad = read_pairs(path, what, ("topic", column), fault)
    return dict(pairs), bad


def plain_name(topic: str) -> str:
    """Return a topic's name as a person types it: "text encoding" for "Formats.Text-Encoding".

    It is the last part of a dotted path that holds a letter, else the whole label, in lower case,
    with spaces for underscores and hyphens.
    """
    named = [part for part in topic.split(".") if any(map(str.isalpha, part))] or [topic]
    return " ".join(named[-1].lower().replace("_", " ").replace("-", " ").split())


def meaningful_words(name: str) -> list[str]:
    """Return the words of a name without function words."""
    return [word for word in words(name) if word not in FUNCTION_WORDS]


def derived_keywords(topic: str, texts: Sequence[str], wanted: int = WANTED) -> str:
    """Words of a topic's plain name and of texts about it, at most `wanted`, name first."""
    chosen: dict[str, str] = {}
    for word in (*meaningful_words(plain_name(topic)), *frequent_rare_words(texts)):
        chosen.setdefault(fold(word), word)
    return " ".join(list(chosen.values())[:wanted])


def frequent_rare_words(texts: Sequence[str]) -> list[str]:
    """Words in at least half of the texts, frequent and rare ones first; one of each stem."""
    spoken = [Counter(filter(_may_be_keyword, words(text))) for text in texts]
    stems = [_by_stem(counted) for counted in spoken]
    agreement = Counter(stem for counted in stems for stem in counted)
    levels = Levels(text_languages([list(counted.elements()) for counted in stems]))
    worth = {
        stem: count * _uses(stem, stems) * levels.level(stem) ** 2
        for stem, count in agreement.items()
        if 2 * count >= len(texts) and levels.level(stem) > 0.0
    }
    usual = _usual_spelling(spoken)
    return [usual[stem] for stem in sorted(worth, key=lambda stem: (-worth[stem], stem))]


def _may_be_keyword(word: str) -> bool:
    return len(word) >= _SHORTEST and not word.isdigit() and word not in FUNCTION_WORDS


def _uses(stem: str, stems: Sequence[Counter[str]]) -> float:
    # The root, because topical words come in bursts: a page with 50 of them is one page.
    return math.fsum(math.sqrt(counted[stem]) for counted in stems if stem in counted)


def _by_stem(counted: Counter[str]) -> Counter[str]:
    folded: Counter[str] = Counter()
    for word, times in counted.items():
        folded[fold(word)] += times
    return folded


def _usual_spelling(spoken: Sequence[Counter[str]]) -> dict[str, str]:
    """Stem -> its most frequent word."""
    total: Counter[str] = sum(spoken, Counter())
    rarest_first = sorted(total, key=lambda word: (total[word], -len(word), word))
    return {fold(word): word for word in rarest_first}
