"""The shape of a URL: what is left of it when everything is taken away that a program counts up.

Runs of digits become "#", identifiers (hexadecimal, UUIDs, long mixes of letters and digits) become
"@", dates fall out of that by themselves. Folders keep their names and the last part of the path
only its kind and its ending, so all articles of a wiki have one shape; of the query the names of
the arguments count, not their values, not their order. Case is no difference. A path that ends in a
slash has a last part like any other: /news/a-day-out/ is a page of /news.

    /blog/2024/05/a-day-out.html          -> /blog/#/#/w.html
    /news/2024/a-day-out/                 -> /news/#/w/
    /wiki/Category:Rivers                 -> /wiki/category:w
    /shop/item?colour=red&id=17           -> /shop/w?colour&id
    /files/3f2504e04f8941d3/page7         -> /files/@/w#
"""

from __future__ import annotations

import re
from array import array
from zlib import crc32

_DIGITS = re.compile(r"[0-9]+")
# A mix of letters and digits that changes over at least thrice, or hexadecimal with both.
_IDENTIFIER = re.compile(
    r"(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"
    r"|(?=[a-f]*[0-9])(?=[0-9]*[a-f])[0-9a-f]{8,}"
    r"|(?=(?:[a-z]+[0-9]+){2}|(?:[0-9]+[a-z]+){2})[0-9a-z]{6,}"
    r"|[0-9a-z_-]{32,})\Z"
)
_ENDING = re.compile(r"\.[a-z][a-z0-9]{0,4}\Z")
_MOST_FOLDERS = 12
"""Folders that count; the depth of what lies deeper is bounded elsewhere."""
_MOST_NAMES = 12
_REMEMBERED = 1 << 14
"""URLs, 128 KB: those that were handed out and answered last."""
_BITS = 32


def shape_of(url: str) -> str:
    """Return the shape of a URL's path and query, without its host; never raises."""
    rest = url.partition("://")[2].partition("#")[0].lower()
    path, _, query = rest.partition("?")
    path = path.partition("/")[2]
    bare = path.rstrip("/")
    folders, _, last = bare.rpartition("/")
    parts = [_folder(one) for one in folders.split("/")[:_MOST_FOLDERS]] if folders else []
    shape = "/".join(["", *parts, _last(last)])
    if bare and bare != path:
        shape += "/"
    return f"{shape}?{_names(query)}" if query else shape


def shape_number(host: str, url: str) -> int:
    """Return 32 bits that stand for a host and the shape of one of its URLs."""
    return crc32(f"{host}{shape_of(url)}".encode("utf-8", "replace"))


class Shapes:
    """The shapes of URLs by id, those lately asked for: a place that two ids share has the last."""

    def __init__(self) -> None:
        self._numbers = array("q", [-1]) * _REMEMBERED

    def find(self, url_id: int) -> int | None:
        """Return the number of a URL's shape, None if it is not remembered."""
        found = self._numbers[url_id % _REMEMBERED]
        return found & (1 << _BITS) - 1 if found >> _BITS == url_id else None

    def note(self, url_id: int, host: str, url: str) -> int:
        """Return it, and remember it."""
        found = self.find(url_id)
        if found is None:
            found = shape_number(host, url)
            self._numbers[url_id % _REMEMBERED] = url_id << _BITS | found
        return found


def _folder(part: str) -> str:
    if part.isalpha() and len(part) < 32:
        return part
    bare = part.partition(";")[0]
    return "@" if _IDENTIFIER.match(bare) else _DIGITS.sub("#", bare)


def _last(part: str) -> str:
    space, colon, name = part.partition(":")
    if colon and space.isalpha():  # of a wiki: articles must not answer for lists of pages
        return f"{space}:{_last(name)}"
    ending = _ENDING.search(part)
    stem, kind = (part[: ending.start()], ending[0]) if ending else (part, "")
    if not stem:
        return kind
    if stem.isdigit():
        return f"#{kind}"
    return f"w{kind}"


def _names(query: str) -> str:
    names = {_folder(one.partition("=")[0]) for one in query.split("&", 64)[:64]}
    return "&".join(sorted(names)[:_MOST_NAMES])
