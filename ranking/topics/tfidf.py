"""The topic model that needs nothing but words: a linear judge of TF-IDF vectors, calibrated.

A page is the vector of (1 + ln tf) times the level of each of its terms (`frequencies.py`), the
topic a vector of weights (`learn.py`), some of them below 0. The page's evidence is

    page . topic / |page|  +  TITLE * title . topic⁺ / |title|

Evidence e becomes relevance by e^P / (e^P + cut^P): one half exactly at the cut, graded on both
sides of it. The cut follows from the topic alone. Keywords: the more are given, the smaller the
share of them that a page about the topic uses. Examples: what an example is worth to a model that
learned from the others (leave-one-out), and the more above it the fewer they are, because few
examples agree on much that is not the topic; of a single one, a constant.

Once the crawl has pages to show beside them, examples are set against those that are least like
the topic (`contrast.py`), and relevance becomes the geometric mean of both opinions: on a web of
one genre, what examples share is mostly the genre. What those pages say, too, tells less from then
on, in pages as in links: menus name all topics of a site.

A link's evidence is the weight of the topic's terms in its anchor, of those in its address that
the anchor lacks and, far behind, of those around it; long anchors say less with each word.

Words that are near the topic by meaning (`meaning.py`) count in links, and in pages of a topic that
is told by words alone: the odds of their share are added to those of the words. So one word is
enough of a topic. How much evidence makes one half is set anew by what the crawl fetches
(`meaning.py`): a topic that all pages of a web touch needs more than one that few do.

Texts are read in compiled code (`_lexicon.pyx`), which asks for each word once. Numpy is loaded for
the contrast and where a table of word vectors is read, scikit-learn never.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from ranking.errors import TopicError
from ranking.topics._lexicon import Lexicon, Reading
from ranking.topics.frequencies import Levels, languages_of
from ranking.topics.judging import Judgement, LinkMatches, LinkWords, PageText
from ranking.topics.learn import (
    Example,
    Vector,
    learned,
    page_of,
    read_examples,
    topic_terms,
    topic_words,
    vector_of,
)
from ranking.topics.links import LinkReader
from ranking.topics.meaning import FIRST_SCALE, SHORT, Meaning, nearest, salience, scale_of
from ranking.topics.saying import nearest_spellings, nothing_to_learn
from ranking.topics.stuffing import LIST, Stuffing
from ranking.topics.terms import MAX_TEXT, is_unspaced, spelled, terms, terms_of
from ranking.topics.terms import words as words_of
from ranking.topics.vectors import load_vectors

if TYPE_CHECKING:
    from ranking.topics.contrast import Contrast, Counted
    from ranking.topics.vectors.table import WordVectors

_VERSION: Final = 3

_TITLE = 0.3
_POWER = 1.5  # of the evidence in relevance; sharper ones hide the way to a topic's outskirts
_TITLE_BEYOND = 2.0  # a title's evidence is at most so many times that of the text

_KEYWORD_CUT = 0.4  # evidence of one keyword; falls with the square root of their number
_BESIDE_CUT = 0.43  # the same beside near words; falls with the fourth root
_BESIDE_POWER = 2.0  # of all evidence; near words are on any page
_LEAVE_ONE_OUT = 1.2  # by the number of examples: how far few of them understate the rest
_ONE_EXAMPLE = 0.15  # evidence
_LEAST_CUT = 0.02  # evidence; examples that share nothing would set it to 0
_HELD_OUT = 40  # examples that are left out in turn; more of them say nothing new
_UNLIKE = 0.7  # of the fetched pages, least like the topic, are what examples are set against
_FEWEST = 5  # such pages
_FAR = 0.5  # odds below which a page is surely unlike a topic that is told by words alone
_SET_AGAINST = 40  # examples; the others would say the same

_TOPIC_TERMS = 30  # heaviest, that stand for what examples say, where no words are given
_MEMORY = 30_000  # words whose terms are remembered, about 8 MB
_SHOWN = 25  # characters of the topic behind a word that is near to it


class TfidfTopic:
    """The default `TopicModel`. Raises `TopicError` when used before `fit` or `restore`.

    Attributes:
        vectors: the table of word vectors that words near to the topic were learned from, as people
            read it; "none" and the reason without.
        spelling: word of the topic that no table knows -> the word that is spelled most like it.

    """

    _contrast: Contrast | None

    def __init__(self, vectors: str = "auto") -> None:
        """`vectors` is the table words of like meaning are learned from: a FRONTIER_VECTORS."""
        self._spec = vectors
        self.vectors, self.spelling = "none", dict[str, str]()
        self._words: tuple[str, ...] = ()
        self._scale, self._told_examples = FIRST_SCALE, False
        self._install({}, 1.0, Levels(()), (), {})

    def fit(self, topic: str, examples: Sequence[str]) -> None:
        self.fit_labelled(topic, examples, ())

    def fit_labelled(self, topic: str, wanted: Sequence[str], unwanted: Sequence[str]) -> None:
        """Learn from words, from texts of pages that are wanted, and of pages that are not.

        The first line of a text counts as its title. Raises `TopicError` when neither the topic
        nor the wanted texts have a telling word.
        """
        keywords = topic_terms(topic)
        said = [terms(text) for text in (topic, *wanted) if text.strip()]
        levels = Levels(languages_of(said), keywords)
        if not self._learn(keywords, wanted, unwanted, levels):
            raise TopicError(nothing_to_learn(topic, wanted))
        heaviest = keywords or [term for term, weight in self._weights.items() if weight > 0.0]
        table = load_vectors(self._spec)
        near = nearest(heaviest[:_TOPIC_TERMS], table)
        self.vectors = "none" if table is None else table.name
        if table is not None and not near:
            self.vectors = f"none: {table.name} knows no word of the topic"
        self._words = tuple(dict.fromkeys(topic_words(topic)))
        self.spelling = _spelling(self._words, levels, table)
        self._scale = FIRST_SCALE
        self._install(self._weights, self._cut, levels, keywords, near)

    def _learn(
        self,
        keywords: Sequence[str],
        wanted: Sequence[str],
        unwanted: Sequence[str],
        levels: Levels,
    ) -> bool:
        """Whether there was anything to learn; if not, nothing is changed."""
        likes, dislikes = read_examples(wanted, levels), read_examples(unwanted, levels)
        if not keywords and not likes:
            return False
        cut = self._cut_for(keywords, likes, dislikes, levels)
        self._told_examples = bool(likes)
        self._install(learned(keywords, likes, dislikes, levels), cut, levels, keywords, {})
        return True

    def understood(self, topic: str) -> list[str]:
        """Return the terms of a topic that pages are searched for."""
        return topic_terms(topic)

    def relevance(self, text: str, title: str = "") -> float:
        return self.judge(PageText(text, title)).relevance

    def judge(self, page: PageText) -> Judgement:
        self._check_fitted()
        text = self._read(page.text)
        if self._by_meaning:
            near, odds = self._odds(page, text)
            return Judgement(_graded(odds, self._scale, _BESIDE_POWER), near / (near + 1.0))
        similarity = self._similarity(text)
        relevance = _graded(self._evidence(page, similarity), self._cut)
        if self._contrast is not None:
            evidence = self._contrast.evidence(text)
            relevance = math.sqrt(relevance * _graded(max(evidence, 0.0), self._contrast.cut))
        return Judgement(relevance, min(max(similarity / self._length, 0.0), 1.0))

    def contrast(
        self,
        topic: str,
        wanted: Sequence[str],
        unwanted: Sequence[str],
        fetched: Sequence[str],
    ) -> bool:
        """Learn as `fit_labelled` does, beside texts of fetched pages least like the topic.

        What all of these say tells nothing from then on, and pages are judged by what wanted texts
        say and these do not, too, if there are two wanted ones: of one nobody knows what it shares
        with others. False, and nothing is changed, where fewer than five such pages say anything.
        A topic of words alone keeps its words and their weights: such pages take from what is near
        to it, and how much evidence makes one half is set anew.
        """
        self._check_fitted()
        if not wanted:
            return self._by_meaning and self._rescaled(fetched)
        from ranking.topics.contrast import Contrast

        keywords = topic_terms(topic)
        others = self._least_like(keywords, wanted, unwanted, fetched)
        levels = Levels(self._levels.languages, keywords)
        levels = levels.on([self._lexicon.spoken(text[:MAX_TEXT]) for text in others])
        model = TfidfTopic()
        if not model._learn(keywords, wanted, unwanted, levels):
            return False
        likes = model._saying(page_of(text).text for text in wanted[:_SET_AGAINST])
        unlike = model._saying(others)
        if not likes or len(unlike) < _FEWEST:
            return False
        above = 1.0 + _LEAVE_ONE_OUT / len(likes)
        found = Contrast.fitted(likes, unlike, above) if len(likes) > 1 else None
        self._told_examples = True
        self._install(model._weights, model._cut, levels, keywords, self._meaning.near, found)
        return True

    def _rescaled(self, fetched: Sequence[str]) -> bool:
        """Take what pages unlike the topic say out of what is near to it; then set the scale."""
        before = self._levels.common, self._scale
        levels = Levels(self._levels.languages, self._keywords)
        self._install(self._weights, self._cut, levels, self._keywords, self._meaning.near)
        unlike = [text for text in fetched if self._odds_of(text) < _FAR]
        if len(unlike) >= _FEWEST:
            levels = levels.on([self._lexicon.spoken(text[:MAX_TEXT]) for text in unlike])
            self._install(self._weights, self._cut, levels, self._keywords, self._meaning.near)
        self._scale = scale_of([self._odds_of(text) for text in fetched])
        return (self._levels.common, self._scale) != before

    def _odds_of(self, text: str) -> float:
        return self._odds(page_of(text), self._read(text))[1]

    def _least_like(
        self,
        keywords: Sequence[str],
        wanted: Sequence[str],
        unwanted: Sequence[str],
        fetched: Sequence[str],
    ) -> list[str]:
        """Those of the fetched texts that are least like the topic as it was before the crawl."""
        levels = Levels(self._levels.languages, keywords)
        likes, dislikes = read_examples(wanted, levels), read_examples(unwanted, levels)
        model = TfidfTopic()
        model._install(learned(keywords, likes, dislikes, levels), 1.0, levels, keywords, {})
        ranked = sorted(fetched, key=lambda text: model._similarity(model._read(text)))
        return ranked[: round(_UNLIKE * len(ranked))]

    def _saying(self, texts: Iterable[str]) -> list[Counted]:
        """How often each text says which terms that tell something, of those that say any."""
        said = (Counter(self._lexicon.spoken(text[:MAX_TEXT])) for text in texts)
        level = self._levels.level
        found = ({term: tf for term, tf in one.items() if level(term)} for one in said)
        return [telling for telling in found if telling]

    def explain(self, text: str, title: str = "") -> list[tuple[str, float]]:
        """Return the words of a page that count and what each adds, those that count most first.

        A word is the first of the page that is this term, in small letters; behind a word that
        counts by its meaning stands the topic: "locomotive ~ train". The unit is the evidence that
        makes a relevance of one half: relevance is s^p / (s^p + 1) of the sum s, and 0 below 0;
        p is 2 where near words count, else 1.5. What the contrast with the crawl says of a topic
        told by examples is not among them.
        """
        self._check_fitted()
        read = self._read(text)
        plausible, similarity = self._stuffing.plausible(read), self._similarity(read)
        titled = self._titled(title)
        bound = self._title_share(titled, similarity) / titled if titled else 0.0
        own, near = self._cut, math.inf
        if self._by_meaning:
            near = self._scale * self._meaning.length(read)
            # What unwanted pages say takes nothing from what is near.
            own = self._scale * self._beside if similarity > 0.0 else math.inf
        parts: dict[str, float] = {}
        for term, tf in Counter(self._lexicon.spoken(text[:MAX_TEXT])).items():
            level, weight, _, _, told, nearness, _ = self._weigh(term)
            said = level * weight / math.sqrt(read.squares) / own + told * nearness / near
            parts[term] = (1.0 + math.log(tf)) * plausible * said
        for term, said in self._title(title).items():
            weight = max(self._weights.get(term, 0.0), 0.0)
            parts[term] = parts.get(term, 0.0) + bound * said * weight / own
        return self._written(parts, (title, text), by_meaning=self._by_meaning)

    def explain_link(self, link: LinkWords) -> list[tuple[str, float]]:
        """The same of a link: what its words add to the odds, which are 1 at a prediction of .5."""
        self._check_fitted()
        parts = self._links.parts(link, lambda term: self._weigh(term)[4:6])
        anchor, context, url = link
        return self._written(parts, (anchor, context, unquote(url)), by_meaning=True)

    def _written(
        self, parts: Mapping[str, float], texts: Sequence[str], *, by_meaning: bool
    ) -> list[tuple[str, float]]:
        """Parts by the words of texts in place of their terms."""
        topic = shorten(" ".join(self._words) or "the examples", _SHOWN, placeholder=" ...")
        names: dict[str, str] = {}
        for word in chain.from_iterable(map(words_of, texts)):
            for term in terms_of(word):
                names.setdefault(term, term if is_unspaced(term) else word)
        near = f" ~ {topic}" if by_meaning else ""
        written = [
            (names.get(term, term) + ("" if term in self._weights else near), part)
            for term, part in parts.items()
            if part
        ]
        return sorted(written, key=lambda part: (-abs(part[1]), part[0]))

    def predict(self, anchor: str, context: str, url: str) -> float:
        return self.predict_links([(anchor, context, url)])[0]

    def predict_links(self, links: Sequence[LinkWords]) -> list[float]:
        return [match.predicted for match in self.matches(links)]

    def matches(self, links: Sequence[LinkWords]) -> list[LinkMatches]:
        self._check_fitted()
        return self._links.matches(links)

    def state(self) -> dict[str, Any]:
        self._check_fitted()
        return {
            "version": _VERSION,
            "cut": self._cut,
            "languages": list(self._levels.languages),
            "keywords": list(self._keywords),
            "common": dict(self._levels.common),
            "weights": dict(self._weights),
            "vectors": self.vectors,
            "words": list(self._words),
            "spelling": dict(self.spelling),
            "near": dict(self._meaning.near),
            "scale": self._scale,
            "examples": self._told_examples,
            **({} if self._contrast is None else {"contrast": self._contrast.state}),
        }

    def restore(self, state: dict[str, Any]) -> None:
        try:
            version, cut = state["version"], float(state["cut"])
            weights = {str(term): float(weight) for term, weight in state["weights"].items()}
            near = {str(term): float(share) for term, share in state["near"].items()}
            scale, examples = float(state["scale"]), bool(state["examples"])
            vectors, spoken = str(state["vectors"]), tuple(map(str, state["words"]))
            spelling = {str(word): str(other) for word, other in state["spelling"].items()}
            keywords = [str(term) for term in state["keywords"]]
            common = {str(term): float(share) for term, share in state["common"].items()}
            levels = Levels([str(language) for language in state["languages"]], keywords, common)
            contrast = _restored(state.get("contrast"))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise TopicError(_foreign(f"a state without a valid {error}")) from error
        if version != _VERSION:
            raise TopicError(_foreign(f"version {version!r}"))
        if not all(0.0 < value < math.inf for value in (cut, scale)) or not all(
            map(math.isfinite, weights.values())
        ):
            raise TopicError(_foreign("numbers that are not finite, or a cut that is not positive"))
        if not any(weight > 0.0 for weight in weights.values()):
            raise TopicError(_foreign("no weight above 0"))
        self._scale, self._told_examples = scale, examples
        self.vectors, self.spelling, self._words = vectors, spelling, spoken
        self._install(weights, cut, levels, keywords, near, contrast)

    def _install(
        self,
        weights: Vector,
        cut: float,
        levels: Levels,
        keywords: Sequence[str],
        near: Mapping[str, float],
        contrast: Contrast | None = None,
    ) -> None:
        self._weights = weights
        self._cut = cut
        self._levels = levels
        self._keywords = tuple(keywords)
        self._stuffing = Stuffing(keywords)
        self._length = math.hypot(*weights.values()) or 1.0
        self._contrast = contrast
        self._meaning = Meaning(near, len(keywords))
        kind, level, zipf = self._stuffing.kind, levels.level, levels.zipf
        said = (lambda _: (0.0, 0.0)) if contrast is None else contrast.of

        def weigh(term: str) -> tuple[float, float, float, float, float, float, int]:
            told = level(term)
            nearness = near.get(term, 0.0) * (1.0 - levels.common.get(term, 0.0))
            return (
                told,
                weights.get(term, 0.0),
                *(said(term) if told else (0.0, 0.0)),
                salience(zipf(term)) if told or nearness else 0.0,
                nearness,
                kind(term),
            )

        self._weigh = weigh
        self._lexicon = Lexicon(spelled, weigh, _MEMORY, LIST)
        self._links = LinkReader(weights, self._lexicon, self._stuffing)

    def _cut_for(
        self,
        keywords: Sequence[str],
        likes: list[Example],
        dislikes: list[Example],
        levels: Levels,
    ) -> float:
        if not likes:
            return _KEYWORD_CUT / math.sqrt(len(keywords))
        if len(likes) == 1:
            return _ONE_EXAMPLE
        worth = []
        for held in range(0, len(likes), -(-len(likes) // _HELD_OUT)):
            others = likes[:held] + likes[held + 1 :]
            self._install(learned(keywords, others, dislikes, levels), 1.0, levels, keywords, {})
            page = likes[held].page
            worth.append(self._evidence(page, self._similarity(self._read(page.text))))
        above = 1.0 + _LEAVE_ONE_OUT / len(likes)
        return max(above * math.fsum(worth) / len(worth), _LEAST_CUT)

    @property
    def _by_meaning(self) -> bool:
        """Whether near words count in pages; what examples say tells more than they do."""
        return bool(self._meaning.near) and not self._told_examples

    def _odds(self, page: PageText, text: Reading) -> tuple[float, float]:
        """Odds of a page by its near words, and by these and the topic's own together."""
        near = self._meaning.of_page(text) * self._stuffing.plausible(text)
        own = self._evidence(page, self._similarity(text))
        return near, near + own / self._beside

    @property
    def _beside(self) -> float:
        """Evidence of words that makes one half by itself, where near words count too."""
        return _BESIDE_CUT / math.pow(len(self._keywords), 0.25)

    def _evidence(self, page: PageText, similarity: float) -> float:
        return max(similarity + self._title_share(self._titled(page.title), similarity), 0.0)

    def _title_share(self, titled: float, similarity: float) -> float:
        return min(_TITLE * titled, _TITLE_BEYOND * max(similarity, 0.0))

    def _read(self, text: str) -> Reading:
        return self._lexicon.read(text[:MAX_TEXT], SHORT)

    def _similarity(self, text: Reading) -> float:
        """The text's words times the topic's weights, by the length of the text's."""
        similarity = text.product / math.sqrt(text.squares)
        return similarity * self._stuffing.plausible(text)

    def _titled(self, title: str) -> float:
        weights = self._weights
        return math.fsum(
            said * max(weights.get(term, 0.0), 0.0) for term, said in self._title(title).items()
        )

    def _title(self, title: str) -> Vector:
        return vector_of(dict.fromkeys(self._lexicon.spoken(title[:MAX_TEXT]), 1), self._levels)

    def _check_fitted(self) -> None:
        if not self._weights:
            raise TopicError(
                "expected a topic model that knows its topic; this one was never fitted. "
                "Call fit(topic, examples) or restore(state) first."
            )


def _graded(evidence: float, cut: float, power: float = _POWER) -> float:
    share = math.pow(evidence / cut, power)
    return share / (share + 1.0)


def _spelling(spoken: Sequence[str], levels: Levels, table: WordVectors | None) -> dict[str, str]:
    """The nearest spellings of words that no table knows; none where no table was read."""
    if table is None:
        return {}
    known = {term for term in topic_terms(" ".join(spoken)) if levels.zipf(term)}.union(table.terms)
    return nearest_spellings(word for word in spoken if known.isdisjoint(terms_of(word)))


def _restored(state: Mapping[str, Any] | None) -> Contrast | None:
    if state is None:
        return None
    from ranking.topics.contrast import Contrast

    return Contrast.restored(state)


def _foreign(found: str) -> str:
    return (
        f"expected the state of a TfidfTopic, version {_VERSION}; got {found}. "
        "Resume with the topic model the crawl was started with, or start a new crawl."
    )
