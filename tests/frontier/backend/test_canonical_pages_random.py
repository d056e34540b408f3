"""Whatever pages name and wherever redirects lead: no page is lost by it, nor where it links."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from frontier.states import State
from tests.support.driven_crawl import DrivenCrawl, Page

HOSTS = ("http://one.example/", "http://two.example/")
SEED = "http://seed.example/"


def random_web(seed: int, n: int = 14) -> dict[str, Page]:
    """Pages on two hosts that link, redirect and name each other at random; some are missing."""
    draw = random.Random(seed)
    urls = [draw.choice(HOSTS) + str(number) for number in range(n)]
    web = {SEED: Page(dict.fromkeys(urls[: n // 2], 0.5), 0.5)}
    for url in urls:
        kind = draw.random()
        if kind < 0.2:
            web[url] = Page(redirect=draw.choice(urls))
        elif kind < 0.85:
            links = dict.fromkeys(draw.sample(urls, 3), 0.5)
            named = draw.choice([None, url, *draw.sample(urls, 3)])
            web[url] = Page(links, draw.random(), canonical=named)
    return web


def opened(directory: Path, web: dict[str, Page]) -> DrivenCrawl:
    return DrivenCrawl(directory, web, strategy="bfs", topic="pages")


def known(crawl: DrivenCrawl) -> dict[str, State]:
    ledger = crawl.backend.ledger
    return {crawl.backend.url(n): State(ledger.state.array[n]) for n in range(len(ledger))}


def edges(crawl: DrivenCrawl) -> dict[str, dict[str, float]]:
    found = {}
    for number in range(len(crawl.backend.ledger)):
        targets, weights = crawl.backend.driver.graph.links(number)
        values = [1.0] * len(targets) if weights is None else weights.tolist()
        urls = [crawl.backend.url(target) for target in targets.tolist()]
        found[crawl.backend.url(number)] = dict(zip(urls, values, strict=True))
    return found


def end_of(url: str, found: dict[str, dict[str, float]], states: dict[str, State]) -> str:
    """Where a page's score goes: by the one link that has a weight, while it is merged."""
    for _ in range(50):
        if states[url] is not State.REDIRECTED:
            return url
        followed = [target for target, weight in found[url].items() if weight]
        if len(followed) != 1:
            return url
        url = followed[0]
    return url


@pytest.mark.parametrize("seed", range(6))
def test_every_page_stands_or_counts_on_one_that_does(tmp_path: Path, seed: int):
    web = random_web(seed)
    crawl = opened(tmp_path, web)
    crawl.seed(SEED)
    crawl.run()
    states, found = known(crawl), edges(crawl)
    crawl.close()
    assert len(crawl.fetched) == len(set(crawl.fetched))
    for url in crawl.fetched:
        page = web.get(url)
        if page is None or page.redirect:
            continue
        assert states[end_of(url, found, states)] is State.CRAWLED
        others = [link for link in page.links if link != url]
        assert set(others) <= set(states)
        if states[url] is State.CRAWLED:
            assert {found[url][link] for link in others} <= {1.0}
