"""Certificates: what is wrong with one is found out and noted always, and refused on demand.

By default nothing is refused, as in Scrapy: a certificate that ran out yesterday says little about
a page, and those that no root vouches for, mostly for want of one in between, would take whole
sites out of a crawl. DOWNLOAD_VERIFY_CERTIFICATES is for whoever must not be fooled on the way. All
connections share one OpenSSL context, made from Scrapy's options: to read the system's roots takes
longer than a handshake.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from OpenSSL import SSL
from service_identity import VerificationError
from service_identity.exceptions import CertificateError as UnreadableError
from service_identity.hazmat import DNS_ID, DNSPattern, IPAddress_ID, verify_service_identity
from service_identity.pyopenssl import extract_patterns
from twisted.internet.abstract import isIPAddress, isIPv6Address
from twisted.internet.interfaces import IOpenSSLClientConnectionCreator
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

if TYPE_CHECKING:
    from OpenSSL.crypto import X509

_FAULTS = {
    9: "it is not valid yet",
    10: "it has expired",
    18: "it is self-signed",
    19: "its chain ends in a self-signed one",
    20: "its issuer is not known",
    21: "its issuer is not known",
    23: "it was revoked",
    66: "its key is too weak",
    68: "its signature is too weak",
}
"""OpenSSL's numbers, see openssl-verification-options."""
_LEGACY_SERVER_CONNECT = 0x4
"""As Scrapy has it: servers that renegotiate in the old way are many, and still readable."""
_SHOWN = 3


@implementer(IPolicyForHTTPS)
class CertificatePolicy:
    """Makes TLS connections for the agents of Scrapy's handler.

    `factory` is Scrapy's own context factory, whose options (ciphers, versions) hold.
    """

    def __init__(self, factory: Any, verify: bool) -> None:  # noqa: FBT001 - it is the setting
        self._factory = factory
        self._verify = verify

    def creatorForNetloc(self, host: bytes | str, port: int) -> _Creator:
        """Return what connects to a host; Twisted gives its name in bytes, a tunnel as text."""
        name = host.decode("ascii") if isinstance(host, bytes) else host
        return _Creator(self._context, name)

    @cached_property
    def _context(self) -> SSL.Context:
        made = getattr(self._factory, "_get_context", None) or self._factory.getContext
        context: SSL.Context = made()
        context.set_options(_LEGACY_SERVER_CONNECT)
        context.set_default_verify_paths()
        context.set_verify(SSL.VERIFY_PEER, self._judge)
        return context

    def _judge(
        self, connection: SSL.Connection, certificate: X509, error: int, depth: int, ok: int
    ) -> bool:
        """Called by OpenSSL for each certificate of a chain, the server's own last."""
        seen: Any = connection
        if not ok:
            _add(seen.certificate_faults, _FAULTS.get(error, f"OpenSSL error {error}"))
        elif depth == 0:
            _add(seen.certificate_faults, _wrong_name(certificate, seen.certificate_host))
        return not (seen.certificate_faults and self._verify)


@implementer(IOpenSSLClientConnectionCreator)
class _Creator:
    def __init__(self, context: SSL.Context, host: str) -> None:
        self._context = context
        self._host = host

    def clientConnectionForTLS(self, protocol: Any) -> SSL.Connection:
        connection = SSL.Connection(self._context, None)
        noted: Any = connection
        connection.set_app_data(protocol)
        noted.certificate_faults = []
        noted.certificate_host = self._host
        if not _is_address(self._host):
            connection.set_tlsext_host_name(self._host.encode("ascii"))
        return connection


def certificate_fault(connection: object) -> str | None:
    """What is wrong with the certificate that a server showed, None if nothing is."""
    faults: list[str] = getattr(connection, "certificate_faults", [])
    return f"the certificate is not in order: {', '.join(faults)}" if faults else None


def _add(faults: list[str], fault: str | None) -> None:
    if fault is not None and fault not in faults:
        faults.append(fault)


def _wrong_name(certificate: X509, host: str) -> str | None:
    try:
        patterns = extract_patterns(certificate)
        wanted = IPAddress_ID(host) if _is_address(host) else DNS_ID(host)
        verify_service_identity(patterns, [wanted], [])
    except (VerificationError, UnreadableError, ValueError):
        return f"it is for {_names(certificate)}, not for {host}"
    return None


def _names(certificate: X509) -> str:
    try:
        patterns = extract_patterns(certificate)
    except (UnreadableError, ValueError):
        patterns = []
    found = [one.pattern.decode() for one in patterns if isinstance(one, DNSPattern)]
    more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
    return ", ".join(found[:_SHOWN]) + more if found else "no host at all"


def _is_address(host: str) -> bool:
    return isIPAddress(host) or isIPv6Address(host)
