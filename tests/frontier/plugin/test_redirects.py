"""What the store says of a redirect that cannot be followed."""

from __future__ import annotations

import pytest
from scrapy.http import Response

from frontier.plugin.crawl.leases import unanswered


@pytest.mark.parametrize("location", ["file:///etc/passwd", "ftp://a.example/", "http://[::1"])
def test_a_redirect_to_no_address_says_where_it_leads(location: str) -> None:
    response = Response("http://a.example/", 302, {"Location": location})
    assert unanswered(response) == (
        f"HTTP 302: it leads to {location.encode()!r}, which is no http or https address"
    )


@pytest.mark.parametrize(
    ("status", "headers"),
    [(302, {}), (304, {"Location": "/there"}), (404, {"Location": "file:///x"}), (503, {})],
)
def test_other_answers_are_called_by_their_status(status: int, headers: dict[str, str]) -> None:
    assert unanswered(Response("http://a.example/", status, headers)) == f"HTTP {status}"


def test_a_long_location_is_shortened() -> None:
    response = Response("http://a.example/", 301, {"Location": "file:" + "x" * 9999})
    assert len(unanswered(response)) < 200
