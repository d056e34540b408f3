"""Files that a crawl goes on with: feeds of whole lines, and the spider's state.

Scrapy keeps the last few kilobytes of a feed in the process. After `kill -9` the frontier would
know pages as fetched whose items nobody ever sees; so every item is given to the operating system
as soon as it is exported, before its page is committed, and at worst it is there twice. What a kill
in the middle of a line leaves behind is cut away before the next run appends to it, and a CSV file
of a crawl that is resumed keeps its one header. Where an item cannot be written, the crawl stops,
and the pages since the last commit are fetched again when it goes on.

Scrapy writes `spider.state` over the old file: a process that is killed there, or a disk that is
full, leaves a beginning that the next run cannot read, with a traceback, and a spider without a
`state`. Here the new file takes the old one's place when it is complete, and one that cannot be
read is put aside.
"""

from __future__ import annotations

import csv
import json
import logging
import pickle
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.extensions.feedexport import FeedExporter
from scrapy.extensions.spiderstate import SpiderState

from frontier.errors import FeedError, StoreError
from frontier.plugin.extensions.basics import Extension
from frontier.plugin.storage_errors import StorageErrors, trouble_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from scrapy import Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)

_LINES = ("jsonlines", "jsonl", "jl")
"""Feed formats of one item a line."""
_BLOCK = 1 << 16


class WholeFeeds(Extension):
    """Scrapy extension: mends feeds before they are appended to, and flushes them item by item."""

    def _slots(self) -> Iterator[Any]:
        exporter: Any = self._crawler.get_extension(FeedExporter)
        yield from getattr(exporter, "slots", ())

    def spider_opened(self) -> None:
        """Have the files that will be appended to go on as they are: whole lines, one header."""
        for slot in self._slots():
            path = getattr(slot.storage, "path", None)
            appending = getattr(slot.storage, "write_mode", "") == "ab"
            if not path or not appending or _packed(slot):
                continue
            if slot.format in _LINES:
                mend_lines(Path(path))
            elif slot.format == "csv" and self.session.backend.resumed:
                _continue_table(Path(path), slot)

    def item_scraped(self) -> None:
        """Flush the files of all feeds that are open."""
        for slot in self._slots():
            file = getattr(slot, "file", None)
            if file is None or file.closed:
                continue
            try:
                file.flush()
            except OSError as error:
                self._stop(str(getattr(slot, "uri", "a feed")), error)

    def _stop(self, uri: str, error: OSError) -> None:
        # The page of this item is not committed yet: it is to be fetched again.
        trouble_of(self._crawler).stop(
            FeedError(
                f"items cannot be written to {uri} ({error.strerror}). Check free space and "
                f"permissions: all items before are there, and the last pages are fetched again."
            )
        )


def _packed(slot: Any) -> bool:
    return bool(slot.feed_options.get("postprocessing"))


def _continue_table(path: Path, slot: Any) -> None:
    """Write no second header to a CSV file of this crawl, and the columns that the first names."""
    options = slot.feed_options
    how = options["item_export_kwargs"]
    with suppress(OSError, ValueError, csv.Error):
        with path.open(newline="", encoding=options["encoding"] or "utf-8") as file:
            header = next(csv.reader(file, delimiter=how.get("delimiter", ",")), [])
        if header and how.get("include_headers_line", True):
            how = {**how, "include_headers_line": False}
            fields = options["fields"] or header
            slot.feed_options = {**options, "item_export_kwargs": how, "fields": fields}


def mend_lines(path: Path) -> None:
    """End a file of JSON lines with a whole line: cut off what is none, end what is."""
    try:
        with path.open("r+b") as file:
            size = file.seek(0, 2)
            start = _last_line(file, size)
            if start == size:
                return
            file.seek(start)
            if _is_json(file.read()):
                file.write(b"\n")
                return
            file.truncate(start)
    except FileNotFoundError:
        return
    except OSError as error:
        logger.debug("%s was not looked at before it is appended to: %s", path, error)
        return
    logger.warning("Cut %d bytes of an unfinished line off %s", size - start, path)


def _last_line(file: Any, size: int) -> int:
    """Return where the line begins that no line end follows; `size` where there is none."""
    end = size
    while end > 0:
        start = max(0, end - _BLOCK)
        file.seek(start)
        at = file.read(end - start).rfind(b"\n")
        if at >= 0:
            return int(start + at + 1)
        end = start
    return 0


def _is_json(line: bytes) -> bool:
    try:
        json.loads(line)
    except ValueError:
        return False
    return True


class WholeSpiderState(SpiderState):
    """Takes the place of Scrapy's extension of the same purpose."""

    _trouble: StorageErrors

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Self:
        extension = super().from_crawler(crawler)
        extension._trouble = trouble_of(crawler)
        return extension

    def spider_opened(self, spider: Spider) -> None:
        """Give the spider the state it had, or an empty one."""
        state: Any = {}
        path = Path(self.statefn)
        try:
            state = pickle.loads(path.read_bytes())  # noqa: S301 - as Scrapy does, of our own file
        except FileNotFoundError:
            pass
        except Exception as error:
            # Unpickling may raise anything.
            logger.warning(
                "%s cannot be read (%s: %s): the spider starts without what it noted there, and "
                "the file is kept as %s.broken",
                *(path, type(error).__name__, error, path.name),
            )
            _put_aside(path)
        spider.state = state  # type: ignore[attr-defined]  # Scrapy's own name for it

    def spider_closed(self, spider: Spider) -> None:
        """Write the spider's state down."""
        path = Path(self.statefn)
        unfinished = path.with_name(path.name + ".new")
        try:
            unfinished.write_bytes(pickle.dumps(getattr(spider, "state", {}), protocol=4))
            unfinished.replace(path)
        except OSError as error:
            self._trouble.stop(
                StoreError(
                    f"{path} cannot be written ({error.strerror}) and is as it was before this "
                    f"run. Check free space and permissions."
                )
            )


def _put_aside(path: Path) -> None:
    try:
        path.replace(path.with_name(path.name + ".broken"))
    except OSError as error:
        logger.debug("%s stays: %s", path, error)
