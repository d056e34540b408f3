"""When the topic model is shown what the crawl has fetched, and by which texts.

Examples are set against a random sample of the pages fetched so far, early and then ever more
rarely: after FIRST_REFIT pages, and again whenever there are half as many more. Each time what was
learned is stored with the crawl, so that a resumed one judges on as before; which pages those are
depends on nothing but the pages and their number.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from frontier import meta as key
from frontier.store.keys import CONTRASTED, EXAMPLES, LABELLED, TOPIC
from frontier.topic.samples import FIRST_REFIT, is_sample
from ranking.topics.judging import contrasted

if TYPE_CHECKING:
    from frontera.core.models import Request

    from frontier.backend.backend import LinkRankBackend
    from ranking.topics import TopicModel

GROWTH = 1.5
"""Times as many pages until the next time: a dozen times in the first 1,000 pages."""


class Refitting:
    """Keeps samples of what is fetched, and shows them to the topic model in time."""

    def __init__(self, backend: LinkRankBackend) -> None:
        self._backend = backend
        self._due = int(backend.setting(CONTRASTED) or FIRST_REFIT)

    def fetched(self, handed: Request, text: str, model: TopicModel | None) -> None:
        """Take in a page that was answered and told to the frontier."""
        facts = handed.meta[key.PAGE]
        if is_sample(facts):
            named = handed.meta[key.ID], handed.meta[key.FINGERPRINT]
            self._backend.samples.offer(*named, facts.relevance or 0.0, text)
        if model is not None and self._backend.driver.graph.n_pages >= self._due:
            self.show(model)

    def show(self, model: TopicModel) -> None:
        """Let the model learn from what there is now, and store what it learned."""
        backend = self._backend
        backend.commit()
        if contrasted(model, self._wanted(), backend.samples.at_random()):
            backend.remember(TOPIC, model.state())
        self._due = int(GROWTH * max(backend.driver.graph.n_pages, FIRST_REFIT))
        backend.remember(CONTRASTED, self._due)

    def _wanted(self) -> list[str]:
        labelled = self._backend.setting(LABELLED) or {}
        return [*(self._backend.setting(EXAMPLES) or []), *labelled.get("yes", {}).values()]
