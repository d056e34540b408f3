from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.errors import RankingInputError
from ranking.evidence import Evidence
from ranking.graph.link_graph import LinkGraph
from ranking.graph.view import GraphView
from tests.ranking.small_crawl import silent
from tests.support.told import telling

COLUMNS = ("in_links", "parent_sum", "parent_max", "predicted", "relevance", "fetched")
FRACTION = st.floats(0, 1, width=32)
LINK = st.tuples(st.integers(0, 9), FRACTION, st.sampled_from([0.0, 0.5, 1.0]))
PAGES = st.lists(
    st.tuples(st.integers(0, 9), FRACTION, st.lists(LINK, max_size=8)),
    max_size=10,
    unique_by=lambda page: page[0],
)


def table(n: int = 10) -> Evidence:
    evidence = Evidence()
    evidence.grow(n, np.arange(n))
    return evidence


def row(evidence: Evidence, i: int) -> dict[str, float]:
    return {name: getattr(evidence, name)[i].item() for name in COLUMNS}


def replay(pages) -> Evidence:
    evidence = table()
    for page, relevance, links in pages:
        targets, weights = [t for t, _, _ in links], [w for _, _, w in links]
        predicted = np.array([p for _, p, _ in links], np.float32)
        evidence.page(silent(page, targets, weights, relevance, predicted))
    return evidence


def history(pages) -> tuple[GraphView, list[float], list[float]]:
    links = [link for _, _, links in pages for link in links]
    log = GraphView(
        10,
        np.array([page for page, _, _ in pages], np.int32),
        np.cumsum([0] + [len(links) for _, _, links in pages]),
        np.array([t for t, _, _ in links], np.int32),
        np.array([w for _, _, w in links], np.float32),
    )
    return log, [relevance for _, relevance, _ in pages], [p for _, p, _ in links]


def assert_same(left: Evidence, right: Evidence) -> None:
    for name in (*COLUMNS, "depth", "seed"):
        one, other = getattr(left, name), getattr(right, name)
        assert one.dtype == other.dtype
        np.testing.assert_array_equal(one, other, err_msg=name)
    assert left.mean_relevance == right.mean_relevance
    assert left.n_pages == right.n_pages


def test_two_parents_teach_a_target():
    evidence = table()
    evidence.page(silent(0, [2, 3], None, 0.5, [0.25, 0.0]))
    evidence.page(silent(1, [2], None, 0.25, [1.0]))
    assert row(evidence, 2) == {
        "in_links": 2,
        "parent_sum": 0.75,
        "parent_max": 0.5,
        "predicted": 1.0,
        "relevance": 0.0,
        "fetched": False,
    }
    assert evidence.relevance[:2].tolist() == [0.5, 0.25]
    assert evidence.fetched[:3].tolist() == [True, True, False]
    assert evidence.mean_relevance == 0.375


def test_a_nofollow_link_promises_but_does_not_vouch():
    evidence = table()
    evidence.page(silent(0, [1, 2], [0.0, 1.0], 1.0, [0.5, 0.5]))
    assert row(evidence, 1) == {
        "in_links": 0,
        "parent_sum": 0.0,
        "parent_max": 0.0,
        "predicted": 0.5,
        "relevance": 0.0,
        "fetched": False,
    }
    assert evidence.in_links[2] == 1


def test_repeated_targets_count_once_and_links_to_itself_not_at_all():
    evidence = table()
    evidence.page(silent(0, [1, 0, 1], [0.0, 1.0, 1.0], 1.0, [0.25, 1.0, 0.75]))
    assert evidence.in_links.tolist() == [0, 1] + [0] * 8
    assert evidence.predicted[:2].tolist() == [0.0, 0.75]
    assert evidence.parent_sum[1] == 1.0


