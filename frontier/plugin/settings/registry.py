"""Every setting of the plugin: its default, its unit and the reason for the default.

These tables are the only place they are declared, those of an area in a module of its own: the
add-on installs the defaults from them, `config_from` reads them, and docs/settings.md is generated
from them.
"""

from __future__ import annotations

import os
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from frontier.config import (
    DEFAULT_FOCUSED_STRATEGY,
    DEFAULT_STRATEGY,
    DEFAULT_TOPIC_MODEL,
    CrawlConfig,
)
from frontier.duplicates.policy import DuplicatePolicy
from frontier.plugin.settings import distrust as settings_spam
from frontier.plugin.settings import duplicates as settings_duplicates
from frontier.plugin.settings import network as settings_network
from frontier.plugin.settings import pages as settings_pages
from frontier.plugin.settings import politeness, reading, robots, storage
from frontier.plugin.settings import traps as settings_traps
from frontier.plugin.settings.declare import PREFIX, Setting, values
from ranking.spelling import or_rather
from ranking.topics.files import names_a_file

if TYPE_CHECKING:
    from scrapy.settings import BaseSettings


_FRONTIER = (
    Setting(
        "FRONTIER_TOPIC",
        "",
        "words or a sentence",
        "Empty: the crawl is not focused and the order is that of link analysis alone.",
    ),
    Setting(
        "FRONTIER_EXAMPLES",
        "",
        "file of URLs and text files, or URLs separated by commas",
        "Pages of the kind that is wanted; they are fetched before the crawl, only to learn "
        "from. Empty: the words of the topic are all there is.",
    ),
    Setting(
        "FRONTIER_NOT_EXAMPLES",
        "",
        "file of URLs and text files, or URLs separated by commas",
        "Pages that are not wanted although they look like it; read as the examples are. They "
        "need a topic or examples beside them. Empty: only the words of any page speak against "
        "one.",
    ),
    Setting(
        "FRONTIER_STRATEGY",
        "",
        "name of a strategy, see docs/strategies.md, or import path of one of your own",
        f"Empty: `{DEFAULT_FOCUSED_STRATEGY}` when there is a topic, `{DEFAULT_STRATEGY}` when "
        "there is none.",
    ),
    Setting(
        "FRONTIER_SCORES",
        "",
        "file of URLs and scores: .tsv, .tsv.gz, .parquet",
        "Scores of an earlier crawl, as `scrapy frontier rank` writes them: URLs that scored high "
        "are fetched earlier, until this crawl has seen enough of them itself, see "
        "docs/scores.md. Empty: nothing is known before.",
    ),
    Setting(
        "TOPIC_MODEL",
        DEFAULT_TOPIC_MODEL,
        "import path of a class with fit, relevance and promise, or a classifier's file",
        "TF-IDF needs no network, no training data and no language setting. A .joblib file holds a "
        "scikit-learn classifier, see docs/topics.md; it can run code, so load your own only.",
    ),
    Setting(
        "FRONTIER_DAMPING",
        CrawlConfig.damping,
        "probability, 0 to 0.999",
        "The value of the PageRank paper: the surfer follows six links before jumping.",
    ),
    Setting(
        "FRONTIER_TOLERANCE",
        CrawlConfig.tolerance,
        "L1 error of the scores, which sum to 1",
        "Orders 99.99 % of the top 10,000 as exact scores do.",
    ),
    Setting(
        "FRONTIER_RERANK_GROWTH",
        CrawlConfig.rerank_growth,
        "share of the pages fetched at the last re-rank",
        "Scores that are 2 % old order the top as fresh ones do; the cost a page stays constant "
        "as the crawl grows.",
    ),
    Setting(
        "FRONTIER_RERANK_PAGES",
        CrawlConfig.rerank_pages,
        "pages fetched since the last re-rank",
        "An upper bound for large crawls, where 2 % would be many pages.",
    ),
    Setting(
        "FRONTIER_RERANK_MIN_PAGES",
        CrawlConfig.rerank_min_pages,
        "pages fetched since the last re-rank",
        "A lower bound for young crawls: below it a re-rank costs more than it tells.",
    ),
    Setting(
        "FRONTIER_RETRY_HOLD",
        CrawlConfig.retry_hold,
        "other requests handed out first",
        "A page that failed yields to others for a while, keeps its score, and is tried at once "
        "when nothing else is left. Counted in requests, not seconds, so that a crawl repeats.",
    ),
    Setting(
        "FRONTIER_PATIENCE",
        CrawlConfig.patience,
        "share of the frontier, 0 to 1",
        "While that share of the queue is better and waits for busy hosts, a URL is not fetched "
        "in their place: requests are saved for better pages at the price of time. 1 never waits: "
        "a project that plugs the frontier in keeps its speed. The focused crawler of this "
        "repository uses 0.01.",
    ),
    Setting(
        "FRONTIER_PATIENCE_SECONDS",
        CrawlConfig.patience_seconds,
        "seconds",
        "A host that takes longer to answer, or never answered, is not waited for; and after so "
        "long without a hand-out the best URL that may be fetched is, the next one after half of "
        "it, and so on: one slow or dead host never stops the others.",
    ),
    Setting(
        "FRONTIER_ORDER_PATIENCE",
        0.0,
        "seconds",
        "The next request waits so long for pages that have come and are being read, as one of "
        "their links may be the best. 0: it leaves at once, as in Scrapy, and where nothing else "
        "may be asked for, a host without delay is handed half as many requests more than it may "
        "be asked at once, so that it is never idle. With CONCURRENT_REQUESTS of 1 the next "
        "request always waits, so that a crawl repeats. The focused crawler of this repository "
        "uses 0.25.",
        (0.0, 3600.0),
    ),
    Setting(
        "CLOSESPIDER_COVERAGE",
        0.0,
        "share of the random surfer's time, 0 to 1",
        "The crawl stops, with reason `closespider_coverage`, when at least so much of the time of "
        "a surfer who jumps to the seeds is certainly spent on fetched pages, see "
        "docs/coverage.md. 0: it never does.",
        (0.0, 1.0),
    ),
    Setting(
        "FRONTIER_RELEVANT",
        CrawlConfig.relevant,
        "relevance, 0 to 1",
        "A page at or above it counts as relevant in the harvest rate. It never changes the order.",
    ),
    Setting(
        "FRONTIER_TOPICAL_WEIGHT",
        CrawlConfig.topical_weight,
        "times the weight of another link of the page, 1 to 1000",
        "A followed link whose text, or the text around it, is the topic's hands on that much more "
        "of its page's score. Double is the textbook's choice; 1: words do not weigh links.",
    ),
    Setting(
        "FRONTIER_RANDOM_SEED",
        CrawlConfig.random_seed,
        "whole number, 0 to 2**63 - 1",
        "Keys the URL fingerprints, which break ties: the same seed repeats the same crawl.",
    ),
    Setting(
        "FRONTIER_ACCEPT_CHANGES",
        False,
        "true or false",
        "Off: resuming a crawl with another topic or strategy is refused, since it is more often "
        "a slip than meant.",
    ),
    Setting(
        "FRONTIER_PROGRESS",
        False,
        "true or false",
        "Logs a line of progress, soon at first and then every LOGSTATS_INTERVAL. Off: Scrapy logs "
        "a line of its own.",
    ),
    Setting(
        "FRONTIER_SUMMARY",
        False,
        "true or false",
        "A readable summary on standard output when the crawl ends. Off: a project that plugs "
        "the frontier in prints what it always printed.",
    ),
    Setting(
        "WARC_FILE",
        "",
        "path of a .warc or .warc.gz file",
        "Everything downloaded is recorded there. Empty: nothing is.",
    ),
)

