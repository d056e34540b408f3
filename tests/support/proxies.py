"""A proxy on 127.0.0.1 that answers every request itself and remembers what it was asked for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from tests.support.sites import Asked, Said, Site, redirect, serving

PAGES = {
    "http://public.test/": (
        '<a href="/next">on</a><a href="http://127.99.0.1/">x</a><a href="http://10.0.0.1/">x</a>'
        '<a href="http://2130706433/">x</a><a href="http://localhost/">x</a>'
        '<a href="http://away.test/">x</a>'
    ),
}
REDIRECTS = {"http://away.test/": "http://169.254.169.254/latest/meta-data/"}


@dataclass(frozen=True)
class Proxy:
    """Where the proxy is, and the request lines it was sent."""

    site: Site

    @property
    def port(self) -> int:
        return self.site.port

    @property
    def url(self) -> str:
        return self.site.url

    @property
    def asked(self) -> list[str]:
        return [f"{one.method} {one.path}" for one in self.site.asked]


def _answer(asked: Asked) -> Said:
    if asked.method == "CONNECT":
        return 403, {}, b""
    if asked.path in REDIRECTS:
        return redirect(REDIRECTS[asked.path])
    if asked.path.endswith("/robots.txt"):
        return None
    return PAGES.get(asked.path, "<title>a page</title>the end")


@contextmanager
def proxying() -> Iterator[Proxy]:
    """Run a proxy."""
    with serving(_answer, keeps_alive=False) as site:
        yield Proxy(site)
