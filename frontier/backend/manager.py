"""Frontera's manager, as this project has it run: our backend, no middlewares, URLs left alone."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from frontera.core.components import CanonicalSolver
from frontera.settings import Settings

from frontier.config import FRONTERA_SETTING

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from frontera.core.models import Request, Response

    from frontier.config import CrawlConfig
    from frontier.urls.rules import UrlRules

EXECUTOR = "LINKRANK_EXECUTOR"
IDENTIFY = "LINKRANK_IDENTIFY"


class UnchangedUrls(CanonicalSolver):  # type: ignore[misc]  # Frontera has no types
    """Leaves URLs alone: they were made canonical where they entered."""

    def add_seeds(self, seeds: Sequence[Request]) -> None: ...

    def page_crawled(self, response: Response) -> None: ...

    def links_extracted(self, request: Request, links: Sequence[Request]) -> None: ...

    def request_error(self, page: Request, error: str) -> None: ...


def frontera_settings(
    config: CrawlConfig,
    executor: object = None,
    identify: Callable[[str, UrlRules], int] | None = None,
) -> Settings:
    """Settings for Frontera's manager, in a namespace of their own.

    `executor` runs the re-ranks (a `concurrent.futures.Executor`); None: one thread. `identify`
    gives the fingerprint of a URL under the rules of the crawl; None: that of its
    canonical form.
    """
    # Frontera logs every call at DEBUG; with Scrapy's default level that alone doubles its cost.
    for name in ("manager", "manager.components"):
        logging.getLogger(name).setLevel(logging.WARNING)
    return Settings(
        attributes={
            "BACKEND": "frontier.backend.backend.LinkRankBackend",
            "CANONICAL_SOLVER": "frontier.backend.manager.UnchangedUrls",
            "MIDDLEWARES": [],
            FRONTERA_SETTING: config,
            EXECUTOR: executor,
            IDENTIFY: identify,
        }
    )
