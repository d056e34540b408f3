"""The Debian Administrator's Handbook in many languages, from the package `debian-handbook`.

One host a language. Each page has links to the same page in the other languages, as the book has
on its own site. Topics are the chapters, whatever the language; keywords are English words of the
chapters' titles and sections, and the only seed is the English book. Left out are languages into
which less than half of the paragraphs were translated: their pages would be copies of the English.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from html import unescape
from pathlib import Path
from typing import Final

from benchmarks.children import BenchmarkError
from benchmarks.webs.writing import Answer, Web, keywords, page, rewritten

NAME: Final = "handbook"
ENGLISH: Final = "en-US"
_TRANSLATED: Final = 0.5
_INDEX: Final = "index.html"
_UP: Final = re.compile(r'<link rel="up" href="([^"#]+)')
_TITLE: Final = re.compile(r"<title[^>]*>(.*?)</title>", re.DOTALL)
_CHAPTER: Final = re.compile(r"Chapter \d+")
_PARAGRAPH: Final = re.compile(r'<div class="para">(.*?)</div>', re.DOTALL)
_BODY: Final = re.compile(r"<body[^>]*>")
_MARKUP: Final = re.compile(r"<[^>]*>")
_PICTURE: Final = re.compile(r'<div id="banner">.*?</div>|<img\b[^>]*/>', re.DOTALL)


@dataclass(frozen=True)
class Book:
    """The pages of one language: name of the file -> HTML."""

    language: str
    pages: Mapping[str, str] = field(repr=False)

    @property
    def host(self) -> str:
        """Where it is served."""
        return f"{self.language.lower()}.handbook.example"

    def url(self, name: str) -> str:
        """Where a page is served; the first at the root."""
        return f"http://{self.host}/{'' if name == _INDEX else name}"

    @cached_property
    def paragraphs(self) -> set[str]:
        """What its paragraphs say."""
        found = (_said(one) for html in self.pages.values() for one in _PARAGRAPH.findall(html))
        return {one for one in found if one}


def build(folder: Path) -> Web:
    """The web of the folder `html` of the unpacked package. Raises BenchmarkError."""
    books = read_books(folder)
    english = next((one for one in books if one.language == ENGLISH), None)
    if english is None:
        raise BenchmarkError(
            f"expected a folder a language in {folder}, {ENGLISH} among them, found "
            f"{', '.join(one.language for one in books) or 'none'}. Name the folder html of the "
            "unpacked package debian-handbook"
        )
    chosen = [one for one in books if one is english or is_translated(one, english)]
    chapters = chapters_of(english)
    texts = "".join(one.pages[name] for one in chosen for name in one.pages)
    return Web(
        NAME,
        [_answer(one, name, chosen) for one in chosen for name in one.pages],
        [
            (one.url(name), chapters[name])
            for one in chosen
            for name in one.pages
            if name in chapters
        ],
        [english.url(_INDEX)],
        keywords_of(english, chapters),
        {
            "made of": [{"package": "debian-handbook", "sha256": _digest(texts)}],
            "languages": [one.language for one in chosen],
            "licence": "GPL-2.0-or-later or CC-BY-SA-3.0, Raphaël Hertzog, Roland Mas and others",
        },
    )


def read_books(folder: Path) -> list[Book]:
    """The languages in a folder, by name."""
    return [
        Book(
            one.name,
            {path.name: path.read_text(encoding="utf-8") for path in sorted(one.glob("*.html"))},
        )
        for one in (sorted(folder.iterdir()) if folder.is_dir() else ())
        if one.is_dir() and (one / _INDEX).exists()
    ]


def is_translated(book: Book, english: Book) -> bool:
    """Whether at least half of the paragraphs are in a language of the book's own."""
    own = len(book.paragraphs - english.paragraphs)
    return own >= _TRANSLATED * max(1, len(book.paragraphs))


def chapters_of(english: Book) -> dict[str, str]:
    """Name of a page -> the chapter that it belongs to, by its links upwards."""
    above = {name: found[1] for name, html in english.pages.items() if (found := _UP.search(html))}
    chapters = {
        name for name, html in english.pages.items() if _CHAPTER.match(_title(html).strip())
    }

    def chapter(name: str) -> str:
        for _ in range(len(above)):
            if name in chapters or name not in above:
                break
            name = above[name]
        return name if name in chapters else ""

    inside = {name: chapter(name) for name in english.pages}
    return {name: one.removesuffix(".html") for name, one in inside.items() if one}


def keywords_of(english: Book, chapters: Mapping[str, str]) -> dict[str, str]:
    """Chapter -> words of its titles, those of its own title first."""
    titles: dict[str, list[str]] = {}
    own_first = sorted(chapters, key=lambda name: (name != f"{chapters[name]}.html", name))
    for name in own_first:
        title = re.sub(r"^(?:Chapter )?[\d.]+", "", _title(english.pages[name]))
        titles.setdefault(chapters[name], []).append(title)
    return {one: keywords(*said) for one, said in sorted(titles.items())}


def _answer(book: Book, name: str, books: list[Book]) -> Answer:
    others = "".join(
        f'<li><a href="{one.url(name)}" hreflang="{one.language}">{one.language}</a></li>'
        for one in books
        if one is not book and name in one.pages
    )
    html = _PICTURE.sub("", book.pages[name])
    html = _BODY.sub(lambda match: f'{match[0]}<ul class="languages">{others}</ul>', html, count=1)
    one = page(book.url(name), html)
    return Answer(one.url, rewritten(one.url, one.body, _change({b.host for b in books})))


def _change(hosts: set[str]) -> Callable[[str], str | None]:
    """Links out of the web lose their address; those to the first page lead to the root."""

    def change(target: str) -> str | None:
        scheme, _, rest = target.partition("://")
        host, _, path = rest.partition("/")
        if scheme != "http" or host not in hosts:
            return ""
        return f"http://{host}/{'' if path == _INDEX else path}"

    return change


def _title(html: str) -> str:
    found = _TITLE.search(html)
    return unescape(_MARKUP.sub("", found[1])).replace("\xa0", " ") if found else ""


def _said(markup: str) -> str:
    return " ".join(_MARKUP.sub("", markup).split())


def _digest(text: str) -> str:
    return sha256(text.encode("utf-8")).hexdigest()
