"""Several fetchers send the texts of their pages to who owns the order."""

from __future__ import annotations

from pathlib import Path

from tests.frontier.texts.test_texts_of_crawls import texts
from tests.support.scrapy_forks import shared_forks
from tests.support.shared_crawls import PATIENCE, SharedCrawl, serving_web


def test_the_texts_of_all_fetchers_are_beside_the_store(tmp_path: Path, dsn: str) -> None:
    with serving_web(24, n_hosts=4, latency=0.02) as web:
        crawl = SharedCrawl(shared_forks(), web, dsn, tmp_path, ("-s", "FRONTIER_TEXT=all"))
        serve = crawl.serve()
        fetchers = {who: crawl.fetch(who) for who in ("one", "two")}
        for who, fetcher in fetchers.items():
            crawl.ended_well(fetcher, who)
        assert serve.wait(PATIENCE) == 0, crawl.log("serve")
        kept = texts(crawl.job)
        assert set(kept) == {f"/{n}" for n in range(24)}
        assert all(f"page {path[1:]} " in text.text for path, text in kept.items())
