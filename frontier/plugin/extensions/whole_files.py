"""Files of Scrapy that survive kills and full disks: feeds and the spider's state."""

from __future__ import annotations

import logging
import pickle
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.extensions.feedexport import FeedExporter
from scrapy.extensions.spiderstate import SpiderState

from frontier.errors import FeedError, StoreError
from frontier.plugin.extensions.base import Extension
from frontier.plugin.failures import trouble_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Spider

logger = logging.getLogger(__name__)

_LINES = ("jsonlines", "jsonl", "jl")
"""Feed formats of one item a line."""


class WholeFeeds(Extension):
    """Scrapy extension: repairs feeds before appending, and flushes them after each item.

    Scrapy buffers the last few kilobytes of a feed. After `kill -9` the frontier would count pages
    as fetched whose items are lost. So every item goes to the operating system as soon as it is
    exported, before its page is committed: at worst it is written twice. A line that a kill left
    unfinished is cut off before the next run appends. If an item cannot be written, the crawl
    stops, and the pages since the last commit are fetched again when it is resumed.
    """

    def _slots(self) -> Iterator[Any]:
        exporter: Any = self._crawler.get_extension(FeedExporter)
        yield from getattr(exporter, "slots", ())

    def spider_opened(self) -> None:
        """Cut unfinished lines off the feeds that will be appended to."""
        for slot in self._slots():
            path = getattr(slot.storage, "path", None)
            appending = getattr(slot.storage, "write_mode", "") == "ab"
            packed = slot.feed_options.get("postprocessing")
            if path and appending and not packed and slot.format in _LINES:
                mend_lines(Path(path))

    def item_scraped(self) -> None:
        """Flush all open feeds."""
        for slot in self._slots():
            file = getattr(slot, "file", None)
            if file is None or file.closed:
                continue
            try:
                file.flush()
            except OSError as error:
                self._stop(str(getattr(slot, "uri", "a feed")), error)

    def _stop(self, uri: str, error: OSError) -> None:
        # The page of this item is not committed, so that it is fetched again.
        trouble_of(self._crawler).stop(
            FeedError(
                f"items cannot be written to {uri} ({error.strerror}). Check free space and "
                f"permissions: all earlier items are there, and the last pages are fetched again."
            )
        )


def mend_lines(path: Path) -> None:
    """Cut off an unfinished last line of a file; its item is written again."""
    try:
        with path.open("r+b") as file:
            size = file.seek(0, 2)
            if not size:
                return
            with mmap(file.fileno(), 0, access=ACCESS_READ) as data:
                end = data.rfind(b"\n") + 1
            file.truncate(end)
    except FileNotFoundError:
        return
    except OSError as error:
        logger.debug("%s is appended to without a check of its last line: %s", path, error)
        return
    if end < size:
        logger.warning("Cut %d bytes of an unfinished line off %s", size - end, path)


class WholeSpiderState(SpiderState):
    """Scrapy extension in the place of SpiderState: a full disk leaves the old file as it was."""

    def spider_closed(self, spider: Spider) -> None:
        """Write the state into a new file and rename it over the old one when it is complete."""
        path = Path(self.statefn)
        unfinished = path.with_name(f"{path.name}.new")
        try:
            unfinished.write_bytes(pickle.dumps(getattr(spider, "state", {}), protocol=4))
            unfinished.replace(path)
        except OSError as error:
            trouble_of(spider.crawler).stop(
                StoreError(f"{path} cannot be written ({error.strerror}). Check free space.")
            )
