"""The one spelling of a host, which is used wherever a host is a key.

`BÜCHER.example.`, `bücher。example`, `b%C3%BCcher.example` and `xn--bcher-kva.example` are one
host, and so are `127.1` and `127.0.0.1`. The spelling is that of the URL Standard ("host parsing"):
letters are mapped by UTS 46 and written in punycode, addresses in their shortest form. It differs
in two ways. The final dot is removed, because it only marks a complete name (RFC 1034, section
3.1). And nothing is refused: a host that no resolver will find has one spelling, too. Scrapy writes
hosts by IDNA 2003, in which `faß.example` is another owner's `fass.example`; so the host is written
here before a request is made.
"""

from __future__ import annotations

import re
from contextlib import suppress
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address
from urllib.parse import unquote

LONE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})", re.ASCII)
"""A percent sign that begins no escape; it could begin one when the rest is decoded."""
_PLAIN = re.compile(r"(?:[a-z0-9_-]+\.)*[a-z][a-z0-9_-]*", re.ASCII)
"""Nearly all names, whose spelling is the canonical one."""
_REMEMBERED = 1 << 13
"""Hosts in memory, 2 MB; the links of a page lead to a few."""
_HOST = re.compile(
    r"([a-z][a-z0-9+.-]*://(?:[^/\\?#]*@)?)(\[[^]/?#]*\]|[^/\\?#:]*)", re.ASCII | re.IGNORECASE
)
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*", re.ASCII)
_SKIPPED = str.maketrans("", "", "\t\n\r")
# "Forbidden host code points", and the percent sign, which may not open an escape anew.
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f#%/:<>?@\[\\\]^|]")
_SURROGATES = re.compile("[\ud800-\udfff]")
_CAPITAL = {0x1E9E: 0xDF}
"""The capital of `ß`, which older tables have as `ss`."""


@lru_cache(maxsize=_REMEMBERED)
def host_spelling(host: str) -> str:
    """Return the only spelling of a host: ASCII, lower case, no final dot, no brackets around IPv6.

    Idempotent, and never raises.
    """
    if _PLAIN.fullmatch(host):
        return host
    name = in_ascii(host)
    name = name.rstrip(".") or name
    try:
        if is_numeric(name):
            return str(_v6(name) if name[0] == "[" or ":" in name else _v4(name))
    except ValueError:
        pass  # neither an address nor a name
    return name


def in_ascii(host: str) -> str:
    """Return a host as requests have it: lower case, decoded, in punycode; a final dot stays."""
    host = host.translate(_SKIPPED)
    if "%" in host and ":" not in host:
        host = LONE_PERCENT.sub("%25", host)
        with suppress(UnicodeDecodeError):
            decoded = _in_punycode(unquote(host, errors="strict"))
            if not _FORBIDDEN.search(decoded):
                return decoded
    return _in_punycode(host)


def with_ascii_host(url: str) -> str:
    """Return a URL with its host as requests have it."""
    if url.isascii() and "%" not in url:
        return url
    match = _HOST.match(url)
    if match is None or (match[2].isascii() and "%" not in match[2]):
        return url
    return match[1] + in_ascii(match[2]) + url[match.end() :]


def bracketed(host: str) -> str:
    """A host as URLs have it: IPv6 in brackets."""
    return f"[{host}]" if ":" in host and host[0] != "[" else host


def is_numeric(name: str) -> bool:
    """Whether a host can only be an address: the URL Standard has no such names."""
    last = name.rpartition(".")[2]
    return _NUMBER.fullmatch(last) is not None or ":" in name or name.startswith("[")


def _in_punycode(name: str) -> str:
    if name.isascii():
        return name.lower()
    labels = _mapped(_SURROGATES.sub("\ufffd", name)).split(".")
    return ".".join(label if label.isascii() else _label(label) for label in labels)


def _label(letters: str) -> str:
    return "xn--" + letters.encode("punycode").decode("ascii").lower()


def _mapped(name: str) -> str:
    import idna  # few hosts need it

    try:
        mapped = idna.uts46_remap(name.translate(_CAPITAL), std3_rules=False)
    except (idna.IDNAError, UnicodeError):
        return name.lower()
    # A mapped character must not end the host, as a full-width slash would.
    return name.lower() if not mapped or _FORBIDDEN.search(mapped) else mapped


def _v6(name: str) -> IPv6Address:
    """An IPv6 address without its zone, which has a meaning only on its machine."""
    return IPv6Address(name.removeprefix("[").removesuffix("]").partition("%")[0])


def _v4(name: str) -> IPv4Address:
    """The IPv4 parser of the URL Standard: up to four numbers, the last fills the other bytes.

    Raises ValueError.
    """
    numbers = [_number(label) for label in name.split(".")]
    if len(numbers) > 4 or any(number > 255 for number in numbers[:-1]):
        raise ValueError(name)
    if numbers[-1] >= 256 ** (5 - len(numbers)):
        raise ValueError(name)
    value = numbers[-1]
    for place, number in enumerate(numbers[:-1]):
        value += number << (8 * (3 - place))
    return IPv4Address(value)


def _number(label: str) -> int:
    if len(label) > 64 or not _NUMBER.fullmatch(label):
        raise ValueError(label)
    if label.startswith("0x"):
        return int(label[2:] or "0", 16)
    return int(label, 8 if label[0] == "0" else 10)
