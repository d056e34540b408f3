"""What real webs are full of and made-up ones lack: the demonstration web's bad corners.

Redirects that move for good, for now and twice; pages that are missing, gone, or
overloaded on the first call; a month calendar without an end; pages that robots.txt
forbids; a guestbook whose links say nofollow; text that is no HTML, and HTML that is
not UTF-8. ``DOORS`` says on which ordinary page the link to each of them stands.
"""

from __future__ import annotations

import base64
import re
from typing import TYPE_CHECKING

from frontier.web.answers import Answer, text_answer
from frontier.web.demo.html import bullets, document
from frontier.web.demo.pages import PORTAL, DemoLink
from frontier.web.demo.prose import Chance, paragraph
from frontier.web.demo.words import ASTRONOMY, COOKING, Topic

if TYPE_CHECKING:
    from collections.abc import Callable

_OBSERVATORY = "http://observatory.example/"
_STARGAZERS = "http://stargazers.example/"
_KITCHEN = "http://kitchen.example/"
_RECIPES = "http://recipes.example/"
_VELO = "http://velo.example/"

ROBOTS = {
    f"{_OBSERVATORY}robots.txt": "User-agent: *\nDisallow: /private/\n",
    f"{_KITCHEN}robots.txt": "User-agent: *\nDisallow: /private/\nAllow: /private/menu\n",
    f"{PORTAL}robots.txt": "# Everything may be fetched.\nUser-agent: *\nDisallow:\n",
}
REDIRECTS = {
    f"{_OBSERVATORY}old/links": (301, f"{_OBSERVATORY}links"),
    f"{_STARGAZERS}go/observatory": (302, _OBSERVATORY),
    f"{_VELO}hop/1": (301, "/hop/2"),
    f"{_VELO}hop/2": (302, "http://cycling.example/links"),
}
# A pale blue dot, stored without compression: the same bytes under every zlib.
_DOT = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAAD0lEQVR4"
    "AQEEAPv/AECA8AK0AbHK60bKAAAAAElFTkSuQmCC"
)
DOORS: dict[str, list[DemoLink]] = {
    _OBSERVATORY: [
        DemoLink(f"{_OBSERVATORY}calendar/2026/11", "Calendar"),
        DemoLink(f"{_OBSERVATORY}private/members", "Members only: the night log of our telescope"),
        DemoLink(f"{_OBSERVATORY}old/links", "Good pages about astronomy (old address)"),
        DemoLink(f"{_OBSERVATORY}missing/comet-of-the-year", "Comet of the year"),
        DemoLink(f"{_OBSERVATORY}dot.png", "A picture of the planet Earth"),
    ],
    _STARGAZERS: [
        DemoLink(f"{_STARGAZERS}go/observatory", "Our friends at the observatory"),
        DemoLink(f"{_STARGAZERS}tonight", "The sky tonight: planets and stars"),
        DemoLink(f"{_STARGAZERS}notes.txt", "Plain notes on telescopes"),
    ],
    _KITCHEN: [
        DemoLink(f"{_KITCHEN}cafe", "The café menu"),
        DemoLink(f"{_KITCHEN}private/menu", "Menu of the week"),
        DemoLink(f"{_KITCHEN}private/accounts", "Accounts"),
    ],
    _RECIPES: [DemoLink(f"{_RECIPES}guestbook", "Guestbook")],
    _VELO: [
        DemoLink(f"{_VELO}hop/1", "Good pages about cycling"),
        DemoLink(f"{_VELO}gone", "Results of the race that was cancelled"),
    ],
}
TOPICS_OF_ODDITIES: dict[str, Topic] = {
    f"{_OBSERVATORY}private/members": ASTRONOMY,
    f"{_STARGAZERS}tonight": ASTRONOMY,
    f"{_STARGAZERS}notes.txt": ASTRONOMY,
    f"{_KITCHEN}cafe": COOKING,
    f"{_KITCHEN}private/menu": COOKING,
}
OVERLOADED_ONCE = f"{_STARGAZERS}tonight"
_CALENDAR = re.compile(re.escape(_OBSERVATORY) + r"calendar/([1-9]\d{0,30})/(0[1-9]|1[0-2])")
_MONTHS = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def html_answer(page: str, charset: str = "utf-8") -> Answer:
    """A document as a response in the charset it names."""
    return Answer(200, [("Content-Type", f"text/html; charset={charset}")], page.encode(charset))


