"""When two spellings of a URL ask for the same record.

Recorders write the target as their own client spelled it; a crawler asks in its
own spelling. Only what RFC 3986 section 6.2.2 and 6.2.3 call equivalent is levelled
out here, and the spelling of the host: letter case, default port, empty path,
percent-encoding. The query is left in its order: servers may tell orders apart.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from frontier.urls.canonical import origin_of
from frontier.urls.hosts import with_ascii_host

_OTHER_SCHEME = {"http": "https", "https": "http"}
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_UNRESERVED = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
# quote() leaves letters, digits and "_.-~" alone; so must be everything else that
# a URL may hold unescaped, and "%", which already opens an escape.
_LEGAL = "!#$%&'()*+,/:;=?@[]|"


def _level_escape(match: re.Match[str]) -> str:
    character = chr(int(match[0][1:], 16))
    return character if character in _UNRESERVED else match[0].upper()


def _level(part: str) -> str:
    return quote(_ESCAPE.sub(_level_escape, part), safe=_LEGAL)


def normal_url(url: str) -> str:
    """The spelling under which equivalent URLs are the same string.

    Idempotent, and never raises: what cannot be parsed as a URL comes back as it is.
    """
    origin = origin_of(url)
    if origin is None:
        return url
    parts = urlsplit(with_ascii_host(url))
    query = f"?{_level(parts.query)}" if parts.query else ""
    return origin + (_level(parts.path) or "/") + query


def other_scheme(url: str) -> str:
    """The same URL with https for http and the other way round; as it is for others."""
    scheme, colon, rest = url.partition(":")
    return _OTHER_SCHEME.get(scheme, scheme) + colon + rest


def host_of(url: str) -> str:
    """The host and port of a normalised URL, empty where there is none."""
    return urlsplit(url).netloc
