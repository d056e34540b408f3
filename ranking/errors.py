"""The root of the project's error tree, and the errors of this package.

::

    LinkRankError
    ├── RankingInputError      arrays of a wrong shape, range or type      (also ValueError)
    │   └── OfflineInputError  a file that holds no links or scores
    ├── MissingExtraError      a package that is not installed    (also ImportError)
    ├── UnknownOrderError      a crawl order of an unknown name             (also ValueError)
    ├── TopicError             nothing to learn a topic from               (also ValueError)
    └── frontier.errors ...    everything about stores, seeds and settings

Every message names what was expected, what came instead and what to do.
"""

from __future__ import annotations


class LinkRankError(Exception):
    """A refusal of this library; the message names the remedy."""


class RankingInputError(LinkRankError, ValueError):
    """An array of the wrong shape, dtype or range was given to a ranking."""


class UnknownOrderError(LinkRankError, ValueError):
    """A crawl order of an unknown name was requested."""


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
