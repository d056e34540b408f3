"""The apprentice's parts against their definitions, written down a second time."""

import math

import numpy as np
import pytest

from ranking.graph.link_graph import LinkGraph
from ranking.orders.apprentice import sources
from ranking.orders.apprentice.places import PlaceYields
from ranking.orders.apprentice.ridge import EVERY, LEAST_STRENGTH, STRENGTH, Ridge
from ranking.orders.apprentice.sources import SourceYields
from ranking.orders.apprentice.surprise import SCALE, Surprise
from tests.ranking.small_crawl import new_crawl


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


def test_surprise_is_the_log_of_the_share_of_the_sample_that_is_as_good():
    sample = np.array([0.0, 0.0, 0.0, 0.5, 0.5, 2.0, 7.0])
    surprise = Surprise(1)
    surprise.learn(sample[None])
    asked = np.array([-1.0, 0.0, 0.2, 0.5, 2.0, 5.0, 7.0, 9.0])
    for value, found in zip(asked, surprise.of(asked[None])[0], strict=True):
        better, equal = (sample > value).mean(), (sample == value).mean()
        share = better + equal / 2 + 0.5 / len(sample)
        assert found == pytest.approx((-math.log(share) - 1) / SCALE), value


def test_nothing_is_surprising_before_a_sample():
    assert not Surprise(2).of(np.ones((2, 3))).any()


@pytest.mark.parametrize("chunk", [2, 7, 2**20])
def test_sources_pay_what_their_fetched_links_paid(monkeypatch, chunk):
    monkeypatch.setattr(sources, "CHUNK", chunk)
    links = {0: [1, 2, 3], 1: [2, 4], 2: [], 3: [4, 5, 1]}
    judged = np.array([0.9, 0.1, 0.4, -1, -1, -1], np.float32)
    graph, mean = LinkGraph(6), 0.3
    for page, targets in links.items():
        graph.append(page, targets)
    own = {
        page: (sum(float(judged[t]) for t in targets if judged[t] >= 0) + 3 * mean)
        / (sum(judged[t] >= 0 for t in targets) + 3)
        for page, targets in links.items()
    }
    found = SourceYields()
    found.grow(6)
    found.install(found.job(graph.snapshot(), judged, mean)())
    for target in range(6):
        named = [own[page] for page, targets in links.items() if target in targets]
        expected = (sum(named) + 2 * mean) / (len(named) + 2)
        assert found.mean(np.array([target]), mean)[0] == pytest.approx(expected)
        assert found.best(np.array([target]))[0] == pytest.approx(max(named, default=0))


def test_a_place_yields_what_was_fetched_there_drawn_to_what_is_expected():
    places = PlaceYields()
    places.add(np.array([5, 5, 8, 5], np.uint32))
    for page, relevance in ((0, 1.0), (1, 0.5)):
        places.judge(page, relevance)
    places.fail(np.array([3]))
    ids = np.array([2, 3])
    np.testing.assert_allclose(places.yields(ids, 0.2), [0.2, (1.5 + 5 * 0.2) / (3 + 5)])
    assert places.tried(ids).tolist() == [0, 3]
    np.testing.assert_allclose(places.answers(ids, 0.5), [0.5, (2 + 2 * 0.5) / (3 + 2)])


def test_an_order_that_is_told_no_places_knows_one():
    crawl = new_crawl("apprentice")
    crawl.run(40, every=10)
    assert crawl.order.placed == len(crawl.names)
