"""How the guarded handler comes into the settings of a project, and what it takes its place of."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.utils.misc import load_object

from frontier.addresses import AddressGuard, parse_networks
from frontier.errors import SettingsError
from frontier.plugin.installing import priority_of

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings

    from frontier.addresses import Network

HANDLER = "frontier.plugin.net.handler.GuardedHandler"
SCHEMES = ("http", "https")
EVERYTHING = "0.0.0.0/0,::/0"


def allowed_networks(settings: BaseSettings) -> tuple[Network, ...]:
    """FRONTIER_ALLOW_NETWORKS, a list or its parts separated by commas.

    Raises SettingsError for a part that is no network.
    """
    return parse_networks([str(one) for one in settings.getlist("FRONTIER_ALLOW_NETWORKS")])


def install_handlers(settings: BaseSettings) -> None:
    """Have http and https fetched by guarded handlers, and nothing else fetched at all.

    Raises SettingsError for a handler of the project that cannot be guarded.
    """
    guard = AddressGuard(allowed_networks(settings))
    own = dict(settings["DOWNLOAD_HANDLERS"] or {})
    _refuse_other_schemes(own)
    handlers: dict[str, Any] = dict.fromkeys(settings.getwithbase("DOWNLOAD_HANDLERS"))
    handlers |= {scheme: _guarded(scheme, settings, guard) for scheme in SCHEMES}
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
            f"https are crawled: a link to anything else could read this machine's files. Remove "
            f"it, or the LinkRankAddon."
        )


def _guarded(scheme: str, settings: BaseSettings, guard: AddressGuard) -> Any:
    from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler

    from frontier.plugin.net.handler import GuardedHandler, guarded

    handler = settings.getwithbase("DOWNLOAD_HANDLERS").get(scheme)
    if handler is None:
        return None
    found = load_object(handler)
    if found in (HTTP11DownloadHandler, GuardedHandler):
        return HANDLER
    if isinstance(found, type) and issubclass(found, HTTP11DownloadHandler):
        return guarded(found)
    if guard.refuses_nothing:
        return handler
    raise SettingsError(
        f"DOWNLOAD_HANDLERS has {handler!r} for {scheme}, of which it is not known what it "
        f"connects to: a link could lead it into private networks. Use Scrapy's "
        f"HTTP11DownloadHandler or a subclass, or say that every address is allowed: "
        f"FRONTIER_ALLOW_NETWORKS={EVERYTHING}"
    )
