"""A killed process loses what it had not committed, and nothing that it had."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from frontier.records import Sample
from frontier.states import State
from frontier.store import Store, StoreReader
from tests.support.states import states_of

CRAWL = """
import os, sys
from pathlib import Path
import numpy as np
from frontier.states import State
from frontier.store import Store
from frontier.records import LinkArrays, PageRow, Sample
from frontier.store.rows import LeaseRow, stored_features

# Two URLs are found by each page; every page is committed together with the lease of the next.
store = Store.open(Path(sys.argv[1]))
loaded = store.load()
host = store.add_host("a.example")
next_id = len(loaded.fingerprints)
if next_id == 0:
    store.add_urls([(0, 0, "u0", None, host, 0, 1.0, None, None, 0, 0)])
    next_id = 1
waiting = np.flatnonzero(loaded.states == State.QUEUED).tolist() or [0]
lease_number = loaded.next_lease_number
while True:
    url_id = waiting.pop(0)
    attempts = loaded.attempts.get(url_id, 0) + 1
    features = np.float32([url_id, 0.5])
    about = {"priority": 0.5, "score": None, "rank": 1, "features": stored_features(features)}
    store.lease(LeaseRow(url_id, None, lease_number, 1.0, attempts, **about))
    lease_number += 1
    store.commit()
    print("leased", url_id, flush=True)
    found = [next_id, next_id + 1]
    next_id += 2
    rows = [(one, one, f"u{one}", None, host, 0, 1.0, url_id, None, 0, 0) for one in found]
    store.add_urls(rows)
    waiting += found
    matches = np.full((2, 6), url_id % 256, np.uint8)
    ids, predicted, flags = np.array(found, np.int32), np.ones(2, np.float32), np.zeros(2, np.uint8)
    links = LinkArrays(ids, predicted, flags, None, matches, ("a", "b"))
    row = {"relevance": 0.5, "similarity": url_id / 1e6, "rank": 1, "features": features}
    store.page(PageRow(url_id=url_id, state=State.CRAWLED, fetched=1.0, links=links, **row))
    store.keep_sample(Sample(url_id, 0.5, f"text {url_id}"))
    store.drop_sample(url_id - 3)
    print("answered", url_id, flush=True)
"""


def crawl_and_kill(directory: Path, n_lines: int) -> list[list[str]]:
    """Run a crawl, kill it after so many lines of its output, and return all it printed."""
    command = [sys.executable, "-c", CRAWL, str(directory)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        lines = [process.stdout.readline() for _ in range(n_lines)]
        process.send_signal(signal.SIGKILL)
        lines += process.stdout.readlines()
    assert process.returncode == -signal.SIGKILL
    return [line.split() for line in lines if line.endswith("\n")]


@pytest.mark.parametrize("n_lines", [1, 2, 61])
def test_after_kill_9_each_url_is_in_one_state_and_the_leased_are_queued(
    tmp_path: Path, n_lines: int
) -> None:
    said = crawl_and_kill(tmp_path, n_lines)
    leased = [int(line[1]) for line in said if line[0] == "leased"]
    with StoreReader.open(tmp_path) as reader:
        in_flight = [lease.url_id for lease in reader.leases()]
        assert len(in_flight) == 1
        assert reader.leases()[0].features == np.float32([in_flight[0], 0.5]).tobytes()
        assert states_of(reader)[in_flight[0]] is State.LEASED
    with Store.open(tmp_path) as store:
        loaded = store.load()
        # The last lease may have been committed without having been printed.
        assert in_flight[0] in (leased[-1], leased[-1] + 1)
        n_pages = in_flight[0]
        assert loaded.pages.ids.tolist() == list(range(n_pages))
        assert loaded.pages.links.targets.tolist() == list(range(1, 2 * n_pages + 1))
        assert len(loaded.fingerprints) == 2 * n_pages + 1
        expected = [State.CRAWLED] * n_pages + [State.QUEUED] * (n_pages + 1)
        assert loaded.states.tolist() == expected
        assert [lease.url_id for lease in loaded.leases] == in_flight
        assert loaded.attempts == {in_flight[0]: 1}
        assert store.leases() == []
        check_what_was_learned(store, n_pages)


def check_what_was_learned(store: Store, n_pages: int) -> None:
    """Each page is there with all that it said, and the samples are those of the last pages."""
    updates = list(store.updates(0, n_pages))
    assert [one.url_id for one in updates] == list(range(n_pages))
    for one in updates:
        assert one.judged
        assert one.similarity == one.url_id / 1e6
        assert one.features is not None
        assert one.features.tolist() == [one.url_id, 0.5]
        assert one.links.matches is not None
        assert set(one.links.matches.flat) == {one.url_id % 256}
    last = range(max(0, n_pages - 3), n_pages)
    assert store.samples() == [Sample(page, 0.5, f"text {page}") for page in last]


def test_crash_after_crash_the_crawl_goes_on_where_it_was(tmp_path: Path) -> None:
    for _ in range(3):
        crawl_and_kill(tmp_path, 20)
    with Store.open(tmp_path) as store:
        loaded = store.load()
        assert loaded.pages.ids.tolist() == list(range(len(loaded.pages.ids)))
        assert len(loaded.pages.ids) >= 27
        check_what_was_learned(store, len(loaded.pages.ids))
        assert list(loaded.attempts) == [len(loaded.pages.ids)]
    with StoreReader.open(tmp_path) as reader:
        assert reader.leases() == []
        counts = {State.CRAWLED: len(loaded.pages.ids), State.QUEUED: len(loaded.pages.ids) + 1}
        assert Counter(states_of(reader)) == counts
