"""Servers whose certificate or whose TLS is not in order; certificates are made on the spot.

Each has an address of its own in 127.66.200.0/24. What a crawl makes of its first page is written
twice: with certificates as they are, and with DOWNLOAD_VERIFY_CERTIFICATES. `page: TEXT` is a page
of which the store says TEXT, `page` one of which it says nothing; `error: TEXT` a failure.
"""

from __future__ import annotations

import asyncio
import datetime
import ipaddress
import ssl
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
)

from tests.support.hostile import running

Talk = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]
NOW = datetime.datetime.now(datetime.timezone.utc)
DAY = datetime.timedelta(days=1)
PAGE = b"<title>secret</title><a href='/next'>on</a>"


@dataclass(frozen=True)
class Signer:
    """Somebody who issues certificates."""

    name: x509.Name
    key: ec.EllipticCurvePrivateKey


def _name(text: str) -> x509.Name:
    return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, text)])


def signer(text: str) -> Signer:
    return Signer(_name(text), ec.generate_private_key(ec.SECP256R1()))


def certificate(
    issuer: Signer,
    subject: Signer,
    names: list[x509.GeneralName],
    start: datetime.datetime = NOW - DAY,
    end: datetime.datetime = NOW + DAY,
) -> bytes:
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject.name)
        .issuer_name(issuer.name)
        .public_key(subject.key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(start)
        .not_valid_after(end)
    )
    if names:
        builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
    else:
        authority = x509.BasicConstraints(ca=True, path_length=None)
        builder = builder.add_extension(authority, critical=True)
    return builder.sign(issuer.key, hashes.SHA256()).public_bytes(Encoding.PEM)


def key_of(one: Signer) -> bytes:
    """Private key as a file of keys holds it."""
    return one.key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())


# -- with a certificate ------------------------------------------------------------------------


@dataclass
class Shown:
    """A proper server with some certificate, and what becomes of its page."""

    plain: str
    verified: str
    issuer: str = "root"
    names: list[str] = field(default_factory=lambda: ["own"])
    start: int = -1
    end: int = 1


CERTIFICATES = {
    "in_order": Shown("page", "page"),
    "two_names": Shown("page", "page", names=["other.example", "own"]),
    "expired": Shown("page: has expired", "error: has expired", start=-9, end=-1),
    "not_valid_yet": Shown("page: not valid yet", "error: not valid yet", start=1, end=9),
    "self_signed": Shown("page: self-signed", "error: self-signed", issuer="self"),
    "unknown_issuer": Shown("page: not known", "error: not known", issuer="stranger"),
    "wrong_name": Shown(
        "page: for other.example, not", "error: for other.example, not", names=["other.example"]
    ),
    "wrong_address": Shown("page: no host at all", "error: no host at all", names=["127.9.9.9"]),
    "many_wrong_names": Shown(
        "page: and 2 more", "error: and 2 more", names=[f"{one}.example" for one in "abcde"]
    ),
    "expired_and_wrong_name": Shown(
        "page: has expired", "error: has expired", names=["other.example"], start=-9, end=-1
    ),
}

# -- without one -------------------------------------------------------------------------------


async def _say(writer: asyncio.StreamWriter, data: bytes) -> None:
    writer.write(data)
    await writer.drain()


