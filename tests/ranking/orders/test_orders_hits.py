"""Orders by hubs and authorities."""

from __future__ import annotations

from ranking.orders import make_order
from tests.ranking.small_crawl import SmallCrawl


def test_topic_hits_prefers_the_relevant_community():
    # Two equally strong communities; only the second one's pages are relevant.
    web = {"s": ["a", "b"], "a": ["x", "y"], "b": ["u", "v"], "x": ["y"], "u": ["v"]}
    topical = {"b": 1.0, "u": 1.0}
    crawl = SmallCrawl(make_order("topic-hits"), web, ["s"], lambda name: topical.get(name, 0.0))
    for page in ("s", "a", "b", "x", "u"):
        crawl.fetch(page)
    crawl.rerank()
    values = crawl.priorities()
    assert values["v"] > values["y"]
