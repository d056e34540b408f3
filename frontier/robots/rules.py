"""What one robots.txt says to one crawler.

The longest rule that matches a path decides, and an allow line of two that are as long (RFC 9309,
sections 2.2.2 and 2.2.3); whatever no rule matches is allowed, and so is the file itself. No
regular expression finds it: `*a*a*a*b` would make one try exponentially many ways. Patterns without
wildcards lie in a hash table by their text, and a path is looked up by its beginnings; one with
wildcards is matched from left to right, each part at its first place, which is enough and linear.

Protego, which Scrapy brings along, is not used: it counts the length of a pattern after it has
percent-encoded "?", "=" and others, so that `Disallow: /*?` beats `Allow: /shop`; it decodes what
is reserved; a `$` at the end of a pattern also stands for itself; a token matches in the middle of
a name; and a delay ends a group.
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
"""Who allows a folder's index page allows the folder, see Google's documentation."""


class RobotsRules:
    """The rules of one file for one product token; `RobotsRules.parse` never raises.

    `crawl_delay` is in seconds, None where none is asked for; where several are, the longest.
    `sitemaps` are the URLs of those that it names, at most 20.
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
        """How many rules and sitemaps there are."""
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
        """Whether a URL may be fetched; its scheme and host are not looked at.

        A URL is expected percent-encoded, as requests are. To what is not, nothing is allowed that
        is forbidden otherwise; neither does an allow line with needless escapes (`/%62` for `/b`)
        allow more than it writes. Both are what Google's tests ask for, and on the safe side.
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
    """Length of the longest pattern that matches, -1 without one, and what its rule says."""

    length: int
    allows: bool


NOTHING = Match(-1, True)


class Pattern(NamedTuple):
    """A pattern with wildcards, ready to be matched."""

    length: int
    allows: bool
    head: str
    parts: tuple[str, ...]
    """What must follow, in this order."""
    tail: str | None
    """What the path must end with; None: it may go on."""

    def matches(self, path: str) -> bool:
        """Whether the path begins as the pattern says, or is what it says up to its end."""
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
    """Allow and disallow rules of one group; complete before the first match is asked for."""

    def __init__(self) -> None:
        self._beginnings: dict[str, bool] = {}
        self._whole: dict[str, bool] = {}
        self._wild: dict[str, Pattern] = {}
        self._lengths: list[int] = []
        self._sorted: list[Pattern] = []

    def __len__(self) -> int:
        return len(self._beginnings) + len(self._whole) + len(self._wild)

    def add(self, pattern: str, *, allows: bool) -> None:
        """Add a rule; of an allow and a disallow of the same pattern the allow holds."""
        anchored = pattern.endswith(END)
        text = pattern[:-1] if anchored else pattern
        if WILD in text:
            if allows or pattern not in self._wild:
                self._wild[pattern] = _parsed(pattern, text, allows=allows, anchored=anchored)
            return
        table = self._whole if anchored else self._beginnings
        table[text] = allows or table.get(text, False)

    def finish(self) -> RuleTable:
        """Make ready for `longest`."""
        self._lengths = sorted({len(text) for text in self._beginnings}, reverse=True)
        self._sorted = sorted(
            self._wild.values(), key=lambda pattern: (-pattern.length, not pattern.allows)
        )
        return self

    def longest(self, path: str) -> Match:
        """Find the longest pattern that matches; an allow before a disallow of the same length."""
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
