"""Explanations of a topic model for people: the words that count, and words likely misspelled."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from itertools import chain
from textwrap import shorten
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote

from ranking.topics._lexicon import Reading
from ranking.topics.forms import Forms
from ranking.topics.frequencies import Levels
from ranking.topics.judging import LinkWords, PageText
from ranking.topics.learn import topic_terms
from ranking.topics.links import LinkReader
from ranking.topics.pages import PageJudge, cosine
from ranking.topics.terms import is_unspaced, terms_of
from ranking.topics.terms import words as words_of

if TYPE_CHECKING:
    from ranking.topics.vectors import WordVectors

TITLE: Final = "title or heading"
"""What counts beside words, if it names the topic."""
_SHOWN: Final = 25  # characters of the topic behind a word that is near to it
_NEAREST: Final = 12  # words that are shown for what they mean
_ALIKE: Final = 0.85  # of two spellings: one letter in six may be wrong
_SHORTEST, _LONGEST = 5, 80  # letters; shorter words have too many neighbours


def page_parts(judge: PageJudge, page: PageText) -> list[tuple[str, float]]:
    """Return the parts of a page that count and what each adds, largest first.

    See `TfidfTopic.explain`.
    """
    text, title, _ = page
    reading, by_examples = judge.read(text), judge.learned.fit.by_examples
    similarity = judge.similarity(reading) if by_examples else cosine(reading)
    evidence = judge.evidence(page, similarity)
    named, meant = dict[str, float](), dict[str, float]()
    worth = 1.0 / judge.learned.fit.cut
    if not by_examples:
        parts = judge.parts(page, reading)
        worth = parts.words / evidence if evidence > 0.0 else 0.0
        named = {TITLE: parts.title}
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
    """Return what the words of a link add to the odds, which are 1 at a prediction of .5."""
    words, meant = links.parts(link)
    anchor, context, url = link
    return _shown(judge, words, meant, {}, (anchor, context, unquote(url)))


def _nearest_words(
    judge: PageJudge, text: str, reading: Reading, meaning: float
) -> dict[str, float]:
    """Return what each of the nearest words of a text adds to its meaning, and all others."""
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


def nearest_spellings(
    words: Sequence[str], levels: Levels, table: WordVectors | None
) -> dict[str, str]:
    """Return word -> nearest spelling, of the words that no table knows; .2 s each.

    Empty where no table of word vectors was read.
    """
    if table is None:
        return {}
    known = {term for term in topic_terms(" ".join(words)) if levels.zipf(term)}
    known.update(table.terms)
    unknown = [
        word
        for word in words
        if word.isascii()
        and word.isalpha()
        and _SHORTEST <= len(word) <= _LONGEST
        and known.isdisjoint(terms_of(word))
    ]
    if not unknown:
        return {}
    from ranking.topics.vectors.languages import built_in_words  # numpy

    english = built_in_words()
    nearest = {word: get_close_matches(word, english, 1, _ALIKE) for word in unknown}
    return {word: close[0] for word, close in nearest.items() if close and close[0] != word}
