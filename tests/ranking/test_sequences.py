"""Whole crawls of a hand-made web, worked out on paper."""

from __future__ import annotations

import pytest

from ranking.orders import make_order
from tests.ranking.small_crawl import SmallCrawl

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


@pytest.mark.parametrize("name", ["bfs", "ppr"])
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


def worth(**values: float):
    return lambda name: values.get(name, 0.0)


def test_random_leaves_the_choice_to_the_queue():
    one = SmallCrawl(make_order("ranking.orders.simple.RandomOrder"), WEB, ["s"])
    one.run(3)
    assert set(one.priorities().values()) == {0.0}


def test_best_first_follows_the_page_most_similar_to_the_topic():
    # s: a, b, c = .5; a: d, e = 0; b: e, f = 1; e: g = 0; then f, c, and d before g.
    assert crawl("best-first", similarity=worth(s=0.5, b=1.0)) == "sabefcdg"


def test_anchor_parent_adds_half_of_the_page_and_half_of_the_best_words():
    words = {"sb": (51, 0, 0), "sc": (0, 102, 0), "be": (0, 0, 51), "bf": (0, 0, 153)}
    # s .5: a .25, b .35, c .45; c: f, e 0; b .5: e .35, f .55; then f, e: g 0; a: d 0.
    found = crawl(
        "anchor-parent",
        similarity=worth(s=0.5, b=0.5),
        matches=lambda page, link: (*words.get(page + link, (0, 0, 0)), 0, 0, 0),
    )
    assert found == "scbfeagd"


def test_shark_inherits_through_a_page_that_is_not_about_the_topic():
    # inh: a, b, c = .5 of s; behind a .25; b .02 is none: e, f .25; behind c .9: f, e .45.
    # With no words the priority is half of that: c is asked third, and f, e come before d.
    found = crawl("shark", similarity=worth(s=1.0, b=0.02, c=0.9))
    assert found == "sabcefdg"


def test_shark_takes_any_topical_word_of_a_link_for_a_topical_context():
    words = {"sb": (51, 0, 0), "sc": (0, 51, 0)}
    # Half of: b .8 * .2 + .2 = .36, c .2 * .2 = .04, a 0, with nothing inherited.
    one = SmallCrawl(
        make_order("shark"),
        WEB,
        ["s"],
        worth(),
        matches=lambda page, link: (*words.get(page + link, (0, 0, 0)), 0, 0, 0),
    )
    one.run(1)
    expected = {"a": 0.0, "b": 0.18, "c": 0.02}
    assert one.priorities() == pytest.approx(expected, abs=1e-7)


def test_shark_takes_a_page_for_one_about_the_topic_from_a_fiftieth_on():
    for similarity, handed in ((0.02, 0.25), (0.03, 0.015)):
        one = SmallCrawl(make_order("shark"), WEB, ["s"], similarity=worth(s=1.0, a=similarity))
        one.run(2)
        assert one.priorities()["d"] == pytest.approx(handed / 2)


def test_topic_hits_hands_on_the_relevance_of_pages_before_there_is_a_ranking():
    one = SmallCrawl(make_order("topic-hits"), WEB, ["s"], worth(s=0.25, a=0.5))
    one.run(2)
    assert one.priorities() == pytest.approx({"b": 0.25, "c": 0.25, "d": 0.5, "e": 0.5})


def test_topic_hits_between_re_ranks_takes_one_step_of_the_equation():
    web = {"s": ["a", "b", "c"], "b": ["c", "f"]}
    one = SmallCrawl(make_order("topic-hits", tol=1e-9), web, ["s"], worth(s=0.5, b=0.25))
    one.run(1)
    one.rerank()
    # a, b, c = 1/3 and r = .5: one step from h(s) = .5 (.5 / 3) 3 = .25 gives each .25, so a step
    # multiplies by 3/4. b: m = .375, h = .25 (.375 / 3) = 1/32, which adds 1/32 / (3/4) to c, f.
    one.fetch("b")
    assert one.priorities() == pytest.approx({"a": 1 / 3, "c": 1 / 3 + 1 / 24, "f": 1 / 24})


def test_fc_mean_asks_all_pages_that_link_to_a_url():
    # s: a, b, c all .5. a: m = .25, b, c (.5 + 1.25) / 6 = .29, d, e .21. b: m = .5,
    # c .5, d (0 + 2.5) / 6 = .42, e (1 + 2.5) / 7 = .5, f (1 + 2.5) / 6 = .58: f; m = .375,
    # c .40, e .41, d .31: e; m = .3, c .33, g .25, d .25: c, then d, g.
    assert crawl("fc-mean", relevance=worth(s=0.5, b=1.0)) == "sabfecdg"
