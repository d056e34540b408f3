"""Requests that have left: each is found by its token or its response until its lease ends."""

from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import Response

from frontier.plugin.crawl.in_flight import TOKEN, Flight, Flights, hops, leads_nowhere, unread
from frontier.plugin.crawl.leaving import OrderWait
from tests.support.answers import lease_of

A, B = "http://a.example/", "http://b.example/"


def left(flights: Flights, url: str, number: int, **meta: object) -> Flight:
    request = Request(url, meta={TOKEN: number, **meta})
    return flights.start(lease_of(url, number), request)


def flights_of() -> tuple[Flights, OrderWait]:
    wait = OrderWait(lambda: False, places=8, longest=60.0)
    return Flights(wait), wait


def test_a_flight_is_found_by_its_token_until_it_ends() -> None:
    flights, _ = flights_of()
    flight = left(flights, A, 7)
    copied = Request(B, meta=flight.request.meta)
    assert flights.of(flight.request) is flights.of(copied) is flight
    assert flight in flights
    flights.end(flight)
    assert flights.of(flight.request) is None
    assert flight not in flights


def test_only_the_request_itself_is_unanswered_and_only_once() -> None:
    flights, _ = flights_of()
    flight = left(flights, A, 7)
    assert flights.unanswered(flight.request.copy()) is None
    assert flights.unanswered(flight.request) is flight
    flight.in_flight = False  # a callback downloads the same request by itself
    assert flights.unanswered(flight.request) is None


def test_a_response_answers_its_flight_whatever_its_request_becomes() -> None:
    flights, _ = flights_of()
    flight, other = left(flights, A, 7), left(flights, B, 8)
    response = Response(A, request=flight.request)
    assert flights.answer(flight, response) is None
    response.request = other.request
    assert flights.answered_by(response) is flight
    assert flights.answered_by(Response(A, request=flight.request)) is flight  # a copy
    assert flights.answered_by(Response(A)) is None


def test_a_response_that_answers_a_second_flight_names_the_first_while_that_is_open() -> None:
    flights, _ = flights_of()
    first, second, third = (left(flights, A, number) for number in (1, 2, 3))
    response = Response(A)
    assert flights.answer(first, response) is None
    assert flights.answer(second, response) is first
    flights.end(first)
    assert flights.answer(third, response) is None


def test_the_next_lease_waits_for_a_page_until_the_frontier_has_learned_from_it() -> None:
    flights, wait = flights_of()
    flight = left(flights, A, 7)
    assert wait.seconds() is None
    flights.answer(flight, Response(A))
    assert wait.seconds() is not None
    flights.end(flight)
    assert wait.seconds() is None


@pytest.mark.parametrize(("chosen", "expected"), [(None, None), ("mine", "mine")])
def test_a_redirect_does_not_inherit_the_slot_that_scrapy_noted(
    chosen: str | None, expected: str | None
) -> None:
    flights, _ = flights_of()
    meta = {} if chosen is None else {"download_slot": chosen}
    flight = left(flights, A, 7, **meta)
    flight.request.meta["download_slot"] = chosen or "a.example"
    redirected = Request(B, meta=dict(flight.request.meta))
    flight.forget_slot(redirected)
    assert redirected.meta.get("download_slot") == expected


def test_a_redirect_to_the_same_url_leads_nowhere_unless_it_is_not_filtered() -> None:
    asked = Request(A)
    assert leads_nowhere(asked, Request(f"{A}#top"))
    assert not leads_nowhere(asked, Request(B))
    assert not leads_nowhere(asked, Request(A, dont_filter=True))
    assert [hops(asked), hops(Request(A, meta={"redirect_times": 2}))] == [0, 2]


def test_an_unchanged_page_is_given_to_no_callback() -> None:
    request = Request(A, callback=print, errback=print, cb_kwargs={"x": 1}, meta={"mine": 1})
    silent = unread(request)
    assert silent.callback not in (None, print)
    assert (silent.errback, silent.cb_kwargs) == (None, {})
    assert (silent.meta["mine"], silent.meta["handle_httpstatus_list"]) == (1, [304])
