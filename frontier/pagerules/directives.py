"""The rules of a page for crawlers: robots meta elements and X-Robots-Tag headers.

There is no standard, only the documentation of search engines (Google Search Central, "Robots meta
tag, data-nosnippet, and X-Robots-Tag specifications"):

* a rule is for all crawlers (`robots`, or a header without a name) or for the named ones;
* `none` is `noindex, nofollow`; `all`, `index` and `follow` have no effect;
* of contradicting rules the more restrictive one holds;
* `unavailable_after` is `noindex` from its date on.

An ambiguous header has its more restrictive meaning: a word before a colon is the name of a crawler
only if a known rule follows.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from frontier.parsing.head import words_of
from frontier.utils import unix_time

ALL = "robots"
"""The name of rules for every crawler."""
_NOINDEX = frozenset({"noindex", "none"})
_NOFOLLOW = frozenset({"nofollow", "none"})
_PLAIN = _NOINDEX | _NOFOLLOW | {"all", "index", "follow"}
_SILENT = frozenset(
    (
        *("noarchive", "nocache", "nosnippet", "noimageindex", "notranslate", "noodp", "noydir"),
        *("indexifembedded", "nositelinkssearchbox", "noai", "noimageai", "archive", "snippet"),
    )
)
_UNTIL = "unavailable_after"
_VALUED = frozenset({_UNTIL, "max-snippet", "max-image-preview", "max-video-preview"})
_DAY = re.compile(r"\s*[a-z]{3,9}\s*", re.IGNORECASE)
_LONGEST = 4_000
"""Characters of a header that are read; all known rules together take about 300."""


class PageRules(NamedTuple):
    """The rules of a page for a crawler."""

    noindex: bool = False
    nofollow: bool = False


def header_rules(values: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield (name in lower case, rules) of X-Robots-Tag headers, as `PageContent.robots` has them.

    A name holds to the end of its header, or to the next name.
    """
    for value in values:
        name, rules = ALL, list[str]()
        for part in _parts(value[:_LONGEST]):
            named, rest = _named(part)
            if named is not None:
                if rules:
                    yield name, ", ".join(rules)
                name, rules = named, []
            rules.append(rest)
        if rules:
            yield name, ", ".join(rules)


def rules_for(declared: Iterable[tuple[str, str]], token: str, now: float) -> PageRules:
    """Return the rules for a crawler, of a page's rules as (name, rules).

    `token` is its product token, in any letter case. `now` is Unix time.
    """
    noindex = nofollow = False
    names = (ALL, token.lower())
    for name, content in declared:
        if name.lower() in names:
            words = words_of(content)
            noindex = noindex or not _NOINDEX.isdisjoint(words) or _is_over(content, now)
            nofollow = nofollow or not _NOFOLLOW.isdisjoint(words)
    return PageRules(noindex, nofollow)


def is_only_rules(content: str) -> bool:
    """Whether a text has no other words than rules: anything may be the name of a meta element."""
    return words_of(content) <= _PLAIN | _SILENT | _VALUED


def _parts(value: str) -> Iterator[str]:
    """Yield the parts between commas; a date may hold a comma behind the day of the week."""
    held = ""
    for part in value.split(","):
        whole = f"{held},{part}" if held else part
        name, colon, rest = whole.partition(":")
        if not held and colon and name.strip().lower() == _UNTIL and _DAY.fullmatch(rest):
            held = whole
            continue
        held = ""
        yield whole.strip()


def _named(part: str) -> tuple[str | None, str]:
    """Split a crawler's name from the rule behind it; None without a name."""
    name, _, rest = part.partition(":")
    name, rest = name.strip().lower(), rest.strip()
    names_one = name and name not in _VALUED and _is_rule(rest)
    return (name, rest) if names_one else (None, part)


def _is_rule(text: str) -> bool:
    name = text.partition(":")[0].strip().lower()
    words = set(name.replace(";", " ").split())
    return name in _VALUED or not words.isdisjoint(_PLAIN | _SILENT)


def _is_over(content: str, now: float) -> bool:
    """Whether the date of an `unavailable_after` has passed; an invalid date never has."""
    for part in _parts(content[:_LONGEST]):
        name, _, text = part.partition(":")
        if name.strip().lower() == _UNTIL:
            date = _date(text.strip())
            if date is not None and date <= now:
                return True
    return False


def _date(text: str) -> float | None:
    """Unix time of a date as ISO 8601, RFC 822 or RFC 850 spell it."""
    text = re.sub(r"[Zz]$", "+00:00", text)
    return unix_time(text, datetime.fromisoformat) or unix_time(text)
