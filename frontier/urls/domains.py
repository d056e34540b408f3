"""Who a host belongs to: the domain that somebody registered, by the public suffix list.

The list is the one that tldextract brings along; nobody is asked for a newer one, and nothing is
written. Its private part counts too: whoever has a blog at a hoster of blogs is not answerable for
the other blogs there.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tldextract import TLDExtract

_REMEMBERED = 1 << 16
"""Hosts whose domain is not looked up again: some 15 MB when all are different."""


@lru_cache(maxsize=_REMEMBERED)
def registered_domain(host: str) -> str:
    """Return the domain under which a host is registered; the host itself where there is none.

    That is so for addresses, for names without a dot, and for names that are public suffixes. Under
    a top-level domain that the list does not hold, it is the last two labels.
    """
    if not host or host[-1] == "]" or host[-1].isdigit():
        return host
    found = _extract().extract_str(host, include_psl_private_domains=True)
    # The list's own rule for what it does not know is "*": the last label is the suffix.
    if not found.suffix:
        return ".".join(host.rstrip(".").rsplit(".", 2)[-2:])
    return found.top_domain_under_public_suffix or host


@lru_cache(maxsize=_REMEMBERED)
def public_domain(host: str) -> str:
    """Return the same without the list's private part: all blogs at a hoster are one domain."""
    return _extract().extract_str(host).top_domain_under_public_suffix or host


@cache
def _extract() -> TLDExtract:
    from tldextract import TLDExtract  # a tenth of a second, when the first name is asked for

    return TLDExtract(suffix_list_urls=(), cache_dir=None)
