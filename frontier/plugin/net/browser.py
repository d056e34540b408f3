"""Browsers as download handlers: scrapy-playwright's, sent through a proxy that checks addresses.

What a page in a browser asks for passes by Scrapy. So Chromium is given a `SocksProxy` of this
process as its only way to the network: it then resolves no names and connects to nothing itself,
and what it would send past any proxy (WebRTC's datagrams) it does not send at all. Where Scrapy's
downloader would go through a proxy of the user's, so does the browser; such a proxy is trusted.

That can be had of a Chromium that scrapy-playwright starts. A browser elsewhere, of another kind or
started by somebody else is refused: what it connects to cannot be seen.
"""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote, urlsplit
from urllib.request import getproxies

from frontier.plugin.net.faults import AddressRefusedError
from frontier.plugin.net.socks_proxy import SocksProxy
from frontier.urls.canonical import slot_of

if TYPE_CHECKING:
    from scrapy import Request, Spider
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from scrapy.settings import BaseSettings
    from twisted.internet.defer import Deferred
    from twisted.python.failure import Failure

_PROVIDER = "scrapy_playwright.provider.PlaywrightBrowserProvider"
_EVERYTHING = "<-loopback>"
"""For Chromium's list of what goes past a proxy: not even this machine."""
_NO_DATAGRAMS = (
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
)


def browser_fault(settings: BaseSettings, handler: type[Any]) -> str | None:
    """Why a browser cannot be sent through our proxy, None where it can."""
    for name in ("PLAYWRIGHT_CDP_URL", "PLAYWRIGHT_CONNECT_URL"):
        if settings.get(name):
            return f"{name} names a browser that was started elsewhere"
    kind = settings.get("PLAYWRIGHT_BROWSER_TYPE") or "chromium"
    if kind != "chromium":
        return f"PLAYWRIGHT_BROWSER_TYPE is {kind}, and only Chromium is known to heed its proxy"
    provider = settings.get("PLAYWRIGHT_BROWSER_PROVIDER")
    if provider not in (None, _PROVIDER):
        return f"PLAYWRIGHT_BROWSER_PROVIDER is {provider}, which starts browsers in its own way"
    if not hasattr(handler, "_create_browser_context"):
        return "this version of scrapy-playwright starts browsers in a way that is not known"
    return None


class _Browsing:
    """Goes before scrapy-playwright's handler and gives its browsers their way to the network."""

    _addresses: Any
    config: Any

    def _install(self, crawler: Crawler) -> None:
        from twisted.internet import reactor

        super()._install(crawler)  # type: ignore[misc]  # of the guard
        self._socks = SocksProxy(reactor, self._addresses)
        self._way = _way(self._socks)
        self.config.launch_options = _sent(self.config.launch_options, self._way)

    async def _create_browser_context(
        self, name: str, context_kwargs: dict[str, Any] | None, spider: Spider | None = None
    ) -> Any:
        if context_kwargs and context_kwargs.get("user_data_dir"):
            # A browser of its own, which the other one's options do not reach.
            context_kwargs = _sent(context_kwargs, self._way)
        create: Any = super()
        return await create._create_browser_context(
            name=name, context_kwargs=context_kwargs, spider=spider
        )

    def _refusal(self, request: Request, error: BaseException | None) -> Exception | None:
        """What a browser's error comes to, where its host was refused."""
        refused = self._socks.refused.get(slot_of(request.url))
        if refused is None or isinstance(error, AddressRefusedError):
            return None
        return AddressRefusedError(refused)


class _CoroutineBrowsing(_Browsing):
    """Scrapy 2.14 and newer."""

    async def download_request(self, request: Request) -> Response:
        download: Any = super()
        try:
            response: Response = await download.download_request(request)
        except Exception as error:
            refused = self._refusal(request, error)
            if refused is None:
                raise
            raise refused from None
        return response

    async def close(self) -> None:
        base: Any = super()
        await base.close()
        self._socks.close()


class _DeferredBrowsing(_Browsing):
    """Scrapy 2.13."""

    def download_request(self, request: Request, spider: Spider) -> Deferred[Response]:
        def fault(failure: Failure) -> Any:
            refused = self._refusal(request, failure.value)
            if refused is None:
                return failure
            raise refused from None

        download: Any = super()
        found: Deferred[Response] = download.download_request(request, spider)
        return found.addErrback(fault)

    def close(self) -> Deferred[None]:
        def closed(found: Any) -> Any:
            self._socks.close()
            return found

        base: Any = super()
        closing: Deferred[None] = base.close()
        return closing.addBoth(closed)


def browsing(handler: type[Any]) -> type[Any]:
    """What goes before a handler of scrapy-playwright's kind."""
    is_coroutine = inspect.iscoroutinefunction(handler.download_request)
    return _CoroutineBrowsing if is_coroutine else _DeferredBrowsing


def _way(socks: SocksProxy) -> dict[str, str]:
    """The proxy for browsers: the user's, as the environment has it, or ours."""
    proxies = getproxies()
    own = next((proxies[one] for one in ("https", "http", "all") if proxies.get(one)), None)
    if own is None:
        return {"server": socks.listen(), "bypass": _EVERYTHING}
    parts = urlsplit(own if "://" in own else f"http://{own}")
    way = {"server": f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}", "bypass": _EVERYTHING}
    if parts.username is not None:
        way |= {"username": unquote(parts.username), "password": unquote(parts.password or "")}
    return way


def _sent(options: dict[str, Any], way: dict[str, str]) -> dict[str, Any]:
    """Options of a browser that goes no other way; one that has a proxy of its own keeps it."""
    if options.get("proxy"):
        return options
    args = [
        *(options.get("args") or ()),
        # Once more and last, so that no other argument stands above it.
        *(f"--proxy-server={way['server']}", f"--proxy-bypass-list={_EVERYTHING}"),
        *_NO_DATAGRAMS,
    ]
    return {**options, "proxy": way, "args": args}
