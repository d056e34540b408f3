"""The evidence of a page for a topic, by its words, their meaning and its title; its relevance.

The evidence of a page by the words of a topic with examples is

    page . topic / |page|  +  TITLE * title . topic⁺ / |title|

page being the vector of (1 + ln tf) times the level of each term (`frequencies.py`), topic the
vector of weights (`learn.py`), some of them below 0. Evidence e becomes relevance by
e^P / (e^P + cut^P): one half exactly at the cut, graded on both sides of it. With a contrast
(`contrast.py`) relevance is the geometric mean of this and of the contrast's.

A topic of words alone is judged by these words, by what they mean (`meaning.py`) and by the title
of the page, on a scale that is fixed before the crawl (`evidence.py`). The evidence of a page that
says too few of the words is bounded (`conjunction.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Final

from ranking.topics import evidence as by_words
from ranking.topics._lexicon import Lexicon, Reading
from ranking.topics.evidence import PageEvidence
from ranking.topics.forms import Forms
from ranking.topics.frequencies import Levels
from ranking.topics.judging import Judgement, PageText
from ranking.topics.knowledge import Knowledge
from ranking.topics.learn import Vector, vector_of
from ranking.topics.meaning import SHORT, Meaning, salience
from ranking.topics.stuffing import LIST, Stuffing
from ranking.topics.terms import MAX_TEXT, spelled

if TYPE_CHECKING:
    from ranking.topics.contrast import Contrast

_TITLE: Final = 0.3
_POWER: Final = 1.5  # of the evidence in relevance; sharper ones hide the way to the outskirts
_TITLE_BEYOND: Final = 2.0  # a title's evidence is at most so many times that of the text
_IMPLAUSIBLE: Final = 0.6  # power of plausibility: that of evidence in relevance is 4, not 1.5
_MEMORY: Final = 30_000  # words whose terms are remembered, about 8 MB


class TopicReader:
    """Reads texts beside the weights of a topic.

    Attributes:
        weights: of each term.
        lexicon: what reads texts, in compiled code, and asks for each word once.
        stuffing: what tells texts that repeat the keywords.
        meaning: the topic in a table of word vectors.

    """

    def __init__(
        self,
        weights: Vector,
        levels: Levels,
        keywords: Sequence[str],
        forms: Forms,
        meaning: Meaning | None = None,
        contrast: Contrast | None = None,
    ) -> None:
        self.weights = weights
        self.stuffing = Stuffing(keywords)
        self.meaning = meaning = meaning or Meaning((), None)
        self._levels = levels
        kind, level, zipf = self.stuffing.kind, levels.level, levels.zipf
        rare = (lambda _: (0.0, 0.0)) if contrast is None else contrast.of

        def weigh(term: str) -> tuple[float, float, float, float, float, int, int]:
            telling, row = level(term), meaning.row(term)
            return (
                telling,
                weights.get(term, 0.0),
                *(rare(term) if telling else (0.0, 0.0)),
                salience(zipf(term)) if telling else 0.0,
                row,
                kind(term),
            )

        self.weigh = weigh
        self.lexicon = Lexicon(
            partial(spelled, terms_of=forms.terms_of),
            *(weigh, _MEMORY, LIST, meaning.rows, meaning.topic, meaning.unit),
            *(meaning.apart, meaning.typical),
        )

    def read(self, text: str) -> Reading:
        """Read the text of a page."""
        return self.lexicon.read(text[:MAX_TEXT], SHORT)

    def terms_of(self, text: str) -> list[str]:
        """Return the terms of a text in order, repetitions included."""
        return self.lexicon.terms_of(text[:MAX_TEXT])

    def similarity(self, text: Reading) -> float:
        """The cosine of text and topic, less where the text repeats the keywords."""
        return cosine(text) * self.stuffing.plausible(text)

    def evidence(self, page: PageText, similarity: float) -> float:
        """Evidence of the words of a page whose text is so similar to the topic; not below 0."""
        return max(similarity + self.title_share(page.title, similarity), 0.0)

    def title_share(self, title: str, similarity: float) -> float:
        """The part of the evidence that is the title's."""
        return min(_TITLE * self.titled(title), _TITLE_BEYOND * max(similarity, 0.0))

    def titled(self, title: str) -> float:
        """The cosine of title and topic, weights below 0 left out."""
        weights = self.weights
        return math.fsum(
            part * max(weights.get(term, 0.0), 0.0)
            for term, part in self.title_vector(title).items()
        )

    def title_vector(self, title: str) -> Vector:
        """Term -> weight of a title, of unit length."""
        return vector_of(dict.fromkeys(self.terms_of(title), 1), self._levels)


def cosine(text: Reading) -> float:
    """The text's words times the topic's weights, by the length of the text's."""
    return text.product / math.sqrt(text.squares)


class PageJudge(TopicReader):
    """Judges pages by what was learned of a topic.

    Attributes:
        learned: what that is.
        forms: of the topic's words.

    """

    def __init__(self, learned: Knowledge, meaning: Meaning) -> None:
        self.learned, self.forms = learned, Forms(learned.words)
        self._fit = fit = learned.fit
        super().__init__(fit.weights, fit.levels, fit.keywords, self.forms, meaning, fit.contrast)
        self._known = meaning.share(learned.conjunction.information)
        self._length = math.hypot(*fit.weights.values()) or 1.0

    def judge(self, page: PageText) -> Judgement:
        """Return relevance and similarity of a page."""
        fit, text = self._fit, self.read(page.text)
        similarity = self.similarity(text)
        if not fit.by_examples:
            parts = self.parts(page, text)
            near = similarity / self._length
            if self.meaning:
                near = parts.meaning / (parts.meaning + 1.0)
            return Judgement(by_words.graded(math.fsum(parts)), min(max(near, 0.0), 1.0))
        relevance = _graded(self.evidence(page, similarity), fit.cut)
        if fit.contrast is not None:
            evidence = fit.contrast.evidence(text)
            relevance = math.sqrt(relevance * _graded(max(evidence, 0.0), fit.contrast.cut))
        return Judgement(relevance, min(max(similarity / self._length, 0.0), 1.0))

    def parts(self, page: PageText, text: Reading) -> PageEvidence:
        """Return the evidence of a page for a topic of words.

        If a page has too few of the topic's words, they count up to its share of the words that it
        must have, and the meaning of its other words counts without them.
        """
        # Relevance goes by the fourth power of all: the odds fall by the square of this.
        plausible = math.pow(self.stuffing.plausible(text), _IMPLAUSIBLE)
        named = self.lexicon.read(by_words.own_title(page.title, page.heading)[:MAX_TEXT])
        share = self.learned.conjunction.share({*text.keywords, *named.keywords})
        evidence, keywords = self.evidence(page, cosine(text)), self._fit.keywords
        words = by_words.of_words(evidence, len(keywords), self._known)
        meaning = 0.0
        if self.meaning:
            title = self.lexicon.read(page.title[:MAX_TEXT])
            meaning = self.meaning.of_page(text, title, float(share >= 1.0))
        if share < 1.0:
            words = by_words.at_most(words, share * max(1.0 - meaning, 0.0))
        names = by_words.names(named.keywords, keywords) * self.stuffing.named(named)
        return PageEvidence(*(plausible * part for part in (words, meaning, names)))


def _graded(evidence: float, cut: float) -> float:
    share = math.pow(evidence / cut, _POWER)
    return share / (share + 1.0)
