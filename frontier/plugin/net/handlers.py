"""The download handlers that can be guarded, and their guards in the settings of a project."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.utils.misc import load_object

from frontier.errors import SettingsError
from frontier.plugin.net.browser import browser_fault, guard_browser
from frontier.plugin.net.guard import (
    download_check_of,
    guard_aiohttp,
    guard_http2,
    guard_http11,
    guard_httpx,
)
from frontier.plugin.settings import allowed_networks, priority_of
from frontier.urls.addresses import AddressGuard

if TYPE_CHECKING:
    from collections.abc import Callable

    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

    from frontier.plugin.net.guard import DownloadCheck

    _Guard = Callable[[Any, DownloadCheck], None]

logger = logging.getLogger(__name__)

SCHEMES = ("http", "https")
PLAYWRIGHT = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
"""The one handler with a `download_request` of its own that can be guarded."""
_SCRAPYS = "scrapy.core.downloader.handlers."
_WITHOUT_REACTOR = f"{_SCRAPYS}_aiohttp.AiohttpDownloadHandler"
"""Scrapy's handler for http and https without a reactor, set after the add-ons are loaded."""
_GUARDS: dict[str, _Guard] = {
    f"{_SCRAPYS}http11.HTTP11DownloadHandler": guard_http11,
    f"{_SCRAPYS}http2.H2DownloadHandler": guard_http2,
    _WITHOUT_REACTOR: guard_aiohttp,
    f"{_SCRAPYS}_httpx.HttpxDownloadHandler": guard_httpx,
    PLAYWRIGHT: guard_browser,
}
"""Class of a handler, or a base of it -> its guard."""


def install_handlers(settings: BaseSettings) -> None:
    """Have http and https fetched by guarded handlers.

    Raises SettingsError for a handler of the project that cannot be guarded.
    """
    guard = AddressGuard(allowed_networks(settings))
    handlers: dict[str, Any] = {
        **settings.getwithbase("DOWNLOAD_HANDLERS"),
        **_without_reactor(settings),
    }
    if not guard.refuses_nothing:
        accepted: set[str] = set()
        for scheme in SCHEMES:
            if handlers.get(scheme) is not None:
                handlers[scheme] = _guarded(scheme, handlers[scheme], settings, accepted)
    settings.set("DOWNLOAD_HANDLERS", handlers, priority_of(settings, "DOWNLOAD_HANDLERS"))


def _without_reactor(settings: BaseSettings) -> dict[str, str]:
    if settings.getbool("TWISTED_REACTOR_ENABLED", True):
        return {}
    own = dict(settings["DOWNLOAD_HANDLERS"] or {})
    return {scheme: _WITHOUT_REACTOR for scheme in SCHEMES if scheme not in own}


def _guarded(scheme: str, handler: Any, settings: BaseSettings, accepted: set[str]) -> Any:
    base = load_object(handler)
    fault = _fault(base, settings)
    guards = _guards(base)
    if fault is None:
        return guarded(base, guards)
    path = path_of(base)
    listed = settings.getlist("FRONTIER_UNGUARDED_HANDLERS")
    if not {path, base} & {entry.strip() if isinstance(entry, str) else entry for entry in listed}:
        raise SettingsError(
            f"DOWNLOAD_HANDLERS has {path} for {scheme}, whose connections cannot be checked: "
            f"{fault}. A link, or a page in a browser, could lead it into private networks. Use "
            f"one of Scrapy's handlers or a subclass that leaves download_request as it is, or "
            f"accept the risk: FRONTIER_UNGUARDED_HANDLERS={path}"
        )
    if path not in accepted:
        accepted.add(path)
        logger.warning(
            "%s may connect to any address, private ones too: %s, and FRONTIER_UNGUARDED_HANDLERS "
            "accepts that",
            path,
            fault,
        )
    # Downloads that it passes on to Scrapy's handler are checked all the same.
    guards = [guard for guard in guards if guard is not guard_browser]
    return guarded(base, guards) if guards else handler


def _fault(base: Any, settings: BaseSettings) -> str | None:
    """Why the connections of a handler cannot be checked; None if they can."""
    if not _guards(base):
        return "it is not one of Scrapy's handlers for HTTP"
    own = path_of(next(cls for cls in base.__mro__ if "download_request" in vars(cls)))
    if own == PLAYWRIGHT:
        return browser_fault(settings, base)
    return None if own.startswith("scrapy.") else f"{own} has a download_request of its own"


def _guards(base: Any) -> list[_Guard]:
    """The guards for the parts of a handler that open connections."""
    bases = base.__mro__ if isinstance(base, type) else ()
    return [_GUARDS[path] for path in map(path_of, bases) if path in _GUARDS]


def path_of(cls: Any) -> str:
    """Import path of a class."""
    return f"{cls.__module__}.{getattr(cls, '__qualname__', cls)}"


def guarded(base: type[Any], guards: list[_Guard]) -> type[Any]:
    """A subclass of a handler whose instances are guarded."""

    class Guarded(base):  # type: ignore[misc]  # one of Scrapy's, or a subclass of it
        @classmethod
        def from_crawler(cls, crawler: Crawler) -> Any:
            """Make the handler, and guard it."""
            handler = super().from_crawler(crawler)
            check = download_check_of(crawler)
            for install in guards:
                install(handler, check)
            return handler

    # Scrapy's messages name the project's class.
    Guarded.__module__, Guarded.__qualname__ = base.__module__, base.__qualname__
    Guarded.__name__ = base.__name__
    return Guarded
