"""The topic model of a crawl: the one that it has learned, or one that is fitted and kept."""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier.store.keys import EXAMPLES, NOT_EXAMPLES, TOPIC
from ranking import topics
from ranking.topics.judging import teach
from ranking.topics.vectors import load_vectors

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.backend.backend import LinkRankBackend
    from frontier.config import CrawlConfig
    from ranking.topics import TopicModel

    Teaching = Callable[[TopicModel, str, list[str], list[str]], None]


def known_topic(config: CrawlConfig, backend: LinkRankBackend) -> TopicModel | None:
    """The model that a stored crawl had learned, or one that needs no examples; else None."""
    if not config.focused:
        return None
    state = backend.setting(TOPIC)
    if state is None:
        return None if config.told else fitted_topic(config, backend, [], [])
    model = topics.load_topic_model(config.topic_model, config.vectors)
    with backend.store.reading():
        model.restore(state)
    return model


def taught_model(
    config: CrawlConfig, how: Teaching, wanted: list[str], unwanted: list[str]
) -> TopicModel:
    """A new model, fitted to the topic and to texts of pages by `teach` or `teach_labelled`."""
    model = topics.load_topic_model(config.topic_model, config.vectors)
    how(model, config.topic, wanted, unwanted)
    load_vectors.cache_clear()  # some 30 MB that a crawl has no more use for
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
