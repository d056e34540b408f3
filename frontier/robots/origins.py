"""How far one robots.txt reaches: scheme, host and port (RFC 9309, section 2.3)."""

from __future__ import annotations

from urllib.parse import urlsplit

from frontier.urls.resolve import OWN_PORTS


def origin_of(url: str) -> str | None:
    """`https://host:port` in lower case, without the scheme's own port; None for no web address.

    A user name and a password say nothing about where the file lies.
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port
    except ValueError:
        return None
    if not host or parts.scheme not in OWN_PORTS:
        return None
    if ":" in host:
        host = f"[{host}]"
    named = "" if port is None or port == OWN_PORTS[parts.scheme] else f":{port}"
    return f"{parts.scheme}://{host}{named}"


def robots_url(origin: str) -> str:
    """Where the file of an origin lies."""
    return origin + "/robots.txt"
