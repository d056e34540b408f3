"""Every order against its definition written down a second time, and against its own past."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ranking.orders import ORDERS, make_order
from ranking.orders.base import Repricing
from ranking.page_update import PageUpdate
from ranking.result import HitsRanking
from tests.ranking.order_reference import REFERENCE, Link, Page, Seen, crawl, priorities
from tests.ranking.small_crawl import SmallCrawl

EXACT = 1e-13  # L1 error of a re-rank, far below what is compared

# A town of three quarters. Books: the topic. Cars: not. Between them a road (r1, r2), and islands
# of the topic behind it. `menu` is linked from everywhere; x is linked with nofollow.
TOWN = {
    "home": Page(0.25, 0.125, [Link("menu"), Link("books", 255, 128), Link("cars", 0, 64)]),
    "menu": Page(0.0, 0.0, [Link("home"), Link("books"), Link("cars"), Link("r1", 0, 0, 102)]),
    "books": Page(
        0.875,
        0.75,
        [
            Link("menu"),
            Link("novel", 204, 51, predicted=0.75),
            Link("poem", 0, 153, predicted=0.5),
            Link("novel", 51, 255, predicted=0.25),
            Link("books", 255, 255, 255),
            Link("x", 255, 255, 0, weight=0.0, predicted=1.0),
        ],
    ),
    "cars": Page(0.0, 0.01, [Link("menu"), Link("wheel"), Link("road", 0, 25), Link("wheel")]),
    "novel": Page(1.0, 0.875, [Link("poem", 102, weight=2.0), Link("author", 51, predicted=0.375)]),
    "poem": Page(0.75, 0.5, [Link("author"), Link("menu"), Link("x", weight=0.0)]),
    "author": Page(0.5, 0.375, [Link("novel"), Link("lamp"), Link("shop", 153, 0, 51)]),
    "wheel": Page(0.0, 0.0, [Link("menu"), Link("lamp"), Link("cars")]),
    "road": Page(0.125, 0.03, [Link("r1"), Link("lamp", 0, 13)]),
    "r1": Page(0.0, 0.015, [Link("r2"), Link("menu")]),
    "r2": Page(0.0, 0.0, [Link("library", 76, 0, 51, predicted=0.625), Link("lamp")]),
    "library": Page(1.0, 0.625, [Link("poem"), Link("shop"), Link("folio", 178, predicted=0.5)]),
    "lamp": Page(0.0, 0.0, []),
    "shop": Page(0.375, 0.25, [Link("cars"), Link("folio", 0, 89)]),
    "folio": Page(0.625, 0.6875, [Link("library")]),
    "x": Page(0.0625, 0.0625, [Link("books"), Link("y")]),
    "y": Page(0.0, 0.0, []),
}


class TypedCrawl(SmallCrawl):
    """A crawl of `Page`s, whose links may repeat and differ."""

    def __init__(self, name: str, pages: dict[str, Page], seeds, tol: float = EXACT) -> None:
        self.pages = pages
        web = {u: [link.target for link in page.links] for u, page in pages.items()}
        super().__init__(make_order(name, tol=tol), web, seeds, lambda u: pages[u].relevance)

    def update(self, name: str, links) -> PageUpdate:
        page = self.pages[name]
        words = [(link.anchor, link.context, link.address, 0, 0, 0) for link in page.links]
        weights = [link.weight for link in page.links]
        return (
            super()
            .update(name, links)
            ._replace(
                similarity=page.similarity,
                weights=None if set(weights) <= {1.0} else np.array(weights, np.float32),
                predicted=np.array([link.predicted for link in page.links], np.float32),
                matches=np.array(words, np.uint8).reshape(-1, 6),
            )
        )

    @property
    def seen(self) -> Seen:
        seeds = [self.names[i] for i in np.flatnonzero(self.evidence.seed)]
        return Seen(self.pages, seeds, self.fetched)


class QueuedCrawl(TypedCrawl):
    """Prices URLs as a queue does: those a page links to, and others where the order asks."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs)
        self.queue = self.priorities()

    def fetch(self, name: str) -> None:
        super().fetch(name)
        fresh = self.priorities()
        asked = self.order.repricing(len(self.fetched), len(fresh))
        new = set(fresh) if asked is Repricing.ALL else set(self.web[name])
        self.queue = {v: fresh[v] if v in new else self.queue[v] for v in fresh}

    def rerank(self) -> None:
        super().rerank()
        self.queue = self.priorities()


words = st.sampled_from([0, 51, 102, 255])
sixteenths = st.integers(0, 16).map(lambda k: k / 16)
NAMES = [f"p{i}" for i in range(12)]
links = st.builds(
    Link, st.sampled_from(NAMES), words, words, words, st.sampled_from([0.0, 1.0, 2.0]), sixteenths
)
pages = st.builds(Page, sixteenths, sixteenths, st.lists(links, max_size=6))
webs = st.fixed_dictionaries(dict.fromkeys(NAMES, pages))
seeds = st.lists(st.sampled_from(NAMES), min_size=1, max_size=3, unique=True)
every_reference = pytest.mark.parametrize("name", REFERENCE)
every_order = pytest.mark.parametrize("name", ORDERS)


def test_every_order_that_learns_nothing_has_a_reference():
    assert set(REFERENCE) <= set(ORDERS)
    learned = {name for name, order in ORDERS.items() if order.learn is not ORDERS["bfs"].learn}
    assert set(ORDERS) - set(REFERENCE) <= learned


