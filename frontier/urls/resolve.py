"""href -> absolute http(s) address, by concatenation if that is enough.

Nine links in ten are plain: a path of harmless characters under a plain base. Their address is the
base's origin or folder plus the href, checked by a regular expression; all others are parsed as by
browsers (URL Standard). The tests compare both ways, which give the same result. User names and
passwords are left out, so that an address with a thousand names is one address.
"""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from typing import Final
from urllib.parse import quote_from_bytes, unquote

MAX_URL: Final = 8_190
"""Characters; common servers refuse a longer request line."""

# Addresses that need no parsing, because joining them is concatenation.
_HOST = r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}"
# In range, and not the default of a scheme.
_PORT = r"(?::(?!(?:80|443)(?![0-9]))(?:[1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}))?"
_PATH = r"(?:/[\w~%+,=@!$&'()*:.-]*)*"
_QUERY = r"(?:\?[\w~%+,;=@!$&'()*:./?-]+)?"
_PLAIN_URL = re.compile(rf"https?://{_HOST}{_PORT}{_PATH}{_QUERY}", re.ASCII).fullmatch
_PLAIN_PATH = re.compile(rf"(?:[\w~%+,=@!$&'()*-][\w~%+,=@!$&'()*.-]*)?{_PATH}{_QUERY}", re.ASCII)
_MOST_UP = 8
"""Leading `../` that are resolved one by one; an href with more is parsed."""
_SCHEME = re.compile(r"([a-z][a-z0-9+.-]*):", re.ASCII | re.IGNORECASE)
_PARTS = re.compile(r"(https?)://([^/?]*)([^?]*)(.*)", re.DOTALL)
_AUTHORITY = re.compile(r"(\[[^\]]*\]|[^:]*)(?::([0-9]*))?", re.ASCII)
OWN_PORTS: Final = {"http": 80, "https": 443}
"""Schemes of the web -> default port."""
# URL Standard: C0 controls and spaces around an address and tabs and line ends
# inside it are ignored; these code points make a host name invalid.
_AROUND = "".join(map(chr, range(0x21)))
_INSIDE = str.maketrans("", "", "\t\n\r")
_BAD_HOST = re.compile(
    '[\x00-\x20\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069"#%/<>?@\\\\^`{|}\\[\\]:]'
)
# Control characters and marks of direction are percent-encoded behind the host, as in the standard;
# other characters beyond ASCII are encoded by the request.
_UNSEEN = re.compile("[\x00-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]+")
_ESCAPED_DOT = re.compile(r"%2e", re.IGNORECASE)
_NO_ASCII = re.compile(rb"[\x80-\xff]")
_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]+")
_DOTS = {".": ".", "%2e": ".", "..": "..", ".%2e": "..", "%2e.": "..", "%2e%2e": ".."}


