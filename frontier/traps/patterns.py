"""The pattern of a URL: the URL without the parts that a program counts up.

Runs of digits, and so dates, become "#", identifiers (hexadecimal, UUIDs, long mixes of letters and
digits) become "@". Folders keep their names, the last part of the path only its kind and its
ending, so that all articles of a wiki have one pattern. Of the query only the names of the
arguments count, in any order. Letter case is ignored. A path that ends in a slash has a last part
like any
other: /news/a-day-out/ is a page of /news.

    /blog/2024/05/a-day-out.html          -> /blog/#/#/w.html
    /news/2024/a-day-out/                 -> /news/#/w/
    /wiki/Category:Rivers                 -> /wiki/category:w
    /shop/item?colour=red&id=17           -> /shop/w?colour&id
    /files/3f2504e04f8941d3/page7         -> /files/@/w
"""

from __future__ import annotations

import re
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
"""Folders of a pattern; `frontier/traps/limits.py` bounds the depth of paths."""
_MOST_NAMES = 12


def pattern_of(url: str) -> str:
    """Return the pattern of a URL's path and query, without its host; never raises."""
    rest = url.partition("://")[2].partition("#")[0].lower()
    path, _, query = rest.partition("?")
    path = path.partition("/")[2]
    bare = path.rstrip("/")
    folders, _, last = bare.rpartition("/")
    parts = [_folder(part) for part in folders.split("/")[:_MOST_FOLDERS]] if folders else []
    pattern = "/".join(["", *parts, _last(last)])
    if bare and bare != path:
        pattern += "/"
    return f"{pattern}?{_names(query)}" if query else pattern


def pattern_number(host: str, url: str) -> int:
    """Return a number of 32 bits for a host and the pattern of one of its URLs."""
    return crc32(f"{host}{pattern_of(url)}".encode("utf-8", "replace"))


def _folder(part: str) -> str:
    if part.isalpha() and len(part) < 32:
        return part
    bare = part.partition(";")[0]
    return "@" if _IDENTIFIER.match(bare) else _DIGITS.sub("#", bare)


def _last(part: str) -> str:
    space, colon, name = part.partition(":")
    if colon and space.isalpha():  # in a wiki, articles and lists of pages differ
        return f"{space}:{_last(name)}"
    ending = _ENDING.search(part)
    stem, kind = (part[: ending.start()], ending[0]) if ending else (part, "")
    if not stem:
        return kind
    if stem.isdigit():
        return f"#{kind}"
    return f"w{kind}"


def _names(query: str) -> str:
    names = {_folder(argument.partition("=")[0]) for argument in query.split("&", 64)[:64]}
    return "&".join(sorted(names)[:_MOST_NAMES])
