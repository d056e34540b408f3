"""What a downloaded page shows of its need for a browser.

Each sign is a number in [0, 1] under a name that people can read, and means the same on every host:
an empty element where a script writes, few words, few links, much script, `noscript` texts, fewer
words than the link named or than pages of its kind have; and marks of frameworks, which are no list
but whatever stands there: names of scripts, of empty elements, of attributes. A mark counts apart
for pages with and without text, and with and without links.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from lxml.etree import tostring

from frontier.render.page_json import JsonContent, json_content
from frontier.urls.resolve import Resolver

FEW_WORDS, FEW_LINKS = 100, 5
"""Below them a page has hardly any text, or hardly any links."""
WORDS_OF_A_LINK = 25
"""Words that are worth as much as one link."""
_HIDDEN = ("script", "style", "noscript", "template")
_NO_PAGES = ("#", "javascript:", "mailto:", "tel:", "data:")
_ROOT_WORDS = 5
"""Words of an element that says that it is loading."""
_MARKS = 24
_NOT_A_NAME = re.compile(r"[^a-z]+")
_LONG = re.compile(r"\w{4,}")


class Content(NamedTuple):
    """How much a document has for readers: words, and absolute addresses of links."""

    words: int
    links: frozenset[str | None]

    @property
    def amount(self) -> float:
        """Links and words as one number, in links."""
        return len(self.links) + self.words / WORDS_OF_A_LINK


class Signs(NamedTuple):
    """A downloaded page: what it has, its JSON included, and what it shows of its need."""

    content: Content
    in_json: JsonContent | None
    """What it has in its JSON, where its elements have hardly any text or links."""
    values: dict[str, float]
    has_scripts: bool

    @property
    def kind(self) -> str:
        """Kind of page by what it has, for pages of a host."""
        words, links = self.content.words < FEW_WORDS, len(self.content.links) < FEW_LINKS
        return f"{'few' if words else 'many'} words, {'few' if links else 'many'} links"


def content_of(root: Any, url: str) -> Content:
    """Return what stands in the elements of a document; `root` is of lxml."""
    if root is None:
        return Content(0, frozenset())
    words = _words(root)
    resolve = Resolver(url, next((part.get("href") for part in root.iter("base")), None))
    hrefs = (part.get("href") or "" for part in root.iter("a"))
    links = {resolve(href) for href in hrefs if href and not href.startswith(_NO_PAGES)}
    return Content(words, frozenset(links - {None, url}))


def with_json(content: Content, in_json: JsonContent, url: str) -> Content:
    """Return what a page has when its JSON is read, too."""
    resolve = Resolver(url, None)
    links = {resolve(link.address) for link in in_json.links} - {None, url}
    words = sum(len(text.split()) for text in (*in_json.texts, *dict(in_json.links).values()))
    return Content(content.words + words, content.links | links)


def gain_of(plain: Content, rendered: Content) -> float:
    """Share of a rendered page, in [0, 1], that its document did not have."""
    new = len(rendered.links - plain.links) + max(0, rendered.words - plain.words) / WORDS_OF_A_LINK
    return new / rendered.amount if new >= 1 else 0.0


def signs_of(root: Any, url: str, anchor: str = "", usual: Content | None = None) -> Signs:
    """Return the signs of a document.

    Args:
        root: its root element, of lxml; None for an empty one.
        url: of the page.
        anchor: text of the link that led to it.
        usual: what pages of its kind have; only the amounts count.

    """
    content = content_of(root, url)
    if root is None:
        return Signs(content, None, {}, has_scripts=False)
    scripts = list(root.iter("script"))
    code = [part for part in scripts if "json" not in (part.get("type") or "")]
    in_json, seen = None, content
    if content.words < FEW_WORDS or len(content.links) < FEW_LINKS:
        in_json = json_content((part.get("type") or "", part.text or "") for part in scripts)
        seen = with_json(content, in_json, url)
        in_json = None if seen == content else in_json
    few_words = max(0.0, 1 - seen.words / FEW_WORDS)
    few_links = max(0.0, 1 - len(seen.links) / FEW_LINKS)
    thin = max(0.0, 1 - seen.amount / (FEW_LINKS + FEW_WORDS / WORDS_OF_A_LINK))
    empty = list(_empty_roots(root))
    markup = len(tostring(root, encoding="unicode")) or 1
    values = {
        "few words": few_words,
        "few links": few_links,
        "an empty element for the page": thin if empty else 0.0,
        "an empty element beside others": 1 - thin if empty else 0.0,
        "much script": sum(len(part.text or "") for part in code) / markup,
        "scripts of their own files": min(1.0, sum(1 for part in code if part.get("src")) / 5),
        "noscript asks for scripts": float(_asks_for_scripts(root)),
        "links or text in JSON": float(in_json is not None),
    }
    if few_words and anchor:
        values["words of its link are missing"] = _missing(anchor, root, in_json)
    if usual is not None and usual.amount > seen.amount:
        values["less than pages of its kind"] = min(1.0, 1 - seen.amount / usual.amount)
    kind = f"{'no ' if few_words > 0 else ''}text, {'no ' if few_links > 0 else ''}links"
    values |= {f"{mark} ({kind})": 0.5 for mark in _marks(root, code, empty)}
    signs = {name: round(value, 3) for name, value in values.items() if value > 0}
    return Signs(seen, in_json, signs, has_scripts=bool(code))


def _text(part: Any) -> str:
    return " ".join(part.itertext("*"))


def _words(part: Any) -> int:
    """Words of an element that people see."""
    hidden = sum(len(_text(inner).split()) for inner in part.iter(*_HIDDEN))
    return max(0, len(_text(part).split()) - hidden)


def _empty_roots(root: Any) -> Iterator[Any]:
    """Yield elements of the body, with a name of their own, in which nothing stands yet."""
    for part in islice(root.iterfind("body/*"), 30):
        if not isinstance(part.tag, str) or part.tag in _HIDDEN:
            continue
        named = part.get("id") or "-" in part.tag
        if named and part.find(".//a") is None and _words(part) < _ROOT_WORDS:
            yield part


def _asks_for_scripts(root: Any) -> bool:
    return any("javascript" in _text(part).lower() for part in root.iter("noscript"))


def _missing(anchor: str, root: Any, in_json: JsonContent | None) -> float:
    words = set(_LONG.findall(anchor.lower()))
    texts = () if in_json is None else in_json.texts
    text = " ".join((_text(root), *texts)).lower()
    return sum(word not in text for word in words) / len(words) if words else 0.0


def _marks(root: Any, code: list[Any], empty: list[Any]) -> set[str]:
    found = [f"element {part.get('id') or part.tag}" for part in empty]
    found += [f"script {_file_of(part.get('src'))}" for part in code if part.get("src")]
    found += ["a module" for part in code if part.get("type") == "module"]
    tops = (root, *root.iterfind("body"), *islice(root.iterfind("body/*"), 10))
    found += [
        f"attribute {name}"
        for top in tops
        for name in top.keys()  # noqa: SIM118 - an element, no dict
        if name not in ("id", "class", "lang", "style", "href", "src")
    ]
    return {mark[:40] for mark in found[:_MARKS]}


def _file_of(source: str) -> str:
    """Name of a script's file without its numbers: `main` of /static/main.3f2a91.js."""
    try:
        name = urlsplit(source).path.rpartition("/")[2].lower()
    except ValueError:
        return ""
    return next((part for part in _NOT_A_NAME.split(name) if len(part) > 1), name[:20])
