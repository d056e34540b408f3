"""A made-up web that changes, of which it is known what changed, and that varies besides.

Each page is written anew at each revisit: with what is noise drawn anew, and what is its own as the
last true change left it. Everything follows from a seed.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

KINDS = (
    *("edited sentence", "added sentence", "removed sentence", "added paragraph", "title"),
    *("index link", "numbered index link", "price", "stock", "version"),
)
"""What truly changes."""
NOISES = (
    *("advertisement", "related", "request id", "token link", "timestamp", "counter"),
    *("session", "csrf", "date"),
)
"""What varies at every revisit."""
LAYOUTS = ("classes", "bare", "boxes", "loose")
"""Where things stand: in elements with classes, in none, in boxes, and at varying places."""
INDEXES = 3
"""Pages that list others."""
_MONTHS = "January February March April May June July August September October November December"
_SYLLABLES = ("ba", "ce", "di", "fo", "gu", "la", "me", "ni", "po", "ru", "sa", "te", "vi", "wo")


@dataclass
class _Page:
    number: int
    title: str
    paragraphs: list[list[str]]
    price: int
    stock: int
    version: list[int]
    stories: list[tuple[str, str]] = field(default_factory=list)


class ChangingWeb:
    """One host; `page` gives the HTML of a page as it is now, `pass_time` changes some."""

    def __init__(
        self,
        seed: int,
        kinds: Iterable[str] = KINDS,
        noises: Iterable[str] = (),
        layout: str = "classes",
        pages: int = 24,
        rate: float = 0.06,
    ) -> None:
        self.random = random.Random(seed)
        self.kinds = tuple(kinds)
        self.noises = frozenset(noises)
        self.layout = layout
        self.rate = rate
        self.notice: str | None = None
        """What every page shows instead, if anything."""
        self.time = 1_793_700_000
        self._stories = 1000
        self._words = ["".join(self._some(_SYLLABLES, 2 + n % 3)) for n in range(400)]
        self._offers = [" ".join(self._some(self._words, 12)) for _ in range(200)]
        self._pages = [self._new_page(number) for number in range(pages)]

    def __len__(self) -> int:
        return len(self._pages)

    def _some(self, values: Sequence[str], n: int) -> list[str]:
        return [self.random.choice(values) for _ in range(n)]

    def _sentence(self) -> str:
        return " ".join(self._some(self._words, self.random.randint(6, 14))).capitalize() + "."

    def _new_page(self, number: int) -> _Page:
        paragraphs = [
            [self._sentence() for _ in range(self.random.randint(1, 4))]
            for _ in range(self.random.randint(3, 7))
        ]
        draw = self.random.randint
        version = [draw(1, 9), draw(0, 20), draw(0, 9)]
        page = _Page(number, self._title(), paragraphs, draw(199, 9999), draw(1, 80), version)
        if number < INDEXES:
            page.stories = [self._story(numbered=False) for _ in range(10)]
        return page

    def _title(self) -> str:
        return " ".join(self._some(self._words, 4)).title()

    def _story(self, *, numbered: bool) -> tuple[str, str]:
        self._stories += 1
        if numbered:
            return f"/story/{self._stories}", f"Story {self._stories}"
        title = self._title()
        return f"/story/{title.lower().replace(' ', '-')}", title

    # -- what changes -----------------------------------------------------------------------------

    def pass_time(self) -> dict[int, str]:
        """Let some pages change; returns which, and how."""
        self.time += 3600
        changed = {}
        for page in self._pages:
            if self.random.random() < self.rate and (kind := self._kind(page)) is not None:
                self._change(page, kind)
                changed[page.number] = kind
        return changed

    def _kind(self, page: _Page) -> str | None:
        kinds = [one for one in self.kinds if "index" not in one or page.stories]
        return self.random.choice(kinds) if kinds else None

    def _change(self, page: _Page, kind: str) -> None:
        draw = self.random
        paragraph = draw.choice(page.paragraphs)
        if kind == "edited sentence":
            paragraph[draw.randrange(len(paragraph))] = self._sentence()
        elif kind == "added sentence":
            paragraph.insert(draw.randint(0, len(paragraph)), self._sentence())
        elif kind == "removed sentence":
            paragraph.pop(draw.randrange(len(paragraph)))
            page.paragraphs = [one for one in page.paragraphs if one] or [[self._sentence()]]
        elif kind == "added paragraph":
            page.paragraphs.insert(draw.randint(0, len(page.paragraphs)), [self._sentence()])
        elif kind == "title":
            page.title = self._title()
        elif kind == "price":
            page.price += draw.choice((-1, 1)) * draw.randint(1, 150)
        elif kind == "stock":
            page.stock += draw.randint(1, 9)
        elif kind == "version":
            page.version[draw.randrange(3)] += 1
        else:
            page.stories.insert(0, self._story(numbered=kind == "numbered index link"))

    # -- what a revisit sees ------------------------------------------------------------------

    def page(self, number: int) -> str:
        """The page as it is now."""
        if self.notice is not None:
            return self.notice
        page = self._pages[number]
        body = [f"<h1>{page.title}</h1>", *(f"<p>{' '.join(one)}</p>" for one in page.paragraphs)]
        body += self._goods(page)
        if page.stories:
            items = "".join(
                f"<li><a href={href}{self._session()}>{text}</a></li>"
                for href, text in page.stories
            )
            body.append(f"<ul class=stories>{items}</ul>")
        if "advertisement" in self.noises:
            offer = f"<p>{self._offer()}</p>"
            if self.layout != "bare":
                offer = f"<div class=offer>{offer}</div>"
            if self.layout == "loose":
                offer = f"<p class=offer>{self._offer()}</p>" if self.random.random() < 0.7 else ""
                body.insert(self.random.randint(1, len(page.paragraphs)), offer)
            else:
                body.insert(1 if self.layout == "classes" else len(body), offer)
        article = "\n".join(body)
        if self.layout != "bare":
            article = f"<article class='post-{number}'>{article}</article>"
        head = f"<title>{page.title}</title>{self._csrf()}"
        return (
            f"<html><head>{head}</head><body>{self._menu()}{article}{self._beside()}"
            f"{self._footer()}</body></html>"
        )

    def _goods(self, page: _Page) -> list[str]:
        price, version = f"{page.price / 100:.2f}", ".".join(map(str, page.version))
        if self.layout == "classes":
            return [
                f"<p class=price>Price: <b>&pound;{price}</b></p>",
                f"<p class=stock>Only {page.stock} left in stock</p>",
                f"<dl><dt>Version<dd>{version}</dl>",
            ]
        cells = f"<tr><td>Price<td>{price} EUR<tr><td>In stock<td>{page.stock}"
        return [f"<table>{cells}<tr><td>Latest release<td>v{version}</table>"]

    def _menu(self) -> str:
        names = ("Home", "Stories", "Goods", "About us", "Contact")
        links = (
            f"<a href=/{name.split()[0].lower()}{self._session()}>{name}</a>" for name in names
        )
        if self.layout == "bare":
            return "<ul>" + "".join(f"<li>{one}</li>" for one in links) + "</ul>"
        return f"<nav>{' '.join(links)}</nav>"

    def _offer(self) -> str:
        if self.layout == "boxes":
            return self.random.choice(self._offers)
        return " ".join(self._some(self._words, 12))

    def _beside(self) -> str:
        found = []
        if "related" in self.noises:
            some = self.random.sample(self._pages, min(4, len(self._pages)))
            links = [
                f"<a href=/page/{one.number}{self._session()}>Page {one.number} of all"
                f" {self._words[one.number]}</a>"
                for one in some
            ]
            items = "".join(f"<li>{one}</li>" for one in links)
            if self.layout == "loose":
                found.append(f"<p>See also: {', '.join(links)}</p>")
            else:
                element = "ul" if self.layout == "bare" else "aside"
                found.append(f"<{element}>{items}</{element}>")
        if "token link" in self.noises:
            token = f"{self.random.getrandbits(64):016x}"
            found.append(f"<p><a href=/go/{token}>Visit our sponsor</a></p>")
        if "counter" in self.noises:
            views, online = self.random.randint(1000, 99999), self.random.randint(3, 99)
            found.append(f"<p class=count>{views:,} views</p><p>{online} people online</p>")
        return "".join(found)

    def _footer(self) -> str:
        parts = ["<p>Imprint of the house that writes all this</p>"]
        if "request id" in self.noises:
            parts.append(f"<p>Request id: {self.random.getrandbits(32):08x}</p>")
        if "timestamp" in self.noises:
            second = self.time + self.random.randint(0, 3599)
            hour, minute = second // 3600 % 24, second // 60 % 60
            parts.append(f"<p>Generated at {hour:02}:{minute:02}:{second % 60:02} ({second})</p>")
        if "date" in self.noises:
            day, month = self.time // 86400 % 28 + 1, _MONTHS.split()[self.time // 2_419_200 % 12]
            parts.append(f"<p>Today is {day} {month} 2026</p>")
        return f"<footer>{''.join(parts)}</footer>"

    def _session(self) -> str:
        if "session" not in self.noises:
            return ""
        return f"?sessionid={self.random.getrandbits(128):032x}"

    def _csrf(self) -> str:
        if "csrf" not in self.noises:
            return ""
        return f"<meta name=csrf-token content={self.random.getrandbits(96):024x}>"
