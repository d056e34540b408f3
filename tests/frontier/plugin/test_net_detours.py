"""What a project's own handler hands on to Scrapy's is guarded, and refused before if it is not."""

from __future__ import annotations

from pathlib import Path

from tests.support.hostile import ALLOWED, FORBIDDEN, hostile, site
from tests.support.scrapy_runs import run_spider

SPIDER = """
import inspect
import scrapy
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler

class Detour(HTTP11DownloadHandler):
    if inspect.iscoroutinefunction(HTTP11DownloadHandler.download_request):
        async def download_request(self, request):
            request.meta["seen"] = True
            return await super().download_request(request)
    else:  # Scrapy 2.13
        def download_request(self, request, spider):
            request.meta["seen"] = True
            return super().download_request(request, spider)

class Spider(scrapy.Spider):
    name = "detours"
    custom_settings = {{"DOWNLOAD_HANDLERS": {{"http": Detour}}}}

    async def start(self):
        for url in {urls!r}:
            yield scrapy.Request(url, errback=self.failed)

    def parse(self, response):
        yield {{"url": response.url, "seen": response.meta.get("seen", False)}}

    def failed(self, failure):  # no generator: Scrapy 2.13 does not run those
        self.logger.info("Failed as %s: %s", type(failure.value).__name__, failure.request.url)
"""


def test_a_detour_is_refused_and_once_accepted_guarded_behind_it(tmp_path: Path) -> None:
    with hostile({"site": site({"/": "fine"})}) as web:
        bad = [f"http://{host}:{web.port}/" for host in (FORBIDDEN, "private.test")]
        code = SPIDER.format(urls=[web.url("site"), *bad])
        settings = (
            f"FRONTIER_ALLOW_NETWORKS={ALLOWED}",
            "DNS_RESOLVER=tests.support.fake_dns.Resolver",
            "RETRY_ENABLED=0",
        )
        refused = run_spider(tmp_path, code, *settings)
        assert refused.returncode == 1
        assert "spider_file.Detour has a download_request of its own" in refused.log
        assert "Traceback" not in refused.log
        assert web.log == []
        accept = "FRONTIER_UNGUARDED_HANDLERS=spider_file.Detour"
        run = run_spider(tmp_path, code, *settings, accept)
    assert run.log.count("WARNING: spider_file.Detour may connect to any address") == 1
    found = {one["url"]: one for one in run.items}
    assert found[web.url("site")]["seen"] is True
    assert all(f"Failed as AddressRefusedError: {url}\n" in run.log for url in bad)
    assert web.trespassed == []
