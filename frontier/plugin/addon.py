"""The one line that plugs the frontier into a project::

ADDONS = {"frontier.plugin.LinkRankAddon": 500}
"""

from __future__ import annotations

import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING

from scrapy.utils.misc import load_object

from frontier.errors import SettingsError
from frontier.plugin.crawl.gate import limits_from
from frontier.plugin.downloader import reporting
from frontier.plugin.failures import refuse
from frontier.plugin.net.handlers import install_handlers
from frontier.plugin.pdf import are_read
from frontier.plugin.settings import (
    SETTINGS,
    add,
    config_from,
    priority_of,
    replace,
    unknown_settings,
    value,
)
from frontier.refresh.policy import OFF
from frontier.store.open import make_directory
from frontier.texts import MAIN
from ranking.errors import LinkRankError, MissingExtraError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.settings import BaseSettings

logger = logging.getLogger(__name__)

SCHEDULER = "frontier.plugin.scheduler.FrontierScheduler"
SPIDER_MIDDLEWARE = {"frontier.plugin.scheduler.FrontierSpiderMiddleware": -1000}
"""Next to the engine: before a project's middlewares, and Scrapy's own from 25 on."""
POLITENESS = {"frontier.plugin.downloader.PolitenessMiddleware": 990}
"""Next to the downloader: after a project's middlewares, and Scrapy's own up to 900."""
ROBOTS = "frontier.plugin.robots.RobotsMiddleware"
ROBOTS_PARSER = "frontier.plugin.robots.RfcRobotParser"
SCRAPYS_ROBOTS = "scrapy.downloadermiddlewares.robotstxt.RobotsTxtMiddleware"
EXTENSIONS = {
    "frontier.plugin.extensions.stats.FrontierStats": 0,
    "frontier.plugin.extensions.labels.LabelReader": 0,
    "frontier.plugin.extensions.progress.Progress": 0,
    "frontier.plugin.extensions.summary.Summary": 0,
    "frontier.plugin.extensions.whole_files.WholeFeeds": 999,  # after the feeds have the item
}
RECORDER = "frontier.plugin.extensions.warc.WarcRecorder"
"""Only with WARC_FILE: importing warcio takes half a MiB."""
METRICS = "frontier.plugin.extensions.metrics.Metrics"
"""Only with FRONTIER_METRICS_PORT: it needs a package of an extra."""
INDEXER = "frontier.plugin.extensions.indexing.PageIndexer"
"""Only with FRONTIER_INDEX: other crawls do not import tantivy."""
PDFS = {"frontier.plugin.pdf.PdfMiddleware": 1}
"""Next to the engine: of the response as it is when all others have seen it."""
RENDERING = {"frontier.plugin.render.middleware.RenderMiddleware": 585}
"""Only with FRONTIER_RENDER: it needs packages of an extra. Of a body that is unpacked (590), and
before a meta refresh is followed (580)."""
SPIDER_STATE = "scrapy.extensions.spiderstate.SpiderState"
WHOLE_SPIDER_STATE = "frontier.plugin.extensions.whole_files.WholeSpiderState"

NOT_USED = (
    *("SCHEDULER_DISK_QUEUE", "SCHEDULER_MEMORY_QUEUE", "SCHEDULER_PRIORITY_QUEUE"),
    *("SCHEDULER_START_DISK_QUEUE", "SCHEDULER_START_MEMORY_QUEUE", "SCHEDULER_DEBUG"),
    *("RETRY_PRIORITY_ADJUST", "CONCURRENT_REQUESTS_PER_IP"),
)
"""Settings of Scrapy's scheduler and slots that have no effect with the frontier."""


