"""From the bytes of a robots.txt to its lines, the groups of a crawler, and sitemaps.

The grammar is that of RFC 9309, section 2.2, read as generously as Google's parser reads it:
misspelled fields, a missing colon, any line ends, comments, byte order marks whole or broken. All
steps work on bytes, and the result has non-ASCII bytes percent-encoded, so that no encoding makes a
file unreadable. The limit is applied first, and each step is one pass.
"""

from __future__ import annotations

import codecs
import math
import re
from enum import Enum
from typing import TYPE_CHECKING

from frontier.urls.resolve import Resolver

if TYPE_CHECKING:
    from collections.abc import Iterator

LIMIT = 500 * 1024
"""Bytes: RFC 9309, section 2.5, has crawlers parse at least 500 KiB. The rest is ignored."""
LONGEST_LINE = 8 * 2083
"""Bytes, as in Google's parser: eight times the longest URL that old browsers took."""

MOST_SITEMAPS = 20
"""Sitemaps kept of a file: a large site has a sitemap that lists the others."""

_ANYWHERE = Resolver("https://anywhere.invalid/robots.txt", None)
"""A URL of a file: whether a sitemap is an address does not depend on it."""
ANYBODY = "*"
_NAME = re.compile(r"[^/();,:%*]+")
_PRODUCT = re.compile(r"\s*([^\s/();,]+)")
_COMPATIBLE = re.compile(r"\bcompatible;\s*([^\s/();,]+)", re.IGNORECASE)
_LINE_ENDS = re.compile(rb"[\r\n]+")
_WHITE = re.compile(rb"[ \t]+")
_ENCODED = re.compile(rb"[^\x21-\x7e]")
_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


class Field(Enum):
    """The field of a line."""

    AGENT = "user-agent"
    ALLOW = "allow"
    DISALLOW = "disallow"
    DELAY = "crawl-delay"
    SITEMAP = "sitemap"


_SPELLINGS = (
    (Field.AGENT, (b"user-agent", b"useragent", b"user agent")),
    (Field.ALLOW, (b"allow",)),
    (
        Field.DISALLOW,
        (b"disallow", b"dissallow", b"dissalow", b"disalow", b"diasllow", b"disallaw"),
    ),
    (Field.DELAY, (b"crawl-delay", b"crawldelay", b"crawl delay")),
    (Field.SITEMAP, (b"sitemap", b"site-map")),
)


def lines_of(body: bytes, limit: int = LIMIT) -> Iterator[tuple[Field, str]]:
    """Yield the lines of a file with known fields; never raises.

    Values are ASCII without spaces at their ends; all other bytes in them are percent-encoded.
    """
    for line in _LINE_ENDS.split(_as_utf8(_cut(body, limit)).replace(b"\0", b"")):
        read = _read(line[: LONGEST_LINE + 1])
        if read is not None:
            yield read


def _cut(body: bytes, limit: int) -> bytes:
    """Cut a file that is too long behind the last whole line within the limit."""
    if len(body) <= limit:
        return body
    return body[: 1 + max(body.rfind(b"\n", 0, limit), body.rfind(b"\r", 0, limit))]


def _as_utf8(body: bytes) -> bytes:
    for mark, encoding in _WIDE:
        # With few zeros, the mark is only noise before the lines.
        if body.startswith(mark) and 8 * body.count(0) >= len(body):
            return body.decode(encoding, "replace").encode("utf-8", "replace")
    if len(body) > 3 and body[1] == body[3] == 0 != body[0]:
        return body.decode("utf-16-le", "replace").encode("utf-8", "replace")
    # A byte order mark may have lost its end, see Google's tests.
    for length in (3, 2, 1):
        if body.startswith(codecs.BOM_UTF8[:length]):
            return body[length:]
    return body


def _read(line: bytes) -> tuple[Field, str] | None:
    text = line.partition(b"#")[0].strip()
    name, colon, value = text.partition(b":")
    if not colon:
        # Two words without the colon are accepted, too.
        words = _WHITE.split(text)
        if len(words) != 2:
            return None
        name, value = words
    field = _field(name.strip().lower())
    if field is None or (field is Field.ALLOW and len(line) > LONGEST_LINE):
        # A cut rule matches more than the written one, which must not happen to an allow line.
        return None
    return field, _ENCODED.sub(_percent, value.strip()).decode("ascii")


