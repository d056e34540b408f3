"""Responses are read in their charset, once, and stay what they were."""

from __future__ import annotations

import gzip

import pytest
from scrapy.http import Headers, HtmlResponse, Response, TextResponse, XmlResponse
from scrapy.responsetypes import responsetypes

from frontier.errors import PageError
from frontier.parsing.reader import ReadingLimits
from frontier.plugin.crawl.response_reader import MANY_HOSTS, ResponseReader, in_charset

URL = "http://site.example/"


def html(body: bytes, kind: str = "text/html") -> HtmlResponse:
    return HtmlResponse(URL, headers={"Content-Type": kind}, body=body)


def test_scrapy_reads_the_text_in_the_charset_that_was_found() -> None:
    response = in_charset(html("größe".encode("cp1252"), "text/html; charset=utf-8"))
    assert isinstance(response, TextResponse)
    assert (response.encoding, response.text) == ("cp1252", "größe")


def test_response_that_scrapy_reads_alike_is_left_alone() -> None:
    response = html("größe".encode(), "text/html; charset=utf-8")
    assert in_charset(response) is response
    picture = Response(URL, body=b"\x89PNG")
    assert in_charset(picture) is picture


def test_page_is_parsed_once_for_reader_and_callback(monkeypatch: pytest.MonkeyPatch) -> None:
    response = html(b"<a href=/x>x</a>")
    ResponseReader().read(response)
    monkeypatch.setattr("parsel.selector.create_root_node", None)
    assert response.css("a::attr(href)").get() == "/x"


def test_callback_of_a_plugged_in_project_gets_what_scrapy_makes_of_a_page() -> None:
    many = b" ".join(b"a%d=1" % i for i in range(11_000))
    body = b"<p " + many + "><a href=/x>größer über</a>".encode() * 9
    response = html(body, "text/html; charset=iso-8859-1")
    content = ResponseReader().read(response)
    assert "größer" in content.text
    assert "grÃ¶ÃŸer" in response.text
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
    with pytest.raises(PageError, match="an archive"):
        reader.read(html(gzip.compress(b"x")))


def test_headers_stay_what_they_were() -> None:
    response = html("ü".encode("cp1252"))
    assert in_charset(response).headers == Headers(response.headers)


def typed(*types: str, body: bytes = b"<p>text</p>", url: str = URL) -> Response:
    headers = {"Content-Type": list(types)}
    kind = responsetypes.from_args(headers=Headers(headers), url=url, body=body)
    return in_charset(kind(url, headers=headers, body=body))


@pytest.mark.parametrize(
    ("types", "kind"),
    [
        (("text/html, text/html",), HtmlResponse),
        (("text/html; charset=utf-8, text/html",), HtmlResponse),
        (("text/html", "text/plain"), TextResponse),
        (("text/html", "*/*"), HtmlResponse),
        (("image/png, text/html",), HtmlResponse),
        (("text/html, application/pdf",), Response),
        (("text/html, application/rss+xml",), XmlResponse),
        (("text/plain",), TextResponse),
    ],
)
def test_of_several_types_that_counts_which_browsers_go_by(
    types: tuple[str, ...], kind: type[Response]
) -> None:
    found = typed(*types, body=b"\0\1")
    assert type(found) is kind
    assert found.headers.getlist("Content-Type") == [one.encode() for one in types]


def test_of_several_charsets_that_counts_which_is_said_last() -> None:
    letters = "жизнь и судьба".encode("koi8-r")
    found = typed("text/html; charset=windows-1251, text/html; charset=koi8-r", body=letters)
    assert isinstance(found, HtmlResponse)
    assert found.text == "жизнь и судьба"