async def http_for_tls(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _say(writer, b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")


async def garbage(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await _say(writer, bytes(range(256)) * 4)


async def silence(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(30)


async def dripping(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    for byte in b"\x16\x03\x03\x40\x00" + b"\x02" * 300:
        await _say(writer, bytes([byte]))
        await asyncio.sleep(0.1)


async def closed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(1)


async def reset(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def too_old(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(10)
    await _say(writer, b"\x15\x03\x01\x00\x02\x02\x46")  # alert: protocol version


async def old_version_chosen(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(10)
    hello = b"\x03\x00" + b"r" * 32 + b"\x00" + b"\x00\x2f" + b"\x00"  # SSL 3.0
    body = b"\x02" + len(hello).to_bytes(3, "big") + hello
    await _say(writer, b"\x16\x03\x00" + len(body).to_bytes(2, "big") + body)


async def no_common_cipher(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(10)
    await _say(writer, b"\x15\x03\x03\x00\x02\x02\x28")  # alert: handshake failure


async def unknown_name(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    await reader.read(10)
    await _say(writer, b"\x15\x03\x03\x00\x02\x02\x70")  # alert: unrecognized name


HANDSHAKES: dict[str, tuple[Talk, str]] = {
    "http_for_tls": (http_for_tls, "CertificateError: wrong version number|packet length"),
    "garbage": (garbage, "CertificateError: "),
    "silence": (silence, "took longer|timeout"),
    "dripping": (dripping, "took longer|timeout"),
    "closed": (closed, "closed in the TLS handshake|without an answer"),
    "reset": (reset, "closed in the TLS handshake|without an answer"),
    "too_old": (too_old, "CertificateError: .*protocol version"),
    "old_version_chosen": (old_version_chosen, "CertificateError: "),
    "no_common_cipher": (no_common_cipher, "CertificateError: .*handshake failure"),
    "unknown_name": (unknown_name, "CertificateError: .*unrecognized name"),
}


# -- serving -----------------------------------------------------------------------------------


@dataclass
class TlsWeb:
    """Where the servers are, the file of the root that is trusted, and what was asked."""

    roots: Path
    urls: dict[str, str] = field(default_factory=dict)
    asked: list[tuple[str, str]] = field(default_factory=list)
    connected: list[str] = field(default_factory=list)


def _serving_pages(web: TlsWeb, name: str) -> Talk:
    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        path = (await reader.readuntil(b"\r\n\r\n")).split(b" ", 2)[1].decode()
        web.asked.append((name, path))
        status = b"404 No" if path == "/robots.txt" else b"200 OK"
        head = b"HTTP/1.1 %s\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n"
        await _say(writer, head % (status, len(PAGE)) + PAGE)

    return talk


def _watched(web: TlsWeb, name: str, talk: Talk) -> Talk:
    async def watched(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        web.connected.append(name)
        try:
            with suppress(ConnectionError, EOFError, asyncio.CancelledError):
                await talk(reader, writer)
        finally:
            writer.close()

    return watched


def _context(folder: Path, name: str, shown: Shown, host: str, signers: dict[str, Signer]) -> Path:
    own = signer(name)
    issuer = own if shown.issuer == "self" else signers[shown.issuer]
    names = [_general(host if one == "own" else one) for one in shown.names]
    made = certificate(issuer, own, names, NOW + shown.start * DAY, NOW + shown.end * DAY)
    path = folder / f"{name}.pem"
    path.write_bytes(key_of(own) + made)
    return path


def _general(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


@contextmanager
def tls_web(folder: Path) -> Iterator[TlsWeb]:
    """Serve all of the above from a thread, every host on the same port."""
    signers = {"root": signer("a root"), "stranger": signer("a stranger")}
    root = signers["root"]
    web = TlsWeb(folder / "roots.pem")
    web.roots.write_bytes(certificate(root, root, []))
    loop = asyncio.new_event_loop()
    loop.set_exception_handler(lambda *_: None)  # handshakes fail here by design
    servers: list[asyncio.Server] = []

    async def listen() -> None:
        port = 0
        for number, name in enumerate([*CERTIFICATES, *HANDSHAKES], 1):
            host, context = f"127.66.200.{number}", None
            talk = HANDSHAKES[name][0] if name in HANDSHAKES else _serving_pages(web, name)
            if name in CERTIFICATES:
                context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
                path = _context(folder, name, CERTIFICATES[name], host, signers)
                context.load_cert_chain(path)
            watched = _watched(web, name, talk)
            server = await asyncio.start_server(watched, host, port, ssl=context)
            port = server.sockets[0].getsockname()[1]
            servers.append(server)
            web.urls[name] = f"https://{host}:{port}/"

    with running(loop, listen, servers):
        yield web
