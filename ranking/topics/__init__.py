"""Text and links -> how much they are about the topic of the crawl."""

from __future__ import annotations

from importlib import import_module

from ranking.errors import TopicError
from ranking.topics.base import TopicModel
from ranking.topics.files import names_a_file
from ranking.topics.tfidf import TfidfTopic

__all__ = [
    "TfidfTopic",
    "TopicModel",
    "default_topic_model",
    "load_topic_model",
    "names_a_file",
]


def default_topic_model() -> TopicModel:
    """Return a new model of the kind a crawl uses unless its settings name another."""
    return TfidfTopic()


def load_topic_model(path: str) -> TopicModel:
    """Return a new, unfitted model: of the class at `path` ("package.module.Class"), or of a file.

    Raises `TopicError` when the class cannot be imported, made or used as a `TopicModel`, or when
    the file holds no classifier (see `ranking.topics.classifier`).
    """
    if names_a_file(path):
        from ranking.topics.classifier import ClassifierTopic  # scikit-learn is an extra

        return ClassifierTopic(path)
    module_name, dot, class_name = path.rpartition(".")
    if not dot or not module_name:
        raise TopicError(_unusable(path, "a name without a module"))
    try:
        model = getattr(import_module(module_name), class_name)()
    except (ImportError, ValueError) as error:
        raise TopicError(_unusable(path, f"a module that cannot be imported ({error})")) from error
    except AttributeError as error:
        raise TopicError(_unusable(path, f"a name its module does not have ({error})")) from error
    except TypeError as error:
        raise TopicError(_unusable(path, f"what cannot be called bare ({error})")) from error
    if not isinstance(model, TopicModel):
        raise TopicError(_unusable(path, f"a {type(model).__name__}, which lacks its methods"))
    return model


def _unusable(path: str, found: str) -> str:
    return (
        "expected the path of a topic model, such as 'ranking.topics.tfidf.TfidfTopic', whose "
        f"class takes no arguments and has the methods of TopicModel, or of a .joblib file; got "
        f"{path!r}: {found}. "
        "Correct the path, or leave the setting out to use the default model."
    )
