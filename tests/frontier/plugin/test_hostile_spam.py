"""One crawl by the default strategy over all attacks at once, with the server's log as witness."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.support.hostile import crawl, hostile
from tests.support.hostile_spam import TOGETHER, attacked, cases, target_of
from tests.support.spam_webs import ATTACKS, TOPIC

BUDGET = 200


@dataclass(frozen=True)
class Crawled:
    asked: list[str]
    """URLs in the order they were asked for, by the names of their hosts."""
    wanted: list[str]
    spam: set[str]

    @property
    def enough(self) -> int:
        """Requests until nine tenths of the honest pages on the topic were asked for."""
        places = sorted(self.asked.index(url) for url in self.wanted if url in self.asked)
        return places[int(0.9 * len(self.wanted)) - 1] + 1


@pytest.fixture(scope="module")
def crawled(tmp_path_factory: pytest.TempPathFactory) -> Crawled:
    honest, spam = attacked()
    folder = tmp_path_factory.mktemp("spam")
    pages = {url: page.html() for url, page in honest.pages.items()} | spam
    with hostile(cases(pages)) as web:
        seeds = [
            web.url(url.split("/")[2].removesuffix(".example"), "/" + url.split("/", 3)[3])
            for url in honest.seeds
        ]
        crawl(folder, seeds, f"CLOSESPIDER_PAGECOUNT={BUDGET}", topic=TOPIC)
        asked = [f"http://{one.case}.example{one.path}" for one in web.log]
    asked = [url for url in asked if not url.endswith("/robots.txt")]
    return Crawled(asked, honest.wanted, set(spam))


def test_honest_pages_on_the_topic_come_before_spam(crawled: Crawled):
    assert set(crawled.wanted) <= set(crawled.asked)
    before = crawled.asked[: crawled.enough]
    # A page of each attack must be seen before it can be known for what it is.
    assert sum(url in crawled.spam for url in before) <= 2 * len(TOGETHER)


@pytest.mark.parametrize("attack", TOGETHER)
def test_what_is_lifted_comes_after_honest_pages(crawled: Crawled, attack: str):
    assert target_of(attack) not in crawled.asked[: crawled.enough]


def test_hosts_in_the_file_are_asked_for_nothing(tmp_path: Path):
    honest = ATTACKS["farm_on_one_host"]()
    with hostile(cases(honest.html())) as web:
        bad = tmp_path / "bad.txt"
        bad.write_text(f"{web.host_of('farm')}  # a farm\nno host at all\n{web.url('cash')}\n")
        seeds = [web.url("sky0", "/0"), web.url("farm", "/0")]
        settings = f"FRONTIER_DISTRUST={bad}", "CLOSESPIDER_PAGECOUNT=120"
        run = crawl(tmp_path, seeds, *settings, topic=TOPIC)
        assert web.paths("sky1")
        assert not web.paths("farm")
        assert not web.paths("cash")
    assert run.stats["frontier/filtered"] == 1
    assert "Line 2 of" in run.log


def test_a_file_that_is_not_there_stops_the_crawl_before_it_starts(tmp_path: Path):
    missing = f"FRONTIER_DISTRUST={tmp_path / 'missing'}"
    run = crawl(tmp_path, ["http://127.66.0.1:1/"], missing, topic=TOPIC)
    assert "cannot be read" in run.log
    assert "downloader/request_count" not in run.stats
