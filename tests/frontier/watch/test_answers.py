"""Answers read a little at a time say what a pass over all of them says."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from frontier.records import PageRecord
from frontier.states import State
from frontier.store import Store, StoreReader
from frontier.watch import answers
from frontier.watch.answers import Answers, best_places
from tests.support.states import put_url

URLS = 40
REASONS = {State.ERROR: "HTTP 404", State.ROBOTS: "forbidden by robots.txt", State.TRAP: "trap"}


def answered(directory: Path, n: int) -> list[PageRecord]:
    """Answers of chance to some URLs, often the same ones, on four hosts."""
    chance = np.random.default_rng(5)
    states = (State.CRAWLED, State.CRAWLED, State.ERROR, State.ROBOTS, State.TRAP, State.REDIRECTED)
    pages = []
    with Store.open(directory) as store:
        hosts = [store.add_host(f"host{number}.example") for number in range(4)]
        for url_id in range(URLS):
            put_url(store, url_id, url_id, f"http://u/{url_id}", host=hosts[url_id % 4])
        for _ in range(n):
            state = states[chance.integers(len(states))]
            relevance = float(chance.integers(9)) / 8 if state is State.CRAWLED else None
            page = PageRecord(
                url_id=int(chance.integers(URLS)),
                state=state,
                error=REASONS.get(state),
                relevance=relevance if chance.random() < 0.9 else None,
            )
            store.page(page)
            pages.append(page)
    return pages


@pytest.mark.parametrize("portion", [1, 7, 500])
def test_only_the_last_answer_of_a_url_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, portion: int
) -> None:
    monkeypatch.setattr(answers, "_PORTION", portion)
    pages = answered(tmp_path, 150)
    found = Answers()
    with StoreReader.open(tmp_path) as reader:
        found.read(reader, 0.0)
        assert len(found) == min(portion, 150)
        found.read(reader, 60.0)
        assert len(found) == 150
        found.read(reader, 60.0)
    last = {page.url_id: page for page in pages}
    fetched = [page for page in last.values() if page.state is State.CRAWLED]
    judged = [page for page in fetched if page.relevance is not None]
    failed = [page for page in last.values() if page.state in (State.ERROR, State.ROBOTS)]
    assert found.counts(0.5) == {
        "pages": len(fetched),
        "judged": len(judged),
        "relevant": sum((page.relevance or 0) >= 0.5 for page in judged),
        "failed": len(failed),
    }
    reasons = Counter(page.error or "" for page in failed)
    assert {one["reason"]: one["count"] for one in found.errors(9)} == reasons
    assert [one["count"] for one in found.errors(1)] == [max(reasons.values())]
    newest = [page.url_id for page in pages if last[page.url_id] is page]
    are_pages = {page.url_id for page in fetched}
    of_host = [one for one in newest if one in are_pages and one % 4 == 2]
    assert found.ids(found.pages(2)).tolist() == of_host
    best = found.best(found.pages(), 5)
    values = sorted((page.relevance for page in judged if page.relevance is not None), reverse=True)
    assert found.relevance(best).tolist() == values[:5]


def test_the_greatest_values_come_first_and_of_equal_ones_the_later() -> None:
    values = np.array([1.0, 3.0, 2.0, 3.0, 0.0])
    assert best_places(values, 3).tolist() == [3, 1, 2]
    assert best_places(values, 9).tolist() == [3, 1, 2, 0, 4]
    assert best_places(values[:0], 3).tolist() == []


def test_reasons_without_end_are_counted_together(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(answers, "_MOST_REASONS", 1)
    answered(tmp_path, 150)
    found = Answers()
    with StoreReader.open(tmp_path) as reader:
        found.read(reader, 60.0)
    assert len(found.errors(9)) == 1
    assert found.errors(9)[0]["count"] == found.counts(0.5)["failed"]
