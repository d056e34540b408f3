"""A recorded web made harder, as webs are: pages gone, folders gone, pages behind permalinks.

dead       a third of the pages that others link to answer 404. Links to them stay. Labels stay too,
           so that the topics and their split are those of the web; the lab leaves out of the
           targets what answers with no page.
closed     half of the folders, hosts where these have one, answer 404 as a whole.
redirects  a third of the pages have a permalink, /go/HASH on their host, which answers 301 to the
           page, and half of the links to such a page lead there: it is known under two URLs.

Which pages follows from a keyed hash of the URL or its folder, which links from one of both ends.
Spared are seeds, the page at the root of a host, and what no page links to.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import blake2b
from typing import TYPE_CHECKING, Final
from urllib.parse import urlsplit

from benchmarks.webs.writing import HTML, Answer, moved, rewritten, targets
from frontier.urls.canonical import canonical_url, normal_url

if TYPE_CHECKING:
    from frontier.web.recorded_web import RecordedWeb

DEAD, CLOSED, REDIRECTS = "dead", "closed", "redirects"
VARIANTS: Final = (DEAD, CLOSED, REDIRECTS)
_Other = Callable[[str, str], "str | None"]
"""Page and target of a link -> where it leads instead."""
_PAGES: Final = 1 / 3
_LINKS: Final = 1 / 2
_FOLDERS: Final = 1 / 2
_GONE: Final = (
    b"<!DOCTYPE html><html><head><title>Page not found</title></head>"
    b"<body><h1>Page not found</h1><p>There is no page here any more.</p></body></html>"
)


@dataclass(frozen=True)
class Source:
    """The web that a variant is made of, and the seeds that come with it."""

    web: RecordedWeb
    seeds: Sequence[str] = ()

    def answers(self) -> Iterator[Answer]:
        """What was recorded, in its order."""
        for url in self.web.urls():
            one = self.web.read(url)
            yield Answer(one.url, one.body, one.status, tuple(one.headers))

    @cached_property
    def touched(self) -> list[str]:
        """URLs of the pages that may be changed, as they were recorded."""
        pages, linked = [], set[str]()
        for one in self.answers():
            if one.is_page:
                pages.append(one.url)
                here = normal_url(one.url)
                linked.update(to for to in targets(one.url, one.body) if to != here)
        seeds = {canonical_url(url) for url in self.seeds}
        return [
            url
            for url in pages
            if normal_url(url) in linked
            and canonical_url(url) not in seeds
            and urlsplit(url).path not in ("", "/")
        ]

    def share(self, what: str) -> list[str]:
        """Those of these pages that a variant changes."""
        if what == CLOSED:
            return [url for url in self.touched if chance(what, _folder(url)) < _FOLDERS]
        return [url for url in self.touched if chance(what, url) < _PAGES]


def chance(what: str, *of: str) -> float:
    """A number from 0 to 1 that follows from the words, the same everywhere."""
    digest = blake2b("\0".join(of).encode("utf-8", "replace"), key=what.encode(), digest_size=8)
    return int.from_bytes(digest.digest(), "big") / 2**64


def _folder(url: str) -> str:
    """Host and path of a page up to its last slash; one at the very end is not counted."""
    parts = urlsplit(url)
    return parts.netloc + parts.path.rstrip("/").rpartition("/")[0]


def with_dead(source: Source, which: str = DEAD) -> Iterator[Answer]:
    """The web with pages that are gone: those of the variant of this name."""
    gone = set(source.share(which))
    for one in source.answers():
        is_gone = one.url in gone
        yield Answer(one.url, _GONE, 404, (("Content-Type", HTML),)) if is_gone else one


def with_redirects(source: Source) -> Iterator[Answer]:
    """The web with permalinks, each recorded behind the pages."""
    chosen = source.share(REDIRECTS)
    permalinks = {normal_url(url): permalink(url) for url in chosen}
    used = set[str]()

    def other(here: str, target: str) -> str | None:
        through = permalinks.get(target)
        if through is None or chance("links", here, target) >= _LINKS:
            return None
        used.add(through)
        return through

    for one in source.answers():
        yield _led_through(one, other) if one.is_page else one
    yield from (moved(to, url) for url in chosen if (to := permalink(url)) in used)


def _led_through(one: Answer, other: _Other) -> Answer:
    here = normal_url(one.url)
    body = rewritten(one.url, one.body, lambda target: other(here, target))
    return Answer(one.url, body, one.status, one.headers)


def permalink(url: str) -> str:
    """The other URL of a page, on its host."""
    parts = urlsplit(url)
    digest = blake2b(url.encode("utf-8", "replace"), key=b"permalink", digest_size=5)
    return f"{parts.scheme}://{parts.netloc}/go/{digest.hexdigest()}"
