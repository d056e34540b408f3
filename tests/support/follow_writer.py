"""A program that writes what a crawl writes, as fast as it can: pages that come, change and end.

`python -m tests.support.follow_writer DIR ANSWERS PAGES` goes on until the store has so many
answers; it may be killed at any time and started again.
"""

from __future__ import annotations

import random
import sys
from hashlib import blake2b
from pathlib import Path

from frontier.records import PageRow
from frontier.states import Mark, State
from frontier.store import Store

COMMIT = 64
"""Answers of a commit."""


def row_of(url_id: int, seq: int, lot: float) -> PageRow:
    """An answer: mostly a page, sometimes the end of one, sometimes trouble."""
    body = blake2b(f"{url_id} {seq}".encode(), digest_size=16).digest()
    known = {"url_id": url_id, "fetched": 1_793_700_000.0 + seq, "attempts": 1}
    if lot < 0.7:
        marks = Mark.NOINDEX if lot < 0.05 else Mark(0)
        title = f"page {url_id} of {seq}"
        return PageRow(
            state=State.CRAWLED, status=200, hash=body, title=title, marks=marks, **known
        )
    if lot < 0.85:
        return PageRow(state=State.ERROR, status=404, error="gone: HTTP 404, twice", **known)
    if lot < 0.95:
        return PageRow(state=State.REDIRECTED, status=301, final_url="http://w.example/", **known)
    return PageRow(state=State.ERROR, status=503, error="HTTP 503", **known)


def write(directory: Path, answers: int, pages: int) -> None:
    """Write answers to URLs that are drawn among so many."""
    with Store.open(directory) as store:
        store.load()
        known = store.count_urls()
        while store.next_seq < answers:
            lots = random.Random(store.next_seq)
            for _ in range(min(COMMIT, answers - store.next_seq)):
                url_id = lots.randrange(pages)
                while known <= url_id:
                    host = store.add_host("w.example")
                    url = f"http://w.example/{known}"
                    store.add_urls([(known, known, url, None, host, 0, 0.0, None, None, 0, 0)])
                    known += 1
                store.page(row_of(url_id, store.next_seq, lots.random()))
            store.commit()


if __name__ == "__main__":
    write(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
