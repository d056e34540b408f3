"""Seeds as examples: text that the user gave, where it is about what the words say.

A crawl that is told words alone learns from its seeds, too, if they are about them. Whether they
are is asked of the words, and of nothing else: the share of pairs of a seed and another fetched
page in which the words are more like the seed (the statistic of Mann and Whitney 1947). The other
pages were chosen by the words, so seeds off the topic fall behind them. It is asked again each
time the model is shown what was fetched, but only of a young crawl: later its topic runs dry, and
beside what is left any seed looks well.
"""

from __future__ import annotations

import logging
from statistics import median
from typing import TYPE_CHECKING

from frontier.store.keys import SEED_EXAMPLES, SEED_TEXTS
from frontier.topic.samples import LETTERS
from ranking.topics import load_topic_model
from ranking.topics.judging import judged, teach
from ranking.topics.learn import page_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from frontier.backend.backend import LinkRankBackend
    from frontier.config import CrawlConfig
    from frontier.records import HandedOut

logger = logging.getLogger(__name__)

MOST = 40
"""Seeds whose texts are kept; a model learns little from more."""
YOUNG = 60
"""Pages fetched after which it stays decided: it was asked four times by then."""
AGREE = 0.5
"""Share of pairs from which on seeds are about the topic: not worse than what the words led to."""


class SeedExamples:
    """The texts of one crawl's seeds, and those that its topic model was fitted to.

    Only of a crawl that is told words and no examples.
    """

    def __init__(self, backend: LinkRankBackend, config: CrawlConfig) -> None:
        self._backend = backend
        self._config = config
        self._texts: dict[str, str] = backend.setting(SEED_TEXTS) or {}
        self._asked = bool(config.topic) and config.seed_examples and not config.examples

    def note(self, handed: HandedOut, text: str | None) -> None:
        """Keep the text of a page, if it is a seed's."""
        if self._asked and handed.seed and text and len(self._texts) < MOST:
            self._texts[str(handed.url_id)] = text[:LETTERS]
            self._backend.remember(SEED_TEXTS, self._texts)

    def choose(self, fetched: Sequence[str]) -> bool:
        """Decide by a sample of fetched pages which seeds are examples; whether that changed."""
        young = self._backend.driver.graph.n_pages <= YOUNG
        if not (self._asked and young and self._texts):
            return False
        seeds = list(self._texts.values())
        own = set(seeds)
        chosen = self._about(seeds, [text for text in fetched if text not in own])
        before = self._backend.setting(SEED_EXAMPLES) or []
        if chosen == before:
            return False
        self._backend.remember(SEED_EXAMPLES, chosen)
        logger.info(
            "The topic is learned from its words and %d of %d start URLs that are about them",
            *(len(chosen), len(seeds)),
        )
        return True

    def leave(self) -> None:
        """Teach and ask no more."""
        self._asked = False
        self._backend.remember(SEED_EXAMPLES, [])

    def _about(self, seeds: list[str], others: list[str]) -> list[str]:
        """The seeds that the words are as like as other pages, if most of them are."""
        if not others:
            return []
        words = load_topic_model(self._config.topic_model, self._config.vectors)
        teach(words, self._config.topic, [])
        of_seeds, of_others = (
            [judged(words, page_of(text)).similarity for text in texts] for texts in (seeds, others)
        )
        if share_above(of_seeds, of_others) < AGREE:
            return []
        usual = median(of_others)
        # Where nothing says any of the words, a seed is no worse than the rest and about nothing.
        return [text for text, value in zip(seeds, of_seeds, strict=True) if 0 < value >= usual]


def share_above(values: Sequence[float], others: Sequence[float]) -> float:
    """Share of the pairs in which a value is above another one; equal ones count half."""
    above = sum((value > other) + 0.5 * (value == other) for value in values for other in others)
    return above / (len(values) * len(others))
