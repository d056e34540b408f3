"""A small web of two hosts and three subjects, recorded, with labels: for `scrapy lab`."""

from __future__ import annotations

import gzip
import random
from pathlib import Path

SUBJECTS = {
    "comets": ["comet", "tail", "nucleus", "orbit"],
    "gardens": ["garden", "rose", "soil", "spade"],
    "engines": ["engine", "valve", "piston", "fuel"],
}
Site = dict[str, tuple[str, str]]


def _site(n: int = 60) -> Site:
    """URL -> subject and HTML; pages lead to their own subject more often than to others."""
    draw = random.Random(7)
    subjects = list(SUBJECTS)
    urls = [f"http://{'ab'[i % 2]}.example/{subjects[i % 3]}/{i}" for i in range(n)]
    site: Site = {}
    for i, url in enumerate(urls):
        subject = subjects[i % 3]
        own = [one for one in urls if f"/{subject}/" in one]
        leads = {*draw.sample(own, 3), *draw.sample(urls, 2), "http://c.example/away"}
        anchors = " ".join(
            f'<a href="{one}">{one.split("/")[3]}</a>' for one in sorted(leads - {url})
        )
        text = " ".join(draw.choices(SUBJECTS[subject], k=40))
        site[url] = subject, f"<title>{subject} {i}</title><p>{text}</p>{anchors}"
    return site


SITE = _site()


def labels_of(site: Site) -> str:
    return "".join(f"{url}\t{subject}\n" for url, (subject, _) in site.items())


def recorded(path: Path) -> Path:
    """Write the site as a WARC file."""
    path.write_bytes(b"".join(gzip.compress(_record(url), mtime=0) for url in SITE))
    return path


def _record(url: str) -> bytes:
    body = SITE[url][1].encode()
    block = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" + body
    head = (
        f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {url}\r\n"
        f"WARC-Date: 2026-11-20T00:00:00Z\r\nWARC-Record-ID: <urn:test:{url}>\r\n"
        f"Content-Type: application/http; msgtype=response\r\nContent-Length: {len(block)}\r\n\r\n"
    )
    return head.encode() + block + b"\r\n\r\n"
