"""A crawl keeps the rules for canonical URLs that it was started with."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from frontier.backend.backend import LinkRankBackend
from frontier.config import CrawlConfig
from frontier.inspection import CrawlView
from frontier.labels.label_file import Label
from frontier.labels.questions import never_met
from frontier.store import StoreReader, schema
from frontier.topic.relevance import plain_link
from frontier.urls.canonical import canonical_url
from frontier.urls.rules import RULES, W3LIB_ALONE, UrlRules

OLD = UrlRules(W3LIB_ALONE, ())
TRACKED = "http://h.example//a?id=1&utm_source=x"


def opened(directory: Path, rules: UrlRules = RULES) -> LinkRankBackend:
    return LinkRankBackend(CrawlConfig(directory=directory, url_rules=rules))


def crawl_of(directory: Path, url: str, rules: UrlRules) -> None:
    backend = opened(directory, rules)
    number = backend._identify(url)
    backend.add_seeds([plain_link(url, number, canonical_url(url, rules), 0)])
    backend.close()


def test_a_new_crawl_writes_its_rules_down(tmp_path: Path) -> None:
    rules = UrlRules(tracking=("from",))
    crawl_of(tmp_path, TRACKED, rules)
    with StoreReader.open(tmp_path) as reader:
        assert UrlRules.stored(reader.settings()[schema.URL_RULES]) == rules


def test_a_crawl_goes_on_with_its_own_rules_and_says_so(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    crawl_of(tmp_path, TRACKED, OLD)
    with caplog.at_level(logging.WARNING, "frontier"):
        backend = opened(tmp_path)
    assert backend.url_rules == OLD
    assert backend.knows(backend._identify(TRACKED))
    assert not backend.knows(backend._identify("http://h.example/a?id=1"))
    assert "canonical URLs" in caplog.text
    backend.close()


def test_whoever_looks_into_a_crawl_goes_by_its_rules(tmp_path: Path) -> None:
    old, new = tmp_path / "old", tmp_path / "new"
    crawl_of(old, TRACKED, OLD)
    crawl_of(new, TRACKED, RULES)
    cleaned = Label("http://h.example/a?id=1", wanted=True)
    assert never_met(old, [cleaned]) == [cleaned.url]
    assert never_met(new, [cleaned]) == []
    with CrawlView.open(new) as view:
        assert view.url("http://h.example/a?id=1&gclid=2").url == TRACKED
