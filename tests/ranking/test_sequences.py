"""Whole crawls of a hand-made web, worked out on paper."""

from __future__ import annotations

import pytest
from small_crawl import SmallCrawl

from ranking.orders import make_order

#   s -> a, b, c     a -> d, e     b -> e, f     c -> f, e     e -> g     g -> s     z -> f
WEB = {
    "s": ["a", "b", "c"],
    "a": ["d", "e"],
    "b": ["e", "f"],
    "c": ["f", "e"],
    "e": ["g"],
    "g": ["s"],
    "z": ["f"],
}


def crawl(name: str, seeds=("s",), every: int = 0, **signals) -> str:
    return "".join(SmallCrawl(make_order(name), WEB, seeds, **signals).run(99, every))


def test_bfs_takes_the_url_discovered_first():
    assert crawl("bfs") == "sabcdefg"


def test_dfs_takes_the_url_discovered_last():
    # c's links are f, e: e is the later one; its g leads back to s only.
    assert crawl("dfs") == "scegfbad"


def test_backlinks_takes_the_url_most_fetched_pages_link_to():
    # After s, a: all of b, c, d, e have 1; b is first. Then e has 2 and overtakes c, d, f.
    assert crawl("backlinks") == "sabecfdg"


@pytest.mark.parametrize("name", ["bfs", "dfs", "backlinks", "ppr"])
def test_all_seeds_come_before_everything_they_lead_to(name):
    assert crawl(name, seeds=("s", "z"), every=1).startswith("sz")


def test_ppr_between_re_ranks_pushes_one_step():
    # c = .85, s = 1: a, b, c = .2833; a hands .1204 to d and e; b makes e .2408, f .1204;
    # c is still .2833: e .3613, f .2408; e hands its .3071 to g.
    assert crawl("ppr") == "sabcegfd"


def test_ppr_with_a_re_rank_after_every_page():
    # The same order: with one seed, re-ranks scale all scores and add s's return from g, late.
    assert crawl("ppr", every=1) == "sabcegfd"


def test_ppr_scores_are_the_push_until_the_first_re_rank():
    one = SmallCrawl(make_order("ppr"), WEB, ["s"])
    one.run(2)
    expected = [1, 0.85 / 3, 0.85 / 3, 0.85 / 3, 0.85**2 / 6, 0.85**2 / 6]
    assert one.order.scores["score"] == pytest.approx(expected, abs=1e-15)


def test_opic_empties_the_page_it_fetches():
    # s: a, b, c = 1/3; a: d, e = 1/6; b: e = 1/3, f = 1/6; c (first of 1/3): e = 1/2, f = 1/3;
    # e: g = 1/2; then f = 1/3, d = 1/6.
    assert crawl("opic") == "sabcegfd"


def test_best_first_follows_the_best_single_link():
    relevance = {"s": 0.5, "b": 1.0}
    promise = {"b": 0.5, "c": 0.25, "f": 0.0, "e": 0.5}
    # s: a .25, b .5, c .375; b: e .75, f .5; then c, a. g and d have 0: g came first, from e.
    found = crawl(
        "best-first",
        relevance=lambda name: relevance.get(name, 0.0),
        promise=lambda name: promise.get(name, 0.0),
    )
    assert found == "sbefcagd"


def test_relevance_ppr_follows_relevant_parents():
    # m = .5 until a re-rank. s: all equal, .5; a is irrelevant: its d, e (0 + 2.5) / 6 fall
    # behind b, c (.5 + 2.5) / 6; b is relevant: f (1 + 2.5) / 6 leads, e (0 + 1 + 2.5) / 7 = .5
    # draws level with c, which was found first.
    relevance = {"s": 0.5, "a": 0.0, "b": 1.0}
    found = crawl("relevance-ppr", relevance=lambda name: relevance.get(name, 0.0))
    assert found.startswith("sabfced")
