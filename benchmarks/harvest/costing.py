"""What a page costs the frontier, in a process of its own: prints one line of JSON.

A frontier is filled to so many known URLs with pages that say something of their links. Then pages
are handed out and read from their HTML to the commit, as a crawl would, without Scrapy and without
a network, and the CPU time of each step is added up. Their HTML is generated, or that of a recorded
web; their links lead, in turns, to URLs that are new and to some that are known. Re-ranks run in
their thread; what they take is what the process used beyond this thread.
"""

from __future__ import annotations

import argparse
import json
import random
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontera.core.models import Request
from lxml import etree

from benchmarks import web
from benchmarks.frontiers import Feed, learned_topic, ours, url_of
from frontier.config import CrawlConfig
from frontier.page_text import VisibleText
from frontier.parsing.html import read_page
from frontier.records import HandedOut, UrlRecord
from frontier.states import State
from frontier.topic.relevance import describe, judgement, plain_link
from frontier.urls.canonical import canonical_url, fingerprint
from frontier.warc.payload import header
from frontier.web.recorded_web import RecordedWeb
from ranking.page_update import MATCH_STEPS

if TYPE_CHECKING:
    from frontier.parsing.html import Link, PageContent
    from frontier.web.recorded_web import Recorded
    from ranking.topics import TopicModel
    from ranking.topics.judging import Judgement

PARSING, TEXT, JUDGING, ORDERING = "parsing", "text", "judging", "ordering"
_WARM_UP = 200
"""Pages before the clock starts: caches of the topic model, first re-ranks."""
_AT_ONCE = 16
_LINKS = 20
_MOST_LINKS = 5000
_PAGES_KEPT = 300
"""Of a recorded web: their HTML is in memory while the clock runs."""
_PARSER = etree.HTMLParser(recover=True, encoding="utf-8", huge_tree=True)


class TalkingFeed(Feed):
    """Links that say something, as those of a crawl with a topic do."""

    def request(self, number: int, depth: int) -> Request:
        link: Any = super().request(number, depth)
        chance = self.chance.random
        link.matches = tuple(round(MATCH_STEPS * chance() ** 4) for _ in range(3))
        link.context = f"context of page {number}"
        return link


def clock_seconds() -> float:
    """What asking for the thread's CPU time takes; on a virtual machine as long as a step."""
    times = [time.thread_time() for _ in range(1000)]
    return (times[-1] - times[0]) / (len(times) - 1)


@dataclass
class Reader:
    """Reads pages from their HTML into the frontier; `spent` is CPU seconds by step."""

    feed: Feed
    topic: TopicModel
    bodies: Callable[[int], bytes]
    spent: dict[str, float] = field(default_factory=lambda: defaultdict(float))
    links: int = 0
    clock: float = field(default_factory=clock_seconds)

    def read(self, handed: HandedOut) -> None:
        """Take one page, from bytes to commit."""
        body = self.bodies(int(handed.url.rpartition("/")[2]))
        with self._timed(PARSING):
            tree = etree.fromstring(body, parser=_PARSER)
        with self._timed(TEXT):
            content = read_page(tree, handed.url, _MOST_LINKS)
        content = replace(content, links=self._led_on(content.links))
        self.links += len(content.links)
        with self._timed(JUDGING):
            found = judgement(content, self.topic)
        with self._timed(ORDERING):
            candidates = [(self._candidate(link, handed), link) for link in content.links]
        with self._timed(JUDGING):
            links = describe(candidates, self.topic)
        with self._timed(ORDERING):
            _complete(handed, content, found)
            self.feed.manager.links_extracted(handed, links)

    def _led_on(self, links: Sequence[Link]) -> list[Link]:
        """The links with other targets: new and known ones in turns."""
        feed, found = self.feed, []
        for place, link in enumerate(links):
            number = feed.met if place % 2 else int(feed.met * feed.chance.random() ** 2)
            feed.met += place % 2
            found.append(replace(link, url=url_of(number)))
        return found

    def hand_out(self) -> list[HandedOut]:
        """The next pages."""
        with self._timed(ORDERING):
            return list(self.feed.manager.get_next_requests(_AT_ONCE))

    def _candidate(self, link: Link, handed: HandedOut) -> UrlRecord:
        canonical = canonical_url(link.url)
        number = fingerprint(canonical, self.feed.config.fingerprint_key)
        return plain_link(link.url, number, canonical, handed.depth + 1)

    @contextmanager
    def _timed(self, step: str) -> Iterator[None]:
        began = time.thread_time()
        yield
        self.spent[step] += time.thread_time() - began - self.clock


def generated() -> Callable[[int], bytes]:
    """HTML of pages by number: 3 KB of text, 20 links."""
    prose = web.Prose()
    return lambda number: prose.page(number, range(number + 1, number + 1 + _LINKS)).encode()


def recorded(path: Path) -> Callable[[int], bytes]:
    """HTML of the pages of a recorded web, in an order of their own, over and over."""
    found = RecordedWeb([path])
    urls = list(found.urls())
    random.Random(1).shuffle(urls)
    answers = [found.find(url) for url in urls[:_PAGES_KEPT]]
    bodies = [answer.body for answer in answers if answer and _is_html(answer)]
    return lambda number: bodies[number % len(bodies)]


def _is_html(answer: Recorded) -> bool:
    return answer.status == 200 and "html" in header(answer.headers, "content-type")


def _complete(handed: HandedOut, content: PageContent, found: Judgement | None) -> None:
    page = handed.page
    page.ended(State.CRAWLED, time.time(), status=200, final_url=handed.url)
    page.title, page.hash, page.length = content.title, bytes(16), len(content.text)
    if found is not None:
        page.relevance, page.similarity = found.relevance, found.similarity
    page.text = VisibleText(content.text)


def run(
    urls: int, pages: int, strategy: str, directory: Path, bodies: Callable[[int], bytes]
) -> dict[str, Any]:
    """Fill a frontier to `urls` known URLs and read `pages` pages; ms of CPU a page by step."""
    config = CrawlConfig(strategy, topic=web.TOPIC, directory=directory)
    feed = TalkingFeed(ours(config), config)
    topic = learned_topic(config, feed.manager.backend)
    feed.start()
    feed.fill(urls)
    reader = Reader(feed, topic, bodies)
    _read(reader, _WARM_UP)
    reader.spent.clear()
    reader.links = 0
    whole, here = time.process_time(), time.thread_time()
    done = _read(reader, pages)
    beside = (time.process_time() - whole) - (time.thread_time() - here)
    feed.manager.stop()
    steps = {step: 1000 * seconds / done for step, seconds in reader.spent.items()}
    reranks = max(0.0, 1000 * beside / done)
    return {**steps, "reranks": reranks, "links": reader.links / done, "urls": feed.met}


def _read(reader: Reader, pages: int) -> int:
    done = 0
    while done < pages:
        for handed in reader.hand_out():
            reader.read(handed)
            done += 1
    return done


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, required=True)
    parser.add_argument("--pages", type=int, default=1000)
    parser.add_argument("--strategy", required=True)
    parser.add_argument("--directory", type=Path, required=True)
    parser.add_argument("--web", type=Path, help="WARC file whose pages are read")
    given = parser.parse_args()
    bodies = recorded(given.web) if given.web else generated()
    print(json.dumps(run(given.urls, given.pages, given.strategy, given.directory, bodies)))


if __name__ == "__main__":
    main()
