from __future__ import annotations

from typing import Any

import pytest
from scrapy import version_info
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.settings import Settings
from scrapy.utils.misc import load_object

from frontier.errors import SettingsError
from frontier.plugin.focus.settings import DOWNLOAD_HANDLERS
from frontier.plugin.net import browser
from frontier.plugin.net.handlers import PLAYWRIGHT, install_handlers, path_of
from frontier.plugin.settings import allowed_networks

FILES = "scrapy.core.downloader.handlers.file.FileDownloadHandler"


class Own(HTTP11DownloadHandler):
    """A project's handler."""


class Detour(HTTP11DownloadHandler):
    """A project's handler that sends some requests elsewhere."""

    def download_request(self, request: Any, *more: Any) -> Any:
        if request.meta.get("elsewhere"):
            raise AssertionError("who knows where")
        return super().download_request(request, *more)


class Further(Detour):
    """A subclass of such a one."""


class Playwright(HTTP11DownloadHandler):
    """Looks to us like scrapy-playwright's."""

    def download_request(self, request: Any, *more: Any) -> Any:
        return super().download_request(request, *more)

    async def _create_browser_context(self, name: str, context_kwargs: Any, spider: Any) -> Any:
        return context_kwargs


Playwright.__module__, Playwright.__qualname__ = PLAYWRIGHT.rsplit(".", 1)


class OwnPlaywright(Playwright):
    """A project's subclass of it."""


class OwnBrowser(Playwright):
    """One that has a way of its own."""

    def download_request(self, request: Any, *more: Any) -> Any:
        return None


def installed(**own: object) -> dict[str, object]:
    settings = Settings({"COOKIES_ENABLED": False, **own})
    install_handlers(settings)
    return {k: v for k, v in settings.getwithbase("DOWNLOAD_HANDLERS").items() if v is not None}


def is_guarded(handler: Any, base: type = HTTP11DownloadHandler) -> bool:
    """Whether a handler is a subclass that guards what it makes; it has its base's name."""
    return issubclass(handler, base) and handler is not base and path_of(handler) == path_of(base)


def test_http_and_https_are_guarded_and_other_schemes_as_they_were() -> None:
    found = installed(DOWNLOAD_HANDLERS={"own": FILES})
    assert is_guarded(found.pop("http"))
    assert is_guarded(found.pop("https"))
    before = Settings().getwithbase("DOWNLOAD_HANDLERS")
    others = {one: path for one, path in before.items() if one not in ("http", "https")}
    assert found == {**others, "own": FILES}


def test_nothing_but_http_and_https_is_left_in_the_ready_made_crawl() -> None:
    assert installed(DOWNLOAD_HANDLERS=DOWNLOAD_HANDLERS).keys() == {"http", "https"}


def test_a_handler_that_a_project_made_of_scrapys_is_guarded() -> None:
    assert is_guarded(installed(DOWNLOAD_HANDLERS={"https": Own})["https"], Own)


@pytest.mark.skipif(version_info < (2, 15), reason="this Scrapy needs the reactor")
@pytest.mark.parametrize("name", ["_aiohttp.AiohttpDownloadHandler", "_httpx.HttpxDownloadHandler"])
def test_handlers_for_crawls_without_a_reactor_are_guarded(name: str) -> None:
    base = load_object(f"scrapy.core.downloader.handlers.{name}")
    assert is_guarded(installed(DOWNLOAD_HANDLERS={"http": base})["http"], base)


@pytest.mark.skipif(version_info < (2, 15), reason="this Scrapy needs the reactor")
def test_what_scrapy_takes_without_a_reactor_is_guarded() -> None:
    base = load_object("scrapy.core.downloader.handlers._aiohttp.AiohttpDownloadHandler")
    assert is_guarded(installed(TWISTED_REACTOR_ENABLED=False)["https"], base)


def test_a_project_may_do_without_a_scheme() -> None:
    assert {"http", "ftp"}.isdisjoint(installed(DOWNLOAD_HANDLERS={"http": None, "ftp": None}))


@pytest.mark.parametrize("own", [{"http": FILES}, {"https": FILES}, {"http": len}])
def test_a_handler_of_which_nothing_is_known_is_refused(own: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match="DOWNLOAD_HANDLERS"):
        installed(DOWNLOAD_HANDLERS=own)


def test_any_handler_will_do_where_every_address_is_allowed() -> None:
    own = {"https": FILES}
    everything = installed(DOWNLOAD_HANDLERS=own, FRONTIER_ALLOW_NETWORKS="0.0.0.0/0,::/0")
    assert everything["https"] == FILES
    with pytest.raises(SettingsError):
        installed(DOWNLOAD_HANDLERS=own, FRONTIER_ALLOW_NETWORKS="0.0.0.0/0")