@every_reference
def test_a_town_is_crawled_in_the_order_of_the_definition(name):
    mine = TypedCrawl(name, TOWN, ["home"])
    found = []
    while mine.frontier().size:
        values = mine.priorities()
        best = max(values.values())
        found.append(next(v for v, value in values.items() if value >= best - 1e-9))
        mine.fetch(found[-1])
        if ORDERS[name].uses_links:
            mine.rerank()
    assert found == crawl(name, TOWN, ["home"])
    assert set(found) == set(TOWN)


@every_reference
@settings(max_examples=10)
@given(web=webs, starts=seeds)
def test_priorities_are_those_of_the_definition_at_every_step(name, web, starts):
    mine = TypedCrawl(name, web, starts)
    while mine.frontier().size:
        mine.step()
        if ORDERS[name].uses_links and not unique_ranking(mine):
            continue
        expected = priorities(name, mine.seen)
        assert mine.priorities() == pytest.approx(expected, rel=2e-6, abs=1e-9)


def unique_ranking(mine: SmallCrawl) -> bool:
    """Re-rank; False if communities as strong as each other leave the result to the start."""
    rankings = mine.order.prepare(mine.graph.snapshot(), mine.evidence)()
    mine.order.swap(rankings)
    ranking = rankings["score"]
    if not isinstance(ranking, HitsRanking):
        return True
    return ranking.converged and (ranking.gap > 0.02 or not ranking.hub_norm)


@every_reference
@settings(max_examples=8)
@given(web=webs, starts=seeds, every=st.integers(0, 4))
def test_what_a_queue_holds_is_what_the_order_says_now(name, web, starts, every):
    """So a resumed crawl, which prices everything anew, goes on in the same order."""
    mine = QueuedCrawl(name, web, starts)
    while mine.frontier().size:
        mine.step()
        if every and len(mine.fetched) % every == 0:
            mine.rerank()
        assert mine.queue == mine.priorities()


@every_order
@settings(max_examples=8)
@given(
    web=webs,
    starts=seeds,
    every=st.integers(0, 4),
    saved=st.integers(0, 11),
    more=st.integers(0, 5),
)
def test_an_order_saved_at_any_page_goes_on_as_if_it_had_never_stopped(
    name, web, starts, every, saved, more
):
    whole, resumed = (TypedCrawl(name, web, starts) for _ in range(2))
    for one in (whole, resumed):
        one.run(saved, every)
    state = resumed.order.state_arrays()
    for one in (whole, resumed):
        one.run(saved + more)  # no re-rank: that would have saved a newer state
    resumed.order = restarted(resumed, state)
    assert len(resumed.order.state_arrays()) == len(whole.order.state_arrays())
    assert resumed.priorities() == whole.priorities()
    assert resumed.run(99, every) == whole.run(99, every)


def restarted(crawl: SmallCrawl, state):
    order = make_order(crawl.order.name, tol=EXACT)
    if state:
        order.restore(state)
    order.grow(crawl.evidence.n)
    for update in crawl.updates[order.pages_seen :]:
        order.learn(update.page, crawl.rows[update.page], update.relevance)
        order.page(update, crawl.evidence)
    return order


@every_order
def test_an_order_without_a_saved_state_is_told_all_pages_again(name):
    mine = TypedCrawl(name, TOWN, ["home"])
    mine.run(11)
    order = restarted(mine, {})
    ids = mine.frontier()
    expected = mine.order.priority(ids, mine.evidence)
    np.testing.assert_array_equal(order.priority(ids, mine.evidence), expected)


@pytest.mark.parametrize(
    "name", sorted(set(REFERENCE) & {n for n, o in ORDERS.items() if o.uses_topic})
)
def test_without_a_topic_every_order_still_fetches_everything(name):
    web = {u: Page(0.0, 0.0, [Link(link.target) for link in TOWN[u].links]) for u in TOWN}
    mine = TypedCrawl(name, web, ["home"])
    assert set(mine.run(99, every=3)) == set(TOWN)


SAYS_NOTHING_OF_LINKS = {"bfs"}


@pytest.mark.parametrize("name", sorted(set(REFERENCE) - SAYS_NOTHING_OF_LINKS))
def test_a_nofollow_link_lends_its_words_and_not_its_page(name):
    links = [Link("n", 51, 51, 51, weight=0.0), Link("f", 51, 51, 51)]
    nothing = Page(0.0, 0.0)
    web = {"s": Page(1.0, 1.0, links), "t": nothing, "n": nothing, "f": nothing}
    mine = TypedCrawl(name, web, ["s", "t"])
    mine.run(2, every=1)
    values = mine.priorities()
    assert values["f"] > values["n"]


@every_order
def test_two_hundred_pages_of_a_web_are_crawled(name):
    rng = np.random.default_rng(5)
    web = {
        f"p{i}": Page(
            float(rng.integers(0, 9)) / 8,
            float(rng.integers(0, 9)) / 8,
            [
                Link(f"p{int(300 * rng.random() ** 3)}", *rng.integers(0, 256, 3).tolist())
                for _ in range(rng.integers(0, 9))
            ],
        )
        for i in range(300)
    }
    mine = TypedCrawl(name, web, ["p1", "p299"], tol=1e-4)
    assert len(set(mine.run(200, every=11))) == 200
