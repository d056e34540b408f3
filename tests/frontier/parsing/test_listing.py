"""Texts of addresses, one a line, are read as pages that link to each."""

from __future__ import annotations

import gzip

import pytest
from scrapy.http import HtmlResponse, Response, TextResponse

from frontier.parsing.listing import is_listing, read_listing
from frontier.plugin.crawl.page_reader import ResponseReader

URL = "http://a.example/sitemap.txt"
TWO = "http://a.example/1\nhttps://b.example/2\n"


@pytest.mark.parametrize(
    ("text", "is_one"),
    [
        (TWO, True),
        ("\ufeff" + TWO.replace("\n", "\r\n\r\n"), True),
        ("  HTTP://a.example/1  ", True),
        ("http://a.example/1 and more", False),
        (TWO + "the end", False),
        ("<p>http://a.example/1", False),
        ("http://a.example/<a href=x>", False),
        ("/1\n/2", False),
        ("", False),
        ("https", False),
    ],
)
def test_a_listing_is_nothing_but_addresses(text: str, is_one: bool) -> None:
    assert is_listing(text) is is_one


def test_the_last_line_of_a_beginning_may_go_on() -> None:
    assert is_listing(TWO + "htt", cut=True)
    assert not is_listing(TWO + "htt")
    assert is_listing("http://a.exa", cut=True)


def test_each_address_is_a_link_once_up_to_the_bound() -> None:
    page = read_listing(TWO + TWO + URL, URL, 2)
    assert [link.url for link in page.links] == TWO.split()
    assert not page.truncated
    page = read_listing(TWO, URL, 1)
    assert ([link.url for link in page.links], page.truncated) == (TWO.split()[:1], True)


@pytest.mark.parametrize(
    "response",
    [
        TextResponse(URL, body=TWO.encode()),
        HtmlResponse(URL, body=TWO.encode()),
        Response(URL + ".gz", body=gzip.compress(TWO.encode())),
        Response(URL + ".gz", body=gzip.compress((TWO * 500).encode())),
    ],
    ids=["text", "html", "packed", "long"],
)
def test_listings_are_read_of_whatever_type_and_packed(response: Response) -> None:
    assert [link.url for link in ResponseReader().read(response).links] == TWO.split()
