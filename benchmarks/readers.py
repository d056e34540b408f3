"""Reads recorded pages in several ways, in a process of its own: prints one line of JSON."""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from statistics import fmean
from typing import TYPE_CHECKING

from lxml import etree
from scrapy.http import HtmlResponse
from scrapy.linkextractors import LinkExtractor

from benchmarks import web
from benchmarks.realweb import bodies_of
from frontier.config import CrawlConfig
from frontier.plugin.crawl.page_reader import ResponseReader
from frontier.topic.relevance import judgement
from frontier.urls.canonical import canonical_url
from ranking import topics

if TYPE_CHECKING:
    from collections.abc import Callable

_PAGES = 10


def readers() -> dict[str, Callable[[str, bytes], object]]:
    """Name -> what reads a page, given its URL and its bytes."""
    config, reader, extractor = CrawlConfig(), ResponseReader(), LinkExtractor()
    topic = topics.load_topic_model(config.topic_model)
    topic.fit(web.TOPIC, [])

    def response(url: str, body: bytes) -> HtmlResponse:
        # A new one each time: it keeps the tree that it has parsed.
        return HtmlResponse(url, body=body, headers={"Content-Type": "text/html; charset=utf-8"})

    def ours(url: str, body: bytes) -> object:
        content = reader.read(response(url, body))
        return judgement(content, topic), [canonical_url(link.url) for link in content.links]

    def parse(_: str, body: bytes) -> etree._Element:
        return etree.fromstring(body, etree.HTMLParser(encoding="utf-8", huge_tree=True))

    def links_and_text(url: str, body: bytes) -> object:
        tree = parse(url, body)
        return tree.xpath("//a/@href"), " ".join(tree.itertext())

    return {
        "ours": ours,
        "parse": parse,
        "lxml": links_and_text,
        "extractor": lambda url, body: extractor.extract_links(response(url, body)),
    }


def measured(recording: Path, size: int, rounds: int) -> dict[str, float]:
    """Milliseconds of CPU of each reader, and the mean `size` of the pages."""
    bodies = bodies_of(recording, size // 2, 2 * size)
    nearest = sorted(bodies.items(), key=lambda page: abs(len(page[1]) - size))[:_PAGES]
    known = readers()
    took: dict[str, list[float]] = {name: [] for name in known}
    for url, body in nearest:
        times: dict[str, list[float]] = {name: [] for name in known}
        for _ in range(rounds):
            for name, read in known.items():
                began = time.process_time()
                read(url, body)
                times[name].append(1000 * (time.process_time() - began))
        for name, of_page in times.items():
            took[name].append(min(of_page))  # what else the machine does only adds
    means = {name: fmean(of_pages) for name, of_pages in took.items()}
    return {**means, "size": fmean(len(body) for _, body in nearest)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("recording", type=Path)
    parser.add_argument("--size", type=int, required=True, help="bytes of a page")
    parser.add_argument("--rounds", type=int, required=True)
    given = parser.parse_args()
    print(json.dumps(measured(given.recording, given.size, given.rounds)))


if __name__ == "__main__":
    main()
