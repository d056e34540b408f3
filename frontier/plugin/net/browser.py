"""Browsers of scrapy-playwright, sent through a proxy that checks addresses.

Scrapy does not see the requests of a page in a browser: images, scripts, WebSockets, and their
redirects, which Playwright's own hook does not see either. So Chromium gets a SOCKS 5 proxy (RFC
1928, without authentication) in this process as its only way to the network: it resolves no names
and opens no connections itself, and traffic that passes by any proxy (WebRTC's datagrams, QUIC) is
switched off. The proxy listens on the loopback interface and grants no process more than it has by
itself. If the environment names a proxy, the browser uses that one, as Scrapy's downloader does;
such a proxy is trusted.

This works with a Chromium that scrapy-playwright starts. A browser of another kind, or one started
elsewhere, is refused, because its connections cannot be checked.
"""

from __future__ import annotations

import asyncio
import logging
import socket
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies

from frontier.plugin import compat
from frontier.plugin.failures import AddressRefusedError
from frontier.plugin.net.guard import allowed_addresses

if TYPE_CHECKING:
    from asyncio import StreamReader, StreamWriter

    from scrapy.settings import BaseSettings

    from frontier.plugin.net.guard import DownloadCheck
    from frontier.urls.addresses import AddressGuard

logger = logging.getLogger(__name__)

LOOPBACK = "127.0.0.1"
_PROVIDER = "scrapy_playwright.provider.PlaywrightBrowserProvider"
_EVERYTHING = "<-loopback>"
"""Chromium's list of hosts that need no proxy: not even this machine."""
_NO_DATAGRAMS = (
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
)
_CONNECTS_SECONDS = 30
_PIECE = 1 << 16
_VERSION, _CONNECT, _NO_AUTHENTICATION = 5, 1, 0
_IPV4, _NAME, _IPV6 = 1, 3, 4
_DONE, _FORBIDDEN, _UNREACHABLE, _NO_SUCH_COMMAND = 0, 2, 4, 7


def browser_fault(settings: BaseSettings, handler: type[Any]) -> str | None:
    """Why a browser cannot be sent through the proxy, None if it can."""
    for name in ("PLAYWRIGHT_CDP_URL", "PLAYWRIGHT_CONNECT_URL"):
        if settings.get(name):
            return f"{name} names a browser that was started elsewhere"
    kind = settings.get("PLAYWRIGHT_BROWSER_TYPE") or "chromium"
    if kind != "chromium":
        return f"PLAYWRIGHT_BROWSER_TYPE is {kind}, and only Chromium is known to obey its proxy"
    provider = settings.get("PLAYWRIGHT_BROWSER_PROVIDER")
    if provider not in (None, _PROVIDER):
        return f"PLAYWRIGHT_BROWSER_PROVIDER is {provider}, which starts browsers in its own way"
    if not compat.makes_browser_contexts(handler):
        return "this version of scrapy-playwright starts browsers in a way that is not known"
    return None


def guard_browser(handler: Any, check: DownloadCheck) -> None:
    """Give the browsers of a scrapy-playwright handler their way to the network."""
    proxy = AddressProxy(check.guard, check.refused_in_browsers)
    check.closings.append(proxy.close)
    way = proxy_options(proxy.url)
    handler.config.launch_options = routed(handler.config.launch_options, way)

    async def prepare(options: dict[str, Any] | None) -> dict[str, Any] | None:
        await proxy.serve()
        # A browser with a profile is started on its own, with its own options.
        return routed(options, way) if options and options.get("user_data_dir") else options

    compat.before_browser_contexts(handler, prepare)


