"""A site as its generator would show it: pages in a frame, listings in parts, links across hosts.

An entry is a page with a text. Around it stands what sites have: navigation, a side bar with the
pages of the same section, earlier and later entries, related ones. Listings have titles and
summaries, ten or twenty a page, and no labels of their own. Names of topics stand on listings only.

Links to the real hosts lead to the made-up ones; links out of the web and to files that are no
pages lose their address, so that a crawl asks for what is there, or was there once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Final
from urllib.parse import urldefrag, urljoin, urlsplit

from benchmarks.webs.links import rewritten
from benchmarks.webs.writing import Answer, moved, page

_FILE: Final = re.compile(r"\.(?!html?$|md$|cfm$|php$|aspx?$)[A-Za-z][A-Za-z0-9]{1,4}$")
"""The ending of a path that is no page's."""
_IMAGE: Final = re.compile(r"<(?:img|iframe|script|source|use)\b[^>]*>(?:</(?:iframe|script)>)?")


@dataclass(frozen=True)
class Entry:
    """A page with a text, at a path of its site. `body` is HTML as the source has it."""

    path: str
    title: str
    body: str
    summary: str = ""
    date: str = ""
    topics: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    aside: tuple[tuple[str, str], ...] = ()
    """Further links beside the text: words and address."""


@dataclass(frozen=True)
class Listing:
    """Entries in parts: the first at `path`, the others at `path` + `page/N/`."""

    path: str
    title: str
    entries: Sequence[Entry]
    each: int = 20
    body: str = ""

    def parts(self) -> Iterator[tuple[str, str, Sequence[Entry]]]:
        """Path, title and entries of each page."""
        count = max(1, -(-len(self.entries) // self.each))
        for number in range(1, count + 1):
            first = number == 1
            path = self.path if first else f"{self.path}page/{number}/"
            title = self.title if first else f"{self.title}, page {number} of {count}"
            yield path, title, self.entries[(number - 1) * self.each : number * self.each]


@dataclass
class Site:
    """One host: its entries, listings, navigation, and paths that lead to others."""

    host: str
    title: str
    menu: Sequence[tuple[str, str]]
    foot: Sequence[tuple[str, str]] = ()
    entries: list[Entry] = field(default_factory=list)
    listings: list[Listing] = field(default_factory=list)
    moved: dict[str, str] = field(default_factory=dict)
    related: Mapping[str, Sequence[Entry]] = field(default_factory=dict)
    """Path -> entries that are shown beside it."""

    def pages(self) -> Iterator[tuple[str, str]]:
        """Path and HTML of each page, with links as the sources have them."""
        for entry in self.entries:
            yield entry.path, self._framed(entry.title, self._entry(entry))
        for listing in self.listings:
            for path, title, entries in listing.parts():
                yield path, self._framed(title, _listed(listing, path, title, entries))

    def _entry(self, entry: Entry) -> str:
        # Where no summary was written, generators take the first words of the text.
        summary = "" if escape(entry.summary)[:40] in entry.body else entry.summary
        beside = [(other.title, other.path) for other in self.related.get(entry.path, ())]
        return (
            f"<article><h1>{escape(entry.title)}</h1>{_paragraph(entry.date)}"
            f"{_paragraph(summary)}\n{entry.body}</article>"
            f"<aside>{_links(entry.aside)}{_links(beside)}</aside>"
        )

    def _framed(self, title: str, main: str) -> str:
        return (
            '<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8">'
            f"<title>{escape(title)} | {escape(self.title)}</title></head><body>\n"
            f'<header><a href="/">{escape(self.title)}</a><nav>{_links(self.menu)}</nav></header>\n'
            f"<main>{main}</main>\n<footer>{_links(self.foot)}</footer></body></html>\n"
        )


def _listed(listing: Listing, path: str, title: str, entries: Iterable[Entry]) -> str:
    cards = "".join(
        f'<li><h2><a href="{escape(one.path)}">{escape(one.title)}</a></h2>'
        f"{_paragraph(one.date)}{_paragraph(one.summary)}</li>\n"
        for one in entries
    )
    around = [place for place, _, _ in listing.parts()]
    at = around.index(path)
    turns = [("Newer", around[at - 1])] if at else []
    turns += [("Older", around[at + 1])] if at + 1 < len(around) else []
    turns += [
        (str(number), place) for number, place in enumerate(around, 1) if abs(number - at) < 5
    ]
    body = listing.body if at == 0 else ""
    return f"<h1>{escape(title)}</h1>{body}<ul>{cards}</ul><nav>{_links(turns)}</nav>"


def _links(links: Iterable[tuple[str, str]]) -> str:
    shown = "".join(f'<li><a href="{escape(to)}">{escape(said)}</a></li>' for said, to in links)
    return f"<ul>{shown}</ul>" if shown else ""


def _paragraph(text: str) -> str:
    return f"<p>{escape(text)}</p>" if text else ""


def related(entries: Sequence[Entry], most: int = 3) -> dict[str, list[Entry]]:
    """For each entry those that share the most topics with it, the nearest in the list first."""
    by_topic: dict[str, list[int]] = {}
    for at, entry in enumerate(entries):
        for topic in entry.topics:
            by_topic.setdefault(topic, []).append(at)
    found = {}
    for at, entry in enumerate(entries):
        shared: dict[int, int] = {}
        for topic in entry.topics:
            for other in by_topic[topic]:
                shared[other] = shared.get(other, 0) + 1
        shared.pop(at, None)
        best = sorted(shared, key=lambda other: (-shared[other], abs(other - at), other))[:most]
        found[entry.path] = [entries[other] for other in best]
    return found


def neighbours(entries: Sequence[Entry], at: int) -> tuple[tuple[str, str], ...]:
    """Links to the entries before and behind one of a list."""
    around = entries[max(0, at - 1) : at + 2]
    return tuple((one.title, one.path) for one in around if one is not entries[at])


def answers(sites: Sequence[Site], hosts: Mapping[str, str]) -> list[Answer]:
    """What all the sites answer.

    `hosts` maps real hosts to hosts of the web; one with a path, such as "a.example/b", says that
    the old host is a folder there now.
    """
    made = {f"http://{site.host}{path}": html for site in sites for path, html in site.pages()}
    gone = {
        f"http://{site.host}{path}": to
        for site in sites
        for path, left in site.moved.items()
        if (to := _inside(urljoin(f"http://{site.host}{path}", left), hosts))
        and f"http://{site.host}{path}" not in made
    }
    known, unslashed = {*made, *gone}, dict[str, str]()

    def change(target: str) -> str | None:
        to = _inside(target, hosts)
        if to and to not in known and f"{to}/" in known:
            unslashed[to] = f"{to}/"
        return to

    pages = []
    for url, html in made.items():
        one = page(url, _IMAGE.sub("", html))
        pages.append(Answer(url, rewritten(url, one.body, change)))
    gone = {**gone, **unslashed}
    return [*pages, *(moved(url, to) for url, to in gone.items() if to != url)]


def _inside(target: str, hosts: Mapping[str, str]) -> str:
    """A target as the web has it; "" where it leads out of the web or to a file."""
    parts = urlsplit(urldefrag(target).url)
    made_up = {*(one.partition("/")[0] for one in hosts.values())}
    host = parts.netloc.lower()
    to = hosts.get(host) or (host if host in made_up else "")
    path = parts.path or "/"
    if parts.scheme not in ("http", "https") or not to or path[0] != "/" or _FILE.search(path):
        return ""
    return f"http://{to}{path}" + (f"?{parts.query}" if parts.query else "")
