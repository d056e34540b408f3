"""href -> absolute http(s) address, by concatenation where that is all there is to it.

Nine links in ten are plain: a path of harmless characters under a plain base. For these
the result is the base's origin or folder plus the href, checked by one regular
expression; everything else takes `urllib.parse.urljoin` and a look at the host. Both
ways give the same result, which the tests hold against each other.
"""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import urljoin, urlsplit

__all__ = ["MAX_URL", "Resolver"]

MAX_URL: Final = 8_190
"""Characters; common servers refuse a longer request line."""

# Addresses that need no parsing, because joining them is concatenation.
_HOST = r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}"
# Surely in range, and surely none that goes without saying.
_PORT = r"(?::(?!(?:80|443)(?![0-9]))(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}))?"
_PATH = r"(?:/[\w~%+,=@!$&'()*:.-]*)*"
_QUERY = r"(?:\?[\w~%+,;=@!$&'()*:./?-]+)?"
_PLAIN_URL = re.compile(rf"https?://{_HOST}{_PORT}{_PATH}{_QUERY}", re.ASCII).fullmatch
_PLAIN_PATH = re.compile(rf"(?:[\w~%+,=@!$&'()*-][\w~%+,=@!$&'()*.-]*)?{_PATH}{_QUERY}", re.ASCII)
# URL Standard: a scheme's own port is dropped, so that one page has one address.
_OWN_PORT = re.compile(r"(http://[^/?#]*):80(?=[/?#]|\Z)|(https://[^/?#]*):443(?=[/?#]|\Z)", re.I)
# URL Standard: C0 controls and spaces around an address and tabs and line ends
# inside it are ignored; these code points make a host name invalid.
_AROUND = "".join(map(chr, range(0x21)))
_INSIDE = str.maketrans("", "", "\t\n\r")
_BAD_HOST = re.compile(r"[\x00-\x20\x7f\"#%/<>?@\\^`{|}]")


class Resolver:
    """Resolves the hrefs of one page against its address or its `<base href>`.

    Called with an href it returns the absolute address without fragment, or None where
    there is no http or https address to fetch; it never raises.
    """

    def __init__(self, page_url: str, base_href: str | None) -> None:
        self._base = _without_own_port(page_url.partition("#")[0])
        if base_href is not None:
            self._base = self._join(base_href) or self._base
        self._origin, self._folder = self._split(self._base)

    @staticmethod
    def _split(base: str) -> tuple[str | None, str]:
        """Scheme and host, and everything to the last slash of the path; None if not plain."""
        path = base.partition("?")[0]
        authority, slash, rest = path[8:].partition("/")
        if not _PLAIN_URL(path) or "//" in slash + rest or "/." in slash + rest:
            return None, ""
        origin = path[:8] + authority
        return origin, origin + "/" + rest[: rest.rfind("/") + 1]

    def __call__(self, href: str) -> str | None:
        if "#" in href:
            href = href.partition("#")[0]
        if len(href) > MAX_URL:
            return None
        if _PLAIN_URL(href):
            return href
        if self._origin is not None and _PLAIN_PATH.fullmatch(href):
            if href[:1] == "/":
                if "//" not in href and "/." not in href:
                    return self._origin + href
            elif href and href[0] != "?" and "//" not in href and "/." not in href:
                return self._folder + href
        return self._join(href)

    def _join(self, href: str) -> str | None:
        href = href.strip(_AROUND).translate(_INSIDE)
        if "\\" in href:
            # Browsers read a backslash as a slash, but not inside the query.
            path, mark, query = href.partition("?")
            href = path.replace("\\", "/") + mark + query
        try:
            url = urljoin(self._base, href).partition("#")[0]
            parts = urlsplit(url)
            usable = parts.scheme in ("http", "https") and _valid_host(parts.hostname, parts.port)
            if "[" in parts.netloc:  # Python 3.10 takes anything in brackets for a host
                IPv6Address(parts.hostname or "")
        except ValueError:  # an address in brackets that is none, a port out of range
            return None
        return _without_own_port(url) if usable and len(url) <= MAX_URL else None


def _without_own_port(url: str) -> str:
    found = _OWN_PORT.match(url)
    return url if found is None else (found[1] or found[2]) + url[found.end() :]


def _valid_host(host: str | None, port: int | None) -> bool:
    if not host or port == 0 or _BAD_HOST.search(host):
        return False
    return all(0 < len(label) < 64 for label in host.removesuffix(".").split("."))
