"""What the offline tools refuse, with the remedy in the message.

::

    LinkRankError
    ├── RankingInputError
    │   └── OfflineInputError      a file, an option or a name that cannot be used
    └── MissingExtraError          an optional package is not installed    (also ImportError)
"""

from __future__ import annotations

from ranking.errors import LinkRankError, RankingInputError


class OfflineInputError(RankingInputError):
    """A file that cannot be read or written, or holds what it must not."""


class MissingExtraError(LinkRankError, ImportError):
    """A package of an optional extra is needed and not installed."""

    def __init__(self, package: str, purpose: str, extra: str = "offline") -> None:
        super().__init__(
            f"{purpose} needs {package}, which is not installed; "
            f'run: pip install "scrapy-linkrank[{extra}]"'
        )
