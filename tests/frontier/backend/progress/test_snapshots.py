"""What a crawl writes down of how it does: what, how often, how much; it costs no order."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frontier.backend.progress import snapshots
from frontier.backend.progress.snapshots import EVERY, MOST, SHARE, Snapshots
from frontier.records import Lease
from frontier.refresh.blocks import blocks_of
from frontier.refresh.policy import RefreshPolicy
from frontier.store import StoreReader
from frontier.store.rows import SnapshotRow
from ranking.orders.base import Repricing
from tests.support.stored import stored_pages
from tests.support.watched import WatchedCrawl, small_watched_crawl, wide_web

FIRST = "http://host1.example/1"


@pytest.fixture(autouse=True)
def _small_portions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(snapshots, "_PORTION", 7)


def rows(directory: Path) -> list[SnapshotRow]:
    with StoreReader.open(directory) as reader:
        return reader.snapshots()


def figures(directory: Path) -> list[dict[str, Any]]:
    return [json.loads(row.figures) for row in rows(directory)]


def details(directory: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(rows(directory)[-1].details or "")
    return found


def test_a_row_holds_what_the_crawl_has_in_memory(tmp_path: Path) -> None:
    crawl = small_watched_crawl(tmp_path)
    crawl.snapshots.name_dead_hosts({"b.example": "it is dead"}.get)
    crawl.backend.ending = {"reason": "finished", "text": "All is fetched."}
    crawl.close()
    last = figures(tmp_path)[-1]
    assert last.pop("memory") > 10**6
    assert last == {
        "run": 0,
        "answers": 6,
        "known": 8,
        "queued": 2,
        "in_flight": 0,
        "pages": 3,
        "judged": 3,
        "relevant": 2,
        "recent": [2, 3],
        "failed": 2,
        "links": 10,
        "hosts": 3,
        "epoch": 0,
        "revisits": 0,
    }
    found = details(tmp_path)
    counts = {"pages": 1, "relevant": 1, "queued": 0, "in_flight": 0, "judged": 1, "dead": None}
    assert found["hosts"] == [
        {"host": "c.example", **counts, "queued": 2},
        {"host": "a.example", **counts},
        {"host": "b.example", **counts, "relevant": 0, "dead": "it is dead"},
    ]
    queue = found["queue"]
    assert (queue["by"], queue["edges"][0], queue["edges"][10], queue["edges"][20]) == (
        *("relevance", 0, 0.5, 1),
    )
    assert {at: n for at, n in enumerate(queue["counts"]) if n} == {2: 1, 10: 1}  # .125 and .5
    assert found["finish"] == {"reason": "finished", "text": "All is fetched."}
    assert (found["refresh"], found["reranks"]) == (None, [])
    assert found["remaining"] is None


def test_without_a_topic_the_queue_is_told_by_priority_and_seeds_are_left_out(
    tmp_path: Path,
) -> None:
    crawl = WatchedCrawl(tmp_path, wide_web(60, 3), strategy="opic")
    crawl.seed(FIRST)
    crawl.run(5)
    crawl.seed("http://host0.example/seed")
    crawl.close()
    queue = details(tmp_path)["queue"]
    queued = figures(tmp_path)[-1]["queued"]
    assert queue["by"] == "priority"
    assert sum(queue["counts"]) == queued - 1
    assert 0 <= queue["edges"][0] < queue["edges"][-1] <= 1  # the cash of all is 1
    assert details(tmp_path)["hosts"][0]["judged"] == 0


def test_only_the_last_row_has_details_and_each_run_goes_on_with_the_numbers(
    tmp_path: Path,
) -> None:
    small_watched_crawl(tmp_path).close()
    before = rows(tmp_path)
    crawl = WatchedCrawl(tmp_path, {}, strategy="bfs", topic="pages")
    crawl.run()
    crawl.close()
    after = rows(tmp_path)
    assert [row.number for row in after] == list(range(len(after)))
    assert len(after) > len(before) > 3
    assert [row.details is None for row in after] == [True] * (len(after) - 1) + [False]
    assert [row.figures for row in after[: len(before)]] == [row.figures for row in before]
    runs = [one["run"] for one in figures(tmp_path)]
    assert runs == [0] * len(before) + [1] * (len(after) - len(before))
    assert all(one.at <= other.at for one, other in pairwise(after))


def test_a_row_waits_for_its_time_for_a_commit_and_for_what_the_last_one_cost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    crawl = small_watched_crawl(tmp_path)
    now = 0.0
    own = Snapshots(crawl.backend, crawl.figures, crawl.config, lambda: now)
    crawl.backend.snapshots = own
    costs = 0.0
    ticks = iter(np.arange(0, 10**6))
    monkeypatch.setattr(snapshots.time, "perf_counter", lambda: next(ticks) * costs)

    def taken() -> int:
        crawl.backend.store.set_setting("something", now)
        crawl.backend.commit()
        return len(rows(tmp_path))

    before = taken()
    assert taken() == before  # not yet
    pauses = []
    for _ in range(300):
        began = now
        while taken() == before:
            now += 0.25
        before += 1
        pauses.append(now - began)
    assert pauses[0] == 0.25
    assert sorted(pauses) == pauses
    assert pauses[-1] == EVERY
    crawl.backend.commit()
    now += 100
    crawl.backend.commit()  # of nothing
    assert len(rows(tmp_path)) == before
    assert taken() == before + 1
    assert taken() == before + 1  # what happens now, and nothing after it, is told when it is time
    now += EVERY
    crawl.backend.commit()
    before += 2
    assert len(rows(tmp_path)) == before
    now += EVERY
    costs = 0.5
    assert taken() == before + 1
    now += 0.5 / SHARE - 1
    assert taken() == before + 1
    now += 1
    assert taken() == before + 2
    crawl.close()


def test_of_many_rows_the_older_half_is_thinned_and_the_last_ones_stay(tmp_path: Path) -> None:
    crawl = small_watched_crawl(tmp_path)
    crawl.backend.commit()
    for n in range(2 * MOST):
        crawl.snapshots.take()
        if n % 100 == 0:
            crawl.backend.commit()
            assert len(rows(tmp_path)) <= MOST
    crawl.close()
    numbers, n = [row.number for row in rows(tmp_path)], crawl.snapshots._numbers[-1]
    assert MOST / 2 < len(numbers) <= MOST
    assert (numbers[0], numbers[-1]) == (0, n)
    assert n > 2 * MOST
    assert numbers[-MOST // 2 :] == list(range(n + 1 - MOST // 2, n + 1))
    gaps = [two - one for one, two in pairwise(numbers)]
    assert gaps == sorted(gaps, reverse=True)
    assert [row.details for row in rows(tmp_path)].count(None) == len(numbers) - 1


def test_a_crawl_that_is_written_down_at_each_commit_keeps_its_order(tmp_path: Path) -> None:
    orders = {}
    for name in ("plain", "watched"):
        directory, fetched = tmp_path / name, []
        for _ in range(2):  # it is stopped, and goes on
            crawl = WatchedCrawl(
                directory, wide_web(200, 7), strategy="ppr", topic="pages", rerank_min_pages=5
            )
            if name == "plain":
                crawl.backend.snapshots = None
            crawl.seed(FIRST)
            crawl.run(40)
            fetched += crawl.fetched
            crawl.close()
        with StoreReader.open(directory) as reader:
            left = [(one.url_id, one.priority, one.rank, one.score) for one in stored_pages(reader)]
        orders[name] = fetched, left
    assert len(rows(tmp_path / "plain")) == 0
    assert len(rows(tmp_path / "watched")) > 80
    assert orders["plain"] == orders["watched"]
    assert len(set(orders["plain"][0])) == 80


def test_re_ranks_are_told_with_what_they_changed_at_the_top(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snapshots, "TOP", 7)
    crawl = WatchedCrawl(
        tmp_path, wide_web(400, 7), strategy="ppr", topic="pages", rerank_min_pages=5
    )
    queue, renew = crawl.backend.queue, crawl.backend.queue.renew
    changed = []

    def best() -> set[int]:
        ties = crawl.backend.ledger.fingerprint.array
        keys = {one: (-queue.columns.priorities[one], ties[one]) for one in queue.queued().tolist()}
        return set(sorted(keys, key=lambda one: keys[one])[:7])

    def watched(wanted: Repricing) -> None:
        before, epoch = best(), crawl.backend.driver.epoch
        renew(wanted)
        changed.append((epoch, len(best() - before) / 7))

    monkeypatch.setattr(queue, "renew", watched)
    crawl.seed(FIRST)
    crawl.run(100)
    crawl.close()
    told = details(tmp_path)["reranks"]
    assert [one["epoch"] for one in told] == list(range(1, crawl.figures.epoch + 1))
    by_epoch = dict(reversed(changed))  # the first of an epoch is that of its re-rank
    assert [one["changed"] for one in told] == [by_epoch[one["epoch"]] for one in told]
    assert len({one["changed"] for one in told}) > 1
    took = crawl.backend.driver.reranker.figures.seconds
    assert sum(one["seconds"] for one in told) == pytest.approx(took)
    again = WatchedCrawl(tmp_path, {}, strategy="ppr", topic="pages")
    again.close()
    assert details(tmp_path)["reranks"] == told


def test_fifty_hosts_that_hold_most_are_told(tmp_path: Path) -> None:
    crawl = WatchedCrawl(tmp_path, wide_web(500, 120), strategy="bfs", topic="pages")
    crawl.seed(FIRST)
    crawl.run(60)
    crawl.close()
    told = details(tmp_path)["hosts"]
    with StoreReader.open(tmp_path) as reader:
        loaded = reader.load()
    held = dict.fromkeys(loaded.host_names, 0)
    for host in loaded.hosts.tolist():
        held[loaded.host_names[host]] += 1
    sizes = [one["pages"] + one["queued"] + one["in_flight"] for one in told]
    assert len(told) == 50
    assert sizes == sorted(held.values(), reverse=True)[:50]
    assert all(held[one["host"]] >= size for one, size in zip(told, sizes, strict=True))


class ReadCrawl(WatchedCrawl):
    """Keeps what is needed to compare pages with what they are later."""

    def more_of(self, lease: Lease) -> dict[str, Any]:
        return {"blocks": blocks_of(lease.url)}


def test_of_pages_that_are_revisited_their_age_is_told(tmp_path: Path) -> None:
    refresh = RefreshPolicy("auto", least=1.0, most=10.0)
    crawl = ReadCrawl(tmp_path, wide_web(30, 3), strategy="bfs", topic="t", refresh=refresh)
    crawl.seed(FIRST)
    crawl.run(8)
    crawl.close()
    told = details(tmp_path)["refresh"]
    assert told["pages"] == figures(tmp_path)[-1]["pages"] > 3
    ages = [told[f"age_{name}"] for name in ("first_quartile", "median", "third_quartile")]
    assert [0, *ages, told["age_oldest"]] == sorted([0, *ages, told["age_oldest"]])
    assert 0 <= told["up_to_date"] <= 1


KILLED = """
import os, sys
from pathlib import Path
from tests.support.watched import small_watched_crawl
crawl = small_watched_crawl(Path(sys.argv[1]))
os.kill(os.getpid(), 9)
"""


def test_rows_of_a_process_that_is_killed_stay_and_the_next_run_goes_on(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path)],
        cwd=Path(__file__).parents[4],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[4])},
        check=False,
        timeout=60,
    )
    assert done.returncode == -9
    killed = rows(tmp_path)
    assert len(killed) > 3
    assert json.loads(killed[-1].details or "")["finish"] is None
    crawl = small_watched_crawl(tmp_path)
    crawl.close()
    after = rows(tmp_path)
    assert after[: len(killed) - 1] == killed[:-1]
    assert [one["run"] for one in figures(tmp_path)][-1] == 1
