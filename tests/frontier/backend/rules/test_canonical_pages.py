"""Pages that name a canonical address, in graph, evidence and store; also after a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from frontier import records
from frontier.backend.rules import doubles
from frontier.records import Canonical
from frontier.states import Mark, State
from frontier.store import StoreReader
from tests.support.driven_crawl import DrivenCrawl, Page

A, B, C, D, E = (f"http://site.example/{name}" for name in "abcde")
SEED = "http://site.example/"
OTHER = "http://other.example/"
NO_PAGE = Page(error="timeout", status=0, state=State.ERROR)


_OPEN: list[DrivenCrawl] = []


@pytest.fixture(autouse=True)
def closing() -> Iterator[None]:
    yield
    while _OPEN:
        _OPEN.pop().close()


def opened(web: dict[str, Page], directory: Path | None = None) -> DrivenCrawl:
    _OPEN.append(DrivenCrawl(directory, web, strategy="bfs", topic="pages"))
    return _OPEN[-1]


def closed(crawl: DrivenCrawl) -> None:
    _OPEN.remove(crawl)
    crawl.close()


def crawled(web: dict[str, Page], *seeds: str, directory: Path | None = None) -> DrivenCrawl:
    crawl = opened(web, directory)
    crawl.seed(*seeds)
    crawl.run()
    return crawl


def id_of(crawl: DrivenCrawl, url: str) -> int:
    return crawl.backend.ledger.find([crawl.config.identify(url)])[0]


def state(crawl: DrivenCrawl, url: str) -> State:
    return State(crawl.backend.ledger.state.array[id_of(crawl, url)])


def edges(crawl: DrivenCrawl, url: str) -> dict[str, float]:
    """Weight of each link of a page, by target."""
    targets, weights = crawl.backend.driver.graph.links(id_of(crawl, url))
    urls = [crawl.backend.url(target) for target in targets.tolist()]
    values = [1.0] * len(urls) if weights is None else weights.tolist()
    return dict(zip(urls, values, strict=True))


def reopened(crawl: DrivenCrawl) -> DrivenCrawl:
    closed(crawl)
    return opened(crawl.web, crawl.config.directory)


DOUBLE = Page({D: 0.5, E: 0.25}, 0.75, "a page", canonical=B)
CANONICAL = Page({D: 0.5, E: 0.25}, 0.75, "a page", canonical=B)


def test_a_page_counts_on_the_address_that_it_names_if_that_was_fetched(tmp_path: Path):
    crawl = crawled(
        {B: CANONICAL, A: Page({D: 0.5, C: 0.2}, 0.75, "a page", canonical=B)},
        B,
        A,
        directory=tmp_path,
    )
    assert crawl.fetched[:2] == [B, A]
    for _ in range(2):
        assert [state(crawl, url) for url in (A, B)] == [State.REDIRECTED, State.CRAWLED]
        assert edges(crawl, A) == {B: 1.0, D: 0.0, C: 0.0}
        assert edges(crawl, B) == {D: 1.0, E: 1.0}
        assert crawl.backend.canonical_pages.merged == 1
        crawl = reopened(crawl)
    assert crawl.backend.driver.evidence.in_links[id_of(crawl, D)] == 1
    double, named = id_of(crawl, A), id_of(crawl, B)
    closed(crawl)
    with StoreReader.open(tmp_path) as reader:
        row, other = reader.page_row(double), reader.page_row(named)
    assert row is not None
    assert (row.state, row.status, row.relevance) == (State.REDIRECTED, 200, 0.75)
    assert (row.marks, row.twin) == (Mark.CANONICAL_ELSEWHERE, named)
    assert other is not None
    assert (other.state, other.marks, other.twin) == (State.CRAWLED, Mark(0), None)


def test_one_that_names_what_was_not_fetched_stands_and_leads_there():
    crawl = opened({A: DOUBLE, B: CANONICAL})
    crawl.seed(A)
    crawl.step()
    assert crawl.backend.driver.evidence.predicted[id_of(crawl, B)] == 0.75
    crawl.run()
    assert crawl.fetched == [A, B, D, E]
    assert [state(crawl, url) for url in (A, B)] == [State.CRAWLED] * 2
    assert edges(crawl, A) == {B: 1.0, D: 1.0, E: 1.0}


@pytest.mark.parametrize(
    "web",
    [
        pytest.param({}, id="a 404"),
        pytest.param({B: NO_PAGE}, id="a timeout"),
        pytest.param({B: Page(redirect=C), C: Page(redirect=A)}, id="a redirect back"),
        pytest.param({B: Page(redirect=A)}, id="a redirect straight back"),
        pytest.param({B: Page(redirect=C), C: Page(redirect=B)}, id="redirects in a circle"),
    ],
)
@pytest.mark.parametrize("seeds", [(A,), (B, A)])
def test_what_names_no_page_stands_for_itself(web: dict[str, Page], seeds: tuple[str, ...]):
    crawl = crawled({A: DOUBLE, **web}, *seeds)
    weights = edges(crawl, A)
    assert state(crawl, A) is State.CRAWLED
    assert (weights[D], weights[E]) == (1.0, 1.0)


def test_of_many_that_name_one_address_only_so_many_are_merged(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(doubles, "MOST_DOUBLES", 2)
    web = {B: CANONICAL, **dict.fromkeys((A, C, SEED), DOUBLE)}
    crawl = crawled(web, B, A, C, SEED)
    assert [state(crawl, url) for url in (A, C, SEED)] == [*[State.REDIRECTED] * 2, State.CRAWLED]


def test_a_canonical_address_that_redirects_to_a_page_is_that_page():
    crawl = crawled({A: DOUBLE, B: Page(redirect=C), C: Page({D: 0.5, E: 0.5})}, B, C, A)
    assert [state(crawl, url) for url in (A, B)] == [State.REDIRECTED] * 2
    assert state(crawl, C) is State.CRAWLED


# Other hosts


@pytest.mark.parametrize("other", [Page({C: 0.5}, 0.5), Page({C: 0.5}, canonical=OTHER), NO_PAGE])
def test_nobody_is_believed_about_another_host(other: Page):
    crawl = crawled({A: Page({D: 0.5, E: 0.5}, 0.5, canonical=OTHER), OTHER: other}, A)
    assert OTHER in crawl.fetched
    assert edges(crawl, A) == {OTHER: 0.0, D: 1.0, E: 1.0}
    assert state(crawl, A) is State.CRAWLED


# Redirects


def test_a_redirect_to_a_page_that_was_fetched_before_teaches():
    """What spoke for the address that redirects speaks for its target, which is fetched once."""
    web = {
        SEED: Page({B: 0.9, C: 0.8}, 0.25),
        B: Page({D: 0.5}, 0.5, matches={D: (0, 0, 0)}),
        C: Page({A: 0.75}, 0.75),
        A: Page(redirect=B),
    }
    crawl = crawled(web, SEED)
    assert crawl.fetched == [SEED, B, C, D, A]
    evidence = crawl.backend.driver.evidence
    target = id_of(crawl, B)
    assert edges(crawl, A) == {B: 2.0}
    assert evidence.in_links[target] == 2
    assert evidence.parent_sum[target] == pytest.approx(0.25 + 0.75)
    assert evidence.parent_max[target] == 0.75
    assert evidence.predicted[target] == pytest.approx(0.9, abs=1e-3)


@pytest.mark.parametrize(
    ("url", "may_be_new", "taken"), [(B, False, 0), (B, True, 1), (C, False, 1)]
)
def test_a_page_leads_to_what_it_names_where_that_is_known_or_may_be_new(
    url: str, may_be_new: bool, taken: int
) -> None:
    crawl = opened({})
    crawl.seed(A, C)
    lease = crawl.lease_next()
    assert lease is not None
    named, page = crawl._record(url, 1), records.Page(state=State.CRAWLED, fetched=1.0)
    verdict = crawl.backend.take(lease, page, [], Canonical(named, may_be_new))
    assert verdict.links == [named] * taken
