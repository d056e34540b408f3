from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier.errors import LabError, StoreError
from frontier.lab.past_crawl import AS_JUDGED, RECORDED, open_past_crawl, recorded_plan
from frontier.lab.protocol.labels import Labels
from frontier.lab.protocol.planning import Protocol
from frontier.lab.replay.contestants import Setup
from frontier.lab.replay.crawl import replay
from frontier.lab.replay.simulated_fetcher import Retries
from frontier.lab.replay.web import Kind
from frontier.lab.replay.webfile import WebFile
from tests.support import driven_crawl as driven

ROWS = Protocol(strategies=("bfs", "best-first"), budget=20, draws=2, fewest_targets=1)


@pytest.fixture
def past(tmp_path: Path) -> Iterator[WebFile]:
    driven.small_crawl(tmp_path / "crawl").close()
    with open_past_crawl(tmp_path / "crawl", tmp_path / "cache") as web:
        yield web


def test_a_crawl_is_read_once_until_it_goes_on(tmp_path: Path) -> None:
    driven.small_crawl(tmp_path / "crawl").close()
    paths = []
    for _ in range(2):
        with open_past_crawl(tmp_path / "crawl", tmp_path / "cache") as web:
            paths.append(web.path)
    crawl = driven.DrivenCrawl(tmp_path / "crawl", driven.WEB, strategy="bfs", topic="pages")
    crawl.step()
    with open_past_crawl(tmp_path / "crawl", tmp_path / "cache") as web:
        paths.append(web.path)
    crawl.close()
    assert paths[0] == paths[1] != paths[2]


def test_answers_are_those_the_crawl_had(past: WebFile) -> None:
    kinds = {url: Kind(int(past.kinds[past.find(url)])) for url in past.urls}

    assert kinds == {
        driven.A: Kind.PAGE,
        driven.B: Kind.PAGE,
        driven.C: Kind.PAGE,
        driven.OLD: Kind.REDIRECT,
        driven.GONE: Kind.FAILED,
        driven.CLOSED: Kind.FAILED,
        driven.NEXT: Kind.UNKNOWN,
        driven.LATER: Kind.UNKNOWN,
    }
    page = past.read(past.find(driven.C))
    assert (page.relevance, page.content.title) == (0.5, "Page C")
    assert [past.urls[one] for one in page.links] == [driven.NEXT, driven.LATER, driven.B]
    assert [link.nofollow for link in page.content.links] == [False, True, False]
    assert page.content.links[0].anchor == f"to {driven.NEXT}"
    assert page.content.links[0].zone == driven.zone_of(driven.NEXT)
    assert past.urls[past.read(past.find(driven.OLD)).location] == driven.C


def test_the_same_order_walks_as_the_crawl_did(past: WebFile, tmp_path: Path) -> None:
    crawl = driven.small_crawl(None)
    crawl.run()
    crawl.close()
    plan = recorded_plan(past, None, ROWS)
    record = replay(plan.tasks[0], past, Setup(retries=Retries(0)))

    assert plan.tasks[0].key[1:] == (RECORDED, AS_JUDGED, 0, "bfs")
    # NEXT and LATER were never fetched: in the crawl they answered 404.
    assert [past.urls[one] for one in record.urls] == crawl.fetched
    assert record.outcomes.count("n") == 2


def test_without_labels_the_targets_are_what_the_crawl_judged_relevant(past: WebFile) -> None:
    plan = recorded_plan(past, None, ROWS)

    assert {task.targets for task in plan.tasks} == {frozenset({driven.A, driven.C})}
    assert {task.seeds for task in plan.tasks} == {(driven.A,)}
    assert len(plan.tasks) == 4


def test_labels_say_what_is_worth_finding(past: WebFile) -> None:
    labels = Labels({"b": (driven.B, driven.OLD), "never fetched": (driven.NEXT,)})
    plan = recorded_plan(past, labels, ROWS)

    assert {task.topic for task in plan.tasks} == {"b"}
    assert plan.tasks[0].targets == frozenset({driven.B, driven.C})
    assert [one.topic for one in plan.dropped] == ["never fetched"]


def test_judgements_are_those_recorded_whatever_the_topic(past: WebFile) -> None:
    plan = recorded_plan(past, None, ROWS)
    best_first = next(task for task in plan.tasks if task.strategy == "best-first")

    assert replay(best_first, past, Setup()).outcomes.count("h") == 2


def test_nothing_to_find_is_an_error(past: WebFile) -> None:
    with pytest.raises(LabError, match="expected relevant pages"):
        recorded_plan(past, Labels({"x": (driven.NEXT,)}), ROWS)
    with pytest.raises(LabError, match="fetched none"):
        recorded_plan(past, None, Protocol(("bfs",), seeds=("http://other.example/",)))


def test_a_crawl_without_a_topic_needs_labels(tmp_path: Path) -> None:
    driven.small_crawl(tmp_path / "crawl", topic="").close()
    with open_past_crawl(tmp_path / "crawl", tmp_path / "cache") as past:
        with pytest.raises(LabError, match="--topics"):
            recorded_plan(past, None, ROWS)
        assert recorded_plan(past, Labels({"b": (driven.B,)}), ROWS).tasks


def test_a_directory_without_a_crawl_is_refused(tmp_path: Path) -> None:
    with pytest.raises(StoreError):
        open_past_crawl(tmp_path, tmp_path / "cache")
    assert not (tmp_path / "cache").exists()
