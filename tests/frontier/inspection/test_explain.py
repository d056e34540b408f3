"""Why a URL has its place: fetched, queued, failed, refused, never met."""

from __future__ import annotations

import json
import math
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontier.backend import ledger
from frontier.config import DEFAULT_TOPIC_MODEL
from frontier.formatting import number
from frontier.inspection import CrawlView
from frontier.inspection.explain import Explanation
from frontier.inspection.onepage import UnknownUrlError
from frontier.inspection.rendering import rendered
from frontier.labels.learning import fitted_topic
from frontier.records import Lease
from frontier.states import State
from frontier.store import row_groups
from frontier.store.open import FILE_NAME
from ranking.orders import ORDERS
from ranking.topics import TfidfTopic
from ranking.topics.explaining import TITLE
from ranking.topics.judging import PageText
from tests.support.driven_crawl import CLOSED, GONE, LATER, OLD, WEB, A, B, C, DrivenCrawl, Page
from tests.support.told import tells
from tests.support.watched import WatchedCrawl, wide_web


class Clocked(DrivenCrawl):
    """A crawl whose leases are timed by the clock of its answers."""

    def lease_next(self) -> Lease | None:
        with patch.object(ledger.time, "time", lambda: self._now):
            return super().lease_next()


def crawl_of(
    directory: Path | None, steps: int = 6, web: dict[str, Page] | None = None, **config: Any
) -> Clocked:
    config = {"strategy": "bfs", "topic": "pages", **config}
    crawl = Clocked(directory, WEB if web is None else web, **config)
    crawl.seed(A)
    crawl.run(steps)
    return crawl


def explained(directory: Path, url: str, shown: int = 5) -> Explanation:
    with CrawlView.open(directory) as view:
        return view.explain(url, shown)


SPOKEN = {
    A: Page(
        {B: 0.5, C: 0.25},
        0.75,
        "Page A",
        similarity=0.4,
        matches={B: (255, 0, 51), C: (51, 204, 0)},
    ),
    B: Page({C: 1.0}, 0.25, matches={C: (0, 0, 102)}),
    C: Page(),
}


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    crawl_of(tmp_path / "job").close()
    return tmp_path / "job"


def test_a_queued_url_has_the_rank_it_would_leave_at(closed: Path) -> None:
    found = explained(closed, LATER)
    assert (found.state, found.rank, found.queued, found.of_host) == ("queued", 2, 2, 2)
    assert (found.priority, found.because) == (-7.0, ())


def test_a_fetched_page_has_what_was_known_at_its_request(tmp_path: Path) -> None:
    """B was found on A; C links to it as well, and was fetched later."""
    crawl_of(tmp_path).close()
    found = explained(tmp_path, B)
    assert (found.state, found.request, found.rank, found.priority) == ("crawled", 2, 1, -1.0)
    assert found.links == 2
    assert {source.url for source in found.carriers} == {A, C}


webs = st.lists(
    st.tuples(
        st.dictionaries(st.integers(0, 11), st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=6),
        st.sampled_from([0.0, 0.25, 0.75]),
    ),
    min_size=12,
    max_size=12,
)


@settings(max_examples=20)
@given(webs, st.integers(1, 12), st.sampled_from(sorted(ORDERS)))
def test_every_url_of_a_crawl_can_be_explained(
    tmp_path_factory: pytest.TempPathFactory,
    pages: list[tuple[dict[int, float], float]],
    steps: int,
    order: str,
) -> None:
    """Ranks are the places of `top`; shares make a whole; JSON and a terminal can show it."""
    urls = [A, *(f"http://{number % 3}.example/{number}" for number in range(1, 12))]
    web = {
        url: Page({urls[at]: predicted for at, predicted in links.items()}, relevance)
        for url, (links, relevance) in zip(urls, pages, strict=True)
    }
    place = tmp_path_factory.mktemp("job")
    crawl_of(place, steps, web, strategy=order, rerank_min_pages=1).close()
    with CrawlView.open(place) as view:
        places = {row.url: row.rank for row in view.top(100)}
        for url in [row.url for row in view.top(100, None)]:
            found = view.explain(url, 100)
            if found.state == "queued":
                assert (found.rank, found.queued) == (places[url], len(places))
            if found.carriers:
                assert sum(one.carries for one in found.carriers) == pytest.approx(1)
            json.dumps(found.as_dict(), allow_nan=False)
            assert all(line.isprintable() for line in rendered(found))


def test_a_url_that_was_given_up_unasked_has_no_rank(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 1)
    crawl.backend.ledger.drop(1, "a trap")
    crawl.close()
    found = explained(tmp_path, B)
    assert (found.state, found.because[0], found.rank) == ("trap", "a trap", None)


