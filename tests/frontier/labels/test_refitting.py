"""When the topic model is shown what was fetched, with what, and that a resumed crawl goes on."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from frontier.backend.backend import LinkRankBackend
from frontier.config import CrawlConfig
from frontier.labels.learning import Refitting
from frontier.records import Page, VisibleText
from frontier.states import Mark, State
from frontier.store.schema import EXAMPLES, LABELLED, TOPIC
from frontier.topic.relevance import plain_link
from frontier.topic.samples import FIRST_REFIT, lot_of
from frontier.verdict import Verdict
from ranking.topics import TfidfTopic
from tests.support.answers import lease_of
from tests.support.driven_crawl import FETCHED


class Noting(TfidfTopic):
    """Notes what it is shown."""

    def __init__(self) -> None:
        super().__init__("off")
        self.shown: list[tuple[list[str], list[str]]] = []
        self.fit("comet", [])

    def contrast(
        self,
        topic: str,
        wanted: Sequence[str],
        unwanted: Sequence[str],
        fetched: Sequence[str],
    ) -> bool:
        self.shown.append((list(wanted), list(fetched)))
        return True

    def state(self) -> dict[str, Any]:
        return {"shown": len(self.shown)}


class Crawled:
    """A backend that is told that pages were fetched, and what watches it."""

    def __init__(self, directory: Path) -> None:
        config = CrawlConfig(topic="comet", directory=directory)
        self.backend = LinkRankBackend(config)
        self.refitting = Refitting(self.backend, config)
        for number in range(80):
            url = f"http://a.example/{number}"
            self.backend.add_seeds([plain_link(url, number, url, 0)])
        self.backend.commit()

    def page(self, url_id: int, model: TfidfTopic, **facts: Any) -> bool:
        known = {"state": State.CRAWLED, "fetched": FETCHED, "relevance": 0.9, **facts}
        twin = known.pop("twin", None)
        page = Page(text=VisibleText(f"text {url_id}"), **known)
        lease = lease_of("http://a.example/", number=1, url_id=url_id, fingerprint=url_id)
        return self.refitting.fetched(lease, page, Verdict([], twin=twin), model)


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Number of pages in the graph, which a test may set."""
    count = [0]
    monkeypatch.setattr("ranking.graph.link_graph.LinkGraph.n_pages", property(lambda _: count[0]))
    return count


def test_model_is_shown_the_sample_first_after_a_few_pages_then_ever_more_rarely(
    tmp_path: Path, pages: list[int]
) -> None:
    crawl, model = Crawled(tmp_path), Noting()
    crawl.backend.remember(EXAMPLES, ["an example"])
    crawl.backend.remember(LABELLED, {"yes": {"7": "wanted"}, "no": {"8": "not"}})
    at = []
    for number in range(1, 80):
        pages[0] = number
        before = len(model.shown)
        crawl.page(number, model)
        at += [number] * (len(model.shown) - before)
    assert at == [15, 22, 33, 49, 73]
    wanted, fetched = model.shown[0]
    assert wanted == ["an example", "wanted"]
    assert fetched == [f"text {number}" for number in sorted(range(1, 16), key=lot_of)]
    assert crawl.backend.setting(TOPIC) == {"shown": 5}
    crawl.backend.close()


def test_resumed_crawl_shows_its_sample_when_the_first_would_have(
    tmp_path: Path, pages: list[int]
) -> None:
    crawl, model = Crawled(tmp_path), Noting()
    pages[0] = 20
    crawl.page(1, model)
    crawl.backend.close()
    crawl = Crawled(tmp_path)
    for pages[0] in (29, 30):
        crawl.page(pages[0], model)
    assert len(model.shown) == 2
    assert model.shown[1][1] == [f"text {number}" for number in sorted((1, 29, 30), key=lot_of)]
    crawl.backend.close()


def test_errors_unjudged_pages_and_pages_not_to_be_kept_are_no_sample(
    tmp_path: Path, pages: list[int]
) -> None:
    crawl, model = Crawled(tmp_path), Noting()
    crawl.page(1, model, state=State.ERROR)
    crawl.page(2, model, relevance=None)
    crawl.page(3, model, marks=Mark.NOINDEX)
    pages[0] = FIRST_REFIT
    crawl.page(4, model)
    assert model.shown == [([], ["text 4"])]
    crawl.backend.close()


class Fixed:
    """A model of somebody else, fitted once."""


def test_a_model_that_does_not_learn_in_a_crawl_is_left_alone(
    tmp_path: Path, pages: list[int]
) -> None:
    crawl = Crawled(tmp_path)
    pages[0] = FIRST_REFIT
    assert not crawl.page(1, Fixed())  # type: ignore[arg-type]
    assert crawl.backend.setting(TOPIC) is None
    crawl.backend.close()
