"""Each of Scrapy's download handlers reaches allowed addresses and no others."""

from __future__ import annotations

import asyncio
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from scrapy import version_info

from frontier.plugin.net.browser import AddressProxy
from frontier.urls.addresses import AddressGuard, parse_networks
from tests.support.hostile import ALLOWED, FORBIDDEN, Ask, HostileWeb, hostile
from tests.support.proxies import proxying
from tests.support.scrapy_runs import Run, run_spider

HANDLERS = "scrapy.core.downloader.handlers."
HTTP11 = f"{HANDLERS}http11.HTTP11DownloadHandler"
HTTP2 = f"{HANDLERS}http2.H2DownloadHandler"
AIOHTTP = f"{HANDLERS}_aiohttp.AiohttpDownloadHandler"
HTTPX = f"{HANDLERS}_httpx.HttpxDownloadHandler"
NEW = pytest.mark.skipif(version_info < (2, 15), reason="this Scrapy has no such handler")
NO_HTTP2 = pytest.mark.skipif(find_spec("h2") is None, reason="needs: pip install scrapy[http2]")

SPIDER = """
import scrapy
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from tests.support import fake_dns

fake_dns.install()

class Spider(scrapy.Spider):
    name = "handlers"
    custom_settings = {{
        "DOWNLOAD_HANDLERS": {{"http": {handler!r}, "https": {handler!r}}},
    }}

    async def start(self):
        for url in {urls!r}:
            yield scrapy.Request(url, meta={meta!r}, errback=self.failed, dont_filter=True)

    def parse(self, response):
        yield {{"url": response.url}}

    def failed(self, failure):  # no generator: Scrapy 2.13 does not run those
        self.logger.info("Failed as %s: %s", type(failure.value).__name__, failure.request.url)
"""


async def site(ask: Ask) -> None:
    if ask.path.startswith("/redirect"):
        await ask.reply("", 302, Location=f"http://{FORBIDDEN}:{ask.web.port}/redirected")
    elif ask.path == "/to-name":
        await ask.reply("", 302, Location=f"http://private.test:{ask.web.port}/redirected")
    else:
        await ask.reply("fine")


def crawl(folder: Path, handler: str, urls: list[str], reactor: bool = True, **meta: object) -> Run:
    code = SPIDER.format(handler=handler, urls=urls, meta=meta)
    return run_spider(
        folder,
        code,
        f"FRONTIER_ALLOW_NETWORKS={ALLOWED}",
        "DNS_RESOLVER=tests.support.fake_dns.Resolver",
        "RETRY_ENABLED=0",
        "DOWNLOAD_TIMEOUT=60",
        *(() if reactor else ("TWISTED_REACTOR_ENABLED=0",)),
    )


def refused(run: Run) -> set[str]:
    return set(re.findall(r"Failed as AddressRefusedError: (\S+)", run.log))


def bad_urls(web: HostileWeb) -> list[str]:
    hosts = (FORBIDDEN, "private.test", "localhost", "2130706433", "[::1]", "mapped.test")
    return [f"http://{host}:{web.port}/" for host in hosts]


@pytest.mark.parametrize(
    ("handler", "reactor"),
    [
        (HTTP11, True),
        pytest.param(AIOHTTP, True, marks=NEW),
        pytest.param(HTTPX, True, marks=NEW),
        pytest.param(AIOHTTP, False, marks=NEW),
        pytest.param(HTTPX, False, marks=NEW),
    ],
)
def test_private_addresses_are_refused_by_name_number_and_redirect(
    tmp_path: Path, handler: str, reactor: bool
) -> None:
    with hostile({"site": site}) as web:
        good = [web.url("site"), f"http://public.test:{web.port}/named"]
        leading = [web.url("site", "/redirect"), web.url("site", "/to-name")]
        both = f"http://both.test:{web.port}/"  # of its addresses an allowed one is taken
        # A name that leads elsewhere the second time is refused from then on.
        changing = [f"http://rebinding.test:{web.port}/{number}" for number in range(4)]
        urls = [*good, both, *leading, *bad_urls(web), *changing]
        run = crawl(tmp_path, handler, urls, reactor)
        targets = [f"http://{host}:{web.port}/redirected" for host in (FORBIDDEN, "private.test")]
    assert run.returncode == 0, run.log
    fetched = {item["url"] for item in run.items}
    assert fetched - set(changing) == {*good, both}, run.log
    assert refused(run) - set(changing) == {*bad_urls(web), *targets}, run.log
    assert set(changing) <= fetched | refused(run)
    assert web.trespassed == []


@NEW
def test_robots_txt_is_obeyed_without_a_reactor(tmp_path: Path) -> None:
    async def closed(ask: Ask) -> None:
        rules = "User-agent: *\nDisallow: /shut"
        await ask.reply(rules if ask.path == "/robots.txt" else "fine", kind="text/plain")

    with hostile({"closed": closed}) as web:
        urls = [web.url("closed", "/open"), web.url("closed", "/shut")]
        code = SPIDER.format(handler=AIOHTTP, urls=urls, meta={})
        settings = (f"FRONTIER_ALLOW_NETWORKS={ALLOWED}", "TWISTED_REACTOR_ENABLED=0")
        run = run_spider(tmp_path, code, *settings, "ROBOTSTXT_OBEY=1")
    assert [item["url"] for item in run.items] == urls[:1], run.log
    assert web.paths("closed") == ["/robots.txt", "/open"] or web.paths("closed") == ["/open"]


