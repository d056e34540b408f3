"""The topic model that needs nothing but words: a linear judge of TF-IDF vectors, calibrated.

The model has parts, each in a module of its own:

learn, fitting    words and examples -> weights of terms and a cut; again beside fetched pages
knowledge         all that was learned, and how it is stored
pages             a page -> relevance and similarity
links             a link -> what it predicts of its target
explaining        which words count, and which may be misspelled

Other forms of the topic's words are these words (`forms.py`). Texts are read in compiled code
(`_lexicon.pyx`), which asks for each word once. Numpy is loaded for the contrast and where a table
of word vectors is read, scikit-learn never.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from ranking.errors import TopicError
from ranking.topics.conjunction import Conjunction
from ranking.topics.explaining import link_parts, nearest_spellings, page_parts
from ranking.topics.fitting import fit_beside, fit_texts
from ranking.topics.forms import Forms
from ranking.topics.frequencies import Levels, text_languages
from ranking.topics.judging import Judgement, LinkMatches, LinkWords, PageText
from ranking.topics.knowledge import Knowledge
from ranking.topics.learn import topic_terms, topic_words
from ranking.topics.links import LinkReader
from ranking.topics.meaning import Meaning
from ranking.topics.pages import PageJudge
from ranking.topics.terms import FUNCTION_WORDS, terms
from ranking.topics.terms import words as words_of
from ranking.topics.vectors import load_again, load_vectors

_TOPIC_TERMS: Final = 30  # heaviest, whose meaning is that of examples where no words are given
_SHOWN: Final = 80  # characters of what was given


class TfidfTopic:
    """The default `TopicModel`. Raises `TopicError` when used before `fit` or `restore`.

    Attributes:
        missing: why the table that the topic was learned with is not used; "" if it is.

    """

    def __init__(self, vectors: str = "auto") -> None:
        """`vectors` is the table that says what words mean: a FRONTIER_VECTORS."""
        self._spec = vectors
        self.missing = ""
        self._pages: PageJudge | None = None

    @property
    def vectors(self) -> str:
        """The table of word vectors that texts are compared with the topic in, as people read it;
        "none" and the reason without.
        """
        return "none" if self._pages is None else self._pages.learned.vectors

    @property
    def spelling(self) -> Mapping[str, str]:
        """Word of the topic that no table knows -> the word that is spelled most like it."""
        return {} if self._pages is None else self._pages.learned.spelling

    def fit(self, topic: str, examples: Sequence[str]) -> None:
        self.fit_labelled(topic, examples, ())

    def fit_labelled(self, topic: str, wanted: Sequence[str], unwanted: Sequence[str]) -> None:
        """Learn from words, from texts of pages that are wanted, and of pages that are not.

        The first line of a text counts as its title. Raises `TopicError` when neither the topic
        nor the wanted texts have a telling word.
        """
        keywords, words = topic_terms(topic), tuple(dict.fromkeys(topic_words(topic)))
        texts = [terms(text) for text in (topic, *wanted) if text.strip()]
        levels = Levels(text_languages(texts), keywords)
        fit = fit_texts(keywords, wanted, unwanted, levels, Forms(words))
        if fit is None:
            raise TopicError(_nothing_to_learn(topic, wanted))
        heaviest = keywords or [term for term, weight in fit.weights.items() if weight > 0.0]
        meant = tuple(heaviest[:_TOPIC_TERMS])
        table = load_vectors(self._spec, meant)
        meaning = Meaning(meant, table, len(keywords))
        vectors, named = "none", ("", 0)
        if table is not None:
            vectors, named = table.name, (table.spec, table.checksum)
            if not meaning:
                vectors = f"none: {table.name} knows no word of the topic"
        conjunction = Conjunction.of(topic, levels)
        spelling = nearest_spellings(words, levels, table)
        self.missing = ""
        self._know(Knowledge(fit, words, conjunction, spelling, meant, vectors, named), meaning)

    def _know(self, learned: Knowledge, meaning: Meaning) -> None:
        self._pages = PageJudge(learned, meaning)
        self._links = LinkReader(self._pages)

    def understood(self, topic: str) -> list[str]:
        """Return the terms of a topic that pages are searched for."""
        return topic_terms(topic)

    def without_forms(self) -> list[str]:
        """Return the words of the topic of which no other forms are known."""
        return [] if self._pages is None else self._pages.forms.unknown()

    def relevance(self, text: str, title: str = "") -> float:
        return self.judge(PageText(text, title)).relevance

    def judge(self, page: PageText) -> Judgement:
        return self._fitted().judge(page)

    def contrast(
        self,
        topic: str,
        wanted: Sequence[str],
        unwanted: Sequence[str],
        fetched: Sequence[str],
    ) -> bool:
        """Learn as `fit_labelled` does, beside texts of fetched pages least like the topic.

        Words that all of these texts have count for nothing from then on; with two wanted texts,
        pages are also judged by the words that only wanted texts have. Returns False and changes
        nothing where fewer than five such pages have text, and for a topic of words alone, whose
        scale must not follow the success of the crawl.
        """
        pages = self._fitted()
        if not wanted:
            return False
        texts, languages = (wanted, unwanted, fetched), pages.learned.fit.levels.languages
        fit = fit_beside(topic_terms(topic), *texts, languages, pages.forms)
        if fit is None:
            return False
        self._know(replace(pages.learned, fit=fit), pages.meaning)
        return True

    def explain(self, page: PageText) -> list[tuple[str, float]]:
        """Return what counts of a page and what each adds, that which counts most first.

        A word is the first of the page that is this term, in small letters; behind a word that
        counts by its meaning stands the topic: "locomotive ~ train". The nearest are named, "other
        words" are the rest. The unit is the evidence that makes a relevance of one half: relevance
        is s^p / (s^p + 1) of the sum s, and 0 below 0; p is 4 of a topic of words alone, else 1.5.
        What the contrast with the crawl says of a topic with examples is not among them.
        """
        return page_parts(self._fitted(), page)

    def explain_link(self, link: LinkWords) -> list[tuple[str, float]]:
        """The same of a link: what its words add to the odds, which are 1 at a prediction of .5."""
        return link_parts(self._fitted(), self._links, link)

    def predict(self, anchor: str, context: str, url: str) -> float:
        return self.predict_links([(anchor, context, url)])[0]

    def predict_links(self, links: Sequence[LinkWords]) -> list[float]:
        return [match.predicted for match in self.matches(links)]

    def matches(self, links: Sequence[LinkWords]) -> list[LinkMatches]:
        self._fitted()
        return self._links.matches(links)

    def state(self) -> dict[str, Any]:
        return self._fitted().learned.state()

    def restore(self, state: dict[str, Any]) -> None:
        learned = Knowledge.restored(state)
        table, self.missing = load_again(*learned.table, learned.vectors)
        self._know(learned, Meaning(learned.meant, table, len(learned.fit.keywords)))

    def _fitted(self) -> PageJudge:
        if self._pages is None:
            raise TopicError(
                "expected a topic model that knows its topic; this one was never fitted. "
                "Call fit(topic, examples) or restore(state) first."
            )
        return self._pages


def _nothing_to_learn(topic: str, examples: Sequence[str]) -> str:
    """The message for a topic without a telling word: which of its words were understood."""
    common = [word for word in words_of(topic) if word in FUNCTION_WORDS]
    understood = ", ".join(dict.fromkeys(common)) or "none"
    return (
        "expected a topic with at least one telling word, or an example page with text; "
        f"got topic {topic[:_SHOWN]!r} (words understood: {understood[:_SHOWN]}; those stand on "
        f"any page) and {len(examples)} example(s) without usable words. Name the topic by a few "
        "words of its own, such as 'solar telescopes', or give the addresses of pages that are "
        "about it."
    )
