"""A page that is closed says what the store says of it, and does what waited for that."""

from __future__ import annotations

import logging

import pytest
from scrapy import Request
from scrapy.http import Headers, Response
from scrapy.responsetypes import responsetypes

from frontier.parsing.content import PageContent
from frontier.plugin.crawl.in_flight import Flight
from frontier.plugin.crawl.open_page import OpenPage
from frontier.plugin.crawl.page_reader import says_something
from frontier.records import Page
from frontier.states import State
from frontier.verdict import Verdict
from ranking.topics.judging import Judgement
from tests.support.answers import lease_of
from tests.support.told import tells

URL = "http://a.example/"


def url_of(url_id: int) -> str:
    return f"http://{url_id}.example/"


JUDGED = Judgement(0.75, 0.5)


def page(judged: Judgement | None = JUDGED) -> OpenPage:
    flight = Flight(lease_of(URL, number=1), Request(URL))
    return OpenPage(flight, Response(URL), url_of, judged)


def close(one: OpenPage, relevance: float | None) -> None:
    one.read = Page(state=State.CRAWLED, fetched=0.0, relevance=relevance, similarity=relevance)
    one.verdict = Verdict([])
    one.settle()


def test_relevance_is_that_of_the_judge_and_then_that_of_the_store() -> None:
    one = page()
    assert (one.relevance, one.similarity) == (0.75, 0.5)
    close(one, 0.0)
    assert (one.relevance, one.similarity) == (0.0, 0.0)


def test_a_page_that_the_frontier_was_never_told_of_stays_as_it_was() -> None:
    one = page()
    one.settle()
    assert one.relevance == 0.75


@pytest.mark.parametrize("relevance", [None, 0.5])
def test_without_a_topic_there_is_none_however_a_redirect_is_valued(
    relevance: float | None,
) -> None:
    one = page(None)
    close(one, relevance)
    assert one.relevance is None


def test_what_waited_is_done_once_with_the_relevance_of_the_store() -> None:
    one, seen = page(), list[float | None]()
    one.when_closed(lambda: seen.append(one.relevance))
    close(one, 0.25)
    close(one, 0.5)
    assert seen == [0.25]


def test_what_fails_is_logged_and_keeps_nobody_else_waiting(
    caplog: pytest.LogCaptureFixture,
) -> None:
    one, seen = page(), list[str]()
    one.when_closed(lambda: 1 / 0)
    one.when_closed(lambda: seen.append("done"))
    with caplog.at_level(logging.ERROR):
        close(one, 0.0)
    assert seen == ["done"]
    assert tells(caplog.text, "when_closed", "http://a.example/")


def test_a_copy_names_the_page_that_it_repeats_and_a_merged_page_is_not_judged() -> None:
    for state, relevance in ((None, 0.0), (State.REDIRECTED, None)):
        one = page()
        one.read = Page(state=State.CRAWLED, fetched=0.0, relevance=0.5, similarity=0.5)
        one.verdict = Verdict([], state=state, twin=7, is_worthless=True)
        one.settle()
        assert one.duplicate_of == "http://7.example/"
        assert one.relevance == relevance


def test_a_page_is_read_once_and_only_when_its_content_is_asked_for() -> None:
    one, times = page(None), list[OpenPage]()

    def read(unread: OpenPage) -> None:
        times.append(unread)
        unread.content = PageContent("A title", "some words", [])

    one.read_later(read)
    read = one.closed(None)
    assert (one.text, read.text, read.title, times) == (None, None, None, [])
    assert (one.content.title, one.content.title, one.text) == ("A title", "A title", "some words")
    assert times == [one]


@pytest.mark.parametrize(
    ("kind", "headers", "expected"),
    [
        ("text/html", {}, True),
        ("application/json", {}, False),
        ("application/xml", {"X-Robots-Tag": "noindex"}, True),
    ],
)
def test_what_is_read_without_a_topic(kind: str, headers: dict[str, str], expected: bool) -> None:
    found = Headers({"Content-Type": kind, **headers})
    response = responsetypes.from_args(found, URL, body=b"{}")(URL, headers=found, body=b"{}")
    assert says_something(response) is expected


def test_a_closed_page_has_the_title_and_the_heading_that_were_judged() -> None:
    one = page()
    one.content = PageContent("Timetables", "The railway leaves.", [], heading="The railway")
    read = one.closed(None)
    assert (read.title, read.heading) == ("Timetables", "The railway")
    one.content = PageContent("", "Nothing of the kind.", [])
    assert (one.closed(None).title, one.closed(None).heading) == (None, None)
