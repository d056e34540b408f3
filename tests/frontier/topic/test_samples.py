"""Which texts are kept: the least sure and those drawn, whatever the order of pages and runs."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st

from frontier.records import Sample
from frontier.store import Store
from frontier.topic import samples
from frontier.topic.samples import (
    SampleBounds,
    Samples,
    draw_of,
    lot_of,
    weight_of,
)

PAGES = st.lists(
    st.tuples(st.integers(-(2**63), 2**63 - 1), st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0])),
    max_size=30,
    unique_by=lambda page: page[0],
)


class Kept(dict[int, Sample]):
    """As much of a store as is asked for."""

    def keep_sample(self, sample: Sample) -> None:
        self[sample.url_id] = sample

    def drop_sample(self, url_id: int) -> None:
        del self[url_id]

    def samples(self) -> list[Sample]:
        return [self[url_id] for url_id in sorted(self)]


@pytest.fixture(autouse=True)
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(samples, "EACH", 3)


def samples_of(kept: Kept, pages: list[tuple[int, float]] | None = None) -> Samples:
    """Of pages by id, each with its fingerprint and relevance."""
    fingerprint_of = (lambda _: 0) if pages is None else (lambda url_id: pages[url_id][0])
    return Samples(kept, fingerprint_of)  # type: ignore[arg-type]  # see Kept


def offered(pages: list[tuple[int, float]], stops: tuple[int, ...] = ()) -> Kept:
    kept = Kept()
    chooser = samples_of(kept, pages)
    for url_id, (fingerprint, relevance) in enumerate(pages):
        if url_id in stops:
            chooser = samples_of(kept, pages)
        chooser.offer(url_id, fingerprint, relevance, f"text {url_id}")
    assert len(chooser) == len(kept)
    return kept


def expected(pages: list[tuple[int, float]]) -> set[int]:
    """Sorted instead of kept in heaps."""
    ids = range(len(pages))
    unsure = sorted(ids, key=lambda one: (abs(pages[one][1] - 0.5), one))[:3]
    chance = sorted(ids, key=lambda one: lot_of(pages[one][0]))[:3]
    weights = [max(relevance, 0.2) for _, relevance in pages]
    drawn = sorted(ids, key=lambda one: lot_of(pages[one][0]) / weights[one])[:3]
    return {*unsure, *chance, *drawn}


@given(PAGES)
def test_the_least_sure_an_even_sample_and_one_by_relevance_are_kept(pages):
    kept = offered(pages)
    assert set(kept) == expected(pages)
    for url_id, sample in kept.items():
        assert sample == Sample(url_id, pages[url_id][1], f"text {url_id}")


@given(PAGES, st.integers(0, 30))
def test_a_crawl_that_goes_on_keeps_what_one_that_never_stopped_keeps(pages, stop):
    assert offered(pages, (stop,)) == offered(pages)


def test_a_page_without_text_or_read_again_changes_nothing():
    kept = offered([(5, 0.5)])
    chooser = samples_of(kept, [(5, 0.5)])
    chooser.offer(0, 5, 0.9, "another text")
    chooser.offer(1, 4, 0.5, "")
    assert kept == {0: Sample(0, 0.5, "text 0")}


def test_they_are_there_when_the_store_is_opened_again(tmp_path: Path) -> None:
    rng = np.random.default_rng(1)
    relevance = rng.random(20)
    with Store.open(tmp_path) as store:
        chooser = Samples(store, lambda url_id: url_id)
        for url_id in range(20):
            chooser.offer(url_id, url_id, float(relevance[url_id]), f"größer {url_id}")
    with Store.open(tmp_path) as store:
        assert {one.url_id for one in store.samples()} == expected(list(enumerate(relevance)))
        assert len(Samples(store, lambda url_id: url_id)) == len(store.samples())
        assert store.sampled_relevance() == {one.url_id: one.relevance for one in store.samples()}


@given(PAGES, st.integers(0, 30))
def test_texts_that_older_bounds_leave_out_are_none_that_would_be_kept(pages, since):
    kept = Kept()
    chooser = samples_of(kept, pages)
    bounds = chooser.bounds()
    for url_id, (fingerprint, relevance) in enumerate(pages):
        if url_id == since:
            bounds = SampleBounds(*json.loads(json.dumps(chooser.bounds())))
        sent = f"text {url_id}" if bounds.admit(fingerprint, relevance) else None
        chooser.offer(url_id, fingerprint, relevance, sent)
    assert kept == offered(pages)


def test_pages_that_are_likely_relevant_have_a_better_chance_of_being_drawn():
    """Of 400 pages, 40 have five times the weight of the others."""
    pages = [(number * 7919, 1.0 if number % 10 == 0 else 0.0) for number in range(400)]
    kept = sorted(range(400), key=lambda one: draw_of(*pages[one]))[:60]
    relevant = sum(pages[one][1] == 1.0 for one in kept)
    assert 15 <= relevant <= 30, "6 of an even sample"
    assert draw_of(1, 0.05) == draw_of(1, 0.0) == 5 * draw_of(1, 1.0)
    assert (weight_of(0.7), weight_of(0.0)) == (0.7, 0.2)


@pytest.mark.parametrize("share", [1.0, 0.5, 0.01])
def test_pages_with_the_smallest_fingerprints_draw_lots_like_any_others(share: float) -> None:
    """The queue prefers them among equals; lots that knew it would be no lots."""
    rng = np.random.default_rng(5)
    numbers = -(2**63) + (rng.random(10_000) * share * 2**64).astype(np.uint64).astype(object)
    lots = np.array([lot_of(number) / 2**64 for number in numbers])
    assert scipy.stats.kstest(lots, "uniform").pvalue > 0.01
    assert abs(scipy.stats.spearmanr(lots, numbers.astype(float)).statistic) < 0.03
