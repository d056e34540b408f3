"""The generated web on many hosts, as a proxy serves it: the pages of `benchmarks.web`, spread."""

from __future__ import annotations

import argparse
import asyncio
import re

from benchmarks.web import Prose, answer, links_of, page_path, serve

_LINK = re.compile(r'href="/p/(\d+)"')
_ROBOTS = answer(b"User-agent: *\nDisallow:\n", "text/plain")


def page_url(number: int, hosts: int) -> str:
    """Address of a page: each host is a domain of its own."""
    return f"http://site-{number % hosts}.test{page_path(number)}"


def make_bodies(pages: int, hosts: int) -> dict[bytes, bytes]:
    """URL -> complete answer, for every page and every robots.txt."""
    prose = Prose()
    answers = {f"http://site-{at}.test/robots.txt".encode(): _ROBOTS for at in range(hosts)}
    for number in range(pages):
        html = prose.page(number, links_of(number, pages))
        spread = _LINK.sub(lambda link: f'href="{page_url(int(link[1]), hosts)}"', html)
        answers[page_url(number, hosts).encode()] = answer(spread.encode(), "text/html")
    return answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--pages", type=int, required=True)
    parser.add_argument("--hosts", type=int, default=256)
    given = parser.parse_args()
    asyncio.run(serve(make_bodies(given.pages, given.hosts), page_url(0, given.hosts)))


if __name__ == "__main__":
    main()
