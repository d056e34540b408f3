"""``scrapy frontier``: look into a crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

from scrapy.commands import ScrapyCommand

if TYPE_CHECKING:
    import argparse


class Command(ScrapyCommand):
    """Look into a crawl, finished or running."""

    requires_project = False

    def short_desc(self) -> str:
        return "Look into a crawl: what is queued, what is best, what is known of a URL"

    def run(self, args: list[str], opts: argparse.Namespace) -> None:
        self.exitcode = 2
