"""Serves pages of a recorded web, as a proxy, to crawlers that follow every link.

Of the pages between two sizes some are served, under their own addresses and as they were recorded,
but for this: a link to anything else leads to one of them, so that nothing is asked for in vain,
and all of them are found. Prints the proxy's address and ten pages to start from.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import re
from itertools import islice
from pathlib import Path
from urllib.parse import urldefrag, urljoin
from zlib import crc32

from benchmarks.web import Pages, answer, serve
from frontier.warc.payload import header
from frontier.web.recorded_web import RecordedWeb

_SEEDS = 10
_HREF = re.compile(rb"""(<a\s[^>]*?\bhref\s*=\s*["'])([^"'#][^"']*)""", re.IGNORECASE)


def bodies_of(recording: Path, least: int, most: int, pages: int | None = None) -> dict[str, bytes]:
    """HTML of `pages` pages of `least` to `most` bytes, by URL, in an order of their own."""
    web = RecordedWeb([recording])
    urls = sorted(web.urls())
    random.Random(1).shuffle(urls)
    found = ((url, web.read(url)) for url in urls)
    wanted = (
        (url, page.body)
        for url, page in found
        if page.status == 200
        and "html" in header(page.headers, "content-type")
        and least <= len(page.body) <= most
    )
    return dict(islice(wanted, pages))


def led_on(url: str, body: bytes, served: set[str], known: list[str]) -> bytes:
    """The page with its links to what is not `served` leading to one of the `known` instead."""

    def target(link: re.Match[bytes]) -> bytes:
        try:
            wanted = urldefrag(urljoin(url, link[2].decode("utf-8", "replace").strip())).url
        except ValueError:
            wanted = ""
        if wanted in served:
            return link[0]
        return link[1] + known[crc32(wanted.encode()) % len(known)].encode()

    return _HREF.sub(target, body)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", type=Path)
    parser.add_argument("--pages", type=int, help="all, if none is given")
    parser.add_argument("--least", type=int, default=0, help="bytes of a page")
    parser.add_argument("--most", type=int, default=10**9)
    given = parser.parse_args()
    bodies = bodies_of(given.recording, given.least, given.most, given.pages)
    known = list(bodies)
    served = set(known)
    answers = {
        url.encode(): answer(led_on(url, bodies[url], served, known), "text/html") for url in known
    }
    asyncio.run(serve(Pages(answers).find, ",".join(known[:_SEEDS])))


if __name__ == "__main__":
    main()
