"""Pages whose headers or markup say what they are not, in the ready-made crawl."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

from tests.support.scrapy_runs import scrapy
from tests.support.sites import Page, links, serving

SKY = "All of this is about telescopes and planets. " * 8
CODINGS = ("none", "utf-8", "identity", "binary", "", "gzip", "br", "deflate, gzip", "\xff")
PACKED = ("gzip", "GZIP", "none, gzip", "gzip, none", "utf-8", "br")
CHARSETS = (
    *("base64", "undefined", "rot13", "hex", "zlib", "idna", "punycode", "unicode_escape"),
    *("utf-16", "UTF-32"),
)
ADDRESSES = ("http://[bad", "http://x:port/", "http://a b/", "//[", "javascript:void(0)")


def page(number: int, head: str = "") -> bytes:
    title = f"<title>sky é {number}</title>"
    return (
        f'<!DOCTYPE html><html lang="en"><head>{head}{title}</head><body><p>{SKY}</p>'
        f'<a href="/behind/{number}">more</a></body></html>'
    ).encode()


def heads() -> list[tuple[dict[str, str], str]]:
    """Headers and markup of the head of each page."""
    html, typed = "text/html; charset=utf-8", "Content-Type"
    return [
        *(({typed: html, "Content-Encoding": one}, "") for one in CODINGS),
        *(({typed: f"text/html; charset={one}"}, "") for one in CHARSETS),
        *(({typed: "text/html"}, f'<meta charset="{one}">') for one in CHARSETS),
        *(({typed: html}, f'<base href="{one}">') for one in ADDRESSES),
        *(({typed: html}, f'<link rel="canonical" href="{one}">') for one in ADDRESSES),
        *(
            ({typed: html}, f'<meta http-equiv="refresh" content="{seconds}; url={one}">')
            for one in ADDRESSES
            for seconds in (0, 60)
        ),
    ]


def test_every_page_is_read_whatever_its_head_says(tmp_path: Path) -> None:
    web: dict[str, Page | str] = {}
    for number, (headers, head) in enumerate(heads()):
        web[f"/{number}"] = 200, headers, page(number, head)
        web[f"/behind/{number}"] = "<title>behind</title>"
    for number, coding in enumerate(PACKED, len(heads())):
        headers = {"Content-Type": "text/html", "Content-Encoding": coding}
        web[f"/{number}"] = 200, headers, gzip.compress(page(number))
        web[f"/behind/{number}"] = "<title>behind</title>"
    known = len(heads()) + len(PACKED)
    web["/"] = links(*web, text=SKY)
    with serving(web) as site:
        done = scrapy(
            *("focus", f"{site.url}/", "--topic", "telescopes planets"),
            *("-s", "FRONTIER_ALLOW_NETWORKS=127.0.0.0/8", "-s", "DOWNLOAD_DELAY=0"),
            *("-s", "FRONTIER_VECTORS=built-in", "-s", "AUTOTHROTTLE_ENABLED=0"),
            *("-s", "FRONTIER_CANONICAL_URLS=0", "-s", "FRONTIER_TRAPS=last"),
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        assert set(web) == set(site.paths)
    lines = (tmp_path / "crawls/001/pages.jsonl").read_text().splitlines()
    items = {item["url"].removeprefix(site.url): item["title"] for item in map(json.loads, lines)}
    assert {f"/{number}": f"sky é {number}" for number in range(known)}.items() <= items.items()
