"""What a crawl was asked to do, as plain values.

The plugin reads Scrapy's settings into one `CrawlConfig`; the lab and the tests build it by hand.
`identity` is the part that gives a stored crawl its meaning: resuming with another one is refused
unless `accept_changes` says that it is meant.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from frontier.duplicates.finder import DUPLICATES, DuplicatePolicy
from frontier.pagerules.policy import PAGE_POLICY, PagePolicy
from frontier.traps.limits import TRAP_LIMITS, TrapLimits
from frontier.urls.canonical import canonical_url, fingerprint
from frontier.urls.rules import RULES, UrlRules
from frontier.utils import within
from ranking.orders import make_order
from ranking.topics.files import names_a_file

DEFAULT_TOPIC_MODEL = "ranking.topics.tfidf.TfidfTopic"
DEFAULT_STRATEGY = "ppr"
FRONTERA_SETTING = "LINKRANK_CONFIG"
"""Under which Frontera's settings hold the `CrawlConfig`."""
DEFAULT_FOCUSED_STRATEGY = "apprentice"


@dataclass(frozen=True)
class CrawlConfig:
    """Settings of one crawl; `docs/settings.md` gives each default's unit and reason."""

    strategy: str = DEFAULT_STRATEGY
    topic: str = ""
    examples: str = ""
    not_examples: str = ""
    topic_model: str = DEFAULT_TOPIC_MODEL
    vectors: str = "auto"
    directory: Path | None = None
    damping: float = 0.85
    tolerance: float = 1e-4
    rerank_pages: int = 5000
    rerank_growth: float = 0.02
    rerank_min_pages: int = 10
    retry_hold: int = 64
    turn: int = 64
    turn_growth: float = 0.004
    patience: float = 1.0
    patience_seconds: float = 1.0
    random_seed: int = 0
    relevant: float = 0.5
    topical_weight: float = 2.0
    scores: str = ""
    distrust: str = ""
    accept_changes: bool = False
    deaths: int = 2
    feed: int = 16
    feed_growth: float = 0.01
    page_policy: PagePolicy = PAGE_POLICY
    url_rules: UrlRules = RULES
    duplicates: DuplicatePolicy = DUPLICATES
    traps: TrapLimits = TRAP_LIMITS

    def __post_init__(self) -> None:
        within("FRONTIER_DAMPING", self.damping, 0.0, 0.999)
        within("FRONTIER_TOLERANCE", self.tolerance, 1e-12, 0.1)
        within("FRONTIER_RERANK_PAGES", self.rerank_pages, 1, 10**9)
        within("FRONTIER_RERANK_GROWTH", self.rerank_growth, 0.0, 1000.0)
        within("FRONTIER_RERANK_MIN_PAGES", self.rerank_min_pages, 1, 10**9)
        within("FRONTIER_RETRY_HOLD", self.retry_hold, 0, 10**9)
        within("FRONTIER_TURN", self.turn, 1, 10**6)
        within("FRONTIER_TURN_GROWTH", self.turn_growth, 0.0, 1000.0)
        within("FRONTIER_PATIENCE", self.patience, 0.0, 1.0)
        within("FRONTIER_PATIENCE_SECONDS", self.patience_seconds, 0.0, 1e9)
        within("FRONTIER_RANDOM_SEED", self.random_seed, 0, 2**63 - 1)
        within("FRONTIER_RELEVANT", self.relevant, 0.0, 1.0)
        within("FRONTIER_DEATHS", self.deaths, 0, 1000)
        within("FRONTIER_FEED", self.feed, 1, 10**6)
        within("FRONTIER_FEED_GROWTH", self.feed_growth, 0.0, 1.0)
        within("FRONTIER_TOPICAL_WEIGHT", self.topical_weight, 1.0, 1000.0)
        make_order(self.strategy, damping=self.damping, tol=self.tolerance)

    @property
    def focused(self) -> bool:
        """Whether pages are judged for a topic at all."""
        return bool(self.topic or self.examples) or names_a_file(self.topic_model)

    @property
    def told(self) -> bool:
        """Whether there are examples to be read before the topic is known."""
        return bool(self.examples or self.not_examples)

    @property
    def identity(self) -> dict[str, str]:
        """What must stay the same over the life of a stored crawl."""
        return {
            "strategy": self.strategy,
            "topic": self.topic,
            "examples": self.examples,
            "not examples": self.not_examples,
            "topic model": self.topic_model if self.focused else "",
            "random seed": str(self.random_seed),
            "scores": self.scores,
            "distrust": self.distrust,
        }

    @property
    def parameters(self) -> dict[str, float]:
        """What may change from run to run, and whoever looks into the crawl must know."""
        return {
            "damping": self.damping,
            "tolerance": self.tolerance,
            "relevant": self.relevant,
            "topical_weight": self.topical_weight,
        }

    @property
    def fingerprint_key(self) -> bytes:
        """Key of the URL fingerprints: fixed by the random seed, so that ties repeat."""
        return b"scrapy-linkrank" + self.random_seed.to_bytes(8, "little")

    def identify(self, url: str) -> int:
        """Fingerprint of a URL."""
        return fingerprint(canonical_url(url, self.url_rules), self.fingerprint_key)
