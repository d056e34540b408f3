"""Why a URL has its place: fetched, queued, failed, refused, never met."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from frontier import meta as key
from frontier.inspection import CrawlView
from frontier.inspection.errors import UnknownUrlError
from frontier.inspection.formatting import number
from frontier.inspection.text.explain import explain_text, ordinal
from frontier.states import State
from ranking.orders import ORDERS
from tests.support.driven_crawl import CLOSED, GONE, LATER, NEXT, OLD, WEB, A, B, C, Page
from tests.support.explained_crawl import SPOKEN, Clocked, crawl_of, explained


@pytest.fixture
def closed(tmp_path: Path) -> Path:
    crawl_of(tmp_path / "job").close()
    return tmp_path / "job"


def test_a_queued_url_has_the_rank_it_would_leave_at(closed: Path) -> None:
    said = explained(closed, LATER)
    assert (said.state, said.rank, said.queued, said.priority) == ("queued", 2, 2, -7.0)
    assert [(one.place, one.url) for one in said.ahead] == [(1, NEXT)]
    assert said.behind == ()
    assert [(one.place, one.url) for one in said.instead] == [(1, NEXT), (2, LATER)]
    assert said.why == ("It waits to be fetched.",)


def test_a_fetched_page_stands_among_its_hand_outs(closed: Path) -> None:
    said = explained(closed, C)
    assert (said.state, said.handout, said.priority) == ("crawled", 4, -4.0)
    assert [(one.place, one.url) for one in said.ahead] == [(3, GONE), (2, OLD)]
    assert [(one.place, one.url) for one in said.behind] == [(5, CLOSED)]
    assert [(one.place, one.url) for one in said.instead] == [(1, NEXT), (2, LATER)]


pages = st.lists(
    st.tuples(
        st.dictionaries(st.integers(0, 11), st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=6),
        st.sampled_from([0.0, 0.25, 0.75]),
    ),
    min_size=12,
    max_size=12,
)


@settings(max_examples=20, deadline=None)
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
            assert {one.url: one.place for one in said.instead} == places
            if said.carriers:
                assert sum(one.carries for one in said.carriers) == pytest.approx(1)
            json.dumps(said.as_dict(), allow_nan=False)
            assert all(line.isprintable() for line in explain_text(said))


def test_an_unfetched_seed_stands_before_everything(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 1)
    crawl.seed("http://s.example/")
    crawl.close()
    said = explained(tmp_path, "s.example")
    assert (said.rank, [part.words for part in said.parts]) == (
        1,
        ["a seed; those that came first are fetched first"],
    )
    assert "Priority seed now, by bfs" in explain_text(said)
    assert "It is a seed: unfetched seeds come before all that was found." in said.why


def test_the_place_among_those_of_its_host_is_told(tmp_path: Path) -> None:
    web = {A: Page({B: 0.5, C: 0.5, NEXT: 0.5, LATER: 0.5}, 0.5)}
    crawl_of(tmp_path, 1, web).close()
    assert explained(tmp_path, LATER).why == (
        "It waits to be fetched.",
        "It is number 3 of the 3 queued for the host c.example.",
    )


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
    assert (
        "It was handed out 3 times without an answer and is tried again, after up to "
        "FRONTIER_RETRY_HOLD others."
    ) in said.why


def test_what_an_earlier_crawl_knew_is_told(tmp_path: Path) -> None:
    scores = tmp_path / "scores.tsv"
    scores.write_text(f"{B}\t0.5\n{GONE}\t0.1\n", encoding="utf-8")
    crawl_of(tmp_path / "job", 1, strategy="fc-max", scores=str(scores)).close()
    said = explained(tmp_path / "job", B)
    assert said.priority is not None
    assert said.priority > 0.75
    assert (
        f"Scores of an earlier crawl (FRONTIER_SCORES) lift its priority from 0.75 to "
        f"{number(said.priority)}."
    ) in said.why


def test_a_class_outranks_every_priority(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    crawl.ask("http://d.example/", {key.CLASS: 3})
    crawl.close()
    said = explained(tmp_path, "d.example")
    assert (said.rank, said.priority_class) == (1, 3)
    assert said.why[1:] == (
        "No fetched page links to it: a request of the spider asked for it.",
        "Its request asks for class 3, which outranks every priority.",
        "It is the only one queued for the host d.example.",
    )


def test_what_was_not_fetched_says_why(tmp_path: Path) -> None:
    refused = "http://b.example/refused"
    web = {
        **WEB,
        A: Page({B: 0.5, refused: 0.0, GONE: 0.0}, 0.75),
        refused: Page(error="offsite", status=0, state=State.FILTERED),
    }
    crawl_of(tmp_path, 20, web).close()
    assert explained(tmp_path, GONE).why[0] == (
        "It could not be fetched and is not asked for again: HTTP 404."
    )
    assert explained(tmp_path, refused).why[0] == "A rule of the project refused it: offsite."
    assert explained(tmp_path, CLOSED).why[0] == "It may not be fetched: forbidden by robots.txt."


def test_a_redirect_names_its_target(closed: Path) -> None:
    assert explained(closed, OLD).why[0] == (
        f"It redirects to {C}, for which the links to it speak now."
    )


def test_a_url_that_waits_again_is_explained_as_waiting(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path)
    crawl.ask(A, {key.AGAIN: True})
    crawl.close()
    said = explained(tmp_path, A)
    assert said.state == "queued"
    assert said.why[0] == "It was answered 2026-11-03 10:00:00 UTC and is to be fetched again."


def test_a_url_that_was_never_met(closed: Path) -> None:
    said = explained(closed, "http://b.example/else")
    assert (said.url, said.state, said.rank) == ("http://b.example/else", "unknown", None)
    assert explain_text(said) == [
        "http://b.example/else",
        "  unknown: the crawl never met it",
        "  No page that was fetched links to it, and no seed or request of the spider named it.",
        "  Of the host b.example 3 URLs are known and 1 fetched; a link to it may stand on a page "
        "that is not, or was left out (FRONTIER_MAX_LINKS, a rule of the project).",
    ]


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
    [hint] = [line for line in explained(closed, asked).why if line.startswith("Did you mean")]
    assert f"Did you mean {meant}?" in hint


@given(st.text(max_size=30))
@settings(max_examples=50, deadline=None)
def test_anything_can_be_asked(tmp_path_factory: pytest.TempPathFactory, asked: str) -> None:
    place = tmp_path_factory.mktemp("job")
    crawl_of(place, 1).close()
    assert explained(place, asked).state in {"unknown", "crawled", "queued"}


@pytest.mark.parametrize("order", ["bfs", "relevance-ppr", "topic-hits"])
def test_a_running_crawl_is_explained(tmp_path: Path, order: str) -> None:
    crawl = crawl_of(tmp_path, 2, strategy=order)
    handed = crawl.hand_out()
    with CrawlView.open(tmp_path) as view, CrawlView.beside(tmp_path, crawl.backend) as own:
        said = view.explain(handed.url)
        queued = [row.url for row in view.top(10)]
        for url in queued:
            seen, known = view.explain(url), own.explain(url)
            assert seen.rank == known.rank
            np.testing.assert_allclose(seen.priority, known.priority, rtol=1e-6)
    crawl.answer(handed)
    crawl.close()
    assert (said.state, said.handout) == ("leased", handed.meta[key.LEASE])
    assert said.priority == handed.meta[key.PRIORITY]
    assert "has not been answered yet" in said.why[0]


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
    assert explain_text(explained(tmp_path, C)) == [
        C,
        "  queued, 1st of 2 to be fetched",
        "  It waits to be fetched.",
        "",
        "Priority 0.75 now, by fc-max",
        "  max of rel(u) over fetched pages u that link to v",
        "  - the most relevant page that links to it has 0.75",
        "",
        "Links to it: 2; most is carried by",
        "  carries  relevance  words  link score  from",
        f"   52.5 %       0.25      1           -  {B}",
        f'      "to {C}"',
        f"   47.5 %       0.75   0.25           -  {A}",
        f'      "to {C}"',
        "",
        "Next to it in the frontier",
        "  #  priority  state   URL",
        f"  1      0.75  queued  {C}  (this one)",
        f"  2      0.25  queued  {NEXT}",
        "",
        "Best of the frontier now",
        "  #  priority  promise  URL",
        f"  1      0.75        1  {C}",
        f"  2      0.25        0  {NEXT}",
    ]


def test_the_text_of_a_page_that_was_fetched_last_of_all(tmp_path: Path) -> None:
    crawl_of(tmp_path, 2, {A: Page({B: 0.5}, 0.75), B: Page({}, 0.25)}, strategy="fc-max").close()
    lines = explain_text(explained(tmp_path, B))
    assert lines[1:3] == ["  crawled", "  It was fetched 2026-11-03 10:00:01 UTC, as hand-out 1."]
    assert "Priority 0.75 when it was handed out, by fc-max" in lines
    assert "Links to it: 1, 1 of them known when it was handed out; most is carried by" in lines
    assert lines[-6:] == [
        "Handed out next to it",
        "  hand-out  priority  state    URL",
        f"         0      seed  crawled  {A}",
        f"         1      0.75  crawled  {B}  (this one)",
        "",
        "Nothing else is left to be fetched.",
    ]


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
    assert "Nothing in the frontier had a higher priority then." in said.why


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
        assert [one.place for one in now.ahead] == [one.place for one in then.ahead]
        assert [one.place for one in now.behind] == [one.place for one in then.behind]


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
    assert [part.words for part in said.parts] == [
        "a seed; those that came first are fetched first"
    ]
