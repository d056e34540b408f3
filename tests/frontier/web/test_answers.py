from __future__ import annotations

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from frontier.web.answers import RequestError, WebAnswer, parse_head, render


def head(first: str, *fields: str) -> bytes:
    return "\r\n".join([first, *fields, "", ""]).encode()


def test_a_request_in_absolute_form_keeps_its_url() -> None:
    request = parse_head(head("GET http://a.example/x?y=1 HTTP/1.1", "Host: b.example", "A:  b "))
    assert (request.method, request.url) == ("GET", "http://a.example/x?y=1")
    assert request.headers == {"host": "b.example", "a": "b"}


def test_a_request_in_origin_form_takes_its_host_from_the_header() -> None:
    assert parse_head(head("GET /x HTTP/1.1", "Host: a.example:8")).url == "http://a.example:8/x"


@pytest.mark.parametrize("first", ["GET /x HTTP/1.1", "OPTIONS * HTTP/1.1", "GET x:y HTTP/1.1"])
def test_a_request_without_a_url_is_refused(first: str) -> None:
    with pytest.raises(RequestError, match="Host header"):
        _ = parse_head(head(first)).url


@pytest.mark.parametrize(
    ("first", "field", "kept"),
    [
        ("GET /a HTTP/1.1", "A: b", True),
        ("GET /a HTTP/1.1", "Connection: Close", False),
        ("GET /a HTTP/1.0", "A: b", False),
        ("GET /a HTTP/1.0", "Connection: keep-alive", True),
        ("GET /a HTTP/1.0", "Proxy-Connection: keep-alive", True),
    ],
)
def test_persistence(first: str, field: str, kept: bool) -> None:
    assert parse_head(head(first, field)).keep_alive is kept


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\r\n\r\n",
        b"PRI * HTTP/2.0\r\n\r\n",
        b"GET /\r\n\r\n",
        b"GET / HTTP/1.1\r\nno colon\r\n\r\n",
        b"GET / HTTP/1.1\r\nbad name: x\r\n\r\n",
        b"GET / HTTP/1.1\r\n: x\r\n\r\n",
        b"\r\n\r\n",
    ],
)
def test_what_is_no_request_is_refused_with_400(data: bytes) -> None:
    with pytest.raises(RequestError) as caught:
        parse_head(data)
    assert caught.value.status == 400


@given(st.binary(max_size=200))
def test_any_bytes_are_a_request_or_refused(data: bytes) -> None:
    with suppress(RequestError):
        assert parse_head(data + b"\r\n\r\n").method


def test_an_answer_on_the_wire() -> None:
    answer = WebAnswer(200, [("A", "b")], b"body")
    expected = b"HTTP/1.1 200 OK\r\nA: b\r\nContent-Length: 4\r\nConnection: close\r\n\r\n"
    assert render(answer, "GET", "close") == expected + b"body"
    assert render(answer, "HEAD", "close") == expected


def test_a_header_cannot_open_another_one() -> None:
    sent = render(WebAnswer(200, [("A", "b\r\nEvil: yes")], reason="x\r\ny"), "GET", "close")
    assert sent.startswith(b"HTTP/1.1 200 x y\r\nA: b Evil: yes\r\n")
