"""Why a URL has its place: fetched, queued, failed, refused, never met."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontier.formatting import moment, number
from frontier.inspection import CrawlView
from frontier.inspection.onepage import UnknownUrlError
from frontier.inspection.text.explain import explain_text, ordinal
from frontier.states import State
from ranking.orders import ORDERS
from tests.support.driven_crawl import CLOSED, GONE, LATER, NEXT, OLD, WEB, A, B, C, Page
from tests.support.explained_crawl import SPOKEN, Clocked, crawl_of, explained
from tests.support.told import tells


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    crawl_of(tmp_path / "job").close()
    return tmp_path / "job"


def test_a_queued_url_has_the_rank_it_would_leave_at(closed: Path) -> None:
    said = explained(closed, LATER)
    assert (said.state, said.rank, said.queued, said.priority) == ("queued", 2, 2, -7.0)
    assert [(one.place, one.url) for one in said.ahead] == [(1, NEXT)]
    assert said.behind == ()
    assert len(said.why) == 1  # nothing but its priority decides


def test_a_fetched_page_stands_in_no_queue(closed: Path) -> None:
    said = explained(closed, C)
    assert (said.state, said.handout, said.priority) == ("crawled", 5, -4.0)
    assert (said.ahead, said.behind) == ((), ())


pages = st.lists(
    st.tuples(
        st.dictionaries(st.integers(0, 11), st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=6),
        st.sampled_from([0.0, 0.25, 0.75]),
    ),
    min_size=12,
    max_size=12,
)


@settings(max_examples=20)
@given(pages, st.integers(1, 12), st.sampled_from(sorted(ORDERS)))
def test_every_url_of_a_crawl_can_be_explained(
    tmp_path_factory: pytest.TempPathFactory,
    told: list[tuple[dict[int, float], float]],
    steps: int,
    order: str,
) -> None:
    """Ranks are the places of `top`; shares are at most a whole; JSON can say it."""
    urls = [A, *(f"http://{number % 3}.example/{number}" for number in range(1, 12))]
    web = {
        url: Page({urls[at]: promise for at, promise in links.items()}, relevance)
        for url, (links, relevance) in zip(urls, told, strict=True)
    }
    place = tmp_path_factory.mktemp("job")
    crawl_of(place, steps, web, strategy=order, rerank_min_pages=1).close()
    with CrawlView.open(place) as view:
        places = {row.url: row.rank for row in view.top(100)}
        met = [row.url for row in view.top(100, None)]
        for url in met:
            said = view.explain(url, 100)
            if said.state == "queued":
                assert said.rank == places[url]
                assert said.queued == len(places)
            beside = {one.url: one.place for one in (*said.ahead, *said.behind)}
            assert beside.items() <= places.items()
            if said.carriers:
                assert sum(one.carries for one in said.carriers) == pytest.approx(1)
            json.dumps(said.as_dict(), allow_nan=False)
            assert all(line.isprintable() for line in explain_text(said))


def test_an_unfetched_seed_stands_before_everything(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 1)
    crawl.seed("http://s.example/")
    crawl.close()
    said = explained(tmp_path, "s.example")
    assert (said.rank, len(said.parts)) == (1, 1)
    for lines in (said.why, [part.words for part in said.parts]):
        assert tells(lines, "seed")
    assert tells(explain_text(said), "seed", "bfs")


def test_the_place_among_those_of_its_host_is_told(tmp_path: Path) -> None:
    web = {A: Page({B: 0.5, C: 0.5, NEXT: 0.5, LATER: 0.5}, 0.5)}
    crawl_of(tmp_path, 1, web).close()
    why = explained(tmp_path, LATER).why
    assert tells(why, 3, "c.example")
    assert len(why) == 2


def test_a_url_that_is_tried_again_says_so(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 1)
    for _ in range(2):
        handed = crawl.hand_out()
        assert handed is not None
        assert handed.url == B
        crawl.backend.retry(handed, handed, 0)
    crawl.hand_out()
    crawl.backend.retry(handed, handed, 0)
    crawl.close()
    said = explained(tmp_path, B)
    assert said.state == "queued"
    assert tells(said.why, 3, "FRONTIER_RETRY_HOLD")


def test_what_an_earlier_crawl_knew_is_told(tmp_path: Path) -> None:
    scores = tmp_path / "scores.tsv"
    scores.write_text(f"{B}\t0.5\n{GONE}\t0.1\n", encoding="utf-8")
    crawl_of(tmp_path / "job", 1, strategy="fc-max", scores=str(scores)).close()
    said = explained(tmp_path / "job", B)
    assert said.priority is not None
    assert said.priority > 0.75
    assert tells(said.why, "FRONTIER_SCORES", 0.75, number(said.priority))


def test_a_class_outranks_every_priority(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    crawl.ask("http://d.example/", priority_class=3)
    crawl.close()
    said = explained(tmp_path, "d.example")
    assert (said.rank, said.priority_class) == (1, 3)
    assert len(said.why) == 4  # no page links to it; its class; its host
    assert tells(said.why, 3)
    assert tells(said.why, "d.example")


def test_what_was_not_fetched_says_why(tmp_path: Path) -> None:
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
        said = explained(tmp_path, url)
        assert said.state == state
        assert tells(said.why[:1], reason)


def test_a_redirect_names_its_target(closed: Path) -> None:
    assert tells(explained(closed, OLD).why[:1], C)


def test_a_url_that_waits_again_is_explained_as_waiting(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    crawl.ask(A, again=True)
    crawl.close()
    said = explained(tmp_path, A)
    assert said.state == "queued"
    assert tells(said.why[:1], "2026-11-03 10:00:00 UTC")


def test_a_url_that_was_never_met(closed: Path) -> None:
    said = explained(closed, "http://b.example/else")
    assert (said.url, said.state, said.rank) == ("http://b.example/else", "unknown", None)
    lines = explain_text(said)
    assert (lines[0], len(lines)) == ("http://b.example/else", 4)
    assert tells(lines, "unknown")
    assert tells(lines, "b.example", 3, 1, "FRONTIER_MAX_LINKS")


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        ("https://c.example/", C),
        ("http://www.c.example/", C),
        ("https://www.c.example/", C),
        ("http://c.example/next/", NEXT),
        ("http://c.example/next?print=1", NEXT),
    ],
)
def test_another_spelling_that_is_known_is_named(closed: Path, asked: str, meant: str) -> None:
    assert [tells([line], meant) for line in explained(closed, asked).why].count(True) == 1


@given(st.text(max_size=30))
@settings(max_examples=50)
def test_anything_can_be_asked(tmp_path_factory: pytest.TempPathFactory, asked: str) -> None:
    place = tmp_path_factory.mktemp("job")
    crawl_of(place, 1).close()
    assert explained(place, asked).state in {"unknown", "crawled", "queued"}


@pytest.mark.parametrize("order", ["bfs", "relevance-ppr", "topic-hits"])
def test_a_running_crawl_is_explained(tmp_path: Path, order: str) -> None:
    crawl = crawl_of(tmp_path, 2, strategy=order)
    handed = crawl.hand_out()
    with CrawlView.open(tmp_path) as view, CrawlView.beside(tmp_path, crawl.backend) as own:
        said, leased = view.explain(handed.url), view.url(handed.url).leased
        queued = [row.url for row in view.top(10)]
        for url in queued:
            seen, known = view.explain(url), own.explain(url)
            assert seen.rank == known.rank
            np.testing.assert_allclose(seen.priority, known.priority, rtol=1e-6)
    crawl.answer(handed)
    crawl.close()
    assert (said.state, said.handout) == ("leased", 3)
    assert said.priority == handed.page.priority
    assert tells(said.why[:1], moment(leased))


def test_explaining_changes_nothing(closed: Path) -> None:
    before = {file.name: file.read_bytes() for file in closed.iterdir()}
    for url in (A, NEXT, GONE, "http://nowhere.example/"):
        explained(closed, url)
    assert {file.name: file.read_bytes() for file in closed.iterdir()} == before


def test_a_resumed_crawl_is_explained_as_one_that_never_stopped(tmp_path: Path) -> None:
    config = {"strategy": "best-first"}
    crawl_of(tmp_path / "one", 4, **config).close()
    first = Clocked(tmp_path / "two", WEB, topic="pages", **config)
    first.seed(A)
    first.run(2)
    first.close()
    second = Clocked(tmp_path / "two", WEB, topic="pages", **config)
    second._now = first._now
    second.run(2)
    second.close()
    for url in (B, C, NEXT):
        one, two = explained(tmp_path / "one", url), explained(tmp_path / "two", url)
        assert (one.state, one.rank, one.links_then) == (two.state, two.rank, two.links_then)
        assert [part.words for part in one.parts] == [part.words for part in two.parts]


def test_the_text_of_a_queued_url(tmp_path: Path) -> None:
    web = {A: Page({B: 0.5, C: 0.25}, 0.75), B: Page({C: 1.0, NEXT: 0.0}, 0.25), C: Page()}
    crawl_of(tmp_path, 2, web, strategy="fc-max").close()
    lines = explain_text(explained(tmp_path, C))
    assert lines[0] == C
    for facts in (
        ("queued", "1st", 2),
        (0.75, "fc-max"),
        (ORDERS["fc-max"].formula,),
        ("52.5 %", 0.25, 1, B),
        ("47.5 %", 0.75, 0.25, A),
        (f'"to {C}"',),
        (1, 0.75, C),
        (2, 0.25, NEXT),
    ):
        assert tells(lines, *facts), facts


def test_the_text_of_a_page_that_was_fetched_last_of_all(tmp_path: Path) -> None:
    crawl_of(tmp_path, 2, {A: Page({B: 0.5}, 0.75), B: Page({}, 0.25)}, strategy="fc-max").close()
    said = explained(tmp_path, B)
    assert (said.links, said.links_then) == (1, 1)
    lines = explain_text(said)
    for facts in (
        ("crawled",),
        ("2026-11-03 10:00:01 UTC", "request 2"),
        (0.75, "fc-max"),
    ):
        assert tells(lines, *facts), facts


@pytest.mark.parametrize(
    ("rank", "text"),
    [
        (1, "1st"),
        (2, "2nd"),
        (3, "3rd"),
        (4, "4th"),
        (11, "11th"),
        (112, "112th"),
        (1021, "1,021st"),
    ],
)
def test_ordinals(rank: int, text: str) -> None:
    assert ordinal(rank) == text


def test_the_rank_at_the_hand_out_is_told(tmp_path: Path) -> None:
    crawl_of(tmp_path, 2, SPOKEN, strategy="fc-max").close()
    said = explained(tmp_path, B)
    assert (said.rank, said.parts_then) == (1, True)


CHAIN = {
    f"http://{number % 3}.example/{number}": Page(
        {f"http://{at % 3}.example/{at}": 0.5 for at in (number + 1, number + 2)}, 0.5
    )
    for number in range(200)
}


def test_what_people_say_of_pages_later_does_not_change_what_was_known_at_a_hand_out(
    tmp_path: Path,
) -> None:
    """A corrected page is stored once more, as it was fetched, behind answers that came later."""
    crawl = crawl_of(tmp_path, 0, CHAIN)
    crawl.seed("http://0.example/0")
    crawl.run(150)
    crawl.backend.commit()
    asked = [f"http://{number % 3}.example/{number}" for number in (5, 30, 140)]
    before = [explained(tmp_path, url) for url in asked]
    crawl.backend.correct(dict.fromkeys(range(1, 40), 1.0))
    crawl.close()
    for url, then in zip(asked, before, strict=True):
        now = explained(tmp_path, url)
        assert (now.links, now.links_then) == (then.links, then.links_then) == (2, 2)


@pytest.mark.parametrize("url", ["http://a.example/\udcff", "\udcff"])
def test_a_url_that_no_text_can_hold_was_never_met(closed: Path, url: str) -> None:
    said = explained(closed, url)
    assert said.state == "unknown"
    with CrawlView.open(closed) as view, pytest.raises(UnknownUrlError):
        view.url(url)


def test_a_seed_that_an_earlier_crawl_knew_is_explained_as_a_seed(tmp_path: Path) -> None:
    scores = tmp_path / "scores.tsv"
    scores.write_text("http://s.example/\t1.0\n")
    crawl = crawl_of(tmp_path / "job", 1, strategy="fc-mean", scores=str(scores))
    crawl.seed("http://s.example/")
    crawl.close()
    said = explained(tmp_path / "job", "http://s.example/")
    assert (said.state, said.rank, said.parts_add) == ("queued", 1, False)
    assert [tells([part.words], "seed") for part in said.parts] == [True]


PRONOUN = re.compile(r"\b(that|those|these|them|they|it|its|one|which|what|who)\b")


@pytest.mark.parametrize("order", ORDERS)
def test_what_a_priority_is_made_of_stands_alone(tmp_path: Path, order: str) -> None:
    """Lines are sorted by weight: a word for what another line names would point anywhere."""
    crawl_of(tmp_path, 3, strategy=order).close()
    with CrawlView.open(tmp_path) as view:
        urls = [row.url for state in (State.QUEUED, State.CRAWLED) for row in view.top(9, state)]
        parts = [part.words for url in urls for part in view.explain(url).parts]
        weights = [weight.words for weight in view.weights().weights]
    assert len(parts) >= len(urls) >= 3
    assert [words for words in (*parts, *weights) if PRONOUN.search(words)] == []
