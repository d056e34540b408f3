"""What every spider of tests/strangers is, and what is noted of its crawl."""

from __future__ import annotations

import json
import logging
from collections import Counter
from pathlib import Path
from typing import Any, ClassVar

import scrapy
from scrapy import signals
from scrapy.crawler import Crawler
from scrapy.utils.misc import load_object
from scrapy.utils.python import global_object_name

KEPT = (
    *("downloader/request_count", "downloader/request_method", "downloader/response_status"),
    *("downloader/exception", "retry/", "httperror/", "spider_exceptions/", "item_", "offsite/"),
    *("robotstxt/", "httpcache/", "file_", "image_", "urllength/", "log_count/CRITICAL"),
)
"""Beginnings of the names of stats that must be equal."""


_MAY_WARN = ("frontier", "tldextract")
"""Loggers that may warn: a word more of the add-on, and the list of public suffixes that plain
Scrapy looks for in the network, and the add-on does not."""


class Stranger(scrapy.Spider):
    """A spider of somebody who never heard of the frontier.

    `web` is what its site answers, in connections that last or do not (`keep_alive`); `starts` are
    paths of start URLs. `intended` says what a crawl
    with the add-on may have more (or, negative, less) of than one without, exactly: kind of what is
    compared -> what -> how many; `why` gives the page of the documentation that says so.
    """

    web: ClassVar[Any] = {}
    keep_alive: ClassVar[bool] = True
    starts: ClassVar[tuple[str, ...]] = ("/",)
    intended: ClassVar[dict[str, dict[str, int]]] = {}
    why: ClassVar[str] = ""

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.name = cls.__name__

    def __init__(self, site: str = "", **arguments: Any) -> None:
        super().__init__(**arguments)
        self.site = site
        self.start_urls = [self.url(path) for path in self.starts]

    def url(self, path: str) -> str:
        return path if "://" in path or path.startswith("data:") else self.site + path

    def named(self, host: str, path: str = "/") -> str:
        """The site's URL under a name of `.test`, see fake_names.py."""
        return f"http://{host}:{self.site.rpartition(':')[2]}{path}"

    def get(self, path: str, callback: Any = None, **arguments: Any) -> scrapy.Request:
        return scrapy.Request(self.url(path), callback, **arguments)

    def parse(self, response: Any) -> Any:
        yield {"url": response.url, "status": response.status, "size": len(response.body)}
        if isinstance(response, scrapy.http.HtmlResponse):
            for link in response.css("a"):
                yield response.follow(link)

    def failed(self, failure: Any) -> Any:
        """An errback that says what came."""
        status = getattr(getattr(failure.value, "response", None), "status", None)
        yield {"failed": kind(failure.value), "status": status, "url": failure.request.url}


def kind(error: BaseException) -> str:
    """The name of the first of an error's classes that is not the add-on's."""
    return _known(type(error))


def _known(error: type[BaseException]) -> str:
    ours = ("frontier", "ranking")
    return next(
        global_object_name(one) for one in error.__mro__ if one.__module__.split(".")[0] not in ours
    )


def _stat(name: str) -> str:
    """The name of a stat, where it ends in an error's class by the name that Scrapy knows."""
    kinds, _, path = name.rpartition("/")
    return f"{kinds}/{_known(load_object(path))}" if path.startswith("frontier.") else name


class Record(logging.Handler):
    """An extension that writes what a crawl did to the file RECORD; addresses lose their port."""

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(logging.WARNING)
        self._crawler = crawler
        self._path = Path(crawler.settings["RECORD"])
        self._seen: dict[str, Counter[str]] = {
            name: Counter() for name in ("items", "dropped", "errors", "logs", "finished")
        }
        logging.getLogger().addHandler(self)
        connect = crawler.signals.connect
        connect(self._item, signals.item_scraped)
        connect(self._dropped, signals.item_dropped)
        connect(self._item_error, signals.item_error)
        connect(self._spider_error, signals.spider_error)
        connect(self._write, signals.spider_closed)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Record:
        return cls(crawler)

    def emit(self, record: logging.LogRecord) -> None:
        if record.levelno >= logging.ERROR or not record.name.startswith(_MAY_WARN):
            self._seen["logs"][f"{record.levelname} {record.name}"] += 1

    def _item(self, item: Any) -> None:
        self._seen["items"][json.dumps(item, default=repr, sort_keys=True)] += 1

    def _dropped(self, item: Any, exception: Exception) -> None:
        self._seen["dropped"][f"{json.dumps(item, default=repr)}: {exception}"] += 1

    def _item_error(self, item: Any, failure: Any) -> None:
        self._seen["errors"][f"item: {kind(failure.value)}"] += 1

    def _spider_error(self, failure: Any, response: Any) -> None:
        self._seen["errors"][f"{kind(failure.value)} at {response.url}"] += 1

    def _write(self, spider: Stranger, reason: str) -> None:
        self._seen["finished"][reason] += 1
        stats = self._crawler.stats.get_stats()
        self._seen["stats"] = Counter(
            {_stat(name): value for name, value in stats.items() if name.startswith(KEPT)}
        )
        port = spider.site.rpartition(":")[2]
        self._path.write_text(json.dumps(self._seen).replace(f":{port}", "") if port else "")
