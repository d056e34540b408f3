"""A recorded web on many registered domains, as a proxy serves it.

Fetchers share hosts out by registered domain: of a web that was recorded from one domain, one of
them would fetch everything. So each page moves to one of some made-up domains, which a hash of its
URL says, and links follow it. What was never recorded is not linked to any more.
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit
from zlib import crc32

from lxml import etree, html

from frontier.urls.canonical import canonical_url
from frontier.warc.payload import header
from frontier.web.recorded_web import RecordedWeb
from frontier.web.serving import WebAnswer, serve_until_stopped, text_answer

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from frontier.web.serving import WebServer

DOMAINS = 64
"""As many as there are partitions."""
_LEADING = {"a": "href", "area": "href", "frame": "src", "iframe": "src", "link": "href"}
"""Attribute by which an element leads to a page."""
_REFRESH = re.compile(r"(\s*\d+\s*;\s*url\s*=\s*)['\"]?(.*?)['\"]?\s*", re.IGNORECASE)


class Scattering:
    """Where each of some URLs has moved to, and what was there; spellings of one URL are alike."""

    def __init__(self, urls: Iterable[str], domains: int = DOMAINS) -> None:
        self._there: dict[str, str] = {}
        self._back: dict[str, str] = {}
        for url in urls:
            canonical = canonical_url(url)
            there = _moved(canonical, domains)
            self._there[canonical] = there
            self._back[canonical_url(there)] = url

    def to(self, url: str) -> str | None:
        """The address that a URL has now; None for one that is not served."""
        return self._there.get(canonical_url(url))

    def linked(self, page: str, link: str) -> str | None:
        """The same of what a page links to, as it is written there."""
        try:
            return self.to(urljoin(page, link))
        except ValueError:
            return None

    def back(self, url: str) -> str | None:
        """The URL that has this address now; None where nothing has."""
        return self._back.get(canonical_url(url))


def _moved(canonical: str, domains: int) -> str:
    """The whole URL stays readable in the new one: its host says something of a page too."""
    parts = urlsplit(canonical)
    query = f"?{parts.query}" if parts.query else ""
    host = f"part-{crc32(canonical.encode()) % domains}.test"
    return f"http://{host}/{parts.netloc}{parts.path}{query}"


def led_there(url: str, body: bytes, scattering: Scattering) -> bytes:
    """A page, recorded under `url`, with links to where pages are now, as UTF-8."""
    try:
        tree = html.document_fromstring(body)
    except (etree.ParserError, ValueError):
        return body
    # By hand: `rewrite_links` of lxml looks for addresses in styles too, and takes four times as
    # long, which the first crawl would pay for.
    for element in tree.iter(*_LEADING):
        name = _LEADING[element.tag]
        if name in element.attrib:
            there = scattering.linked(url, element.attrib.pop(name).strip())
            if there is not None:
                element.set(name, there)
    for element in tree.iter("meta"):
        sends = _REFRESH.fullmatch(element.get("content", ""))
        if sends is not None:
            there = scattering.linked(url, sends[2])
            element.set("content", f"{sends[1]}{there}" if there else "")
    led: bytes = html.tostring(tree, encoding="utf-8", doctype="<!DOCTYPE html>")
    return led


class ScatteredWeb:
    """A recorded web that has moved; a page is rewritten when it is asked for first."""

    def __init__(self, recorded: RecordedWeb, domains: int) -> None:
        self._recorded = recorded
        self._scattering = Scattering(recorded.urls(), domains)
        self._answers: dict[str, WebAnswer] = {}

    def answer(self, method: str, url: str, headers: Mapping[str, str], body: bytes) -> WebAnswer:
        """See `frontier.web.serving.Web`."""
        recorded = self._scattering.back(url)
        if recorded is None:
            return text_answer(404, f"Not recorded: {url}\n")
        if recorded not in self._answers:
            self._answers[recorded] = self._made(recorded)
        return self._answers[recorded]

    def _made(self, url: str) -> WebAnswer:
        found = self._recorded.read(url)
        if "html" not in header(found.headers, "content-type"):
            return WebAnswer(found.status, found.headers, found.body, found.reason)
        body = led_there(url, found.body, self._scattering)
        return WebAnswer(found.status, [("Content-Type", "text/html; charset=utf-8")], body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", type=Path)
    parser.add_argument("--domains", type=int, default=DOMAINS)
    parser.add_argument("--latency", type=float, default=0, help="milliseconds")
    parser.add_argument("--log", type=Path, help="takes a line a request")
    given = parser.parse_args()

    def announce(server: WebServer) -> None:
        print(server.url, flush=True)

    recorded = RecordedWeb([given.recording])
    web = ScatteredWeb(recorded, given.domains)
    serve_until_stopped(web, announce, latency=given.latency / 1000, log=given.log)


if __name__ == "__main__":
    main()
