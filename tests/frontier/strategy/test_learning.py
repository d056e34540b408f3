"""What an order learns from a crawl: at the lease, with the page, and again after a crash."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frontier.states import State
from frontier.store import StoreReader
from frontier.store.rows import features_of
from ranking import orders
from tests.support.driven_crawl import DrivenCrawl, Page, zone_of
from tests.support.learning import Learner, learned, learning_crawl, web
from tests.support.stored import stored_pages, stored_urls

ROOT = Path(__file__).resolve().parents[3]
A, B, C, D, E = (f"http://{name}.example/" for name in "abcde")
TOPIC = {"topic": "pages", "strategy": "topic-ppr"}


@pytest.fixture(autouse=True)
def _orders_of_these_tests_are_no_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(orders, "ORDERS", dict(orders.ORDERS))


def columns(directory: Path, *names: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(directory / "frontier.sqlite")) as connection:
        query = f"SELECT url, {', '.join(names)} FROM pages JOIN urls USING (id) ORDER BY seq"
        return connection.execute(query).fetchall()


def updates_told(order: Learner) -> list[tuple[Any, ...]]:
    return list(order.told)


def killed(*crawls: tuple[Path, str, int]) -> None:
    """Crawl in each directory, by that order, so many steps, in a process that is killed then."""
    code = f"""
import os, signal, sys
sys.path.insert(0, {str(ROOT)!r})
from pathlib import Path
import numpy as np
from tests.support.learning import learned, learning_crawl
open_crawls = []
for directory, name, steps in {[(str(directory), *rest) for directory, *rest in crawls]!r}:
    crawl = learning_crawl(Path(directory), name)
    crawl.run(steps)
    crawl.lease_next()
    np.savez(directory + ".npz", **learned(crawl.backend.driver.order))
    open_crawls.append(crawl)
os.kill(os.getpid(), signal.SIGKILL)
"""
    done = subprocess.run([sys.executable, "-c", code], check=False, timeout=100)
    assert done.returncode == -9


def resumed(directory: Path, name: str) -> DrivenCrawl:
    """The crawl that was killed, open again: its order has learned the same."""
    with np.load(f"{directory}.npz") as arrays:
        expected = dict(arrays)
    crawl = learning_crawl(directory, name)
    found = learned(crawl.backend.driver.order)
    assert found.keys() == expected.keys() != set()
    for part, values in found.items():
        np.testing.assert_array_equal(values, expected[part], err_msg=part)
    return crawl


NAMES = ("learner", "eager-learner", "thorough-learner", "apprentice")
STEPS = (0, 1, 9, 40, 70)


@pytest.fixture(scope="module")
def killed_crawls(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of crawls by each order that were killed after so many steps."""
    folder = tmp_path_factory.mktemp("killed")
    killed(*((folder / f"{name} {steps}", name, steps) for name in NAMES for steps in STEPS))
    return folder


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("steps", STEPS)
def test_killed_and_resumed_an_order_has_learned_exactly_the_same(
    killed_crawls: Path, name: str, steps: int
) -> None:
    crawl = resumed(killed_crawls / f"{name} {steps}", name)
    driver = crawl.backend.driver
    assert driver.order.pages_seen == driver.graph.n_pages
    crawl.run()
    assert crawl.backend.finished()
    crawl.close()


def test_killed_again_and_again_a_crawl_goes_on_learning(tmp_path: Path) -> None:
    for _ in range(3):
        killed((tmp_path / "crawl", "learner", 15))
    resumed(tmp_path / "crawl", "learner").close()