def calendar_answer(url: str) -> Answer | None:
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
    name = f"{_MONTHS[months % 12]} {months // 12}"
    return html_answer(document(name, f"<p>Nothing is entered for {name}.</p>\n{bullets(links)}"))


def _month(months: int, name: str) -> DemoLink:
    return DemoLink(f"{_OBSERVATORY}calendar/{months // 12}/{months % 12 + 1:02}", name)


def _redirect(status: int, target: str) -> Answer:
    return Answer(status, [("Location", target), ("Content-Type", "text/plain")], b"Moved.\n")


def _text_of(url: str) -> str:
    chance = Chance(f"text of {url}")
    topic = TOPICS_OF_ODDITIES[url]
    return "\n".join(f"<p>{paragraph(topic, chance)}</p>" for _ in range(3)) + "\n"


def _member_pages() -> dict[str, Answer]:
    members, menu = f"{_OBSERVATORY}private/members", f"{_KITCHEN}private/menu"
    return {
        members: html_answer(document("The night log", _text_of(members))),
        menu: html_answer(document("Menu of the week", _text_of(menu))),
        f"{_KITCHEN}private/accounts": html_answer(document("Accounts", "<p>In the red.</p>\n")),
    }


def _guestbook() -> dict[str, Answer]:
    offers = [DemoLink(f"{_RECIPES}offers/{n}", f"Great offer {n}", nofollow=True) for n in (1, 2)]
    book = document("Guestbook", f"<p>Thank you for the soup!</p>\n{bullets(offers)}")
    pages = {offer.url: document(offer.anchor, "<p>Buy two, pay three.</p>\n") for offer in offers}
    return {
        url: html_answer(page) for url, page in (pages | {f"{_RECIPES}guestbook": book}).items()
    }


def _other_formats() -> dict[str, Answer]:
    cafe = (
        "<p>Crème brûlée, pâté, jalapeños and a café au lait: "
        f"cooking with accents.</p>\n{_text_of(f'{_KITCHEN}cafe')}"
    )
    notes = re.sub(r"</?p>", "", _text_of(f"{_STARGAZERS}notes.txt"))
    return {
        f"{_KITCHEN}cafe": html_answer(document("The café menu", cafe, "iso-8859-1"), "iso-8859-1"),
        f"{_STARGAZERS}notes.txt": text_answer(200, notes),
        f"{_OBSERVATORY}dot.png": Answer(200, [("Content-Type", "image/png")], _DOT),
        f"{_VELO}gone": text_answer(410, "This page is gone and will not come back.\n"),
    }


def _tonight() -> dict[str, Answer]:
    links = bullets([DemoLink(_STARGAZERS, "Back to the stargazers")])
    page = document("The sky tonight", _text_of(OVERLOADED_ONCE) + links)
    return {OVERLOADED_ONCE: html_answer(page)}


def overloaded() -> Answer:
    """What the overloaded page says the first time."""
    answer = text_answer(503, "Too many visitors. Try again in a second.\n")
    return Answer(answer.status, [*answer.headers, ("Retry-After", "1")], answer.body)


def fixed_answers() -> dict[str, Answer]:
    """All oddities that always answer the same, by URL."""
    makers: tuple[Callable[[], dict[str, Answer]], ...] = (
        _member_pages,
        _guestbook,
        _other_formats,
        _tonight,
    )
    found = {url: text_answer(200, text) for url, text in ROBOTS.items()}
    found |= {url: _redirect(*where) for url, where in REDIRECTS.items()}
    for make in makers:
        found |= make()
    return found
