"""The topic model that needs nothing but words: a linear judge of TF-IDF vectors, calibrated.

A page is the vector of (1 + ln tf) times the level of each of its terms (`frequencies.py`), the
topic a vector of weights (`learn.py`), some of them below 0. The page's evidence is

    page . topic / |page|  +  TITLE * title . topic⁺ / |title|

Evidence e becomes relevance by e^P / (e^P + cut^P): one half exactly at the cut, graded on both
sides of it. The cut of examples is what one of them is worth to a model that learned from the
others (leave-one-out), and the more above it the fewer they are, because few examples agree on much
that is not the topic; of a single one, a constant.

Once the crawl has pages to show beside them, examples are set against those that are least like
the topic (`contrast.py`), and relevance becomes the geometric mean of both opinions: on a web of
one genre, what examples share is mostly the genre. What those pages say, too, tells less from then
on, in pages as in links: menus name all topics of a site.

A link's evidence is the weight of the topic's terms in its anchor, of those in its address that
the anchor lacks and, far behind, of those around it; long anchors say less with each word.

A topic that is told by words alone has no examples to set a cut. Its pages are judged by these
words, by what they mean (`meaning.py`) and by their title, on a scale that is fixed before the
crawl (`evidence.py`). The links of every topic are judged by words and by meaning.

Other forms of the topic's words are these words (`forms.py`), and the evidence of a page that says
too few of them is bounded (`conjunction.py`).

Texts are read in compiled code (`_lexicon.pyx`), which asks for each word once. Numpy is loaded for
the contrast and where a table of word vectors is read, scikit-learn never.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from textwrap import shorten
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

from ranking.errors import TopicError
from ranking.topics import evidence as by_words
from ranking.topics._lexicon import Lexicon, Reading
from ranking.topics.conjunction import Conjunction
from ranking.topics.evidence import Evidence
from ranking.topics.forms import Forms
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
from ranking.topics.meaning import SHORT, Meaning, salience
from ranking.topics.saying import names_of, nothing_to_learn, spelling_of
from ranking.topics.stuffing import LIST, Stuffing
from ranking.topics.terms import MAX_TEXT, spelled, terms
from ranking.topics.vectors import load_again, load_vectors

if TYPE_CHECKING:
    from ranking.topics.contrast import Contrast, Counted

_VERSION: Final = 5

_TITLE = 0.3
_POWER = 1.5  # of the evidence in relevance; sharper ones hide the way to a topic's outskirts
_TITLE_BEYOND = 2.0  # a title's evidence is at most so many times that of the text

_LEAVE_ONE_OUT = 1.2  # by the number of examples: how far few of them understate the rest
_ONE_EXAMPLE = 0.15  # evidence
_LEAST_CUT = 0.02  # evidence; examples that share nothing would set it to 0
_HELD_OUT = 40  # examples that are left out in turn; more of them say nothing new
_UNLIKE = 0.7  # of the fetched pages, least like the topic, are what examples are set against
_FEWEST = 5  # such pages
_SET_AGAINST = 40  # examples; the others would say the same

_TOPIC_TERMS = 30  # heaviest, that stand for what examples say, where no words are given
_IMPLAUSIBLE = 0.6  # power of how much a text speaks: that of evidence in relevance is 4, not 1.5
_MEMORY = 30_000  # words whose terms are remembered, about 8 MB
_SHOWN = 25  # characters of the topic behind a word that is near to it
_NEAREST = 12  # words that are shown for what they mean


class TfidfTopic:
    """The default `TopicModel`. Raises `TopicError` when used before `fit` or `restore`.

    Attributes:
        vectors: the table of word vectors that texts are compared with the topic in, as people read
            it; "none" and the reason without.
        missing: what to say of a table that the topic was learned with and that is not here; "".
        spelling: word of the topic that no table knows -> the word that is spelled most like it.

    """

    _contrast: Contrast | None

    def __init__(self, vectors: str = "auto") -> None:
        """`vectors` is the table that says what words mean: a FRONTIER_VECTORS."""
        self._spec = vectors
        self.vectors, self.missing, self.spelling = "none", "", dict[str, str]()
        self._table = "", 0
        self._words: tuple[str, ...] = ()
        self._told_examples = False
        self._forms, self._conjunction = Forms(()), Conjunction({}, {})
        self._install({}, 1.0, Levels(()), (), Meaning((), None))

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
        self._forms = Forms(topic_words(topic))
        if not self._learn(keywords, wanted, unwanted, levels):
            raise TopicError(nothing_to_learn(topic, wanted))
        heaviest = keywords or [term for term, weight in self._weights.items() if weight > 0.0]
        table = load_vectors(self._spec, tuple(heaviest[:_TOPIC_TERMS]))
        meaning = Meaning(heaviest[:_TOPIC_TERMS], table, len(keywords))
        self.vectors, self._table = "none", ("", 0)
        if table is not None:
            self.vectors, self._table = table.name, (table.spec, table.checksum)
        if table is not None and not meaning:
            self.vectors = f"none: {table.name} knows no word of the topic"
        self.missing, self._words = "", tuple(dict.fromkeys(topic_words(topic)))
        self._conjunction = Conjunction.of(topic, levels)
        self.spelling = spelling_of(self._words, levels, table)
        self._install(self._weights, self._cut, levels, keywords, meaning)

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
        weights = learned(keywords, likes, dislikes, levels)
        self._install(weights, cut, levels, keywords, Meaning((), None))
        return True

    def understood(self, topic: str) -> list[str]:
        """Return the terms of a topic that pages are searched for."""
        return topic_terms(topic)

    def without_forms(self) -> list[str]:
        """Return the words of the topic of which no other forms are known."""
        return self._forms.unknown()

    def relevance(self, text: str, title: str = "") -> float:
        return self.judge(PageText(text, title)).relevance

    def judge(self, page: PageText) -> Judgement:
        self._check_fitted()
        text = self._read(page.text)
        similarity = self._similarity(text)
        if not self._told_examples:
            parts = self._parts(page, text)
            near = similarity / self._length
            if self._meaning:
                near = parts.meaning / (parts.meaning + 1.0)
            return Judgement(by_words.graded(math.fsum(parts)), min(max(near, 0.0), 1.0))
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
        with others. False, and nothing is changed, where fewer than five such pages say anything,
        and for a topic of words alone: what was fetched follows from how well the crawl does.
        """
        self._check_fitted()
        if not wanted:
            return False
        from ranking.topics.contrast import Contrast

        keywords = topic_terms(topic)
        others = self._least_like(keywords, wanted, unwanted, fetched)
        levels = Levels(self._levels.languages, keywords)
        levels = levels.on([self._lexicon.spoken(text[:MAX_TEXT]) for text in others])
        model = TfidfTopic()
        model._forms = self._forms
        if not model._learn(keywords, wanted, unwanted, levels):
            return False
        likes = model._saying(page_of(text).text for text in wanted[:_SET_AGAINST])
        unlike = model._saying(others)
        if not likes or len(unlike) < _FEWEST:
            return False
        above = 1.0 + _LEAVE_ONE_OUT / len(likes)
        found = Contrast.fitted(likes, unlike, above) if len(likes) > 1 else None
        self._told_examples = True
        self._install(model._weights, model._cut, levels, keywords, self._meaning, found)
        return True

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
        model._forms = self._forms
        weights = learned(keywords, likes, dislikes, levels)
        model._install(weights, 1.0, levels, keywords, Meaning((), None))
        ranked = sorted(fetched, key=lambda text: model._similarity(model._read(text)))
        return ranked[: round(_UNLIKE * len(ranked))]

    def _saying(self, texts: Iterable[str]) -> list[Counted]:
        """How often each text says which terms that tell something, of those that say any."""
        said = (Counter(self._lexicon.spoken(text[:MAX_TEXT])) for text in texts)
        level = self._levels.level
        found = ({term: tf for term, tf in one.items() if level(term)} for one in said)
        return [telling for telling in found if telling]

    def explain(self, text: str, title: str = "") -> list[tuple[str, float]]:
        """Return what counts of a page and what each adds, that which counts most first.

        A word is the first of the page that is this term, in small letters; behind a word that
        counts by its meaning stands the topic: "locomotive ~ train". The nearest are named, "other
        words" are the rest. The unit is the evidence that makes a relevance of one half: relevance
        is s^p / (s^p + 1) of the sum s, and 0 below 0; p is 4 of a topic of words alone, else 1.5.
        What the contrast with the crawl says of a topic told by examples is not among them.
        """
        self._check_fitted()
        read, page = self._read(text), PageText(text, title)
        cosine = self._similarity(read) if self._told_examples else self._cosine(read)
        evidence = self._evidence(page, cosine)
        named, meant = dict[str, float](), dict[str, float]()
        worth = 1.0 / self._cut
        if not self._told_examples:
            parts = self._parts(page, read)
            worth = parts.words / evidence if evidence > 0.0 else 0.0
            named = {"the title": parts.title}
            meant = self._nearest_words(text, read, parts.meaning)
        titled = self._titled(title)
        bound = self._title_share(titled, cosine) / titled if titled else 0.0
        words = dict[str, float]()
        said = worth * cosine / (self._cosine(read) or 1.0)
        for term, tf in Counter(self._lexicon.spoken(text[:MAX_TEXT])).items():
            level, weight = self._weigh(term)[:2]
            words[term] = (1.0 + math.log(tf)) * level * weight / math.sqrt(read.squares) * said
        for term, part in self._title(title).items():
            weight = max(self._weights.get(term, 0.0), 0.0)
            words[term] = words.get(term, 0.0) + bound * part * weight * worth
        return self._shown(words, meant, named, (title, text))

    def _nearest_words(self, text: str, read: Reading, meaning: float) -> dict[str, float]:
        """What each of the nearest words of a text adds to its meaning, and all others."""
        parts = {
            term: tf * math.prod(self._lexicon.nearness(term)[:2])
            for term, tf in Counter(self._lexicon.spoken(text[:MAX_TEXT])).items()
        }
        near = sorted(parts, key=lambda term: (-parts[term], term))[:_NEAREST]
        length = self._meaning.length(read)
        found = {term: parts[term] / length for term in near if parts[term] > 0.0}
        found["other words"] = meaning - math.fsum(found.values())
        return found

    def explain_link(self, link: LinkWords) -> list[tuple[str, float]]:
        """The same of a link: what its words add to the odds, which are 1 at a prediction of .5."""
        self._check_fitted()
        words, meant = self._links.parts(link)
        anchor, context, url = link
        return self._shown(words, meant, {}, (anchor, context, unquote(url)))

    def _shown(
        self,
        words: Mapping[str, float],
        meant: Mapping[str, float],
        named: Mapping[str, float],
        texts: Sequence[str],
    ) -> list[tuple[str, float]]:
        """Parts by the words of texts in place of their terms, those that count most first."""
        topic = shorten(" ".join(self._words) or "the examples", _SHOWN, placeholder=" ...")
        names = names_of(texts, self._forms)
        written: defaultdict[str, float] = defaultdict(float, named)
        for term, part in words.items():
            written[names.get(term, term)] += part
        for term, part in meant.items():
            near = "" if term in self._weights else f" ~ {topic}"
            written[names.get(term, term) + near] += part
        counting = [(word, part) for word, part in written.items() if part]
        return sorted(counting, key=lambda part: (-abs(part[1]), part[0]))

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
            "table": list(self._table),
            "meant": list(self._meaning.terms),
            "information": dict(self._conjunction.information),
            "joined": {term: list(parts) for term, parts in self._conjunction.joined.items()},
            "examples": self._told_examples,
            **({} if self._contrast is None else {"contrast": self._contrast.state}),
        }

    def restore(self, state: dict[str, Any]) -> None:
        try:
            version, cut = state["version"], float(state["cut"])
            weights = {str(term): float(weight) for term, weight in state["weights"].items()}
            meant, examples = [str(term) for term in state["meant"]], bool(state["examples"])
            spec, checksum = str(state["table"][0]), int(state["table"][1])
            vectors, spoken = str(state["vectors"]), tuple(map(str, state["words"]))
            spelling = {str(word): str(other) for word, other in state["spelling"].items()}
            keywords = [str(term) for term in state["keywords"]]
            common = {str(term): float(share) for term, share in state["common"].items()}
            levels = Levels([str(language) for language in state["languages"]], keywords, common)
            contrast = _restored(state.get("contrast"))
            conjunction = Conjunction(
                {str(term): float(told) for term, told in state["information"].items()},
                {str(term): [*map(str, parts)] for term, parts in state["joined"].items()},
            )
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise TopicError(_foreign(f"a state without a valid {error}")) from error
        if version != _VERSION:
            raise TopicError(_foreign(f"version {version!r}"))
        if not 0.0 < cut < math.inf or not all(map(math.isfinite, weights.values())):
            raise TopicError(_foreign("numbers that are not finite, or a cut that is not positive"))
        if not any(weight > 0.0 for weight in weights.values()):
            raise TopicError(_foreign("no weight above 0"))
        self._told_examples, self._table = examples, (spec, checksum)
        self.vectors, self.spelling, self._words = vectors, spelling, spoken
        self._forms, self._conjunction = Forms(spoken), conjunction
        table, self.missing = load_again(spec, checksum, vectors)
        self._install(
            weights, cut, levels, keywords, Meaning(meant, table, len(keywords)), contrast
        )

    def _install(
        self,
        weights: Vector,
        cut: float,
        levels: Levels,
        keywords: Sequence[str],
        meaning: Meaning,
        contrast: Contrast | None = None,
    ) -> None:
        self._weights = weights
        self._cut = cut
        self._levels = levels
        self._keywords = tuple(keywords)
        self._stuffing = Stuffing(keywords)
        self._length = math.hypot(*weights.values()) or 1.0
        self._contrast = contrast
        self._meaning = meaning
        kind, level, zipf = self._stuffing.kind, levels.level, levels.zipf
        said = (lambda _: (0.0, 0.0)) if contrast is None else contrast.of

        def weigh(term: str) -> tuple[float, float, float, float, float, int, int]:
            told, row = level(term), meaning.row(term)
            return (
                told,
                weights.get(term, 0.0),
                *(said(term) if told else (0.0, 0.0)),
                salience(zipf(term)) if told else 0.0,
                row,
                kind(term),
            )

        self._weigh = weigh
        self._lexicon = Lexicon(
            partial(spelled, terms_of=self._forms.terms_of),
            *(weigh, _MEMORY, LIST, meaning.rows, meaning.topic, meaning.unit),
            *(meaning.apart, meaning.typical),
        )
        self._known = meaning.share(self._conjunction.information)
        self._links = LinkReader(weights, self._lexicon, self._stuffing, meaning)

    def _cut_for(
        self,
        keywords: Sequence[str],
        likes: list[Example],
        dislikes: list[Example],
        levels: Levels,
    ) -> float:
        if not likes:
            return 1.0  # nobody asks
        if len(likes) == 1:
            return _ONE_EXAMPLE
        worth = []
        for held in range(0, len(likes), -(-len(likes) // _HELD_OUT)):
            others = likes[:held] + likes[held + 1 :]
            weights = learned(keywords, others, dislikes, levels)
            self._install(weights, 1.0, levels, keywords, Meaning((), None))
            page = likes[held].page
            worth.append(self._evidence(page, self._similarity(self._read(page.text))))
        above = 1.0 + _LEAVE_ONE_OUT / len(likes)
        return max(above * math.fsum(worth) / len(worth), _LEAST_CUT)

    def _parts(self, page: PageText, text: Reading) -> Evidence:
        """What a page says of a topic of words.

        Of a page that says too few of several words, these count up to its share of what it must
        say, and what the others mean counts without them.
        """
        # Relevance goes by the fourth power of all: the odds fall by the square of this.
        plausible = math.pow(self._stuffing.plausible(text), _IMPLAUSIBLE)
        named = self._lexicon.read(by_words.own_title(page.title, page.heading)[:MAX_TEXT])
        share = self._conjunction.share({*text.keywords, *named.keywords})
        evidence = self._evidence(page, self._cosine(text))
        words = by_words.of_words(evidence, len(self._keywords), self._known)
        meaning = 0.0
        if self._meaning:
            title = self._lexicon.read(page.title[:MAX_TEXT])
            meaning = self._meaning.of_page(text, title, float(share >= 1.0))
        if share < 1.0:
            words = by_words.at_most(words, share * max(1.0 - meaning, 0.0))
        names = by_words.names(named.keywords, self._keywords) * self._stuffing.named(named)
        return Evidence(*(plausible * part for part in (words, meaning, names)))

    def _evidence(self, page: PageText, similarity: float) -> float:
        return max(similarity + self._title_share(self._titled(page.title), similarity), 0.0)

    def _title_share(self, titled: float, similarity: float) -> float:
        return min(_TITLE * titled, _TITLE_BEYOND * max(similarity, 0.0))

    def _read(self, text: str) -> Reading:
        return self._lexicon.read(text[:MAX_TEXT], SHORT)

    def _similarity(self, text: Reading) -> float:
        """The cosine of text and topic, as far as the text speaks."""
        return self._cosine(text) * self._stuffing.plausible(text)

    def _cosine(self, text: Reading) -> float:
        """The text's words times the topic's weights, by the length of the text's."""
        return text.product / math.sqrt(text.squares)

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


def _graded(evidence: float, cut: float) -> float:
    share = math.pow(evidence / cut, _POWER)
    return share / (share + 1.0)


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
