"""A program of Frontera: a made-up web, crawled through Frontera's own manager."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from frontera.core.manager import FrontierManager
from frontera.core.models import Request, Response
from frontera.settings import Settings

BACKEND = "frontier.backend.LinkRankBackend"
MIDDLEWARES = [
    "frontera.contrib.middlewares.domain.DomainMiddleware",
    "frontera.contrib.middlewares.fingerprint.UrlFingerprintMiddleware",
    "frontera.contrib.middlewares.fingerprint.DomainFingerprintMiddleware",
]
Web = Mapping[str, Iterable[str]]


def tree(root: str, depth: int, self_link: bool = False) -> dict[str, list[str]]:
    """A site of two links a page, as those of Frontera's own tests of backends: /1, /11, /12 ...

    With `self_link` every page links to itself as well.
    """
    if depth == 1:
        return {}
    children = [f"{root}1", f"{root}2"]
    below = {
        url: links for child in children for url, links in tree(child, depth - 1, self_link).items()
    }
    return {root: children + [root] * self_link, **below}


def reachable(web: Web, seeds: Iterable[str]) -> set[str]:
    """Every URL that links of a web lead to."""
    found: set[str] = set()
    new = list(seeds)
    while new:
        found.update(new)
        new = [url for page in new for url in web.get(page, ()) if url not in found]
    return found


def manager_of(jobdir: Path | None = None, **settings: Any) -> FrontierManager:
    """A manager as a program makes it."""
    attributes = {"BACKEND": BACKEND, "MIDDLEWARES": MIDDLEWARES, **settings}
    if jobdir is not None:
        attributes["JOBDIR"] = str(jobdir)
    return FrontierManager.from_settings(Settings(attributes=attributes))


def bodiless(url: str) -> str:
    """Of a web whose pages have no bodies."""
    return ""


class Program:
    """Crawls a web in a loop, as programs of Frontera do.

    URLs of `errors` time out. `asked` is what was fetched so far, in order.
    """

    def __init__(
        self,
        manager: FrontierManager,
        web: Web,
        errors: Iterable[str] = (),
        body: Callable[[str], str | bytes] = bodiless,
    ) -> None:
        self.manager = manager
        self.web = web
        self.errors = set(errors)
        self.body = body
        self.asked: list[str] = []
        self.requests: list[Request] = []

    def seed(self, *urls: str) -> None:
        self.manager.add_seeds([Request(url) for url in urls])

    def run(self, pages: int = 10_000, at_once: int = 1) -> list[str]:
        """Crawl until nothing is left or so many pages were asked for; return what was."""
        while not self.manager.finished and len(self.asked) < pages:
            for request in self.manager.get_next_requests(min(at_once, pages - len(self.asked))):
                self.requests.append(request)
                self.asked.append(request.url)
                self.answer(request)
        return self.asked

    def answer(self, request: Request) -> None:
        if request.url in self.errors:
            self.manager.request_error(request, "timeout")
            return
        self.manager.page_crawled(
            Response(request.url, body=self.body(request.url), request=request)
        )
        links = [Request(url) for url in self.web.get(request.url, ())]
        if links:  # as Frontera's own scheduler: a page without links is not mentioned again
            self.manager.links_extracted(request, links)


class Graph:
    """A web as `FrontierTester` wants it."""

    def __init__(self, web: Web, seeds: Iterable[str], errors: Iterable[str] = ()) -> None:
        self._web, self._errors = web, set(errors)
        self.seeds = [SimpleNamespace(url=url) for url in seeds]

    def get_page(self, url: str) -> SimpleNamespace:
        links = [SimpleNamespace(url=one) for one in self._web.get(url, ())]
        fails = url in self._errors
        return SimpleNamespace(url=url, status=500 if fails else 200, has_errors=fails, links=links)
