"""A page in a real browser reaches nothing that a crawl may not reach."""

from __future__ import annotations

import re
import socket
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.browser import BROWSER, QUIET, needs_browser, needs_playwright
from tests.support.hostile import ALLOWED, FORBIDDEN, Ask, HostileWeb, hostile
from tests.support.scrapy_runs import Run, run_spider

pytestmark = pytest.mark.slow

PROBES = """
const tell = (what) => { document.getElementById("log").textContent += what + ";" };
const bad = "FORBIDDEN", port = PORT, other = "http://OTHER:PORT";
const hosts = [bad, "private.test", "2130706433", "[::ffff:" + bad + "]", "localhost"];
for (const host of hosts) {
  const url = `http://${host}:${port}`;
  fetch(url + "/fetch", {mode: "no-cors"}).then(() => tell("REACHED " + host)).catch(() => {});
  fetch(url.replace("http", "https") + "/tls", {mode: "no-cors"}).catch(() => {});
  new Image().src = url + "/img";
  document.head.append(Object.assign(document.createElement("script"), {src: url + "/js"}));
  document.head.append(Object.assign(document.createElement("link"),
    {rel: "stylesheet", href: url + "/css"}));
  for (const rel of ["preconnect", "dns-prefetch", "prefetch", "preload"])
    document.head.append(Object.assign(document.createElement("link"),
      {rel, href: url + "/" + rel, as: "fetch"}));
  document.body.append(Object.assign(document.createElement("iframe"), {src: url + "/frame"}));
  navigator.sendBeacon(url + "/beacon", "x");
  try { new WebSocket(`ws://${host}:${port}/ws`); } catch (e) {}
  try { new EventSource(url + "/events"); } catch (e) {}
  try { new WebTransport(`https://${host}:${port}/wt`); } catch (e) {}
  try {
    const peer = new RTCPeerConnection({iceServers: [
      {urls: `stun:${host}:${port}`},
      {urls: `turn:${host}:${port}?transport=tcp`, username: "u", credential: "c"},
      {urls: `turn:${host}:${port}?transport=udp`, username: "u", credential: "c"},
      {urls: `turns:${host}:${port}?transport=tcp`, username: "u", credential: "c"}]});
    peer.createDataChannel("x");
    peer.createOffer().then((offer) => peer.setLocalDescription(offer));
  } catch (e) {}
  fetch(other + "/redirect?" + encodeURIComponent(url + "/redirected"), {mode: "no-cors"})
    .catch(() => {});
  new Worker(URL.createObjectURL(new Blob([`fetch("${url}/worker", {mode: "no-cors"})`])));
}
window.open(`http://${bad}:${port}/popup`);
// A name that is public when it is asked for first, and private ever after.
const once = {mode: "no-cors", cache: "no-store"};
const again = (n) => fetch(`http://rebinding.test:${port}/${n}`, once)
  .catch(() => {}).then(() => n && again(n - 1));
again(4);
fetch(other + "/seen-by-fetch", {mode: "no-cors"}).then(() => tell("allowed"));
fetch(`http://public.test:${port}/seen-by-name`, {mode: "no-cors"}).then(() => tell("named"));
try { new WebSocket(`ws://OTHER:${port}/seen-by-ws`); } catch (e) {}
"""
SPIDER = """
import json
import scrapy

async def by_playwright(page, url):
    try:
        await page.request.get(url, timeout=5000)
    except Exception:
        pass

class Browser(scrapy.Spider):
    name = "browser"
    custom_settings = {settings!r}

    async def start(self):
        for url in {urls!r}:
            meta = {{"playwright": True, "playwright_page_methods": []}}
            if "/probes" in url:
                from scrapy_playwright.page import PageMethod
                meta["playwright_page_methods"] = [
                    *(PageMethod(by_playwright, one) for one in {besides!r}),
                    PageMethod("wait_for_timeout", 2500),
                ]
            meta["playwright_context"] = {context!r}
            meta["playwright_context_kwargs"] = {kwargs!r}
            yield scrapy.Request(url, meta=meta, errback=self.failed, dont_filter=True)

    def parse(self, response):
        yield {{"url": response.url, "log": response.css("#log::text").get()}}

    def failed(self, failure):  # no generator: Scrapy 2.13 does not run those
        self.logger.info("Failed as %s: %s", type(failure.value).__name__, failure.request.url)
"""
HANDLER = "scrapy_playwright.handler.ScrapyPlaywrightDownloadHandler"


async def probes(ask: Ask) -> None:
    script = PROBES.replace("FORBIDDEN", FORBIDDEN).replace("PORT", str(ask.web.port))
    script = script.replace("OTHER", ask.web.host_of("other"))
    if ask.path == "/moved":
        await ask.reply("", 302, Location=f"http://{FORBIDDEN}:{ask.web.port}/moved")
    else:
        await ask.reply(f"<body><p id=log></p><script>{script}</script></body>")


async def other(ask: Ask) -> None:
    path, _, target = ask.path.partition("?")
    if path == "/redirect":
        from urllib.parse import unquote

        await ask.reply("", 302, Location=unquote(target))
    else:
        await ask.reply("fine", kind="text/plain")


@dataclass
class Browsed:
    web: HostileWeb
    run: Run
    datagrams: list[bytes]