def test_a_judged_page_is_learned_from_once_before_its_links_with_its_row(tmp_path: Path) -> None:
    crawl = learning_crawl(tmp_path, "learner")
    crawl.run()
    told = updates_told(crawl.backend.driver.order)  # type: ignore[arg-type]
    crawl.close()
    pages = web()
    with StoreReader.open(tmp_path) as reader:
        rows = {row.url_id: row for row in stored_pages(reader)}
        urls = [row.url for row in stored_urls(reader)]
        seeds = {row.url_id for row in stored_urls(reader) if row.seed}
    fetched = [what[1] for what in told if what[0] == "page"]
    assert [what[1] for what in told if what[0] == "learn"] == [
        page for page in fetched if rows[page].state is State.CRAWLED
    ]
    assert any(rows[page].state is State.REDIRECTED for page in fetched)
    for before, after in pairwise(told):
        if before[0] == "learn":
            assert after[:2] == ("page", before[1])
            page = rows[before[1]]
            features = features_of(page.features)
            assert before[2] == (None if features is None else features.tolist())
            assert (before[1] in seeds) == (features is None)
            assert before[3] == pages[urls[before[1]]].relevance == page.relevance
            assert after[3] == pages[urls[before[1]]].similarity == page.similarity


def test_resumed_updates_are_those_that_were_told_refetched_pages_too(tmp_path: Path) -> None:
    crawl = learning_crawl(tmp_path / "crawl", "learner", rerank_min_pages=1000)
    crawl.run(20)
    crawl.ask(crawl.fetched[3], again=True, priority_class=9)
    crawl.run(20)
    assert crawl.fetched.count(crawl.fetched[3]) == 2
    told = updates_told(crawl.backend.driver.order)  # type: ignore[arg-type]
    crawl.backend.commit()
    crawl.backend.store._resources.pop_all()  # a process that is killed gives nothing back
    copy = tmp_path / "copy"
    copy.mkdir()
    with (
        closing(sqlite3.connect(tmp_path / "crawl" / "frontier.sqlite")) as source,
        closing(sqlite3.connect(copy / "frontier.sqlite")) as target,
    ):
        source.backup(target)
    resumed = learning_crawl(copy, "learner", rerank_min_pages=1000)
    assert updates_told(resumed.backend.driver.order) == told  # type: ignore[arg-type]
    resumed.close()


@pytest.mark.parametrize("name", ["learner", "eager-learner", "thorough-learner"])
def test_what_is_fetched_next_is_best_by_what_has_been_learned_where_that_is_asked(
    tmp_path: Path, name: str
) -> None:
    crawl = learning_crawl(tmp_path, name)
    strategy, stale = crawl.backend.driver, 0
    for _ in range(60):
        lease = crawl.lease_next()
        assert lease is not None
        could_leave = np.append(crawl.backend.queue.queued(), lease.url_id)
        best = strategy.priorities(could_leave).max()
        stale += lease.priority != best
        crawl.answer(lease)
    assert (stale > 0) == (name == "learner")
    crawl.close()


def test_a_leased_notes_how_many_better_urls_waited_for_their_hosts(tmp_path: Path) -> None:
    links = Page({B: 0.0, C: 0.0, f"{C}1": 0.0, f"{C}2": 0.0, D: 0.0})
    crawl = DrivenCrawl(tmp_path, {A: links}, strategy="bfs")
    crawl.seed(A)
    crawl.step()
    lease = [
        *crawl.take(1),
        *crawl.take(1, room=lambda slot: slot != "c.example"),
        *crawl.take(1),
    ]
    assert [one.url for one in lease] == [B, D, C]
    assert [one.rank for one in lease] == [1, 4, 1]
    with StoreReader.open(tmp_path) as reader:
        assert [lease.rank for lease in reader.leases()] == [1, 4, 1]
    for one in lease:
        crawl.answer(one)
    crawl.close()
    assert columns(tmp_path, "rank") == [(A, 1), (B, 1), (D, 4), (C, 1)]


