"""A closed crawl goes on from what its parts left exactly as from its rows."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from frontier.backend.left_parts import left
from frontier.duplicates.policy import DuplicatePolicy
from frontier.store import Store, loading, url_columns
from frontier.store.url_columns import COLUMNS_NAME, Left
from tests.support.driven_crawl import DrivenCrawl, Page

HOSTS = [f"http://{name}.example/" for name in ("a", "b", "c")]
TEXTS = [" ".join(f"word{(7 * page + at * at) % 997}" for at in range(150)) for page in range(40)]
OPTIONS: dict[str, Any] = {"topic": "words", "rerank_min_pages": 4}


def url_of(number: int) -> str:
    return f"{HOSTS[number % 3]}{number}"


def page_of(number: int) -> Page:
    """A page of a web with copies, redirects, failures, canonical addresses and repeated words."""
    if number % 11 == 5:
        return Page(redirect=url_of(number + 3))
    if number % 13 == 7:
        return Page(error="timeout", status=0)
    targets = [url_of(one) for one in (2 * number + 1, 2 * number + 2, number // 2, number + 3)]
    return Page(
        dict.fromkeys(targets, number % 8 / 8),
        relevance=(number % 5) / 4,
        title=f"{number}",
        text=TEXTS[number % 30],
        cues=dict.fromkeys(targets, (number % 256, 200, 0)),
        canonical=url_of(number + 7) if number % 9 == 4 else None,
        nofollow=frozenset(targets[:1] if number % 4 == 1 else ()),
        anchors={targets[0]: "read more"},
    )


WEB = {url_of(number): page_of(number) for number in range(200)}


@pytest.fixture(autouse=True)
def small_crawls_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(url_columns, "LEAST", 1)


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    crawl = DrivenCrawl(tmp_path / "closed", WEB, **OPTIONS)
    crawl.seed(url_of(0))
    crawl.run(60)
    crawl.hand_out()  # in flight when the crawl is stopped
    crawl.close()
    return tmp_path / "closed"


def by_rows(closed: Path) -> Path:
    copy = closed.with_name("by rows")
    shutil.copytree(closed, copy)
    (copy / COLUMNS_NAME).unlink()
    return copy


def held(crawl: DrivenCrawl) -> dict[str, list[Any]]:
    """All that a start makes of the pages."""
    backend = crawl.backend
    found = left(
        backend._config,
        *(backend.ledger, backend.driver, backend._voices),
        *(backend.canonical_pages, backend.duplicates),
    )
    columns = {**found.parts, **found.urls._asdict(), "states": backend.ledger.state.array}
    columns["relevance"] = backend.relevance_so_far
    del columns["duplicates.tables"]  # where in a bucket a row stands tells nothing
    # The codes of weights are numbered as they come.
    columns["weights"] = columns.pop("graph.palette")[columns.pop("graph.codes")]
    return {name: array.tolist() for name, array in columns.items()}


def test_a_start_from_what_was_left_is_one_from_rows(
    closed: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from_rows = DrivenCrawl(by_rows(closed), WEB, **OPTIONS)
    monkeypatch.setattr(loading, "read_answers", None)  # no row of a page is read
    from_left = DrivenCrawl(closed, WEB, **OPTIONS)
    assert held(from_left) == held(from_rows)
    for crawl in (from_rows, from_left):
        crawl.run(60)
        crawl.close()
    assert len(from_rows.fetched) == 60
    assert from_left.fetched == from_rows.fetched


def test_what_was_left_for_other_settings_is_not_taken(closed: Path) -> None:
    other = OPTIONS | {"duplicates": DuplicatePolicy(remembered=3)}
    crawls = [DrivenCrawl(one, WEB, **other) for one in (by_rows(closed), closed)]
    one, same = map(held, crawls)
    assert one == same
    assert 0 < len(one["duplicates.ids"]) <= 3
    for crawl in crawls:
        crawl.close()


def test_a_page_that_was_fetched_again_leaves_the_urls_alone(closed: Path) -> None:
    crawl = DrivenCrawl(closed, WEB, **OPTIONS)
    pages = crawl.backend.driver.graph.snapshot().pages.tolist()
    crawl.backend.correct({pages[0]: 0.125})
    crawl.close()
    found = url_columns.left(closed / "frontier.sqlite")
    assert found is not None
    assert not found.parts
    assert len(found.urls.hosts)


def test_broken_answers_leave_the_urls_alone(tmp_path: Path) -> None:
    with Store.open(tmp_path) as store:
        host = store.add_host("a")
        store.add_url(0, 1, "http://a/", host=host, depth=0, found=0)
        store.commit()
        store._cursor.execute(
            "INSERT INTO pages (seq, id, state, fetched, attempts, marks) VALUES (0, 9, 2, 0, 1, 0)"
        )
        none = np.zeros(1, np.int32)
        store.columns = Left(
            url_columns.UrlColumns(np.arange(1), none, none, none > 0), {"x": none}
        )
    found = url_columns.left(tmp_path / "frontier.sqlite")
    assert found is not None
    assert not found.parts
