"""A replay obeys the page rules that a crawl obeys, and merges what a crawl merges."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from frontier.config import CrawlConfig
from frontier.lab.replay.contestants import Setup
from frontier.lab.replay.crawl import replay
from frontier.lab.replay.webfile import Parsed
from frontier.pagerules.policy import PagePolicy
from frontier.parsing.html import Link
from tests.frontier.lab import replay_webs as webs


def saying(parsed: Parsed, **said: Any) -> Parsed:
    return replace(parsed, content=replace(parsed.content, **said))


def unendorsed(parsed: Parsed) -> Parsed:
    links = [Link(one.url, one.anchor, one.context, nofollow=True) for one in parsed.content.links]
    return saying(parsed, links=links)


WEB = {
    "": webs.page("closed", "open", "double", "kept"),
    "closed": saying(webs.page("behind"), robots=(("probe", "nofollow"),)),
    "open": saying(webs.page("beyond"), robots=(("other", "nofollow"),)),
    "double": saying(webs.page("shared"), canonical=webs.url("kept")),
    "kept": saying(unendorsed(webs.page("hint")), canonical=webs.url("kept")),
    **{name: webs.page() for name in ("behind", "beyond", "shared", "hint")},
}


def fetched(tmp_path: Path, **policy: Any) -> list[str]:
    config = CrawlConfig(page_policy=PagePolicy(token="probe", **policy))
    with webs.made(tmp_path, WEB) as web:
        record = replay(webs.task("bfs", words="text"), web, Setup(config=config))
        return webs.paths(web, record.urls)


def test_links_of_pages_that_ask_for_it_are_not_followed(tmp_path: Path):
    expected = ["", "closed", "open", "double", "kept", "beyond", "shared", "hint"]
    assert fetched(tmp_path) == expected


def test_the_settings_are_those_of_a_crawl(tmp_path: Path):
    assert "behind" in fetched(tmp_path, robots_meta=False)
    assert "hint" not in fetched(tmp_path, nofollow="skip")
