"""Pages that name a canonical address, in graph, evidence and store; also after a restart."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from frontier.backend import canonical_pages
from frontier.states import Mark, State
from frontier.store import StoreReader
from ranking import pagerank
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


def test_a_page_counts_on_the_address_that_it_names():
    crawl = crawled({A: DOUBLE, B: CANONICAL}, A)
    assert crawl.fetched == [A, B, D, E]
    assert state(crawl, A) is State.REDIRECTED
    assert state(crawl, B) is State.CRAWLED
    assert edges(crawl, A) == {B: 1.0, D: 0.0, E: 0.0}
    assert edges(crawl, B) == {D: 1.0, E: 1.0}


def test_the_scores_of_merged_pages_worked_by_hand():
    """Seed -> a, c; a is a double of b, which links to d; c links to b.

    With damping 1/2 and a uniform restart r = 1/6 over the six pages s a b c d e, e apart: what a
    has goes to b alone, as that of a redirect. y = v + (1/2) P' y from s on, then normalised.
    """
    web = {
        SEED: Page({A: 0.5, C: 0.5}),
        A: Page({D: 0.5, E: 0.5}, canonical=B),
        B: Page({D: 0.5}, canonical=B),
        C: Page({B: 0.5}),
    }
    crawl = crawled(web, SEED)
    graph = crawl.backend.driver.graph
    restart = np.zeros(graph.n)
    restart[id_of(crawl, SEED)] = 1.0
    scores = pagerank(graph, damping=0.5, restart=restart, tol=1e-12).scores
    # s = 1, a = c = s/4, b = a/2 + c/2, d = b/2, e: nothing; the rest of d's walk starts again.
    unnormalised = {SEED: 1.0, A: 1 / 4, C: 1 / 4, B: 1 / 4, D: 1 / 8, E: 0.0}
    total = sum(unnormalised.values())
    found = {url: scores[id_of(crawl, url)] for url in unnormalised}
    assert found == pytest.approx({url: y / total for url, y in unnormalised.items()}, abs=1e-10)


def test_the_relevance_of_a_double_is_not_counted_but_says_what_to_expect():
    crawl = opened({A: DOUBLE, B: CANONICAL})
    crawl.seed(A)
    crawl.step()
    evidence = crawl.backend.driver.evidence
    assert evidence.promise[id_of(crawl, B)] == 0.75
    assert evidence.parent_max[id_of(crawl, B)] == 0.75
    assert evidence.in_links[id_of(crawl, D)] == 0


def test_what_is_stored_of_a_double(tmp_path: Path):
    crawl = crawled({A: DOUBLE, B: CANONICAL}, A, directory=tmp_path)
    double, named = id_of(crawl, A), id_of(crawl, B)
    closed(crawl)
    with StoreReader.open(tmp_path) as reader:
        row = reader.page_row(double)
        other = reader.page_row(named)
    assert row is not None
    assert (row.state, row.status, row.relevance) == (State.REDIRECTED, 200, 0.75)
    assert (row.marks, row.twin) == (Mark.CANONICAL_ELSEWHERE, named)
    assert other is not None
    assert (other.state, other.marks, other.twin) == (State.CRAWLED, Mark(0), None)


def stands_for_itself(crawl: DrivenCrawl, url: str) -> bool:
    weights = edges(crawl, url)
    return state(crawl, url) is State.CRAWLED and (weights[D], weights[E]) == (1.0, 1.0)


@pytest.mark.parametrize(
    "web",
    [
        pytest.param({}, id="a 404"),
        pytest.param({B: NO_PAGE}, id="a timeout"),
        pytest.param({B: Page(error="x", status=0, state=State.ROBOTS)}, id="forbidden"),
        pytest.param({B: Page(error="x", status=0, state=State.FILTERED)}, id="filtered"),
        pytest.param({B: Page(redirect=C)}, id="a redirect to a 404"),
        pytest.param({B: Page(redirect=C), C: Page(redirect=A)}, id="a redirect back"),
        pytest.param({B: Page(redirect=A)}, id="a redirect straight back"),
        pytest.param({B: Page(redirect=C), C: Page(redirect=B)}, id="redirects in a circle"),
    ],
)
@pytest.mark.parametrize("restarted", [False, True])
def test_what_names_no_page_stands_for_itself(
    web: dict[str, Page], tmp_path: Path, restarted: bool
):
    crawl = opened({A: DOUBLE, **web}, tmp_path)
    crawl.seed(A)
    crawl.step()
    if restarted:
        crawl = reopened(crawl)
    crawl.run()
    assert stands_for_itself(crawl, A)
    crawl = reopened(crawl)
    assert stands_for_itself(crawl, A)
    assert crawl.backend.relevance_so_far.tolist() == [0.75]


def test_a_crash_before_a_page_was_restored_is_made_good(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    with monkeypatch.context() as patched:
        patched.setattr(canonical_pages.CanonicalPages, "_restore", lambda *_: None)
        crawl = crawled({A: DOUBLE}, A, directory=tmp_path)
        assert state(crawl, A) is State.REDIRECTED
    crawl = reopened(crawl)
    assert stands_for_itself(crawl, A)


def test_of_pages_that_name_each_other_the_later_one_stands():
    links = {D: 0.5, E: 0.25}
    crawl = crawled({A: Page(links, 0.5, canonical=B), B: Page(links, 0.5, canonical=A)}, A)
    assert state(crawl, A) is State.REDIRECTED
    assert stands_for_itself(crawl, B)


def test_a_chain_flows_to_its_end():
    links = {D: 0.5, E: 0.25}
    web = {A: Page(links, canonical=B), B: Page(links, canonical=C), C: Page(links, canonical=C)}
    crawl = crawled(web, A)
    assert [edges(crawl, url) for url in (A, B, C)] == [
        {B: 1.0, D: 0.0, E: 0.0},
        {C: 1.0, D: 0.0, E: 0.0},
        {D: 1.0, E: 1.0},
    ]


def test_a_canonical_address_that_redirects_to_a_page_is_that_page():
    crawl = crawled({A: DOUBLE, B: Page(redirect=C), C: Page({D: 0.5, E: 0.5})}, A)
    assert [state(crawl, url) for url in (A, B)] == [State.REDIRECTED] * 2
    assert stands_for_itself(crawl, C)


def test_a_page_whose_canonical_address_is_refused_as_a_link_stands(
    monkeypatch: pytest.MonkeyPatch,
):
    crawl = opened({A: DOUBLE, B: CANONICAL})
    traps = crawl.backend.traps
    monkeypatch.setattr(traps, "follow", lambda _, links: [one for one in links if one.url != B])
    crawl.seed(A)
    crawl.run()
    assert stands_for_itself(crawl, A)
    assert B not in crawl.fetched


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
    assert evidence.promise[target] == pytest.approx(0.9, abs=1e-3)


@pytest.mark.parametrize(
    ("url", "may_be_new", "taken"), [(B, False, 0), (B, True, 1), (C, False, 1)]
)
def test_a_page_leads_to_what_it_names_where_that_is_known_or_may_be_new(
    url: str, may_be_new: bool, taken: int
) -> None:
    crawl = opened({})
    crawl.seed(A, C)
    handed = crawl.hand_out()
    assert handed is not None
    named, links = crawl._record(url, 1), []
    crawl.backend.names(handed, named, links, may_be_new=may_be_new)
    assert links == [named] * taken
