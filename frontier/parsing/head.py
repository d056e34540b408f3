"""Declarations in the head of a page: rules for crawlers, canonical address, refresh, sitemaps.

They are collected during the walk over the tree and resolved at its end, because `<base href>` may
stand anywhere. Everything is bounded: a page may hold a million meta elements.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from frontier.urls.resolve import MAX_URL

if TYPE_CHECKING:
    from frontier.parsing._tree import Walk
    from frontier.urls.resolve import Resolver

_MAX_DECLARED = 50  # elements of each kind; more than five cannot be obeyed
_MAX_CONTENT = 1_000  # characters of a rule: all known rules together have about 300
_MAX_NAME = 100  # characters of a crawler's name
_RULES = frozenset(
    (
        *("all", "none", "index", "noindex", "follow", "nofollow", "noarchive", "nocache"),
        *("nosnippet", "noimageindex", "notranslate", "unavailable_after", "indexifembedded"),
        *("noai", "noimageai"),
    )
)
SIGNALS = ("tdm-reservation", "tdm-policy", "content-usage")
"""Names of headers and meta elements that ask something of whoever uses the page."""
_LANGUAGE = re.compile("[a-z]{2,8}(-[a-z0-9]{1,8}){0,4}", re.IGNORECASE)
# HTML Standard, shared declarative refresh steps: digits, a fraction that counts for nothing, a
# separator, `url=` or not, a quote or not.
_REFRESH = re.compile(
    r"[\t\n\f\r ]*(?:([0-9]{1,9})|(?=\.))[0-9.]*(?:[\t\n\f\r ]*[;,][\t\n\f\r ]*|[\t\n\f\r ]+)(.*)",
    re.DOTALL,
)
# Its value may be a word that is a rule elsewhere: `max-image-preview:none`.
_VALUE = re.compile(r"\b(max-[a-z-]+|unavailable_after)\s*:\s*[^,;\s]*")
_WORD = re.compile(r"[a-z_-]+")
_URL = re.compile(r"url[\t\n\f\r ]*=[\t\n\f\r ]*", re.IGNORECASE)


class Declared:
    """The declarations of a page, collected by its walk."""

    __slots__ = ("_canonical", "_refresh", "_sitemaps", "asks", "language", "nofollow", "robots")

    def __init__(self) -> None:
        self.nofollow = False
        self.robots: list[tuple[str, str]] = []
        self.asks: list[tuple[str, str]] = []
        self.language = ""
        self._canonical: list[str] = []
        self._refresh: list[tuple[float, str]] = []
        self._sitemaps: list[str] = []

    def meta(self, node: Walk) -> None:
        """Read a meta element."""
        content = node.get("content")
        if not content:
            return
        name = node.get("name")
        equiv = "" if name else (node.get("http-equiv") or "").strip().lower()
        if name:
            self._rules(name[:_MAX_NAME].strip().lower(), content[:_MAX_CONTENT])
        elif equiv == "refresh":
            self._sends_on(content)
        elif equiv == "content-language":
            self.language = self.language or language_of(content)
        elif equiv in SIGNALS:
            self._rules(equiv, content[:_MAX_CONTENT])

    def link(self, node: Walk) -> None:
        """Read a link element; only those in the head apply to the whole page."""
        rel, href = node.get("rel"), node.get("href")
        if not rel or not href:
            return
        relations = rel[:_MAX_CONTENT].lower().split()
        for relation, named in (("canonical", self._canonical), ("sitemap", self._sitemaps)):
            if relation in relations and len(named) < _MAX_DECLARED and node.parent == "head":
                named.append(href)

    def canonical(self, resolve: Resolver) -> str | None:
        """Return the canonical address; None without one or with several."""
        named = {url for url in map(resolve, self._canonical) if url is not None}
        return named.pop() if len(named) == 1 else None

    def sitemaps(self, resolve: Resolver) -> tuple[str, ...]:
        """Return the addresses of the sitemaps, each once."""
        return tuple(dict.fromkeys(filter(None, map(resolve, self._sitemaps))))

    def refresh(self, resolve: Resolver) -> tuple[float, str] | None:
        """Return the first refresh with a web address."""
        for seconds, href in self._refresh:
            url = resolve(href)
            if url is not None:
                return seconds, url
        return None

    def _rules(self, name: str, content: str) -> None:
        if name in SIGNALS and len(self.asks) < _MAX_DECLARED:
            self.asks.append((name, content))
        rules = words_of(content)
        if name == "robots":
            self.nofollow = self.nofollow or "nofollow" in rules or "none" in rules
        elif _RULES.isdisjoint(rules):
            return
        if len(self.robots) < _MAX_DECLARED:
            self.robots.append((name, content))

    def _sends_on(self, content: str) -> None:
        rule = refresh_rule(content)
        if rule is not None and len(self._refresh) < _MAX_DECLARED:
            self._refresh.append(rule)


def language_of(text: str) -> str:
    """Return the first language tag of a list (BCP 47) in lower case; "" without one."""
    tag = text.partition(",")[0].strip()[:_MAX_NAME]
    return tag.lower() if _LANGUAGE.fullmatch(tag) else ""


def words_of(content: str) -> set[str]:
    """Return the words of rules in lower case, without their values."""
    return set(_WORD.findall(_VALUE.sub(r"\1 ", content.lower())))


def refresh_rule(content: str) -> tuple[float, str] | None:
    """Return seconds and address of a refresh, of a meta element or a header.

    The address is as written; None without one.
    """
    match = _REFRESH.match(content[: MAX_URL + _MAX_CONTENT])
    if match is None:
        return None
    seconds, href = float(match[1] or 0), match[2]
    named = _URL.match(href)
    href = href[named.end() :] if named else href
    if href[:1] in ("'", '"'):
        href = href[1:].partition(href[0])[0]
    return (seconds, href) if href else None
