"""The apprentice's parts against their definitions, written down a second time."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ranking.evidence import Evidence
from ranking.graph.link_graph import LinkGraph
from ranking.orders import make_order
from ranking.orders.apprentice import _signals
from ranking.orders.apprentice.columns import MOST_SOURCES, LinkMemory, SourceYields
from ranking.orders.apprentice.places import PlaceYields
from ranking.orders.apprentice.rarity import SCALE, Rarity
from ranking.orders.apprentice.ridge import EVERY, LEAST_STRENGTH, STRENGTH, Ridge
from ranking.orders.apprentice.signals import BELIEFS, COLUMN_OF, SIGNALS
from ranking.orders.base import Places
from ranking.orders.link_order import LinkUpdate
from ranking.page_update import PageUpdate
from tests.ranking.orders import apprentice_reference
from tests.ranking.small_crawl import (
    WEB,
    SmallCrawl,
    matches,
    new_crawl,
    predicted,
    relevance,
    silent,
)


def test_ridge_is_the_closed_form_of_all_its_examples():
    rng = np.random.default_rng(3)
    prior = rng.normal(size=4)
    rows = rng.normal(size=(10 * EVERY, 4)).astype(np.float32)
    values = rng.random(len(rows))
    ridge = Ridge(prior)
    for row, value in zip(rows, values, strict=True):
        ridge.learn(row, value)
    strength = np.diag([STRENGTH] * 3 + [LEAST_STRENGTH])
    x = rows.astype(np.float64)
    expected = np.linalg.solve(x.T @ x + strength, x.T @ values + strength @ prior)
    np.testing.assert_allclose(ridge.weights, expected, rtol=1e-9)


def test_ridge_begins_with_its_prior_and_changes_only_when_it_says_so():
    ridge = Ridge(np.array([1.0, 0.0]))
    changes = []
    for _ in range(3 * EVERY):
        before = ridge.weights.copy()
        said = ridge.learn(np.array([1, 1], np.float32), 0.0)
        changes.append(said)
        assert said or (ridge.weights == before).all()
    assert changes.count(True) == 3


@pytest.mark.parametrize("zeroed", [slice(None), slice(0, 1)])
def test_ridge_takes_over_no_matrix_that_examples_cannot_have_made(zeroed):
    ridge = Ridge(np.array([1.0, 0.0, 2.0]))
    ridge.learn(np.array([1, 2, 3], np.float32), 0.5)
    state = ridge.state()
    Ridge(np.zeros(3)).restore(state)
    state["ridge.a"][zeroed] = 0
    with pytest.raises(ValueError, match=r"symmetric|definite"):
        Ridge(np.zeros(3)).restore(state)


def test_rarity_is_the_log_of_the_share_of_the_sample_that_is_as_good():
    sample = np.array([0.0, 0.0, 0.0, 0.5, 0.5, 2.0, 7.0])
    rarity = Rarity(1)
    rarity.learn(sample[None])
    asked = np.array([-1.0, 0.0, 0.2, 0.5, 2.0, 5.0, 7.0, 9.0])
    for value, found in zip(asked, rarity.of(asked[None])[0], strict=True):
        better, equal = (sample > value).mean(), (sample == value).mean()
        share = better + equal / 2 + 0.5 / len(sample)
        assert found == pytest.approx((-math.log(share) - 1) / SCALE), value


def test_nothing_is_surprising_before_a_sample():
    assert not Rarity(2).of(np.ones((2, 3))).any()


@pytest.mark.parametrize("weights", [(1,), (2,), (0.5, 2), tuple(range(1, 300))])
def test_sources_pay_what_their_fetched_links_paid(weights):
    links = {0: [1, 2, 3], 1: [2, 4], 2: [], 3: [4, 5, 1]}
    judged = np.full(6 + len(weights), -1, np.float32)
    judged[:3] = 0.9, 0.1, 0.4
    graph, mean = LinkGraph(len(judged)), 0.3
    for page, targets in links.items():
        given = [weights[(page + target) % len(weights)] for target in targets]
        graph.append(page, [*targets, 0], [*given, 0])  # one is not followed, but by page 0
    graph.append(5, np.arange(6, 6 + len(weights)), weights)
    own = {
        page: (sum(float(judged[t]) for t in targets if judged[t] >= 0) + 3 * mean)
        / (sum(judged[t] >= 0 for t in targets) + 3)
        for page, targets in links.items()
    }
    found = SourceYields()
    found.grow(len(judged))
    found.install(found.job(graph.snapshot(), judged >= 0, judged, mean)())
    for target in range(6):
        named = [own[page] for page, targets in links.items() if target in targets]
        total, best, number = (column[target] for column in found.columns)
        assert total == pytest.approx(sum(named))
        assert best == pytest.approx(max(named, default=0))
        assert number == len(named)


def test_a_place_counts_what_was_fetched_there_and_what_was_tried_in_vain():
    places = PlaceYields()
    places.add(np.array([5, 5, 8, 5], np.uint32))
    for page, worth in ((0, 1.0), (1, 0.5)):
        places.judge(page, worth)
    places.fail(np.array([3]))
    assert places.of.tolist() == [0, 0, 1, 0]
    assert [column.tolist() for column in places.columns] == [[1.5, 0], [2, 0], [1, 0]]


@given(st.lists(st.lists(st.integers(0, 400).map(lambda one: one * 2654435761 % 2**32))))
def test_places_are_numbered_as_they_are_met(batches):
    places, numbers, expected = PlaceYields(), {}, []
    for batch in (*batches, range(250), [7, 7, 2**32 - 1], range(260)):
        places.add(np.array(list(batch), np.uint32))
        expected += [numbers.setdefault(one, len(numbers)) for one in batch]
        assert places.of.tolist() == expected
        again = PlaceYields()
        again.restore("some", places.state("some"))
        for one in (places, again):
            width = np.uint8 if len(numbers) <= 256 else np.uint16
            assert (one.of.dtype, one.of.tolist()) == (width, expected)
            assert one._keys.array.tolist() == list(numbers)
            assert [len(column) for column in one.columns] == [len(numbers)] * 3
    places.add(np.arange(70_000, dtype=np.uint32))
    assert places.of.dtype == np.int32
    assert places.of[: len(expected)].tolist() == expected


class PlacedCrawl(SmallCrawl):
    """Every URL has a host, one of seven, a template and a folder on it, and one of five zones."""

    def discover(self, names, depth):
        known = len(self.names)
        fresh = list(dict.fromkeys(name for name in names if name not in self.ids))
        numbers = np.array([int(name[1:]) for name in fresh], np.uint32)
        self.order.place(Places(numbers % 7, numbers % 21, numbers % 14, numbers % 5))
        super().discover(names, depth)
        assert len(self.names) == known + len(fresh)


@pytest.mark.parametrize("pages", [0, 8, 70])
def test_rows_and_values_are_bit_for_bit_those_of_their_definitions(pages):
    signals = {"relevance": relevance, "predicted": predicted, "matches": matches}
    order = make_order("apprentice")
    crawl = PlacedCrawl(order, WEB, ("p1", "p2"), **signals)
    crawl.run(pages, every=10)
    ids = crawl.frontier()
    order.fail(ids[-3:])
    values = order.value(ids, crawl.evidence)
    rows = dict(zip(ids.tolist(), order.rows(ids.tolist(), crawl.evidence), strict=True))
    for i, value in zip(ids.tolist(), values.tolist(), strict=True):
        assert value == apprentice_reference.value(order, crawl.evidence, i)
        assert order.value(np.array([i], np.int32), crawl.evidence)[0] == value
        row = order.row(i, crawl.evidence)
        assert (row is None) == crawl.evidence.seed[i]
        if row is not None:
            expected = np.array(apprentice_reference.row(order, crawl.evidence, i))
            assert row.tolist() == expected.astype(np.float32).tolist()
            assert rows[i].tobytes() == row.tobytes()
        else:
            assert rows[i] is None


def noted(memory: LinkMemory, update: PageUpdate) -> None:
    memory.note(update, LinkUpdate.of(update, Evidence()).followed)


def test_the_best_that_links_say_is_kept():
    memory = LinkMemory()
    memory.grow(3)
    for said in ([[7, 0, 9], [5, 2, 0], [0, 1, 3]], [[1, 1, 1], [6, 1, 1], [0, 0, 4]]):
        update = silent(0, np.array([1, 1, 2], np.int32))
        update.matches[:] = np.hstack([said, 2 * np.array(said)])
        noted(memory, update._replace(similarity=0.25))
    assert memory.columns[0].tolist() == [0, 7, 0]
    assert memory.columns[1].tolist() == [0, 2, 1]
    assert memory.columns[2].tolist() == [0, 9, 4]
    assert [column.tolist() for column in memory.columns[3:6]] == [
        [0, 14, 0],
        [0, 4, 2],
        [0, 18, 8],
    ]


def test_similarity_of_linking_pages_is_summed_once_a_page_over_links_that_are_followed():
    memory = LinkMemory()
    memory.grow(4)
    noted(memory, silent(0, [1, 1, 2, 3], [1.0, 1.0, 2.0, 0.0], relevance=0.25))
    noted(memory, silent(3, [1], relevance=0.5))
    assert memory.columns[6].tolist() == [0, 0.75, 0.25, 0]


def test_meaning_that_is_worth_more_than_words_is_learned_from_pages():
    ridge = Ridge(BELIEFS)
    by_value = {SIGNALS[signal].words: at for at, signal in enumerate(COLUMN_OF)}
    near, words = (
        by_value["the best link text, by its meaning alone"],
        by_value["the best link text"],
    )
    assert ridge.weights[near] == 0 < ridge.weights[words]
    rng = np.random.default_rng(5)
    for _ in range(300):
        row = np.zeros(len(BELIEFS), np.float32)
        row[[-1, words, near]] = 1, *rng.random(2)
        ridge.learn(row, float(row[near]))
    assert ridge.weights[near] > 0.25 > 0.15 > ridge.weights[words]


def test_of_more_sources_than_are_counted_the_mean_stays():
    most, found = MOST_SOURCES, SourceYields()
    found.grow(3)
    old = found.state()
    old["sources.links"] = np.array([1, most, 4 * most], np.int32)
    old["sources.sum"] = np.array([0.5, 7.0, most], np.float64)
    found.restore(old)
    found.push(np.arange(3, dtype=np.int32), np.zeros(3, np.bool_), np.zeros(3, np.float32), 0.25)
    total, best, links = (column.tolist() for column in found.columns)
    assert (total, links) == ([0.75, 7.0, most / 4], [2, most, most])
    assert best == [0.25] * 3


@pytest.mark.parametrize("many", [1, 7, 8, 9, 100])
@pytest.mark.parametrize("sizes", [(1,), (2, 1, 3), (64, 65, 1, 600)])
def test_a_scale_has_its_place_for_every_value(many, sizes):
    rng = np.random.default_rng(many)
    sample = np.array([rng.integers(0, size, 700) for size in sizes], np.float32)
    rarity = Rarity(len(sizes))
    rarity.learn(sample)
    asked = rng.integers(-2, 1300, (len(sizes), many)) / 2
    found = rarity.of(asked)
    for scale, values, those in zip(np.sort(sample, axis=1), asked, found, strict=True):
        for value, one in zip(values.tolist(), those.tolist(), strict=True):
            assert one == apprentice_reference.rarity(scale.tolist(), value)


@pytest.mark.parametrize("kind", "?bhilqBHILQfd")
def test_columns_of_every_type_are_gathered(kind):
    column = (np.arange(12) % 2).astype(kind)
    ids, out = np.array([11, 0, 4, 3]), np.empty((1, 4))
    for index in (ids, ids.astype(np.float64)):
        _signals.gather((column,), index, out)
        assert out[0].tolist() == [1, 0, 0, 1]


def test_what_cannot_be_gathered_is_refused():
    out = np.empty((1, 1))
    for wrong in (-1, 3):
        with pytest.raises(IndexError, match="from 0 to 2"):
            _signals.gather((np.arange(3),), np.array([wrong]), out)
    with pytest.raises(TypeError, match="column 0"):
        _signals.gather((np.zeros(3, np.float16),), np.array([1]), out)


def test_an_order_that_is_told_no_places_knows_one():
    crawl = new_crawl("apprentice")
    crawl.run(40, every=10)
    assert crawl.order.placed == len(crawl.names)


def test_many_urls_are_valued_as_few_are():
    order = make_order("apprentice")
    signals = {"relevance": relevance, "predicted": predicted, "matches": matches}
    crawl = PlacedCrawl(order, WEB, ("p1", "p2"), **signals)
    crawl.run(30, every=10)
    ids = np.resize(crawl.frontier(), 9001)
    whole = order.value(ids, crawl.evidence)
    some = [order.value(ids[at : at + 300], crawl.evidence) for at in range(0, len(ids), 300)]
    assert np.concatenate(some).tobytes() == whole.tobytes()


@pytest.mark.parametrize("far", [1e-30, 1.0, 3e38, np.inf, np.nan])
def test_a_scale_of_any_length_finds_every_value(far):
    sample = np.array([[-far, 0.0, 0.0, 1e-3, far]], np.float32)
    rarity = Rarity(1)
    rarity.learn(sample)
    asked = np.array([-np.inf, -far, -1e-38, 0.0, 1e-38, 1e-3, 2e-3, 1e30, far, np.inf])
    found = rarity.of(asked[None, :])[0]
    assert np.isfinite(found).all()
    if np.isfinite(far):
        scale = np.sort(sample[0]).tolist()
        assert found.tolist() == [apprentice_reference.rarity(scale, one) for one in asked]
