"""Honest webs on a topic, and what spammers build around them.

The honest part: ten hosts on astronomy whose pages link to each other by their titles, and five on
other matters that link to a page of theirs now and then. It is written from the word lists of
`prose`. Every attack adds pages, and links to them on honest ones (`doors`): a spammer
gets into a crawl by a comment, a guest book or a domain that somebody let expire.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from html import escape

from tests.support.prose import ASTRONOMY, TOPICS, Chance, Topic, paragraph, title

TOPIC = ASTRONOMY.keywords
OTHERS = tuple(topic for topic in TOPICS if topic is not ASTRONOMY)
HOSTS, OF_HOST = 10, 8
TARGET = "http://cash.example/"
PILLS = (
    "Order now and save. Our casino bonus and cheap pills are the best offer of the year. "
    "Loans approved today without questions, free shipping, money back, click here. "
)
Link = tuple[str, str]
"""URL and anchor."""


@dataclass
class Written:
    """A page before it is HTML."""

    title: str
    paragraphs: list[str]
    links: list[Link] = field(default_factory=list)
    extra: str = ""

    def html(self) -> str:
        said = "".join(f"<p>{escape(one)}</p>" for one in self.paragraphs)
        items = "".join(f'<li><a href="{url}">{escape(text)}</a></li>' for url, text in self.links)
        head = f"<head><title>{escape(self.title)}</title></head>"
        return f"<html>{head}<body>{said}{self.extra}<ul>{items}</ul></body></html>"


@dataclass
class SpamWeb:
    """Pages by URL: honest ones on the topic (`wanted`), honest others, and spam."""

    pages: dict[str, Written]
    wanted: list[str]
    unwanted: list[str]
    spam: dict[str, Written] = field(default_factory=dict)
    target: str = TARGET

    @property
    def seeds(self) -> list[str]:
        return [self.wanted[0], self.unwanted[0]]

    def html(self) -> dict[str, str]:
        return {url: page.html() for url, page in {**self.pages, **self.spam}.items()}

    def open_doors(self, *doors: Link) -> None:
        """Have honest pages link to spam: two on the topic and four others, none of them seeds."""
        for url in (*self.wanted[11:13], *self.unwanted[5:9]):
            self.pages[url].links += doors


def honest() -> SpamWeb:
    """The web without spam."""
    wanted = [f"http://sky{host}.example/{n}" for n in range(OF_HOST) for host in range(HOSTS)]
    unwanted = [f"http://else{host}.example/{n}" for n in range(2 * OF_HOST) for host in range(5)]
    pages = {url: _page(ASTRONOMY, url) for url in wanted}
    pages |= {url: _page(OTHERS[i % len(OTHERS)], url) for i, url in enumerate(unwanted)}
    for i, url in enumerate(wanted):
        chance = Chance(f"links of {url}")
        others = [*chance.picks(wanted, 4), wanted[(i + 1) % len(wanted)]]
        others += chance.picks(unwanted, 2)
        pages[url].links = [(other, pages[other].title) for other in others if other != url]
    for i, url in enumerate(unwanted):
        chance = Chance(f"links of {url}")
        others = [*chance.picks(unwanted, 5), unwanted[(i + 1) % len(unwanted)]]
        others += chance.picks(wanted, int(chance.happens(0.3)))
        pages[url].links = [(other, pages[other].title) for other in others if other != url]
    return SpamWeb(pages, wanted, unwanted)


def _page(topic: Topic, name: str) -> Written:
    chance = Chance(f"page {name}")
    return Written(title(topic, chance), [paragraph(topic, chance) for _ in range(5)])


def nonsense(name: str) -> str:
    """Words of other matters in no order."""
    chance = Chance(f"nonsense {name}")
    words = [word for topic in OTHERS for thing in topic.things for word in thing.split()]
    return " ".join(chance.pick(words) for _ in range(150))


def stuffed(name: str, times: int = 60) -> str:
    """The keywords again and again."""
    chance = Chance(f"stuffed {name}")
    words = TOPIC.split()
    return " ".join(" ".join(chance.picks(words, len(words))) for _ in range(times))


def scraped(name: str) -> list[str]:
    """Whole sentences on the topic, as honest pages have them."""
    chance = Chance(f"scraped {name}")
    return [paragraph(ASTRONOMY, chance) for _ in range(4)]


def clique(
    urls: list[str], text: Callable[[str], list[str]], name: Callable[[str], str], links: int = 20
) -> dict[str, Written]:
    """Pages that link to each other, and first of all to the target, by the topic's words."""
    pages = {}
    for at, url in enumerate(urls):
        mates = [urls[(at + step * step + 1) % len(urls)] for step in range(links)]
        anchors = [(TARGET, TOPIC)] + [(mate, f"{TOPIC} {i}") for i, mate in enumerate(mates)]
        pages[url] = Written(name(url), text(url), [one for one in anchors if one[0] != url])
    return pages


