"""What labels change in a running crawl, and that a resumed one finds it changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from frontier.labels.label_file import Label, LabelFile, append_labels
from frontier.labels.learning import Relearning
from frontier.store import StoreReader
from ranking.errors import TopicError
from tests.support.driven_crawl import NEXT, WEB, A, B, C, DrivenCrawl, Page, small_crawl


class Bag:
    """A topic model that remembers what it was fitted to."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def fit(self, topic: str, examples: Sequence[str]) -> None:
        self.seen = [topic, list(examples)]

    def relevance(self, text: str, title: str = "") -> float:
        return float(text in self.seen[1])

    def predict(self, anchor: str, context: str, url: str) -> float:
        return 0.0

    def predict_links(self, links: Sequence[tuple[str, str, str]]) -> list[float]:
        return [0.0 for _ in links]

    def state(self) -> dict[str, Any]:
        return {"seen": self.seen}

    def restore(self, state: dict[str, Any]) -> None:
        self.seen = state["seen"]


MODEL = f"{__name__}.Bag"


def crawl_of(directory: Path, strategy: str = "fc-mean") -> DrivenCrawl:
    """A, B and C are fetched, their texts kept; NEXT and LATER wait."""
    crawl = DrivenCrawl(directory, WEB, strategy=strategy, topic="pages", topic_model=MODEL)
    crawl.seed(A)
    while not {A, B, C} <= set(crawl.fetched):
        assert crawl.step()
    offer(crawl, A, B, C)
    return crawl


def offer(crawl: DrivenCrawl, *urls: str) -> None:
    for url in urls:
        page = id_of(crawl, url)
        relevance = float(crawl.backend.driver.evidence.relevance[page])
        crawl.backend.samples.offer(page, page, relevance, f"text of {url}")


def id_of(crawl: DrivenCrawl, url: str) -> int:
    return crawl.backend.ledger.find([crawl.backend._identify(url)])[0]


def relearning_of(crawl: DrivenCrawl) -> Relearning:
    directory = crawl.backend.directory
    return Relearning(crawl.backend, LabelFile(directory), crawl.backend._identify)


def say(crawl: DrivenCrawl, **said: bool) -> None:
    urls = {"a": A, "b": B, "c": C, "next": NEXT}
    append_labels(crawl.backend.directory, [Label(urls[k], v) for k, v in said.items()])


def relevance(crawl: DrivenCrawl, *urls: str) -> list[float]:
    return [float(crawl.backend.driver.evidence.relevance[id_of(crawl, url)]) for url in urls]


def waiting(crawl: DrivenCrawl) -> dict[str, float]:
    backend = crawl.backend
    backend.queue.end_turn()  # as whoever asks for the next one does
    ids = backend.queue.queued().tolist()
    return {backend.url(one): float(backend.queue._pool._columns.priorities[one]) for one in ids}


def test_labelled_pages_have_the_relevance_people_say(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    relearning, before = relearning_of(crawl), waiting(crawl)
    assert not relearning.apply_labels()
    assert relevance(crawl, A, B, C) == [0.75, 0.25, 0.5]
    say(crawl, c=True, a=False)
    assert relearning.apply_labels()
    assert relevance(crawl, A, B, C) == [0, 0.25, 1]
    # C links to NEXT, which is therefore worth more at once.
    assert waiting(crawl)[NEXT] > before[NEXT]
    crawl.close()
    with StoreReader.open(tmp_path) as reader:
        assert reader.page_row(id_of(crawl, C)).relevance == 1  # type: ignore[union-attr]  # it was fetched


def test_a_resumed_crawl_has_learned_it(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    say(crawl, c=True, a=False)
    relearning_of(crawl).apply_labels()
    expected = waiting(crawl)
    crawl.close()
    resumed = DrivenCrawl(tmp_path, WEB, **vars_of(crawl))
    assert relevance(resumed, A, B, C) == [0, 0.25, 1]
    assert waiting(resumed) == expected
    assert sorted(resumed.backend.relevance_so_far) == [0, 0.25, 1]
    resumed.close()


def vars_of(crawl: DrivenCrawl) -> dict[str, Any]:
    names = ("strategy", "topic", "topic_model")
    return {name: getattr(crawl.config, name) for name in names}


def test_graph_and_evidence_are_those_of_a_crawl_that_judged_so(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path / "labelled", "bfs")
    say(crawl, c=True, a=False)
    relearning_of(crawl).apply_labels()
    told = {A: 0.0, C: 1.0}
    web = {**WEB, **{url: replace(WEB[url], relevance=value) for url, value in told.items()}}
    judged = DrivenCrawl(tmp_path / "judged", web, strategy="bfs", topic="pages")
    judged.seed(A)
    judged.run(len(crawl.fetched))
    assert judged.fetched == crawl.fetched
    # Not of C: a redirect vouches for it with what was thought of A when it was followed.
    for one in (A, B, NEXT):
        here, there = id_of(crawl, one), id_of(judged, one)
        for name in ("in_links", "parent_sum", "relevance", "fetched"):
            ours = getattr(crawl.backend.driver.evidence, name)[here]
            assert ours == getattr(judged.backend.driver.evidence, name)[there]
    crawl.close()
    judged.close()


def test_the_topic_is_learned_from_kept_texts_and_stored(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    crawl.backend.remember("example texts", ["an example"])
    relearning = relearning_of(crawl)
    assert relearning.renewed(crawl.config) is None
    say(crawl, c=True, a=False)
    model = relearning.renewed(crawl.config)
    assert model is not None
    assert model.seen == ["pages", ["an example", f"text of {C}"]]  # type: ignore[attr-defined]  # a Bag
    assert crawl.backend.setting("topic state") == model.state()
    crawl.close()


def test_a_model_that_cannot_learn_leaves_the_crawl_the_one_it_has(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = crawl_of(tmp_path)
    relearning = relearning_of(crawl)
    say(crawl, c=True)

    def failing(*_: object) -> None:
        raise TopicError("no words")

    monkeypatch.setattr(relearning, "relearned", failing)
    assert relearning.renewed(crawl.config) is None
    crawl.close()


def test_labels_that_were_learned_are_not_learned_again(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    relearning = relearning_of(crawl)
    say(crawl, c=True)
    assert relearning.apply_labels()
    again = relearning_of(crawl)
    assert again.apply_labels(), "a crawl that died before it had learned learns when it goes on"
    again.relearned(crawl.config)
    assert not relearning_of(crawl).apply_labels()
    say(crawl, c=False)
    assert again.apply_labels()
    assert again.relearned(crawl.config).seen == ["pages", []]  # type: ignore[attr-defined]
    crawl.close()


def test_a_label_waits_for_its_page(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    relearning = relearning_of(crawl)
    say(crawl, next=True)
    assert not relearning.apply_labels()
    crawl.web = {**WEB, NEXT: Page(relevance=0.125)}
    crawl.run()
    assert relevance(crawl, NEXT) == [0.125]
    assert not relearning.apply_labels(), "no text of it was kept"
    assert relevance(crawl, NEXT) == [1]
    crawl.close()


@pytest.mark.parametrize("strategy", ["apprentice", "topic-ppr", "opic", "fc-mean", "bfs"])
def test_every_order_takes_a_correction(tmp_path: Path, strategy: str) -> None:
    crawl = small_crawl(tmp_path, strategy=strategy, rerank_min_pages=1)
    say(crawl, a=False, b=True)
    relearning_of(crawl).apply_labels()
    crawl.run()
    assert relevance(crawl, A, B) == [0, 1]
    crawl.close()
