"""Which ordinary pages the demonstration web has, which links to which, and how they read.

Two hosts a topic and one portal. A topic host has a home page, an archive in pages of ten that
lists all it holds, one link list (a hub: links to the good pages of its topic on both hosts), and
articles: a few guides that everybody of the topic links to (authorities), many that link to their
own topic mostly and to another one now and then, some that link nowhere. One article in eight is on
another topic than its host. All is drawn with a fixed seed.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from typing import NamedTuple

from frontier.web.demo.prose import TOPICS, Chance, Topic, paragraph, slug, title

PORTAL = "http://portal.example/"
_ARTICLES = 36
_GUIDES = 3
_NEWS = 12
_PER_ARCHIVE_PAGE = 10
_LEADS = (
    "More on this: {link}.",
    "This is told at length in {link}.",
    "Readers of this page liked {link}.",
    "The opposite view is held in {link}.",
    "See also {link}, which covers the details.",
)
_VAGUE = ("this page", "read more", "here")
_VAGUE_SHARE = 0.15


class DemoLink(NamedTuple):
    """A link as it will be written: ``anchor`` is its text."""

    url: str
    anchor: str
    rel: str = ""


@dataclass(slots=True)
class DemoPage:
    """A page before it is HTML. ``kind``: home, hub, archive, guide, article, directory, news."""

    url: str
    title: str
    topic: Topic | None
    kind: str
    links: list[DemoLink] = field(default_factory=list)

    def link(self, *targets: DemoPage) -> None:
        """Link to other pages by their titles, but not to the page itself."""
        self.links += [DemoLink(one.url, one.title) for one in targets if one is not self]


class SiteLayout:
    """Pages first, links second: a link needs the title of its target."""

    def __init__(self) -> None:
        self.pages: dict[str, DemoPage] = {}
        self._on: dict[tuple[str, str], list[DemoPage]] = defaultdict(list)
        hosts = [(topic, host) for topic in TOPICS for host in topic.hosts]
        held = {host: self._found_host(topic, host) for topic, host in hosts}
        for host, pages in held.items():
            self._link_host(host, *pages)
        self._found_portal()

    def _page(self, url: str, name: str, topic: Topic | None, kind: str) -> DemoPage:
        count, address = 2, url
        while address in self.pages:
            address, count = f"{url}-{count}", count + 1
        page = self.pages[address] = DemoPage(address, name, topic, kind)
        if topic is not None:
            self._on[kind, topic.name].append(page)
        return page

    def _found_host(self, topic: Topic, host: str) -> tuple[DemoPage, DemoPage, list[DemoPage]]:
        chance = Chance(f"pages of {host}")
        root = f"http://{host}/"
        home = self._page(root, f"{host.partition('.')[0].title()}: {topic.name}", topic, "home")
        hub = self._page(f"{root}links", f"Good pages about {topic.name}", topic, "hub")
        others = [self._guide(root, topic, chance) for _ in range(_GUIDES)]
        others += [self._article(root, topic, chance) for _ in range(_ARTICLES)]
        return home, hub, others

    def _guide(self, root: str, topic: Topic, chance: Chance) -> DemoPage:
        name = f"The complete guide to {chance.pick(topic.things)}"
        return self._page(f"{root}guide/{slug(name)}", name, topic, "guide")

    def _article(self, root: str, topic: Topic, chance: Chance) -> DemoPage:
        if chance.happens(0.125):
            topic = chance.pick([other for other in TOPICS if other is not topic])
        name = title(topic, chance)
        return self._page(f"{root}articles/{slug(name)}", name, topic, "article")

    def _link_host(self, host: str, home: DemoPage, hub: DemoPage, others: list[DemoPage]) -> None:
        for page in others:
            self._link_article(page, home)
        chance = Chance(f"links of {hub.url}")
        homes, guides, articles = self._related(hub, "home", "guide", "article")
        hub.link(home, *(one for one in homes if one is not home), *guides)
        hub.link(*chance.picks(articles, 16))
        first = self._found_archive(host, home, others)
        home.link(hub, first, *Chance(f"home of {host}").picks(others, 6))
        home.links.append(DemoLink(PORTAL, "The portal"))

    def _related(self, page: DemoPage, *kinds: str) -> list[list[DemoPage]]:
        assert page.topic is not None
        return [self._on[kind, page.topic.name] for kind in kinds]

    def _link_article(self, page: DemoPage, home: DemoPage) -> None:
        chance = Chance(f"links of {page.url}")
        if page.kind == "article" and chance.happens(0.12):
            return  # A dead end.
        guides, articles, hubs = self._related(page, "guide", "article", "hub")
        targets = chance.picks(guides, 1 + chance.below(2))
        targets += chance.picks(articles, 3 + chance.below(4))
        if chance.happens(0.2):
            targets.append(chance.pick(hubs))
        if chance.happens(0.5):
            targets.append(chance.pick(self._on["article", chance.pick(TOPICS).name]))
        page.link(home, *targets)

    def _found_archive(self, host: str, home: DemoPage, held: list[DemoPage]) -> DemoPage:
        pages = []
        for number, start in enumerate(range(0, len(held), _PER_ARCHIVE_PAGE), start=1):
            name = f"Archive of {host}, page {number}"
            page = self._page(f"http://{host}/archive/{number}", name, None, "archive")
            page.link(home, *held[start : start + _PER_ARCHIVE_PAGE])
            pages.append(page)
        for page, later in pairwise(pages):
            page.links.append(DemoLink(later.url, "Older articles"))
        return pages[0]

    def _found_portal(self) -> None:
        portal = self._page(PORTAL, "The portal: one page for everything", None, "home")
        for topic in TOPICS:
            name = f"Directory: {topic.name}"
            directory = self._page(f"{PORTAL}directory/{topic.name}", name, topic, "directory")
            directory.link(portal, *self._on["home", topic.name])
            portal.link(directory)
        for number in range(1, _NEWS + 1):
            page = self._page(f"{PORTAL}news/{number}", f"News of week {number}", None, "news")
            chance = Chance(f"links of {page.url}")
            topics = chance.picks(TOPICS, 3)
            page.link(portal, *(chance.pick(self._on["article", one.name]) for one in topics))
            portal.link(page)


def render_page(page: DemoPage) -> str:
    """The whole document of a page; the same bytes each time.

    Links stand where people put them: the way home in a menu, related pages inside sentences of
    their topic, listings in lists. The anchor is the title of the target, or now and then no more
    than "this page".
    """
    chance = Chance(f"text of {page.url}")
    if page.kind in ("home", "hub", "directory", "archive"):
        return document(page.title, f"<p>{_prose(page, chance)}</p>\n{bullets(page.links)}")
    parts = [f"<nav>{_anchor(link)}</nav>\n" for link in page.links[:1]]
    parts += [_paragraph(page, link, chance) for link in page.links[1:]]
    parts += [f"<p>{_prose(page, chance)}</p>\n" for _ in range(2 + chance.below(3))]
    return document(page.title, "".join(parts))


def document(title: str, body: str, charset: str = "utf-8") -> str:
    """A document around a body that is HTML already."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="{charset}">'
        f"<title>{escape(title)}</title></head>\n"
        f"<body>\n<h1>{escape(title)}</h1>\n{body}</body>\n</html>\n"
    )


def bullets(links: list[DemoLink]) -> str:
    """A list of links."""
    items = "".join(f"<li>{_anchor(link)}</li>\n" for link in links)
    return f"<ul>\n{items}</ul>\n"


def _anchor(link: DemoLink) -> str:
    rel = f' rel="{link.rel}"' if link.rel else ""
    return f'<a href="{escape(link.url)}"{rel}>{escape(link.anchor)}</a>'


def _prose(page: DemoPage, chance: Chance) -> str:
    return escape(paragraph(page.topic, chance))


def _paragraph(page: DemoPage, link: DemoLink, chance: Chance) -> str:
    if chance.happens(_VAGUE_SHARE):
        link = DemoLink(link.url, chance.pick(_VAGUE))
    lead = chance.pick(_LEADS).format(link=_anchor(link))
    return f"<p>{_prose(page, chance)} {lead}</p>\n"
