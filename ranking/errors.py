"""The root of the project's error tree, and the errors of this room.

::

    LinkRankError
    ├── RankingInputError      arrays of a wrong shape, range or type      (also ValueError)
    │   └── OfflineInputError  a file that holds no links or scores
    ├── MissingExtraError      a file format whose package is not there    (also ImportError)
    ├── UnknownOrderError      a crawl order nobody registered             (also ValueError)
    ├── TopicError             nothing to learn a topic from               (also ValueError)
    └── frontier.errors ...    everything about stores, seeds and settings

Every message says what was expected, what came and what to do.
"""

from __future__ import annotations


class LinkRankError(Exception):
    """Anything this library refuses to do, with the remedy in its message."""


class RankingInputError(LinkRankError, ValueError):
    """An array of the wrong shape, dtype or range was handed to a ranking."""


class UnknownOrderError(LinkRankError, ValueError):
    """A crawl order was asked for by a name that is not registered."""


class TopicError(LinkRankError, ValueError):
    """A topic, its examples or its model give nothing to learn from."""


class OfflineInputError(RankingInputError):
    """A file that cannot be read or written, or holds what it must not."""


class MissingExtraError(LinkRankError, ImportError):
    """A package of an optional extra is needed and not installed."""

    def __init__(self, package: str, purpose: str, extra: str = "offline") -> None:
        super().__init__(
            f"{purpose} needs {package}, which is not installed; "
            f'run: pip install "scrapy-linkrank[{extra}]"'
        )
