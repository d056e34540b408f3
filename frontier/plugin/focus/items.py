"""What the focused spider yields for each page."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(slots=True)
class PageItem:
    """One fetched page.

    `url` is what was asked for and `final_url` where redirects ended. `fetched_at` is an ISO 8601
    time in UTC, `depth` counts links from a seed. `relevance` lies in [0, 1] (null without a topic,
    0 where the page repeats another one), `score` is what link analysis gave the URL when it was
    handed out (null in an order without). `referrer` and `anchor` are the page and the link text by
    which it was first found, null for a seed. `text_length` counts characters of visible text,
    `content_hash` is the 128-bit BLAKE2b of the body in hexadecimal. `duplicate_of` is null for a
    page that stands for itself; else the URL of the page that it repeats or nearly repeats (its
    relevance is 0 then), or that it names as its canonical address (its relevance is null then, and
    counts there). It is what was known when the page was read.
    """

    url: str
    final_url: str
    title: str | None
    status: int
    depth: int
    fetched_at: str
    relevance: float | None
    score: float | None
    referrer: str | None
    anchor: str | None
    text_length: int
    content_hash: str
    duplicate_of: str | None = None
