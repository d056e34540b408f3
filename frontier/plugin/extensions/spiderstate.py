"""`spider.state`, which Scrapy keeps in a file of the JOBDIR, whole or as it was before.

Scrapy writes over the old file: a process that is killed there, or a disk that is full, leaves a
beginning that the next run cannot read, with a traceback, and a spider without a `state`. Here the
new file takes the old one's place when it is complete, and one that cannot be read is put aside.
"""

from __future__ import annotations

import logging
import pickle
from pathlib import Path
from typing import TYPE_CHECKING, Any

from scrapy.extensions.spiderstate import SpiderState

from frontier.errors import StoreError
from frontier.plugin.storage_errors import StorageErrors, trouble_of

if TYPE_CHECKING:
    from scrapy import Spider
    from scrapy.crawler import Crawler
    from typing_extensions import Self

logger = logging.getLogger(__name__)


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
