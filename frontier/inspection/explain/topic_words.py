"""Which words of a page and of the links to it count for the topic, by what its model knows now."""

from __future__ import annotations

from dataclasses import replace

from frontier.config import DEFAULT_TOPIC_MODEL, CrawlConfig
from frontier.inspection.explain.records import Carrier, Part
from frontier.records import PageRecord
from frontier.store import StoreReader
from frontier.store.keys import TOPIC
from ranking.topics import TfidfTopic


class TopicWords:
    """Asks the default topic model of a crawl; of other models nothing is known."""

    def __init__(self, reader: StoreReader, config: CrawlConfig) -> None:
        """Raises TopicError where what the crawl stored of its topic cannot be read."""
        self._reader = reader
        self._model: TfidfTopic | None = None
        state = reader.settings().get(TOPIC)
        if state is not None and config.topic_model == DEFAULT_TOPIC_MODEL:
            self._model = TfidfTopic("off")
            self._model.restore(state)

    def of_page(self, page: PageRecord | None) -> tuple[Part, ...]:
        """Those of a page that was judged and whose text is kept, as samples are."""
        if self._model is None or page is None or page.relevance is None:
            return ()
        samples = (one.text for one in self._reader.samples() if one.url_id == page.url_id)
        text = next(samples, None)
        if text is None:
            return ()
        return tuple(Part(*one) for one in self._model.explain(text, page.title or ""))

    def of_link(self, carrier: Carrier, url: str) -> Carrier:
        """A link to `url` with those of its words."""
        if self._model is None:
            return carrier
        parts = self._model.explain_link((carrier.anchor or "", carrier.context or "", url))
        return replace(carrier, topic_words=tuple(Part(*one) for one in parts))
