"""Responses as their types and bytes have them."""

from __future__ import annotations

import pytest
from scrapy.http import HtmlResponse, Response, TextResponse, XmlResponse

from frontier.plugin.crawl.bodies import is_charset, readable
from frontier.plugin.crawl.page_reader import ResponseReader

PAGE = '<!DOCTYPE html><html lang="en"><title>é</title><a href="/a">a</a>'
URL = "http://a.example/"


@pytest.mark.parametrize(
    ("name", "known"),
    [
        *((one, False) for one in ("base64", "hex", "zlib", "bz2", "uu", "quopri", "rot13")),
        *((one, False) for one in ("undefined", "idna", "punycode", "unicode_escape", "nothing")),
        *((one, True) for one in ("utf-8", "cp1252", "utf-16", "gb18030", "koi8-r", "euc_jp")),
    ],
)
def test_codecs_of_python_that_are_no_charset_are_known(name: str, known: bool) -> None:
    assert is_charset(name) is known


@pytest.mark.parametrize("coding", ["none", "utf-8", "identity", "binary"])
def test_a_page_in_a_coding_that_nobody_knows_has_title_and_links(coding: str) -> None:
    headers = {"Content-Type": "text/html; charset=utf-8", "Content-Encoding": coding}
    response = TextResponse(URL, headers=headers, body=PAGE.encode())  # what Scrapy makes of it
    content = ResponseReader().read(response)
    assert (content.title, [link.url for link in content.links]) == ("é", [URL + "a"])
    assert isinstance(readable(response), HtmlResponse)


def test_a_body_that_is_packed_stays_what_it_is() -> None:
    headers = {"Content-Type": "text/html", "Content-Encoding": "br"}
    response = Response(URL, headers=headers, body=b"\x0b\x02\x80\x00\xff\x03")
    assert readable(response) is response


@pytest.mark.parametrize("charset", ["base64", "idna", "undefined", "raw_unicode_escape"])
def test_the_next_declaration_counts_where_a_charset_is_none(charset: str) -> None:
    headers = {"Content-Type": f"text/html; charset={charset}"}
    body = f'<meta charset="koi8-r"><title>{"я"}</title>'.encode("koi8-r")
    assert readable(HtmlResponse(URL, headers=headers, body=body)).encoding == "koi8-r"
    for text, codec in (("é", "utf-8"), ("é", "cp1252")):
        feed = f'<?xml version="1.0" encoding="{charset}"?><a>{text}</a>'.encode(codec)
        assert readable(XmlResponse(URL, body=feed)).encoding == codec


def test_an_ordinary_page_is_the_same_object() -> None:
    response = HtmlResponse(URL, body=PAGE.encode(), encoding="utf-8")
    assert readable(response) is response
