"""A stats collector that writes its figures where a test can read them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from scrapy.statscollectors import MemoryStatsCollector


class FileStats(MemoryStatsCollector):
    """Writes all stats as JSON to STATS_FILE when the spider closes."""

    def __init__(self, crawler: Any) -> None:
        super().__init__(crawler)
        self._path = Path(crawler.settings["STATS_FILE"])

    def close_spider(self, spider: Any = None, reason: str | None = None) -> None:
        self._path.write_text(json.dumps(self.get_stats(), default=str))
