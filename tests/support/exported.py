"""A small crawl with everything in it that an export may stumble over."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from frontier.records import Page, UrlRecord
from frontier.states import NOFOLLOW, State
from tests.support.driven_crawl import A, DrivenCrawl, small_crawl

ODD = "http://odd.example/?a=1&b=<2>%22'"
NEW = "http://new.example/"
ODD_TITLE = "Fish & <chips>\x00\x0b\x1f\ufffe \"quoted\" 'n' \u2028 \U0001f41f\tend"
ODD_ANCHOR = 'tail\x07 & "<a>"\x7f'
CLEAN_TITLE = "Fish & <chips>\ufffd\ufffd\ufffd\ufffd \"quoted\" 'n' \u2028 \U0001f41f\tend"
CLEAN_ANCHOR = 'tail\ufffd & "<a>"\x7f'


def odd_crawl(directory: Path, **config: Any) -> DrivenCrawl:
    """`small_crawl`, open, and a page with odd texts: linked to itself, and twice to A.

    NEXT is leased and not answered.
    """
    crawl = small_crawl(directory, **config)
    crawl.seed(ODD)
    lease = crawl.lease_next()
    assert lease is not None
    at = 1_793_700_100.0
    page = Page(state=State.CRAWLED, fetched=at, status=200, title=ODD_TITLE, relevance=0.25)
    links = [
        _link(crawl, ODD, "to myself", 0),
        _link(crawl, A, None, NOFOLLOW),
        _link(crawl, A, ODD_ANCHOR, 0),
        _link(crawl, NEW, "new", NOFOLLOW),
    ]
    crawl.report(lease, page, links)
    assert crawl.lease_next() is not None
    return crawl


def _link(crawl: DrivenCrawl, url: str, text: str | None, flags: int) -> UrlRecord:
    return replace(crawl._record(url, 1), anchor=text, predicted=0.5, flags=flags)
