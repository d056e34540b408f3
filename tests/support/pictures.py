"""Documents of crawls as frontier.watch.picture makes them, with whatever pages may hold."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

NOW = 1_795_000_000.0
HOSTILE = (
    '</script><script>document.title="run"</script>',
    "<img src=x onerror='document.title=\"run\"'>",
    '"><svg onload=document.title="run">',
    "]]><!--<script>",
    "</title></style></textarea>{{data}}",
    "line\u2028and\u2029paragraph",
    "right\u202etfel \u2066isolated",
    "null\x00bell\x07escape\x1b[31m",
    "half \ud800 of a pair",
    "javascript:document.title='run'",
)
"""Titles, texts and reasons that a crawl may bring."""
HOSTILE_URLS = (
    "javascript:document.title='run'",
    "data:text/html,<script>document.title='run'</script>",
    "http://a.example/</script><img src=x onerror=alert(1)>",
    "http://a.example/\u202egpj.exe",
    "file:///etc/passwd",
    "vbscript:msgbox",
)


def page(url: str, title: str, at: int = 0, **more: Any) -> dict[str, Any]:
    """One of the latest pages."""
    return {
        "url": url,
        "title": title,
        "status": 200,
        "fetched": NOW - 3 * at,
        "relevance": (at % 11) / 10,
        "words": [{"name": "telescope", "value": 0.4}, {"name": title[:30], "value": 0.1}],
        "anchor": title,
        "from_url": url,
        "change": None,
        **more,
    }


def picture(
    pages: int = 1000, titles: Sequence[str] = ("A page",), urls: Sequence[str] = (), **more: Any
) -> dict[str, Any]:
    """A picture of a crawl with its map and a URL explained; every text is one of `titles`."""
    latest = [
        page(
            urls[at % len(urls)] if urls else f"http://s{at % 7}.example/page/{at}",
            titles[at % len(titles)],
            at,
        )
        for at in range(50)
    ]
    text, count = titles[0], range(1, pages + 1)
    first = latest[0]["url"]
    part = {"adds": 0.5, "usual": 0.1, "evidence": text}
    source = {"url": first, "anchor": text, "context": text, "carries": 0.5, "topic_words": [part]}
    host = {"queued": 31, "in_flight": 1, "state": "ok", "until": None, "note": text}
    return {
        "directory": f"/crawls/{text}",
        "topic": text,
        "strategy": "apprentice",
        "focused": True,
        "started": NOW - 5400,
        "now": NOW,
        "last_page": NOW - 2,
        "running": False,
        "finish_reason": "finished",
        "finish_text": text,
        "relevant_from": 0.5,
        "numbers": {
            "known": 4 * pages,
            "queued": 3 * pages,
            "in_flight": 0,
            "pages": pages,
            "judged": pages,
            "relevant": pages // 2,
            "failed": 7,
            "links": 9 * pages,
            "hosts": 50,
            "epoch": 4,
            "memory": 123_456_789,
            "pages_per_second": 8.25,
            "recent_share": 0.42,
        },
        "curve": {
            "at": [NOW - 5400 + 5.4 * at for at in count],
            "pages": list(count),
            "judged": list(count),
            "relevant": [at // 2 for at in count],
            "recent": [0.5] * pages,
            "rate": [8.0 + at % 3 for at in count],
            "queued": [3 * at for at in count],
            "memory": [1e8 + 1e4 * at for at in count],
        },
        "queue": {
            "edges": [at / 20 for at in range(21)],
            "counts": [2 ** (20 - at) // 64 for at in range(20)],
        },
        "hosts": [
            {"host": f"{text[:20]}{at}", "pages": 60 - at, "judged": 50, "relevant": at, **host}
            for at in range(50)
        ],
        "latest": latest,
        "errors": [{"count": 9 - at, "reason": one} for at, one in enumerate(titles[:9])],
        "refused": [
            {"links": 9, "domains": 2, "reason": one, "example": first} for one in titles[:9]
        ],
        "estimates": {
            "harvest_rate": {"estimate": 0.6, "low": 0.5, "high": 0.7, "labelled": 30},
            "remaining": {"estimate": 900, "low": 200, "high": 4000},
            "coverage": None,
        },
        "reranks": [{"epoch": 4, "at": NOW - 60, "seconds": 0.25, "changed": 0.12}],
        "refresh": {
            **dict.fromkeys(("age_first_quartile", "age_third_quartile"), 60.0),
            **dict.fromkeys(("revisits", "changed", "gone", "moved"), 12),
            "pages": pages,
            "age_median": 7200.0,
            "age_oldest": 200_000.0,
            "up_to_date": 0.875,
        },
        "changes": [{**one, "change": "changed"} for one in latest],
        "map": {
            "pages": [
                {"id": at, "url": one["url"], "title": one["title"], "score": 1 / (at + 1)}
                | {"relevance": one["relevance"]}
                for at, one in enumerate(latest)
            ],
            "links": [[at, at * 7 % 50] for at in range(50)],
        },
        "urls": {
            first: {
                "url": first,
                "state": "crawled",
                "strategy": "apprentice",
                "formula": "evidence",
                "rank": 3,
                "queued": 9,
                "request": 7,
                "priority": 0.3,
                "score": 0.1,
                "links": 1,
                "because": [text],
                "parts": [part],
                "topic_words": [part],
                "carriers": [source],
            }
        },
    } | more
