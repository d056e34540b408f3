"""Which requests are made for a known URL: those that Scrapy's own filter would let through."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from scrapy import Request
from scrapy.dupefilters import RFPDupeFilter

from frontier.backend.first_requests import FirstRequests


@given(st.lists(st.tuples(st.integers(0, 3), st.booleans()), max_size=30))
def test_what_is_made_is_what_scrapys_filter_makes(requests: list[tuple[int, bool]]) -> None:
    first, known, scrapys = FirstRequests(), set[int](), RFPDupeFilter()
    for number, dont_filter in requests:
        request = Request(f"http://a.test/{number}", dont_filter=dont_filter)
        again = first.again(number, dont_filter=dont_filter, known=number in known)
        made = again or number not in known
        assert made == (dont_filter or not scrapys.request_seen(request))
        known.add(number)
