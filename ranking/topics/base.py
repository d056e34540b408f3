"""What the crawl asks of a topic: how much is this page about it, how likely is that link.

A topic model is fitted once, before the first page, from what the user gives: words or a
sentence, and texts of pages that are wanted. From then on it is a pure function of the text
it is shown; only what a person says of a page (`scrapy frontier label`) has a model fitted anew.
It must not learn from the pages of the crawl by itself: two crawls that fetch the same
pages in another order have to judge them alike, or their harvest cannot be compared.

A model of your own needs these methods, takes no constructor arguments and is named by its path,
`package.module.Class`; `judging.py` tells what more it may have.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, runtime_checkable

__all__ = ["TopicModel"]


@runtime_checkable
class TopicModel(Protocol):
    """Text -> relevance, link -> promise; both in [0, 1] and the same at every call."""

    def fit(self, topic: str, examples: Sequence[str]) -> None:
        """Learn a topic from words or a sentence, from texts of wanted pages, or from both.

        Raises `ranking.errors.TopicError` when there is nothing to learn from.
        """

    def relevance(self, text: str, title: str = "") -> float:
        """Return how much a page is about the topic; above 0.5 it counts as harvested."""

    def promise(self, anchor: str, context: str, url: str) -> float:
        """Return how likely a link leads to a wanted page, judged by its words alone."""

    def promises(self, links: Sequence[tuple[str, str, str]]) -> list[float]:
        """Return the promise of each (anchor, context, url), as `promise` would."""

    def state(self) -> dict[str, Any]:
        """Return what `restore` needs, as JSON types, below 200 kB."""

    def restore(self, state: dict[str, Any]) -> None:
        """Become the model whose `state` this is; raises `TopicError` on a foreign state."""
