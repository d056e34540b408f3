"""Links and texts that stand in the JSON of a page, where no browser is needed to find them.

Frameworks put the state of a page into its document, as JSON in a script (`__NEXT_DATA__`, JSON-LD)
or as a value that a script assigns. Only what is plain is taken: an address under a name that says
so, or that is a whole path, and texts of several words.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, NamedTuple

_ASSIGNED = re.compile(
    r"(?:window|self|globalThis)\s*(?:\.|\[\s*[\"'])[\w$]+(?:[\"']\s*\])?\s*=\s*(?=[{\[])"
)
_ADDRESS = re.compile(r"(?:https?:/)?/[^\s\"'<>{}|\\^`]*")
_NAMES = re.compile(r"url|uri|href|link|path|permalink|slug|to|@id", re.IGNORECASE)
_FILES = re.compile(
    r"\.(?:js|mjs|css|map|json|png|jpe?g|gif|svg|webp|avif|ico|woff2?|ttf|mp[34]|webm)(?:[?#]|$)"
    r"|^/?(?:_next|_nuxt|api|static|assets)/",
    re.IGNORECASE,
)
_TITLES = ("title", "name", "label", "headline", "text")
_WORDS = 4
"""Words from which a string is a text for people."""
_MOST = 2_000
"""Strings of a page that are looked at."""
_LONGEST = 2_000_000
"""Characters of JSON that are read."""


class JsonLink(NamedTuple):
    """An address in the JSON of a page, as it stands there, and the text beside it."""

    address: str
    text: str


class JsonContent(NamedTuple):
    """What the JSON of a page holds for readers."""

    links: tuple[JsonLink, ...]
    texts: tuple[str, ...]


def json_content(scripts: Iterator[tuple[str, str]]) -> JsonContent:
    """Return links and texts of a page's scripts, given as (type, text)."""
    links: dict[str, str] = {}
    texts: dict[str, None] = {}
    for value in _values(scripts):
        for name, text, beside in _strings(value):
            if len(links) + len(texts) >= _MOST:
                break
            if _is_address(name, text):
                links[text] = links.get(text) or beside
            elif text.count(" ") >= _WORDS - 1 and "<" not in text and "{" not in text:
                texts[" ".join(text.split())] = None
    return JsonContent(tuple(JsonLink(*link) for link in links.items()), tuple(texts))


def _values(scripts: Iterator[tuple[str, str]]) -> Iterator[Any]:
    decoder = json.JSONDecoder()
    for kind, text in scripts:
        if len(text) > _LONGEST:
            continue
        starts = [0] if "json" in kind else [found.end() for found in _ASSIGNED.finditer(text)]
        for start in starts[:20]:
            with suppress(ValueError, RecursionError):
                yield decoder.raw_decode(text[start:].lstrip())[0]


def _strings(value: Any) -> Iterator[tuple[str, str, str]]:
    """Yield each string with its name, and a title that stands beside it."""
    waiting: list[tuple[str, Any, str]] = [("", value, "")]
    while waiting:
        name, value, beside = waiting.pop()
        if isinstance(value, str):
            yield name, value, beside
        elif isinstance(value, dict):
            texts = (value.get(title) for title in _TITLES)
            beside = next((text for text in texts if text and isinstance(text, str)), "")
            waiting += [(str(key), part, beside) for key, part in reversed(value.items())]
        elif isinstance(value, list):
            waiting += [(name, part, beside) for part in reversed(value)]


def _is_address(name: str, text: str) -> bool:
    if not _ADDRESS.fullmatch(text) or _FILES.search(text) or len(text) > _MOST:
        return False
    return _NAMES.search(name) is not None or text.startswith("http")
