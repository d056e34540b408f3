"""digital.gov from a clone of GSA/digitalgov.gov: what Hugo makes of its content.

Posts and events that have passed their expiry date are part of the web: the site had them, and
half of its posts would be missing. Drafts are not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from html import escape
from typing import Any, Final

from benchmarks.webs.clones import Clone
from benchmarks.webs.documents import Document, Find, html_of, parse, without_hugo
from benchmarks.webs.sites import Entry, Listing, Site, neighbours, related

HOST: Final = "digitalgov.example"
_CONTENT: Final = "content/"
_DATED: Final = {"news": "", "events": "/event"}
_LEFT_OUT: Final = ("authors", "_archived", "sources", "apis", "images", "uploads", "404", "topics")
_SECTIONS: Final = {
    "news": "News",
    "events": "Events",
    "resources": "Resources",
    "communities": "Communities of practice",
    "guides": "Guides",
}
_MENU: Final = [
    *((title, f"/{name}/") for name, title in _SECTIONS.items()),
    ("Topics", "/topics/"),
    ("Authors", "/authors/"),
]
_FOOT: Final = [
    ("About", "/about/"),
    ("Contribute", "/about/contribute/"),
    ("Policies", "/about/policies/"),
    ("Contact", "/about/contact/"),
]


def digital_gov(clone: Clone) -> Site:
    """The site, with topics as its front matter names them."""
    documents = [*_documents(clone, _CONTENT)]
    site = Site(HOST, "Digital.gov", _MENU, _FOOT)
    find = _finder(documents)
    names = _names(documents, "authors", "display_name")
    shown = [one for one in documents if _section(one) not in _LEFT_OUT]
    for one in shown:
        path = _path(one)
        site.moved.update({_slashed(alias): path for alias in one.listed("aliases")})
        if to := one.said("redirectto"):
            site.moved[path] = to
        elif _is_entry(one):
            site.entries.append(_entry(one, find, names))
    site.entries.sort(key=lambda entry: (entry.date, entry.path), reverse=True)
    posts = [entry for entry in site.entries if entry.topics]
    site.related = related(posts)
    site.entries = _beside(site.entries)
    site.listings = [*_listings(site, documents, names)]
    taken = {listing.path for listing in site.listings}
    site.entries = [entry for entry in site.entries if entry.path not in taken]
    return site


def _documents(clone: Clone, under: str) -> Iterator[Document]:
    for path, text in clone.texts(".md", under=under).items():
        document = parse(path.removeprefix(under), text)
        if document is not None and document.said("draft") != "true":
            yield document


def _section(document: Document) -> str:
    return document.path.partition("/")[0]


def _is_entry(document: Document) -> bool:
    return bool(document.said("title", "name")) and "/" in document.path


def _path(document: Document) -> str:
    """Path of a page, by the rules of the site's config.yml."""
    if url := document.said("url"):
        return _slashed(url)
    folder, _, file = document.path.removesuffix(".md").rpartition("/")
    section, date = _section(document), document.said("date")[:10]
    if file == "_index":
        return _slashed(folder)
    slug = document.said("slug") or re.sub(r"^\d{4}-\d\d-\d\d-", "", file)
    if section in _DATED and date:
        return f"{_DATED[section]}/{date.replace('-', '/')}/{slug}/".lower()
    return _slashed(f"{folder}/{slug}".lower())


def _slashed(path: str) -> str:
    return f"/{path.strip('/')}/" if path.strip("/") else "/"


def _finder(documents: Iterable[Document]) -> Find:
    """What `ref` may call a page: its path, with and without the ending, or its file name."""
    places: dict[str, str] = {}
    for one in documents:
        bare = one.path.removesuffix(".md")
        folder = bare.removesuffix("/_index")
        for name in (one.path, bare, folder, bare.rpartition("/")[2], one.path.rpartition("/")[2]):
            places.setdefault(name, _path(one))

    def find(named: str) -> str:
        return places.get(named.partition("#")[0].strip(" /"), "")

    return find


