"""Who links to a URL, by the latest record of each page, and by nothing but the links."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from frontier.config import CrawlConfig
from frontier.inspection.in_links import InLinks, in_links
from frontier.inspection.resumed import Known
from frontier.records import LinkArrays, PageRow
from frontier.states import COPIED, NOFOLLOW, REDIRECT, State
from frontier.store import Store, StoreReader, row_groups
from frontier.store.schema import IDENTITY, URL_RULES
from frontier.urls.rules import RULES
from tests.support.states import put_url


def page(url_id: int, *links: tuple[int, float, int], relevance: float = 0.5) -> PageRow:
    targets, predicted, flags = zip(*links, strict=True) if links else ((), (), ())
    record = LinkArrays(
        np.array(targets, np.int32), np.array(predicted, np.float32), np.array(flags, np.uint8)
    )
    return PageRow(
        url_id=url_id, state=State.CRAWLED, fetched=1.0, links=record, relevance=relevance
    )


def links_to(directory: Path, *ids: int) -> list[InLinks]:
    with StoreReader.open(directory) as reader:
        known = Known.from_store(reader)
        return [in_links(reader, known, url_id) for url_id in ids]


@pytest.fixture(params=[1, 1000])
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> Store:  # type: ignore[misc]  # a generator
    """Answers lie in groups, or all of them behind the last one."""
    monkeypatch.setattr(row_groups, "ANSWERS", request.param)
    with Store.open(tmp_path) as store:
        store.set_setting(IDENTITY, CrawlConfig(strategy="bfs", topic="pages").identity)
        store.set_setting(URL_RULES, RULES.as_json)
        for url_id in range(8):
            host = store.add_host("a.example")
            put_url(store, url_id, 100 + url_id, f"u{url_id}", host=host)
        store.commit()
        yield store


def test_the_latest_record_of_each_page_counts(store: Store) -> None:
    store.page(page(0, (5, 0.5, 0), (6, 1.0, NOFOLLOW)))
    store.page(page(1, (6, 0.25, REDIRECT), relevance=0.25))
    store.page(page(2, (5, 0.25, 0), relevance=0.75))
    store.page(page(0, (7, 0.5, 0), (5, 0.75, 0)))
    store.commit()
    to_5, to_6, to_0 = links_to(store.path.parent, 5, 6, 0)
    assert to_5.sources.tolist() == [2, 0]
    assert to_5.predicted.tolist() == [0.25, 0.75]
    assert to_5.relevance.tolist() == [0.75, 0.5]
    assert (to_6.sources.tolist(), to_6.flags.tolist()) == ([1], [REDIRECT])
    assert len(to_0) == 0


def test_a_page_that_could_not_be_fetched_again_still_links(store: Store) -> None:
    store.page(page(0, (1, 0.5, 0)))
    store.page(PageRow(url_id=0, state=State.ERROR, fetched=2.0))
    store.commit()
    (found,) = links_to(store.path.parent, 1)
    assert found.sources.tolist() == [0]


def test_of_several_links_from_a_page_a_followed_one_counts_and_a_copy_says_nothing(
    store: Store,
) -> None:
    store.page(page(0, (3, 1.0, NOFOLLOW), (3, 0.25, 0), (3, 0.5, 0)))
    store.page(page(1, (3, 0.5, COPIED)))
    store.commit()
    (found,) = links_to(store.path.parent, 3)
    assert found.predicted.tolist() == [0.5, 0.0]
    assert found.followed.all()