@pytest.mark.parametrize("order", ["apprentice", "bfs", "ppr"])
def test_an_explanation_by_groups_is_that_by_rows(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, order: str
) -> None:
    monkeypatch.setattr(row_groups, "URLS", 8)
    monkeypatch.setattr(row_groups, "ANSWERS", 4)
    web = wide_web(60, 3)
    del web["http://host1.example/7"]
    crawl = WatchedCrawl(tmp_path, web, strategy=order, topic="pages", rerank_min_pages=5)
    crawl.seed("http://host1.example/1")
    crawl.run(30)
    crawl.close()
    found = []
    for there_are_groups in True, False:
        with CrawlView.open(tmp_path) as view:
            urls = [row.url for row in view.top(100, None)]
            found.append([view.explain(url).as_dict() for url in urls])
            found.append([view.url(url).as_dict() for url in urls])
        with closing(sqlite3.connect(tmp_path / FILE_NAME)) as connection, connection:
            for statement in "DELETE FROM url_groups", "DELETE FROM answer_groups":
                assert (connection.execute(statement).rowcount > 3) == there_are_groups
    assert found[:2] == found[2:]


def test_an_unfetched_seed_stands_before_everything(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 1)
    crawl.seed("http://s.example/")
    crawl.close()
    found = explained(tmp_path, "s.example")
    assert (found.rank, found.priority, found.parts) == (1, None, ())
    assert tells(found.because, "seeds")


def test_a_sum_is_explained_by_its_parts_beside_what_is_usual(tmp_path: Path) -> None:
    web = {A: Page({B: 0.5, C: 0.25}, 0.75), B: Page({C: 1.0}, 0.25), C: Page()}
    crawl_of(tmp_path, 1, web, strategy="fc-mean").close()
    found = explained(tmp_path, B)
    assert math.fsum(part.adds for part in found.parts) == pytest.approx(found.priority)
    assert all(part.usual is not None for part in found.parts)


def test_any_other_order_is_explained_by_numbers_that_it_reads(tmp_path: Path) -> None:
    web = {A: Page({B: 0.5, C: 0.25}, 0.75), B: Page({C: 1.0}, 0.25), C: Page()}
    crawl_of(tmp_path, 2, web, strategy="best-first").close()
    numbers = {part.evidence: part.adds for part in explained(tmp_path, C).parts}
    assert numbers["pages that link to it and vouch for it"] == 2
    assert numbers["mean relevance of the linking pages"] == 0.5
    assert numbers["predicted relevance of the best link"] == 1.0


def test_what_was_not_fetched_has_its_reason(tmp_path: Path) -> None:
    refused = "http://b.example/refused"
    web = {
        **WEB,
        A: Page({B: 0.5, refused: 0.0, GONE: 0.0}, 0.75),
        refused: Page(error="offsite", status=0, state=State.FILTERED),
    }
    crawl_of(tmp_path, 20, web).close()
    for url, state, reason in (
        (GONE, "error", "HTTP 404"),
        (refused, "filtered", "offsite"),
        (CLOSED, "robots", "forbidden by robots.txt"),
    ):
        found = explained(tmp_path, url)
        assert (found.state, found.because[0]) == (state, reason)


def test_a_redirect_names_its_target(closed: Path) -> None:
    assert tells(explained(closed, OLD).because, C)


def test_what_is_tried_again_and_what_an_earlier_crawl_knew(tmp_path: Path) -> None:
    scores = tmp_path / "scores.tsv"
    scores.write_text(f"{B}\t0.5\n{GONE}\t0.1\n", encoding="utf-8")
    crawl = crawl_of(tmp_path / "job", 1, strategy="fc-mean", scores=str(scores))
    for _ in range(2):
        lease = crawl.lease_next()
        assert lease is not None
        crawl.backend.retry(lease, lease, 0)
    crawl.close()
    found = explained(tmp_path / "job", B)
    assert found.priority is not None
    assert tells(found.because, 2)
    assert tells(found.because, "(FRONTIER_SCORES)", 0.75, number(found.priority))


def test_a_url_that_was_never_met_is_refused_with_what_is_known(closed: Path) -> None:
    for asked, facts in (
        ("http://b.example/else", ("too many",)),
        ("https://c.example/", (f"{C}?",)),
        ("http://nowhere.example/", ("nowhere.example",)),
        ("http://a.example/\udcff", ()),
    ):
        with CrawlView.open(closed) as view, pytest.raises(UnknownUrlError) as refusal:
            view.explain(asked)
        assert tells(str(refusal.value), 8, *facts)


