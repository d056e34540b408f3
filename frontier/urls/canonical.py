"""One identity for one resource: canonical URL, fingerprint, slot.

A canonical URL is what w3lib makes of a URL, cleaned of what selects no content (`UrlRules`). Most
links of a crawl are already canonical, so two regular expressions recognise them and w3lib is asked
only about the others; the expressions accept nothing that any supported w3lib would change.

A fingerprint is 64 bits of BLAKE2b, keyed by the crawl's random seed: a crawl repeats, and with a
seed that one keeps to oneself nobody can publish two URLs that collide. By chance 10 million URLs
hold a collision with probability 3e-6. BLAKE2's personalisation keeps GET requests, known by their
canonical URL, apart from all others, known by bytes of the caller's choice.
"""

from __future__ import annotations

import re
from functools import lru_cache
from hashlib import blake2b
from urllib.parse import urlsplit

from w3lib.url import canonicalize_url

from frontier.urls.rules import RULES, W3LIB_ALONE, UrlRules

_ARGUMENT = r"[A-Za-z0-9_.-]+=[A-Za-z0-9_.-]*"
# No ";" (w3lib gives it a meaning of its own), no "%" (its case and need must be judged), no
# dot segment (resolved by some versions only), no port from 65000 (may be out of range).
_CANONICAL = re.compile(
    r"https?://[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*"
    r"(?::([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}))?"
    r"(?:/(?!\.)[A-Za-z0-9_.:,@$!*()'-]*)+"
    rf"(?:\?({_ARGUMENT}(?:&{_ARGUMENT})*))?",
    re.ASCII,
)
# A colon that no port follows may end a user name.
_HOST = re.compile(r"https?://([a-z0-9.-]+)(?=(?::[0-9]+)?(?:[/?#]|\Z))", re.ASCII)
_SURROGATES = re.compile("[\ud800-\udfff]")
_URL_DOMAIN = b"url"
_REQUEST_DOMAIN = b"request"


def canonical_url(url: str, rules: UrlRules = RULES) -> str:
    """Return the one spelling of all that `url` is spelled as: arguments sorted, no fragment, ...

    Idempotent, and never raises. What w3lib refuses (a broken IPv6 address, a port above 65535) is
    returned without the white space around it, so that it can be stored and reported; fetching it
    will fail. Lone surrogates, which no text in UTF-8 can hold, become U+FFFD.
    """
    plain = _CANONICAL.fullmatch(url)
    if plain is not None:
        port, query = plain.groups()
        if _is_sorted(query) and rules.keep_plain(url, port, query):
            return url
    try:
        found = rules.cleaned(canonicalize_url(rules.repaired(url)))
        if found.isascii() or rules.version == W3LIB_ALONE:
            return found
        # A host that w3lib could not write in punycode may be one that it can: dots are gone.
        return rules.cleaned(canonicalize_url(found))
    except ValueError:
        return _usable(url.strip(), rules)


def _usable(refused: str, rules: UrlRules) -> str:
    """What w3lib refused as text that can be stored; that may be what it takes."""
    if rules.version == W3LIB_ALONE:
        return refused.encode("utf-8", "replace").decode()
    text = _SURROGATES.sub("\ufffd", refused)
    return text if text == refused else canonical_url(text, rules)


def without_credentials(url: str) -> str:
    """Return a URL as it can be asked for: Scrapy takes a user name for a part of the host."""
    scheme, mark, rest = url.partition("://")
    end = min((at for one in "/?#" if (at := rest.find(one)) >= 0), default=len(rest))
    return scheme + mark + rest[:end].rpartition("@")[2] + rest[end:]


def _is_sorted(query: str | None) -> bool:
    """Tell whether the arguments of a plain query stand in w3lib's order: by name, then value."""
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

    `data` is what tells such requests apart, for example Scrapy's own fingerprint. Equal input
    to `fingerprint` gives an unrelated number.
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
    """Return the host name in lower case, which Scrapy uses as download slot; "" without one."""
    plain = _HOST.match(url)
    if plain is not None:
        return plain.group(1)
    try:
        return urlsplit(url).hostname or ""
    except ValueError:
        return ""
