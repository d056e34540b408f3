"""How the guarded handler comes into the settings of a project, and what it takes its place of."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Any

from scrapy.utils.misc import load_object

from frontier.errors import SettingsError
from frontier.plugin.settings.components import priority_of
from frontier.plugin.settings.limits import allowed_networks
from frontier.urls.addresses import AddressGuard

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

HANDLER = "frontier.plugin.net.handler.GuardedHandler"
SCHEMES = ("http", "https")
PLAYWRIGHT = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"
"""The one handler with a `download_request` of its own that can be guarded."""


def install_handlers(settings: BaseSettings) -> None:
    """Have http and https fetched by guarded handlers; with FRONTIER_ONLY_HTTP nothing else is.

    Raises SettingsError for a handler of the project that cannot be guarded.
    """
    guard = AddressGuard(allowed_networks(settings))
    handlers: dict[str, Any] = dict(settings.getwithbase("DOWNLOAD_HANDLERS"))
    if settings.getbool("FRONTIER_ONLY_HTTP"):
        _refuse_other_schemes(dict(settings["DOWNLOAD_HANDLERS"] or {}))
        handlers = dict.fromkeys(handlers)
    accepted: dict[str, str] = {}
    handlers |= {scheme: _guarded(scheme, settings, guard, accepted) for scheme in SCHEMES}
    for path, fault in accepted.items():
        logger.warning(
            "%s may connect to any address, private ones too: %s, and FRONTIER_UNGUARDED_HANDLERS "
            "accepts that",
            *(path, fault),
        )
    settings.set("DOWNLOAD_HANDLERS", handlers, priority_of(settings, "DOWNLOAD_HANDLERS"))
    keep_suffixes_local(settings)


def keep_suffixes_local(settings: BaseSettings) -> None:
    """Have Scrapy's cookies use the list of public suffixes that is installed.

    By itself it asks a third party for a newer one with the first cookie that names a domain.
    """
    if not settings.getbool("COOKIES_ENABLED"):
        return
    from scrapy.downloadermiddlewares import cookies
    from tldextract import TLDExtract

    if hasattr(cookies, "_split_domain"):
        cookies._split_domain = TLDExtract(
            include_psl_private_domains=True, suffix_list_urls=(), cache_dir=None
        )


def _refuse_other_schemes(own: dict[str, Any]) -> None:
    others = [scheme for scheme, handler in own.items() if scheme not in SCHEMES and handler]
    if others:
        raise SettingsError(
            f"DOWNLOAD_HANDLERS has a handler for {', '.join(sorted(others))}, but only http and "
            f"https are crawled (FRONTIER_ONLY_HTTP). Remove one of the two settings."
        )


def _guarded(
    scheme: str, settings: BaseSettings, guard: AddressGuard, accepted: dict[str, str]
) -> Any:
    from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler

    from frontier.plugin.net.handler import GuardedHandler, guarded

    handler = settings.getwithbase("DOWNLOAD_HANDLERS").get(scheme)
    if handler is None:
        return None
    found = load_object(handler)
    if found in (HTTP11DownloadHandler, GuardedHandler):
        return HANDLER
    is_scrapys = isinstance(found, type) and issubclass(found, HTTP11DownloadHandler)
    if not guard.refuses_nothing:
        fault = _unseen(found, settings) if is_scrapys else "it is none of Scrapy's for HTTP/1.1"
        if fault is not None:
            _accept(scheme, found, fault, settings, accepted)
        elif _downloads(found) == PLAYWRIGHT:
            from frontier.plugin.net.browser import browsing

            return guarded(found, browsing(found))
    return guarded(found) if is_scrapys else handler


def _unseen(found: type[Any], settings: BaseSettings) -> str | None:
    """Why it cannot be seen what a subclass of Scrapy's handler connects to; None where it can."""
    if (own := _downloads(found)) == PLAYWRIGHT:
        from frontier.plugin.net.browser import browser_fault

        return browser_fault(settings, found)
    return None if own.startswith("scrapy.") else f"{own} has a download_request of its own"


def _downloads(found: type[Any]) -> str:
    """The class that `download_request` of a handler is of."""
    return path_of(next(one for one in found.__mro__ if "download_request" in vars(one)))


def path_of(found: Any) -> str:
    """Import path of a class."""
    return f"{found.__module__}.{getattr(found, '__qualname__', found)}"


def _accept(
    scheme: str, found: Any, fault: str, settings: BaseSettings, accepted: dict[str, str]
) -> None:
    """Let a handler in that nobody can guard, where the project says so; raises SettingsError."""
    path = path_of(found)
    listed = settings.getlist("FRONTIER_UNGUARDED_HANDLERS")
    if not {path, found} & {one.strip() if isinstance(one, str) else one for one in listed}:
        raise SettingsError(
            f"DOWNLOAD_HANDLERS has {path} for {scheme}, of which it cannot be seen what it "
            f"connects to: {fault}. A link, or a page in a browser, could lead it into private "
            f"networks. Use Scrapy's HTTP11DownloadHandler or a subclass that leaves "
            f"download_request as it is, or accept the risk: FRONTIER_UNGUARDED_HANDLERS={path}"
        )
    accepted[path] = fault