def proxy_options(url: str) -> dict[str, str]:
    """The proxy for browsers: the user's, as the environment has it, or the one at `url`."""
    proxies = getproxies()
    own = next((proxies[name] for name in ("https", "http", "all") if proxies.get(name)), None)
    if own is None:
        return {"server": url, "bypass": _EVERYTHING}
    parts = urlsplit(own if "://" in own else f"http://{own}")
    way = {"server": f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", "bypass": _EVERYTHING}
    if parts.username is not None:
        way |= {"username": unquote(parts.username), "password": unquote(parts.password or "")}
    return way


def routed(options: dict[str, Any], way: dict[str, str]) -> dict[str, Any]:
    """Options of a browser that uses only this proxy; a browser with its own proxy keeps it."""
    if options.get("proxy"):
        return options
    args = [
        *(options.get("args") or ()),
        # Again and last, so that no other argument overrides it.
        *(f"--proxy-server={way['server']}", f"--proxy-bypass-list={_EVERYTHING}"),
        *_NO_DATAGRAMS,
    ]
    return {**options, "proxy": way, "args": args}


class AddressProxy:
    """A SOCKS 5 proxy that connects to allowed addresses, from `serve` to `close`."""

    def __init__(self, guard: AddressGuard, refused: dict[str, str]) -> None:
        """`refused` collects host -> reason."""
        self._guard = guard
        self._socket = socket.create_server((LOOPBACK, 0))
        self._server: asyncio.Server | None = None
        self._refused = refused

    @property
    def url(self) -> str:
        """URL of the proxy."""
        return f"socks5://{LOOPBACK}:{self._socket.getsockname()[1]}"

    async def serve(self) -> None:
        """Accept connections from now on, in the running loop; a second call does nothing."""
        if self._server is None:
            self._server = await asyncio.start_server(self._client, sock=self._socket)

    def close(self) -> None:
        """Accept nothing more."""
        if self._server is not None:
            self._server.close()
        self._socket.close()

    async def _client(self, reader: StreamReader, writer: StreamWriter) -> None:
        try:
            connecting = self._connect(reader, writer)
            far = await asyncio.wait_for(connecting, _CONNECTS_SECONDS)
            if far is not None:
                await asyncio.gather(_copy(reader, far[1]), _copy(far[0], writer))
        except (OSError, EOFError, ValueError, asyncio.TimeoutError) as error:
            logger.debug("The browser's connection to the proxy ended: %r", error)
        finally:
            writer.close()

    async def _connect(
        self, reader: StreamReader, writer: StreamWriter
    ) -> tuple[StreamReader, StreamWriter] | None:
        """Read a client's command and connect; returns the far end, None if it was refused.

        Raises ValueError, EOFError and OSError for a client that does not keep to the protocol.
        """
        version, count = await reader.readexactly(2)
        methods = await reader.readexactly(count)
        if version != _VERSION or _NO_AUTHENTICATION not in methods:
            raise ValueError(f"expected SOCKS 5 without authentication, got {methods!r}")
        writer.write(bytes((_VERSION, _NO_AUTHENTICATION)))
        _, command, _, kind = await reader.readexactly(4)
        host = await _host(reader, kind)
        port = int.from_bytes(await reader.readexactly(2), "big")
        if command != _CONNECT:
            _answer(writer, _NO_SUCH_COMMAND)
            return None
        try:
            far = await self._open(host, port)
        except AddressRefusedError as error:
            self._note(host, error)
            _answer(writer, _FORBIDDEN)
            return None
        except OSError:
            _answer(writer, _UNREACHABLE)
            return None
        _answer(writer, _DONE)
        return far

    async def _open(self, host: str, port: int) -> tuple[StreamReader, StreamWriter]:
        """Connect to the first address that is allowed and answers."""
        failed: OSError | None = None
        for address in await allowed_addresses(self._guard, host, port):
            try:
                return await asyncio.open_connection(address, port)
            except OSError as error:  # noqa: PERF203 - a name has a few addresses
                failed = error
        raise failed or OSError(f"{host} has no address")

    def _note(self, host: str, error: AddressRefusedError) -> None:
        if not self._refused:
            logger.info(
                "A page in the browser requested %s: %s. Blocked; further ones are not logged",
                host,
                error,
            )
        self._refused[host] = error.refusal


async def _host(reader: StreamReader, kind: int) -> str:
    if kind == _NAME:
        (length,) = await reader.readexactly(1)
        return (await reader.readexactly(length)).decode("ascii")
    sizes = {_IPV4: 4, _IPV6: 16}
    if kind not in sizes:
        raise ValueError(f"expected an address or a name, got kind {kind}")
    return str(ip_address(await reader.readexactly(sizes[kind])))


def _answer(writer: StreamWriter, code: int) -> None:
    writer.write(bytes((_VERSION, code, 0, _IPV4)) + bytes(6))


async def _copy(reader: StreamReader, writer: StreamWriter) -> None:
    """Copy until the end, as fast as the other side reads."""
    try:
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
    finally:
        writer.close()
