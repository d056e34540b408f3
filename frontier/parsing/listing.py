"""Texts of addresses, one a line: sitemaps as text, and lists of URLs.

Source: https://www.sitemaps.org/protocol.html, "Text file".
"""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import islice

from frontier.parsing.content import Link, PageContent, plain_page
from frontier.urls.resolve import Resolver

_ADDRESS = re.compile(r"https?://[^\s<>]+", re.IGNORECASE)
_MARKED = "\ufeff \t\r\n"


def is_listing(text: str, *, cut: bool = False) -> bool:
    """Whether each line of a text is an address or empty, and at least one is an address.

    `cut`: the text is a beginning, whose last line may be incomplete.
    """
    text = text.lstrip(_MARKED)
    if text[:4].lower() != "http":
        return False
    lines = text.splitlines()
    whole = lines[:-1] if cut and len(lines) > 1 else lines
    return all(_ADDRESS.fullmatch(line.strip()) for line in whole if line.strip())


def read_listing(text: str, url: str, max_links: int, *, blocks: bool = False) -> PageContent:
    """Read a text of addresses as a page that links to each, to `max_links` at most."""
    resolve, own = Resolver(url, None), url.partition("#")[0]
    addresses = (resolve(line[0]) for line in _ADDRESS.finditer(text))
    urls = dict.fromkeys(
        islice((address for address in addresses if address not in (None, own)), max_links + 1)
    )
    links = [Link(address, "", "", nofollow=False) for address in urls if address is not None]
    page = plain_page(text, blocks=blocks)
    truncated = page.truncated or len(links) > max_links
    return replace(page, links=links[:max_links], truncated=truncated)
