"""What links say, what orders knew, texts to ask about: stored, read back, absent in old crawls."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.errors import StoreDamagedError
from frontier.records import LinkArrays, PageRow
from frontier.states import State
from frontier.store import LeaseRow, Store, StoreReader
from frontier.store.blobs import MAX_ANCHOR, packed, unpacked
from frontier.store.rows import features_of, stored_features, stored_predictions
from tests.support.driven_crawl import OLD, A, B, C, small_crawl
from tests.support.states import put_url
from tests.support.stored import stored_pages, stored_urls

FEATURES = np.array([0.5, -1.25], np.float32)
MANY = 2500
"""Answers, more than are read at a time."""


def links(*targets: int, weighed: tuple[int, ...] | None = None, flags: int = 0) -> LinkArrays:
    """`weighed` are the first matches of each link; None: no link was weighed."""
    k = len(targets)
    predicted = stored_predictions(np.linspace(0, 1, k))
    found = LinkArrays(np.array(targets, np.int32), predicted, np.full(k, flags, np.uint8))
    if weighed is None:
        return found
    matches = np.array([[first % 256, 1, 2, 3, 4, 5] for first in weighed], np.uint8)
    return replace(found, matches=matches, contexts=tuple(f"around {first}" for first in weighed))


def page(url_id: int, record: LinkArrays | None, **facts: float | bytes | None) -> PageRow:
    values = {"relevance": 0.75, "similarity": 0.125, **facts}
    return PageRow(url_id=url_id, state=State.CRAWLED, fetched=1.0, links=record, **values)  # type: ignore[arg-type]


def filled(directory: Path, *pages: PageRow, urls: int = 5) -> None:
    with Store.open(directory) as store:
        host = store.add_host("a.example")
        for url_id in range(urls):
            put_url(
                store,
                url_id,
                url_id,
                f"http://a.example/{url_id}",
                host=host,
                depth=0,
                discovered=1,
            )
        for one in pages:
            store.page(one)


def updates(directory: Path, first: int = 0, before: int = MANY) -> list[PageRow]:
    with StoreReader.open(directory) as reader:
        return list(reader.updates(first, before))


def test_what_the_links_of_a_page_say_comes_back(tmp_path: Path) -> None:
    matches = 255, 1
    filled(tmp_path, page(0, links(1, 2, weighed=tuple(matches))), page(1, links(3)))
    with StoreReader.open(tmp_path) as reader:
        first, second = (one.links for one in stored_pages(reader))
    assert first is not None
    assert first.matches is not None
    assert first.matches.tolist() == [[255, 1, 2, 3, 4, 5], [1, 1, 2, 3, 4, 5]]
    assert first.contexts == ("around 255", "around 1")
    assert second is not None
    assert second.matches is None


def test_a_page_keeps_what_it_was_leased_with(tmp_path: Path) -> None:
    row = page(0, None, priority=0.5, score=0.25, rank=7, features=FEATURES)
    filled(tmp_path, row)
    with StoreReader.open(tmp_path) as reader:
        assert reader.page_row(0) == replace(row, seq=0)
        found = reader.page_row(0).features  # type: ignore[union-attr]
    assert found is not None
    assert found.tolist() == FEATURES.tolist()
    assert features_of(None) is stored_features(None) is None


def test_a_lease_keeps_rank_and_features_until_it_ends(tmp_path: Path) -> None:
    filled(tmp_path)
    with Store.open(tmp_path) as store:
        store.lease(LeaseRow(3, None, 0, 1.0, 1, 0.5, None, 4, stored_features(FEATURES)))
        store.commit()
        with StoreReader.open(tmp_path) as reader:
            [lease] = reader.leases()
        blob = stored_features(FEATURES)
        assert lease == LeaseRow(3, None, 0, 1.0, 1, 0.5, None, 4, blob)
        store.release(3)
        store.commit()
        with StoreReader.open(tmp_path) as reader:
            assert reader.leases() == []


def test_updates_are_the_records_of_the_graph_replaced_ones_too(tmp_path: Path) -> None:
    filled(
        tmp_path,
        page(0, links(1, 2, weighed=(5, 6)), features=FEATURES),
        replace(page(3, None), state=State.ERROR),
        replace(page(1, links(4)), state=State.REDIRECTED),
        page(2, links(), relevance=None, similarity=None),
        page(0, links(3)),
    )
    first, redirect, unjudged, again = updates(tmp_path)
    assert [one.url_id for one in (first, redirect, unjudged, again)] == [0, 1, 2, 0]
    assert [one.judged for one in (first, redirect, unjudged, again)] == [True, False, False, True]
    assert (first.relevance, first.similarity) == (0.75, 0.125)
    assert (unjudged.relevance, unjudged.similarity) == (None, None)
    assert first.features is not None
    assert first.features.tolist() == FEATURES.tolist()
    assert first.links.targets.tolist() == [1, 2]
    assert first.links.matches is not None
    assert first.links.matches[:, 0].tolist() == [5, 6]
    assert again.features is again.links.matches is None


def test_updates_begin_with_the_one_asked_for_and_end_before_an_answer(tmp_path: Path) -> None:
    failed = [replace(page(0, None), state=State.ERROR)] * 3
    filled(tmp_path, *failed, *(page(i % 5, links(i % 3)) for i in range(MANY - 3)))
    ids = [(answer - 3) % 5 for answer in range(3, MANY)]
    assert [one.url_id for one in updates(tmp_path)] == ids
    assert [one.url_id for one in updates(tmp_path, 1200)] == ids[1200:]
    assert [one.url_id for one in updates(tmp_path, 10, 2003)] == ids[10:2000]
    assert updates(tmp_path, MANY) == []


@pytest.mark.parametrize(
    "change",
    ["matches = x'000000'", "matches = x'0000'", "features = x'00'"],
)
def test_numbers_that_do_not_fit_their_links_are_damage(tmp_path: Path, change: str) -> None:
    filled(tmp_path, page(0, links(1, 2, weighed=(5, 6)), features=FEATURES))
    with closing(sqlite3.connect(tmp_path / "frontier.sqlite")) as connection, connection:
        connection.execute(f"UPDATE pages SET {change}")
    with pytest.raises(StoreDamagedError, match="Restore"):
        updates(tmp_path)


@given(st.lists(st.text(max_size=MAX_ANCHOR + 20), max_size=6))
def test_texts_come_back_cut_on_one_line_and_encodable(texts: list[str]) -> None:
    expected = tuple(
        text[:MAX_ANCHOR].replace("\n", " ").encode("utf-8", "replace").decode() for text in texts
    )
    assert unpacked(packed(texts), len(texts)) == expected


@pytest.mark.parametrize(
    ("blob", "links"),
    [(b"", 1), (b"junk", 1), (packed(["a", "b"]), 3), (packed(["a"])[:-1], 1), (packed([""]), 0)],
)
def test_a_blob_that_does_not_fit_its_links_is_an_error(blob: bytes, links: int) -> None:
    with pytest.raises(ValueError, match="texts of"):
        unpacked(blob, links)


def anchors_of(directory: Path) -> dict[str, dict[str, str]]:
    """Page -> target -> text of the link."""
    with StoreReader.open(directory) as reader:
        urls = [row.url for row in stored_urls(reader)]
        return {
            urls[page.url_id]: {
                urls[target]: text
                for target, text in zip(
                    page.links.targets.tolist(), page.links.anchors or (), strict=True
                )
            }
            for page in stored_pages(reader)
            if page.links is not None
        }


def test_every_link_has_its_own_text_and_a_redirect_none(tmp_path: Path) -> None:
    small_crawl(tmp_path).close()
    found = anchors_of(tmp_path)
    assert found[A][B] == f"to {B}"
    # Known by another page already: not in `urls.anchor`.
    assert found[C][B] == f"to {B}"
    assert found[OLD] == {C: ""}


def test_broken_texts_are_damage(tmp_path: Path) -> None:
    small_crawl(tmp_path).close()
    with closing(sqlite3.connect(tmp_path / "frontier.sqlite")) as connection, connection:
        connection.execute("UPDATE pages SET anchors = x'00' WHERE seq = 0")
    with pytest.raises(StoreDamagedError, match="texts of links"), StoreReader.open(tmp_path) as r:
        stored_pages(r)
