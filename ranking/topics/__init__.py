"""Text and links -> how much they are about the topic of the crawl."""

from __future__ import annotations

from ranking.errors import TopicError
from ranking.spelling import object_at
from ranking.topics.judging import TopicModel
from ranking.topics.tfidf import TfidfTopic

__all__ = [
    "TfidfTopic",
    "TopicModel",
    "load_topic_model",
]


def load_topic_model(path: str, vectors: str = "auto") -> TopicModel:
    """Return a new, unfitted model of the class at `path` ("package.module.Class").

    `vectors` is the table of word vectors of the default model (`ranking.topics.vectors`).

    Raises `TopicError` when the class cannot be imported, made or used as a `TopicModel`.
    """
    try:
        kind = object_at(path)
        model = TfidfTopic(vectors) if kind is TfidfTopic else kind()
    except ImportError as error:
        raise TopicError(_unusable(path, str(error))) from error
    except TypeError as error:
        raise TopicError(_unusable(path, f"what cannot be called bare ({error})")) from error
    if not isinstance(model, TopicModel):
        raise TopicError(_unusable(path, f"a {type(model).__name__}, which lacks its methods"))
    return model


def _unusable(path: str, got: str) -> str:
    return (
        "expected the path of a topic model, such as 'ranking.topics.tfidf.TfidfTopic', whose "
        f"class takes no arguments and has the methods of TopicModel; got {path!r}: {got}. "
        "Correct the path, or leave the setting out to use the default model."
    )
