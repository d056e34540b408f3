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
from frontier.plugin.settings import (
    distrust,
    duplicates,
    network,
    pages,
    politeness,
    reading,
    robots,
    storage,
    traps,
)
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
        "Words or a sentence that describe the topic. Empty: the crawl is not focused, and the "
        "order is by link analysis alone.",
    ),
    Setting(
        "FRONTIER_EXAMPLES",
        "",
        "file of URLs and text files, or URLs separated by commas",
        "Example pages that are relevant: URLs or files. They are fetched before the crawl, to "
        "learn the topic from. Empty: the topic is its words alone.",
    ),
    Setting(
        "FRONTIER_NOT_EXAMPLES",
        "",
        "file of URLs and text files, or URLs separated by commas",
        "Example pages that are irrelevant although they look relevant; given as "
        "FRONTIER_EXAMPLES. They need a topic or examples beside them.",
    ),
    Setting(
        "FRONTIER_STRATEGY",
        "",
        "name of a strategy, see docs/strategies.md, or import path of one of your own",
        f"Empty: `{DEFAULT_FOCUSED_STRATEGY}` with a topic, `{DEFAULT_STRATEGY}` without one.",
    ),
    Setting(
        "FRONTIER_SCORES",
        "",
        "file of URLs and scores: .tsv, .tsv.gz, .parquet",
        "Prior scores: a file of URLs and scores, as `scrapy frontier rank` writes it. High scores "
        "are fetched earlier, until this crawl has evidence of its own, see docs/scores.md. Empty: "
        "none.",
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
        "Probability that the random surfer follows a link instead of jumping; .85 is the value of "
        "the PageRank paper.",
    ),
    Setting(
        "FRONTIER_TOLERANCE",
        CrawlConfig.tolerance,
        "L1 error of the scores, which sum to 1",
        "Residual at which a re-rank stops: 99.99 % of the top 10,000 are ordered as by exact "
        "scores.",
    ),
    Setting(
        "FRONTIER_RERANK_GROWTH",
        CrawlConfig.rerank_growth,
        "share of the pages fetched at the last re-rank",
        "A re-rank is due when the crawl has grown by this share. Scores that are 2 % old order "
        "the top as fresh ones do, and the cost a page stays constant.",
    ),
    Setting(
        "FRONTIER_RERANK_PAGES",
        CrawlConfig.rerank_pages,
        "pages fetched since the last re-rank",
        "A re-rank is due after this many pages at the latest: for large crawls, where 2 % are "
        "many.",
    ),
    Setting(
        "FRONTIER_RERANK_MIN_PAGES",
        CrawlConfig.rerank_min_pages,
        "pages fetched since the last re-rank",
        "No re-rank before this many pages: with fewer, scores tell little.",
    ),
    Setting(
        "FRONTIER_RETRY_HOLD",
        CrawlConfig.retry_hold,
        "other requests handed out first",
        "Requests dispatched before a failed URL is retried; it is retried at once when nothing "
        "else is queued. Counted in requests, not seconds, so that crawls are reproducible.",
    ),
    Setting(
        "FRONTIER_PATIENCE",
        CrawlConfig.patience,
        "share of the frontier, 0 to 1",
        "If the hosts of the best URLs are busy, wait instead of dispatching a URL below this top "
        "fraction of the queue: better order, less speed. 1: never wait. The focused crawler of "
        "this repository uses 0.01.",
    ),
    Setting(
        "FRONTIER_PATIENCE_SECONDS",
        CrawlConfig.patience_seconds,
        "seconds",
        "The longest such wait: then the best URL whose host is ready is dispatched, the next one "
        "after half of it, and so on. Hosts that take longer to respond are not waited for, so one "
        "slow or dead host never stops the others.",
    ),
    Setting(
        "FRONTIER_ORDER_PATIENCE",
        0.0,
        "seconds",
        "How long the next request waits for pages that were downloaded and are being parsed: the "
        "best link may be on one of them. 0: not at all, as in Scrapy; where no other host is "
        "ready, a host without delay then gets up to half as many requests more than its "
        "concurrency in advance, so that it is never idle. With CONCURRENT_REQUESTS=1 the next "
        "request always waits, so that crawls are reproducible. The focused crawler of this "
        "repository uses 0.25.",
        (0.0, 3600.0),
    ),
    Setting(
        "CLOSESPIDER_COVERAGE",
        0.0,
        "share of the random surfer's time, 0 to 1",
        "Close the spider, with reason `closespider_coverage`, at this coverage (RankMass: a lower "
        "bound of the PageRank from the seeds that fetched pages hold), see docs/coverage.md. 0: "
        "never.",
        (0.0, 1.0),
    ),
    Setting(
        "FRONTIER_RELEVANT",
        CrawlConfig.relevant,
        "relevance, 0 to 1",
        "Relevance from which a page counts as relevant in the harvest rate. It never changes the "
        "order.",
    ),
    Setting(
        "FRONTIER_TOPICAL_WEIGHT",
        CrawlConfig.topical_weight,
        "times the weight of another link of the page, 1 to 1000",
        "Edge weight of links whose anchor or context matches the topic; 1: unweighted.",
    ),
    Setting(
        "FRONTIER_RANDOM_SEED",
        CrawlConfig.random_seed,
        "whole number, 0 to 2**63 - 1",
        "Key of the URL fingerprints, which break ties: the same seed gives the same crawl order.",
    ),
    Setting(
        "FRONTIER_ACCEPT_CHANGES",
        False,
        "true or false",
        "On: a crawl may be resumed with another topic or strategy. Off: that is refused, since it "
        "is more often a slip.",
    ),
    Setting(
        "FRONTIER_PROGRESS",
        False,
        "true or false",
        "Show live progress: a line in the log, soon at first and then every LOGSTATS_INTERVAL; "
        "with LOG_FILE a line on the terminal instead. Off: Scrapy's LogStats only.",
    ),
    Setting(
        "FRONTIER_SUMMARY",
        False,
        "true or false",
        "Print a summary to standard output when the crawl ends. Off: output as without the "
        "add-on.",
    ),
    Setting(
        "WARC_FILE",
        "",
        "path of a .warc or .warc.gz file",
        "Record every download in this WARC file. Empty: off.",
    ),
)

SETTINGS = (
    *_FRONTIER,
    *duplicates.SETTINGS,
    *network.SETTINGS,
    *storage.SETTINGS,
    *distrust.SETTINGS,
    *pages.SETTINGS,
    *reading.SETTINGS,
    *politeness.SETTINGS,
    *traps.SETTINGS,
    *robots.SETTINGS,
)

_BY_NAME = {setting.name: setting for setting in SETTINGS}


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
        "url_rules": duplicates.url_rules(settings),
        "duplicates": DuplicatePolicy(said["duplicate_similarity"], said["duplicate_pages"]),
        "page_policy": pages.policy_from(settings),
        "traps": traps.limits_from(settings),
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
