"""The topic model of a crawl: fitted and kept, and when it learns from pages and from labels.

Examples are set against a random sample of the pages fetched so far, early and then ever more
rarely: after FIRST_REFIT pages, and again whenever there are half as many more.

A labelled page has relevance 1 or 0 from then on: it is taken in once more with it, as a page that
was read again is, and the topic model is fitted anew, to what it was fitted to and to the texts of
the labelled pages that were kept. Labels of pages that were not fetched yet wait.

Each time the learned state is stored with the crawl, so that a resumed crawl judges on as before.
It depends on the pages, and on the number of pages at which a label was read, and on nothing else.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping

from frontier.backend.backend import LinkRankBackend
from frontier.config import CrawlConfig
from frontier.estimates import HarvestRate
from frontier.formatting import clean, counted
from frontier.labels.at_random import labelled_rate
from frontier.labels.label_file import LabelFile
from frontier.records import Lease, Page
from frontier.states import State
from frontier.store.schema import CONTRASTED, EXAMPLES, LABELLED, NOT_EXAMPLES, TOPIC
from frontier.topic.samples import FIRST_REFIT, LETTERS
from frontier.utils import give_memory_back
from frontier.verdict import Verdict
from ranking import topics
from ranking.errors import LinkRankError
from ranking.topics import TopicModel
from ranking.topics.judging import contrasted, teach, teach_labelled

logger = logging.getLogger(__name__)

Teaching = Callable[[TopicModel, str, list[str], list[str]], None]
GROWTH = 1.5
"""Growth of the pages until the next contrast: a dozen contrasts in the first 1,000 pages."""
YES, NO = "yes", "no"


def known_topic(config: CrawlConfig, backend: LinkRankBackend) -> TopicModel | None:
    """The model that a stored crawl had learned, or a model that needs no examples; else None."""
    if not config.focused:
        return None
    state = backend.setting(TOPIC)
    if state is None:
        return None if config.has_examples else fitted_topic(config, backend, [], [])
    model = topics.load_topic_model(config.topic_model, config.vectors)
    with backend.store.reading():
        model.restore(state)
    give_memory_back()
    return model


def taught_model(
    config: CrawlConfig, how: Teaching, wanted: list[str], unwanted: list[str]
) -> TopicModel:
    """A new model, fitted to the topic and to texts of pages by `teach` or `teach_labelled`."""
    model = topics.load_topic_model(config.topic_model, config.vectors)
    how(model, config.topic, wanted, unwanted)
    give_memory_back()  # tables of word vectors are made of larger ones
    return model


def fitted_topic(
    config: CrawlConfig, backend: LinkRankBackend, wanted: list[str], unwanted: list[str]
) -> TopicModel:
    """Fit the model to the topic and to texts of examples, and store it with the crawl."""
    model = taught_model(config, teach, wanted, unwanted)
    backend.remember(EXAMPLES, wanted)
    backend.remember(NOT_EXAMPLES, unwanted)
    backend.remember(TOPIC, model.state())
    return model


def opening(config: CrawlConfig, backend: LinkRankBackend, topic: TopicModel | None) -> str:
    """The topic of a crawl as its model reads it, and where the crawl is kept, in a line."""
    parts = [f"strategy {config.strategy}", f"JOBDIR {config.directory or 'none: it is not kept'}"]
    vectors = getattr(topic, "vectors", None)
    if vectors is not None:
        parts.insert(0, f"vectors {clean(vectors, 300)}")
    if topic is not None:
        wanted, unwanted = (len(backend.setting(key) or ()) for key in (EXAMPLES, NOT_EXAMPLES))
        examples = counted(wanted, "example")
        examples += f", {unwanted:,} of the opposite" if unwanted else ""
        parts = [f"topic: {_words_read(config.topic, topic)}; {examples}", *parts]
    if backend.resumed:
        parts.append(f"resumed with {backend.ledger.counts[State.CRAWLED]:,} pages")
    return "; ".join(parts)


def doubts(topic: TopicModel | None) -> list[str]:
    """Warnings about a topic, a line each.

    A missing table of word vectors, words that may be misspelled, or words without a known plural.
    """
    spelling: dict[str, str] = getattr(topic, "spelling", {})
    without_forms: Callable[[], list[str]] = getattr(topic, "without_forms", list)
    missing: str = getattr(topic, "missing", "")
    misspelled = [
        f'The topic\'s word "{word}" is in no table; did you mean "{meant}"? Pages are searched '
        "for it as it is."
        for word, meant in spelling.items()
    ]
    return (
        [missing] * bool(missing)
        + misspelled
        + [
            f'Endings of the topic\'s word "{word}" are not known; pages are searched for it as it '
            "is. Give its other forms, such as its plural, in the topic, too."
            for word in without_forms()
        ]
    )


def _words_read(words: str, topic: TopicModel) -> str:
    """The words of a topic that its model uses, as far as the model names them."""
    understood = getattr(topic, "understood", str.split)
    used = set(understood(words))
    read = [word for word in words.split() if used.intersection(understood(word))]
    return clean(", ".join(dict.fromkeys(read)), 300) or "no words"


class Refitting:
    """Keeps samples of fetched pages, and contrasts the topic model with them in time."""

    def __init__(self, backend: LinkRankBackend, config: CrawlConfig) -> None:
        self._backend = backend
        self._config = config
        self._due = int(backend.setting(CONTRASTED) or FIRST_REFIT)

    def fetched(self, lease: Lease, page: Page, verdict: Verdict, model: TopicModel | None) -> bool:
        """Offer a page that was taken in to the samples, and refit the model if that is due.

        Returns whether the model judges otherwise from now on.
        """
        if verdict.is_sample_of(page):
            kept = None if page.text is None else page.text.beginning(LETTERS)
            relevance = verdict.relevance_of(page) or 0.0
            self._backend.samples.offer(lease.url_id, lease.fingerprint, relevance, kept)
        if model is None or self._backend.driver.graph.n_pages < self._due:
            return False
        return self.show(model)

    def show(self, model: TopicModel) -> bool:
        """Contrast the model with the samples so far, and store what it learned, if anything."""
        backend = self._backend
        backend.commit()
        known = _known_texts(backend, backend.setting(LABELLED) or {})
        learned = contrasted(model, self._config.topic, *known, backend.samples.at_random())
        if learned:
            backend.remember(TOPIC, model.state())
        self._due = int(GROWTH * max(backend.driver.graph.n_pages, FIRST_REFIT))
        backend.remember(CONTRASTED, self._due)
        return bool(learned)


def _known_texts(
    backend: LinkRankBackend, labelled: Mapping[str, Mapping[str, str]]
) -> tuple[list[str], list[str]]:
    """Texts of wanted and of unwanted pages, examples and labels; `labelled` as LABELLED has it."""
    wanted, unwanted = (backend.setting(key) or [] for key in (EXAMPLES, NOT_EXAMPLES))
    yes, no = (labelled.get(word, {}).values() for word in (YES, NO))
    return [*wanted, *yes], [*unwanted, *no]


class Relearning:
    """Applies labels to a crawl.

    Invariant: a label is in `_waiting`, by fingerprint, until its page is fetched and has the
    relevance of the label; `_labels` holds all labels, by fingerprint; `_texts` the texts of
    labelled pages, by word and id.
    """

    def __init__(
        self, backend: LinkRankBackend, file: LabelFile, identify: Callable[[str], int]
    ) -> None:
        """`identify` gives the fingerprint of a URL."""
        self._backend, self._file, self._identify = backend, file, identify
        self._waiting: dict[int, float] = {}
        self._labels: dict[int, bool] = {}
        stored = backend.setting(LABELLED) or {}
        self._texts: dict[str, dict[str, str]] = {word: stored.get(word, {}) for word in (YES, NO)}

    def apply_labels(self) -> bool:
        """Apply the labels since the last call; whether the topic is to be learned anew.

        A few microseconds without new labels.
        """
        for label in self._file.news():
            number = self._identify(label.url)
            self._labels[number] = label.wanted
            self._waiting[number] = float(label.wanted)
        fetched = self._fetched() if self._waiting else {}
        if not fetched:
            return False
        relevance = self._backend.driver.evidence.relevance
        corrected = {page: v for page, v in fetched.items() if relevance[page] != v}
        self._backend.corrections.apply(corrected)
        return self._keep_texts(fetched)

    def renewed(self, config: CrawlConfig) -> TopicModel | None:
        """Apply new labels; return the model that has learned from them, None if there were none.

        A failure is logged: the crawl goes on with its present model.
        """
        if not self.apply_labels():
            return None
        try:
            model = self.relearned(config)
        except LinkRankError as error:
            logger.error("The topic was not learned anew from labels: %s", error)
            return None
        logger.info("The topic was learned anew, with the labels of pages")
        return model

    def relearned(self, config: CrawlConfig) -> TopicModel:
        """The topic model, fitted to the topic, the examples and all labels, and stored."""
        model = taught_model(config, teach_labelled, *_known_texts(self._backend, self._texts))
        self._backend.remember(TOPIC, model.state())
        # Last: a crawl that died before this does it again.
        self._backend.remember(LABELLED, self._texts)
        return model

    def harvest_rate(self) -> HarvestRate | None:
        """The harvest rate of all fetched pages by the labels so far; some milliseconds."""
        if not self._labels:
            return None
        self._backend.commit()
        return labelled_rate(self._backend.store, self._labels)

    def _fetched(self) -> dict[int, float]:
        """Remove the labels of fetched pages from those that wait, and return them by id."""
        ledger = self._backend.ledger
        numbers = list(self._waiting)
        fetched = {}
        for number, page in zip(numbers, ledger.find(numbers), strict=True):
            if page >= 0 and ledger.state_of(page) is State.CRAWLED:
                fetched[page] = self._waiting.pop(number)
        return fetched

    def _keep_texts(self, relevance: Mapping[int, float]) -> bool:
        """Note the texts of labelled pages, where there are any; whether that changed anything."""
        before = {word: dict(texts) for word, texts in self._texts.items()}
        texts = self._backend.samples.texts()
        for page, value in relevance.items():
            word, other = (YES, NO) if value else (NO, YES)
            text = self._texts[other].pop(str(page), texts.get(page))
            if text is not None:
                self._texts[word].setdefault(str(page), text)
        return self._texts != before