def test_links_of_the_topic_hand_on_more_live_and_on_resume(tmp_path: Path) -> None:
    matches = {B: (255, 0, 0), C: (0, 0, 0), D: (0, 128, 0), E: (0, 0, 255)}
    pages = {A: Page({B: 0.5, C: 0.5, D: 0.5, E: 0.5}, 1.0, matches=matches)}
    for weight, expected in ((2.0, [2, 1, 2, 1]), (1.0, [1, 1, 1, 1])):
        directory = tmp_path / str(weight)
        crawl = DrivenCrawl(directory, pages, **TOPIC, topical_weight=weight)
        crawl.seed(A)
        crawl.step()
        for graph in (crawl.backend.driver.graph, _resumed_graph(crawl, directory, pages)):
            weights = graph.links(0)[1]
            given = [1] * 4 if weights is None else weights.tolist()
            assert given == expected


def _resumed_graph(crawl: DrivenCrawl, directory: Path, pages: dict[str, Page]) -> Any:
    weight = crawl.config.topical_weight
    crawl.close()
    again = DrivenCrawl(directory, pages, **TOPIC, topical_weight=weight)
    again.close()
    return again.backend.driver.graph


def test_a_redirect_hands_on_what_was_promised_of_it_and_what_its_parents_are_worth(
    tmp_path: Path,
) -> None:
    pages = {
        A: Page({B: 0.5}, 0.75, matches={B: (10, 200, 0)}, similarity=0.25),
        C: Page({B: 0.25}, 0.25, matches={B: (30, 20, 0)}, similarity=0.5),
        B: Page(redirect=D),
    }
    crawl = DrivenCrawl(tmp_path, pages, topic="pages", strategy="bfs")
    crawl.seed(A, C)
    crawl.run(3)
    assert crawl.fetched == [A, C, B]
    evidence = crawl.backend.driver.evidence
    crawl.close()
    with StoreReader.open(tmp_path) as reader:
        *_, redirect = reader.updates(0, 9)
        target = int(redirect.links.targets[0])
        assert reader.urls_of([target]) == [D]
        zones = {row.url: row.zone for row in stored_urls(reader) if row.url in (B, D)}
    assert not redirect.judged
    assert (redirect.relevance, redirect.similarity) == (0.5, 0.5)
    assert redirect.links.matches is not None
    assert redirect.links.matches.tolist() == [[128, 0, 0, 0, 0, 0]]
    assert redirect.links.predicted.tolist() == [0.5]
    assert zones == dict.fromkeys((B, D), zone_of(B))
    assert evidence.parent_sum[target] == 0.5
    assert evidence.predicted[target] == 0.5


def test_what_a_seed_redirects_to_is_a_seed_also_when_it_was_known(tmp_path: Path) -> None:
    pages = {A: Page({D: 0.5}, 0.5), B: Page(redirect=D), C: Page(redirect=E)}
    crawl = DrivenCrawl(tmp_path, pages, topic="pages", strategy="best-first")
    crawl.seed(A, B, C)
    crawl.run(3)
    evidence = crawl.backend.driver.evidence
    assert np.flatnonzero(evidence.seed).tolist() == [0, 1, 2, 3, 4]
    crawl.close()
    crawl = DrivenCrawl(tmp_path, pages, topic="pages", strategy="best-first")
    assert crawl.backend.driver.evidence.seed.tolist() == evidence.seed.tolist()
    crawl.run()
    assert crawl.fetched == [D, E]
    crawl.close()


def test_a_crawl_without_a_topic_stores_nothing_of_all_this(
    tmp_path: Path,
) -> None:
    pages = {A: Page({B: 0.0, C: 0.0}), B: Page(redirect=D), C: Page({B: 0.0}), D: Page({A: 0.0})}
    crawl = DrivenCrawl(tmp_path, pages, strategy="ppr")
    crawl.seed(A)
    crawl.run()
    crawl.close()
    names = "similarity", "matches", "contexts", "features"
    assert {row[1:] for row in columns(tmp_path, *names)} == {(None,) * 4}
    assert columns(tmp_path, "hex(flags)")[0] == (A, "0000")
