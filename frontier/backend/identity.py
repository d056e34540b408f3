"""The identity of a crawl: topic, order, scores; stored at its start, compared when it resumes.

A crawl that is resumed with another identity is refused. If the change is accepted, the state of
the old topic, order or scores is dropped and everything else kept.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from frontier.errors import CrawlChangedError
from frontier.store import schema
from frontier.strategy.prior_scores import read_prior, store_prior, stored_prior
from frontier.urls.rules import UrlRules

if TYPE_CHECKING:
    from collections.abc import Callable

    from frontier.config import CrawlConfig
    from frontier.store import Store
    from ranking.priority import Prior

logger = logging.getLogger(__name__)

_SEED = "random seed"
_TOPICAL = ("topic", "examples", "not examples", "topic model")


def take_identity(
    store: Store, config: CrawlConfig, identify: Callable[[str], int]
) -> Prior | None:
    """Check what the stored crawl was about, or write down what this one is.

    Args:
        store: of the crawl; what is written here, the caller commits.
        config: what the crawl is to be.
        identify: fingerprint of a URL.

    Returns:
        Scores of URLs from before the crawl, if it has any.

    Raises:
        CrawlChangedError: it was about something else, or had another random seed.
        SettingsError: its file of scores cannot be used, see `read_prior`. Either is raised before
            anything is written.

    """
    wanted = config.identity
    known: dict[str, str] | None = store.settings().get(schema.IDENTITY)
    stored = known or wanted
    changed = {name for name in wanted if stored.get(name, "") != wanted[name]}
    if changed and not config.accept_changes:
        raise CrawlChangedError(_difference(stored, wanted, config.directory))
    if _SEED in changed:
        raise CrawlChangedError(
            f"The crawl in {config.directory} was started with FRONTIER_RANDOM_SEED="
            f"{stored[_SEED]}, by which it knows its URLs: with another one it would know none of "
            f"them. Give that value to resume it, or another JOBDIR to start afresh."
        )
    prior = _take_prior(store, config, identify, changed)
    # The state of another topic or order goes in the same transaction as the new identity: a crawl
    # that is killed before it has learned its own must not find it.
    if not changed.isdisjoint(_TOPICAL):
        for learned in (schema.TOPIC, schema.EXAMPLES, schema.NOT_EXAMPLES, schema.LABELLED):
            store.set_setting(learned, None)
    if "strategy" in changed or _weighs_otherwise(store, config):
        store.set_setting(schema.SCORES, [])
    store.set_setting(schema.IDENTITY, wanted)
    store.set_setting(schema.PARAMETERS, config.parameters)
    return prior


def take_url_rules(store: Store, wanted: UrlRules) -> UrlRules:
    """Return the rules by which the stored crawl knows its URLs; a new one takes those wanted.

    The caller commits.
    """
    settings = store.settings()
    if settings.get(schema.IDENTITY) is None:
        store.set_setting(schema.URL_RULES, wanted.as_json)
        return wanted
    kept = UrlRules.stored(settings[schema.URL_RULES])
    if kept != wanted:
        logger.warning(
            "The crawl goes on with the rules for canonical URLs that it was started with, by "
            "which it knows its URLs (version %d, %d tracking parameters)",
            kept.version,
            len(kept.tracking),
        )
    return kept


def _weighs_otherwise(store: Store, config: CrawlConfig) -> bool:
    """Whether the saved scores are of links that weighed otherwise than they will."""
    parameters = store.settings().get(schema.PARAMETERS) or {}
    now = config.topical_weight
    return bool(parameters.get("topical_weight", now) != now)


def _take_prior(
    store: Store, config: CrawlConfig, identify: Callable[[str], int], changed: set[str]
) -> Prior | None:
    """Take what the crawl was seeded with, or read it and store it."""
    prior = None if "scores" in changed else stored_prior(store)
    if prior is None and config.scores:
        logger.info("Reading the scores in %s", config.scores)
        prior = read_prior(config.scores, identify)
        logger.info("Loaded %d prior scores from %s", len(prior), config.scores)
        store_prior(store, prior)
    elif "scores" in changed:
        store_prior(store, None)
    return prior


def _difference(stored: dict[str, str], wanted: dict[str, str], directory: object) -> str:
    """Describe the changes of an identity (`CrawlConfig.identity`), and what to do about them."""
    changed = [
        f"{name} was {stored.get(name, '')!r} and is now {wanted[name]!r}"
        for name in wanted
        if stored.get(name, "") != wanted[name]
    ]
    return (
        f"The crawl in {directory} was started differently: {'; '.join(changed)}. "
        f"Give the old value to resume it, another JOBDIR to start afresh, or "
        f"FRONTIER_ACCEPT_CHANGES=True to go on with the change."
    )
