"""What is marked bad is not fetched, however it is spelled."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from frontier.backend.bad_pages import BadPages, read_distrust
from frontier.backend.reasons import DISTRUSTED
from frontier.errors import CrawlChangedError, SeedsError, SettingsError
from frontier.states import State
from frontier.store import StoreReader
from tests.support.driven_crawl import DrivenCrawl, Page
from tests.support.stored import stored_pages, stored_urls
from tests.support.told import tells

START = "http://good.example/"
BAD, FARM = "http://bad.example/sale", "http://farm.example/"


def web() -> dict[str, Page]:
    return {START: Page({BAD: 1.0, FARM: 0.5}, 0.5), BAD: Page({}, 0.0), FARM: Page({}, 0.0)}


def listed(folder: Path, text: str) -> str:
    path = folder / "bad.txt"
    path.write_text(text)
    return str(path)


def crawl(folder: Path | None, **config: object) -> DrivenCrawl:
    config = {"strategy": "apprentice", **config}
    found = DrivenCrawl(folder, web(), topic="pages", **config)
    if not found.backend.resumed:
        found.seed(START)
    return found


@pytest.mark.parametrize(
    ("bad", "url"),
    [
        ("spam.example", "http://spam.example/"),
        ("spam.example", "https://www.spam.example:8080/a?b"),
        ("Spam.Example", "http://spam.example/x"),
        ("spam.example:8080", "http://spam.example:8080/x"),
        ("127.66.0.1", "http://127.66.0.1:8000/x"),
        ("[::1]", "http://[::1]:80/x"),
        ("http://spam.example/a", "http://spam.example/a/b"),
        ("http://SPAM.example", "http://spam.example/"),
    ],
)
def test_hosts_and_beginnings_of_urls_can_be_bad(tmp_path: Path, bad: str, url: str):
    assert url in read_distrust(listed(tmp_path, f"# ours\n\n{bad}  # seen in May\n"))


@pytest.mark.parametrize(
    ("bad", "url"),
    [
        ("spam.example", "http://notspam.example/"),
        ("spam.example", "http://example/spam.example"),
        ("spam.example", "http://spam.example.org/"),
        ("spam.example:8080", "http://spam.example/x"),
        ("http://spam.example/a", "https://spam.example/a"),
        ("http://spam.example", "http://spam.example.org/"),
    ],
)
def test_others_are_not(tmp_path: Path, bad: str, url: str):
    assert url not in read_distrust(listed(tmp_path, bad))


BAD_URLS = [
    "http://bücher.example/shop/",
    "HTTP://BÜCHER.Example/%73hop/",
    "http://me:secret@ｂücher。example./shop/",
]
IN_SHOP = [
    "http://BÜCHER.EXAMPLE./shop/a",
    "http://xn--bcher-kva.example/shop/?x",
    "http://b%C3%BCcher.example:80//shop/",
    "http://bu\u0308cher.example/%73hop/",
    "http://bücher.example/a/../shop/#b",
    "http://u:p@bücher.example/shop/;jsessionid=1",
]
OF_HOST = ["http://bücher.example?a", "https://www.bücher.example.?a", *IN_SHOP]


@pytest.mark.parametrize("bad", BAD_URLS)
def test_a_bad_url_is_bad_however_it_is_spelled(tmp_path: Path, bad: str):
    marked = read_distrust(listed(tmp_path, bad))
    assert [url for url in IN_SHOP if url not in marked] == []
    assert "http://bücher.example/shopping" not in marked


@pytest.mark.parametrize(
    "bad", ["bücher.example", "BÜCHER.example.", "xn--bcher-kva.example", "ｂücher。example"]
)
def test_a_bad_host_is_bad_however_it_is_spelled(tmp_path: Path, bad: str):
    marked = read_distrust(listed(tmp_path, bad))
    assert [url for url in OF_HOST if url not in marked] == []
    assert "http://bucher.example/shop/" not in marked


@pytest.mark.parametrize(
    ("bad", "url", "is_bad"),
    [
        ("http://a.example?x=1", "http://a.example/?x=1", True),
        ("http://a.example/?x=1", "http://a.example?x=12&y", True),
        ("http://a.example/?x=", "http://a.example/?xy=1", False),
        ("http://a.example/?x=1&utm_source=x", "http://a.example/?x=1", True),
        ("http://a.example/?x=1", "http://a.example/b?x=1", False),
        ("a.example:80", "http://a.example/", True),
        ("a.example:443", "http://a.example/", False),
        ("127.1", "http://127.0.0.1/", True),
        ("[::1]:8080", "http://[0::1]:8080/", True),
    ],
)
def test_queries_ports_and_addresses_are_compared_too(
    tmp_path: Path, bad: str, url: str, is_bad: bool
):
    assert (url in read_distrust(listed(tmp_path, bad))) == is_bad


def test_lines_that_are_neither_are_named(tmp_path: Path, caplog: pytest.LogCaptureFixture):
    path = listed(
        tmp_path,
        "ok.example\nftp://a.example/\nwhat is this\nhttp://b.example/\nhttp://c.example/#d\n"
        "http://d.example/?utm_source=x\n",
    )
    with caplog.at_level(logging.WARNING):
        found = read_distrust(path)
    assert found == BadPages(frozenset({"ok.example"}), ("http://b.example/",))
    second, third, fifth, sixth = (record.getMessage() for record in caplog.records)
    assert tells(second, 2, "ftp://a.example/")
    assert tells(third, 3, "what is this")
    assert tells(fifth, 5, "http://c.example/#d")
    assert tells(sixth, 6, "http://d.example/?utm_source=x")


def test_a_file_that_names_nothing_or_is_not_there_is_refused(tmp_path: Path):
    with pytest.raises(SettingsError, match="FRONTIER_DISTRUST"):
        read_distrust(listed(tmp_path, "# nothing\n"))
    with pytest.raises(SeedsError, match="missing"):
        read_distrust(str(tmp_path / "missing"))


def test_bad_urls_are_filtered(tmp_path: Path):
    bad = listed(tmp_path, "bad.example\n")
    given = crawl(tmp_path / "job", distrust=bad)
    given.run()
    assert set(given.fetched) == {*web()} - {BAD}
    given.close()
    with StoreReader.open(tmp_path / "job") as reader:
        rows = {row.url_id: row for row in stored_pages(reader)}
        ids = {row.url: row.url_id for row in stored_urls(reader)}
    assert (rows[ids[BAD]].state, rows[ids[BAD]].error) == (State.FILTERED, DISTRUSTED)


def test_a_bad_seed_is_not_fetched(tmp_path: Path):
    crawled = DrivenCrawl(None, web(), distrust=listed(tmp_path, "farm.example\n"))
    crawled.seed(FARM, START)
    crawled.run()
    assert set(crawled.fetched) == {START, BAD}
    crawled.close()


def test_another_file_is_a_change_that_must_be_meant(tmp_path: Path):
    bad = listed(tmp_path, "bad.example\n")
    first = crawl(tmp_path / "job")
    first.run(1)
    first.close()
    with pytest.raises(CrawlChangedError, match="distrust"):
        crawl(tmp_path / "job", distrust=bad)
    second = crawl(tmp_path / "job", distrust=bad, accept_changes=True)
    second.run()
    assert BAD not in second.fetched
    second.close()
