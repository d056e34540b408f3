"""One side of an exchange without a crawl, in a process of its own: prints one line of JSON."""

from __future__ import annotations

import argparse
import json
import time
from functools import cache
from itertools import count
from typing import TYPE_CHECKING, Any

from benchmarks import web
from frontier.exchange import kinds
from frontier.exchange.connection import connect
from frontier.exchange.fetcher_side import FeedAnswer, FetcherExchange
from frontier.exchange.owner_side import Offer, OwnerExchange
from frontier.exchange.partitions import PARTITIONS
from frontier.exchange.wire import pack_handed, pack_page
from frontier.page_text import VisibleText
from frontier.records import HandedOut, PageRecord, UrlRecord
from frontier.states import State
from frontier.urls.canonical import fingerprint

if TYPE_CHECKING:
    from frontier.exchange.connection import Connection

AT_ONCE = 64
_ON_OFFER = 4 * AT_ONCE
"""URLs in the feed: each client finds another 64 while the owner works on the last ones."""
_LINKS = 20
_DIFFERENT = 16
"""Pages that are packed, in turns."""
_PATIENCE = 60.0
_EVERY = 1.0
_OVER = {"state": "finished"}
_PROSE = cache(web.Prose)
"""Takes a while to make."""


def own(dsn: str, pages: int) -> dict[str, object]:
    """Offer URLs and take out answers until there are `pages`."""
    connection = connect(dsn, "owner")
    exchange = OwnerExchange(connection, "owner")
    exchange.own("benchmark")
    numbers, out, done = count(1), 0, 0
    began = spent = looked = 0.0
    ends = time.monotonic() + _PATIENCE
    while done < pages and time.monotonic() < ends:
        with exchange.turn(256) as (messages, _):
            looks = time.monotonic() - looked > _EVERY
            if looks:
                looked = time.monotonic()
                for row in exchange.fetchers():
                    if row.verdict is None:
                        exchange.judge(row.id, "")
            out -= len(messages)
            offers = [_offer(next(numbers)) for _ in range(_ON_OFFER - out)]
            exchange.settle([one.number for one in messages], offers, ())
        if looks:
            exchange.tidy()
        if messages and not began:
            began, spent = time.monotonic(), time.process_time()
        elif messages:
            done += len(messages)
        out += len(offers)
        if not messages:
            list(connection.notifies(timeout=0.1, stop_after=1))
    seconds, busy = time.monotonic() - began, time.process_time() - spent
    with exchange.turn():
        exchange.tell(_OVER)
    return {"pages": done, "seconds": seconds, "busy": busy}


def fetch(dsn: str, me: str) -> dict[str, object]:
    """Take URLs and answer them until the owner has enough."""
    connection = _connected(dsn)
    exchange = FetcherExchange(connection, me, me, {}, AT_ONCE, time.monotonic)
    exchange.come_back(connection, ())
    pages = [_page(number) for number in range(_DIFFERENT)]
    said: list[FeedAnswer] = []
    trades, beat, over = [], 0.0, False
    began, ends = time.process_time(), time.monotonic() + 2 * _PATIENCE
    while not over and time.monotonic() < ends:
        if time.monotonic() - beat > _EVERY:
            beat = time.monotonic()
            brain, verdict = exchange.beat()
            over = brain is None or brain.told == _OVER
            if verdict == "":
                exchange.share(())
        started = time.perf_counter()
        _, taken = exchange.trade(said, (), AT_ONCE, ())
        if said or taken:
            trades.append(time.perf_counter() - started)
        said = [
            FeedAnswer(one.seq, one.fence, kinds.PAGE, {}, pages[one.seq % _DIFFERENT])
            for one in taken
        ]
        if not said:
            list(connection.notifies(timeout=0.05, stop_after=1))
    busy = time.process_time() - began
    exchange.leave()
    return {"trades": trades, "busy": busy}


def _connected(dsn: str) -> Connection:
    """Connect once the owner is there, for the first beat ends where nobody owns the exchange."""
    connection = connect(dsn, "client")
    ends = time.monotonic() + _PATIENCE
    while connection.execute("SELECT FROM frontier.brain").fetchone() is None:
        if time.monotonic() > ends:
            raise SystemExit("nobody owns the exchange")
        time.sleep(0.05)
    return connection


def _offer(seq: int) -> Offer:
    host = f"site-{seq % 1000}.test"
    return Offer(seq, seq % PARTITIONS, host, 0, 1 / seq, 1, False, False, _handed(seq, host))


def _handed(seq: int, host: str) -> bytes:
    page = PageRecord(url_id=seq, handout=seq, priority=0.5, score=1e-6, rank=seq)
    fields = _url(seq, host)
    return pack_handed(HandedOut(**fields, page=page), f"http://{host}{web.page_path(seq // 3)}")


def _page(number: int) -> bytes:
    page = PageRecord(
        url_id=number,
        state=State.CRAWLED,
        status=200,
        fetched=time.time(),
        length=3000,
        relevance=0.5,
        hash=bytes(16),
        title=f"Page {number}",
        is_prose=True,
        text=VisibleText(" ".join(_PROSE().sentences(number))),
    )
    links = [
        UrlRecord(
            **_url(number * _LINKS + at, f"site-{at}.test"),
            anchor=f"more about {at}",
            context=" ".join(_PROSE().sentences(at)[:2]),
            promise=0.25,
            matches=(1, 2, 3),
        )
        for at in range(_LINKS)
    ]
    return pack_page(page, links)


def _url(number: int, host: str) -> dict[str, Any]:
    url = f"http://{host}{web.page_path(number)}"
    print_ = fingerprint(url, b"")
    return {"url": url, "canonical": url, "fingerprint": print_, "slot": host, "depth": 3}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("who", help="owner, or the name of a client")
    parser.add_argument("dsn")
    parser.add_argument("pages", type=int)
    given = parser.parse_args()
    owns = given.who == "owner"
    print(json.dumps(own(given.dsn, given.pages) if owns else fetch(given.dsn, given.who)))


if __name__ == "__main__":
    main()
