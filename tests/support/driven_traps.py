"""The traps of `hostile_traps` without a network: their pages for a driven crawl."""

from __future__ import annotations

from collections import Counter
from urllib.parse import quote, urljoin, urlsplit

from lxml.html import document_fromstring

from frontier.parsing.html import read_page
from tests.support.driven_crawl import Page
from tests.support.hostile_traps import ENDLESS, HONEST_PATHS, HONEST_TEXTS
from tests.support.hostile_traps import page as written

SITE = "http://trap.example"


class _Ask:
    """What a trap is asked, and how it answers other than with a page."""

    def __init__(self, path: str, count: int) -> None:
        self.path, self.count = path, count

    def reply(self, body: str, status: int = 200, **headers: str) -> tuple[str, int, str | None]:
        return body, status, headers.get("Location")


class TrapWeb(dict[str, Page]):
    """One trap, and what is honest on its host."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._trap = ENDLESS[name]
        self._asked: Counter[str] = Counter()

    def get(self, url: str, default: Page | None = None) -> Page | None:  # type: ignore[override]  # of a page
        parts = urlsplit(url)
        path = quote(parts.path, safe="/%;:,=") + (f"?{parts.query}" if parts.query else "")
        self._asked[path] += 1
        if path in HONEST_PATHS:
            number = HONEST_PATHS.index(path)
            return _read(written(f"Page {number}", HONEST_TEXTS[number], "/"), url)
        made = self._trap._make(_Ask(path, self._asked[path]))  # type: ignore[operator]  # a function
        body, status, location = (made, 200, None) if isinstance(made, str) else made
        if location is not None:
            return Page(redirect=urljoin(url, location))
        if status >= 400:
            return default
        if path == "/" and self._trap._beside:
            body += "".join(f'<a href="{one}">read</a>' for one in HONEST_PATHS)
        return _read(body, url)


def _read(body: str, url: str) -> Page:
    content = read_page(document_fromstring(body), url)
    anchors = {link.url: link.anchor for link in content.links}
    return Page(dict.fromkeys(anchors, 0.0), text=content.text, anchors=anchors)
