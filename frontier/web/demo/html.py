"""Pages of the demonstration web as HTML: prose with links in it, a menu, a list.

Links stand where people put them: the way home in a menu, related pages inside
sentences of their topic, listings in lists. The anchor is the title of the target, or
now and then no more than "this page".
"""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING

from frontier.web.demo.prose import Chance, paragraph, small_talk

if TYPE_CHECKING:
    from frontier.web.demo.pages import DemoLink, DemoPage

_LISTINGS = ("home", "hub", "archive")
_LEADS = (
    "More on this: {link}.",
    "This is told at length in {link}.",
    "Readers of this page liked {link}.",
    "The opposite view is held in {link}.",
    "See also {link}, which covers the details.",
)
_VAGUE = ("this page", "read more", "here")
_VAGUE_SHARE = 0.15


def render_page(page: DemoPage) -> str:
    """The whole document of a page; the same bytes each time."""
    chance = Chance(f"text of {page.url}")
    body = _listing(page, chance) if page.kind in _LISTINGS else _article(page, chance)
    return document(page.title, body)


def document(title: str, body: str, charset: str = "utf-8") -> str:
    """A document around a body that is HTML already."""
    return (
        f'<!DOCTYPE html>\n<html lang="en">\n<head><meta charset="{charset}">'
        f"<title>{escape(title)}</title></head>\n"
        f"<body>\n<h1>{escape(title)}</h1>\n{body}</body>\n</html>\n"
    )


def anchor(link: DemoLink, text: str = "") -> str:
    """A link as HTML, with another text than its own if one is given."""
    rel = ' rel="nofollow"' if link.nofollow else ""
    return f'<a href="{escape(link.url)}"{rel}>{escape(text or link.anchor)}</a>'


def bullets(links: list[DemoLink]) -> str:
    """A list of links."""
    items = "".join(f"<li>{anchor(link)}</li>\n" for link in links)
    return f"<ul>\n{items}</ul>\n"


def _prose(page: DemoPage, chance: Chance) -> str:
    return escape(paragraph(page.topic, chance) if page.topic else small_talk(chance))


def _listing(page: DemoPage, chance: Chance) -> str:
    return f"<p>{_prose(page, chance)}</p>\n{bullets(page.links)}"


def _article(page: DemoPage, chance: Chance) -> str:
    menu, related = page.links[:1], page.links[1:]
    parts = [f"<nav>{anchor(link)}</nav>\n" for link in menu]
    parts += [_paragraph(page, link, chance) for link in related]
    parts += [f"<p>{_prose(page, chance)}</p>\n" for _ in range(2 + chance.below(3))]
    return "".join(parts)


def _paragraph(page: DemoPage, link: DemoLink, chance: Chance) -> str:
    text = chance.pick(_VAGUE) if chance.happens(_VAGUE_SHARE) else ""
    lead = chance.pick(_LEADS).format(link=anchor(link, text))
    return f"<p>{_prose(page, chance)} {lead}</p>\n"
