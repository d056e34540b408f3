"""The identity of a resource: canonical URL, fingerprint, slot.

A canonical URL is w3lib's, without the parts that select no content (`UrlRules`). Most links of a
crawl are canonical, so two regular expressions recognize them, and w3lib is called only for the
others; the expressions accept nothing that any supported w3lib would change.

A fingerprint is 64 bits of BLAKE2b, keyed by the crawl's random seed: so a crawl repeats, and with
a secret seed nobody can publish two URLs that collide. By chance 10 million URLs hold a collision
with probability 3e-6. BLAKE2's personalisation separates GET requests, identified by their
canonical URL, from all others, identified by bytes of the caller.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import urlsplit

from w3lib.url import canonicalize_url

from frontier.urls.hosts import bracketed, host_spelling, with_ascii_host
from frontier.urls.resolve import OWN_PORTS
from frontier.urls.rules import CLEANED, RULES, W3LIB_ALONE, UrlRules

_ARGUMENT = r"[A-Za-z0-9_.-]+=[A-Za-z0-9_.-]*"
# No ";" (w3lib gives it a meaning of its own), no "%" (its case and need must be judged), no
# dot segment (resolved by some versions only), no port from 65000 (may be out of range).
_OCTET = r"(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
_ODD_ADDRESS = rf"(?=[0-9])(?!(?:{_OCTET}\.){{3}}{_OCTET}[:/])[0-9a-fx.]+[:/]"
_CANONICAL = re.compile(
    rf"https?://(?!{_ODD_ADDRESS})"
    r"[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*"
    r"(?::([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}))?"
    r"(?:/(?!\.)[A-Za-z0-9_.:,@$!*()'-]*)+"
    rf"(?:\?({_ARGUMENT}(?:&{_ARGUMENT})*))?",
    re.ASCII,
)
# A colon that no port follows may end a user name.
_HOST = re.compile(r"https?://([a-z0-9_.-]+)(?=(?::[0-9]+)?(?:[/?#]|\Z))", re.ASCII)
_SURROGATES = re.compile("[\ud800-\udfff]")
_URL_DOMAIN = b"url"
_REQUEST_DOMAIN = b"request"
_RECORDED = UrlRules(CLEANED, ())


def canonical_url(url: str, rules: UrlRules = RULES) -> str:
    """Return the canonical spelling of a URL: arguments sorted, no fragment, ...

    Idempotent, and never raises. A URL that w3lib refuses (a broken IPv6 address, a port above
    65535) is returned without surrounding white space, so that it can be stored and reported;
    fetching it will fail. Lone surrogates, which UTF-8 cannot hold, become U+FFFD.
    """
    plain = _CANONICAL.fullmatch(url)
    if plain is not None:
        port, query = plain.groups()
        if _is_sorted(query) and rules.keep_plain(url, port, query):
            return url
    try:
        return rules.cleaned(canonicalize_url(rules.repaired(url)))
    except ValueError:
        return _usable(url.strip(), rules)


def _usable(refused: str, rules: UrlRules) -> str:
    """A URL that w3lib refused, as text that can be stored; w3lib may accept that."""
    if rules.version == W3LIB_ALONE:
        return refused.encode("utf-8", "replace").decode()
    text = _SURROGATES.sub("\ufffd", refused)
    return text if text == refused else canonical_url(text, rules)


def normal_url(url: str) -> str:
    """Return the spelling of a URL in a recorded web: the canonical one with tracking arguments.

    Idempotent, and never raises.
    """
    return canonical_url(url, _RECORDED)


def other_scheme(url: str) -> str:
    """Return the URL with https for http and the other way round; other schemes stay."""
    scheme, colon, rest = url.partition(":")
    return {"http": "https", "https": "http"}.get(scheme, scheme) + colon + rest


def host_of(url: str) -> str:
    """Return the host and port of a normalised URL, empty where there is none."""
    try:
        return urlsplit(url).netloc
    except ValueError:
        return ""


def without_credentials(url: str) -> str:
    """Return a URL without user name and password, which Scrapy takes for parts of the host."""
    scheme, mark, rest = url.partition("://")
    end = min((at for sign in "/?#" if (at := rest.find(sign)) >= 0), default=len(rest))
    return scheme + mark + rest[:end].rpartition("@")[2] + rest[end:]


def _is_sorted(query: str | None) -> bool:
    """Whether the arguments of a plain query have w3lib's order: by name, then value."""
    if query is None or "&" not in query:
        return True
    arguments = [argument.split("=") for argument in query.split("&")]
    return arguments == sorted(arguments)


def fingerprint(canonical: str, key: bytes) -> int:
    """Return the signed 64-bit identity of a canonical URL under the crawl's key.

    `key` holds 0 to 64 bytes (RFC 7693, section 2.1).
    """
    # A host name may come with lone surrogates, which plain UTF-8 refuses.
    return _digest(canonical.encode("utf-8", "surrogatepass"), key, _URL_DOMAIN)


def fingerprint_bytes(data: bytes, key: bytes) -> int:
    """Return the signed 64-bit identity of a request that its URL alone does not identify.

    `data` identifies it, for example Scrapy's fingerprint. The same input gives another number
    than with `fingerprint`.
    """
    return _digest(data, key, _REQUEST_DOMAIN)


def _digest(data: bytes, key: bytes, domain: bytes) -> int:
    hashed = _keyed(key, domain).copy()
    hashed.update(data)
    return int.from_bytes(hashed.digest(), "big", signed=True)


@lru_cache(maxsize=8)
def _keyed(key: bytes, domain: bytes) -> blake2b:
    return blake2b(digest_size=8, key=key, person=domain)


def slot_of(url: str) -> str:
    """Return the download slot of a URL: its host in the only spelling, "" without one."""
    plain = _HOST.match(url)
    if plain is not None:
        return host_spelling(plain[1])
    try:
        return host_spelling(urlsplit(with_ascii_host(url).replace("\\", "/")).hostname or "")
    except ValueError:
        return ""


def origin_of(url: str) -> str | None:
    """`https://host:port`, the host as it is spelled; None for no web address.

    The scheme's own port is left out, and so are a user name and a password.
    """
    try:
        parts = urlsplit(with_ascii_host(url))
        host, port = host_spelling(parts.hostname or ""), parts.port
    except ValueError:
        return None
    if not host or parts.scheme not in OWN_PORTS:
        return None
    named = "" if port is None or port == OWN_PORTS[parts.scheme] else f":{port}"
    return f"{parts.scheme}://{bracketed(host)}{named}"