def test_columns_grow_and_keep_what_they_hold():
    evidence = Evidence()
    assert (evidence.n, evidence.mean_relevance) == (0, 0.0)
    evidence.grow(2)
    evidence.add_seeds([1])
    evidence.page(silent(0, [1], None, 1.0, [0.5]))
    for n in range(3, 300):
        evidence.grow(n, [n])
    evidence.grow(5)
    assert evidence.n == 299
    assert evidence.depth.tolist() == [0, 0, *range(3, 300)]
    assert np.flatnonzero(evidence.seed).tolist() == [1]
    assert np.flatnonzero(evidence.in_links).tolist() == [1]
    assert all(len(getattr(evidence, name)) == 299 for name in COLUMNS)


@given(PAGES)
def test_load_equals_replay_bit_for_bit(pages):
    replayed, loaded = replay(pages), table()
    loaded.page(silent(9, [0, 1], None, 1.0, [1.0, 1.0]))
    loaded.load(*history(pages))
    assert_same(loaded, replayed)


@given(PAGES, PAGES)
def test_load_counts_only_the_last_row_of_a_page(first, second):
    later = {page for page, _, _ in second}
    living = [page for page in first if page[0] not in later] + second
    loaded = table()
    loaded.load(*history(first + second))
    assert_same(loaded, replay(living))


@given(PAGES)
def test_forget_takes_counts_and_sums_back(pages):
    evidence, log = replay(pages), history(pages)[0]
    graph = LinkGraph.from_log(log)
    for page in graph.snapshot().pages.tolist():
        evidence.forget(page, *graph.links(page))
    assert not evidence.in_links.any()
    np.testing.assert_allclose(evidence.parent_sum, 0, atol=1e-6)
    assert not evidence.fetched.any()
    assert evidence.mean_relevance == 0


def test_a_page_read_again_must_be_forgotten_first():
    evidence = table()
    evidence.page(silent(0, [1], None, 1.0, [0.5]))
    with pytest.raises(RankingInputError, match="call forget"):
        evidence.page(silent(0, [1], None, 1.0, [0.5]))
    evidence.forget(0, [1])
    evidence.page(silent(0, [2], None, 0.5, [0.5]))
    assert evidence.in_links[:3].tolist() == [0, 0, 1]
    with pytest.raises(RankingInputError, match=telling(5, "fetched")):
        evidence.forget(5, [])


@pytest.mark.parametrize(
    ("change", "facts"),
    [
        ({"page": 10}, ("grow",)),
        ({"page": -1}, ("page", -1)),
        ({"relevance": 1.5}, ("relevance", 1.5)),
        ({"relevance": float("nan")}, ("relevance", "nan")),
        ({"targets": [10]}, ("targets", "n=10", 10)),
        ({"targets": [-1]}, ("targets", -1)),
        ({"predicted": [0.5, 0.5]}, ("predicted", "shape")),
        ({"predicted": [2.0]}, ("predicted", "[0, 1]")),
        ({"predicted": [np.nan]}, ("predicted", "finite")),
        ({"weights": [-1.0]}, ("weights", "negative")),
    ],
)
def test_bad_updates_are_refused_and_teach_nothing(change, facts):
    evidence = table()
    update = {"page": 0, "relevance": 0.5, "targets": [1], "predicted": [0.5], "weights": None}
    with pytest.raises(RankingInputError, match=telling(*facts)):
        evidence.page(silent(**{**update, **change}))
    assert_same(evidence, table())


def test_other_bad_input_is_refused():
    evidence = table()
    with pytest.raises(RankingInputError, match=telling("n=10", 10)):
        evidence.add_seeds([10])
    with pytest.raises(RankingInputError, match=telling("depths", "shape")):
        evidence.grow(12, [1])
    with pytest.raises(RankingInputError, match=telling("relevance", "shape")):
        evidence.load(LinkGraph(10).snapshot(), [1.0], [])
    with pytest.raises(RankingInputError, match="the log's ids"):
        evidence.load(LinkGraph(11).snapshot(), [], [])
