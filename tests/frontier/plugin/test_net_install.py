from __future__ import annotations

import pytest
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.downloadermiddlewares import cookies
from scrapy.settings import Settings

from frontier.errors import SettingsError
from frontier.plugin.net.handler import GuardedHandler
from frontier.plugin.net.install import (
    HANDLER,
    allowed_networks,
    install_handlers,
    keep_suffixes_local,
)

FILES = "scrapy.core.downloader.handlers.file.FileDownloadHandler"


class Own(HTTP11DownloadHandler):
    """A project's handler."""


def installed(**own: object) -> dict[str, object]:
    settings = Settings({"COOKIES_ENABLED": False, **own})
    install_handlers(settings)
    return {k: v for k, v in settings.getwithbase("DOWNLOAD_HANDLERS").items() if v is not None}


def test_http_and_https_are_guarded_and_nothing_else_is_left() -> None:
    assert installed() == {"http": HANDLER, "https": HANDLER}


def test_a_handler_that_a_project_made_of_scrapys_is_guarded() -> None:
    handlers = installed(DOWNLOAD_HANDLERS={"https": Own})
    assert handlers["http"] == HANDLER
    assert issubclass(handlers["https"], Own)  # type: ignore[arg-type]  # it is a class
    assert hasattr(handlers["https"], "_watched")


def test_what_is_guarded_stays_as_it_is() -> None:
    assert installed(DOWNLOAD_HANDLERS={"http": GuardedHandler}) == {
        "http": HANDLER,
        "https": HANDLER,
    }


def test_a_project_may_do_without_a_scheme() -> None:
    assert installed(DOWNLOAD_HANDLERS={"http": None, "ftp": None}) == {"https": HANDLER}


@pytest.mark.parametrize(
    "own", [{"file": FILES}, {"s3": FILES}, {"http": FILES}, {"https": FILES}, {"http": len}]
)
def test_a_handler_of_which_nothing_is_known_is_refused(own: dict[str, object]) -> None:
    with pytest.raises(SettingsError, match="DOWNLOAD_HANDLERS"):
        installed(DOWNLOAD_HANDLERS=own)


def test_any_handler_will_do_where_every_address_is_allowed() -> None:
    own = {"https": FILES}
    everything = installed(DOWNLOAD_HANDLERS=own, FRONTIER_ALLOW_NETWORKS="0.0.0.0/0,::/0")
    assert everything["https"] == FILES
    with pytest.raises(SettingsError):
        installed(DOWNLOAD_HANDLERS=own, FRONTIER_ALLOW_NETWORKS="0.0.0.0/0")


@pytest.mark.parametrize("value", ["10.0.0.0/8,fd00::/8", ["10.0.0.0/8", "fd00::/8"]])
def test_networks_come_as_a_list_or_separated_by_commas(value: object) -> None:
    found = allowed_networks(Settings({"FRONTIER_ALLOW_NETWORKS": value}))
    assert [str(one) for one in found] == ["10.0.0.0/8", "fd00::/8"]


def test_cookies_ask_nobody_for_a_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cookies, "_split_domain", cookies._split_domain)
    keep_suffixes_local(Settings({"COOKIES_ENABLED": True}))
    assert cookies._split_domain.suffix_list_urls == ()
    assert cookies._split_domain("a.example.co.uk").suffix == "co.uk"