SETTINGS = (
    *_FRONTIER,
    *settings_duplicates.SETTINGS,
    *settings_network.SETTINGS,
    *storage.SETTINGS,
    *settings_spam.SETTINGS,
    *settings_pages.SETTINGS,
    *reading.SETTINGS,
    *politeness.SETTINGS,
    *settings_traps.SETTINGS,
    *robots.SETTINGS,
)

_BY_NAME = {setting.name: setting for setting in SETTINGS}
SCRAPY = settings_network.SCRAPY
"""Settings of Scrapy's own that have another default with the add-on."""


def config_from(settings: BaseSettings) -> CrawlConfig:
    """Read Scrapy's settings into a `CrawlConfig`.

    Raises SettingsError or UnknownOrderError, which name the setting, for a value that cannot be
    used.
    """
    said = values(settings, SETTINGS)
    focused = said["topic"] or said["examples"] or names_a_file(said["topic_model"])
    directory = settings.get("JOBDIR")
    said |= {
        "strategy": said["strategy"] or (DEFAULT_FOCUSED_STRATEGY if focused else DEFAULT_STRATEGY),
        "directory": Path(directory) if directory else None,
        "scores": _absolute(said["scores"]),
        "distrust": _absolute(said["distrust"]),
        "url_rules": settings_duplicates.url_rules(settings),
        "duplicates": DuplicatePolicy(said["duplicate_similarity"], said["duplicate_pages"]),
        "page_policy": settings_pages.policy_from(settings),
        "traps": settings_traps.limits_from(settings),
    }
    return CrawlConfig(**{one.name: said[one.name] for one in fields(CrawlConfig)})


def value(settings: BaseSettings, name: str) -> Any:
    """Return the value of one setting; raises SettingsError for what it cannot be."""
    return _BY_NAME[name].read(settings)


def unknown_settings(settings: BaseSettings) -> list[str]:
    """A sentence for each FRONTIER_* setting, whoever set it, that does not exist."""
    unknown = {name for name in settings if name.startswith(PREFIX)} - set(_BY_NAME)
    return [
        f"There is no setting {name}{or_rather(name, _BY_NAME, PREFIX)}: it has no effect. See "
        f"docs/settings.md for those that have"
        for name in sorted(unknown)
    ]


def _absolute(path: str) -> str:
    # A crawl is resumed with the same file, from wherever and however it is named. Not resolve():
    # what a shell names /dev/fd/63 would become a name that cannot be opened.
    return os.path.abspath(path) if path else ""  # noqa: PTH100 - absolute() keeps the ".."
