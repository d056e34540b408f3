"""Which words of a page or a link count for a topic, and how much each adds."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from textwrap import shorten
from typing import Final
from urllib.parse import unquote

from ranking.topics._lexicon import Reading
from ranking.topics.forms import Forms
from ranking.topics.judging import LinkWords, PageText
from ranking.topics.links import LinkReader
from ranking.topics.pages import PageJudge, cosine
from ranking.topics.terms import is_unspaced
from ranking.topics.terms import words as words_of

_SHOWN: Final = 25  # characters of the topic behind a word that is near to it
_NEAREST: Final = 12  # words that are shown for what they mean


def page_parts(judge: PageJudge, text: str, title: str) -> list[tuple[str, float]]:
    """What counts of a page and what each adds, that which counts most first.

    See `TfidfTopic.explain`.
    """
    reading, page, by_examples = (
        judge.read(text),
        PageText(text, title),
        judge.learned.fit.by_examples,
    )
    similarity = judge.similarity(reading) if by_examples else cosine(reading)
    evidence = judge.evidence(page, similarity)
    named, meant = dict[str, float](), dict[str, float]()
    worth = 1.0 / judge.learned.fit.cut
    if not by_examples:
        parts = judge.parts(page, reading)
        worth = parts.words / evidence if evidence > 0.0 else 0.0
        named = {"the title": parts.title}
        meant = _nearest_words(judge, text, reading, parts.meaning)
    titled = judge.titled(title)
    bound = judge.title_share(title, similarity) / titled if titled else 0.0
    words = dict[str, float]()
    plausible = worth * similarity / (cosine(reading) or 1.0)
    for term, tf in Counter(judge.terms_of(text)).items():
        level, weight = judge.weigh(term)[:2]
        by_level = (1.0 + math.log(tf)) * level
        words[term] = by_level * weight / math.sqrt(reading.squares) * plausible
    for term, part in judge.title_vector(title).items():
        weight = max(judge.weights.get(term, 0.0), 0.0)
        words[term] = words.get(term, 0.0) + bound * part * weight * worth
    return _shown(judge, words, meant, named, (title, text))


def link_parts(judge: PageJudge, links: LinkReader, link: LinkWords) -> list[tuple[str, float]]:
    """What the words of a link add to the odds, which are 1 at a prediction of .5."""
    words, meant = links.parts(link)
    anchor, context, url = link
    return _shown(judge, words, meant, {}, (anchor, context, unquote(url)))


def _nearest_words(
    judge: PageJudge, text: str, reading: Reading, meaning: float
) -> dict[str, float]:
    """What each of the nearest words of a text adds to its meaning, and all others."""
    parts = {
        term: tf * math.prod(judge.lexicon.nearness(term)[:2])
        for term, tf in Counter(judge.terms_of(text)).items()
    }
    nearest = sorted(parts, key=lambda term: (-parts[term], term))[:_NEAREST]
    length = judge.meaning.length(reading)
    near = {term: parts[term] / length for term in nearest if parts[term] > 0.0}
    near["other words"] = meaning - math.fsum(near.values())
    return near


def _shown(
    judge: PageJudge,
    words: Mapping[str, float],
    meant: Mapping[str, float],
    named: Mapping[str, float],
    texts: Sequence[str],
) -> list[tuple[str, float]]:
    """Parts by the words of texts in place of their terms, those that count most first."""
    about = shorten(" ".join(judge.learned.words) or "the examples", _SHOWN, placeholder=" ...")
    names = _first_words(texts, judge.forms)
    written: defaultdict[str, float] = defaultdict(float, named)
    for term, part in words.items():
        written[names.get(term, term)] += part
    for term, part in meant.items():
        near = "" if term in judge.weights else f" ~ {about}"
        written[names.get(term, term) + near] += part
    counting = [(word, part) for word, part in written.items() if part]
    return sorted(counting, key=lambda part: (-abs(part[1]), part[0]))


def _first_words(texts: Iterable[str], forms: Forms) -> dict[str, str]:
    """Return term -> the first word of some texts that it is the term of."""
    names: dict[str, str] = {}
    for word in chain.from_iterable(map(words_of, texts)):
        for term in forms.terms_of(word):
            names.setdefault(term, term if is_unspaced(term) else word)
    return names