class Resolver:
    """Resolves the hrefs of a page against its address or its `<base href>`.

    Called with an href it returns the absolute address without fragment, or None where
    there is no http or https address to fetch; it never raises. Queries are written in the
    page's charset, a codec of Python, as the forms and links of a page are.
    """

    def __init__(self, page_url: str, base_href: str | None, charset: str = "utf-8") -> None:
        self._charset = None if charset.startswith("utf") else charset
        self._parts: re.Match[str] | None = None
        self._origin: str | None = None
        self._parts = _PARTS.fullmatch(self(page_url) or "")
        if base_href is not None:
            self._parts = _PARTS.fullmatch(self._join(base_href) or "") or self._parts
        self._origin, self._folder = self._plain()
        # Where the top folder ends; 0: a base without a path, from which `../` does not lead up.
        has_path = self._origin is not None and self._parts is not None and self._parts[3]
        self._top = len(self._origin or "") + 1 if has_path else 0

    def _plain(self) -> tuple[str | None, str]:
        """Scheme and host, and everything to the last slash of the path; None if not plain."""
        if self._parts is None:
            return None, ""
        scheme, authority, path, _ = self._parts.groups()
        origin = f"{scheme}://{authority}"
        if not _PLAIN_URL(origin + path) or "//" in path or "/." in path:
            return None, ""
        return origin, origin + "/" + path[1 : path.rfind("/") + 1]

    def __call__(self, href: str) -> str | None:
        if "#" in href:
            href = href.partition("#")[0]
        if len(href) > MAX_URL:
            return None
        if "%2" in href and _ESCAPED_DOT.search(href):
            return self._join(href)
        if _PLAIN_URL(href) and "/." not in href:
            return href
        if self._origin is not None:
            folder, down = self._up(href)
            if _PLAIN_PATH.fullmatch(down) and "//" not in down and "/." not in down:
                if down[:1] not in ("", "/", "?"):
                    return folder + down
                if down is href and down[:1] == "/":
                    return self._origin + href
        return self._join(href)

    def _up(self, href: str) -> tuple[str, str]:
        """The folder of leading `../`, at most the top one, and the rest of the href."""
        folder, top = self._folder, self._top
        if len(folder) + len(href) > MAX_URL:
            return folder, href  # perhaps too long: it is parsed
        for _ in range(_MOST_UP if top else 0):
            if not href.startswith("../"):
                break
            href = href[3:]
            folder = folder[: max(folder.rfind("/", 0, -1) + 1, top)]
        return folder, href

    def _join(self, href: str) -> str | None:
        href = href.partition("#")[0].strip(_AROUND).translate(_INSIDE)
        if "\\" in href:
            # Browsers read a backslash as a slash, but not inside the query.
            path, mark, query = href.partition("?")
            href = path.replace("\\", "/") + mark + query
        url = self._absolute(href)
        return url if url is not None and len(url) <= MAX_URL else None

    def _absolute(self, href: str) -> str | None:
        base = self._parts
        named = _SCHEME.match(href)
        scheme = named[1].lower() if named else base[1] if base else ""
        if scheme not in OWN_PORTS:
            return None
        rest = href[named.end() :] if named else href
        if rest.startswith("//") or (named and (base is None or scheme != base[1])):
            rest = rest.lstrip("/")
            authority = re.split("[/?]", rest, maxsplit=1)[0]
            host = _authority(scheme, authority)
            path = rest[len(authority) :]
            return None if host is None else self._written(f"{scheme}://{host}", path)
        if base is None:
            return None
        return self._written(f"{base[1]}://{base[2]}", self._relative(rest, base[3], base[4]))

    @staticmethod
    def _relative(href: str, path: str, query: str) -> str:
        if not href:
            return path + query
        if href[0] == "?":
            return path + href
        return href if href[0] == "/" else path[: path.rfind("/") + 1] + href

    def _written(self, origin: str, rest: str) -> str:
        path, mark, query = rest.partition("?")
        if "/." in path or _ESCAPED_DOT.search(path):
            path = without_dots(path)
        if self._charset is not None and not query.isascii():
            query = _in_charset(query, self._charset)
        separator = "" if not path or path[0] == "/" else "/"
        return origin + separator + _UNSEEN.sub(_percent, path + mark + query)


def _percent(match: re.Match[str]) -> str:
    return quote_from_bytes(match[0].encode("utf-8", "replace"), "")


def _authority(scheme: str, authority: str) -> str | None:
    """Return host and port, without a default port; None if they are invalid."""
    match = _AUTHORITY.fullmatch(authority.rpartition("@")[2])
    if match is None:
        return None
    host, port = match[1], int(match[2] or OWN_PORTS[scheme]) if len(match[2] or "") < 10 else 0
    if "%" in host and not host.startswith("["):
        host = unquote(host)
    if not 0 < port < 65_536 or not _valid_host(host):
        return None
    return host if port == OWN_PORTS[scheme] else f"{host}:{port}"


def _valid_host(host: str) -> bool:
    if host.startswith("["):
        try:
            IPv6Address(host[1:-1].replace("%", " "))  # no zones in addresses of the Web
        except ValueError:
            return False
        return True
    if not host or _BAD_HOST.search(host):
        return False
    return all(0 < len(label) < 64 for label in host.removesuffix(".").split("."))


def located(url: str, location: bytes) -> str | None:
    """Return the address in a Location header of a response from `url`, None without one."""
    try:
        text = location.decode()
    except UnicodeDecodeError:
        text = _NO_ASCII.sub(lambda match: b"%%%02X" % match[0][0], location).decode()
    return Resolver(url, None)(text)


def without_dots(path: str) -> str:
    """Resolve the segments "." and ".." of a path, also if they are escaped."""
    kept: list[str] = []
    segments = path.split("/")[1:]
    for at, segment in enumerate(segments):
        dots = _DOTS.get(segment.lower()) if len(segment) < 7 else None
        if dots is None:
            kept.append(segment)
            continue
        if dots == ".." and kept:
            kept.pop()
        if at == len(segments) - 1:
            kept.append("")
    return "/" + "/".join(kept)


def _in_charset(query: str, charset: str) -> str:
    """Encode a query by the URL Standard: characters outside of the charset become references.

    Bytes with a meaning in queries are escaped, too.
    """
    return _BEYOND_ASCII.sub(
        lambda run: quote_from_bytes(run[0].encode(charset, "xmlcharrefreplace"), ""), query
    )