def _field(name: bytes) -> Field | None:
    for field, spellings in _SPELLINGS:
        if name.startswith(spellings):
            return field
    return None


def _percent(match: re.Match[bytes]) -> bytes:
    return b"%%%02X" % match[0][0]


def group_name(value: str) -> str:
    """The crawler of a user-agent line: ANYBODY, or a product token in lower case; "" for none.

    `value` is percent-encoded. The text behind the token (a version, a second word) is ignored, as
    in Google's parser.
    """
    if value.partition("%")[0] == ANYBODY:
        return ANYBODY
    named = _NAME.match(value)
    return named[0].lower() if named else ""


def product_token(user_agent: str) -> str:
    """Return the product token of a User-Agent in lower case; "" where it names no product.

    The token is the name before the first slash or space: `probe/1.0 (+https://...)` gives `probe`,
    also with characters that RFC 9309 does not allow (section 2.2.1). A User-Agent in the form of a
    browser's, `Mozilla/5.0 (compatible; probe/1.0)`, gives `probe`, too.
    """
    product = _COMPATIBLE.search(user_agent) or _PRODUCT.match(user_agent)
    return product[1].lower() if product else ""


class Groups:
    """Reads groups line by line, and keeps those for a token (lower case) and for `*`.

    All groups of a product token are one, and those of `*` are for crawlers without a group of
    their own (section 2.2.1). A token is compared as a whole: neither `probe-news` nor `pro` is
    `probe`. Only allow and disallow lines end the list of user agents of a group; sitemaps, delays
    and unknown lines do not (section 2.2.4). A delay, which the RFC does not know, is for the user
    agents right before it alone: a delay for `probe` and then another for `*` are two groups.
    Sitemaps belong to no group.
    """

    def __init__(self, token: str) -> None:
        self._token = token
        self._rules: dict[str, list[tuple[Field, str]]] = {ANYBODY: []}
        self._delays: dict[str, list[float]] = {ANYBODY: [], token: []}
        self._open: set[str] = set()
        self._delayed: set[str] = set()
        self._delay_came = False
        self._ended = False
        self._sitemaps: dict[str, None] = {}

    def take(self, field: Field, value: str) -> None:
        """Read the next line: a user agent, a rule, a delay or a sitemap."""
        if field is Field.AGENT:
            self._agent(group_name(value))
        elif field is Field.DELAY:
            self._delay_came = True
            for name in self._delayed:
                self._delays[name] += _seconds(value)
        elif field is Field.SITEMAP:
            has_room = value not in self._sitemaps and len(self._sitemaps) < MOST_SITEMAPS
            if has_room and value and _ANYWHERE(value) is not None:
                self._sitemaps[value] = None
        else:
            self._ended = True
            for name in self._open:
                self._rules[name].append((field, value))

    def _agent(self, name: str) -> None:
        if self._ended:
            self._open.clear()
        if self._ended or self._delay_came:
            self._delayed.clear()
            self._ended = self._delay_came = False
        if name == ANYBODY or (name and name == self._token):
            self._rules.setdefault(name, [])
            self._open.add(name)
            self._delayed.add(name)

    def ours(self) -> tuple[list[tuple[Field, str]], list[float]]:
        """Rules and delays of the token's group, or of `*` if it has none."""
        name = self._token if self._token in self._rules else ANYBODY
        return self._rules[name], self._delays[name]

    def sitemaps(self) -> tuple[str, ...]:
        """The first MOST_SITEMAPS sitemaps of the file, as it writes them."""
        return tuple(self._sitemaps)


def _seconds(value: str) -> list[float]:
    """The delay of a value, if it is a valid one."""
    try:
        delay = float(value)
    except ValueError:
        return []
    return [delay] if math.isfinite(delay) and delay >= 0 else []