def browse(folder: Path, paths: list[str], *settings: str, persistent: bool = False) -> Browsed:
    """Have pages of a hostile web shown in a browser; `paths` may be whole URLs, with {port}."""
    with hostile({"other": other, "probes": probes}) as web, datagrams(web.port) as come:
        urls = [
            path.format(port=web.port) if "://" in path else web.url("probes", path)
            for path in paths
        ]
        options = {"executable_path": BROWSER, "args": list(QUIET)}
        custom = {
            "DOWNLOAD_HANDLERS": {"http": HANDLER, "https": HANDLER},
            "PLAYWRIGHT_LAUNCH_OPTIONS": options,
            "PLAYWRIGHT_DEFAULT_NAVIGATION_TIMEOUT": 15_000,
            "TWISTED_REACTOR": "twisted.internet.asyncioreactor.AsyncioSelectorReactor",
        }
        own = {**options, "user_data_dir": str(folder / "profile")} if persistent else {}
        besides = [f"http://{FORBIDDEN}:{web.port}/", web.url("other", "/seen-by-playwright")]
        code = SPIDER.format(settings=custom, urls=urls, context="c", kwargs=own, besides=besides)
        run = run_spider(
            folder,
            code,
            f"FRONTIER_ALLOW_NETWORKS={ALLOWED}",
            "DNS_RESOLVER=tests.support.fake_dns.Resolver",
            "RETRY_ENABLED=0",
            *settings,
        )
        return Browsed(web, run, come.received())


class datagrams:
    """What comes to the forbidden address by UDP, where STUN, TURN and QUIC would come."""

    def __init__(self, port: int) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((FORBIDDEN, port))
        self._socket.setblocking(False)

    def __enter__(self) -> datagrams:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

    def received(self) -> list[bytes]:
        found = []
        with suppress(BlockingIOError):
            while True:
                found.append(self._socket.recv(2048))
        return found


@pytest.fixture(scope="module")
def browsed(tmp_path_factory: pytest.TempPathFactory) -> Browsed:
    return browse(
        tmp_path_factory.mktemp("browsed"),
        [
            "/probes",
            "/moved",
            "http://private.test:{port}/probes-seed",
            f"http://{FORBIDDEN}:{{port}}/seed",
            "http://nowhere.invalid/",
        ],
    )


def failed(browsed: Browsed, url: str) -> str:
    """Class of the error that a request to a URL with these characters ended in."""
    (found,) = re.findall(rf"Failed as (\w+): .*{re.escape(url)}", browsed.run.log)
    return str(found)


@needs_browser
@needs_playwright
def test_nothing_a_page_asks_for_reaches_a_private_address(browsed: Browsed) -> None:
    assert browsed.run.returncode == 0, browsed.run.log
    assert browsed.web.paths("probes")[0] == "/probes", browsed.run.log
    assert browsed.web.trespassed == []
    assert browsed.datagrams == []


@needs_browser
@needs_playwright
def test_what_it_may_reach_it_reaches_by_address_name_and_websocket(browsed: Browsed) -> None:
    paths = browsed.web.paths("other")
    assert {"/seen-by-fetch", "/seen-by-name", "/seen-by-ws", "/seen-by-playwright"} <= set(paths)
    (page,) = [one for one in browsed.run.items if one.get("url", "").endswith("/probes")]
    assert {"allowed", "named"} <= set(page["log"].split(";"))
    assert "REACHED" not in page["log"]


@needs_browser
@needs_playwright
def test_pages_at_private_addresses_fail_as_without_a_browser(browsed: Browsed) -> None:
    assert failed(browsed, "private.test") == "AddressRefusedError"
    assert failed(browsed, f"{FORBIDDEN}:{browsed.web.port}/seed") == "AddressRefusedError"
    assert failed(browsed, "/moved") == "Error"  # the browser's own, as of any redirect that fails
    assert failed(browsed, "nowhere.invalid") == "Error"
    assert browsed.run.log.count("A page in the browser requested") == 1


@needs_browser
@needs_playwright
def test_a_browser_with_a_profile_of_its_own_is_guarded_too(tmp_path: Path) -> None:
    found = browse(tmp_path, ["/probes"], persistent=True)
    assert found.run.returncode == 0, found.run.log
    assert "/seen-by-fetch" in found.web.paths("other"), found.run.log
    assert found.web.trespassed == []
    assert found.datagrams == []


@needs_browser
@needs_playwright
def test_without_the_guard_the_same_page_gets_through(tmp_path: Path) -> None:
    """What the other tests do not see is there to be seen; and it takes a setting to have it."""
    (tmp_path / "own_provider.py").write_text(
        "from scrapy_playwright.provider import PlaywrightBrowserProvider\n"
        "class Own(PlaywrightBrowserProvider):\n    pass\n"
    )
    own = "PLAYWRIGHT_BROWSER_PROVIDER=own_provider.Own"
    refused = browse(tmp_path, ["/probes"], own)
    assert refused.run.returncode != 0
    assert refused.web.log == []
    assert f"or accept the risk: FRONTIER_UNGUARDED_HANDLERS={HANDLER}" in refused.run.log
    found = browse(tmp_path, ["/probes"], own, f"FRONTIER_UNGUARDED_HANDLERS={HANDLER}")
    assert found.run.log.count("FRONTIER_UNGUARDED_HANDLERS accepts") == 1, found.run.log
    assert found.web.trespassed
    assert found.datagrams
