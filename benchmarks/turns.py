"""Answers that are taken in turns, in a process of its own: prints one line of JSON.

The backend is given pages as the plugin gives them once they are read and judged: with their text
and with what their links say. They are made before the clock starts.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path

from benchmarks import web
from benchmarks.children import BenchmarkError
from benchmarks.frontiers import learned_topic, ours
from benchmarks.harvest.costing import TalkingFeed
from frontier.config import DEFAULT_FOCUSED_STRATEGY, CrawlConfig
from frontier.page_text import VisibleText

_NEW, _KNOWN = 25, 25
_WARM_UP = 256


def measured(urls: int, pages: int, turn: int, directory: Path) -> dict[str, float]:
    """Milliseconds of CPU a page: `all`, and that of `reranks`, which run in their thread.

    Raises BenchmarkError where links were refused, for then less was measured than is said.
    """
    config = CrawlConfig(
        *(DEFAULT_FOCUSED_STRATEGY, web.TOPIC), directory=directory, turn=turn, turn_growth=1000.0
    )
    feed = TalkingFeed(ours(config), config)
    learned_topic(config, feed.manager.backend)
    feed.start()
    feed.fill(urls)
    _answered(feed, _WARM_UP, turn)
    whole, here = time.process_time(), time.thread_time()
    done, spent = _answered(feed, pages, turn)
    reranks = time.process_time() - whole - (time.thread_time() - here)
    known = len(feed.manager.backend.ledger)
    feed.manager.stop()
    if known != feed.met:
        raise BenchmarkError(f"{feed.met} URLs should be known, but {known} are")
    return {"all": 1000 * (spent + reranks) / done, "reranks": 1000 * reranks / done}


def _answered(feed: TalkingFeed, pages: int, turn: int) -> tuple[int, float]:
    """Answer at least so many pages; how many, and the seconds of this thread."""
    prose, done, spent = web.Prose(), 0, 0.0
    while done < pages:
        began = time.thread_time()
        batch = feed.manager.get_next_requests(turn)
        spent += time.thread_time() - began
        answers = [(handed, feed.links(2, _NEW, _KNOWN)) for handed in batch]
        for handed in batch:
            number = int(handed.url.rpartition("/")[2])
            handed.page.text = VisibleText(" ".join(prose.sentences(number)))
        began = time.thread_time()
        for handed, links in answers:
            feed.answer(handed, links)
        spent += time.thread_time() - began
        done += len(batch)
    return done, spent


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--urls", type=int, required=True, help="known at the start")
    parser.add_argument("--pages", type=int, required=True)
    parser.add_argument("--turn", type=int, required=True)
    parser.add_argument("--directory", type=Path, required=True)
    given = parser.parse_args()
    print(json.dumps(measured(given.urls, given.pages, given.turn, given.directory)))


if __name__ == "__main__":
    main()