class LinkRankAddon:
    """Puts scheduler, middleware, downloader hook and extensions into a project's settings.

    The project's spiders, middlewares and pipelines stay as they are; its downloader class is
    wrapped.
    """

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> LinkRankAddon:
        return cls(crawler)

    def update_settings(self, settings: BaseSettings) -> None:
        """Install the components.

        Raises SettingsError for an invalid setting, and if the project sets another scheduler.
        """
        if not self._crawler.crawling:
            # `scrapy shell` has an engine and no crawl: it fetches single URLs from another
            # thread, and changes requests after it has sent them.
            return
        try:
            self._install(settings)
        except LinkRankError as error:
            refuse(self._crawler, error)
            raise

    def _install(self, settings: BaseSettings) -> None:
        config = config_from(settings)  # reads every setting, so that none is refused later
        if config.directory is not None:
            # Otherwise Scrapy's own extensions make it, and fail with a traceback.
            make_directory(config.directory)
        limits_from(settings)
        install_handlers(settings)
        _install_scheduler(settings)
        _wrap_downloader(settings)
        add(settings, "SPIDER_MIDDLEWARES", SPIDER_MIDDLEWARE)
        add(settings, "DOWNLOADER_MIDDLEWARES", POLITENESS)
        replace(settings, "DOWNLOADER_MIDDLEWARES", SCRAPYS_ROBOTS, ROBOTS)
        settings.set("ROBOTSTXT_PARSER", ROBOTS_PARSER, "addon")
        replace(settings, "EXTENSIONS", SPIDER_STATE, WHOLE_SPIDER_STATE)
        wanted = dict(EXTENSIONS)
        if settings.get("WARC_FILE"):
            wanted[RECORDER] = 0
        if value(settings, "FRONTIER_INDEX"):
            _require_indexable(settings)
            wanted[INDEXER] = 0
        if config.text == MAIN and find_spec("trafilatura") is None:
            raise MissingExtraError("trafilatura", "FRONTIER_TEXT=main", "text")
        if are_read(config):
            add(settings, "DOWNLOADER_MIDDLEWARES", PDFS)
        if value(settings, "FRONTIER_METRICS_PORT") is not None:
            load_object(METRICS)  # raises MissingExtraError
            wanted[METRICS] = 0
        if value(settings, "FRONTIER_RENDER") != OFF:
            for middleware in RENDERING:
                load_object(middleware)  # raises MissingExtraError
            add(settings, "DOWNLOADER_MIDDLEWARES", RENDERING)
        add(settings, "EXTENSIONS", wanted)
        for known in SETTINGS:
            if settings.getpriority(known.name) is None:
                settings.set(known.name, known.default, "default")
        ignored = [name for name in NOT_USED if settings.getpriority(name)]
        if ignored:
            logger.warning(
                "%s: no effect with the LinkRankAddon, as the frontier keeps and orders requests "
                "itself. Remove them from the settings, or the add-on",
                ", ".join(ignored),
            )
        for fault in unknown_settings(settings):
            logger.warning(fault)


def _install_scheduler(settings: BaseSettings) -> None:
    settings.set("SCHEDULER", SCHEDULER, "addon")
    if settings["SCHEDULER"] != SCHEDULER:
        raise SettingsError(
            f"SCHEDULER must be left to the LinkRankAddon, but the project sets it to "
            f"{settings['SCHEDULER']!r}. Remove that setting, or the add-on."
        )


def _require_indexable(settings: BaseSettings) -> None:
    if not settings.get("JOBDIR"):
        raise SettingsError(
            "FRONTIER_INDEX needs a JOBDIR, where the index is kept. Set JOBDIR (-s JOBDIR=DIR), "
            "or leave FRONTIER_INDEX out."
        )
    if value(settings, "FRONTIER_EXCHANGE"):
        raise SettingsError(
            "FRONTIER_INDEX is for a crawl of one process: of several fetchers none has all pages. "
            "Leave it out, set FRONTIER_TEXT=all, and index the texts while the crawl is served or "
            "afterwards: scrapy frontier index DIR"
        )


def _wrap_downloader(settings: BaseSettings) -> None:
    # At the priority of the setting, so that a project's downloader class is wrapped, too.
    priority = priority_of(settings, "DOWNLOADER")
    settings.set("DOWNLOADER", reporting(load_object(settings["DOWNLOADER"])), priority)
