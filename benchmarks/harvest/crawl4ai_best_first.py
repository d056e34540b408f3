"""Crawl4AI's best-first deep crawl as an outside crawler, for `python -m benchmarks outside`.

Needs a Python that has crawl4ai (0.9 or newer), which may be another one than ours:

    crawl4ai=PYTHON benchmarks/harvest/crawl4ai_best_first.py {seeds_file} {proxy} {topic}

Pages are fetched without a browser. The order is Crawl4AI's own, with the scorer that its manual
shows for it. Its queue begins with all seeds, by the state from which it resumes crawls, because
its API takes one start only.
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from crawl4ai import AsyncWebCrawler, CacheMode, CrawlerRunConfig, HTTPCrawlerConfig
from crawl4ai.async_crawler_strategy import AsyncHTTPCrawlerStrategy
from crawl4ai.deep_crawling import BestFirstCrawlingStrategy
from crawl4ai.deep_crawling.scorers import KeywordRelevanceScorer

DEPTH = 50
"""Links from a seed: more than any run of the budgets we use comes to."""


async def crawl(seeds: list[str], proxy: str, keywords: list[str]) -> None:
    """Crawl until the frontier is empty or somebody ends this process."""
    queue = [{"score": 0.0, "depth": 0, "url": url, "parent_url": None} for url in seeds]
    order = BestFirstCrawlingStrategy(
        max_depth=DEPTH,
        include_external=True,
        url_scorer=KeywordRelevanceScorer(keywords=keywords),
        resume_state={"queue_items": queue, "depths": dict.fromkeys(seeds, 0)},
    )
    config = CrawlerRunConfig(
        deep_crawl_strategy=order,
        cache_mode=CacheMode.BYPASS,
        proxy_config=proxy,
        stream=True,
        verbose=False,
    )
    fetcher = AsyncHTTPCrawlerStrategy(browser_config=HTTPCrawlerConfig())
    async with AsyncWebCrawler(crawler_strategy=fetcher, verbose=False) as crawler:
        async for _ in await crawler.arun(seeds[0], config=config):
            pass


if __name__ == "__main__":
    given = Path(sys.argv[1]).read_text(encoding="utf-8").split()
    asyncio.run(crawl(given, sys.argv[2], " ".join(sys.argv[3:]).split()))
