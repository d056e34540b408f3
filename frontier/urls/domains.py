"""Registered domains: the public suffix of a host and one label more, as whois knows it.

The list is the one that publicsuffixlist brings along; nobody is asked for a newer one. Its private
part counts too: whoever has a blog at a hoster of blogs is not answerable for the other blogs
there. tldextract, which Scrapy brings along, takes 8 MiB, with an HTTP client.
"""

from __future__ import annotations

from functools import cache, lru_cache

from publicsuffixlist import PublicSuffixList

_REMEMBERED = 1 << 16
"""Hosts whose domain is not looked up again: some 15 MB when all are different."""


@lru_cache(maxsize=_REMEMBERED)
def registered_domain(host: str) -> str:
    """Return the domain that a host (a download slot, lower case) belongs to.

    An address, and a name that is itself a public suffix, is its own. Of a name whose suffix the
    list does not know, the last two labels are.
    """
    if not host or host[-1] == "]" or host[-1].isdigit():
        return host
    domain: str | None = _list().privatesuffix(host.rstrip("."))
    return domain or host


@cache
def _list() -> PublicSuffixList:
    return PublicSuffixList()
