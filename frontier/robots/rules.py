"""The rules of a robots.txt for a crawler.

The longest rule that matches a path decides, of two equally long ones the allow line (RFC 9309,
sections 2.2.2 and 2.2.3); a path without a matching rule is allowed, and so is the file itself. No
regular expression is used, as `*a*a*a*b` would make it try exponentially many ways. Patterns
without wildcards are in a hash table, where a path is looked up by its prefixes; a pattern with
wildcards is matched from left to right, each part at its first place, which is enough and linear.

Protego, a dependency of Scrapy, is not used: it measures patterns after percent-encoding "?", "="
and others, so that `Disallow: /*?` beats `Allow: /shop`; it decodes reserved characters; its `$` at
the end of a pattern also matches a literal `$`; its tokens match in the middle of a name; and its
delays end a group.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from frontier.robots import normalize
from frontier.robots.parser import LIMIT, Field, Groups, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable

WILD = "*"
END = "$"
_INDEX = "/index.htm"
"""A rule that allows a folder's index page allows the folder, see Google's documentation."""


class RobotsRules:
    """The rules of one file for one product token; `RobotsRules.parse` never raises.

    `crawl_delay` is the longest delay in seconds, None without one. `sitemaps` are the URLs of the
    first 20 sitemaps.
    """

    def __init__(
        self,
        rules: Iterable[tuple[Field, str]],
        delay: float | None,
        sitemaps: tuple[str, ...] = (),
    ) -> None:
        self.crawl_delay = delay
        self.sitemaps = sitemaps
        self._table = RuleTable()
        self._written = RuleTable()
        for field, pattern in rules:
            self._add(pattern, allows=field is Field.ALLOW)
        self._table.finish()
        self._written.finish()

    def __len__(self) -> int:
        """Number of rules and sitemaps."""
        return len(self._table) + len(self._written) + len(self.sitemaps)

    @classmethod
    def parse(cls, body: bytes, token: str, limit: int = LIMIT) -> RobotsRules:
        """Read a file for a product token (any case), at most `limit` bytes of it."""
        token = token.lower()
        groups = Groups(token)
        for field, value in lines_of(body, limit):
            groups.take(field, value)
        rules, delays = groups.ours()
        return cls(rules, max(delays, default=None), groups.sitemaps())

    def allows(self, url: str) -> bool:
        """Whether a URL may be fetched; its scheme and host are ignored.

        A URL should be percent-encoded, as requests are. One that is not is allowed only if it is
        allowed in both forms, and an allow line with needless escapes (`/%62` for `/b`) allows no
        more than it writes. Google's tests require both.
        """
        path = normalize.path_of(url)
        if path == "/robots.txt":
            return True
        path = normalize.plain(path)
        match = self._table.longest(normalize.normal(path))
        if match.allows and not path.isascii():
            return self._table.longest(normalize.literal(path)).allows
        if match.allows or not len(self._written):
            return match.allows
        return self._written.longest(normalize.literal(path)) > match

    def _add(self, pattern: str, *, allows: bool) -> None:
        if not pattern:
            return
        pattern = normalize.plain_inside(pattern)
        if allows and normalize.has_needless(pattern):
            self._written.add(normalize.literal(pattern), allows=True)
            return
        pattern = normalize.normal(pattern)
        self._table.add(pattern, allows=allows)
        folder, index, _ = pattern.rpartition(_INDEX)
        if allows and index:
            self._table.add(f"{folder}/$", allows=True)


class Match(NamedTuple):
    """Length of the longest matching pattern, -1 without one, and whether its rule allows."""

    length: int
    allows: bool


NOTHING = Match(-1, True)


class Pattern(NamedTuple):
    """A pattern with wildcards, ready to be matched."""

    length: int
    allows: bool
    head: str
    parts: tuple[str, ...]
    """Parts that must follow, in this order."""
    tail: str | None
    """The required end of the path; None: any."""

    def matches(self, path: str) -> bool:
        """Whether the pattern matches a prefix of the path, or all of it if it has a tail."""
        if not path.startswith(self.head):
            return False
        at = len(self.head)
        for part in self.parts:
            start = path.find(part, at)
            if start < 0:
                return False
            at = start + len(part)
        return self.tail is None or (len(path) - len(self.tail) >= at and path.endswith(self.tail))


class RuleTable:
    """Allow and disallow rules of a group; call `finish` before the first match."""

    def __init__(self) -> None:
        self._beginnings: dict[str, bool] = {}
        self._whole: dict[str, bool] = {}
        self._wild: dict[str, Pattern] = {}
        self._lengths: list[int] = []
        self._sorted: list[Pattern] = []

    def __len__(self) -> int:
        return len(self._beginnings) + len(self._whole) + len(self._wild)

    def add(self, pattern: str, *, allows: bool) -> None:
        """Add a rule; of an allow and a disallow line of the same pattern the allow line holds."""
        anchored = pattern.endswith(END)
        text = pattern[:-1] if anchored else pattern
        if WILD in text:
            if allows or pattern not in self._wild:
                self._wild[pattern] = _parsed(pattern, text, allows=allows, anchored=anchored)
            return
        table = self._whole if anchored else self._beginnings
        table[text] = allows or table.get(text, False)

    def finish(self) -> RuleTable:
        """Sort the patterns for `longest`."""
        self._lengths = sorted({len(text) for text in self._beginnings}, reverse=True)
        self._sorted = sorted(
            self._wild.values(), key=lambda pattern: (-pattern.length, not pattern.allows)
        )
        return self

    def longest(self, path: str) -> Match:
        """Find the longest matching pattern; of equally long ones an allow line."""
        best = self._longest_beginning(path)
        if path in self._whole:
            best = max(best, Match(len(path) + 1, self._whole[path]))
        for pattern in self._sorted:
            if pattern.length < best.length:
                break
            if pattern.matches(path):
                return max(best, Match(pattern.length, pattern.allows))
        return best

    def _longest_beginning(self, path: str) -> Match:
        for length in self._lengths:
            if length <= len(path):
                allows = self._beginnings.get(path[:length])
                if allows is not None:
                    return Match(length, allows)
        return NOTHING


def _parsed(pattern: str, text: str, *, allows: bool, anchored: bool) -> Pattern:
    head, *rest = text.split(WILD)
    tail = rest.pop() if anchored else None
    return Pattern(len(pattern), allows, head, tuple(part for part in rest if part), tail)
