"""What URLs are folded to: their host, or the domain that somebody registered."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from frontier.urls.canonical import slot_of


class Naming(NamedTuple):
    """How the thing is called in a message, and how a host name leads to it."""

    plural: str
    of_host: Callable[[str], str]

    def of_url(self, url: str) -> str:
        """Return what a URL belongs to; "" for what has no host."""
        return self.of_host(slot_of(url))

    def of_name(self, name: str) -> str:
        """Return what is meant by a host or a URL that somebody wrote down."""
        return self.of_url(name) if "://" in name else self.of_host(name.strip().lower())


def by_host() -> Naming:
    """Each host name for itself, in lower case and without a port: Scrapy's download slot."""
    return Naming("hosts", str)


def by_domain() -> Naming:
    """Registered domains, by the public suffix list that tldextract brings along."""
    from tldextract import TLDExtract  # comes with Scrapy; only this needs it

    # Without addresses and cache it asks nobody and writes nothing.
    extract = TLDExtract(suffix_list_urls=(), cache_dir=None)

    @cache
    def domain(host: str) -> str:
        return extract.extract_str(host).top_domain_under_public_suffix or host

    return Naming("domains", domain)
