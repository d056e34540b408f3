"""What one robots.txt says to one crawler.

The longest rule that matches a path decides, and an allow line of two that are as long (RFC 9309,
section 2.2.2); whatever no rule matches is allowed, and so is the file itself.

Protego, which Scrapy brings along, is not used: it counts the length of a pattern after it has
percent-encoded "?", "=" and others, so that `Disallow: /*?` beats `Allow: /shop`; it decodes what
is reserved; a `$` at the end of a pattern also stands for itself; a token matches in the middle of
a name; and a delay ends a group. None of this can be put right from outside.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit, urlunsplit

from frontier.robots import normalize
from frontier.robots.groups import Groups
from frontier.robots.matcher import RuleTable
from frontier.robots.origins import origin_of
from frontier.robots.parser import LIMIT, Field, lines_of

if TYPE_CHECKING:
    from collections.abc import Iterable

_INDEX = "/index.htm"
"""Who allows a folder's index page allows the folder, see Google's documentation."""


class Rules:
    """The rules of one file for one product token; `Rules.parse` never raises.

    `crawl_delay` is in seconds, None where none is asked for; where several are, the longest.
    `sitemaps` are URLs as they are written, at most `MOST_SITEMAPS`; they belong to no group. Lines
    that name none, or nothing on the web, are left out.
    """

    MOST_SITEMAPS = 500

    def __init__(
        self, rules: Iterable[tuple[Field, str]], delay: float | None, sitemaps: tuple[str, ...]
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
        """How many rules there are."""
        return len(self._table) + len(self._written)

    @classmethod
    def parse(cls, body: bytes, token: str, limit: int = LIMIT) -> Rules:
        """Read a file for a product token (any case), at most `limit` bytes of it."""
        token = token.lower()
        groups = Groups(token)
        sitemaps: dict[str, None] = {}
        for field, value in lines_of(body, limit):
            if field is Field.SITEMAP:
                if len(sitemaps) < cls.MOST_SITEMAPS and _is_of_the_web(value):
                    sitemaps[value] = None
            else:
                groups.take(field, value)
        rules, delays = groups.ours()
        return cls(rules, max(delays, default=None), tuple(sitemaps))

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


def _is_of_the_web(sitemap: str) -> bool:
    """Whether a sitemap line names a URL, a whole one or one of its own host."""
    if not unquote(sitemap).strip():
        return False
    try:
        parts = urlsplit(sitemap)
    except ValueError:
        return False
    if not parts.scheme and not sitemap.startswith("//"):
        return True
    return origin_of(urlunsplit(parts._replace(scheme=parts.scheme or "http"))) is not None
