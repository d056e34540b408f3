"""The proxy for browsers: what it understands, and where it leads."""

from __future__ import annotations

import socket
import struct
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
SERVER = """
import sys
from twisted.internet import asyncioreactor
asyncioreactor.install()
from twisted.internet import reactor
from tests.support.fake_dns import Resolver
from frontier.urls.addresses import AddressGuard, parse_networks
from frontier.plugin.net.socks_proxy import SocksProxy
Resolver(reactor).install_on_reactor()
proxy = SocksProxy(reactor, AddressGuard(parse_networks(["127.66.0.0/16"])))
print(proxy.listen(), flush=True)
from twisted.internet import stdio, protocol
class End(protocol.Protocol):
    def connectionLost(self, reason=None):
        reactor.stop()
stdio.StandardIO(End())
reactor.run()
"""
GREETING = b"\x05\x01\x00"
DONE, FORBIDDEN, UNREACHABLE, NO_SUCH_COMMAND = 0, 2, 4, 7


@pytest.fixture(scope="module")
def proxy() -> Iterator[tuple[str, int]]:
    with subprocess.Popen(
        [sys.executable, "-c", SERVER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={"PYTHONPATH": f"{ROOT}:{':'.join(sys.path)}"},
    ) as process:
        assert process.stdout is not None
        host, _, port = process.stdout.readline().decode().removeprefix("socks5://").partition(":")
        yield host, int(port)
        assert process.stdin is not None
        process.stdin.close()


@pytest.fixture(scope="module")
def echo() -> Iterator[int]:
    """A server at an allowed address that says what it is told, in capitals."""
    with socket.create_server(("127.66.0.2", 0)) as server:
        server.settimeout(30)

        def serve() -> None:
            while True:
                try:
                    client, _ = server.accept()
                except OSError:
                    return
                with client:
                    while data := client.recv(65536):
                        client.sendall(data.upper())

        thread = threading.Thread(target=serve, daemon=True)
        thread.start()
        yield server.getsockname()[1]
        server.shutdown(socket.SHUT_RDWR)
        thread.join()


def name(host: str, port: int, command: int = 1) -> bytes:
    """A request for a name."""
    said = host.encode()
    return bytes((5, command, 0, 3, len(said))) + said + struct.pack(">H", port)


def said(proxy: tuple[str, int], *parts: bytes, size: int = 12) -> bytes:
    """What the proxy answers to some bytes, until it ends or enough came."""
    with socket.create_connection(proxy, timeout=20) as client:
        for part in parts:
            client.sendall(part)
        return heard(client, size)


def heard(client: socket.socket, size: int) -> bytes:
    """What comes, until it ends or enough came."""
    found = b""
    try:
        while len(found) < size and (data := client.recv(65536)):
            found += data
    except ConnectionError:
        pass
    return found


@pytest.mark.parametrize(
    "host",
    [
        *("127.0.0.1", "127.99.0.1", "localhost", "2130706433", "0x7f.1", "10.0.0.1", "::1"),
        *("::ffff:127.0.0.1", "private.test", "mapped.test", "ipv6.test", "metadata.test"),
        *("zero.test", "nat64.test"),
    ],
)
def test_what_a_crawl_may_not_reach_is_forbidden(proxy: tuple[str, int], host: str) -> None:
    found = said(proxy, GREETING, name(host, 80))
    assert found[:2] == b"\x05\x00"
    assert found[2:4] == bytes((5, FORBIDDEN))


def test_so_are_addresses_in_numbers(proxy: tuple[str, int]) -> None:
    v4 = b"\x05\x01\x00\x01" + socket.inet_aton("169.254.169.254") + b"\x00\x50"
    v6 = b"\x05\x01\x00\x04" + socket.inet_pton(socket.AF_INET6, "fe80::1") + b"\x00\x50"
    for one in (v4, v6):
        assert said(proxy, GREETING, one)[3] == FORBIDDEN


@pytest.mark.parametrize("host", ["127.66.0.2", "public.test", "both.test"])
def test_allowed_addresses_are_reached_in_both_directions(
    proxy: tuple[str, int], echo: int, host: str
) -> None:
    # All at once, and byte by byte: TCP knows no messages.
    whole = GREETING + name(host, echo) + b"hello"
    found = said(proxy, whole, size=17)
    assert found == b"\x05\x00\x05\x00\x00\x01" + bytes(6) + b"HELLO"
    assert said(proxy, *(whole[at : at + 1] for at in range(len(whole))), size=17) == found


def test_much_comes_through_whole(proxy: tuple[str, int], echo: int) -> None:
    # With the request, in one piece: a busy machine reads them together in any case.
    whole = GREETING + name("public.test", echo) + b"x" * 3_000_000
    with socket.create_connection(proxy, timeout=30) as client:
        sender = threading.Thread(target=client.sendall, args=(whole,))
        sender.start()
        found = heard(client, 12 + 3_000_000)
        sender.join()
    assert found[12:] == b"X" * 3_000_000


def test_a_name_is_connected_to_as_it_was_checked(proxy: tuple[str, int], echo: int) -> None:
    first = said(proxy, GREETING + name("rebinding.test", echo))
    second = said(proxy, GREETING + name("rebinding.test", echo))
    assert (first[3], second[3]) == (DONE, FORBIDDEN)


@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        (name("nothing.test", 80), UNREACHABLE),
        (name("127.66.0.2", 1), UNREACHABLE),
        (name("public.test", 80, command=2), NO_SUCH_COMMAND),
        (name("public.test", 80, command=3), NO_SUCH_COMMAND),
        (name("caf\xe9.test", 80), FORBIDDEN),
        (name("", 80), UNREACHABLE),
    ],
)
def test_what_cannot_be_done_is_said(proxy: tuple[str, int], asked: bytes, answer: int) -> None:
    found = said(proxy, GREETING, asked)
    assert found[:2] == b"\x05\x00"
    assert found[3] == answer


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"\x05\x01\x02", b"\x05\xff"),
        (b"\x04\x01\x00", b""),
        (b"GET / HTTP/1.1\r\n\r\n" * 90, b""),
        (b"\x05\x01\x00" + b"\x05\x01\x00\x09\x00\x00\x00", b"\x05\x00\x05\x07\x00\x01" + bytes(6)),
    ],
)
def test_who_speaks_no_socks_5_is_turned_away(
    proxy: tuple[str, int], sent: bytes, answer: bytes
) -> None:
    assert said(proxy, sent) == answer
