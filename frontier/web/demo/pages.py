"""Which pages the demonstration web has, and which page links to which.

Two hosts a topic and one portal. A topic host has a home page, an archive in pages of
ten that lists all it holds, one link list (a hub: links to the good pages of its topic
on both hosts), and articles: a few guides that everybody of the topic links to
(authorities), many that link to their own topic mostly and to another one now and then,
some that link nowhere. One article in eight is on another topic than its host. All is
drawn with a fixed seed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

from frontier.web.demo.prose import Chance, slug, title
from frontier.web.demo.words import TOPICS, Topic

PORTAL = "http://portal.example/"
_ARTICLES = 36
_GUIDES = 3
_NEWS = 12
_PER_ARCHIVE_PAGE = 10


@dataclass(frozen=True, slots=True)
class DemoLink:
    """A link as it will be written: ``anchor`` is its text."""

    url: str
    anchor: str
    nofollow: bool = False


@dataclass(slots=True)
class DemoPage:
    """A page before it is HTML. ``kind`` is home, archive, hub, guide, article, news."""

    url: str
    title: str
    topic: Topic | None
    kind: str
    links: list[DemoLink] = field(default_factory=list)

    def link(self, target: DemoPage) -> None:
        """Link to another page by its title."""
        self.links.append(DemoLink(target.url, target.title))


def lay_out() -> dict[str, DemoPage]:
    """All ordinary pages by URL, with their links."""
    layout = _Layout()
    return {page.url: page for page in layout.pages}


class _Layout:
    """Pages first, links second: a link needs the title of its target."""

    def __init__(self) -> None:
        self.pages: list[DemoPage] = []
        self._urls: set[str] = set()
        self.articles: dict[str, list[DemoPage]] = {topic.name: [] for topic in TOPICS}
        self.guides: dict[str, list[DemoPage]] = {topic.name: [] for topic in TOPICS}
        self.homes: dict[str, list[DemoPage]] = {topic.name: [] for topic in TOPICS}
        self.hubs: dict[str, list[DemoPage]] = {topic.name: [] for topic in TOPICS}
        hosts = [(topic, host) for topic in TOPICS for host in topic.hosts]
        held = {host: self._found_host(topic, host) for topic, host in hosts}
        for host, pages in held.items():
            self._link_host(host, pages)
        self._found_portal()

    def _page(self, url: str, name: str, topic: Topic | None, kind: str) -> DemoPage:
        count = 2
        address = url
        while address in self._urls:
            address, count = f"{url}-{count}", count + 1
        page = DemoPage(address, name, topic, kind)
        self._urls.add(address)
        self.pages.append(page)
        return page

    def _found_host(self, topic: Topic, host: str) -> list[DemoPage]:
        chance = Chance(f"pages of {host}")
        root = f"http://{host}/"
        home = self._page(root, f"{host.partition('.')[0].title()}: {topic.name}", topic, "home")
        hub = self._page(f"{root}links", f"Good pages about {topic.name}", topic, "hub")
        self.homes[topic.name].append(home)
        self.hubs[topic.name].append(hub)
        guides = [self._guide(root, topic, chance) for _ in range(_GUIDES)]
        articles = [self._article(root, topic, chance) for _ in range(_ARTICLES)]
        return [home, hub, *guides, *articles]

    def _guide(self, root: str, topic: Topic, chance: Chance) -> DemoPage:
        name = f"The complete guide to {chance.pick(topic.things)}"
        guide = self._page(f"{root}guide/{slug(name)}", name, topic, "guide")
        self.guides[topic.name].append(guide)
        return guide

    def _article(self, root: str, topic: Topic, chance: Chance) -> DemoPage:
        if chance.happens(0.125):
            topic = chance.pick([other for other in TOPICS if other is not topic])
        name = title(topic, chance)
        article = self._page(f"{root}articles/{slug(name)}", name, topic, "article")
        self.articles[topic.name].append(article)
        return article

    def _link_host(self, host: str, pages: list[DemoPage]) -> None:
        home, hub, *others = pages
        for page in others:
            self._link_article(page, home)
        self._link_hub(hub, home)
        first = self._found_archive(host, home, others)
        chance = Chance(f"home of {host}")
        for target in [hub, first, *chance.picks(others, 6)]:
            home.link(target)
        home.links.append(DemoLink(PORTAL, "The portal"))

    def _link_article(self, page: DemoPage, home: DemoPage) -> None:
        assert page.topic is not None
        chance = Chance(f"links of {page.url}")
        if page.kind == "article" and chance.happens(0.12):
            return  # A dead end.
        name = page.topic.name
        targets = chance.picks(self.guides[name], 1 + chance.below(2))
        targets += chance.picks(self.articles[name], 3 + chance.below(4))
        if chance.happens(0.2):
            targets.append(chance.pick(self.hubs[name]))
        if chance.happens(0.5):
            targets.append(chance.pick(self.articles[chance.pick(TOPICS).name]))
        for target in [home, *targets]:
            if target is not page:
                page.link(target)

    def _link_hub(self, hub: DemoPage, home: DemoPage) -> None:
        assert hub.topic is not None
        chance = Chance(f"links of {hub.url}")
        name = hub.topic.name
        others = [other for other in self.homes[name] if other is not home]
        for target in [home, *others, *self.guides[name], *chance.picks(self.articles[name], 16)]:
            hub.link(target)

    def _found_archive(self, host: str, home: DemoPage, held: list[DemoPage]) -> DemoPage:
        starts = range(0, len(held), _PER_ARCHIVE_PAGE)
        root = f"http://{host}/archive/"
        pages = [
            self._page(f"{root}{number}", f"Archive of {host}, page {number}", None, "archive")
            for number in range(1, len(starts) + 1)
        ]
        for page, start in zip(pages, starts, strict=True):
            for target in [home, *held[start : start + _PER_ARCHIVE_PAGE]]:
                page.link(target)
        for page, later in pairwise(pages):
            page.links.append(DemoLink(later.url, "Older articles"))
        return pages[0]

    def _found_portal(self) -> None:
        portal = self._page(PORTAL, "The portal: one page for everything", None, "home")
        for topic in TOPICS:
            name = f"Directory: {topic.name}"
            directory = self._page(f"{PORTAL}directory/{topic.name}", name, topic, "hub")
            for target in [portal, *self.homes[topic.name]]:
                directory.link(target)
            portal.link(directory)
        for number in range(1, _NEWS + 1):
            portal.link(self._found_news(number, portal))

    def _found_news(self, number: int, portal: DemoPage) -> DemoPage:
        page = self._page(f"{PORTAL}news/{number}", f"News of week {number}", None, "news")
        chance = Chance(f"links of {page.url}")
        page.link(portal)
        for topic in chance.picks(TOPICS, 3):
            page.link(chance.pick(self.articles[topic.name]))
        return page
