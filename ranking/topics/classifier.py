"""Any scikit-learn classifier of texts as the judge of pages: a file written by `joblib.dump`.

The file holds a fitted classifier with two classes, the second (`classes_[1]`: True, 1, the later
name) being what is wanted, and everything that turns a text into its features: usually a whole
`Pipeline`. A page is shown to it as its title, a line break and its text; what `predict_proba`
gives the second class is the page's relevance. A classifier that has `decision_function` only is
read as 1 / (1 + e^-d).

Links are weighed by the words of the topic and of the examples, as the default model weighs them,
where there are any: most classifiers of pages are at a loss with three words. Where there are
none, the classifier reads anchor and context.

A joblib file runs code of its maker's choice when it is loaded: load your own.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from ranking.errors import MissingExtraError, TopicError
from ranking.topics.judging import LinkMatches, LinkWords
from ranking.topics.tfidf import TfidfTopic

__all__ = ["ClassifierTopic"]

_VERSION: Final = 1
_PROBE = "a page of some words"
_Ask = Callable[[list[str]], list[float]]


class ClassifierTopic:
    """A `TopicModel` that a classifier's file is asked for."""

    def __init__(self, path: str, vectors: str = "auto") -> None:
        """Read a file. Raises TopicError for one that holds no classifier of texts.

        `vectors` is the table from which the words of links are learned.

        Raises MissingExtraError where joblib or scikit-learn is not installed.
        """
        self._path = path
        self._vectors = vectors
        content = _content(path)
        self._hash = hashlib.blake2b(content, digest_size=16).hexdigest()
        self._links: TfidfTopic | None = None
        self._wanted = _asked(_loaded(path), path)

    def fit(self, topic: str, examples: Sequence[str]) -> None:
        """Take the words by which links are weighed; the classifier knows its topic already."""
        self._links = None
        if topic.strip() or any(text.strip() for text in examples):
            links = TfidfTopic(self._vectors)
            links.fit(topic, examples)
            self._links = links

    @property
    def vectors(self) -> str:
        """The table of word vectors by which links are weighed; "none" without."""
        return "none" if self._links is None else self._links.vectors

    @property
    def spelling(self) -> dict[str, str]:
        """Word of the topic that no table knows -> the word that is spelled most like it."""
        return {} if self._links is None else self._links.spelling

    def relevance(self, text: str, title: str = "") -> float:
        return self._wanted([f"{title}\n{text}"])[0]

    def promise(self, anchor: str, context: str, url: str) -> float:
        return self.promises([(anchor, context, url)])[0]

    def promises(self, links: Sequence[LinkWords]) -> list[float]:
        return [match.promise for match in self.matches(links)]

    def matches(self, links: Sequence[LinkWords]) -> list[LinkMatches]:
        if self._links is not None:
            return self._links.matches(links)
        anchors = self._read(anchor for anchor, _, _ in links)
        contexts = self._read(context for _, context, _ in links)
        pairs = zip(anchors, contexts, strict=True)
        return [LinkMatches(anchor, anchor, context, 0.0) for anchor, context in pairs]

    def _read(self, texts: Iterable[str]) -> list[float]:
        """Ask for all texts at once, each once; an empty one says nothing."""
        spoken = list(texts)
        distinct = list(dict.fromkeys(text for text in spoken if text))
        said = dict(zip(distinct, self._wanted(distinct) if distinct else (), strict=True))
        return [said.get(text, 0.0) for text in spoken]

    def state(self) -> dict[str, Any]:
        links = None if self._links is None else self._links.state()
        return {"version": _VERSION, "file": self._path, "hash": self._hash, "links": links}

    def restore(self, state: dict[str, Any]) -> None:
        if state.get("version") != _VERSION or "hash" not in state:
            raise TopicError(
                f"expected the state of a classifier's file, version {_VERSION}; got "
                f"{str(state)[:80]}. Resume with the TOPIC_MODEL the crawl was started with."
            )
        if state["hash"] != self._hash:
            raise TopicError(
                f"expected the classifier the crawl was started with; {self._path!r} holds "
                "another one now. Put the old file back, or start a new crawl."
            )
        self._links = None
        if state["links"] is not None:
            self._links = TfidfTopic()
            self._links.restore(state["links"])


def _content(path: str) -> bytes:
    try:
        return Path(path).read_bytes()
    except OSError as error:
        raise TopicError(
            f"expected TOPIC_MODEL to name a file that joblib wrote, or a class by its import "
            f"path; {path!r} cannot be read: {error.strerror}. Correct the path."
        ) from error


def _loaded(path: str) -> Any:
    try:
        import joblib
        import sklearn  # noqa: F401 - most models need it, and its absence has a remedy
    except ImportError as error:
        raise MissingExtraError(error.name or "joblib", f"{path!r}", "sklearn") from error
    try:
        return joblib.load(path)
    except Exception as error:  # the file decides what runs, so anything may be raised
        raise TopicError(
            _unusable(path, f"a file that cannot be loaded ({_first_line(error)})")
        ) from error


def _asked(model: Any, path: str) -> _Ask:
    """Return texts -> probabilities that they are wanted."""
    if callable(getattr(model, "predict_proba", None)):
        ask = _by_probability(model)
    elif callable(getattr(model, "decision_function", None)):
        ask = _by_distance(model)
    else:
        raise TopicError(_unusable(path, f"a {type(model).__name__}, which classifies nothing"))
    classes = getattr(model, "classes_", (False, True))
    if len(classes) != 2:
        raise TopicError(_unusable(path, f"a classifier of {len(classes)} classes"))
    _probe(ask, path)
    return ask


def _by_probability(model: Any) -> _Ask:
    def ask(texts: list[str]) -> list[float]:
        return [float(row[1]) for row in model.predict_proba(texts)]

    return ask


def _by_distance(model: Any) -> _Ask:
    def ask(texts: list[str]) -> list[float]:
        return [_logistic(float(value)) for value in model.decision_function(texts)]

    return ask


def _probe(ask: _Ask, path: str) -> None:
    """Judge a text before the crawl does, so that a wrong model fails before the first page."""
    try:
        (answer,) = ask([_PROBE])
    except Exception as error:  # models of others
        reason = f"a model that cannot judge a text ({_first_line(error)})"
        raise TopicError(_unusable(path, reason)) from error
    if not 0.0 <= answer <= 1.0:
        raise TopicError(_unusable(path, f"a model whose probability of a text is {answer}"))


def _logistic(value: float) -> float:
    return 0.5 * (1.0 + math.tanh(0.5 * value))


def _first_line(error: Exception) -> str:
    said = str(error).partition("\n")[0]
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def _unusable(path: str, found: str) -> str:
    return (
        "expected a fitted scikit-learn classifier of texts with two classes, saved with "
        f"joblib.dump; {path!r} holds {found}. Save the whole pipeline, from raw texts to "
        'predict_proba or decision_function, as "Choose a topic model" in the documentation shows.'
    )
