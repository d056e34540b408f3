"""The four sites beside digital.gov, from clones of 18F/18f.gsa.gov, 18F/guides, uswds/uswds-site
and GSA/plainlanguage.gov: what Eleventy and Jekyll make of their content.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from html import escape
from typing import Any, Final

import yaml  # type: ignore[import-untyped]  # its types are a package of their own

from benchmarks.webs.clones import Clone
from benchmarks.webs.documents import Document, Find, html_of, parse, without_liquid
from benchmarks.webs.sites import Entry, Listing, Site, neighbours, related

_POST: Final = re.compile(r"(\d{4})-(\d\d?)-(\d\d?)-(.+)\.\w+$")
_PAGES: Final = (".md", ".html", ".markdown")
_UPDATES: Final = "/whats-new/updates"


@dataclass(frozen=True)
class Kept:
    """A page that a site's files make: its document, its path, and the pages it stands among."""

    document: Document
    path: str
    group: str


def blog_18f(clone: Clone) -> Site:
    """18f.gsa.gov: a blog with tags, and pages about the office."""
    menu = [
        ("Our work", "/our-work/"),
        ("Work with us", "/work-with-us/"),
        ("About 18F", "/about/"),
        ("Guides", "/guides/"),
        ("Blog", "/blog/"),
        ("Tags", "/tags/"),
        ("Contact", "/contact/"),
    ]
    foot = [("Linking policy", "/linking-policy/"), ("Open source policy", "/open-source-policy/")]
    site = Site("18f.gsa.example", "18F", menu, [*foot, ("Join 18F", "/join/")])
    posts = _kept(clone, "content/posts/", lambda one: _dated(one, ""))
    pages = _kept(clone, "content/pages/", lambda one: one.said("permalink"), _folder_of)
    written = sorted(_entries(posts, tagged=True), key=lambda one: (one.date, one.path))[::-1]
    site.related = related(written)
    written = [replace(one, aside=neighbours(written, at)) for at, one in enumerate(written)]
    others = _beside(pages, _entries(pages))
    work = [one for one in others if one.path.startswith("/our-work/") and one.path.count("/") > 2]
    site.listings = [
        Listing("/blog/", "Blog", written, each=5),
        Listing("/our-work/", "Our work", work, each=100),
        *_tags(written),
    ]
    taken = {listing.path for listing in site.listings}
    site.entries = [*written, *(one for one in others if one.path not in taken)]
    site.moved = {**_moved(posts), **_moved(pages)}
    return _with_home(site, written[:5])


def guides_18f(clone: Clone) -> Site:
    """guides.18f.gov: eleven guides, each with its pages beside them."""
    site = Site("guides.18f.example", "18F Guides", [("Guides", "/")])
    kept = _kept(clone, "content/", lambda one: one.said("permalink"), _folder_of)
    site.entries, site.moved = _beside(kept, _entries(kept)), _moved(kept)
    return _with_home(site, [one for one in site.entries if one.path.count("/") == 2])


def design_system(clone: Clone) -> Site:
    """designsystem.digital.gov: components, patterns, templates, tokens, documentation."""
    menu = [
        ("Documentation", "/documentation/"),
        ("Design tokens", "/design-tokens/"),
        ("Components", "/components/overview/"),
        ("Patterns", "/patterns/"),
        ("Page templates", "/templates/"),
        ("Utilities", "/utilities/"),
        ("What's new", "/whats-new/"),
        ("About", "/about/"),
    ]
    site = Site("designsystem.digitalgov.example", "U.S. Web Design System", menu)
    kept = _kept(clone, "", _design_path, lambda one: one.said("category") or _folder_of(one))
    parts = {**clone.texts(".md", under="_components/"), **clone.texts(".md", under="_templates/")}
    tests = clone.texts(".yml", ".yaml", under="_data/accessibility-tests/")
    full = [replace(one, document=_whole(one.document, parts, tests)) for one in kept]
    site.entries, site.moved = _beside(full, _entries(full)), _moved(full)
    updates = [one for one in site.entries if one.path.startswith(_UPDATES)]
    taken = {one.path for one in site.entries}
    for title, path in (("Documentation", "/documentation/"), *menu[1:]):
        inside = [one for one in site.entries if one.path.startswith(path)]
        if path not in taken:
            site.listings.append(Listing(path, title, inside))
    return _with_home(site, updates[:10])


def plain_language(clone: Clone) -> Site:
    """plainlanguage.gov: guidelines, examples, resources."""
    names = ("About", "Guidelines", "Examples", "Resources", "Training", "Law")
    menu = [(name, f"/{name.lower()}/") for name in names]
    site = Site("plainlanguage.example", "plainlanguage.gov", menu, [("Privacy", "/privacy/")])
    kept = _kept(clone, "_pages/", _plain_path, _folder_of)
    site.entries, site.moved = _beside(kept, _entries(kept)), _moved(kept)
    return _with_home(site, [one for one in site.entries if one.path.count("/") == 2])


