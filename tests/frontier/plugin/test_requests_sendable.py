from __future__ import annotations

import pytest
from scrapy import Request
from scrapy.http import HtmlResponse

from frontier.plugin.crawl.request_codec import sendable

PAGE = "http://site.example/"


@pytest.mark.parametrize("charset", ["utf-16-le", "utf-16-be", "utf-32-le"])
def test_headers_of_a_request_from_a_wide_page_are_ascii(charset: str) -> None:
    response = HtmlResponse(PAGE, body="<a href=/звезда>x</a>".encode(charset), encoding=charset)
    request = response.follow("/звезда", headers={"Referer": PAGE, "X": b"as it is"})
    sent = sendable(request)
    assert sent.headers.to_unicode_dict() == {"Referer": PAGE, "X": "as it is"}
    assert sent.headers.get("Referer") == PAGE.encode()
    assert sent.url == request.url == PAGE + "%D0%B7%D0%B2%D0%B5%D0%B7%D0%B4%D0%B0"
    assert sent.encoding == "utf-8"


def test_other_requests_stay_what_they_are() -> None:
    request = Request(PAGE, encoding="koi8-r", headers={"Referer": PAGE})
    assert sendable(request) is request