def _names(documents: Iterable[Document], section: str, field: str) -> dict[str, str]:
    """Slug -> name, of the folders of a section."""
    return {
        one.path.split("/")[1]: one.said(field, "title", "slug")
        for one in documents
        if _section(one) == section and one.path.count("/") == 2
    }


def _entry(document: Document, find: Find, names: dict[str, str]) -> Entry:
    body = html_of(without_hugo(document.text, find))
    source = document.said("source_url")
    body += f'<p><a href="{escape(source)}">Go to the original</a></p>' if source else ""
    authors = [name for name in document.listed("authors") if name in names]
    return Entry(
        _path(document),
        document.said("title", "name"),
        body + _further(document.matter, find),
        document.said("summary", "deck"),
        document.said("date")[:10],
        tuple(dict.fromkeys(one.lower() for one in document.listed("topics"))),
        aside=tuple((names[name], f"/authors/{name}/") for name in authors),
    )


def _further(matter: Any, find: Find) -> str:
    """Links that front matter holds, wherever in it: a mapping with an address and words."""
    if isinstance(matter, list):
        return "".join(_further(one, find) for one in matter)
    if not isinstance(matter, dict):
        return ""
    inner = "".join(_further(one, find) for one in matter.values())
    to, said = matter.get("link") or matter.get("href"), matter.get("title") or matter.get("text")
    if isinstance(to, str) and isinstance(said, str):
        return f'<p><a href="{escape(find(to) or to)}">{escape(said)}</a></p>{inner}'
    return inner


def _beside(entries: Sequence[Entry]) -> list[Entry]:
    """Entries with what stands beside them: of a guide all its pages, of others the neighbours."""
    groups: dict[str, list[Entry]] = {}
    for entry in entries:
        groups.setdefault(_group(entry.path), []).append(entry)
    links: dict[str, tuple[tuple[str, str], ...]] = {}
    for group, inside in groups.items():
        contents = tuple((one.title, one.path) for one in inside)
        for at, entry in enumerate(inside):
            is_guide = group.startswith("/guides/")
            links[entry.path] = contents if is_guide else neighbours(inside, at)
    return [replace(entry, aside=entry.aside + links[entry.path]) for entry in entries]


def _group(path: str) -> str:
    if path.startswith("/event/"):
        return "/event/"
    return "/news/" if path[1:5].isdigit() else _folder(path)


def _folder(path: str) -> str:
    return path.rstrip("/").rpartition("/")[0] + "/"


def _listings(
    site: Site, documents: Sequence[Document], names: dict[str, str]
) -> Iterator[Listing]:
    entries = site.entries
    yield Listing("/", "Digital.gov", entries[:13], each=13)
    for name, title in _SECTIONS.items():
        yield Listing(f"/{name}/", title, [*_of_section(entries, name)])
    topics = {
        one.path.split("/")[1]: one
        for one in documents
        if _section(one) == "topics" and one.path.count("/") == 2
    }
    find, cards = _finder(documents), []
    for name, one in topics.items():
        found = [entry for entry in entries if name in entry.topics]
        title, body = one.said("title"), _further(one.matter, find)
        yield Listing(f"/topics/{name}/", title, found, body=body)
        cards.append(Entry(f"/topics/{name}/", title, "", one.said("summary", "deck")))
    yield Listing("/topics/", "Topics", cards, each=100)
    yield from _authors(entries, names)


def _of_section(entries: Iterable[Entry], name: str) -> Iterator[Entry]:
    for entry in entries:
        dated = {"news": entry.path[1:5].isdigit(), "events": entry.path.startswith("/event/")}
        if dated.get(name, entry.path.startswith(f"/{name}/") and entry.path != f"/{name}/"):
            yield entry


def _authors(entries: Iterable[Entry], names: dict[str, str]) -> Iterator[Listing]:
    written: dict[str, list[Entry]] = {}
    for entry in entries:
        for _, to in entry.aside:
            if to.startswith("/authors/"):
                written.setdefault(to.split("/")[2], []).append(entry)
    cards = [Entry(f"/authors/{name}/", names[name], "") for name in sorted(written)]
    for name in sorted(written):
        yield Listing(f"/authors/{name}/", names[name], written[name])
    yield Listing("/authors/", "Authors", cards, each=100)
