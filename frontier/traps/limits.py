"""Budgets of traps, and the links that are refused for their spelling.

A program that makes endless URLs makes them longer and longer, or repeats their parts. The refused
spellings were found on no honest site; other odd URLs are admitted and left to the budgets
(`frontier/traps/budgets.py`). Session ids are no reason to refuse a link: well-known ones are
removed from its canonical URL, and others lead to pages without new text.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass

from frontier.errors import SettingsError

TOO_LONG = "URL longer than URLLENGTH_LIMIT"
TOO_DEEP = "path of more than 20 parts"
REPEATS = "path repeats itself"
TOO_MANY_ARGUMENTS = "more than 24 query arguments"
ARGUMENT_REPEATS = "query repeats an argument"
ESCAPED_ESCAPES = "escapes of escapes"

_MOST_PARTS = 20
"""Of a path: twice those of the longest one in the recorded webs."""
_MOST_ARGUMENTS = 24
_ROUNDS = re.compile(r"((?:/[^/]*){1,6}?)\1{2}(?![^/])")
"""Three times through the same folders: /a/b/a/b may be a name, /a/b/a/b/a/b is a link that has
grown
out of itself. Heritrix has the same limit."""
_ROUNDS_OF_NUMBERS = re.compile(r"((?:/[0-9]+){1,6}?)\1{4}(?![^/])")
"""The same for numbers, five times: /2011/11/11/11 may be the 11th post of a day."""
_SAME_PART = 5
"""Occurrences of a folder's name anywhere in a path from which on the path repeats itself."""
_SAME_ARGUMENT = 8
"""Occurrences of an argument's name, at most: lists of filters and forms repeat names."""
# A percent sign escaped three times; "&amp;" escaped twice more.
_ESCAPES = re.compile(r"%25(?:25){2}|&(?:amp;){3}", re.IGNORECASE)
_MOST_BUDGET = 10**9


@dataclass(frozen=True)
class TrapLimits:
    """Settings of traps; `docs/traps.md` says how they work together.

    Attributes:
        budget: pages without new text of a URL pattern, beyond its earnings; 0: unlimited. Chosen
            so that no page of the recorded webs is refused in any order, with a margin of ten or
            more.
        url_length: characters of a URL; 0: any number.
        drop: whether URLs without budget are given up in the end, and refused links never become
            URLs; otherwise they are fetched after everything else.

    """

    budget: int = 60
    url_length: int = 2083
    drop: bool = True

    def __post_init__(self) -> None:
        if not 0 <= self.budget <= _MOST_BUDGET:
            raise SettingsError(
                f"FRONTIER_TRAP_BUDGET must lie between 0 (no limit) and {_MOST_BUDGET:,}, but is "
                f"{self.budget!r}. Choose a value in that range, or leave it out for the default."
            )

    def allows_more_than(self, budget: int, *, drop: bool) -> bool:
        """Whether URLs that were given up under other limits have a chance now."""
        return (drop and not self.drop) or (self.budget or _MOST_BUDGET) > (budget or _MOST_BUDGET)

    def refusal(self, url: str) -> str | None:
        """Return the reason to refuse an absolute URL, None if there is none; never raises."""
        if self.url_length and len(url) > self.url_length:
            return TOO_LONG
        if ("%25" in url or "amp;" in url) and _ESCAPES.search(url):
            return ESCAPED_ESCAPES
        path, _, query = url.partition("?")
        parts = path.rstrip("/").split("/")[3:]
        if len(parts) > _MOST_PARTS:
            return TOO_DEEP
        if len(parts) > 2 and len({*map(str.lower, parts)}) < len(parts) and _repeats(parts):
            return REPEATS
        return _refusal_of_query(query) if query else None


TRAP_LIMITS = TrapLimits()


def _refusal_of_query(query: str) -> str | None:
    n = query.count("&") + 1
    if n < _SAME_ARGUMENT:
        return None
    if n > _MOST_ARGUMENTS:
        return TOO_MANY_ARGUMENTS
    names = Counter(argument.partition("=")[0] for argument in query.split("&"))
    return ARGUMENT_REPEATS if max(names.values()) > _SAME_ARGUMENT else None


def _repeats(parts: list[str]) -> bool:
    """Whether a sequence of folders repeats, or a name occurs too often."""
    path = "/" + "/".join(parts).lower()
    rounds = (match[1].replace("/", "") for match in _ROUNDS.finditer(path))
    if any(not unit.isdigit() for unit in rounds) or _ROUNDS_OF_NUMBERS.search(path):
        return True
    names = Counter(part for part in path.split("/") if part and not part.isdigit())
    return bool(names) and max(names.values()) >= _SAME_PART
