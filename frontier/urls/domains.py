"""Registered domains: the public suffix of a host and one more label, as in whois.

The list is the one in the package publicsuffixlist; no newer one is downloaded. Its private part
counts, too: the blogs at a hoster of blogs have different owners. tldextract, a dependency of
Scrapy, takes 8 MiB, with an HTTP client.
"""

from __future__ import annotations

from functools import cache, lru_cache

from publicsuffixlist import PublicSuffixList

_REMEMBERED = 1 << 16
"""Hosts whose domain is in memory: some 15 MB."""


@lru_cache(maxsize=_REMEMBERED)
def registered_domain(host: str) -> str:
    """Return the domain that a host (a download slot, lower case) belongs to.

    An address or a public suffix is its own domain. With an unknown suffix the domain is the last
    two labels.
    """
    if not host or host[-1] == "]" or host[-1].isdigit():
        return host
    domain: str | None = _list().privatesuffix(host.rstrip("."))
    return domain or host


@cache
def _list() -> PublicSuffixList:
    return PublicSuffixList()
