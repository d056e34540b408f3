"""Paths and patterns in the forms in which they are compared (RFC 9309, section 2.2.2).

A robots.txt is valid for one scheme, host and port (section 2.3); paths and patterns are URIs
without those. Octets outside of ASCII are percent-encoded, the digits of an escape are capital, and
needless escapes (`%62` for `b`) are decoded; reserved characters stay as they are, so that `%2F` is
no slash and `%3F` begins no query. The two special characters of patterns are encoded where they
are literal: a pattern has `%2A` for a `*` of a path, and `%24` for a `$` (section 2.2.3), which is
one octet in either spelling.
"""

from __future__ import annotations

import re

_NEEDLESS = re.compile(r"%(?:2[dDeE]|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aAeE])")
"""Escapes of letters, digits, "-", ".", "_" and "~"."""
_ESCAPE = re.compile(r"%[0-9a-fA-F]{2}")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
_ESCAPED_DOLLAR = "%24"
_DOLLAR = "\0"
"""Stands for a literal `$` during normalization; neither file nor URL holds this octet."""
_AFTER_HOST = re.compile(r"[/?]")


def robots_url(origin: str) -> str:
    """The URL of the file of an origin."""
    return origin + "/robots.txt"


def path_of(url: str) -> str:
    """Path and query of a URL, without its fragment; "/" where it has neither."""
    url = url.partition("#")[0]
    authority = url.find("//")
    start = _AFTER_HOST.search(url, authority + 2 if authority >= 0 else 0)
    if start is None:
        return "/"
    return url[start.start() :] if start[0] == "/" else "/" + url[start.start() :]


def plain(path: str) -> str:
    """A path with its `*` and `$` encoded: they are literal in a path."""
    return _dollars(path.replace("*", "%2A"))


def plain_inside(pattern: str) -> str:
    """A pattern with its literal `$` encoded: all but one at its end."""
    pattern = pattern.replace(_ESCAPED_DOLLAR, _DOLLAR)
    return _dollars(pattern[:-1]) + pattern[-1:]


def _dollars(text: str) -> str:
    return text.replace(_ESCAPED_DOLLAR, _DOLLAR).replace("$", _DOLLAR)


def normal(path: str) -> str:
    """The form in which paths and patterns are compared."""
    if not path.isascii():
        path = _NOT_ASCII.sub(_percent, path)
    if "%" not in path:
        return path
    return literal(_NEEDLESS.sub(lambda escape: chr(int(escape[0][1:], 16)), path))


def literal(path: str) -> str:
    """A path or pattern as written, with escapes in capital letters."""
    return _ESCAPE.sub(lambda escape: escape[0].upper(), path) if "%" in path else path


def has_needless(pattern: str) -> bool:
    """Whether a pattern holds a needless escape."""
    return _NEEDLESS.search(pattern) is not None


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "replace"))