def one_host(pages: int = 500) -> list[str]:
    return [f"http://farm.example/{n}" for n in range(pages)]


def many_hosts(pages: int = 500, hosts: int = 25) -> list[str]:
    return [f"http://farm{n % hosts}.example/{n}" for n in range(pages)]


def keywords_as_title(url: str) -> str:
    return f"{TOPIC} {url.rpartition('/')[2]}"


def target(*links: Link) -> dict[str, Written]:
    """The page that all of it is for."""
    return {TARGET: Written("Best offers", [PILLS * 4], list(links))}


def farm_on_one_host() -> SpamWeb:
    web = honest()
    return _farmed(web, one_host())


def farm_on_many_hosts() -> SpamWeb:
    web = honest()
    return _farmed(web, many_hosts())


def _farmed(web: SpamWeb, urls: list[str]) -> SpamWeb:
    web.spam = clique(urls, lambda url: [nonsense(url)], keywords_as_title)
    web.spam |= target((urls[0], "in"))
    web.open_doors((urls[0], TOPIC))
    return web


def stuffed_farm() -> SpamWeb:
    web = honest()
    urls = one_host()
    web.spam = clique(urls, lambda url: [stuffed(url)], keywords_as_title) | target((urls[0], "in"))
    web.open_doors((urls[0], TOPIC))
    return web


def hidden_text() -> SpamWeb:
    web = honest()
    urls = one_host()
    web.spam = clique(urls, lambda url: [nonsense(url)], lambda url: "Best offers")
    for url, page in web.spam.items():
        page.extra = f'<div style="display:none">{stuffed(url)}</div>'
    web.spam |= target((urls[0], "in"))
    web.open_doors((urls[0], TOPIC))
    return web


def bomb_from_one_host() -> SpamWeb:
    """Every page of a forum names the target by the topic, among honest talk of other things."""
    web, urls = honest(), one_host(200)
    for at, url in enumerate(urls):
        links = [(TARGET, TOPIC)] + [
            (urls[(at + step) % len(urls)], f"Thread {(at + step) % len(urls)}")
            for step in (1, 2, 3, 5, 8, 13)
        ]
        web.spam[url] = Written(f"Thread {at}", [nonsense(url)], links)
    web.spam |= target()
    web.open_doors((urls[0], "our forum"))
    return web


def bomb_in_comments() -> SpamWeb:
    """Half of the honest pages have a comment that names the target by the topic."""
    web = honest()
    for url in (*web.wanted[1::2], *web.unwanted[1::2]):
        web.pages[url].links.append((TARGET, f"{TOPIC} {url[-1]}"))
    web.spam = target(*((url, TOPIC) for url in one_host(50)))
    web.spam |= clique(one_host(50), lambda url: [nonsense(url)], keywords_as_title)
    return web


def mirror() -> SpamWeb:
    """Good pages, copied word for word; their links lead to spam."""
    web = honest()
    copies = {url: f"http://mirror.example/{at}" for at, url in enumerate(web.wanted)}
    farm = one_host(100)
    for at, (url, copy) in enumerate(copies.items()):
        page = web.pages[url]
        links = [(copies.get(other, farm[at % 100]), text) for other, text in page.links]
        bait = (TARGET, TOPIC), (farm[at], f"{TOPIC} {at}")
        web.spam[copy] = Written(page.title, page.paragraphs, [*bait, *links])
    web.spam |= clique(farm, lambda url: [nonsense(url)], keywords_as_title)
    web.spam |= target((farm[0], "in"))
    web.open_doors((copies[web.wanted[20]], web.pages[web.wanted[20]].title))
    return web


def scraped_farm() -> SpamWeb:
    """Real sentences on the topic, none of them the farm's own, on 200 pages that link to each
    other and to the target."""
    web = honest()
    urls = one_host(200)
    web.spam = clique(urls, scraped, keywords_as_title) | target((urls[0], "in"))
    web.open_doors((urls[0], TOPIC))
    return web


def expired_domain() -> SpamWeb:
    """An honest page on the topic links to what was a good page once, by its old title."""
    web = honest()
    urls = one_host()
    web.spam = clique(urls, lambda url: [stuffed(url)], keywords_as_title) | target((urls[0], "in"))
    web.pages[web.wanted[0]].links.append((urls[0], "Choosing a small refractor"))
    return web


ATTACKS: dict[str, Callable[[], SpamWeb]] = {
    make.__name__: make
    for make in (
        farm_on_one_host,
        farm_on_many_hosts,
        stuffed_farm,
        hidden_text,
        bomb_from_one_host,
        bomb_in_comments,
        mirror,
        scraped_farm,
        expired_domain,
    )
}
