"""A crawl that stays on the hosts of its seeds, and on those that its seeds redirect to.

A host is the whole name: of ``example.org`` neither ``www.example.org`` nor ``shop.example.org`` is
part, unless a seed redirects there. The spider yields no link to another host; what else leads
there (redirects of other pages) is refused where Scrapy refuses what is off-site.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.downloadermiddlewares.offsite import OffsiteMiddleware

from frontier.urls.canonical import canonical_url, slot_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from scrapy import Request, Spider
    from scrapy.http import Response

ALLOWED = {"allow_offsite": True}
"""In the `meta` of a seed: Scrapy's word for a request that may go anywhere, as its redirects."""


class SeedHosts:
    """The hosts of the seeds; those they redirect to are noted in `found`, which is kept."""

    def __init__(self, seeds: Iterable[str], found: set[str]) -> None:
        self._hosts = {_host(url) for url in seeds}
        self._found = found

    def __contains__(self, url: str) -> bool:
        host = _host(url)
        return host in self._hosts or host in self._found

    def arrived(self, response: Response) -> bool:
        """Take the host of a seed's answer; whether it is a new one."""
        if not response.meta.get("allow_offsite") or response.url in self:
            return False
        self._found.add(_host(response.url))
        return True


def _host(url: str) -> str:
    return slot_of(canonical_url(url))


class SeedHostsMiddleware(OffsiteMiddleware):
    """Scrapy's, which heeds `seed_hosts` of the spider, if there are any, as `allowed_domains`."""

    def should_follow(self, request: Request, spider: Spider) -> bool:
        """Whether both let the request pass."""
        hosts: Any = getattr(spider, "seed_hosts", None)
        return super().should_follow(request, spider) and (hosts is None or request.url in hosts)
