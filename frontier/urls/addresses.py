"""The addresses a crawl may connect to: those of the public internet, and allowed networks.

A link, a redirect or a DNS name can lead anywhere, also to the crawling machine itself and to the
service that hands a cloud machine its passwords. So the downloader calls
`AddressGuard.address_refusal` for every address before it connects. `AddressGuard.refusal` decides
the same for the host of a URL if that is an address in any spelling that `host_spelling` reads
(decimal, hexadecimal, octal, short, full-width, percent-encoded, IPv6).
"""

from __future__ import annotations

import re
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network
from typing import TYPE_CHECKING, TypeAlias

from frontier.errors import SettingsError
from frontier.urls.hosts import host_spelling, is_numeric

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

Address: TypeAlias = "IPv4Address | IPv6Address"
Network: TypeAlias = "IPv4Network | IPv6Network"

REASON = "private address"
"""The reason under which links to refused addresses are counted."""

_RESERVED = {
    "an unspecified address": ("0.0.0.0/8", "::/128"),
    "a private address": (
        *("10.0.0.0/8", "172.16.0.0/12", "192.168.0.0/16"),
        *("64:ff9b:1::/48", "fc00::/7", "fec0::/10"),
    ),
    "a carrier's private address": ("100.64.0.0/10",),
    "a loopback address": ("127.0.0.0/8", "::1/128"),
    "a metadata address": ("168.63.129.16/32",),
    "a link-local address": ("169.254.0.0/16", "fe80::/10"),
    "an address for documentation": (
        *("192.0.2.0/24", "198.51.100.0/24", "203.0.113.0/24"),
        *("2001:db8::/32", "3fff::/20"),
    ),
    "an address for benchmarks": ("198.18.0.0/15",),
    "a multicast address": ("224.0.0.0/4", "ff00::/8"),
    "a tunnel's address": ("2001::/32",),
    "a reserved address": ("192.0.0.0/24", "192.88.99.0/24", "240.0.0.0/4", "2001::/23"),
}
_SPECIAL: tuple[tuple[Network, str], ...] = tuple(
    (ip_network(network), what) for what, networks in _RESERVED.items() for network in networks
)
"""IANA's registries of special-purpose addresses (RFC 6890), and Azure's, which is a public one.

Written out here, because the ipaddress module differs between versions of Python. The kind of an
address is that of the first network that holds it.
"""

_GLOBAL_V6 = IPv6Network("2000::/3")
_LOW_32_BITS = tuple(
    IPv6Network(network)
    for network in (
        "::/96",  # IPv4-compatible, RFC 4291 section 2.5.5.1
        "::ffff:0:0/96",  # IPv4-mapped, section 2.5.5.2
        "::ffff:0:0:0/96",  # IPv4-translated, RFC 2765
        "64:ff9b::/96",  # NAT64, RFC 6052
    )
)
_OWN_NAMES = re.compile(r"(?:.*\.)?localhost(?:\.localdomain)?")
"""Names of the machine itself, by RFC 6761 section 6.3 and by custom."""
_LOOPBACK = (IPv4Address("127.0.0.1"), IPv6Address("::1"))

_HOST = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:[/\\]{2}(?:[^/\\?#]*@)?(\[[^\]/]*\]?|[^/\\?#:]*)")
_WEB, _SCHEME = ("http://", "https://"), len("https://")
_PLAIN = re.compile(r"(?:[a-z0-9_-]+\.)*(?!local(?:host|domain))[a-z][a-z0-9_-]*", re.ASCII)
"""A usual name, which is neither an address nor a name of the machine itself."""
_HOSTS_REMEMBERED = 1024
"""8 MB at the worst, with the longest addresses; the links of a page lead to a few hosts."""


class AddressGuard:
    """Decides which addresses may be connected to.

    `allowed` are networks outside of the public internet whose addresses are allowed.
    """

    def __init__(self, allowed: Iterable[Network] = ()) -> None:
        self._allowed = tuple(allowed)
        self.address_refusal = lru_cache(maxsize=4096)(self._address_refusal)
        self.refusal = lru_cache(maxsize=_HOSTS_REMEMBERED)(self._refusal)
        self._refusal_of_start = lru_cache(maxsize=_HOSTS_REMEMBERED)(self._start_refusal)

    @property
    def refuses_nothing(self) -> bool:
        """Whether every address is allowed, of both versions."""
        return {network.version for network in self._allowed if not network.prefixlen} == {4, 6}

    def _refusal(self, host: str) -> str | None:
        """Why the host of a URL must not be connected to; None if that is not known.

        An IPv6 address may stand in brackets. Never raises.
        """
        if _PLAIN.fullmatch(host):
            return None
        name = host_spelling(host.strip())
        if _OWN_NAMES.fullmatch(name):
            allowed = any(self.address_refusal(address) is None for address in _LOOPBACK)
            return None if allowed else f"{name} is this machine"
        if not is_numeric(name):
            return None
        try:
            return self.address_refusal(ip_address(name))
        except ValueError:
            return f"{name!r} is no address"

    def url_refusal(self, url: str) -> str | None:
        """`refusal` of the host of an absolute URL."""
        end = url.find("/", _SCHEME) if url.startswith(_WEB) else -1
        return self._refusal_of_start(url if end < 0 else url[:end])

    def _start_refusal(self, url: str) -> str | None:
        match = _HOST.match(url)
        return None if match is None else self.refusal(match[1])

    def _address_refusal(self, address: Address) -> str | None:
        """Why an address must not be connected to, None if it may."""
        kind = self._kind(address)
        return None if kind is None else f"{address} is {kind}"

    def _kind(self, address: Address) -> str | None:
        if any(address in network for network in self._allowed):
            return None
        inner = _embedded(address)
        if inner is not None:
            kind = self._kind(inner)
            return None if kind is None else f"{kind} ({inner})"
        for network, kind in _SPECIAL:
            if address in network:
                return kind
        is_global = address.version == 4 or address in _GLOBAL_V6
        return None if is_global else "a reserved address"


def parse_networks(values: Sequence[str]) -> tuple[Network, ...]:
    """Read networks such as `10.0.0.0/8` or `fd00::/8`; a single address is a network of one.

    Raises SettingsError for an invalid one.
    """
    return tuple(_network(value.strip()) for value in values if value.strip())


def _network(text: str) -> Network:
    try:
        return ip_network(text)
    except ValueError as reason:
        raise SettingsError(
            f"FRONTIER_ALLOW_NETWORKS must list networks such as 10.0.0.0/8 or fd00::/8, but "
            f"{text!r} is none: {reason}. Correct it, or leave it out to connect to public "
            f"addresses only."
        ) from None


def as_address(text: str) -> Address:
    """The address of a text from a socket or resolver; raises ValueError for anything else."""
    return ip_address(text.partition("%")[0])


def _embedded(address: Address) -> IPv4Address | None:
    """The IPv4 address embedded in an IPv6 address, None without one."""
    if address.version == 4:
        return None
    value = int(address)
    if value > 1 and any(address in network for network in _LOW_32_BITS):
        return IPv4Address(value & 0xFFFFFFFF)
    if value >> 112 == 0x2002:  # 6to4, RFC 3056
        return IPv4Address((value >> 80) & 0xFFFFFFFF)
    return None
