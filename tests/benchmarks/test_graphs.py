from __future__ import annotations

import lzma
from typing import TYPE_CHECKING

import numpy as np
import pytest

from benchmarks.ranking import graphs
from benchmarks.ranking.graphs import Crawl, synthetic

if TYPE_CHECKING:
    from pathlib import Path

PAGES = 3000


@pytest.fixture(scope="module")
def crawl() -> Crawl:
    return synthetic(PAGES)


def test_every_page_is_fetched_once_and_after_it_was_discovered(crawl):
    assert len(np.unique(crawl.pages)) == len(crawl.pages) == 3300
    assert (crawl.pages < crawl.known[:-1]).all()


def test_links_lead_to_what_is_known_and_new_ids_come_in_the_order_of_discovery(crawl):
    met = graphs.SEEDS
    for row in range(len(crawl.pages)):
        targets = crawl.targets[crawl.indptr[row] : crawl.indptr[row + 1]]
        new = targets[targets >= met]
        assert new.tolist() == list(range(met, met + len(new)))
        met += len(new)
        assert met == crawl.known[row + 1]
    assert met == crawl.n


def test_no_link_leads_to_its_own_page_or_repeats(crawl):
    sources = crawl.sources()
    assert not (sources == crawl.targets).any()
    assert len(np.unique(sources * crawl.n + crawl.targets)) == crawl.n_links


def test_an_earlier_crawl_is_a_prefix_of_a_later_one(crawl):
    early, late = crawl.first(1000), crawl.first(1100)
    assert early.n == crawl.known[1000] < late.n
    assert early.targets.max() < early.n
    assert np.array_equal(late.pages[:1000], early.pages)
    assert np.array_equal(late.indptr[:1001], early.indptr)
    assert np.array_equal(late.targets[: early.n_links], early.targets)
    assert len(early.relevance) == early.n


def test_a_saved_crawl_is_read_back(crawl, tmp_path: Path):
    assert not graphs.is_saved(tmp_path / "graph")
    crawl.save(tmp_path / "graph")
    assert graphs.is_saved(tmp_path / "graph")
    read = Crawl.load(tmp_path / "graph").first(len(crawl.pages))
    assert np.array_equal(read.targets, crawl.targets)
    assert np.array_equal(read.known, crawl.known)


def test_edges_are_read_without_repeats_and_links_to_oneself(tmp_path: Path):
    path = tmp_path / "edges.xz"
    path.write_bytes(lzma.compress(b"3 1\n0 2\n0 2\n1 1\n0 4\n"))
    crawl = graphs.read_edges(path)
    assert crawl.n == 5
    assert crawl.pages.tolist() == [0, 3]
    assert crawl.indptr.tolist() == [0, 2, 3]
    assert crawl.targets.tolist() == [2, 4, 1]