def _kept(
    clone: Clone,
    under: str,
    path: Callable[[Document], str],
    group: Callable[[Document], str] = lambda one: "",
) -> list[Kept]:
    """The pages that files below a folder make; `path` says where, "" that one makes none."""
    found = []
    for file, text in clone.texts(*_PAGES, under=under).items():
        document = parse(file.removeprefix(under), text)
        place = path(document) if document is not None and document.matter else ""
        if document is not None and place.startswith("/") and "{" not in place:
            found.append(Kept(document, _slashed(place), group(document)))
    return found


def _entries(kept: Sequence[Kept], *, tagged: bool = False) -> list[Entry]:
    """Entries of pages with a title; `tagged`: their tags are what they are about."""
    places = {one.document.path.removeprefix("_pages/"): one.path for one in kept}

    def find(named: str) -> str:
        return places.get(named.removeprefix("_pages/").strip("/"), "")

    made = {
        one.path: _entry(one, find, tagged=tagged)
        for one in kept
        if one.document.said("title", "agency") and not one.document.said("redirect_to")
    }
    return [*made.values()]


def _entry(one: Kept, find: Find, *, tagged: bool) -> Entry:
    said, text = one.document.said, without_liquid(one.document.text, find)
    body = text if one.document.path.endswith(".html") else html_of(text)
    return Entry(
        one.path,
        said("title", "agency"),
        body,
        said("lead", "excerpt", "description", "subtitle"),
        "-".join(_day(one.document)[:3]),
        tuple(name.lower() for name in one.document.listed("tags")) if tagged else (),
    )


def _moved(kept: Sequence[Kept]) -> dict[str, str]:
    old = {
        _slashed(path): one.path for one in kept for path in one.document.listed("redirect_from")
    }
    left = {one.path: to for one in kept if (to := one.document.said("redirect_to"))}
    return {**old, **{path: to for path, to in left.items() if to.startswith("/")}}


def _beside(kept: Sequence[Kept], entries: Sequence[Entry]) -> list[Entry]:
    """Entries with the pages of their group beside them."""
    groups = {one.path: one.group for one in kept}
    inside: dict[str, list[tuple[str, str]]] = {}
    for entry in entries:
        inside.setdefault(groups[entry.path], []).append((entry.title, entry.path))
    return [replace(entry, aside=tuple(inside[groups[entry.path]])) for entry in entries]


def _tags(posts: Sequence[Entry]) -> Iterator[Listing]:
    by_tag: dict[str, list[Entry]] = {}
    for post in posts:
        for name in post.topics:
            by_tag.setdefault(name, []).append(post)
    cards = []
    for name in sorted(by_tag):
        path = f"/tags/{re.sub(r'[^a-z0-9]+', '-', name).strip('-')}/"
        cards.append(Entry(path, name, ""))
        yield Listing(path, name, by_tag[name], each=10)
    yield Listing("/tags/", "Tags", cards, each=500)


def _with_home(site: Site, entries: Sequence[Entry]) -> Site:
    """The site with a page at its root, if its files make none: its own text and some entries."""
    own = [entry for entry in site.entries if entry.path == "/"]
    site.entries = [entry for entry in site.entries if entry.path != "/"]
    body = own[0].body if own else ""
    site.listings.append(Listing("/", site.title, entries, each=len(entries) or 1, body=body))
    return site


def _day(document: Document) -> tuple[str, ...]:
    match = _POST.search(document.path)
    return (match[1], match[2].zfill(2), match[3].zfill(2), match[4]) if match else ()


def _dated(document: Document, before: str) -> str:
    own, day = document.said("permalink"), _day(document)
    return own or (f"{before}/{'/'.join(day)}/" if day else "")


def _design_path(document: Document) -> str:
    if document.path.startswith("_posts/"):
        return _dated(document, _UPDATES)
    named = re.match(r"_(next|security_updates)/(?:[\d-]+)?(.+)\.md$", document.path)
    return document.said("permalink") or (f"/{named[1]}/{named[2]}/" if named else "")


def _plain_path(document: Document) -> str:
    bare = document.path.rpartition(".")[0].removesuffix("index")
    return document.said("permalink") or f"/{bare}"


def _folder_of(document: Document) -> str:
    return "/".join(document.path.split("/")[:-1][:2])


def _whole(document: Document, parts: dict[str, str], tests: dict[str, str]) -> Document:
    """A component's page with the files that its layout puts into it."""
    folder = document.path.rpartition("/")[0]
    inside = [text for path, text in parts.items() if path.startswith(f"{folder}/guidance/")]
    text = "\n\n".join([document.text, *inside])
    component = document.matter.get("component")
    if document.said("layout") == "accessibility-test" and isinstance(component, dict):
        files = [
            f"_data/accessibility-tests/{component.get('name')}.{end}" for end in ("yml", "yaml")
        ]
        text += "".join(_told(yaml.safe_load(tests[file])) for file in files if file in tests)
    return replace(document, text=text)


def _told(held: Any) -> str:
    """All texts that data hold, a paragraph each."""
    if isinstance(held, dict):
        return "".join(_told(one) for one in held.values())
    if isinstance(held, list):
        return "".join(_told(one) for one in held)
    return f"\n\n{escape(held)}" if isinstance(held, str) else ""


def _slashed(path: str) -> str:
    bare = path.split("#")[0].strip("/")
    return f"/{bare}/" if bare else "/"
