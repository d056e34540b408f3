"""The demonstration web: a few hundred made-up pages to try a focused crawl on.

Eleven hosts under ``.example``, five topics, written by a seeded chance: the same bytes in every
process and on every machine. ``pages`` says what there is and what links to what; here stands what
real webs are full of and made-up ones lack. Redirects that move for good, for now and twice; pages
that are missing, gone, or overloaded on the first call; a month calendar without an end; pages that
robots.txt forbids; a guestbook whose links say nofollow; text that is no HTML, and HTML that is not
UTF-8.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

from frontier.urls.canonical import host_of, normal_url
from frontier.web.answers import WebAnswer, text_answer
from frontier.web.demo.pages import PORTAL, DemoLink, SiteLayout, bullets, document, render_page
from frontier.web.demo.prose import ASTRONOMY, COOKING, MONTHS, Chance, paragraph

if TYPE_CHECKING:
    from collections.abc import Mapping

_OBSERVATORY = "http://observatory.example/"
_STARGAZERS = "http://stargazers.example/"
_KITCHEN = "http://kitchen.example/"
_RECIPES = "http://recipes.example/"
_VELO = "http://velo.example/"

_ROBOTS = {
    _OBSERVATORY: "User-agent: *\nDisallow: /private/\n",
    _KITCHEN: "User-agent: *\nDisallow: /private/\nAllow: /private/menu\n",
    PORTAL: "# Everything may be fetched.\nUser-agent: *\nDisallow:\n",
}
_REDIRECTS = (
    (f"{_OBSERVATORY}old/links", 301, f"{_OBSERVATORY}links"),
    (f"{_STARGAZERS}go/observatory", 302, _OBSERVATORY),
    (f"{_VELO}hop/1", 301, "/hop/2"),
    (f"{_VELO}hop/2", 302, "http://cycling.example/links"),
)
_DOORS = (
    (_OBSERVATORY, "calendar/2026/11", "Calendar"),
    (_OBSERVATORY, "private/members", "Members only: the night log of our telescope"),
    (_OBSERVATORY, "old/links", "Good pages about astronomy (old address)"),
    (_OBSERVATORY, "missing/comet-of-the-year", "Comet of the year"),
    (_OBSERVATORY, "dot.png", "A picture of the planet Earth"),
    (_STARGAZERS, "go/observatory", "Our friends at the observatory"),
    (_STARGAZERS, "tonight", "The sky tonight: planets and stars"),
    (_STARGAZERS, "notes.txt", "Plain notes on telescopes"),
    (_KITCHEN, "cafe", "The café menu"),
    (_KITCHEN, "private/menu", "Menu of the week"),
    (_KITCHEN, "private/accounts", "Accounts"),
    (_RECIPES, "guestbook", "Guestbook"),
    (_VELO, "hop/1", "Good pages about cycling"),
    (_VELO, "gone", "Results of the race that was cancelled"),
)
"""Home pages, and the links from them to what is odd on their hosts."""
_MEMBERS, _TONIGHT = f"{_OBSERVATORY}private/members", f"{_STARGAZERS}tonight"
_NOTES, _CAFE, _MENU = f"{_STARGAZERS}notes.txt", f"{_KITCHEN}cafe", f"{_KITCHEN}private/menu"
_ON_TOPIC = {
    **dict.fromkeys((_MEMBERS, _TONIGHT, _NOTES), ASTRONOMY),
    **dict.fromkeys((_CAFE, _MENU), COOKING),
}
# A pale blue dot, stored without compression: the same bytes under every zlib.
_DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAAD0lEQVR4"
    "AQEEAPv/AECA8AK0AbHK60bKAAAAAElFTkSuQmCC"
)
_CALENDAR = re.compile(re.escape(_OBSERVATORY) + r"calendar/([1-9]\d{0,30})/(0[1-9]|1[0-2])")


class DemoWeb:
    """A web to crawl in a minute, with the good and the bad of a real one.

    The one thing that changes is the overloaded page: it answers 503 to the first
    request an instance gets for it, 200 afterwards.
    """

    def __init__(self) -> None:
        self.pages = SiteLayout().pages
        for home, path, text in _DOORS:
            self.pages[home].links.append(DemoLink(home + path, text))
        self.oddities = _oddities()
        self._was_overloaded = False

    def __len__(self) -> int:
        """The number of URLs that lead somewhere; the endless calendar is not counted."""
        return len(self.pages) + len(self.oddities)

    @staticmethod
    def seeds() -> list[str]:
        """Where a crawl starts: one page on the default topic, and the portal."""
        return [_OBSERVATORY, PORTAL]

    @property
    def topic(self) -> str:
        """The topic a demonstration crawls for, as a person would ask for it."""
        return ASTRONOMY.keywords

    def hosts(self) -> set[str]:
        """The names of all hosts."""
        return {host_of(url) for url in self.pages}

    def topic_of(self, url: str) -> str | None:
        """The name of the topic a page is on; None for listings, errors and unknown URLs.

        It is the truth that a crawl is judged by; no crawler may see it.
        """
        url = normal_url(url)
        topic = self.pages[url].topic if url in self.pages else _ON_TOPIC.get(url)
        return topic.name if topic else None

    async def answer(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes
    ) -> WebAnswer:
        url = normal_url(url)
        if url == _TONIGHT and not self._was_overloaded:
            self._was_overloaded = True
            busy = text_answer(503, "Too many visitors. Try again in a second.\n")
            return WebAnswer(busy.status, [*busy.headers, ("Retry-After", "1")], busy.body)
        if page := self.pages.get(url):
            return _html(render_page(page))
        known = self.oddities.get(url) or _calendar(url)
        return known or text_answer(404, f"There is no page {url}\n")


def _html(page: str, charset: str = "utf-8") -> WebAnswer:
    return WebAnswer(200, [("Content-Type", f"text/html; charset={charset}")], page.encode(charset))


def _oddities() -> dict[str, WebAnswer]:
    """All oddities that always answer the same, by URL."""
    notes = re.sub(r"</?p>", "", _text_of(_NOTES))
    accents = "Crème brûlée, pâté, jalapeños and a café au lait: cooking with accents."
    cafe = document("The café menu", f"<p>{accents}</p>\n{_text_of(_CAFE)}", "iso-8859-1")
    return {
        **{f"{host}robots.txt": text_answer(200, text) for host, text in _ROBOTS.items()},
        **{url: _redirect(status, target) for url, status, target in _REDIRECTS},
        **{url: _html(page) for url, page in _documents().items()},
        _CAFE: _html(cafe, "iso-8859-1"),
        _NOTES: text_answer(200, notes),
        f"{_OBSERVATORY}dot.png": WebAnswer(200, [("Content-Type", "image/png")], _DOT),
        f"{_VELO}gone": text_answer(410, "This page is gone and will not come back.\n"),
    }


def _documents() -> dict[str, str]:
    offers = [DemoLink(f"{_RECIPES}offers/{n}", f"Great offer {n}", "nofollow") for n in (1, 2)]
    back = bullets([DemoLink(_STARGAZERS, "Back to the stargazers")])
    thanks = f"<p>Thank you for the soup!</p>\n{bullets(offers)}"
    return {
        _MEMBERS: document("The night log", _text_of(_MEMBERS)),
        _MENU: document("Menu of the week", _text_of(_MENU)),
        f"{_KITCHEN}private/accounts": document("Accounts", "<p>In the red.</p>\n"),
        f"{_RECIPES}guestbook": document("Guestbook", thanks),
        **{one.url: document(one.anchor, "<p>Buy two, pay three.</p>\n") for one in offers},
        _TONIGHT: document("The sky tonight", _text_of(_TONIGHT) + back),
    }


def _redirect(status: int, target: str) -> WebAnswer:
    return WebAnswer(status, [("Location", target), ("Content-Type", "text/plain")], b"Moved.\n")


def _text_of(url: str) -> str:
    chance = Chance(f"text of {url}")
    return "\n".join(f"<p>{paragraph(_ON_TOPIC[url], chance)}</p>" for _ in range(3)) + "\n"


def _calendar(url: str) -> WebAnswer | None:
    """A month of the calendar, None if the URL is none.

    There is always a next month: the space has no end, and nothing in it is on any topic.
    """
    match = _CALENDAR.fullmatch(url)
    if not match:
        return None
    months = int(match[1]) * 12 + int(match[2]) - 1
    links = [_month(months + 1, "Next month"), DemoLink(_OBSERVATORY, "Back")]
    if months > 12:
        links.insert(1, _month(months - 1, "Previous month"))
    name = f"{MONTHS[months % 12]} {months // 12}"
    return _html(document(name, f"<p>Nothing is entered for {name}.</p>\n{bullets(links)}"))


def _month(months: int, name: str) -> DemoLink:
    return DemoLink(f"{_OBSERVATORY}calendar/{months // 12}/{months % 12 + 1:02}", name)
