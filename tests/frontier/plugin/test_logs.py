"""Lines of DEBUG about each page: made where somebody gets them, else not."""

from __future__ import annotations

import logging

import pytest
from scrapy import Request, Spider
from scrapy.http import Response
from scrapy.logformatter import LogFormatter
from scrapy.settings import Settings
from scrapy.utils.misc import load_object
from scrapy.utils.test import get_crawler

from frontier.plugin.addon import LOG_FORMATTER, LinkRankAddon
from frontier.plugin.logs import HeardLogFormatter

LOGGERS = ("scrapy.core.engine", "scrapy.core.scraper")


def listen(monkeypatch: pytest.MonkeyPatch, **levels: int) -> None:
    """Have handlers at these loggers, by the last part of their names, and nowhere else.

    Not in a fixture: pytest adds its own handlers between that and the test.
    """
    for name in ("scrapy", "scrapy.core", *LOGGERS):
        handlers = [logging.NullHandler()] if (part := name.split(".")[-1]) in levels else []
        for handler in handlers:
            handler.setLevel(levels[part])
        monkeypatch.setattr(logging.getLogger(name), "handlers", handlers)
    monkeypatch.setattr(logging.getLogger("scrapy"), "propagate", False)


def made() -> list[object]:
    """What the formatter makes of a page and its item, and what Scrapy's own does."""
    spider, formatter, own = Spider("s"), HeardLogFormatter(), LogFormatter()
    request = Request("http://a.example/")
    response = Response(request.url, request=request)
    return [
        formatter.crawled(request, response, spider),
        own.crawled(request, response, spider),
        formatter.scraped({"a": 1}, response, spider),
        own.scraped({"a": 1}, response, spider),
    ]


def assert_as_scrapys() -> None:
    crawled, own_crawled, scraped, own_scraped = made()
    assert crawled == own_crawled
    assert scraped == own_scraped
    assert None not in (crawled, scraped)


def test_without_a_handler_for_them_no_lines_are_made(monkeypatch: pytest.MonkeyPatch) -> None:
    listen(monkeypatch, scrapy=logging.INFO)
    assert made()[::2] == [None, None]


def test_a_handler_above_gets_the_lines_of_scrapy(monkeypatch: pytest.MonkeyPatch) -> None:
    listen(monkeypatch, scrapy=logging.DEBUG)
    assert_as_scrapys()


def test_a_handler_of_the_root_gets_the_lines_of_scrapy(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    listen(monkeypatch, scrapy=logging.INFO)
    monkeypatch.setattr(logging.getLogger("scrapy"), "propagate", True)
    assert caplog.handler in logging.getLogger().handlers
    assert_as_scrapys()


def test_one_logger_may_be_listened_to_and_the_other_not(monkeypatch: pytest.MonkeyPatch) -> None:
    listen(monkeypatch, scraper=logging.NOTSET)
    crawled, _, scraped, own_scraped = made()
    assert crawled is None
    assert scraped == own_scraped


@pytest.mark.parametrize(
    ("settings", "expected"),
    [({}, LOG_FORMATTER), ({"LOG_FORMATTER": "a.Formatter"}, "a.Formatter")],
)
def test_a_log_formatter_of_the_project_stays(settings: dict[str, str], expected: str) -> None:
    crawler = get_crawler()
    crawler.crawling = True
    found = Settings(settings)
    LinkRankAddon.from_crawler(crawler).update_settings(found)
    assert found["LOG_FORMATTER"] == expected
    assert load_object(LOG_FORMATTER) is HeardLogFormatter