@pytest.mark.parametrize(
    "handler", [HTTP11, pytest.param(AIOHTTP, marks=NEW), pytest.param(HTTPX, marks=NEW)]
)
def test_a_proxy_may_be_anywhere_and_is_not_asked_for_private_addresses(
    tmp_path: Path, handler: str
) -> None:
    urls = ["http://public.test/", "http://10.0.0.1/"]
    with proxying() as proxy:
        run = crawl(tmp_path, handler, urls, proxy=proxy.url)
    assert [item["url"] for item in run.items] == urls[:1], run.log
    assert proxy.asked == ["GET http://public.test/"]


@NO_HTTP2
def test_http2_refuses_before_it_connects(tmp_path: Path) -> None:
    with hostile({"site": site}) as web:
        urls = [url.replace("http:", "https:") for url in bad_urls(web)]
        run = crawl(tmp_path, HTTP2, [*urls, *urls])
    assert run.returncode == 0, run.log
    assert len(refused(run)) == len(urls)
    assert web.trespassed == []


DETOUR = """
class Detour(HTTP11DownloadHandler):
    async def download_request(self, request):
        return await super().download_request(request)
"""


@pytest.mark.skipif(version_info < (2, 14), reason="this Scrapy's handlers have no coroutines")
def test_a_detour_is_refused_and_once_accepted_guarded_behind_it(tmp_path: Path) -> None:
    with hostile({"site": site}) as web:
        code = SPIDER.format(
            handler="Detour", urls=[web.url("site"), *bad_urls(web)], meta={}
        ).replace("'Detour'", "Detour")
        code = code.replace("\nclass Spider", DETOUR + "\nclass Spider")
        settings = (
            f"FRONTIER_ALLOW_NETWORKS={ALLOWED}",
            "DNS_RESOLVER=tests.support.fake_dns.Resolver",
            "RETRY_ENABLED=0",
        )
        stopped = run_spider(tmp_path, code, *settings)
        assert stopped.returncode == 1
        assert "spider_file.Detour has a download_request of its own" in stopped.log
        assert web.log == []
        run = run_spider(
            tmp_path, code, *settings, "FRONTIER_UNGUARDED_HANDLERS=spider_file.Detour"
        )
    assert run.log.count("WARNING: spider_file.Detour may connect to any address") == 1
    assert [item["url"] for item in run.items] == [web.url("site")]
    assert len(refused(run)) == len(bad_urls(web))
    assert web.trespassed == []


# -- the proxy for browsers -----------------------------------------------------------------------


async def _asked_of(proxy: AddressProxy, target: bytes, port: int, command: int = 1) -> int:
    """The code of the proxy's answer to a request for a target in SOCKS 5's spelling."""
    await proxy.serve()
    port_of_proxy = int(proxy.url.rpartition(":")[2])
    reader, writer = await asyncio.open_connection("127.0.0.1", port_of_proxy)
    writer.write(b"\x05\x01\x00")
    assert await reader.readexactly(2) == b"\x05\x00"
    writer.write(bytes((5, command, 0)) + target + port.to_bytes(2, "big"))
    answer = await reader.readexactly(10)
    if answer[1] == 0:
        writer.write(b"GET /through HTTP/1.0\r\n\r\n")
        assert (await reader.readline()).startswith(b"HTTP/1.1 200")
    writer.close()
    return answer[1]


@pytest.mark.parametrize(
    ("host", "code"),
    [("127.66.0.2", 0), (FORBIDDEN, 2), ("localhost", 2), ("name:127.66.0.2", 0)],
)
def test_a_browsers_proxy_connects_to_allowed_addresses(host: str, code: int) -> None:
    name = host.removeprefix("name:").encode()
    raw = bytes(map(int, host.split("."))) if host[0].isdigit() else b""
    target = b"\x01" + raw if raw else b"\x03" + bytes([len(name)]) + name
    refused: dict[str, str] = {}
    with hostile({"site": site}) as web:

        async def asked() -> int:
            proxy = AddressProxy(AddressGuard(parse_networks([ALLOWED])), refused)
            try:
                return await _asked_of(proxy, target, web.port)
            finally:
                proxy.close()

        assert asyncio.run(asked()) == code
    assert web.trespassed == []
    assert list(refused) == ([host] if code else [])


def test_a_browsers_proxy_does_nothing_but_connect() -> None:
    async def asked() -> int:
        proxy = AddressProxy(AddressGuard(), {})
        try:
            return await _asked_of(proxy, b"\x01\x08\x08\x08\x08", 80, command=3)
        finally:
            proxy.close()

    assert asyncio.run(asked()) == 7
