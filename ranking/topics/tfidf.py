"""The topic model that needs nothing but words: weighted terms, saturated and calibrated.

A page's evidence is the sum over the topic's terms of

    weight * (tf / (tf + K) + TITLE [term in the title]),   K = 4 (1/4 + 3/4 length / 800)

with weights summing to 1: the term-frequency half of BM25 (Robertson and Zaragoza 2009)
without its collection statistics. A word said a thousand times counts as one word said
often, so it takes several of the topic's words to be about the topic. Evidence e becomes
relevance by e² / (e² + cut²): one half exactly at the cut, graded on both sides of it.

The cut follows from the topic alone. Keywords: the more are given, the smaller the share of
them that a page about the topic uses. Examples: a share of the examples' own evidence, and
the smaller the fewer they are, because a text always agrees with what was learnt from it.

A link's evidence is the weight of the terms in its anchor, of those in its address that the
anchor lacks and, far behind, of those around it; long anchors say less with each word.

Everything here is pure Python on a few hundred terms: importing it, fitting it and judging
pages load neither numpy nor scikit-learn.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, Final
from urllib.parse import unquote

from ranking.errors import TopicError
from ranking.topics.judging import Judgement, LinkCues, LinkWords, PageText
from ranking.topics.learn import learn_weights, term_level, topic_terms
from ranking.topics.terms import terms, terms_of, words

__all__ = ["TfidfTopic"]

_VERSION: Final = 1

_TF_HALF = 4.0  # occurrences at which a term has said half of what it can say ...
_MEAN_LENGTH = 800.0  # ... in a page of this many words
_LENGTH_SHARE = 0.75  # of it that grows with the page
_TITLE = 0.75

_KEYWORD_CUT = 0.5  # evidence of one keyword; falls with this power of their number
_KEYWORD_POWER = -0.35
_EXAMPLES_HALF = 2.5  # examples at which the cut is half of their own evidence

_IN_ADDRESS = 0.8
_IN_CONTEXT = 0.15
_ANCHOR_LENGTH = 3.0  # words added to an anchor's, so that one-word anchors do not win
_PROMISE_HALF = 0.7  # link evidence, in typical term weights, that makes a promise of 1/2
_TYPICAL_TERMS = 10  # heaviest terms whose mean weight is the typical one

_NO_CUES = LinkCues(0.0, 0.0, 0.0, 0.0)
_MEMORY = 10_000  # words whose terms are remembered, about 1 MB


class _Lexicon(dict[str, tuple[int, ...]]):
    """Word as written -> indices of the topic's terms in it; most words have none.

    A dict that fills itself: a word seen before costs one lookup.
    """

    def __init__(self, index: Mapping[str, int]) -> None:
        super().__init__()
        self._index = index

    def __missing__(self, word: str) -> tuple[int, ...]:
        index = self._index
        found = tuple(index[term] for term in terms_of(word) if term in index)
        if len(self) >= _MEMORY:
            self.clear()
        self[word] = found
        return found

    def of(self, spoken: Iterable[str]) -> Iterator[int]:
        """Yield the indices of the terms that are said, in order, repetitions included."""
        return chain.from_iterable(map(self.__getitem__, spoken))


class TfidfTopic:
    """The default `TopicModel`. Raises `TopicError` when used before `fit` or `restore`."""

    def __init__(self) -> None:
        self._install({}, 1.0)

    def fit(self, topic: str, examples: Sequence[str]) -> None:
        texts = [text for text in examples if text.strip()]
        weights = learn_weights(topic, texts)
        self._install(weights, 1.0)
        own = [self._evidence(text, "") for text in texts]
        self._install(weights, _cut(len(topic_terms(topic)), own))

    def relevance(self, text: str, title: str = "") -> float:
        evidence = self._evidence(text, title)
        return evidence * evidence / (evidence * evidence + self._cut * self._cut)

    def judge(self, page: PageText) -> Judgement:
        relevance = self.relevance(page.text, page.title)
        return Judgement(relevance, self._cosine(page) if relevance else 0.0)

    def promise(self, anchor: str, context: str, url: str) -> float:
        return self.promises([(anchor, context, url)])[0]

    def promises(self, links: Sequence[LinkWords]) -> list[float]:
        return [cue.promise for cue in self.cues(links)]

    def cues(self, links: Sequence[LinkWords]) -> list[LinkCues]:
        self._check_fitted()
        return [self._cues(anchor, context, url) for anchor, context, url in links]

    def _cues(self, anchor: str, context: str, url: str) -> LinkCues:
        of = self._lexicon.of
        anchor_words = words(anchor)
        here = dict.fromkeys(of(anchor_words))
        there = dict.fromkeys(of(words(_address_words(url))))
        around = dict.fromkeys(of(words(context)))
        if not (here or there or around):
            return _NO_CUES
        anchored = self._weigh(here)
        addressed = self._weigh(i for i in there if i not in here)
        near = self._weigh(i for i in around if i not in here and i not in there)
        scale = 2.0 / math.sqrt(len(anchor_words) + _ANCHOR_LENGTH)
        evidence = (anchored + _IN_ADDRESS * addressed) * scale + _IN_CONTEXT * near
        return LinkCues(
            self._halved(evidence),
            self._halved(anchored * scale),
            self._halved(self._weigh(around)),
            self._halved(self._weigh(there)),
        )

    def _halved(self, evidence: float) -> float:
        return evidence / (evidence + _PROMISE_HALF * self._typical)

    def state(self) -> dict[str, Any]:
        self._check_fitted()
        weights = dict(zip(self._terms, self._weights, strict=True))
        return {"version": _VERSION, "cut": self._cut, "weights": weights}

    def restore(self, state: dict[str, Any]) -> None:
        try:
            version, cut = state["version"], float(state["cut"])
            weights = {str(term): float(weight) for term, weight in state["weights"].items()}
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise TopicError(_foreign(f"a state without a valid {error}")) from error
        if version != _VERSION:
            raise TopicError(_foreign(f"version {version!r}"))
        if not weights or not all(map(_positive, (cut, *weights.values()))):
            raise TopicError(_foreign("weights that are not all positive"))
        self._install(weights, cut)

    def _install(self, weights: Mapping[str, float], cut: float) -> None:
        self._terms = list(weights)
        self._weights = list(weights.values())
        self._cut = cut
        heaviest = sorted(self._weights, reverse=True)[:_TYPICAL_TERMS]
        self._typical = math.fsum(heaviest) / max(len(heaviest), 1)
        self._lexicon = _Lexicon({term: i for i, term in enumerate(self._terms)})

    def _evidence(self, text: str, title: str) -> float:
        self._check_fitted()
        spoken = words(text)
        long = 1.0 - _LENGTH_SHARE + _LENGTH_SHARE * len(spoken) / _MEAN_LENGTH
        half = _TF_HALF * long
        tf = Counter(self._lexicon.of(spoken))
        said = math.fsum(self._weights[i] * n / (n + half) for i, n in tf.items())
        return said + _TITLE * self._weigh(dict.fromkeys(self._lexicon.of(words(title))))

    def _cosine(self, page: PageText) -> float:
        counted = Counter(terms(page.text))
        vector = {term: (1.0 + math.log(tf)) * term_level(term) for term, tf in counted.items()}
        topic = zip(self._terms, self._weights, strict=True)
        shared = math.fsum(weight * vector.get(term, 0.0) for term, weight in topic)
        lengths = math.hypot(*vector.values()) * math.hypot(*self._weights)
        return min(shared / lengths, 1.0) if lengths else 0.0

    def _weigh(self, indices: Iterable[int]) -> float:
        weights = self._weights
        return math.fsum(weights[i] for i in indices)

    def _check_fitted(self) -> None:
        if not self._terms:
            raise TopicError(
                "expected a topic model that knows its topic; this one was never fitted. "
                "Call fit(topic, examples) or restore(state) first."
            )


def _cut(keywords: int, own: Sequence[float]) -> float:
    if not own:
        return _KEYWORD_CUT * math.pow(keywords, _KEYWORD_POWER)
    mean = math.fsum(own) / len(own)
    return mean * (len(own) / (len(own) + _EXAMPLES_HALF)) or _KEYWORD_CUT


def _address_words(url: str) -> str:
    path = url.partition("://")[2].partition("/")[2]
    return unquote(path) if "%" in path else path


def _positive(value: float) -> bool:
    return 0.0 < value < math.inf


def _foreign(found: str) -> str:
    return (
        f"expected the state of a TfidfTopic, version {_VERSION}; got {found}. "
        "Resume with the topic model the crawl was started with, or start a new crawl."
    )
