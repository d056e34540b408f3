"""Learning the topic before the crawl: its words, and pages that are wanted or are not.

Examples are URLs, fetched through Scrapy's downloader like any page (robots.txt, delays and
retries apply) but outside the crawl, or text files. What was learned is stored with the crawl, so
that a resumed one fetches and fits nothing.
"""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from scrapy import Request
from scrapy.http import TextResponse

from frontier.errors import PageError, StoreError, described
from frontier.formatting import clean
from frontier.labels.known_topic import fitted_topic
from frontier.parsing.reader import ReadingLimits
from frontier.plugin import compat
from frontier.plugin.crawl.response_reader import ResponseReader
from frontier.plugin.failures import ClosingError, require_open
from frontier.states import State
from frontier.store.keys import EXAMPLES, NOT_EXAMPLES
from frontier.urls.url_lists import parse_lines, read_text_file, split_urls, text_of, url_fault
from ranking.errors import TopicError
from ranking.topics.vectors import chosen

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from scrapy.crawler import Crawler
    from scrapy.http import Response

    from frontier.backend.backend import LinkRankBackend
    from frontier.config import CrawlConfig
    from ranking.topics import TopicModel

logger = logging.getLogger(__name__)


async def learned_topic(
    crawler: Crawler, config: CrawlConfig, backend: LinkRankBackend
) -> TopicModel:
    """Fetch the examples, fit the model to them and to the topic, and store it.

    Raises TopicError if there is nothing to learn from.
    """
    wanted = await example_texts(crawler, config.examples)
    unwanted = await example_texts(crawler, config.not_examples)
    return fitted_topic(config, backend, wanted, unwanted)


def opening(config: CrawlConfig, backend: LinkRankBackend, topic: TopicModel | None) -> str:
    """What a crawl is about and where it is kept, in a line: the topic as its model reads it."""
    parts = [f"strategy {config.strategy}", f"JOBDIR {config.directory or 'none: it is not kept'}"]
    vectors = getattr(topic, "vectors", None)
    if vectors is not None:
        parts.insert(0, f"vectors {clean(vectors, 300)}")
    if topic is not None:
        wanted, unwanted = (len(backend.setting(key) or ()) for key in (EXAMPLES, NOT_EXAMPLES))
        examples = f"{wanted:,} example{'s' * (wanted != 1)}"
        examples += f", {unwanted:,} of the opposite" if unwanted else ""
        parts = [f"topic: {_words_read(config.topic, topic)}; {examples}", *parts]
    if backend.resumed:
        parts.append(f"resumed with {backend.ledger.counts[State.CRAWLED]:,} pages")
    if _could_be_larger(config, vectors):
        parts.append('more English words are known with pip install "scrapy-linkrank[meaning]"')
    return "; ".join(parts)


def _could_be_larger(config: CrawlConfig, vectors: str | None) -> bool:
    """Whether the built-in table is in use because the extra is missing."""
    by_default = config.vectors.lower() == "auto" and chosen("auto") == "built-in"
    return by_default and vectors is not None and vectors.endswith("built in)")


def doubts(topic: TopicModel | None) -> list[str]:
    """Words of a topic that may be misspelled, a line each."""
    spelling: dict[str, str] = getattr(topic, "spelling", {})
    return [
        f'The topic\'s word "{word}" is in no table; did you mean "{meant}"? Pages are searched '
        "for it as it is."
        for word, meant in spelling.items()
    ]


def _words_read(words: str, topic: TopicModel) -> str:
    """The words of a topic that its model uses, as far as it says so."""
    understood = getattr(topic, "understood", str.split)
    used = set(understood(words))
    read = [word for word in words.split() if used.intersection(understood(word))]
    return clean(", ".join(dict.fromkeys(read)), 300) or "no words"


async def example_texts(crawler: Crawler, source: str) -> list[str]:
    """Text of every example that can be read; the others are named in the log and counted.

    Raises TopicError if none of them can be read.
    """
    texts = [text async for text in _texts(crawler, source)] if source else []
    if source and not texts:
        raise TopicError(
            f"Expected examples in {source}, but none of them could be read; the log says why for "
            f'each. Correct them, or leave them out and give words: -a topic="..."'
        )
    return texts


async def _texts(crawler: Crawler, source: str) -> AsyncIterator[str]:
    for entry, folder in _entries(source):
        try:
            text = await _text_of(crawler, entry, folder)
        except (StoreError, ClosingError):
            raise
        except Exception as error:
            logger.warning("Example %s is not used: %s", entry, described(error))
            crawler.stats.inc_value("frontier/examples/failed")
            continue
        crawler.stats.inc_value("frontier/examples/used")
        yield text


def _entries(source: str) -> list[tuple[str, Path]]:
    """Entries of a file or of a list of URLs, with the folder that paths are relative to."""
    if url_fault(split_urls(source)[0]) is None:
        return [(entry, Path()) for entry in split_urls(source)]
    listing = parse_lines(read_text_file(source, "examples"))
    paths = [text for _, text, _ in listing.skipped]
    return [(entry, Path(source).parent) for entry in (*listing.urls, *paths)]


async def _text_of(crawler: Crawler, entry: str, folder: Path) -> str:
    if url_fault(entry) is None:
        meta = {"download_maxsize": ReadingLimits().body}
        request = Request(entry, meta=meta, dont_filter=True)
        require_open(crawler)
        try:
            response = await compat.download(crawler, request)
        finally:
            require_open(crawler)  # an example that is missing for that is no reason to do without
        text = _visible_text(response)
    else:
        text = text_of((folder / entry).read_bytes(), errors="replace")
    if not text.strip():
        raise TopicError("it holds no text")
    return text


def _visible_text(response: Response) -> str:
    if response.status >= 400:
        raise TopicError(f"the server answered {response.status}")
    if not isinstance(response, TextResponse):
        raise TopicError("it is neither HTML nor text")
    try:
        page = ResponseReader().read(response)
    except PageError as error:
        raise TopicError(str(error)) from None
    return f"{page.title}\n{page.text}"
