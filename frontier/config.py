"""The settings of a crawl, as plain values.

The plugin reads Scrapy's settings into a `CrawlConfig`; the lab and the tests build it by hand. Its
`identity` gives a stored crawl its meaning: a crawl is not resumed with another identity, except
with `accept_changes`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from frontier.duplicates.finder import DUPLICATES, DuplicatePolicy
from frontier.enough import NEVER, Enough
from frontier.pagerules.policy import PAGE_POLICY, PagePolicy
from frontier.refresh.policy import REFRESH, RefreshPolicy
from frontier.store.schema import IDENTITY, PARAMETERS, URL_RULES
from frontier.texts import OFF
from frontier.traps.limits import TRAP_LIMITS, TrapLimits
from frontier.urls.canonical import canonical_url, fingerprint
from frontier.urls.rules import RULES, UrlRules
from frontier.utils import within
from ranking.orders import make_order

DEFAULT_TOPIC_MODEL = "ranking.topics.tfidf.TfidfTopic"
DEFAULT_STRATEGY = "ppr"
IN_FLIGHT_GROWTH = 0.01
"""Share of the pages fetched that may be in flight beyond `max_in_flight`: the larger a crawl, the
less a page changes its order."""
DEFAULT_FOCUSED_STRATEGY = "apprentice"


@dataclass(frozen=True)
class CrawlConfig:
    """The settings of a crawl, and constants that only the tests and the lab change.

    docs/settings.md has unit and reason of the settings.
    """

    strategy: str = DEFAULT_STRATEGY
    topic: str = ""
    examples: str = ""
    not_examples: str = ""
    topic_model: str = DEFAULT_TOPIC_MODEL
    vectors: str = "auto"
    directory: Path | None = None
    damping: float = 0.85
    wait_for_best: float = 0.0
    random_seed: int = 0
    scores: str = ""
    distrust: str = ""
    accept_changes: bool = False
    max_in_flight: int = 16
    tolerance: float = 1e-4
    """L1 error of the scores, which sum to 1, at which a re-rank stops: 99.99 % of the top 10,000
    have the order of exact scores."""
    rerank_pages: int = 5000
    """Pages after which a re-rank is due at the latest: of large crawls 2 % are many."""
    rerank_min_pages: int = 10
    """Fewest pages between two re-ranks: the scores of fewer pages mean little."""
    turn: int = 64
    """Answers whose links are given their priorities together, at most: it saves CPU and costs
    hardly any harvest."""
    turn_growth: float = 0.004
    """Share of all answers that makes a turn, at least one answer: so few hardly change the
    knowledge of a crawl."""
    relevant: float = 0.5
    """Relevance from which a page counts as relevant: it is a probability."""
    topical_weight: float = 2.0
    """Weight of links whose anchor or context matches the topic, in weights of another link of the
    page."""
    max_crashes: int = 2
    """Crashes of the process with a URL in flight after which the URL is fetched last and alone:
    one
    crash proves nothing. 0: unlimited."""
    page_policy: PagePolicy = PAGE_POLICY
    url_rules: UrlRules = RULES
    duplicates: DuplicatePolicy = DUPLICATES
    traps: TrapLimits = TRAP_LIMITS
    refresh: RefreshPolicy = REFRESH
    enough: Enough = NEVER
    text: str = OFF
    text_mb: int = 1000

    @classmethod
    def stored(cls, settings: Mapping[str, Any], **other: Any) -> CrawlConfig:
        """The settings of a stored crawl, as far as the store keeps them.

        `other` are fields that replace those of the store.
        """
        identity, parameters = settings[IDENTITY], settings.get(PARAMETERS, {})
        remembered = {
            "strategy": identity["strategy"],
            "topic": identity["topic"],
            "examples": identity["examples"],
            "not_examples": identity.get("not examples", ""),
            "topic_model": identity["topic model"] or DEFAULT_TOPIC_MODEL,
            "random_seed": int(identity["random seed"]),
            "scores": identity.get("scores", ""),
            "url_rules": UrlRules.stored(settings[URL_RULES]),
            **parameters,
            "refresh": RefreshPolicy(**parameters.get("refresh", {})),
        }
        return cls(**remembered | other)

    def __post_init__(self) -> None:
        within("FRONTIER_DAMPING", self.damping, 0.0, 0.999)
        within("FRONTIER_RANDOM_SEED", self.random_seed, 0, 2**63 - 1)
        within("FRONTIER_MAX_IN_FLIGHT", self.max_in_flight, 1, 10**6)
        within("FRONTIER_WAIT_FOR_BEST", self.wait_for_best, 0.0, 3600.0)
        make_order(self.strategy, damping=self.damping, tol=self.tolerance)

    @property
    def focused(self) -> bool:
        """Whether there is a topic by which pages are judged."""
        return bool(self.topic or self.examples)

    @property
    def has_examples(self) -> bool:
        """Whether the topic is learned from examples."""
        return bool(self.examples or self.not_examples)

    @property
    def identity(self) -> dict[str, str]:
        """The settings that stay the same over the life of a stored crawl."""
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
    def parameters(self) -> dict[str, Any]:
        """The settings that may change from run to run, and that inspecting a crawl needs."""
        return {
            "damping": self.damping,
            "tolerance": self.tolerance,
            "relevant": self.relevant,
            "topical_weight": self.topical_weight,
            "refresh": asdict(self.refresh),
        }

    @property
    def fingerprint_key(self) -> bytes:
        """Key of the URL fingerprints: fixed by the random seed, so that ties repeat."""
        return b"scrapy-linkrank" + self.random_seed.to_bytes(8, "little")

    def identify(self, url: str) -> int:
        """Fingerprint of a URL."""
        return fingerprint(canonical_url(url, self.url_rules), self.fingerprint_key)