@pytest.mark.parametrize("handler", [Detour, Further, OwnBrowser])
def test_a_handler_with_a_way_of_its_own_is_refused_by_name_and_says_how_to_accept_it(
    handler: type,
) -> None:
    path = path_of(handler)
    with pytest.raises(SettingsError, match="has a download_request of its own") as refused:
        installed(DOWNLOAD_HANDLERS={"http": handler})
    assert str(refused.value).startswith(f"DOWNLOAD_HANDLERS has {path} for http")
    assert str(refused.value).endswith(f"FRONTIER_UNGUARDED_HANDLERS={path}")


@pytest.mark.parametrize("handler", [Detour, FILES])
def test_a_handler_that_is_accepted_is_let_in_with_one_warning(
    handler: Any, caplog: pytest.LogCaptureFixture
) -> None:
    path = handler if isinstance(handler, str) else path_of(handler)
    found = installed(
        DOWNLOAD_HANDLERS={"http": handler, "https": handler},
        FRONTIER_UNGUARDED_HANDLERS=f"some.other.Handler, {path}",
    )
    assert [one.getMessage().partition(" may ")[0] for one in caplog.records] == [path]
    if handler is FILES:
        assert found["https"] == FILES
    else:  # what it passes on to Scrapy's is guarded all the same
        assert is_guarded(found["https"], Detour)


@pytest.mark.parametrize("handler", [Playwright, OwnPlaywright])
def test_a_browser_that_scrapy_playwright_starts_is_guarded(handler: type) -> None:
    assert is_guarded(installed(DOWNLOAD_HANDLERS={"https": handler})["https"], handler)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("PLAYWRIGHT_CDP_URL", "http://127.0.0.1:9222"),
        ("PLAYWRIGHT_CONNECT_URL", "ws://browsers.example/"),
        ("PLAYWRIGHT_BROWSER_TYPE", "firefox"),
        ("PLAYWRIGHT_BROWSER_PROVIDER", "camoufox.Provider"),
    ],
)
def test_browsers_that_others_start_or_that_are_none_of_chromium_are_refused(
    name: str, value: str
) -> None:
    own = {"DOWNLOAD_HANDLERS": {"https": Playwright}, name: value}
    with pytest.raises(SettingsError, match=name):
        installed(**own)
    assert installed(**own, FRONTIER_UNGUARDED_HANDLERS=[PLAYWRIGHT])["https"]


def test_a_version_of_scrapy_playwright_that_is_not_known_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delattr(Playwright, "_create_browser_context")
    with pytest.raises(SettingsError, match="starts browsers in a way that is not known"):
        installed(DOWNLOAD_HANDLERS={"https": Playwright})


def test_where_every_address_is_allowed_a_browser_is_left_alone() -> None:
    everything = "0.0.0.0/0,::/0"
    own = {"https": Playwright}
    found = installed(DOWNLOAD_HANDLERS=own, FRONTIER_ALLOW_NETWORKS=everything)
    assert found["https"] is Playwright


def test_a_browser_goes_no_other_way_unless_it_has_a_proxy_of_its_own() -> None:
    way = {"server": "socks5://127.0.0.1:1", "bypass": "<-loopback>"}
    before = {"args": ["--proxy-bypass-list=*"], "headless": True}
    found = browser.routed(before, way)
    assert (found["proxy"], found["headless"]) == (way, True)
    assert found["args"].index("--proxy-bypass-list=<-loopback>") > 0  # the last one counts
    assert before == {"args": ["--proxy-bypass-list=*"], "headless": True}
    own = {"proxy": {"server": "http://mine.example:8080"}}
    assert browser.routed(own, way) == own


def test_a_browser_goes_through_the_proxy_of_the_environment(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("http_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("https_proxy", "http://me:p%40ss@proxy.example:3128")
    assert browser.proxy_options("socks5://127.0.0.1:1") == {
        "server": "http://proxy.example:3128",
        "bypass": "<-loopback>",
        "username": "me",
        "password": "p@ss",
    }


@pytest.mark.parametrize("value", ["10.0.0.0/8,fd00::/8", ["10.0.0.0/8", "fd00::/8"]])
def test_networks_come_as_a_list_or_separated_by_commas(value: object) -> None:
    found = allowed_networks(Settings({"FRONTIER_ALLOW_NETWORKS": value}))
    assert [str(one) for one in found] == ["10.0.0.0/8", "fd00::/8"]
