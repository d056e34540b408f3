"""When two spellings of a URL ask for the same record.

Recorders write the target as their own client spelled it; a crawler asks in its
own spelling. Only what RFC 3986 section 6.2.2 and 6.2.3 call equivalent is levelled
out here: letter case of scheme and host, default port, empty path, percent-encoding.
The query is left in its order: servers may tell orders apart.
"""

from __future__ import annotations

import re
from urllib.parse import quote, urljoin, urlsplit, urlunsplit

from frontier.urls.resolve import OWN_PORTS

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


def _host(name: str) -> str:
    try:
        return name.encode("idna").decode("ascii") if not name.isascii() else name
    except UnicodeError:
        return name


def normal_url(url: str) -> str:
    """The spelling under which equivalent URLs are the same string.

    Idempotent, and never raises: what cannot be parsed as a URL comes back as it is.
    """
    try:
        parts = urlsplit(url)
        port, host = parts.port, _host((parts.hostname or "").lower())
    except ValueError:
        return url
    if parts.scheme not in OWN_PORTS or not host:
        return url
    host = f"[{host}]" if ":" in host else host
    if port is not None and port != OWN_PORTS[parts.scheme]:
        host = f"{host}:{port}"
    return urlunsplit((parts.scheme, host, _level(parts.path) or "/", _level(parts.query), ""))


def other_scheme(url: str) -> str:
    """The same URL with https for http and the other way round; as it is for others."""
    scheme, colon, rest = url.partition(":")
    return _OTHER_SCHEME.get(scheme, scheme) + colon + rest


def host_of(url: str) -> str:
    """The host and port of a normalised URL, empty where there is none."""
    return urlsplit(url).netloc


def join_url(base: str, location: str) -> str:
    """Where a Location header leads; ``base`` itself when it cannot be parsed."""
    try:
        return urljoin(base, location)
    except ValueError:
        return base