def test_shares_of_what_links_carry(tmp_path: Path) -> None:
    """Relevance 1 of 1.5 and prediction .2 of .8."""
    web = {A: Page({B: 0.5, C: 0.6}, 0.5), B: Page({C: 0.2}, 1.0), C: Page()}
    crawl_of(tmp_path, 2, web, strategy="topic-ppr", rerank_min_pages=1).close()
    carried = {one.url: one.carries for one in explained(tmp_path, C).carriers}
    expected = {A: (0.5 / 1.5 + 0.6 / 0.8) / 2, B: (1.0 / 1.5 + 0.2 / 0.8) / 2}
    assert carried == pytest.approx(expected, rel=1e-3)


def test_a_nofollow_link_speaks_and_does_not_vouch(tmp_path: Path) -> None:
    web = {
        A: Page({B: 0.5, C: 1.0}, 1.0, nofollow=frozenset({C})),
        B: Page({C: 0.0}, 0.5),
        C: Page(),
    }
    crawl_of(tmp_path, 2, web).close()
    carried = {one.url: (one.carries, one.nofollow) for one in explained(tmp_path, C).carriers}
    assert carried == {A: (0.5, True), B: (0.5, False)}


def test_links_show_their_words_and_what_these_are_worth(tmp_path: Path) -> None:
    crawl_of(tmp_path, 2, SPOKEN).close()
    of_a = next(one for one in explained(tmp_path, C).carriers if one.url == A)
    assert (of_a.relevance, of_a.words) == (0.75, 0.25)
    assert (of_a.anchor, of_a.context) == (f"to {C}", f"around {C} on {A}")
    assert of_a.topical
    assert tells(rendered(explained(tmp_path, C)), f"around {C} on {A}")


TEXT = "The locomotive stands beside the railway; a tram has left. Locomotives are heavy."
RAILWAYS = {
    A: Page({B: 0.5}, 0.75, "Railways", anchors={B: "Old locomotives"}),
    B: Page({}, 0.25),
}


def of_railways(
    folder: Path, text: str = TEXT, web: dict[str, Page] = RAILWAYS, **config: Any
) -> tuple[Explanation, Explanation]:
    """A page that was fetched, and one that it links to."""
    driven = DrivenCrawl(folder, web, topic="railway", vectors="built-in", **config)
    if driven.config.topic_model == DEFAULT_TOPIC_MODEL:
        fitted_topic(driven.config, driven.backend, [], [])
    driven.seed(A)
    driven.run(1)
    driven.backend.samples.offer(0, 1, 0.75, text)
    driven.close()
    return explained(folder, A), explained(folder, B)


def model() -> TfidfTopic:
    fitted = TfidfTopic("built-in")
    fitted.fit("railway", ())
    return fitted


def test_words_of_a_page_add_up_to_its_relevance(tmp_path: Path) -> None:
    page, _ = of_railways(tmp_path)
    words = {part.evidence: part.adds for part in page.topic_words}
    assert list(words)[:4] == ["railways", TITLE, "locomotive ~ railway", "tram ~ railway"]
    share = math.fsum(words.values()) ** 4
    assert share / (share + 1) == pytest.approx(model().relevance(TEXT, "Railways"))


def test_a_page_that_is_relevant_by_its_heading_is_explained_by_it(tmp_path: Path) -> None:
    title, heading, text = "Timetables", "The railway", "Departures every hour, on platform two."
    web = {A: Page({B: 0.5}, 0.75, title, heading), B: Page({}, 0.25)}
    page, _ = of_railways(tmp_path, text, web)
    words = {part.evidence: part.adds for part in page.topic_words}
    assert words[TITLE] == max(words.values())
    share = math.fsum(words.values()) ** 4
    relevance = model().judge(PageText(text, title, heading)).relevance
    assert share / (share + 1) == pytest.approx(relevance)
    assert model().relevance(text, title) < 0.5 < relevance


def test_words_of_a_link_add_up_to_its_promise(tmp_path: Path) -> None:
    _, target = of_railways(tmp_path)
    (carrier,) = target.carriers
    assert carrier.topic_words[0].evidence == "locomotives ~ railway"
    odds = math.fsum(part.adds for part in carrier.topic_words)
    predicted = model().predict("Old locomotives", carrier.context or "", B)
    assert odds / (odds + 1) == pytest.approx(predicted)
    first = carrier.topic_words[0].adds
    assert tells(rendered(target), "locomotives ~ railway", f"{first:+.2f}")
    assert target.topic_words == ()  # it was not fetched
