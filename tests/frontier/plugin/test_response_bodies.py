"""Responses are read in their charset, once, and stay what they were."""

from __future__ import annotations

import gzip

import pytest
from scrapy.http import HtmlResponse, Response, XmlResponse

from frontier.errors import PageError
from frontier.parsing.reader import ReadingLimits
from frontier.plugin.crawl.response_reader import MANY_HOSTS, ResponseReader

URL = "http://site.example/"


def html(body: bytes, kind: str = "text/html") -> HtmlResponse:
    return HtmlResponse(URL, headers={"Content-Type": kind}, body=body)


def test_codec_of_python_that_is_none_of_texts_is_no_obstacle() -> None:
    page = ResponseReader().read(html("größe".encode(), "text/html; charset=rot13"))
    assert page.text == "größe"


def test_text_is_the_one_that_scrapy_gives_the_callback() -> None:
    response = html("größe".encode(), "text/html; charset=iso-8859-1")
    assert ResponseReader().read(response).text == response.text


def test_page_is_parsed_once_for_reader_and_callback(monkeypatch: pytest.MonkeyPatch) -> None:
    response = html(b"<a href=/x>x</a>")
    ResponseReader().read(response)
    monkeypatch.setattr("parsel.selector.create_root_node", None)
    assert response.css("a::attr(href)").get() == "/x"


def test_callback_gets_the_attributes_that_are_not_read() -> None:
    many = b" ".join(b"a%d=1" % i for i in range(11_000))
    response = html(b"<p " + many + b"><a href=/x>x</a>")
    assert [link.url for link in ResponseReader().read(response).links] == [URL + "x"]
    assert len(response.css("p").attrib) == 11_000


def test_of_a_page_beyond_the_bound_the_beginning_is_read() -> None:
    body = b"<a href=/x>x</a>" + b"word " * 1000 + b"<a href=/y>y</a>"
    response = html(body)
    content = ResponseReader(limits=ReadingLimits(body=1000)).read(response)
    assert [one.url for one in content.links] == [f"{URL}x"]
    assert content.truncated
    assert response.body == body


def test_callback_sees_all_of_a_page_whose_attribute_is_a_long_text() -> None:
    state = b"{&quot;text&quot;: &quot;" + b"many words = " * 20_000 + b"&quot;}"
    response = html(b'<div class=app data-page="' + state + b'"></div><a class=x href=/x>x</a>')
    ResponseReader().read(response)
    assert len(response.css(".app").attrib["data-page"]) > 200_000
    assert response.css("a").attrib == {"class": "x", "href": "/x"}


def test_page_in_xml_is_read_as_a_page() -> None:
    body = b"<?xml version='1.0'?><html><body><p>word</p><a href='/x'>x</a></body></html>"
    page = ResponseReader().read(XmlResponse(URL, body=body))
    assert (page.text, [one.url for one in page.links]) == ("word x", [URL + "x"])


def test_links_to_more_hosts_than_are_followed_are_refused_by_name() -> None:
    refused: list[tuple[str, str]] = []
    reader = ResponseReader(lambda *one: refused.append(one), ReadingLimits(hosts=2))
    links = "".join(f"<a href=http://h{i % 4}.example/{i}>x</a>" for i in range(8))
    found = reader.read(html(links.encode()))
    assert {one.url[:17] for one in found.links} == {"http://h0.example", "http://h1.example"}
    assert len(found.links) == 4
    assert refused == [(MANY_HOSTS, f"http://h{i % 4}.example/{i}") for i in (2, 3, 6, 7)]


def test_what_is_no_text_is_told_from_a_text_that_is_none() -> None:
    reader = ResponseReader()
    assert reader.read(Response(URL, body=gzip.compress(b"x"))).links == []
    with pytest.raises(PageError, match="not text"):
        reader.read(html(b"\x01\x02" * 99))
